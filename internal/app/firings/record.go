package firings

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"brenner"
	"brenner/api"
	"brenner/automation"
	"brenner/config"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
)

// fired says that a rule fired: on which event, about what, and what it did
// (A2).
type fired struct {
	Rule    string           `json:"rule"`
	Version brenner.Digest   `json:"version"`
	Event   automation.Event `json:"event"`
	Subject string           `json:"subject"`
	Depth   int              `json:"depth"`
	Act     automation.Act   `json:"act"`
	Why     string           `json:"why"`
	Tasks   []string         `json:"tasks,omitzero"`
	Refs    []brenner.Ref    `json:"refs,omitzero"`
	// Code and Message say why it could not be done.
	Code    brenner.Code `json:"code,omitzero"`
	Message string       `json:"message,omitzero"`
}

// firing is a firing as it is kept. Its id is what makes it one of a kind.
type firing struct {
	fired
	Seq int64     `json:"seq"`
	At  time.Time `json:"at"`
}

func firingID(rule string, e automation.Event, subject string) string {
	if e.Seq == 0 {
		return fmt.Sprintf("%s %s %s", rule, e.On, e.Subject)
	}
	return fmt.Sprintf("%s %d %s", rule, e.Seq, subject)
}

func (f firing) info() api.Firing {
	return api.Firing{
		Seq: f.Seq, At: f.At, Rule: f.Rule, Version: f.Version, Event: f.Event, Subject: f.Subject, Depth: f.Depth, Act: f.Act,
		Why: f.Why, Tasks: f.Tasks, Refs: f.Refs, Code: f.Code, Message: f.Message,
	}
}

// firings are listed in the order of their records, by their rule.
var firings = kernel.Table[firing]{
	Kind: "firing",
	Key: func(f firing) kernel.Key {
		return kernel.Key{ID: firingID(f.Rule, f.Event, f.Subject), Group: f.Rule}
	},
}

// opened is a task that a rule opened: whatever is written for it is as deep as
// the rule (A3).
type opened struct {
	Task  string `json:"task"`
	About string `json:"about"` // rule and subject
	Depth int    `json:"depth"`
}

var openedTasks = kernel.Table[opened]{
	Kind: "automation_task",
	Key:  func(o opened) kernel.Key { return kernel.Key{ID: o.Task, Group: o.About} },
}

// notice is something a rule told the person.
type notice struct {
	Seq     int64     `json:"seq"`
	At      time.Time `json:"at"`
	Rule    string    `json:"rule"`
	Subject string    `json:"subject"`
	Why     string    `json:"why"`
	Settled bool      `json:"settled,omitzero"`
}

// The states of a notice.
const (
	noticeOpen    = "open"
	noticeSettled = "settled"
)

func noticeID(seq int64) string { return fmt.Sprintf("firing-%d", seq) }

var notices = kernel.Table[notice]{
	Kind: "automation_notice",
	Key: func(n notice) kernel.Key {
		k := kernel.Key{ID: noticeID(n.Seq), State: noticeOpen}
		if n.Settled {
			k.State = noticeSettled
		}
		return k
	},
}

// standing is how a rule stands: up to which record it has looked, and which
// instant it fired at last.
type standing struct {
	Rule    string `json:"rule"`
	Through int64  `json:"through"`
	Tick    int64  `json:"tick,omitzero"`
	Fired   int    `json:"fired,omitzero"`
	Paused  bool   `json:"paused,omitzero"`
	// Skips are the stretches of the journal after Through in which the rule was
	// paused.
	Skips []stretch `json:"skips,omitzero"`
}

// stretch is a part of the journal, its ends included.
type stretch struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// through has a rule have looked up to a record.
func (s *standing) through(seq int64) {
	s.Through = max(s.Through, seq)
	if s.Skips = slices.DeleteFunc(s.Skips, func(p stretch) bool { return p.To <= s.Through }); len(s.Skips) == 0 {
		s.Skips = nil
	}
}

// skips reports whether a rule was paused at a record that it has not looked at.
func (s standing) skips(seq int64) bool {
	return slices.ContainsFunc(s.Skips, func(p stretch) bool { return p.From <= seq && seq <= p.To })
}

// everyRule stands for all rules.
const everyRule = "*"

var standings = kernel.Table[standing]{
	Kind: "automation_rule", Unordered: true,
	Key: func(s standing) kernel.Key { return kernel.Key{ID: s.Rule} },
}

func standingOf(ctx context.Context, r store.Reader, rule string) (standing, error) {
	s, err := standings.Find(ctx, r, rule)
	if errors.Is(err, brenner.CodeNotFound) {
		return standing{Rule: rule}, nil
	}
	return s, err
}

func changeStanding(ctx context.Context, tx store.Tx, seq int64, rule string, fn func(*standing)) error {
	s, err := standingOf(ctx, tx, rule)
	if err != nil {
		return err
	}
	fn(&s)
	return standings.Put(ctx, tx, seq, s)
}

func applyFired(ctx context.Context, tx store.Tx, rec journal.Record, p fired) error {
	if err := firings.Put(ctx, tx, rec.Seq, firing{fired: p, Seq: rec.Seq, At: rec.At}); err != nil {
		return err
	}
	for _, t := range p.Tasks {
		if err := openedTasks.Put(ctx, tx, rec.Seq, opened{Task: t, About: about(p.Rule, p.Subject), Depth: p.Depth}); err != nil {
			return err
		}
	}
	if p.Act == automation.Notify {
		if err := notices.Put(ctx, tx, rec.Seq, notice{Seq: rec.Seq, At: rec.At, Rule: p.Rule, Subject: p.Subject, Why: p.Why}); err != nil {
			return err
		}
	}
	return changeStanding(ctx, tx, rec.Seq, p.Rule, func(s *standing) {
		s.Fired++
		// Everything before the event was looked at; of the event itself there
		// may be more to do.
		s.through(p.Event.Seq - 1)
		if period, timed := p.Event.On.Period(); timed {
			s.Tick = max(s.Tick, tickAt(rec.At, period))
		}
	})
}

func about(rule, subject string) string { return rule + " " + subject }

// tickAt numbers the instants of a period.
func tickAt(at time.Time, period time.Duration) int64 { return at.UnixNano() / int64(period) }

// looked says that rules have looked at every record up to one, and had nothing
// to do.
type looked struct {
	Rules   []string `json:"rules"`
	Through int64    `json:"through"`
}

func applyLooked(ctx context.Context, tx store.Tx, rec journal.Record, p looked) error {
	for _, rule := range p.Rules {
		if err := changeStanding(ctx, tx, rec.Seq, rule, func(s *standing) { s.through(p.Through) }); err != nil {
			return err
		}
	}
	return nil
}

// applyConfigured has a rule begin where it was put in force: it does nothing
// about what was before.
func applyConfigured(ctx context.Context, tx store.Tx, rec journal.Record, p kernel.Configuration) error {
	for _, r := range ownRules(p.Config) {
		known, err := standings.Has(ctx, tx, r.Name)
		if err != nil {
			return err
		}
		if known {
			continue
		}
		s := standing{Rule: r.Name, Through: rec.Seq}
		if period := r.Period(); period > 0 {
			s.Tick = tickAt(rec.At, period)
		}
		if err := standings.Put(ctx, tx, rec.Seq, s); err != nil {
			return err
		}
	}
	return nil
}

// ownRules are the rules of a configuration that are not built in.
func ownRules(c config.Config) []automation.Rule {
	rules := automation.InForce(c.Automation)
	return rules[len(automation.Builtin()):]
}

// paused says that a rule, or all, do nothing, or go on.
type paused struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason,omitzero"`
	// Rules are those that go on from here: what was since the record From, which
	// paused them, is not made up for. What they had not looked at before still is;
	// of records without From nothing is.
	Rules []string `json:"rules,omitzero"`
	From  int64    `json:"from,omitzero"`
}

func applyPaused(ctx context.Context, tx store.Tx, rec journal.Record, p paused) error {
	return changeStanding(ctx, tx, rec.Seq, p.Rule, func(s *standing) { s.Paused = true })
}

func applyResumed(ctx context.Context, tx store.Tx, rec journal.Record, p paused) error {
	for _, rule := range p.Rules {
		if err := changeStanding(ctx, tx, rec.Seq, rule, func(s *standing) {
			if p.From == 0 || s.Through >= p.From {
				s.through(rec.Seq)
			} else {
				s.Skips = append(s.Skips, stretch{From: p.From, To: rec.Seq})
			}
		}); err != nil {
			return err
		}
	}
	return changeStanding(ctx, tx, rec.Seq, p.Rule, func(s *standing) { s.Paused = false })
}

// settled says that a person has taken notice.
type settled struct {
	Seqs []int64 `json:"seqs"`
}

func applySettled(ctx context.Context, tx store.Tx, rec journal.Record, p settled) error {
	for _, seq := range p.Seqs {
		if _, err := notices.Change(ctx, tx, rec.Seq, noticeID(seq), func(n *notice) { n.Settled = true }); err != nil {
			return err
		}
	}
	return nil
}

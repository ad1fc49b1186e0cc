package firings

import (
	"errors"
	"slices"
	"time"

	"brenner"
	"brenner/api"
	"brenner/automation"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
)

// due is the next thing to do: a rule fires, or what was looked at in vain is
// noted. The zero value is nothing.
type due struct {
	rule  automation.Rule
	event automation.Event
	depth int
	deed  deed
	// How far the rules have looked in vain, and where nothing fires those of
	// them of which the journal should say so.
	through int64
	keys    []string
	looked  []string
	// behind says that the look ended before the journal did.
	behind bool
}

func (d due) fires() bool { return d.deed.do != nil }

func (d due) nothing() bool { return !d.fires() && len(d.looked) == 0 }

// follower is a rule that looks at the journal, and how far it has.
type follower struct {
	automation.Rule
	standing
	stored int64 // how far the journal says that it has looked
}

func (f follower) key() string { return f.Name + " " + string(f.Version()) }

// followers are the rules that may fire now: on, not paused, and not over what
// they may do in an hour (A3).
func (r *Room) followers(c *kernel.Call) ([]follower, error) {
	paused, err := r.Paused(c)
	if err != nil || paused {
		return nil, err
	}
	var out []follower
	for _, rule := range automation.InForce(c.Config.Automation) {
		f := follower{Rule: rule}
		if f.standing, err = standingOf(c.Ctx, c.Reader, rule.Name); err != nil {
			return nil, err
		}
		if rule.Off || f.Paused {
			continue
		}
		hour, err := firedSince(c, rule.Name, c.Now.Add(-time.Hour), rule.PerHour)
		if err != nil {
			return nil, err
		}
		if hour >= rule.PerHour {
			continue
		}
		f.stored = f.Through
		f.Through = max(f.Through, r.seen.of(f.key()))
		out = append(out, f)
	}
	return out, nil
}

// Paused reports whether a person has paused everything (A7).
func (r *Room) Paused(c *kernel.Call) (bool, error) {
	all, err := standingOf(c.Ctx, c.Reader, everyRule)
	return all.Paused, err
}

// firedSince counts how often a rule fired after an instant, as far as most.
func firedSince(c *kernel.Call, rule string, after time.Time, most int) (int, error) {
	rows, err := firings.List(c.Ctx, c.Reader, kernel.Query{Group: rule, Newest: true}, most)
	n := 0
	for _, row := range rows {
		if row.Value.At.After(after) {
			n++
		}
	}
	return n, err
}

// next finds what is due: of the events that no rule has dealt with the first.
// It looks no further once it has looked for as long as it may.
func (w *Worker) next(c *kernel.Call) (due, error) {
	r, began := w.Room, w.Now()
	rules, err := r.followers(c)
	if err != nil || len(rules) == 0 {
		return due{}, err
	}
	if d, err := r.nextInstant(c, rules); err != nil || d.fires() {
		return d, err
	}
	from := rules[0].Through
	for _, f := range rules {
		from = min(from, f.Through)
	}
	var keys []string
	for _, f := range rules {
		keys = append(keys, f.key())
	}
	last, checks, enough := min(c.Position, from+brenner.MaxRecordsSearched), 0, false
	for after := from; after < last; {
		rows, err := c.Records(c.Ctx, after, int(min(brenner.MaxPage, last-after)))
		if err != nil {
			return due{}, err
		}
		for _, row := range rows {
			if !r.Kinds().Means(row.Kind) {
				continue
			}
			rec, err := journal.Parse(row)
			if err != nil {
				return due{}, err
			}
			d, checked, err := r.dueAt(c, rec, rules)
			if err != nil || d.fires() {
				d.through, d.keys = rec.Seq-1, keys
				return d, err
			}
			checks += checked
			long := w.look > 0 && rec.Seq-from >= brenner.AutomationStride && w.Now().Sub(began) >= w.look
			if enough = checks >= brenner.MaxChecksAtOnce || long; enough {
				last = rec.Seq // what was looked at is noted before more is
				break
			}
		}
		after += int64(len(rows))
	}
	d := due{through: last, keys: keys, behind: last < c.Position}
	for _, f := range rules {
		if last-f.stored >= brenner.AutomationStride || enough && last > f.stored {
			d.looked = append(d.looked, f.Name)
		}
	}
	return d, nil
}

// dueAt finds what is due on the events of one record, and says how many checks
// that took.
func (r *Room) dueAt(c *kernel.Call, rec journal.Record, rules []follower) (d due, checks int, err error) {
	events, err := r.Kinds().Events(rec)
	if err != nil {
		return due{}, 0, err
	}
	depth := -1
	for _, e := range events {
		for _, f := range rules {
			if f.Through >= rec.Seq || f.skips(rec.Seq) || !f.Waits(e.On) {
				continue
			}
			if f.Do.Act == automation.Alignment || f.Do.Act == automation.Assumptions {
				checks++
			}
			deeds, err := r.deedsOf(c, f.Rule, e)
			if err != nil {
				return due{}, checks, err
			}
			for _, deed := range deeds {
				done, err := firings.Has(c.Ctx, c.Reader, firingID(f.Name, e, deed.subject))
				if err != nil {
					return due{}, checks, err
				}
				if done {
					continue
				}
				if depth < 0 {
					if depth, err = r.depthOf(c, rec, e); err != nil {
						return due{}, checks, err
					}
				}
				return due{rule: f.Rule, event: e, depth: depth + 1, deed: deed}.bounded(), checks, nil
			}
		}
	}
	return due{}, checks, nil
}

// deedsOf is what a rule has to do about an event. Where that cannot be found
// out, and never will be, it is for the firing to say so: an event that nobody
// understands holds up none after it.
func (r *Room) deedsOf(c *kernel.Call, rule automation.Rule, e automation.Event) ([]deed, error) {
	deeds, err := r.plan(c, rule, e)
	if err == nil || !final(err) {
		return deeds, err
	}
	fail := func(*kernel.Change) (did, error) { return did{}, err }
	return []deed{{act: rule.Do.Act, subject: e.Subject, why: string(e.On) + " " + e.Subject, do: fail}}, nil
}

// bounded is what is due once causes are too deep for anything but telling
// (A3).
func (d due) bounded() due {
	if d.depth > brenner.MaxAutomationDepth && d.deed.act != automation.Notify {
		d.deed = telling(d.deed.subject, "too many causes deep to act on: "+d.deed.why)
	}
	return d
}

// nextInstant finds a rule whose time has come. Instants that were missed are
// not made up for. Only the instant it fired at last is passed over: the number of
// another may be smaller, where its period is longer now or a clock was ahead, and
// what it did at that one is among its firings.
func (r *Room) nextInstant(c *kernel.Call, rules []follower) (due, error) {
	for _, f := range rules {
		for _, on := range f.On {
			period, timed := on.Period()
			if !timed {
				continue
			}
			now := tickAt(c.Now, period)
			if now == f.Tick {
				continue
			}
			e := automation.Event{On: on, Subject: time.Unix(0, now*int64(period)).UTC().Format(time.RFC3339)}
			deeds, err := r.deedsOf(c, f.Rule, e)
			if err != nil {
				return due{}, err
			}
			for _, deed := range deeds {
				done, err := firings.Has(c.Ctx, c.Reader, firingID(f.Name, e, deed.subject))
				if err != nil || !done {
					return due{rule: f.Rule, event: e, depth: 1, deed: deed}, err
				}
			}
		}
	}
	return due{}, nil
}

// depthOf is how many causes that automation brought about lie behind a record:
// those of the firing it is part of, or of the task it was written for, or of one that
// was done when that one was opened (A3).
func (r *Room) depthOf(c *kernel.Call, rec journal.Record, e automation.Event) (int, error) {
	if rec.Auth == kernel.AuthAutomation {
		rows, err := firings.List(c.Ctx, c.Reader, kernel.Query{After: kernel.Place{Order: rec.Seq}}, 1)
		if err != nil || len(rows) == 0 {
			return 0, err
		}
		return rows[0].Value.Depth, nil
	}
	task := e.Task
	if task == "" {
		var err error
		if task, err = r.taskIn(c, rec.Context); err != nil {
			return 0, err
		}
	}
	o, err := r.openedByRule(c, task)
	return o.Depth, err
}

// ByRule reports whether a rule opened a task, or one that was done when it was
// opened (A3).
func (r *Room) ByRule(c *kernel.Call, task string) (bool, error) {
	o, err := r.openedByRule(c, task)
	return o.Task != "", err
}

// openedByRule finds the task of a rule that a task is, or comes of; none if somebody
// opened it of his own accord.
func (r *Room) openedByRule(c *kernel.Call, task string) (opened, error) {
	for range mostCauses {
		if task == "" {
			break
		}
		o, err := openedTasks.Find(c.Ctx, c.Reader, task)
		if !errors.Is(err, brenner.CodeNotFound) {
			return o, err
		}
		if task, err = r.openedFor(c, task); err != nil {
			return opened{}, err
		}
	}
	return opened{}, nil
}

// mostCauses is how many tasks that somebody opened while doing another are followed.
const mostCauses = 64

// taskIn is the task that a context was for, "" if for none.
func (r *Room) taskIn(c *kernel.Call, id string) (string, error) {
	if id == "" {
		return "", nil
	}
	task, err := r.Contexts.TaskOf(c, id)
	if errors.Is(err, brenner.CodeNotFound) {
		return "", nil
	}
	return task, err
}

// openedFor is the task that somebody was doing who opened another, "" if none: what
// that one writes has the same causes.
func (r *Room) openedFor(c *kernel.Call, task string) (string, error) {
	seq := kernel.NumberOf(task)
	rows, err := c.FindRecords(c.Ctx, store.RecordQuery{After: seq - 1, Before: seq + 1, Limit: 1})
	if err != nil || len(rows) == 0 {
		return "", err
	}
	rec, err := journal.Parse(rows[0])
	if err != nil {
		return "", err
	}
	return r.taskIn(c, rec.Context)
}

// covered reports whether a task that a rule opened about a subject was not
// closed yet when an event happened: then it is about that event as well.
func (r *Room) covered(c *kernel.Call, rule, subject string, e automation.Event) (bool, error) {
	rows, err := openedTasks.List(c.Ctx, c.Reader, kernel.Query{Group: about(rule, subject)}, brenner.MaxPage)
	if err != nil {
		return false, err
	}
	for _, row := range slices.Backward(rows) {
		closed, err := r.Tasks.Closed(c, row.Value.Task)
		if err != nil {
			return false, err
		}
		if closed == 0 || closed > e.Seq && e.Seq > 0 {
			// The task of this very firing does not make the event another's.
			done, err := firings.Has(c.Ctx, c.Reader, firingID(rule, e, subject))
			return !done, err
		}
	}
	return false, nil
}

// Waiting lists what rules have told the person (N1).
func (r *Room) Waiting(c *kernel.Call) ([]kernel.Waiting, error) {
	var out []kernel.Waiting
	err := notices.Each(c.Ctx, c.Reader, kernel.Query{States: []string{noticeOpen}}, func(row kernel.Row[notice]) (bool, error) {
		n := row.Value
		out = append(out, kernel.Waiting{Waiting: api.Waiting{
			Kind: api.WaitAutomation, Subject: row.ID, Title: "The rule " + n.Rule + " tells: " + n.Subject, Why: n.Why,
			Author: kernel.System, Since: n.At, Count: 1,
		}})
		return true, nil
	})
	return out, err
}

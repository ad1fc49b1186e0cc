// Package notices is the room of notifications. What begins to wait for a person
// is put into an outbox, once for each webhook, in the transaction that noticed
// it; the server sends what is there and records what came of it (N7). A crash
// between the two sends again: at least once, never not at all.
//
// A notice names what waits and says nothing of what it contains: it leaves the
// project.
package notices

import (
	"context"
	"fmt"
	"slices"
	"time"

	"brenner"
	"brenner/api"
	"brenner/config"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"
)

// Room is where the notifications of one project are.
type Room struct {
	*kernel.Kernel
	Inbox Inbox
}

// Inbox is what notices need of reviews: everything that waits (N1).
type Inbox interface {
	All(c *kernel.Call) ([]api.Waiting, error)
}

// Service is the room as it is for the server.
type Service struct {
	*Room
	caller kernel.Caller
}

// As gives the room as it is for one caller.
func (r *Room) As(who kernel.Identity) *Service { return &Service{Room: r, caller: r.By(who)} }

// Item is something that waits.
type Item struct {
	Kind    api.WaitKind      `json:"kind"`
	Subject string            `json:"subject"`
	Author  brenner.ActorName `json:"author,omitzero"`
	Since   time.Time         `json:"since,omitzero"`
	Rests   int               `json:"rests"`
}

func (i Item) key() string { return string(i.Kind) + " " + i.Subject }

// Notice is a notification to one webhook.
type Notice struct {
	ID    string    `json:"id"`
	URL   string    `json:"url"`
	At    time.Time `json:"at"`
	Items []Item    `json:"items"`
	// Attempts counts the tries, the last of them at Tried.
	Attempts int       `json:"attempts"`
	Tried    time.Time `json:"tried,omitzero"`
	State    string    `json:"state"`
}

// The states of a notice.
const (
	waiting = "waiting"
	sent    = "sent"
	givenUp = "given_up"
)

// told is something that waits and was told of; gone, it may be told again.
type told struct {
	Key  string `json:"key"`
	Gone bool   `json:"gone,omitzero"`
}

var (
	outbox = kernel.Table[Notice]{Kind: "notice", Key: func(n Notice) kernel.Key { return kernel.Key{ID: n.ID, State: n.State} }}
	known  = kernel.Table[told]{Kind: "told", Unordered: true, Key: func(t told) kernel.Key {
		if t.Gone {
			return kernel.Key{ID: t.Key, State: "gone"}
		}
		return kernel.Key{ID: t.Key, State: "waits"}
	}}
)

// queued says what began to wait, what no longer does, and who is told.
type queued struct {
	Items []Item   `json:"items"`
	Gone  []string `json:"gone,omitzero"`
	To    []string `json:"to"`
}

func applyQueued(ctx context.Context, tx store.Tx, rec journal.Record, p queued) error {
	for _, key := range p.Gone {
		if err := known.Put(ctx, tx, rec.Seq, told{Key: key, Gone: true}); err != nil {
			return err
		}
	}
	for _, i := range p.Items {
		if err := known.Put(ctx, tx, rec.Seq, told{Key: i.key()}); err != nil {
			return err
		}
	}
	if len(p.Items) == 0 {
		return nil
	}
	for i, url := range p.To {
		n := Notice{ID: fmt.Sprintf("notice-%d-%d", rec.Seq, i+1), URL: url, At: rec.At, Items: p.Items, State: waiting}
		if err := outbox.Put(ctx, tx, rec.Seq, n); err != nil {
			return err
		}
	}
	return nil
}

// tried says what came of sending a notice: it arrived, or why not, in our own
// words.
type tried struct {
	ID      string `json:"id"`
	Why     string `json:"why,omitzero"`
	GivenUp bool   `json:"given_up,omitzero"`
}

func applyTried(ctx context.Context, tx store.Tx, rec journal.Record, p tried) error {
	_, err := outbox.Change(ctx, tx, rec.Seq, p.ID, func(n *Notice) {
		n.Attempts++
		n.Tried = rec.At
		switch {
		case p.Why == "":
			n.State = sent
		case p.GivenUp:
			n.State = givenUp
		}
	})
	return err
}

// unkeyed is a request that nobody repeats.
type unkeyed struct{}

func (unkeyed) IdempotencyKey() string { return "" }

// Look puts what began to wait since it was called last into the outbox. Most
// of the time there is nothing, and nothing is written.
func (s *Service) Look(ctx context.Context) error {
	guard := kernel.To(policy.Status, "notices")
	p, err := kernel.View(ctx, s.caller, guard, s.plan)
	if err != nil || p.empty() {
		return err
	}
	_, err = kernel.Write(ctx, s.caller, "notice.queue", unkeyed{}, guard, func(ch *kernel.Change) (struct{}, error) {
		p, err := s.plan(ch.Call)
		if err == nil && !p.empty() {
			_, err = kindQueued.Append(ch, p)
		}
		return struct{}{}, err
	})
	return err
}

func (p queued) empty() bool { return len(p.Items) == 0 && len(p.Gone) == 0 }

// plan compares what waits with what was told.
func (r *Room) plan(c *kernel.Call) (queued, error) {
	p := queued{Items: []Item{}, To: []string{}}
	settings := c.Config.Notify
	if len(settings.Webhooks) == 0 {
		return p, nil
	}
	for _, w := range settings.Webhooks {
		p.To = append(p.To, w.URL)
	}
	all, err := r.Inbox.All(c)
	if err != nil {
		return p, err
	}
	before := map[string]bool{}
	err = known.Each(c.Ctx, c, kernel.Query{States: []string{"waits"}}, func(row kernel.Row[told]) (bool, error) {
		before[row.Value.Key] = true
		return true, nil
	})
	for _, w := range all {
		i := Item{Kind: w.Kind, Subject: w.Subject, Author: w.Author, Since: w.Since, Rests: w.Rests}
		if len(settings.Kinds) > 0 && !slices.Contains(settings.Kinds, string(w.Kind)) {
			continue
		}
		if before[i.key()] {
			delete(before, i.key())
		} else if len(p.Items) < brenner.MaxNotice && !slices.ContainsFunc(p.Items, func(o Item) bool { return o.key() == i.key() }) {
			p.Items = append(p.Items, i)
		}
	}
	for key := range before {
		p.Gone = append(p.Gone, key)
	}
	slices.Sort(p.Gone)
	p.Gone = p.Gone[:min(len(p.Gone), brenner.MaxPage)]
	return p, err
}

// Waiting lists the notices that were not sent yet, the oldest first, at most
// as many as one page.
func (s *Service) Waiting(ctx context.Context) ([]Notice, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "notices"), func(c *kernel.Call) ([]Notice, error) {
		rows, err := outbox.List(c.Ctx, c, kernel.Query{States: []string{waiting}}, brenner.DefaultPage)
		var out []Notice
		for _, row := range rows {
			out = append(out, row.Value)
		}
		return out, err
	})
}

// Tried records what came of sending a notice; why is empty if it arrived.
func (s *Service) Tried(ctx context.Context, id, why string, giveUp bool) error {
	_, err := kernel.Write(ctx, s.caller, "notice.tried", unkeyed{}, kernel.To(policy.Status, id), func(ch *kernel.Change) (struct{}, error) {
		n, err := outbox.Find(ch.Ctx, ch, id)
		if err == nil && n.State == waiting { // another process may have been faster
			_, err = kindTried.Append(ch, tried{ID: id, Why: why, GivenUp: giveUp && why != ""})
		}
		return struct{}{}, err
	})
	return err
}

// Settings are those in force.
func (s *Service) Settings(ctx context.Context) (config.Notify, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "notices"), func(c *kernel.Call) (config.Notify, error) {
		return c.Config.Notify, nil
	})
}

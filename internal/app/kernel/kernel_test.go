package kernel_test

import (
	"context"
	"encoding/base64"
	"errors"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/policy"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// note is the only record of the test's room.
var note = kernel.Kind[noted]{Name: "note.kept", Apply: func(ctx context.Context, tx store.Tx, rec journal.Record, p noted) error {
	return notes.Put(ctx, tx, rec.Seq, p)
}}

type noted struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

var notes = kernel.Table[noted]{Kind: "note", Key: func(n noted) kernel.Key { return kernel.Key{ID: n.ID} }}

// newProject is a project led by ada in which blue is an agent.
func newProject(t *testing.T) *kernel.Kernel {
	t.Helper()
	return newProjectOn(t, memory.New())
}

func newProjectOn(t *testing.T, s store.Store) *kernel.Kernel {
	t.Helper()
	return newProjectAt(t, s, func() time.Time { return now })
}

func newProjectAt(t *testing.T, s store.Store, clock func() time.Time) *kernel.Kernel {
	t.Helper()
	k := kernel.New(s, clock)
	kinds, err := kernel.NewKinds(kernel.OwnKinds(), []kernel.AnyKind{note})
	if err != nil {
		t.Fatal(err)
	}
	k.SetUp(kinds, nil)
	err = k.Found(t.Context(), store.Project{ID: "p-1", Name: "Test", At: now}, "ada", func(ch *kernel.Change) error {
		if _, err := kernel.ProjectCreated.Append(ch, kernel.Project{ID: "p-1", Name: "Test", PI: "ada"}); err != nil {
			return err
		}
		_, err := kernel.ActorPut.Append(ch, kernel.Actor{Name: "blue", Kind: kernel.Agent, Role: policy.Integrator, Active: true})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func agent(k *kernel.Kernel) kernel.Caller { return k.By(kernel.Identity{Name: "blue"}) }
func lead(k *kernel.Kernel) kernel.Caller {
	return k.By(kernel.Identity{Name: "ada", Auth: kernel.AuthOwner})
}

// makeLead is a use case that would make the agent the PI.
func makeLead(ch *kernel.Change) (int64, error) {
	return kernel.ActorPut.Append(ch, kernel.Actor{Name: "blue", Kind: kernel.Person, Role: brenner.PI, Active: true})
}

func roleOf(t *testing.T, k *kernel.Kernel, name brenner.ActorName) (role brenner.Role, size int64) {
	t.Helper()
	err := k.Store().Read(t.Context(), func(r store.Reader) error {
		a, err := r.Actor(t.Context(), name)
		if err != nil {
			return err
		}
		role = a.Role
		size, err = r.Size(t.Context())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return role, size
}

// C8: a use case that forgets to ask the policy cannot commit. Before the act
// was an argument of Write, it was refused only after it had made an agent the
// PI.
func TestWrite_AUseCaseThatForgetsToAskCannotCommit(t *testing.T) {
	for name, guard := range map[string]kernel.Guard{"no guard": {}, "item by item, and no item asked": kernel.ItemByItem()} {
		t.Run(name, func(t *testing.T) {
			k := newProject(t)
			if _, err := kernel.Write(t.Context(), agent(k), "forgetful", api.Write{}, guard, makeLead); err == nil {
				t.Error("the use case came through")
			}
			if role, size := roleOf(t, k, "blue"); role != policy.Integrator || size != 2 {
				t.Errorf("blue is now %s, and the journal has %d records", role, size)
			}
		})
	}
}

// C8: what is refused does not run at all, and is kept for the audit.
// C7.a.
func TestWrite_ARefusedUseCaseNeverStarts(t *testing.T) {
	k := newProject(t)
	ran := false
	_, err := kernel.Write(t.Context(), agent(k), "refused", api.Write{}, kernel.To(policy.Admin, "blue"), func(ch *kernel.Change) (int64, error) {
		ran = true
		return makeLead(ch)
	})
	if brenner.ClassOf(brenner.CodeOf(err)) != brenner.ClassDenied || ran {
		t.Errorf("got %v, ran %v", err, ran)
	}
	var denials []store.Denial
	err = k.Store().Read(t.Context(), func(r store.Reader) (err error) {
		denials, err = r.Denials(t.Context(), 10)
		return err
	})
	if err != nil || len(denials) != 1 || denials[0].Actor != "blue" {
		t.Errorf("the audit has %+v, %v", denials, err)
	}
}

// C7: a view that asks about nothing is a fault too.
func TestView_AnswersNothingThatNobodyWasAskedAbout(t *testing.T) {
	k := newProject(t)
	got, err := kernel.View(t.Context(), agent(k), kernel.ItemByItem(), func(*kernel.Call) (string, error) { return "secret", nil })
	if err == nil || got != "" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestKinds_AKindIsThereOnceAndFollowersFollowOne(t *testing.T) {
	if _, err := kernel.NewKinds([]kernel.AnyKind{note}, []kernel.AnyKind{note}); err == nil {
		t.Error("a kind can be there twice")
	}
	if _, err := kernel.NewKinds([]kernel.AnyKind{note.Follower(note.Apply)}); err == nil {
		t.Error("a follower needs no kind to follow")
	}
}

// J4: a record of an unknown kind can neither be written nor replayed.
func TestKinds_ARecordOfAnUnknownKindIsAnError(t *testing.T) {
	k := newProject(t)
	unknown := kernel.Kind[noted]{Name: "unknown"}
	_, err := kernel.Write(t.Context(), lead(k), "unknown", api.Write{}, kernel.To(policy.Admin, ""), func(ch *kernel.Change) (int64, error) {
		return unknown.Append(ch, noted{})
	})
	if !errors.Is(err, brenner.CodeJournalCorrupt) {
		t.Errorf("got %v", err)
	}
}

// A cursor from below zero is refused, not answered with an empty page.
func TestOpenCursor_RefusesANegativePlace(t *testing.T) {
	for _, raw := range []string{"-1", "x", "1.5"} {
		if _, err := kernel.OpenCursor[int](base64.RawURLEncoding.EncodeToString([]byte(raw))); !errors.Is(err, brenner.CodeInvalidCursor) {
			t.Errorf("%s: got %v", raw, err)
		}
	}
	if _, err := kernel.OpenCursor[kernel.Place](kernel.MakeCursor(kernel.Place{Order: -1, ID: "x"})); !errors.Is(err, brenner.CodeInvalidCursor) {
		t.Errorf("got %v", err)
	}
	if n, err := kernel.OpenCursor[int](kernel.MakeCursor(7)); n != 7 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
}

// busyStore is a store in which somebody else writes just before we do.
type busyStore struct {
	store.Store
	before func()
}

func (b *busyStore) Write(ctx context.Context, fn func(store.Tx) error) error {
	if before := b.before; before != nil {
		b.before = nil
		before()
	}
	return b.Store.Write(ctx, fn)
}

// keep writes a note that says how many notes there were when it was planned.
func keep(t *testing.T, k *kernel.Kernel, key, id string, holds func(*kernel.Call, int) (bool, error)) (text string, plans int) {
	t.Helper()
	plan := kernel.Plan[int]{Holds: holds, Make: func(c *kernel.Call) (int, error) {
		plans++
		rows, err := notes.List(c.Ctx, c.Reader, kernel.Query{}, 100)
		return len(rows), err
	}}
	text, err := kernel.WritePlan(t.Context(), lead(k), "note.keep", api.Write{Key: key}, kernel.To(policy.Admin, ""), plan, func(ch *kernel.Change, n int) (string, error) {
		text := string(rune('0' + n))
		_, err := note.Append(ch, noted{ID: id, Text: text})
		return text, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text, plans
}

// X2: a plan is made while others write; one that no longer holds is made again
// in the transaction, and one that was carried out before is not made at all.
// X2.b.
func TestWritePlan_MakesAgainOnlyWhatNoLongerHolds(t *testing.T) {
	s := &busyStore{Store: memory.New()}
	k := newProjectOn(t, s)
	meddle := func() {
		_, err := kernel.Write(t.Context(), lead(k), "other", api.Write{}, kernel.To(policy.Admin, ""), func(ch *kernel.Change) (int64, error) {
			return note.Append(ch, noted{ID: "other"})
		})
		if err != nil {
			t.Error(err)
		}
	}
	holds := func(yes bool) func(*kernel.Call, int) (bool, error) {
		return func(*kernel.Call, int) (bool, error) { return yes, nil }
	}
	for _, c := range []struct {
		what, key string
		before    func()
		holds     func(*kernel.Call, int) (bool, error)
		text      string
		plans     int
	}{
		{"nothing moved", "key", nil, holds(false), "0", 1},
		{"the same request again", "key", nil, nil, "0", 0},
		{"the journal has grown", "", meddle, nil, "2", 2},
		{"it grew, and the plan holds", "", meddle, holds(true), "3", 1},
		{"it grew, and the plan does not hold", "", meddle, holds(false), "4", 2},
	} {
		s.before = c.before
		if text, plans := keep(t, k, c.key, c.what, c.holds); text != c.text || plans != c.plans {
			t.Errorf("%s: the note says %q after %d plans, want %q after %d", c.what, text, plans, c.text, c.plans)
		}
	}
}

package playbook

import (
	"errors"
	"math"
	"time"

	"brenner"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// tester is what the helpers need of a test or a property.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// desk is a book with a journal, as a service keeps them.
type desk struct {
	t       tester
	book    *Book
	journal []DeltaUpdate
	now     time.Time
	guard   Guard
	// who learns and judges, in which task or session
	who      Actor
	occasion string
}

func newDesk(t tester, s Settings) *desk {
	t.Helper()
	if s.Domain == "" {
		s.Domain = "prompts"
	}
	b, err := NewBook(s)
	if err != nil {
		t.Fatal(err)
	}
	return &desk{t: t, book: b, now: noon, who: agent}
}

var (
	agent    = Actor{Name: "codex"}
	reviewer = Actor{Name: "judge", Reviewer: true}
	person   = Actor{Name: "ada", Person: true}
)

// act is a decision one minute after the last.
func (d *desk) act(who Actor) Act {
	d.now = d.now.Add(time.Minute)
	return Act{At: d.now, Actor: who, Reason: "because"}
}

// did commits a change that must have been allowed.
func (d *desk) did(c Change, err error) Change {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := d.book.Commit(c); err != nil {
		d.t.Fatal(err)
	}
	d.journal = append(d.journal, c.Updates...)
	return c
}

func (d *desk) options(insights []Insight) CurateOptions {
	o := CurateOptions{Act: d.act(d.who), Guard: d.guard}
	o.Occasion = d.occasion
	o.Reason = ""
	if len(insights) > 0 {
		o.Embedding = Explicit(len(insights[0].Vector))
	}
	return o
}

// learns curates a batch that must be accepted.
func (d *desk) learns(insights ...Insight) []Outcome {
	d.t.Helper()
	c, err := d.book.Curate(insights, d.options(insights))
	d.did(c.Change, err)
	return c.Outcomes
}

// bullet must exist.
func (d *desk) bullet(id BulletID) Bullet {
	d.t.Helper()
	b, ok := d.book.Bullet(id)
	if !ok {
		d.t.Fatalf("there is no bullet %s", id)
	}
	return b
}

// records are those of one bullet.
func (d *desk) records(ids ...BulletID) []DeltaUpdate {
	var out []DeltaUpdate
	for _, u := range d.journal {
		for _, id := range ids {
			if u.Bullet == id {
				out = append(out, u)
			}
		}
	}
	return out
}

// at gives a unit vector of the plane whose cosine with at(1) is c.
func at(c float64) []float32 {
	return []float32{float32(c), float32(math.Sqrt(1 - c*c))}
}

func says(s Section, content string, cosine float64) Insight {
	return Insight{Section: s, Content: content, Confidence: 0.9, Vector: at(cosine)}
}

// wantCode checks a refusal.
func wantCode(t tester, err error, code brenner.Code) *brenner.Error {
	t.Helper()
	var e *brenner.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	if e.Hint == "" {
		t.Errorf("%v has no hint", e)
	}
	return e
}

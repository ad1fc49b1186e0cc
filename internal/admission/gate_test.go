package admission_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"brenner"
	"brenner/internal/admission"
)

const megabyte = 1 << 20

func limits() admission.Limits {
	return admission.Limits{Bytes: 100 * megabyte, Places: 4, Line: 3, Wait: time.Hour}
}

// started is work that is inside until it is told to end.
type started struct {
	end  chan struct{}
	over chan error
}

// start begins work and returns once it is inside.
func start(ctx context.Context, t *testing.T, g *admission.Gate, who string, bytes int64) started {
	t.Helper()
	s := started{make(chan struct{}), make(chan error, 1)}
	inside := make(chan struct{})
	go func() {
		s.over <- g.Do(ctx, who, func(w *admission.Work) error {
			if err := w.Spend(bytes); err != nil {
				return err
			}
			close(inside)
			<-s.end
			return nil
		})
	}()
	select {
	case <-inside:
	case err := <-s.over:
		t.Fatalf("%s was not let in: %v", who, err)
	}
	return s
}

func (s started) finish(t *testing.T) {
	t.Helper()
	close(s.end)
	if err := <-s.over; err != nil {
		t.Error(err)
	}
}

// now reports whether work would be let in at once.
func now(g *admission.Gate, who string, bytes int64) bool {
	ctx, cancel := context.WithCancel(context.Background())
	runs := 0
	err := g.Do(ctx, who, func(w *admission.Work) error {
		runs++
		err := w.Spend(bytes)
		if err != nil {
			cancel()
		}
		return err
	})
	cancel()
	return err == nil && runs == 1
}

// X10: an actor that holds its half leaves the other half to the others; who
// holds nothing may have as much as there is, and what is small never waits.
func TestGate_OneCallerHasAShare(t *testing.T) {
	g := admission.NewGate(limits())
	a := start(t.Context(), t, g, "a", 40*megabyte)
	if now(g, "a", 20*megabyte) {
		t.Error("a has more than its half")
	}
	if !now(g, "b", 60*megabyte) || now(g, "b", 61*megabyte) {
		t.Error("b does not get what is left, or more than that")
	}
	if !now(g, "a", brenner.FreeWorkBytes) {
		t.Error("what is small waits")
	}
	second := start(t.Context(), t, g, "a", 2*megabyte)
	if now(g, "a", 2*megabyte) {
		t.Error("a computes in more than half of the places")
	}
	second.finish(t)
	a.finish(t)
	if !now(g, "b", 200*megabyte) {
		t.Error("work that takes more than there is does not begin when nobody else works")
	}
}

// X10: who waits is let in in order when there is room; who has too many waiting
// is RATE_LIMITED, and so is who waited too long.
func TestGate_TheLineIsBoundedAndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := admission.NewGate(limits())
		all := start(t.Context(), t, g, "a", 100*megabyte)
		var order []int
		var mu sync.Mutex
		var waiting sync.WaitGroup
		for i := range 3 {
			waiting.Go(func() {
				err := g.Do(t.Context(), "b", func(w *admission.Work) error {
					if err := w.Spend(90 * megabyte); err != nil {
						return err
					}
					mu.Lock()
					defer mu.Unlock()
					order = append(order, i)
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
			synctest.Wait() // till it stands in line
		}
		if err := g.Do(t.Context(), "b", func(w *admission.Work) error { return w.Spend(90 * megabyte) }); !errors.Is(err, brenner.CodeRateLimited) {
			t.Errorf("the fourth in line: %v", err)
		}
		all.finish(t)
		waiting.Wait()
		if len(order) != 3 || order[0] != 0 || order[1] != 1 || order[2] != 2 {
			t.Errorf("let in in the order %v", order)
		}

		hasty := limits()
		hasty.Wait = time.Millisecond
		g = admission.NewGate(hasty)
		all = start(t.Context(), t, g, "a", 100*megabyte)
		if err := g.Do(t.Context(), "b", func(w *admission.Work) error { return w.Spend(90 * megabyte) }); !errors.Is(err, brenner.CodeRateLimited) {
			t.Errorf("waited too long: %v", err)
		}
		all.finish(t)
		if !now(g, "b", 100*megabyte) {
			t.Error("who gave up left something behind")
		}
	})
}

// X10: what a request's work held counts until its answer is sent, and the rest
// is given back once it is known how large that is.
func TestVisit_CountsUntilTheAnswerIsSent(t *testing.T) {
	g := admission.NewGate(limits())
	ctx, done := admission.Visit(t.Context())
	for range 3 { // the second and third use what the first held
		if err := g.Do(ctx, "a", func(w *admission.Work) error { return w.Spend(40 * megabyte) }); err != nil {
			t.Fatal(err)
		}
	}
	if now(g, "b", 61*megabyte) || !now(g, "b", 60*megabyte) {
		t.Error("not what one of them held is kept")
	}
	admission.Keep(ctx, 10*megabyte)
	if now(g, "b", 91*megabyte) || !now(g, "b", 90*megabyte) {
		t.Error("not what the answer has is kept")
	}
	done()
	if !now(g, "b", 100*megabyte) {
		t.Error("something is kept after the end")
	}
}

// X10: what a request brought is charged to its work before it begins, and what
// is held outside of any work, such as a body, has its own share.
func TestVisit_WorkIsChargedForWhatTheRequestBrought(t *testing.T) {
	g := admission.NewGate(limits())
	ctx, done := admission.Visit(t.Context())
	admission.Brings(ctx, 10*megabyte)
	admission.Brings(ctx, 10*megabyte)
	began := false
	if err := g.Do(ctx, "a", func(*admission.Work) error {
		began = true
		if now(g, "b", 41*megabyte) || !now(g, "b", 40*megabyte) {
			t.Error("not what was brought is charged")
		}
		return nil
	}); err != nil || !began {
		t.Fatal(err)
	}
	done()

	leave, err := g.Enter(t.Context(), "a", 30*megabyte)
	if err != nil {
		t.Fatal(err)
	}
	if now(g, "b", 71*megabyte) || !now(g, "b", 70*megabyte) {
		t.Error("not what was entered with is charged")
	}
	late, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.Enter(late, "a", 30*megabyte); !errors.Is(err, context.Canceled) {
		t.Errorf("more than a share, of one that is gone: %v", err)
	}
	leave()
	if !now(g, "b", 100*megabyte) {
		t.Error("something is kept after the end")
	}
}

// X10: a request that asks for more than a process may hold is refused, not
// tried.
func TestGate_RefusesWhatNeverFits(t *testing.T) {
	g := admission.NewGate(limits())
	err := g.Do(t.Context(), "a", func(w *admission.Work) error { return w.Spend(201 * megabyte) })
	if !errors.Is(err, brenner.CodeLimitExceeded) {
		t.Error(err)
	}
	if err := g.Do(t.Context(), "a", func(w *admission.Work) error {
		for range 1000 { // one after the other is not at once
			if err := w.Pass(func() error { return w.Spend(50 * megabyte) }); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// X10: whatever is asked for in whatever order, never more is inside than there
// is room for, everybody comes through, and nothing is left.
func TestGate_NobodyWaitsForEver(t *testing.T) {
	l := limits()
	l.Line = 1000
	g := admission.NewGate(l)
	var inside, most atomic.Int64
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			ctx, done := admission.Visit(t.Context())
			defer done()
			for range 1 + r.IntN(3) {
				steps := []int64{1 + r.Int64N(60), r.Int64N(30), r.Int64N(30)}
				err := g.Do(ctx, string(rune('a'+i%5)), func(w *admission.Work) error {
					var held int64
					defer func() { inside.Add(-held) }()
					for _, step := range steps {
						if err := w.Spend(step * megabyte); err != nil {
							return err
						}
						held += step * megabyte
						if n := inside.Add(step * megabyte); n > most.Load() {
							most.Store(n)
						}
						time.Sleep(time.Duration(r.IntN(200)) * time.Microsecond)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if most := most.Load(); most > l.Bytes+4*brenner.FreeWorkBytes+20*megabyte { // the largest is cut to what there is
		t.Errorf("%d MB were inside at once", most/megabyte)
	}
	if !now(g, "z", l.Bytes) {
		t.Error("something is left")
	}
}

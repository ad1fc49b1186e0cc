package admission

import (
	"context"
	"errors"
	"sync"

	"brenner"
)

// Work is one piece of work and the room that it has. It is used by one
// goroutine.
type Work struct {
	gate  *Gate
	who   string
	visit *visit // nil: what it held is given back at its end

	held    int64 // what it was let in with
	placed  bool
	spent   int64 // what it has used so far
	waiting int64 // what it asked for in vain
}

// errNoRoom ends a piece of work that must wait for room: it is begun again.
var errNoRoom = errors.New("there is no room for this yet")

// Do does a piece of work. It says what it is about to hold with Spend, and
// ends with the error of that if there is no room; then everything it held is
// given back, and once there is room it is done again from the beginning. What
// the request brought is worked on first of all.
func (g *Gate) Do(ctx context.Context, who string, do func(*Work) error) error {
	w := &Work{gate: g, who: who}
	w.visit, _ = ctx.Value(visitKey{}).(*visit)
	defer w.end()
	for {
		err := w.Spend(w.visit.weight())
		if err == nil {
			err = do(w)
		}
		if w.waiting == 0 {
			return err
		}
		if err := w.queue(ctx); err != nil {
			return err
		}
	}
}

// Spend says that the work is about to hold so many bytes more. The first
// brenner.FreeWorkBytes of any work are free, so that what is small never waits.
func (w *Work) Spend(bytes int64) error {
	w.spent += bytes
	if w.spent <= brenner.FreeWorkBytes || w.spent <= w.held {
		return nil
	}
	if w.spent > 2*w.gate.limits.Bytes {
		return brenner.Errorf(brenner.CodeLimitExceeded, "answering this takes more memory than one request may have").
			WithHint("ask for less at a time")
	}
	want := min(w.spent, w.gate.limits.Bytes)
	if w.grow(want) {
		return nil
	}
	w.waiting = want
	return errNoRoom
}

// Pass does a part of the work that holds nothing when it is done: what it
// spends counts only meanwhile.
func (w *Work) Pass(do func() error) error {
	before := w.spent
	err := do()
	if w.waiting == 0 {
		w.spent = before
	}
	return err
}

// grow takes what is wanting at once: what the visit has left over first.
func (w *Work) grow(want int64) bool {
	more := want - w.held
	if more <= 0 {
		return true
	}
	left := w.visit.take(more)
	places := 0
	if !w.placed {
		places = 1
	}
	if !w.gate.try(w.who, more-left, places) {
		w.visit.put(w.gate, w.who, left)
		return false
	}
	w.held, w.placed = want, true
	return true
}

// queue gives everything back and waits until the work can go on.
func (w *Work) queue(ctx context.Context) error {
	want := w.waiting
	places := 0
	if w.placed {
		places = 1
	}
	if held := w.held + w.visit.take(w.gate.limits.Bytes); held > 0 || places > 0 {
		w.gate.give(w.who, held, places)
	}
	w.held, w.placed, w.spent, w.waiting = 0, false, 0, 0
	if err := w.gate.wait(ctx, w.who, want); err != nil {
		return err
	}
	w.held, w.placed = want, true
	return nil
}

// end gives the place back, and what was held unless the visit keeps it for the
// answer.
func (w *Work) end() {
	if !w.placed {
		return
	}
	held := w.held
	if w.visit != nil {
		w.visit.put(w.gate, w.who, held)
		held = 0
	}
	w.gate.give(w.who, held, 1)
}

type visitKey struct{}

// visit is a request whose answer is held in memory until it is sent: what its
// pieces of work held is given back at its end.
type visit struct {
	mu    sync.Mutex
	gate  *Gate
	who   string
	bytes int64
	// brought is how many bytes the request came with.
	brought int64
}

// broughtWeight is what working on a request holds for each of its bytes: what is
// written is made canonical, copied and given to the store.
const broughtWeight = 3

// Brings notes that the request under a context came with so many bytes more: all
// its work is charged for them.
func Brings(ctx context.Context, bytes int) {
	if v, ok := ctx.Value(visitKey{}).(*visit); ok {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.brought += int64(bytes)
	}
}

// weight is what working on the request holds at least.
func (v *visit) weight() int64 {
	if v == nil {
		return 0
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return broughtWeight * v.brought
}

// Visit keeps what work under the context holds until done is called.
func Visit(ctx context.Context) (_ context.Context, done func()) {
	v := &visit{}
	return context.WithValue(ctx, visitKey{}, v), func() {
		if left := v.take(brenner.MaxWorkBytes); left > 0 {
			v.gate.give(v.who, left, 0)
		}
	}
}

// Keep gives back what a request no longer needs: its answer has so many bytes,
// and only sending it is left.
func Keep(ctx context.Context, bytes int64) {
	if v, ok := ctx.Value(visitKey{}).(*visit); ok {
		if more := v.take(brenner.MaxWorkBytes) - bytes; more > 0 {
			v.gate.give(v.who, more, 0)
			v.put(v.gate, v.who, bytes)
		} else if more > -bytes {
			v.put(v.gate, v.who, more+bytes)
		}
	}
}

// take takes up to so much of what is left over.
func (v *visit) take(most int64) int64 {
	if v == nil {
		return 0
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	n := min(v.bytes, most)
	v.bytes -= n
	return n
}

func (v *visit) put(g *Gate, who string, bytes int64) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.gate, v.who, v.bytes = g, who, v.bytes+bytes
}

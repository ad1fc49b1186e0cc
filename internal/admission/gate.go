// Package admission decides when expensive work may begin, so that a few who
// ask for much neither exhaust the memory of a server nor keep the others from
// being served (X10).
//
// Work is estimated in bytes it will hold. A gate lets work in while it has
// room; of that room, and of the places to compute in, each caller has a share.
// Who finds no room waits in line, and who has too many in line already is
// RATE_LIMITED. Nobody waits while holding room, so that no two wait for each
// other.
package admission

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"brenner"
)

// Limits are what a gate has to give.
type Limits struct {
	Bytes  int64         // that all work may hold together; one caller: half of it
	Places int           // for work that computes at the same time; one caller: half of them
	Line   int           // how many of one caller wait
	Wait   time.Duration // how long one waits
}

// Server are the limits of a process that serves.
func Server() Limits {
	return Limits{
		Bytes: brenner.MaxWorkBytes, Places: max(8, 4*runtime.GOMAXPROCS(0)),
		Line: brenner.MaxWorkWaiting, Wait: brenner.WorkDeadline,
	}
}

// Bodies are the limits of what requests bring: they are read, and held until
// they are answered, apart from the work that they ask for, so that none waits
// for the other.
func Bodies() Limits {
	return Limits{
		Bytes: brenner.MaxBodyBytes, Places: 2 * brenner.MaxRequestsUnderWay,
		Line: brenner.MaxWorkWaiting, Wait: brenner.WorkDeadline,
	}
}

// Gate lets work in. It is safe for concurrent use.
type Gate struct {
	limits Limits

	mu      sync.Mutex
	bytes   int64
	places  int
	callers map[string]*caller
	line    []*waiter // in the order they came
}

// caller is what one caller has.
type caller struct {
	bytes   int64
	places  int
	waiting int
}

func (c *caller) idle() bool { return *c == caller{} }

type waiter struct {
	who   string
	bytes int64
	in    chan struct{} // closed when it is let in
}

// NewGate makes a gate.
func NewGate(l Limits) *Gate { return &Gate{limits: l, callers: map[string]*caller{}} }

// of gives what a caller has.
func (g *Gate) of(who string) *caller {
	c := g.callers[who]
	if c == nil {
		c = &caller{}
		g.callers[who] = c
	}
	return c
}

// forget drops a caller who has nothing.
func (g *Gate) forget(who string) {
	if c := g.callers[who]; c != nil && c.idle() {
		delete(g.callers, who)
	}
}

// withinShare reports whether a caller may have so much more. Who has nothing
// may ask for as much as there is: otherwise the largest work would never begin.
func (g *Gate) withinShare(c *caller, bytes int64, places int) bool {
	return (c.bytes == 0 || c.bytes+bytes <= g.limits.Bytes/2) && (c.places == 0 || c.places+places <= max(1, g.limits.Places/2))
}

func (g *Gate) hasRoom(bytes int64, places int) bool {
	return g.bytes+bytes <= g.limits.Bytes && g.places+places <= g.limits.Places
}

func (g *Gate) take(who string, bytes int64, places int) {
	c := g.of(who)
	c.bytes, c.places = c.bytes+bytes, c.places+places
	g.bytes, g.places = g.bytes+bytes, g.places+places
}

// try takes room at once, if there is some and nobody waits who came before.
// Work that is already inside goes before those in line.
func (g *Gate) try(who string, bytes int64, places int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if places > 0 && g.blocked() || !g.hasRoom(bytes, places) || !g.withinShare(g.of(who), bytes, places) {
		g.forget(who)
		return false
	}
	g.take(who, bytes, places)
	return true
}

// blocked reports whether somebody in line waits for room that all share.
func (g *Gate) blocked() bool {
	return slices.ContainsFunc(g.line, func(w *waiter) bool { return g.withinShare(g.of(w.who), w.bytes, 1) })
}

// give gives room back, and lets in who now can be.
func (g *Gate) give(who string, bytes int64, places int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.of(who)
	c.bytes, c.places = c.bytes-bytes, c.places-places
	g.bytes, g.places = g.bytes-bytes, g.places-places
	g.admit()
	g.forget(who)
}

// admit lets those in line in, in their order: who waits only for its own share
// keeps nobody, and nobody overtakes who waits for room that all share.
func (g *Gate) admit() {
	for i := 0; i < len(g.line); {
		w := g.line[i]
		if !g.withinShare(g.of(w.who), w.bytes, 1) {
			i++
			continue
		}
		if !g.hasRoom(w.bytes, 1) {
			return
		}
		g.take(w.who, w.bytes, 1)
		g.of(w.who).waiting--
		g.line = slices.Delete(g.line, i, i+1)
		close(w.in)
	}
}

// Enter takes room and a place for something that is held until leave is called,
// and waits in line for it.
func (g *Gate) Enter(ctx context.Context, who string, bytes int64) (leave func(), err error) {
	bytes = min(bytes, g.limits.Bytes)
	if !g.try(who, bytes, 1) {
		if err := g.wait(ctx, who, bytes); err != nil {
			return nil, err
		}
	}
	return func() { g.give(who, bytes, 1) }, nil
}

// wait waits in line for room and a place.
func (g *Gate) wait(ctx context.Context, who string, bytes int64) error {
	g.mu.Lock()
	c := g.of(who)
	if c.waiting >= g.limits.Line {
		g.mu.Unlock()
		return brenner.Errorf(brenner.CodeRateLimited, "%d of your requests wait for their turn already", g.limits.Line).
			WithHint("wait for some of them to be answered")
	}
	w := &waiter{who: who, bytes: bytes, in: make(chan struct{})}
	c.waiting++
	g.line = append(g.line, w)
	g.admit()
	g.mu.Unlock()

	ctx, cancel := context.WithTimeoutCause(ctx, g.limits.Wait, brenner.Errorf(brenner.CodeRateLimited, "others are being served").
		WithHint("ask again in a while, or for less"))
	defer cancel()
	select {
	case <-w.in:
		return nil
	case <-ctx.Done():
	}
	if !g.leave(w) {
		g.give(who, bytes, 1) // let in just now
	}
	return context.Cause(ctx)
}

// leave takes a waiter out of the line, and reports whether it was there.
func (g *Gate) leave(w *waiter) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.line, w)
	if i < 0 {
		return false
	}
	g.line = slices.Delete(g.line, i, i+1)
	g.of(w.who).waiting--
	g.admit() // those behind it
	g.forget(w.who)
	return true
}

package postgres

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"brenner"
	"brenner/internal/store"
)

// queue holds the writes of this process that wait for their turn. While there
// are any, one goroutine serves them in groups (see group.go); each write runs
// on the goroutine of its caller, when it is handed the transaction.
type queue struct {
	mu      sync.Mutex
	waiting []*write
	serving bool
	closed  bool
	idle    *sync.Cond // serving has ended
}

// write is one call of Write on its way through the queue.
type write struct {
	deadline time.Time
	tries    int             // how often it has run
	alone    bool            // it is to share its transaction with no other
	again    bool            // its transaction was rolled back once, with others in it
	here     func(*tx) error // runs it, on the goroutine that serves; nil: its caller does
	turn     chan *tx        // the transaction is yours
	ran      chan error      // how it went
	done     chan error      // how it ended: committed, or why not
}

func (q *queue) init() { q.idle = sync.NewCond(&q.mu) }

// enter begins to serve for a write that finds nobody served and nobody waiting.
func (q *queue) enter() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.serving {
		return false
	}
	q.serving = true
	return true
}

// leave ends the serving that enter began, or leaves it to a goroutine if somebody waits.
func (q *queue) leave(serve func()) {
	if _, some := q.patience(); some {
		go serve()
	}
}

// push adds a write and starts serving if nobody is.
func (q *queue) push(w *write, serve func()) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return unavailable("the store is closed")
	}
	q.waiting = append(q.waiting, w)
	if !q.serving {
		q.serving = true
		go serve()
	}
	return nil
}

// withdraw takes a write out again, if its turn has not come.
func (q *queue) withdraw(w *write) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, w)
	if i < 0 {
		return false
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return true
}

// next gives the write whose turn it is, nil if none waits.
func (q *queue) next() *write {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return nil
	}
	w := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	return w
}

func (q *queue) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) == 0
}

// pushFront gives writes another turn, before all others.
func (q *queue) pushFront(again ...*write) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.Insert(q.waiting, 0, again...)
}

// patience is how long the most patient of those waiting will wait; none ends
// the serving.
func (q *queue) patience() (wait time.Duration, some bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.serving = false
		q.idle.Broadcast()
		return 0, false
	}
	latest := q.waiting[0].deadline
	for _, w := range q.waiting[1:] {
		if w.deadline.After(latest) {
			latest = w.deadline
		}
	}
	return time.Until(latest), true
}

// refuse ends every write that waits.
func (q *queue) refuse(err error) {
	for w := q.next(); w != nil; w = q.next() {
		w.done <- err
	}
}

// refuseLate ends the writes that waited to their deadline.
func (q *queue) refuseLate() {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	q.waiting = slices.DeleteFunc(q.waiting, func(w *write) bool {
		late := w.deadline.Before(now)
		if late {
			w.done <- busy()
		}
		return late
	})
}

// close waits until every write has been served and admits no more.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for q.serving {
		q.idle.Wait()
	}
}

// Write queues fn and waits for the end of it. If the database broke off the
// transaction, fn runs again, its first run having left no trace.
func (s *Store) Write(ctx context.Context, fn func(store.Tx) error) error {
	if ctx.Err() != nil {
		return tooLate(ctx)
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(brenner.WriteDeadline)
	}
	w := &write{deadline: deadline, turn: make(chan *tx), ran: make(chan error), done: make(chan error, 1)}
	if s.writeAlone(ctx, w, fn) {
		select {
		case err := <-w.done:
			return err
		default: // it has another turn
		}
	} else if err := s.queue.push(w, s.serve); err != nil {
		return err
	}
	waiting, stop := context.WithDeadline(ctx, deadline)
	defer stop()
	late := waiting.Done()
	for {
		select {
		case t := <-w.turn:
			late = nil
			w.run(ctx, t, fn)
		case err := <-w.done:
			return err
		case <-late:
			if s.queue.withdraw(w) {
				return tooLate(ctx)
			}
			late = nil // the turn is on its way
		}
	}
}

// writeAlone runs a write on the goroutine of its caller, where nobody else writes and the
// journal is presumed to end where this process left it: handing the transaction to another
// goroutine and back wakes processors that the server could use. It reports whether it did.
func (s *Store) writeAlone(ctx context.Context, w *write, fn func(store.Tx) error) bool {
	if !s.queue.enter() {
		return false
	}
	defer s.queue.leave(s.serve)
	g := s.presume(max(time.Until(w.deadline), time.Millisecond))
	if g == nil {
		return false
	}
	w.here = func(t *tx) error {
		left := true
		defer func() {
			if left { // fn panics, or has ended the goroutine: nothing of it stays
				g.rollback()
			}
		}()
		stop := t.serve(ctx)
		defer stop()
		err := fn(t)
		left = false
		return err
	}
	s.queue.pushFront(w)
	s.serveOn(g)
	w.here = nil
	return true
}

// run gives fn the transaction and says how it went, even if fn panics or ends
// its goroutine; then it waits until nothing is left of the attempt.
func (w *write) run(ctx context.Context, t *tx, fn func(store.Tx) error) {
	left := true
	defer func() {
		if left {
			w.ran <- errLeft
			<-w.done
		}
	}()
	stop := t.serve(ctx)
	defer stop()
	var err error
	if ctx.Err() != nil {
		err = tooLate(ctx)
	} else {
		err = fn(t)
	}
	left = false
	w.ran <- err
}

// tooLate tells a caller who gave up from one who waited to the deadline.
func tooLate(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return canceled(ctx)
	}
	return busy()
}

func busy() error {
	return brenner.Errorf(brenner.CodeStoreBusy, "other writers kept the project until the deadline").WithHint("try again")
}

package fulltext

import (
	"context"
	"sync"
	"time"
)

const (
	// SettleFrom is how many notes make it worth while to settle them: a search
	// looks through fewer in a millisecond or two.
	SettleFrom = 256
	// settleDelay is how long they wait for more. As long as at least busyWith come
	// in that time somebody writes much, and is not disturbed: they wait on, until
	// there are farBehind of them, until yieldFor is over, or until a search has met
	// more than it looks through. A burst, of which at least burstOf come in that time,
	// may last longer than that: it is over, or far ahead, within seconds.
	settleDelay = 50 * time.Millisecond
	busyWith    = 16
	burstOf     = 64
	yieldFor    = time.Second
	// SettleAtClose is how many a process that ends does not leave to the next.
	SettleAtClose = 64
	// farBehind is how many notes this process may be ahead of the index before
	// its writers are slowed down, and longestPause by how much at most.
	farBehind    = 2 * BatchNotes
	longestPause = 5 * time.Millisecond
)

// A Worker settles behind the writers of a process. There is no goroutine as
// long as there is nothing to do.
type Worker struct {
	// Settle settles a batch, Merge merges some segments; each tells whether
	// there is more to do. What they cannot do stays for the next who tries.
	Settle, Merge func(ctx context.Context) (more bool, err error)

	mu      sync.Mutex
	noted   int  // by this process since it last began to settle
	missed  bool // by a search since it began to wait: there were more than it looks through
	ever    bool // by this process
	running bool
	closed  bool
	cancel  context.CancelFunc
	done    sync.WaitGroup
}

// Noted says that a write has noted so many artifacts for good.
func (w *Worker) Noted(n int) {
	if n == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ever = true
	if w.noted += n; w.noted >= SettleFrom {
		w.start()
	}
}

// HasNoted reports whether this process has noted anything.
func (w *Worker) HasNoted() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ever
}

// Seen says how many notes a reader has met, whoever made them.
func (w *Worker) Seen(notes int) {
	if notes < SettleFrom {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.missed = w.missed || notes > maxNoted
	w.start()
}

// start starts the goroutine if there is none.
func (w *Worker) start() {
	if w.running || w.closed || w.Settle == nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.running, w.cancel = true, cancel
	w.done.Go(func() { w.run(ctx) })
}

// run settles until this process has noted nothing more.
func (w *Worker) run(ctx context.Context) {
	for {
		w.yield(ctx)
		w.mu.Lock()
		w.noted = 0
		w.mu.Unlock()
		err := Exhaust(ctx, w.Settle)
		if err == nil {
			err = Exhaust(ctx, w.Merge)
		}
		w.mu.Lock()
		if w.closed || err != nil || w.noted < SettleFrom {
			w.running = false
			w.cancel()
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
	}
}

// yield waits while somebody writes much.
func (w *Worker) yield(ctx context.Context) {
	w.mu.Lock()
	before := w.noted
	w.missed = false // what is set since it last waited the settling itself has met
	w.mu.Unlock()
	for yielded := time.Duration(0); yielded < yieldFor; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(settleDelay):
		}
		now, missed := w.soFar()
		came := now - before
		if came < busyWith || now >= farBehind || missed {
			return
		}
		if came < burstOf {
			yielded += settleDelay
		}
		before = now
	}
}

// soFar is how many were noted since it last began to settle, and whether a search has
// missed some of them.
func (w *Worker) soFar() (noted int, missed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.noted, w.missed
}

// Exhaust does something until there is nothing more to do.
func Exhaust(ctx context.Context, do func(ctx context.Context) (more bool, err error)) error {
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if more, err = do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Pause is how long a writer should wait before its next write: nothing unless
// the index is far behind, and then the longer the farther, so that writers slow
// down smoothly to what can be indexed.
func (w *Worker) Pause() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.running || w.noted <= farBehind {
		return 0
	}
	return min(longestPause, longestPause*time.Duration(w.noted-farBehind)/(4*farBehind))
}

// Close ends the goroutine after the batch it is at.
func (w *Worker) Close() {
	w.mu.Lock()
	w.closed = true
	if w.running {
		w.cancel()
	}
	w.mu.Unlock()
	w.done.Wait()
}

package sqlite

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"brenner"
	"brenner/internal/store"
	"brenner/internal/store/fulltext"
)

// queue lets writers have the one writing connection in turn, in the order they
// came, and lets those that wait share a commit.
//
// There is no goroutine behind it. A writer that has the turn runs its change
// on its own goroutine, so a panic is its own; then it hands the turn, with the
// transaction still open, to the next in line, or commits for the whole group
// if nobody waits. Waiting writers of other processes are met at the start of a
// group, in begin.
//
// A change that fails is nearly always refused before it writes anything, and
// then there is nothing to take back. One that has written takes its group with
// it; the others of the group run again, each in a transaction of its own. So no
// change pays for a savepoint, which makes SQLite copy every page it touches.
type queue struct {
	mu     sync.Mutex // guards the next three
	line   []chan struct{}
	taken  bool // somebody has the turn
	closed bool

	counted *census
	worker  *fulltext.Worker

	// What follows belongs to whoever has the turn.
	conn  *conn
	group *group // the open transaction, if any
}

// group is the writes that share a commit.
type group struct {
	changes int           // that succeeded
	alone   bool          // nobody may join
	done    chan struct{} // closed when err is known
	err     error
	tail    tail
	shared  any // for those who write; see store.Tx
}

// errAgain ends a group that was rolled back because of another's change.
var errAgain = errors.New("the group was taken back by another change")

func (q *queue) write(ctx context.Context, fn func(store.Tx) error) error {
	wait := ctx
	if _, given := ctx.Deadline(); !given {
		limited, stop := context.WithTimeout(ctx, brenner.WriteDeadline)
		defer stop()
		wait = limited
	}
	for alone := false; ; alone = true {
		if err := q.enter(wait); err != nil {
			return err
		}
		g, noted, err := q.attempt(wait, fn, alone)
		if err != nil {
			return err
		}
		<-g.done
		if g.err == nil {
			q.worker.Noted(noted)
		}
		if !errors.Is(g.err, errAgain) {
			return g.err
		}
	}
}

// enter waits for the turn.
func (q *queue) enter(ctx context.Context) error {
	if ctx.Err() != nil {
		return late(ctx)
	}
	turn, err := q.lineUp(false)
	if err != nil {
		return err
	}
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	if !q.leave(turn) { // the turn came at the same moment
		q.pass()
	}
	return late(ctx)
}

// lineUp gives a channel that is closed when it is one's turn. Behind the last
// nobody may line up.
func (q *queue) lineUp(last bool) (chan struct{}, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, errClosed()
	}
	q.closed = last
	turn := make(chan struct{})
	if q.taken {
		q.line = append(q.line, turn)
	} else {
		q.taken = true
		close(turn)
	}
	return turn, nil
}

// leave takes somebody out of the line who is still in it.
func (q *queue) leave(turn chan struct{}) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.line, turn)
	if i >= 0 {
		q.line = slices.Delete(q.line, i, i+1)
	}
	return i >= 0
}

// attempt runs one change and passes the turn on, whatever happens. Without an
// error the change is part of the group it gives, and noted is how many
// artifacts it has noted for the full-text index.
func (q *queue) attempt(wait context.Context, fn func(store.Tx) error, alone bool) (g *group, noted int, err error) {
	defer q.pass()
	if alone && q.group != nil {
		q.commit()
	}
	if q.group == nil {
		if err := q.begin(wait); err != nil {
			return nil, 0, err
		}
	}
	g = q.group
	g.alone = alone
	kept, before := false, q.conn.written
	defer func() {
		if !kept { // an error, a panic, or the goroutine ended
			q.undo(q.conn.written > before)
		}
	}()
	t := &tx{reader: reader{c: q.conn, counted: q.counted}, tail: &g.tail, shared: &g.shared}
	if err := fn(t); err != nil {
		return nil, 0, err
	}
	if t.doom != nil {
		return nil, 0, t.doom
	}
	if q.conn.broken != nil {
		return nil, 0, q.conn.broken
	}
	g.changes++
	kept = true
	return g, t.noted, nil
}

// undo takes back the change of the turn: there is nothing to do if it has not
// written, and otherwise the group goes with it and the others run again.
func (q *queue) undo(wrote bool) {
	switch {
	case q.conn.broken != nil:
		q.abandon(q.conn.broken)
	case wrote || q.group.changes == 0:
		q.abandon(errAgain)
	}
}

// abandon rolls the whole group back.
func (q *queue) abandon(err error) {
	// The database may have rolled back by itself; then this has nothing to do.
	_ = q.conn.do(context.Background(), "ROLLBACK")
	q.conn.broken = nil
	q.end(err)
}

// end tells the group how it ended.
func (q *queue) end(err error) {
	q.group.err = err
	close(q.group.done)
	q.group = nil
}

// pass hands the turn to the next in line. A group that is full, or that nobody
// would join, is committed first.
func (q *queue) pass() {
	for !q.handOn() {
		q.commit()
	}
}

// handOn hands the turn on, or lets it lie if nobody wants it; it gives false
// if the open group has to be committed first.
func (q *queue) handOn() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	full := q.group != nil && (q.group.alone || q.group.changes >= brenner.MaxGroupCommit)
	if len(q.line) > 0 && !full {
		close(q.line[0])
		q.line = slices.Delete(q.line, 0, 1)
		return true
	}
	if q.group != nil {
		return false
	}
	q.taken = false
	return true
}

func (q *queue) commit() {
	if err := q.conn.do(context.Background(), "COMMIT"); err != nil {
		q.abandon(err)
		return
	}
	q.end(nil)
}

// begin opens a transaction, waiting for writers of other processes.
func (q *queue) begin(wait context.Context) error {
	err := patiently(wait, func() error {
		q.conn.broken = nil
		return q.conn.do(context.Background(), "BEGIN IMMEDIATE")
	})
	q.conn.broken = nil
	if err != nil {
		return err
	}
	q.group = &group{done: make(chan struct{})}
	return nil
}

// close refuses whoever comes later and waits for those who came before. It
// gives false if the queue was closed already.
func (q *queue) close() bool {
	turn, err := q.lineUp(true)
	if err != nil {
		return false
	}
	<-turn
	// Nobody is in line any more, but the one before may have left its group open.
	if q.group != nil {
		q.commit()
	}
	return true
}

func errClosed() error {
	return brenner.Errorf(brenner.CodeStoreUnavailable, "the store is closed").WithHint("open it again")
}

// patiently tries again while others are busy, until the deadline. The pauses
// grow and are uneven, so that processes do not keep meeting each other.
func patiently(ctx context.Context, try func() error) error {
	const shortest, longest = 200 * time.Microsecond, 10 * time.Millisecond
	for pause := shortest; ; pause = min(2*pause, longest) {
		err := try()
		if !isBusy(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return late(ctx)
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

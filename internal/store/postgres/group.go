package postgres

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"brenner"
)

// group is one transaction that several writes share. It begins by taking the
// project's lock, so that whoever is in it is alone among the writers of the
// project in all processes.
//
// The changes of a write that ended well stay held and travel with the first
// question of the next, or with the commit. Hardly any is refused, by then; if
// the database fails at one all the same, the transaction is rolled back and its
// writes are run again, whose change it was alone.
type group struct {
	store *Store
	conn  *pgxpool.Conn
	// held are the statements of kept writes that have not been sent.
	held []statement
	// standing is what the last kept write left, began what the group found.
	standing, began standing
	// noted is how many artifacts the kept writes have noted for the index.
	noted int
	// kept are the writes that are done and wait for the commit.
	kept []*write
	// over says that the transaction has ended, one way or the other.
	over bool
	// common is for those who write; see store.Tx.
	common any
}

// standing is how far the journal of the project goes.
type standing struct{ records, hashes int64 }

// tries bounds how often a write is run that the database keeps breaking off,
// after a growing pause.
const (
	tries              = 4
	pauseAfterDeadlock = 10 * time.Millisecond
)

// errLeft is how a write ended whose function did not return.
var errLeft = errors.New("the function of the write did not return")

// serve runs groups until nobody waits.
func (s *Store) serve() {
	for {
		wait, some := s.queue.patience()
		if !some {
			return
		}
		s.serveGroup(wait)
	}
}

func (s *Store) serveGroup(wait time.Duration) {
	g, err := s.begin(wait)
	if waitedTooLong(err) || transient(err) {
		s.queue.refuseLate()
		return // whoever still waits is served by the next group
	}
	if err != nil {
		s.queue.refuse(err)
		return
	}
	defer g.conn.Release() // which drops a connection that is in a transaction
	for n := 1; n <= brenner.MaxGroupCommit && !g.over; n++ {
		w := s.queue.next()
		if w == nil {
			break
		}
		g.admit(w)
		if !g.over && (w.alone || n == brenner.MaxGroupCommit || s.queue.empty()) {
			break
		}
	}
	if !g.over {
		g.commit()
	}
}

// begin opens a group. A connection that broke while nobody looked is replaced
// once: nothing has been done on it yet.
func (s *Store) begin(wait time.Duration) (*group, error) {
	g, err := s.lock(wait)
	var refused *pgconn.ConnectError
	if brenner.CodeOf(err) == brenner.CodeStoreUnavailable && !errors.As(err, &refused) {
		g, err = s.lock(wait)
	}
	return g, err
}

// lock takes the project's lock on a connection, in one round trip. The size
// is asked for by a statement behind the one that waits, and so is what the
// writer before left.
func (s *Store) lock(wait time.Duration) (*group, error) {
	wait = max(wait, time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), wait+connectTimeout)
	defer cancel()
	conn, err := s.writer.Acquire(ctx)
	if err != nil {
		return nil, translate(context.Background(), err)
	}
	g := &group{store: s, conn: conn}
	there := false
	batch := new(pgx.Batch)
	batch.Queue(`BEGIN ISOLATION LEVEL READ COMMITTED`)
	batch.Queue(`SELECT set_config('lock_timeout', $1, true)`, strconv.FormatInt(wait.Milliseconds(), 10))
	batch.Queue(`SELECT FROM projects WHERE project = $1 FOR UPDATE`, s.project).
		Exec(func(tag pgconn.CommandTag) error { there = tag.RowsAffected() == 1; return nil })
	batch.Queue(`SELECT
		coalesce((SELECT seq FROM records WHERE project = $1 ORDER BY seq DESC LIMIT 1), 0),
		coalesce((SELECT first + length(run) / 32 FROM hashes WHERE project = $1 ORDER BY first DESC LIMIT 1), 0)`, s.project).
		QueryRow(func(row pgx.Row) error { return row.Scan(&g.began.records, &g.began.hashes) })
	err = translate(context.Background(), markLost(conn.Conn(), conn.SendBatch(ctx, batch).Close()))
	if err == nil && !there {
		err = noProject()
	}
	if err != nil {
		conn.Release()
		return nil, err
	}
	g.standing = g.began
	return g, nil
}

// admit runs one write in the transaction, and keeps it or takes it back.
func (g *group) admit(w *write) {
	w.tries++
	t := g.open(w)
	w.turn <- t
	err := <-w.ran
	if err == nil {
		err = t.fault
	}
	switch {
	case err == nil:
		g.keep(w, t)
	case t.aborted && g.conn.Conn().IsClosed():
		g.kept = append(g.kept, w)
		g.settle(unavailable("the connection to the database failed").Because(err))
	case !t.aborted && !t.changed:
		g.held = t.held[:t.others] // nothing of it was sent
		w.done <- err
	case t.guarded && !t.brokenByOthers():
		g.undo(w, t, err)
	case len(g.kept) == 0:
		g.rollback()
		g.reject(w, t.fault, err)
	case errors.Is(err, errLeft):
		w.done <- err
		g.again(nil)
	default:
		g.again(t.culprit, w)
	}
}

// open gives a write the transaction.
func (g *group) open(w *write) *tx {
	on := newSession(context.Background(), g.conn.Conn())
	on.held, on.by = g.held, w
	t := &tx{
		reader: reader{session: on, project: g.store.project, size: g.standing.records},
		hashes: g.standing.hashes, known: newKnown(), common: &g.common,
		shared: len(g.kept) > 0, others: len(g.held), first: none,
	}
	on.sending = t.guard
	return t
}

// keep lets a write stand.
func (g *group) keep(w *write, t *tx) {
	g.kept = append(g.kept, w)
	g.standing = t.standing()
	g.noted += t.noted
	g.held = t.held
	if t.guarded {
		g.held = append(g.held, statement{sql: `RELEASE SAVEPOINT write`})
	}
}

// undo takes back what a write did after its savepoint. The statements of
// earlier writes went before it.
func (g *group) undo(w *write, t *tx, err error) {
	if lost := g.exec(`ROLLBACK TO SAVEPOINT write; RELEASE SAVEPOINT write`); lost != nil {
		g.kept = append(g.kept, w)
		g.settle(lost)
		return
	}
	g.held = nil
	g.reject(w, t.fault, err)
}

// reject ends a write with its error or, if the fault behind it is one that
// passes, gives it another turn in a new transaction: only the end of this one
// lets go of the lock that the other side of a deadlock is waiting for.
func (g *group) reject(w *write, fault, err error) {
	if errors.Is(err, errLeft) || w.tries >= tries || !transient(fault) {
		w.done <- err
		return
	}
	if !g.over {
		g.commit()
	}
	time.Sleep(time.Duration(w.tries) * pauseAfterDeadlock)
	g.store.queue.pushFront(w)
}

// again runs the writes of the group and one more, if any, a second time: first
// and alone the one whose statement failed, so that its fault is its own. If that
// is not known, or one of them has been through this before, each is run alone.
func (g *group) again(culprit *write, more ...*write) {
	g.rollback()
	all := slices.Concat(g.kept, more)
	known := culprit != nil && !slices.ContainsFunc(all, func(w *write) bool { return w.again })
	for _, w := range all {
		w.again, w.alone = true, w == culprit || !known
	}
	slices.SortStableFunc(all, func(a, b *write) int {
		switch {
		case a.alone == b.alone:
			return 0
		case a.alone:
			return -1
		}
		return 1
	})
	g.store.queue.pushFront(all...)
}

// rollback ends the transaction without a trace; if it fails, the connection
// goes, and the transaction with it.
func (g *group) rollback() {
	g.over = true
	_ = g.exec(`ROLLBACK`)
}

// commit ends the transaction, in one round trip with what is still held.
func (g *group) commit() {
	if len(g.kept) == 0 {
		g.rollback()
		return
	}
	batch := new(pgx.Batch)
	made, committed := 0, false
	for _, h := range g.held {
		batch.Queue(h.sql, h.args...).Exec(func(pgconn.CommandTag) error { made++; return nil })
	}
	g.queueCommit(batch, &committed)
	err := g.send(batch)
	switch {
	case made == len(g.held) || g.conn.Conn().IsClosed():
		g.settle(outcome(committed, err))
	case len(g.kept) == 1:
		g.rollback()
		g.reject(g.kept[0], err, err)
	default:
		g.again(g.held[made].by)
	}
}

// queueCommit adds the commit, and behind it a word to those who wait for
// changes. The word is a transaction of its own: inside the first one it would
// make the commits of all projects wait for each other, and its failure would
// be a failure to write. It may get lost; those who wait also look by
// themselves.
func (g *group) queueCommit(batch *pgx.Batch, committed *bool) {
	batch.Queue(`COMMIT`).Exec(func(tag pgconn.CommandTag) error {
		// A transaction that cannot commit answers ROLLBACK, without an error.
		*committed = tag.String() == "COMMIT"
		return nil
	})
	if g.standing.records > g.began.records {
		batch.Queue(`SELECT pg_notify($1, $2)`, channel(g.store.project), strconv.FormatInt(g.standing.records, 10))
	}
}

// outcome is what to tell the writers of a group after the commit was tried.
// Nothing but its acknowledgement is success.
func outcome(committed bool, err error) error {
	if committed {
		return nil
	}
	if err == nil {
		return errors.New("postgres: the transaction was rolled back at its end")
	}
	if brenner.CodeOf(err) == brenner.CodeStoreUnavailable {
		return brenner.Errorf(brenner.CodeStoreUnavailable, "the connection was lost before the database confirmed the write").
			WithHint("repeat it with the same idempotency key: it may or may not have been done").Because(err)
	}
	return err
}

// send runs statements of the group itself, which wait for no caller.
func (g *group) send(batch *pgx.Batch) error {
	ctx, cancel := context.WithTimeout(context.Background(), brenner.WriteDeadline)
	defer cancel()
	return translate(context.Background(), markLost(g.conn.Conn(), g.conn.SendBatch(ctx, batch).Close()))
}

// exec runs plain statements: a transaction that has failed prepares none.
func (g *group) exec(sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), brenner.WriteDeadline)
	defer cancel()
	_, err := g.conn.Exec(ctx, sql)
	return translate(context.Background(), markLost(g.conn.Conn(), err))
}

// settle ends the group for its writers.
func (g *group) settle(err error) {
	g.over = true
	if err == nil {
		g.store.worker.Noted(g.noted)
	}
	for _, w := range g.kept {
		w.done <- err
	}
}

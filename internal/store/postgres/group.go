package postgres

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"brenner"
)

// group is one transaction that several writes share, each in a savepoint. It
// begins by taking the project's lock, so that whoever is in it is alone among
// the writers of the project in all processes.
type group struct {
	store *Store
	conn  *pgxpool.Conn
	// standing is what the last kept write left, began what the group found.
	standing, began standing
	// kept are the writes that are done and wait for the commit.
	kept []*write
	// over says that the transaction has ended, one way or the other.
	over bool
}

// standing is how far the journal of the project goes.
type standing struct{ records, hashes int64 }

// tries bounds how often a write is run that the database keeps breaking off.
const tries = 4

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
		g.admit(w, func() bool { return n == brenner.MaxGroupCommit || s.queue.empty() })
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

// admit runs one write in its savepoint. If it is the last of the group, the
// commit travels with its last statements.
//
// A write that the database broke off to end a deadlock is taken back and gets
// another turn in a new group: only the end of this one lets go of the lock
// that the other side is waiting for.
func (g *group) admit(w *write, last func() bool) {
	w.tries++
	t := g.open()
	w.turn <- t
	err := <-w.ran
	if err == nil {
		err = t.fault
	}
	if err == nil {
		err = g.keep(w, t, last())
	}
	if err == nil {
		return
	}
	if lost := g.undo(t); lost != nil {
		g.settle(lost)
		w.done <- lost
		return
	}
	if err == errLeft || w.tries == tries || !transient(t.fault) {
		w.done <- err
		return
	}
	g.commit()
	g.store.queue.pushFront(w)
}

// open gives a write the transaction.
func (g *group) open() *tx {
	on := newSession(context.Background(), g.conn.Conn())
	on.held.Queue(`SAVEPOINT write`)
	r := reader{session: on, project: g.store.project, size: g.standing.records}
	return &tx{reader: r, hashes: g.standing.hashes, known: newKnown()}
}

// keep ends the savepoint of a write that went well and, with the last write,
// the transaction. An error is the write's own; what ends the whole group it
// settles itself.
func (g *group) keep(w *write, t *tx, last bool) error {
	released, committed := false, false
	batch := t.held
	t.sent = true
	batch.Queue(`RELEASE SAVEPOINT write`).Exec(func(pgconn.CommandTag) error { released = true; return nil })
	if last {
		g.queueCommit(batch, t.standing(), &committed)
	}
	err := g.send(batch)
	if err != nil && !released && !g.conn.Conn().IsClosed() {
		t.fault = err
		return err
	}
	g.kept = append(g.kept, w)
	g.standing = t.standing()
	if last || err != nil {
		g.settle(outcome(committed, err))
	}
	return nil
}

// commit ends the transaction.
func (g *group) commit() {
	if len(g.kept) == 0 {
		g.over = true
		g.exec(`ROLLBACK`) // if it fails, the connection goes
		return
	}
	committed := false
	batch := new(pgx.Batch)
	g.queueCommit(batch, g.standing, &committed)
	g.settle(outcome(committed, g.send(batch)))
}

// queueCommit adds the commit, and behind it a word to those who wait for
// changes. The word is a transaction of its own: inside the first one it would
// make the commits of all projects wait for each other, and its failure would
// be a failure to write. It may get lost; those who wait also look by
// themselves.
func (g *group) queueCommit(batch *pgx.Batch, now standing, committed *bool) {
	batch.Queue(`COMMIT`).Exec(func(tag pgconn.CommandTag) error {
		// A transaction that cannot commit answers ROLLBACK, without an error.
		*committed = tag.String() == "COMMIT"
		return nil
	})
	if now.records > g.began.records {
		batch.Queue(`SELECT pg_notify($1, $2)`, channel(g.store.project), strconv.FormatInt(now.records, 10))
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

// undo takes back what a write did.
func (g *group) undo(t *tx) error {
	if !t.sent {
		return nil
	}
	return g.exec(`ROLLBACK TO SAVEPOINT write; RELEASE SAVEPOINT write`)
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
	for _, w := range g.kept {
		w.done <- err
	}
}

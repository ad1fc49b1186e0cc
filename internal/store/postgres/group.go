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
// Where this process was the last to write, its writes run before the lock is had,
// and presume that the journal ends where they left it. What takes the lock and
// sees to that travels before the first question, or with the commit: then
// the whole write is one way to the server and back. If it is not so, nothing was
// done, and the writes are run again with the lock.
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
	// edge are the hashes that the kept writes have written or read.
	edge map[int64][32]byte
	// noted is how many artifacts the kept writes have noted for the index.
	noted int
	// kept are the writes that are done and wait for the commit.
	kept []*write
	// locked says that the lock is had, and the journal ends where it was found
	// or presumed to. Until then the first of those held, which are no write's,
	// see to it.
	locked bool
	// wait is how long the lock is waited for.
	wait time.Duration
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
	g, err := s.begin(max(wait, time.Millisecond))
	if waitedTooLong(err) || transient(err) {
		s.queue.refuseLate()
		return // whoever still waits is served by the next group
	}
	if err != nil {
		s.queue.refuse(err)
		return
	}
	s.serveOn(g)
}

// serveOn runs writes in a group and commits it.
func (s *Store) serveOn(g *group) {
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
	if g := s.presume(wait); g != nil {
		return g, nil
	}
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
	ctx, cancel := context.WithTimeout(context.Background(), wait+connectTimeout)
	defer cancel()
	conn, err := s.writer.Acquire(ctx)
	if err != nil {
		return nil, translate(context.Background(), err)
	}
	g := &group{store: s, conn: conn, wait: wait, locked: true}
	there := false
	batch := new(pgx.Batch)
	for _, o := range s.opening(wait) {
		batch.Queue(o.sql, o.args...).Exec(func(tag pgconn.CommandTag) error { there = tag.RowsAffected() == 1; return nil })
	}
	batch.Queue(`SELECT `+ends, s.project).
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
	s.alone = g.began == s.left // others may write in turn with this process: then presuming does not pay
	return g, nil
}

// ends is where the journal of a project ends, in records and in hashes.
const ends = `
	coalesce((SELECT seq FROM records WHERE project = $1 ORDER BY seq DESC LIMIT 1), 0),
	coalesce((SELECT first + length(run) / 32 FROM hashes WHERE project = $1 ORDER BY first DESC LIMIT 1), 0)`

// opening begins a transaction and takes the project's lock, with the last of
// its statements: what finds the row says how long its lock is waited for.
func (s *Store) opening(wait time.Duration) []statement {
	return []statement{
		{sql: `BEGIN ISOLATION LEVEL READ COMMITTED`},
		{
			sql:  `SELECT set_config('lock_timeout', $2, true) FROM projects WHERE project = $1 FOR UPDATE`,
			args: []any{s.project, strconv.FormatInt(wait.Milliseconds(), 10)},
		},
	}
}

// presume opens a group without a word to the server, where this process was the
// last to write and the connection stands; nil otherwise.
func (s *Store) presume(wait time.Duration) *group {
	if !s.alone {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	conn, err := s.writer.Acquire(ctx)
	if err != nil {
		return nil
	}
	if !quiet(conn.Conn().PgConn().Conn()) {
		conn.Release()
		return nil
	}
	return &group{
		store: s, conn: conn, wait: wait, began: s.left, standing: s.left,
		held: append(s.opening(wait), statement{
			sql:  `SELECT CASE WHEN (` + ends + `) = ($2::bigint, $3::bigint) THEN true ELSE refuse('` + stateMoved + `', 'others have written') END`,
			args: []any{s.project, s.left.records, s.left.hashes},
		}),
	}
}

// verify takes the lock, and sees to what was presumed.
func (g *group) verify() error {
	if g.locked {
		return nil
	}
	batch := new(pgx.Batch)
	for len(g.held) > 0 && g.held[0].by == nil {
		batch.Queue(g.held[0].sql, g.held[0].args...)
		g.held = g.held[1:]
	}
	err := g.send(batch)
	g.locked = err == nil
	return err
}

// wrong ends a group that could not be opened as was presumed. Nothing of it was
// done, and its writes get another turn with the lock.
func (g *group) wrong(err error, more ...*write) {
	g.store.alone = false
	g.rollback()
	g.store.queue.pushFront(slices.Concat(g.kept, more)...)
	if waitedTooLong(err) {
		g.store.queue.refuseLate()
	}
}

// admit runs one write in the transaction, and keeps it or takes it back.
func (g *group) admit(w *write) {
	w.tries++
	t := g.open(w)
	err := w.take(t)
	if err == nil {
		err = t.fault
	}
	unopened := !g.locked && t.aborted && t.culprit == nil
	g.locked = g.locked || t.sent && !unopened
	switch {
	case unopened && errors.Is(err, errLeft):
		w.done <- err
		g.wrong(t.fault)
	case unopened:
		w.tries-- // that was none
		g.wrong(t.fault, w)
	case err == nil:
		g.keep(w, t)
	case t.aborted && g.conn.Conn().IsClosed():
		g.kept = append(g.kept, w)
		g.settle(unavailable("the connection to the database failed").Because(err))
	case !t.aborted && !t.changed:
		g.held = t.held[:t.others] // nothing of it was sent
		g.dismiss(w, err)
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

// take has a write run in a transaction, and gives how it went.
func (w *write) take(t *tx) error {
	if w.here != nil {
		return w.here(t)
	}
	w.turn <- t
	return <-w.ran
}

// open gives a write the transaction.
func (g *group) open(w *write) *tx {
	on := newSession(context.Background(), g.conn.Conn())
	on.held, on.by = g.held, w
	t := &tx{
		reader: reader{session: on, project: g.store.project, size: g.standing.records},
		hashes: g.standing.hashes, known: newKnown(), common: &g.common,
		edge: map[int64][32]byte{}, edges: []map[int64][32]byte{g.edge, g.store.edge},
		shared: len(g.kept) > 0, others: len(g.held), first: none,
	}
	on.sending = t.guard
	return t
}

// dismiss ends a write that changed nothing with its error, which counts only if
// what it presumed is so.
func (g *group) dismiss(w *write, err error) {
	wrong := g.verify()
	switch {
	case wrong == nil:
		w.done <- err
	case errors.Is(err, errLeft):
		w.done <- err
		g.wrong(wrong)
	default:
		w.tries-- // that was none
		g.wrong(wrong, w)
	}
}

// keep lets a write stand.
func (g *group) keep(w *write, t *tx) {
	g.kept = append(g.kept, w)
	g.standing = t.standing()
	g.noted += t.noted
	g.held = t.held
	g.edge = remember(g.edge, t.edge)
	if t.guarded {
		g.held = append(g.held, statement{sql: `RELEASE SAVEPOINT write`, by: w})
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
		if g.over = true; g.locked {
			g.rollback()
		}
		return
	}
	batch := new(pgx.Batch)
	made, committed := 0, false
	for _, h := range g.held {
		batch.Queue(h.sql, h.args...).Exec(func(pgconn.CommandTag) error { made++; return nil })
	}
	batch.Queue(`COMMIT`).Exec(func(tag pgconn.CommandTag) error {
		// A transaction that cannot commit answers ROLLBACK, without an error.
		committed = tag.String() == "COMMIT"
		return nil
	})
	err := g.send(batch)
	unopened := !g.locked && !committed && (made < len(g.held) && g.held[made].by == nil && !g.conn.Conn().IsClosed() || terminated(err))
	switch {
	case unopened:
		g.wrong(err)
	case made == len(g.held) || g.conn.Conn().IsClosed():
		g.settle(outcome(committed, err))
	case len(g.kept) == 1:
		g.rollback()
		g.reject(g.kept[0], err, err)
	default:
		g.again(g.held[made].by)
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
	most := brenner.WriteDeadline
	if !g.locked {
		most += g.wait
	}
	ctx, cancel := context.WithTimeout(context.Background(), most)
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
		g.store.left, g.store.edge = g.standing, remember(g.store.edge, g.edge)
		g.store.worker.Noted(g.noted)
		if g.standing.records > g.began.records {
			g.store.herald.announce(g.store, g.standing.records)
		}
	} else {
		g.store.alone = false
	}
	for _, w := range g.kept {
		w.done <- err
	}
}

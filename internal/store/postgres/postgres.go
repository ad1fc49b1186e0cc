// Package postgres keeps projects in PostgreSQL.
//
// It implements the contract of package store for a team or several machines:
// any number of processes may open the same project at once, and one database
// holds many projects that know nothing of each other.
//
//	postgres://user@host/database?project=NAME
//
// The tables live in a schema named brenner; every row carries the number of
// its project. Writers of one project queue on the lock of its row in
// projects, across all processes; inside a process the queued writes share a
// transaction, and a failure of one leaves the others alone (see queue.go and
// group.go). Reads run on one snapshot and never wait for writers.
//
// Connections must be sessions: a pooler that hands out a connection per
// transaction breaks prepared statements and notifications.
package postgres

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"brenner"
	"brenner/internal/store"
	"brenner/internal/store/fulltext"
)

// Options say how to open.
type Options struct {
	// Create makes the tables if there are none, and opens the store even if
	// the project is not there yet, for Init to make it.
	Create bool
}

// Store is one project in one database.
type Store struct {
	project int32 // its number in this database
	readers *pgxpool.Pool
	// writer holds one connection. It is apart so that readers can never keep
	// a write from starting.
	writer *pgxpool.Pool
	queue  queue
	feed   feed
	herald herald
	// left is how far the journal went after the last write of this process,
	// which presumes it is still so if alone. Only who serves looks at them.
	left  standing
	alone bool
	// edge are hashes of the journal that were written or read with a write that
	// was committed: the next ones are made of them, and they never change.
	edge map[int64][32]byte

	index    fulltext.Index
	worker   fulltext.Worker
	settling sync.Mutex // guards settler
	settler  fulltext.Settler
}

var _ store.Store = (*Store)(nil)

// Open connects to the database at the address, brings its tables up to date
// and binds the Store to the project the address names, or to the only one
// there is. Several servers may do so at once.
func Open(ctx context.Context, address string, opts Options) (store.Store, error) {
	rest, key, err := splitAddress(address)
	if err != nil {
		return nil, err
	}
	config, err := configure(rest)
	if err != nil {
		return nil, err
	}
	s := &Store{}
	s.queue.init()
	s.worker.Settle, s.worker.Merge = s.settleBatch, s.mergeSome
	if s.readers, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, translate(ctx, err)
	}
	single := config.Copy()
	single.MaxConns, single.MinConns, single.MinIdleConns = 1, 0, 0
	// A process that was suspended must not hold the project's lock for ever.
	single.ConnConfig.RuntimeParams["idle_in_transaction_session_timeout"] = "60s"
	if s.writer, err = pgxpool.NewWithConfig(ctx, single); err != nil {
		s.readers.Close()
		return nil, translate(ctx, err)
	}
	if err := s.prepare(ctx, key, opts); err != nil {
		s.Close()
		return nil, locate(err, config)
	}
	return s, nil
}

// prepare brings the tables up to date and finds the project.
func (s *Store) prepare(ctx context.Context, key string, opts Options) error {
	conn, err := s.writer.Acquire(ctx)
	if err != nil {
		return translate(ctx, err)
	}
	defer conn.Release()
	if err := migrate(ctx, conn.Conn(), opts.Create); err != nil {
		return translate(ctx, markLost(conn.Conn(), err))
	}
	on := newSession(ctx, conn.Conn())
	s.project, err = findProject(ctx, on, key)
	if opts.Create && brenner.CodeOf(err) == brenner.CodeNoProject {
		s.project, err = makeRoom(ctx, on, key)
	}
	return err
}

// findProject gives the number of the project with this key, or of the only
// one if the key is empty.
func findProject(ctx context.Context, on *session, key string) (int32, error) {
	type entry struct {
		number int32
		key    string
	}
	projects, err := list(ctx, on, func(rows pgx.Rows, e *entry) error { return rows.Scan(&e.number, &e.key) },
		`SELECT project, key FROM projects WHERE id IS NOT NULL AND $1 IN ('', key) ORDER BY key`, key)
	switch {
	case err != nil:
		return 0, err
	case len(projects) == 0:
		return 0, noProject()
	case len(projects) > 1:
		keys := make([]string, len(projects))
		for i, p := range projects {
			keys[i] = p.key
		}
		return 0, brenner.Errorf(brenner.CodeUsage, "the database holds several projects: %s", strings.Join(keys, ", ")).
			WithHint("say which with ?project=NAME at the end of the address")
	}
	return projects[0].number, nil
}

// makeRoom gives the number that a project with this key will have.
func makeRoom(ctx context.Context, on *session, key string) (int32, error) {
	if _, err := on.hold(ctx, `WITH made AS (INSERT INTO projects (key) VALUES ($1) ON CONFLICT DO NOTHING RETURNING project)
		INSERT INTO index_state (project) SELECT project FROM made`, key); err != nil {
		return 0, err
	}
	return one(ctx, on, noProject(), func(rows pgx.Rows, n *int32) error { return rows.Scan(n) },
		`SELECT project FROM projects WHERE key = $1`, key)
}

// locate names the database in an error of opening it.
func locate(err error, config *pgxpool.Config) error {
	var e *brenner.Error
	if errors.As(err, &e) && brenner.ClassOf(e.Code) == brenner.ClassUnavailable {
		e.Message += " (database " + place(config) + ")"
	}
	return err
}

// greet readies a new connection: instants come back in UTC, and commits wait
// for the disk even on a server that does not ask it of them, because a write
// that is acknowledged is durable.
func greet(ctx context.Context, conn *pgx.Conn) error {
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	_, err := conn.Exec(ctx, `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`)
	return err
}

// Close waits for what is under way and releases the database.
func (s *Store) Close() error {
	s.queue.close()
	s.worker.Close()
	s.settleAtClose()
	s.herald.done.Wait()
	s.feed.close()
	s.writer.Close()
	s.readers.Close()
	return nil
}

// Read runs fn on one snapshot, which is taken by the first question.
func (s *Store) Read(ctx context.Context, fn func(store.Reader) error) error {
	if ctx.Err() != nil {
		return canceled(ctx)
	}
	conn, err := s.readers.Acquire(ctx)
	if err != nil {
		return translate(ctx, err)
	}
	// If fn panics the connection is released inside the transaction, and
	// thrown away for it.
	defer conn.Release()
	r := &reader{session: newSession(ctx, conn.Conn()), project: s.project, size: unknown, index: &s.index, seen: s.worker.Seen}
	r.held = append(r.held, statement{sql: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`})
	if err := fn(r); err != nil {
		_ = r.end()
		return err
	}
	return r.end()
}

// end leaves the snapshot. A caller who gave up does not wait for it, but the
// connection is spared.
func (r *reader) end() error {
	if r.fault != nil || !r.sent {
		return r.fault
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), grace)
	defer cancel()
	_, err := r.conn.Exec(ctx, `COMMIT`)
	return translate(ctx, markLost(r.conn, err))
}

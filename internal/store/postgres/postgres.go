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
// projects, across all processes. Inside a process the queued writes share a
// transaction, each in its own savepoint (see write.go). Reads run on one
// snapshot and never wait for writers.
//
// Connections must be sessions: a pooler that hands out a connection per
// transaction breaks prepared statements and notifications.
package postgres

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"brenner"
	"brenner/internal/store"
)

// Options say how to open.
type Options struct {
	// Create makes the tables if there are none, and opens the store even if
	// the project is not there yet, for Init to make it.
	Create bool
}

// Store is one project in one database.
type Store struct {
	// name is that of the project, "" until Init if the address had none.
	// number is its key in this database, 0 until it exists.
	name   atomic.Pointer[string]
	number atomic.Int32

	readers *pgxpool.Pool
	// writer holds one connection. It is apart so that readers can never keep
	// a write from starting.
	writer *pgxpool.Pool

	queue queue
	feed  feed
}

var _ store.Store = (*Store)(nil)

// Open connects to the database at the address, brings its tables up to date
// and binds the Store to the project the address names, or to the only one
// there is. Several servers may do so at once.
func Open(ctx context.Context, address string, opts Options) (store.Store, error) {
	rest, name, err := splitAddress(address)
	if err != nil {
		return nil, err
	}
	config, err := configure(rest)
	if err != nil {
		return nil, err
	}
	s := &Store{}
	s.name.Store(&name)
	s.queue.init()
	if s.readers, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, translate(ctx, err)
	}
	single := config.Copy()
	single.MaxConns, single.MinConns, single.MinIdleConns = 1, 0, 0
	if s.writer, err = pgxpool.NewWithConfig(ctx, single); err != nil {
		s.readers.Close()
		return nil, translate(ctx, err)
	}
	if err := s.prepare(ctx, opts); err != nil {
		s.Close()
		return nil, locate(err, config)
	}
	return s, nil
}

// prepare brings the tables up to date and finds the project.
func (s *Store) prepare(ctx context.Context, opts Options) error {
	conn, err := s.writer.Acquire(ctx)
	if err != nil {
		return translate(ctx, err)
	}
	defer conn.Release()
	if err := migrate(ctx, conn.Conn(), opts.Create); err != nil {
		return translate(ctx, markLost(conn.Conn(), err))
	}
	err = s.find(ctx, conn.Conn())
	if brenner.CodeOf(err) == brenner.CodeNoProject && opts.Create {
		return nil
	}
	return err
}

// find binds the Store to its project.
func (s *Store) find(ctx context.Context, conn *pgx.Conn) error {
	type entry struct {
		number int32
		name   string
	}
	projects, err := list(ctx, newSession(ctx, conn), func(rows pgx.Rows, e *entry) error {
		return rows.Scan(&e.number, &e.name)
	}, `SELECT project, name FROM projects WHERE $1 IN ('', name) ORDER BY name`, *s.name.Load())
	switch {
	case err != nil:
		return err
	case len(projects) == 0:
		return noProject()
	case len(projects) > 1:
		names := make([]string, len(projects))
		for i, p := range projects {
			names[i] = p.name
		}
		return brenner.Errorf(brenner.CodeUsage, "the database holds several projects: %s", strings.Join(names, ", ")).
			WithHint("say which with ?project=NAME at the end of the address")
	}
	s.bind(projects[0].number, projects[0].name)
	return nil
}

// bind notes which project the Store is of, once that is known for good.
func (s *Store) bind(number int32, name string) {
	s.name.Store(&name)
	s.number.Store(number)
}

// locate names the database in an error of opening it.
func locate(err error, config *pgxpool.Config) error {
	if e, ok := err.(*brenner.Error); ok && brenner.ClassOf(e.Code) == brenner.ClassUnavailable {
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

// Close waits for writes under way and releases the database.
func (s *Store) Close() error {
	s.queue.close()
	s.feed.close()
	s.writer.Close()
	s.readers.Close()
	return nil
}

// numberOf gives the project's number in a session, 0 if it is not there yet.
func (s *Store) numberOf(ctx context.Context, on *session) (int32, error) {
	if n := s.number.Load(); n != 0 {
		return n, nil
	}
	name := *s.name.Load()
	if name == "" {
		return 0, nil
	}
	found, err := list(ctx, on, func(rows pgx.Rows, n *int32) error { return rows.Scan(n) },
		`SELECT project FROM projects WHERE name = $1`, name)
	if err != nil || len(found) == 0 {
		return 0, err
	}
	s.number.Store(found[0])
	return found[0], nil
}

// Read runs fn on one snapshot.
func (s *Store) Read(ctx context.Context, fn func(store.Reader) error) error {
	conn, err := s.readers.Acquire(ctx)
	if err != nil {
		return translate(ctx, err)
	}
	defer conn.Release()
	on := newSession(ctx, conn.Conn())
	if err := on.hold(ctx, `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`); err != nil {
		return err
	}
	number, err := s.numberOf(ctx, on)
	if err != nil {
		return err
	}
	r := &reader{session: on, project: number, size: unknown}
	// A connection released inside a transaction is thrown away, so a panic
	// or a failure here costs a connection and nothing else.
	if err := fn(r); err != nil {
		r.end()
		return err
	}
	return r.end()
}

// end leaves the snapshot.
func (r *reader) end() error {
	if r.fault != nil || r.conn.PgConn().TxStatus() == 'I' {
		return r.fault
	}
	if _, err := r.conn.Exec(r.ctx, `COMMIT`); err != nil {
		return translate(r.ctx, markLost(r.conn, err))
	}
	return nil
}

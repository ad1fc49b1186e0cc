package postgres

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"brenner/internal/store"
)

// A session runs the statements of one transaction on one connection. What
// gives nothing back is held, and travels with the next statement that does:
// the round trips of a write are those of its questions, not of its changes.
type session struct {
	conn *pgx.Conn
	// ctx bounds the statements. It is not always that of the caller: see tx.
	ctx  context.Context
	held []statement
	// weight is the size of what is held, so that an import does not hold it
	// all in memory.
	weight int
	sent   bool // anything at all
	// fault is the first error. PostgreSQL accepts nothing in a transaction
	// after one, so neither do we.
	fault error
	// aborted says that the error was the server's, failed which of the
	// statements last sent it was, and culprit whose.
	aborted bool
	failed  int
	culprit *write
	// by is who makes the changes, if it is a write.
	by *write
	// sending, if set, is called before anything is sent.
	sending func()
}

// statement is one that waits to be sent.
type statement struct {
	sql  string
	args []any
	by   *write
}

// maxHeld and maxHeldBytes bound what is held back.
const (
	maxHeld      = 1024
	maxHeldBytes = 1 << 20
)

func newSession(ctx context.Context, conn *pgx.Conn) *session {
	return &session{conn: conn, ctx: ctx}
}

// hold keeps a statement that gives nothing back. It tells when there is
// enough to be sent.
func (s *session) hold(ctx context.Context, sql string, args ...any) (full bool, err error) {
	if err := s.ready(ctx, args); err != nil {
		return false, err
	}
	s.held = append(s.held, statement{sql, args, s.by})
	for _, arg := range args {
		s.weight += weigh(arg)
	}
	return len(s.held) >= maxHeld || s.weight >= maxHeldBytes, nil
}

// query sends what is held and one question, and reads its rows. The
// connection is free again when it returns. What cannot be in the database is
// not asked for.
func (s *session) query(ctx context.Context, row func(pgx.Rows) error, sql string, args ...any) error {
	if err := s.ready(ctx, nil); err != nil || checkText(args) != nil {
		return err
	}
	_, err := s.run(ctx, row, sql, args...)
	return err
}

func (s *session) run(ctx context.Context, row func(pgx.Rows) error, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := s.ready(ctx, args); err != nil {
		return pgconn.CommandTag{}, err
	}
	s.held = append(s.held, statement{sql, args, s.by})
	return s.send(row)
}

// send runs what is held in one round trip and gives the tag of the last
// statement, whose rows go to row.
func (s *session) send(row func(pgx.Rows) error) (pgconn.CommandTag, error) {
	if s.sending != nil {
		s.sending()
	}
	batch, sent := new(pgx.Batch), s.held
	for _, h := range sent {
		batch.Queue(h.sql, h.args...)
	}
	s.held, s.weight, s.sent, s.failed = nil, 0, true, 0
	results := s.conn.SendBatch(s.ctx, batch)
	tag, err := s.read(results, batch.Len(), row)
	if closing := results.Close(); err == nil {
		err = closing
	}
	if err != nil {
		s.aborted, s.culprit = true, sent[s.failed].by
		s.fault = translate(s.ctx, markLost(s.conn, err))
	}
	return tag, s.fault
}

// read reads the results of n statements; failed counts them.
func (s *session) read(results pgx.BatchResults, n int, row func(pgx.Rows) error) (tag pgconn.CommandTag, err error) {
	for ; s.failed < n-1; s.failed++ {
		if tag, err = results.Exec(); err != nil {
			return tag, err
		}
	}
	if row == nil {
		return results.Exec()
	}
	rows, err := results.Query()
	if err != nil {
		return tag, err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return tag, err
		}
	}
	return rows.CommandTag(), rows.Err()
}

// ready refuses what must not be sent: anything after a fault or for a caller
// who gave up, and text that PostgreSQL cannot hold.
func (s *session) ready(ctx context.Context, args []any) error {
	if s.fault != nil {
		return s.fault
	}
	if ctx.Err() != nil {
		return canceled(ctx)
	}
	return checkText(args)
}

// checkText keeps U+0000 and broken UTF-8 out of the database (J5).
func checkText(args []any) error {
	for _, arg := range args {
		var err error
		switch v := arg.(type) {
		case string:
			err = store.CheckText(v)
		case []string:
			err = store.CheckText(v...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func weigh(arg any) int {
	switch v := arg.(type) {
	case string:
		return len(v)
	case []byte:
		return len(v)
	case [][]byte:
		n := 0
		for _, b := range v {
			n += len(b)
		}
		return n
	}
	return 8
}

// markLost adds to an error that the connection did not survive it.
func markLost(conn *pgx.Conn, err error) error {
	if err == nil || !conn.IsClosed() {
		return err
	}
	return fmt.Errorf("%w: %w", errLost, err)
}

// list gives every row of a query.
func list[T any](ctx context.Context, s *session, scan func(pgx.Rows, *T) error, sql string, args ...any) ([]T, error) {
	var all []T
	err := s.query(ctx, func(rows pgx.Rows) error {
		var item T
		err := scan(rows, &item)
		all = append(all, item)
		return err
	}, sql, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}

// listUpTo gives the first rows of a query, all of them if n is 0 or less. The
// limit stands in the statement, where the planner sees it, rounded up so that
// there are few different statements.
func listUpTo[T any](ctx context.Context, s *session, n int, scan func(pgx.Rows, *T) error, sql string, args ...any) ([]T, error) {
	if n <= 0 {
		return list(ctx, s, scan, sql, args...)
	}
	all, err := list(ctx, s, scan, sql+limitTo(n), args...)
	return all[:min(n, len(all))], err
}

// limitTo is a LIMIT of at least n, of none if n is 0 or less.
func limitTo(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" LIMIT %d", 1<<min(bits.Len(uint(n-1)), 62))
}

// one gives the row of a query that has at most one, or missing.
func one[T any](ctx context.Context, s *session, missing error, scan func(pgx.Rows, *T) error, sql string, args ...any) (T, error) {
	all, err := list(ctx, s, scan, sql, args...)
	if err == nil && len(all) == 0 {
		err = missing
	}
	if err != nil {
		return *new(T), err
	}
	return all[0], nil
}

// each visits every row of a query page by page, so that visiting may ask
// other questions and memory stays bounded. The query takes the project, then
// the key of the row to go on behind, and is limited to pageRows; key gives
// that of a row.
func each[T any](ctx context.Context, r *reader, scan func(pgx.Rows, *T) error, sql string, first []any, key func(T) []any, visit func(T) error) error {
	after := first
	for {
		page, err := list(ctx, r.session, scan, sql, append([]any{r.project}, after...)...)
		if err != nil {
			return err
		}
		for _, item := range page {
			if err := visit(item); err != nil {
				return err
			}
		}
		if len(page) == 0 {
			return nil
		}
		after = key(page[len(page)-1])
	}
}

package postgres

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"brenner/internal/store"
)

// A session runs the statements of one transaction on one connection. What
// gives nothing back is held, and travels with the next statement that does:
// the round trips of a write are those of its questions, not of its changes.
type session struct {
	conn *pgx.Conn
	// ctx bounds the statements. It is not always that of the caller: see tx.
	ctx  context.Context
	held *pgx.Batch
	// weight is the size of what is held, so that an import does not hold it
	// all in memory.
	weight int
	sent   bool // anything at all
	// fault is the first error of a statement. PostgreSQL accepts nothing in
	// the transaction after it, so neither do we.
	fault error
}

// maxHeld and maxHeldBytes bound what is held back.
const (
	maxHeld      = 256
	maxHeldBytes = 1 << 20
)

func newSession(ctx context.Context, conn *pgx.Conn) *session {
	return &session{conn: conn, ctx: ctx, held: new(pgx.Batch)}
}

// hold queues a statement that gives nothing back. An error of it shows at a
// later statement, or at the end.
func (s *session) hold(ctx context.Context, sql string, args ...any) error {
	if err := s.ready(ctx, args); err != nil {
		return err
	}
	s.held.Queue(sql, args...)
	for _, arg := range args {
		s.weight += weigh(arg)
	}
	if s.held.Len() < maxHeld && s.weight < maxHeldBytes {
		return nil
	}
	return s.flush()
}

// flush sends what is held.
func (s *session) flush() error {
	if s.held.Len() == 0 {
		return s.fault
	}
	_, err := s.send(nil)
	return err
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

// exec sends what is held and one statement, and gives how many rows it changed.
func (s *session) exec(ctx context.Context, sql string, args ...any) (int64, error) {
	tag, err := s.run(ctx, nil, sql, args...)
	return tag.RowsAffected(), err
}

func (s *session) run(ctx context.Context, row func(pgx.Rows) error, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := s.ready(ctx, args); err != nil {
		return pgconn.CommandTag{}, err
	}
	s.held.Queue(sql, args...)
	return s.send(row)
}

// send runs the batch in one round trip and gives the tag of its last
// statement, whose rows go to row.
func (s *session) send(row func(pgx.Rows) error) (pgconn.CommandTag, error) {
	batch := s.held
	s.held, s.weight, s.sent = new(pgx.Batch), 0, true
	results := s.conn.SendBatch(s.ctx, batch)
	tag, err := readBatch(results, batch.Len(), row)
	if closing := results.Close(); err == nil {
		err = closing
	}
	if err != nil {
		s.fault = translate(s.ctx, markLost(s.conn, err))
	}
	return tag, s.fault
}

func readBatch(results pgx.BatchResults, n int, row func(pgx.Rows) error) (tag pgconn.CommandTag, err error) {
	for range n - 1 {
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
	case pgtype.TSVector:
		return 16 * len(v.Lexemes)
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
	all, err := list(ctx, s, scan, fmt.Sprintf("%s LIMIT %d", sql, 1<<bits.Len(uint(n-1))), args...)
	return all[:min(n, len(all))], err
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

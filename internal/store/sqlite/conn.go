package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"modernc.org/sqlite"
)

// conn is one connection with its prepared statements. It speaks to the driver
// itself: the pool, the retries and the conversions of database/sql are of no
// use to a store that has one writer and knows the type of every column, and
// its statements would be prepared and looked up per transaction.
//
// A conn is used by one goroutine at a time. Statements are never interrupted:
// that could roll back a transaction other writers share. Instead a done
// context stops the work before the next statement or row.
type conn struct {
	raw   driver.Conn
	cache map[string]*statement
	args  []driver.NamedValue
	maps  bool // the file into memory
	// written counts the statements that may have changed something.
	written int64
	// broken is the first error after which the state of the transaction, and
	// so everything in it, is given up.
	broken error
}

type statement struct {
	raw interface {
		driver.StmtExecContext
		driver.StmtQueryContext
		io.Closer
	}
	busy bool // its rows are being read
	row  row
}

// maxStatements bounds the cache: filters make many shapes of one query.
const maxStatements = 256

// row is one row of a result. Tables are STRICT, so the type of each column is
// known where it is read; in a damaged file it may be another.
type row []driver.Value

func (r row) int(i int) int64 { return value[int64](r, i) }

func (r row) text(i int) string { return value[string](r, i) }

func (r row) bytes(i int) []byte { return value[[]byte](r, i) }

func value[T any](r row, i int) T {
	v, ok := r[i].(T)
	if !ok {
		panic(damagedValue{fmt.Sprintf("a column holds %T", r[i])})
	}
	return v
}

// damagedValue is what reading a row of a damaged file ends with; query makes an
// error of it.
type damagedValue struct{ what string }

func (r row) null(i int) bool { return r[i] == nil }

func (r row) flag(i int) bool { return r.int(i) != 0 }

// dial opens a connection to a data source.
func dial(source string) (*conn, error) {
	raw, err := new(sqlite.Driver).Open(source)
	if err != nil {
		return nil, err
	}
	return &conn{raw: raw, cache: map[string]*statement{}}, nil
}

func (c *conn) close() error {
	c.forget()
	return c.raw.Close()
}

// forget closes the statements that are not in use.
func (c *conn) forget() {
	for sql, s := range c.cache {
		if !s.busy {
			_ = s.raw.Close()
			delete(c.cache, sql)
		}
	}
}

// prepare gives the statement for some SQL. One whose rows are being read is
// left alone and another is made.
func (c *conn) prepare(sql string) (*statement, error) {
	if s := c.cache[sql]; s != nil && !s.busy {
		return s, nil
	}
	raw, err := c.raw.Prepare(sql)
	if err != nil {
		return nil, c.failed(err)
	}
	s := &statement{raw: raw.(interface {
		driver.StmtExecContext
		driver.StmtQueryContext
		io.Closer
	})}
	if c.cache[sql] != nil {
		return s, nil
	}
	if len(c.cache) >= maxStatements {
		c.forget()
	}
	c.cache[sql] = s
	return s, nil
}

// release closes a statement that the cache does not hold.
func (c *conn) release(sql string, s *statement) {
	s.busy = false
	if c.cache[sql] != s {
		_ = s.raw.Close()
	}
}

// bind makes driver arguments, in a buffer that is good until the next call.
func (c *conn) bind(args []any) []driver.NamedValue {
	c.args = c.args[:0]
	for i, a := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	return c.args
}

// exec runs a statement and gives the number of rows it changed and the key of
// the row it inserted last.
func (c *conn) exec(ctx context.Context, sql string, args ...any) (changed, key int64, err error) {
	if err := canceled(ctx); err != nil {
		return 0, 0, err
	}
	s, err := c.prepare(sql)
	if err != nil {
		return 0, 0, err
	}
	defer c.release(sql, s)
	c.written++
	result, err := s.raw.ExecContext(context.Background(), c.bind(args))
	clear(c.args) // a content in it is not to stay until the next statement
	if err != nil {
		return 0, 0, c.failed(err)
	}
	changed, _ = result.RowsAffected()
	key, _ = result.LastInsertId()
	return changed, key, nil
}

// do is exec for its effect alone.
func (c *conn) do(ctx context.Context, sql string, args ...any) error {
	_, _, err := c.exec(ctx, sql, args...)
	return err
}

// query calls fn with each row. fn must not keep the row.
func (c *conn) query(ctx context.Context, fn func(row) error, sql string, args ...any) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case damagedValue:
			err = c.failed(damaged(p.what))
		default:
			panic(p)
		}
	}()
	if err := canceled(ctx); err != nil {
		return err
	}
	s, err := c.prepare(sql)
	if err != nil {
		return err
	}
	defer c.release(sql, s)
	rows, err := s.raw.QueryContext(context.Background(), c.bind(args))
	clear(c.args)
	if err != nil {
		return c.failed(err)
	}
	s.busy = true
	defer rows.Close() //nolint:errcheck // it repeats the error of Next
	if s.row == nil {
		s.row = make(row, len(rows.Columns()))
	}
	defer clear(s.row) // a connection that waits in the pool does not hold the last content it read
	for {
		if err := rows.Next(s.row); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return c.failed(err)
		}
		if err := fn(s.row); err != nil {
			return err
		}
		if err := canceled(ctx); err != nil {
			return err
		}
	}
}

// one reads a single row and tells whether there was one.
func (c *conn) one(ctx context.Context, fn func(row), sql string, args ...any) (found bool, err error) {
	err = c.query(ctx, func(r row) error {
		fn(r)
		found = true
		return errEnough
	}, sql, args...)
	if errors.Is(err, errEnough) {
		err = nil
	}
	return found, err
}

var errEnough = errors.New("enough rows")

// number reads a single number, 0 if there is none.
func (c *conn) number(ctx context.Context, sql string, args ...any) (n int64, err error) {
	_, err = c.one(ctx, func(r row) {
		if !r.null(0) {
			n = r.int(0)
		}
	}, sql, args...)
	return n, err
}

// failed explains an error of the database and remembers it if the transaction
// cannot be trusted any more.
func (c *conn) failed(err error) error {
	err = explain(err)
	if c.broken == nil && !isConstraint(err) {
		c.broken = err
	}
	return err
}

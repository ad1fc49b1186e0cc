package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"brenner"
)

// explain says in the vocabulary of the store what the database said. What is
// left as it is is a constraint, which the caller explains, or a fault.
func explain(err error) error {
	var e *sqlite.Error
	if err == nil || !errors.As(err, &e) {
		return err
	}
	switch e.Code() {
	case sqlite3.SQLITE_IOERR_SHMSIZE:
		return full(err) // there was no room for the shared memory beside the file
	case sqlite3.SQLITE_READONLY_DBMOVED:
		return brenner.Errorf(brenner.CodeStoreUnavailable, "the store was moved or removed while it was open").
			WithHint("put the file back, or open it where it is now").Because(err)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return busy(err)
	case sqlite3.SQLITE_FULL:
		return full(err)
	case sqlite3.SQLITE_READONLY:
		return readOnly(err)
	case sqlite3.SQLITE_NOTADB:
		return brenner.Errorf(brenner.CodeStoreUnavailable, "the file is not a database").
			WithHint("check the path, or make a store elsewhere").Try(brenner.Do("init")).Because(err)
	case sqlite3.SQLITE_CORRUPT:
		return damaged("").Because(err)
	case sqlite3.SQLITE_CANTOPEN:
		return brenner.Errorf(brenner.CodeStoreUnavailable, "the database file cannot be opened").
			WithHint("check that it and its directory exist and that you may read and write them").Because(err)
	case sqlite3.SQLITE_IOERR:
		return brenner.Errorf(brenner.CodeStoreUnavailable, "the disk of the store fails").
			WithHint("check the disk and try again; nothing was half written").Because(err)
	}
	if e.Code()&0xff == sqlite3.SQLITE_ERROR && strangeSchema(err.Error()) {
		return damaged("").Because(err)
	}
	return fmt.Errorf("sqlite: %w", err)
}

// strangeSchema tells the errors of statements that name what our schema has:
// where it is not there, the schema is not the one we made.
func strangeSchema(says string) bool {
	return slices.ContainsFunc([]string{"no such ", "malformed", "syntax error", "has no column"}, func(part string) bool { return strings.Contains(says, part) })
}

func damaged(what string) *brenner.Error {
	return brenner.Errorf(brenner.CodeStoreUnavailable, "the database file is damaged").
		WithHint("restore it from an export or a backup").Because(errors.New(what))
}

func busy(cause error) *brenner.Error {
	return brenner.Errorf(brenner.CodeStoreBusy, "other writers kept the store busy until the deadline").
		WithHint("try again").Because(cause)
}

func full(cause error) *brenner.Error {
	return brenner.Errorf(brenner.CodeStoreFull, "the disk of the store is full").
		WithHint("make room and try again; nothing was half written").Because(cause)
}

func readOnly(cause error) *brenner.Error {
	return brenner.Errorf(brenner.CodeStoreReadOnly, "the store cannot be written").
		WithHint("check the permissions of the file and of its directory").Because(cause)
}

// fileError explains why a file could not be made or opened.
func fileError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return readOnly(err)
	case errors.Is(err, syscall.ENOSPC):
		return full(err)
	}
	return brenner.Errorf(brenner.CodeStoreUnavailable, "%s cannot be opened", path).
		WithHint("check the path and that you may read and write there").Because(err)
}

func canceled(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return brenner.Errorf(brenner.CodeCanceled, "stopped before it was done").WithHint("run it again").Because(err)
	}
	return nil
}

// late tells why a write could not start.
func late(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return busy(ctx.Err())
	}
	return canceled(ctx)
}

func isBusy(err error) bool { return brenner.CodeOf(err) == brenner.CodeStoreBusy }

// constraint gives the extended code of a constraint that was met, or 0.
func constraint(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_CONSTRAINT {
		return e.Code()
	}
	return 0
}

func isConstraint(err error) bool { return constraint(err) != 0 }

// isTaken reports whether a key or a unique column was there already.
func isTaken(err error) bool {
	switch constraint(err) {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return true
	}
	return false
}

// isDangling reports whether a row referred to one that is not there.
func isDangling(err error) bool { return constraint(err) == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY }

func notFound(format string, args ...any) error {
	return brenner.Errorf(brenner.CodeNotFound, format, args...)
}

func exists(format string, args ...any) error {
	return brenner.Errorf(brenner.CodeAlreadyExists, format, args...)
}

// isSecondCanonical reports whether a version met one of the two indexes that
// admit one canonical version.
func isSecondCanonical(err error) bool { return constraint(err) == sqlite3.SQLITE_CONSTRAINT_UNIQUE }

package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"

	"brenner"
	"brenner/internal/store"
)

// refusals maps what the server answers to what the contract promises, by
// SQLSTATE or, behind those, by its class of two characters.
var refusals = map[string]struct {
	code          brenner.Code
	message, hint string
}{
	"25006": {brenner.CodeStoreReadOnly, "the database only allows reading", "connect to the primary server"},
	"42501": {brenner.CodeStoreReadOnly, "the database user lacks the right to do this", "grant it the tables of the schema brenner, or connect as their owner"},
	"53100": {brenner.CodeStoreFull, "the disk of the database is full", "make room on it and try again; nothing was half written"},
	"53300": {brenner.CodeStoreUnavailable, "the database has no connection left", "raise its max_connections, or lower pool_max_conns in the address"},
	"3D000": {brenner.CodeStoreUnavailable, "there is no such database", "create it, or correct the address"},
	"55P03": {brenner.CodeStoreBusy, "other writers kept the project until the deadline", "try again"},
	"40001": {brenner.CodeStoreBusy, "the database could not put this in order with other work", "try again"},
	"40P01": {brenner.CodeStoreBusy, "the database broke a deadlock with other work", "try again"},
	"57014": {brenner.CodeCanceled, "the database was told to stop this", "run it again"},
	"25P03": {brenner.CodeStoreUnavailable, "the database gave up waiting in the middle of a write", "try again"},
	"08":    {brenner.CodeStoreUnavailable, "the connection to the database failed", "try again"},
	"28":    {brenner.CodeStoreUnavailable, "the database refused the user", "check the user and the password, and the server's pg_hba.conf"},
	"53":    {brenner.CodeStoreUnavailable, "the database is out of resources", "try again later"},
	"57":    {brenner.CodeStoreUnavailable, "the database is shutting down or starting up", "try again in a moment"},
	"58":    {brenner.CodeStoreUnavailable, "the database has trouble with its files", "see the server's log"},
}

// The schema's own words: the states that refuse() raises, and the constraints
// whose violation means that the place is taken, and not that the row exists.
const (
	stateAbsent      = "BR404"
	stateExists      = "BR409"
	stateMoved       = "BR412" // the journal does not end where it was presumed to
	stateRedacted    = "BR410"
	stateUnique      = "23505"
	canonicalIndexes = "one_canonical_per_"
)

// translate puts an error of pgx into the words of the contract. What it does
// not know is a fault and keeps its cause for the log.
func translate(ctx context.Context, err error) error {
	var known *brenner.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	if ctx.Err() != nil {
		return canceled(ctx)
	}
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		if lost(err) {
			return unavailable("the connection to the database failed").Because(err)
		}
		return fmt.Errorf("postgres: %w", err)
	}
	switch refused.Code {
	case stateUnique:
		return taken(refused)
	case stateExists:
		return brenner.Errorf(brenner.CodeAlreadyExists, "%s", refused.Message)
	case stateRedacted:
		return store.GoneForGood(brenner.Digest(refused.Message))
	case stateAbsent:
		return notFound("%s", refused.Message)
	}
	for _, state := range []string{refused.Code, refused.Code[:2]} {
		if r, ok := refusals[state]; ok {
			return brenner.Errorf(r.code, "%s", r.message).WithHint(r.hint).Because(err)
		}
	}
	return fmt.Errorf("postgres: %w", err)
}

func taken(refused *pgconn.PgError) error {
	if strings.HasPrefix(refused.ConstraintName, canonicalIndexes) {
		return brenner.Errorf(brenner.CodeSlotTaken, "another version is canonical in this place").Because(refused)
	}
	return brenner.Errorf(brenner.CodeAlreadyExists, "it exists already").Because(refused)
}

// lost tells a broken, closed or mute connection from a mistake in talking over it.
func lost(err error) bool {
	var connect *pgconn.ConnectError
	return errors.As(err, &connect) || errors.Is(err, errLost) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, puddle.ErrClosedPool)
}

// errLost marks errors after which the connection was found closed.
var errLost = errors.New("connection lost")

func unavailable(message string) *brenner.Error {
	return brenner.Errorf(brenner.CodeStoreUnavailable, "%s", message).
		WithHint("check the address and that the database runs")
}

func canceled(ctx context.Context) error {
	return brenner.Errorf(brenner.CodeCanceled, "the caller gave up").Because(context.Cause(ctx))
}

func notFound(format string, args ...any) error {
	return brenner.Errorf(brenner.CodeNotFound, format, args...)
}

func noProject() error {
	return brenner.Errorf(brenner.CodeNoProject, "the database holds no such project").
		WithHint("make one, or correct the project parameter of the address").Try(brenner.Do("init"))
}

// transient tells the errors after which the same work may succeed at once.
func transient(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && (refused.Code == "40001" || refused.Code == "40P01")
}

// terminated tells that the server ended the connection, and said so instead of
// an answer: nothing more was done on it.
func terminated(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == "57P01"
}

// waitedTooLong tells that a lock was not had in time.
func waitedTooLong(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == "55P03"
}

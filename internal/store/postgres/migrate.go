package postgres

import (
	"context"
	"embed"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"brenner"
	"brenner/internal/lazy"
	"brenner/internal/store"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrationLock is the advisory lock that servers starting at once queue on.
const migrationLock = 0x6272656e6e6572 // "brenner"

// migrations are the steps whose sum is the schema.
var migrations = lazy.Value(func() []store.Migration { return store.Migrations(migrationFiles) })

// migrate brings the tables up to date, or makes them if create says so.
func migrate(ctx context.Context, conn *pgx.Conn, create bool) error {
	version, err := schemaVersion(ctx, conn)
	if err != nil {
		return err
	}
	switch {
	case version > len(migrations()):
		return brenner.Errorf(brenner.CodeStoreNewer, "the database has schema %d, this program knows %d", version, len(migrations())).
			WithHint("upgrade this program")
	case version == len(migrations()):
		return nil
	case version == 0 && !create:
		return noProject()
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return upgrade(ctx, tx) })
}

// upgrade takes the steps that are missing, all or none.
func upgrade(ctx context.Context, tx pgx.Tx) error {
	wait := strconv.FormatInt(brenner.WriteDeadline.Milliseconds(), 10)
	if _, err := tx.Exec(ctx, `SELECT set_config('lock_timeout', $1, true)`, wait); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, migrationLock); err != nil {
		return err
	}
	// Another server may have done it while this one waited.
	version, err := schemaVersion(ctx, tx)
	if err != nil {
		return err
	}
	if version == 0 {
		if err := createSchema(ctx, tx); err != nil {
			return err
		}
	}
	for _, step := range migrations()[min(version, len(migrations())):] {
		if _, err := tx.Exec(ctx, step.SQL); err != nil {
			return fmt.Errorf("migration %s: %w", step.Name, err)
		}
		if _, err := tx.Exec(ctx, `INSERT INTO migrations (version, name) VALUES ($1, $2)`, step.Version, step.Name); err != nil {
			return err
		}
	}
	return nil
}

// createSchema makes room for the tables. An administrator who does not let
// the program create schemas may have made it beforehand.
func createSchema(ctx context.Context, tx pgx.Tx) error {
	var encoding string
	var absent bool
	err := tx.QueryRow(ctx, `SELECT current_setting('server_encoding'), NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)`, schema).Scan(&encoding, &absent)
	if err != nil {
		return err
	}
	if encoding != "UTF8" {
		return brenner.Errorf(brenner.CodeStoreUnavailable, "the database keeps text as %s, which cannot hold all of it", encoding).
			WithHint("create it with ENCODING 'UTF8'")
	}
	if absent {
		if _, err := tx.Exec(ctx, `CREATE SCHEMA `+schema); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, `CREATE TABLE migrations (
		version integer PRIMARY KEY,
		name    text COLLATE "C" NOT NULL,
		at      timestamptz NOT NULL DEFAULT now()
	)`)
	return err
}

// schemaVersion gives the last step taken, 0 if there are no tables.
func schemaVersion(ctx context.Context, on interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
},
) (version int, err error) {
	// Not to_regclass: it may answer from before the wait for a lock.
	const look = `SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'migrations')`
	var there bool
	if err := on.QueryRow(ctx, look, schema).Scan(&there); err != nil || !there {
		return 0, err
	}
	err = on.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM migrations`).Scan(&version)
	return version, err
}

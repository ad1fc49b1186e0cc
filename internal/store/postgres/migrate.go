package postgres

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"brenner"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrationLock is the advisory lock that servers starting at once queue on.
const migrationLock = 0x6272656e6e6572 // "brenner"

// migration is one step of the schema. Every backend has the same numbers and
// names.
type migration struct {
	version int
	name    string
	sql     string
}

// migrations lists the steps in order.
func migrations() ([]migration, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var all []migration
	for i, path := range names {
		sql, err := migrationFiles.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, "migrations/"), ".sql")
		number, _, _ := strings.Cut(name, "_")
		version, err := strconv.Atoi(number)
		if err != nil || version != i+1 {
			return nil, fmt.Errorf("migration %s is not number %d", name, i+1)
		}
		all = append(all, migration{version, name, string(sql)})
	}
	return all, nil
}

// migrate brings the tables up to date, or makes them if create says so.
func migrate(ctx context.Context, conn *pgx.Conn, create bool) error {
	steps, err := migrations()
	if err != nil {
		return err
	}
	version, err := schemaVersion(ctx, conn)
	if err != nil {
		return err
	}
	switch {
	case version > len(steps):
		return brenner.Errorf(brenner.CodeStoreNewer, "the database has schema %d, this program knows %d", version, len(steps)).
			WithHint("upgrade this program")
	case version == len(steps):
		return nil
	case version == 0 && !create:
		return noProject()
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return upgrade(ctx, tx, steps) })
}

// upgrade takes the steps that are missing, all or none.
func upgrade(ctx context.Context, tx pgx.Tx, steps []migration) error {
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
	for _, step := range steps[min(version, len(steps)):] {
		if _, err := tx.Exec(ctx, step.sql); err != nil {
			return fmt.Errorf("migration %s: %w", step.name, err)
		}
		if _, err := tx.Exec(ctx, `INSERT INTO migrations (version, name) VALUES ($1, $2)`, step.version, step.name); err != nil {
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

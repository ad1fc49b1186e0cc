package sqlite

import (
	"context"
	"embed"
	"fmt"

	"brenner"
	"brenner/internal/lazy"
	"brenner/internal/store"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrations are the steps whose sum is the schema.
var migrations = lazy.Value(func() []store.Migration { return store.Migrations(migrationFiles) })

// applicationID marks the file as ours; it spells BRNR.
const applicationID = 0x42524e52

// pageSize fits three contents of the usual 2 KiB on a page.
const pageSize = 8192

// latest is the number of the last migration.
func latest() int64 { return int64(len(migrations())) }

// version gives the number of the last migration of the database: STORE_NEWER
// if this program does not know it, STORE_UNAVAILABLE if it is somebody else's
// database.
func version(ctx context.Context, c *conn) (int64, error) {
	have, err := c.number(ctx, "PRAGMA user_version")
	if err != nil {
		return 0, err
	}
	owner, err := c.number(ctx, "PRAGMA application_id")
	if err != nil {
		return 0, err
	}
	tables, err := c.number(ctx, "SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return 0, err
	}
	if owner != applicationID && (owner != 0 || tables != 0) {
		return 0, brenner.Errorf(brenner.CodeStoreUnavailable, "the file is a database, but not a Brenner store").
			WithHint("check the path, or make a store elsewhere").Try(brenner.Do("init"))
	}
	if have > latest() {
		return 0, brenner.Errorf(brenner.CodeStoreNewer, "the store has schema %d, this program knows %d", have, latest()).
			WithHint("upgrade this program")
	}
	return have, nil
}

// migrate brings the database up to date. Several processes may try at once:
// one does it, the others wait and find it done.
func migrate(wait context.Context, c *conn) error {
	ctx := context.Background()
	defer func() { c.broken = nil }()
	defer c.forget()
	var have int64
	if err := patiently(wait, func() (err error) { have, err = version(ctx, c); return err }); err != nil {
		return err
	}
	if have == 0 { // must be set before there is anything in the file
		if err := patiently(wait, func() error { return c.do(ctx, fmt.Sprintf("PRAGMA page_size = %d", pageSize)) }); err != nil {
			return err
		}
	}
	if err := patiently(wait, func() error { return useWAL(ctx, c) }); err != nil {
		return err
	}
	if have == latest() {
		return nil
	}
	if err := patiently(wait, func() error { return c.do(ctx, "BEGIN IMMEDIATE") }); err != nil {
		return err
	}
	if err := apply(ctx, c); err != nil {
		_ = c.do(ctx, "ROLLBACK")
		return err
	}
	return c.do(ctx, "COMMIT")
}

// useWAL switches the file to the write-ahead log, for good.
func useWAL(ctx context.Context, c *conn) error {
	var mode string
	if _, err := c.one(ctx, func(r row) { mode = r.text(0) }, "PRAGMA journal_mode = WAL"); err != nil {
		return err
	}
	if mode != "wal" {
		return brenner.Errorf(brenner.CodeStoreUnavailable, "the file system cannot hold a write-ahead log").
			WithHint("keep the store on a local disk, or use PostgreSQL")
	}
	return nil
}

// apply runs the migrations that the database lacks, inside a transaction.
func apply(ctx context.Context, c *conn) error {
	have, err := version(ctx, c)
	if err != nil {
		return err
	}
	for _, step := range migrations()[have:] {
		if err := c.do(ctx, step.SQL); err != nil {
			return fmt.Errorf("migration %s: %w", step.Name, err)
		}
	}
	return c.do(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, latest()))
}

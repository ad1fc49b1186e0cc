// Package pgtest gives tests a real PostgreSQL.
//
//	url := pgtest.Open(t) // a fresh, empty database, dropped when t ends
//
// The first call of a test process starts a private cluster in a temporary
// directory, reachable only through a Unix socket; every call makes a database
// of its own in it, so tests may run in parallel. The cluster cannot outlive
// the process: it is stopped and its directory removed even when the process
// is killed. With BRENNER_TEST_POSTGRES=postgres://… the databases are made on
// that server instead.
//
// Where PostgreSQL is not installed the test is skipped by name, and with
// CI=true it fails: in CI nothing may be skipped.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// ServerVariable names the environment variable that points tests at an
// existing server. Its user must be allowed to create databases.
const ServerVariable = "BRENNER_TEST_POSTGRES"

// errMissing says that there is no PostgreSQL to start.
var errMissing = errors.New("PostgreSQL (initdb and postgres) is not installed")

// startDeadline bounds initdb and the first answer of the server; a busy
// machine needs a few seconds, a broken one never gets there.
const startDeadline = 2 * time.Minute

var (
	fast    = sync.OnceValues(func() (server, error) { return findServer(false) })
	durable = sync.OnceValues(func() (server, error) { return findServer(true) })
	made    atomic.Int64
)

// Open gives the URL of a fresh database: UTF-8, C collation, empty. The
// server does not wait for the disk (fsync off): a crash of a client is
// faithful, a crash of the machine is not.
func Open(tb testing.TB) string {
	tb.Helper()
	return open(tb, fast)
}

// OpenDurable is Open on a server with the durability of a default
// installation, for benchmarks that promise durable writes.
func OpenDurable(tb testing.TB) string {
	tb.Helper()
	return open(tb, durable)
}

func open(tb testing.TB, start func() (server, error)) string {
	tb.Helper()
	on, err := start()
	if errors.Is(err, errMissing) && os.Getenv("CI") != "true" {
		tb.Skipf("skipped: %v; install it, or set %s", err, ServerVariable)
	}
	if err != nil {
		tb.Fatalf("no PostgreSQL for this test: %v", err)
	}
	name := fmt.Sprintf("brenner_test_%d_%d", os.Getpid(), made.Add(1))
	// template0 and C, whatever the server's own defaults: byte order is what
	// the store promises, and a test must not depend on the machine's locale.
	must(tb, on.url, "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
	tb.Cleanup(func() { must(tb, on.url, "DROP DATABASE "+name+" WITH (FORCE)") })

	u, err := url.Parse(on.url)
	if err != nil {
		tb.Fatalf("%s is not a URL: %v", ServerVariable, err)
	}
	u.Path = "/" + name
	return u.String()
}

// must runs one statement on the server or ends the test.
func must(tb testing.TB, base, statement string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startDeadline)
	defer cancel()
	if err := execute(ctx, base, statement); err != nil {
		tb.Fatalf("%s: %v", statement, err)
	}
}

func execute(ctx context.Context, base, statement string) error {
	conn, err := pgx.Connect(ctx, base)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}

func findServer(durable bool) (server, error) {
	if given := os.Getenv(ServerVariable); given != "" {
		return server{url: given}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), startDeadline)
	defer cancel()
	return startCluster(ctx, durable)
}

package postgres_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"brenner/internal/pgtest"
	"brenner/internal/store"
	"brenner/internal/store/postgres"
	"brenner/internal/store/storetest"
)

// Every store of the suite is a project of its own in one database, so that
// the suite also shows that projects do not see each other.
func TestStore(t *testing.T) {
	address, n := pgtest.Open(t), 0
	storetest.Run(t, func(t *testing.T) store.Store {
		n++
		return open(t, project(address, "p"+strconv.Itoa(n)))
	})
}

// project adds a project to the address of a database.
func project(address, name string) string {
	if strings.Contains(address, "?") {
		return address + "&project=" + name
	}
	return address + "?project=" + name
}

// open opens a store for as long as the test runs.
func open(t testing.TB, address string) store.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), address, postgres.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// connect gives a connection of the test's own.
func connect(t testing.TB, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

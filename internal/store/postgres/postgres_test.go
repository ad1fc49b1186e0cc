package postgres_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"brenner"
	"brenner/artifact"
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

// What a write has made itself is not looked for again, and what is there or missing all
// the same is named.
func TestWrite_NamesWhatIsRefusedLate(t *testing.T) {
	s := open(t, pgtest.Open(t))
	ctx := t.Context()
	first := samples(0, 1)[0]
	if err := s.Write(ctx, func(tx store.Tx) error { return first.write(ctx, tx) }); err != nil {
		t.Fatal(err)
	}
	refused := func(code brenner.Code, message string, write func(tx store.Tx) error) {
		t.Helper()
		err := s.Write(ctx, func(tx store.Tx) error {
			tx.RefuseLate()
			return write(tx)
		})
		if brenner.CodeOf(err) != code || !strings.Contains(err.Error(), message) {
			t.Errorf("%v, not %s: %s", err, code, message)
		}
	}
	refused(brenner.CodeAlreadyExists, "version note-000001@1 exists", func(tx store.Tx) error {
		return errors.Join(tx.PutArtifact(ctx, first.artifact), tx.InsertVersion(ctx, first.version))
	})
	second := samples(1, 1)[0]
	missing := store.Link{From: second.version.Ref(), Rel: artifact.Cites, To: brenner.Ref{Artifact: noteID(7), Version: 1}, Seq: 2}
	refused(brenner.CodeNotFound, "there is no version note-000007@1", func(tx store.Tx) error {
		return errors.Join(tx.PutArtifact(ctx, second.artifact), tx.InsertVersion(ctx, second.version), tx.InsertLink(ctx, missing))
	})
	second.version.Version, second.version.Parent = 3, 2
	refused(brenner.CodeNotFound, "there is no earlier version note-000002@2", func(tx store.Tx) error {
		return errors.Join(tx.PutArtifact(ctx, second.artifact), tx.InsertVersion(ctx, second.version))
	})
}

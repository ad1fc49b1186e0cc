package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner"
	"brenner/internal/pgtest"
	"brenner/internal/store"
	"brenner/internal/store/postgres"
)

var day = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

// initProject makes a project and closes it again.
func initProject(t *testing.T, address, name string) {
	t.Helper()
	s := open(t, address)
	if err := s.Write(t.Context(), func(tx store.Tx) error {
		return tx.Init(t.Context(), store.Project{ID: brenner.ProjectID("id-" + name), Name: name, At: day})
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// projectOf opens without making anything and gives the name of the project.
func projectOf(t *testing.T, address string) (string, error) {
	t.Helper()
	s, err := postgres.Open(t.Context(), address, postgres.Options{})
	if err != nil {
		return "", err
	}
	defer s.Close()
	var p store.Project
	err = s.Read(t.Context(), func(r store.Reader) (err error) {
		p, err = r.Project(t.Context())
		return err
	})
	return p.Name, err
}

func wantCode(t *testing.T, want brenner.Code, err error) {
	t.Helper()
	if got := brenner.CodeOf(err); got != want {
		t.Errorf("got %v (%s), want %s", err, got, want)
	}
}

func TestOpen_FindsTheProject(t *testing.T) {
	address := pgtest.Open(t)
	_, err := projectOf(t, address)
	wantCode(t, brenner.CodeNoProject, err)

	initProject(t, address, "Cell fate") // the address names none: it goes by its name
	if name, err := projectOf(t, address); name != "Cell fate" || err != nil {
		t.Errorf("the only project is %q, %v", name, err)
	}
	if name, err := projectOf(t, project(address, url.QueryEscape("Cell fate"))); name != "Cell fate" || err != nil {
		t.Errorf("by its name it is %q, %v", name, err)
	}
	_, err = projectOf(t, project(address, "worms"))
	wantCode(t, brenner.CodeNoProject, err)

	initProject(t, project(address, "worms"), "C. elegans")
	if name, err := projectOf(t, project(address, "worms")); name != "C. elegans" || err != nil {
		t.Errorf("worms is %q, %v", name, err)
	}
	_, err = projectOf(t, address)
	wantCode(t, brenner.CodeUsage, err)
	if err == nil || !strings.Contains(err.Error(), "Cell fate, worms") {
		t.Errorf("%v does not list the projects", err)
	}
}

func TestOpen_OfAProjectThatWasNeverMadeLeavesNoProject(t *testing.T) {
	address := pgtest.Open(t)
	open(t, project(address, "thought-of")).Close()
	_, err := projectOf(t, project(address, "thought-of"))
	wantCode(t, brenner.CodeNoProject, err)
	_, err = projectOf(t, address)
	wantCode(t, brenner.CodeNoProject, err)
}

func TestInit_OfAProjectThatIsThere(t *testing.T) {
	address := pgtest.Open(t)
	initProject(t, project(address, "a"), "A")
	for _, at := range []string{project(address, "a"), address} {
		s := open(t, at)
		wantCode(t, brenner.CodeProjectExists, s.Write(t.Context(), func(tx store.Tx) error {
			return tx.Init(t.Context(), store.Project{ID: "2", Name: "A", At: day})
		}))
	}
}

func TestOpen_WithoutCreateMakesNothing(t *testing.T) {
	address := pgtest.Open(t)
	_, err := postgres.Open(t.Context(), address, postgres.Options{})
	wantCode(t, brenner.CodeNoProject, err)
	var schemas int
	if err := connect(t, address).QueryRow(t.Context(), `SELECT count(*) FROM pg_namespace WHERE nspname = 'brenner'`).Scan(&schemas); err != nil || schemas != 0 {
		t.Errorf("%d schemas were made, %v", schemas, err)
	}
}

func TestOpen_ManyServersAtOnceMigrateOnce(t *testing.T) {
	address := pgtest.Open(t)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			s, err := postgres.Open(context.Background(), project(address, "p"), postgres.Options{Create: true})
			if err != nil {
				t.Errorf("server %d: %v", i, err)
				return
			}
			defer s.Close()
			if err := s.Read(context.Background(), func(r store.Reader) error { _, err := r.Size(context.Background()); return err }); err != nil {
				t.Errorf("server %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	var steps, last int
	err := connect(t, address).QueryRow(t.Context(), `SELECT count(*), max(version) FROM brenner.migrations`).Scan(&steps, &last)
	if err != nil || steps == 0 || steps != last {
		t.Errorf("%d migrations are noted, the last is %d, %v", steps, last, err)
	}
}

func TestOpen_NewerSchemaIsRefused(t *testing.T) {
	address := pgtest.Open(t)
	initProject(t, address, "p")
	if _, err := connect(t, address).Exec(t.Context(), `INSERT INTO brenner.migrations VALUES (9000, '9000_later')`); err != nil {
		t.Fatal(err)
	}
	for _, create := range []bool{false, true} {
		_, err := postgres.Open(t.Context(), address, postgres.Options{Create: create})
		wantCode(t, brenner.CodeStoreNewer, err)
	}
}

func TestOpen_OtherEncodingIsRefused(t *testing.T) {
	address := pgtest.Open(t)
	latin := "latin_" + strings.TrimPrefix(mustParse(t, address).Path, "/")
	admin := connect(t, address)
	if _, err := admin.Exec(t.Context(), `CREATE DATABASE `+latin+` TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'`); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := admin.Exec(context.Background(), `DROP DATABASE `+latin); err != nil {
			t.Error(err)
		}
	}()
	u := mustParse(t, address)
	u.Path = "/" + latin
	_, err := postgres.Open(t.Context(), u.String(), postgres.Options{Create: true})
	wantCode(t, brenner.CodeStoreUnavailable, err)
	if err == nil || !strings.Contains(err.Error(), "LATIN1") {
		t.Errorf("%v does not name the encoding", err)
	}
}

func TestOpen_WhatCannotBeReachedIsUnavailable(t *testing.T) {
	address := pgtest.Open(t)
	nowhere, nobody := mustParse(t, address), mustParse(t, address)
	nowhere.Path = "/no_such_database"
	nobody.User = url.UserPassword("nobody_at_all", secret)
	for name, at := range map[string]string{
		"no server":   "postgres://user:" + secret + "@127.0.0.1:1/db?sslmode=disable",
		"no host":     "postgres://user:" + secret + "@host.invalid/db",
		"no database": nowhere.String(),
		"no user":     nobody.String(),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := postgres.Open(t.Context(), at, postgres.Options{Create: true})
			wantCode(t, brenner.CodeStoreUnavailable, err)
			wantDiscretion(t, err)
			var e *brenner.Error
			if errors.As(err, &e) && e.Hint == "" {
				t.Error("there is no hint")
			}
		})
	}
}

const secret = "s3cr3t%21pass"

func TestOpen_BadAddressIsUsageAndKeepsThePassword(t *testing.T) {
	for _, at := range []string{
		"", "sqlite:x", "host=localhost password=" + secret, "postgres://user:" + secret + "@host:notaport/db",
		"postgres://user:" + secret + "@host/db?sslmode=nonsense", "postgres://user:" + secret + "@[host/db",
		"postgres://user:" + secret + "@host/db?project=", "postgres://user:" + secret + "@host/db?project=%zz",
		"postgres://user:" + secret + "@host/db?project=a&project=b", "postgres://user:" + secret + "#@host:x/db",
	} {
		_, err := postgres.Open(t.Context(), at, postgres.Options{})
		if brenner.CodeOf(err) != brenner.CodeUsage {
			t.Errorf("%s: %v, want USAGE", at, err)
		}
		wantDiscretion(t, err)
	}
}

// wantDiscretion fails the test if the password shows in the error, its hint or
// anything it wraps, which is what gets logged.
func wantDiscretion(t *testing.T, err error) {
	t.Helper()
	for ; err != nil; err = errors.Unwrap(err) {
		text := fmt.Sprintf("%v %+v %#v", err, err, err)
		for _, part := range []string{secret, "s3cr3t"} {
			if strings.Contains(text, part) {
				t.Errorf("the password shows in %s", text)
			}
		}
	}
}

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

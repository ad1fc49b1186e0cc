package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"brenner/api"
	"brenner/artifact"
	"brenner/internal/cli"
	"brenner/internal/pgtest"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"
)

// released is one project as a released program wrote it: a database file, a
// dump of PostgreSQL and an export, made by scripts/released.
type released struct {
	schema  string // schema1
	records int64
	root    string
}

// releases are those kept in testdata/released.
func releases(t *testing.T) []released {
	t.Helper()
	files, err := filepath.Glob("testdata/released/schema*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no releases found: %v", err)
	}
	var all []released
	for _, f := range files {
		lines := bytes.Split(bytes.TrimSpace(unzip(t, f)), []byte("\n"))
		var last struct {
			Footer struct {
				Records int64  `json:"records"`
				Root    string `json:"root"`
			} `json:"footer"`
		}
		if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil || last.Footer.Records == 0 {
			t.Fatalf("%s has no footer: %v", f, err)
		}
		all = append(all, released{strings.TrimSuffix(filepath.Base(f), ".jsonl.gz"), last.Footer.Records, last.Footer.Root})
	}
	return all
}

func (r released) file(t *testing.T, kind string) []byte {
	t.Helper()
	return unzip(t, filepath.Join("testdata", "released", r.schema+"."+kind+".gz"))
}

func unzip(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// J8: a database of every released schema opens, is brought up to date, holds
// the history it held, and goes on.
func TestReleased_DatabasesOpenAndVerify(t *testing.T) {
	for _, r := range releases(t) {
		for name, open := range map[string]func(t *testing.T) string{
			"SQLite": func(t *testing.T) string {
				path := filepath.Join(t.TempDir(), "brenner.db")
				if err := os.WriteFile(path, r.file(t, "db"), 0o600); err != nil {
					t.Fatal(err)
				}
				return "sqlite:" + path
			},
			"PostgreSQL": func(t *testing.T) string {
				address := pgtest.Open(t)
				conn, err := pgx.Connect(t.Context(), address)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = conn.Close(context.Background()) }()
				if _, err := conn.Exec(t.Context(), string(r.file(t, "sql"))); err != nil {
					t.Fatal(err)
				}
				return address
			},
		} {
			t.Run(fmt.Sprintf("%s/%s", r.schema, name), func(t *testing.T) {
				s, closer, err := openProject(t.Context(), cli.Where{Dir: t.TempDir(), Store: open(t)})
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = closer() }()
				r.holds(t, s)
			})
		}
	}
}

// holds fails unless a service has the project as it was released, and takes
// a new version of what is in it.
func (r released) holds(t *testing.T, s api.Service) {
	t.Helper()
	ctx := t.Context()
	verified(t, s, r.records, r.root)
	if again, err := s.Replay(ctx, api.ReplayRequest{}); err != nil || !again.Same {
		t.Errorf("replay: %+v, %v", again, err)
	}
	found, err := s.SearchArtifacts(ctx, api.SearchArtifactsRequest{Text: "oxygen"})
	if err != nil || len(found.Items) == 0 {
		t.Errorf("search: %+v, %v", found, err)
	}
	summary := "what was released goes on"
	_, err = s.UpdateArtifact(ctx, api.UpdateArtifactRequest{
		ID: "results", Summary: &summary, Change: &artifact.Change{What: "the summary", Why: "to write on"},
	})
	if err != nil {
		t.Fatal(err)
	}
	verified(t, s, r.records+1, "")
}

func verified(t *testing.T, s api.Service, records int64, root string) {
	t.Helper()
	got, err := s.Verify(t.Context(), api.VerifyRequest{Deep: true})
	if err != nil || !got.OK || got.Size != records || (root != "" && got.Root != root) {
		t.Fatalf("verify: %+v, %v; want %d records with root %s", got, err, records, root)
	}
}

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/cli"
	"brenner/internal/journal"
	"brenner/internal/pgtest"
	"brenner/internal/store"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"
)

// released is one project as the program of a schema wrote it: a database file,
// a dump of PostgreSQL and an export, made by scripts/released. There is one for
// every migration that ever was on main, tagged or not: a project that somebody
// made with it must open for ever.
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

// kinds are what is kept of each schema.
var kinds = []string{"db", "sql", "jsonl"}

// J8: what every schema looked like on disk is kept, in both databases and as an
// export: a migration without it is a failing test. BRENNER_UPDATE=1 keeps that
// of bin/brenner for the newest schema, once.
func TestReleased_EverySchemaIsKept(t *testing.T) {
	steps := store.Migrations(os.DirFS("../../internal/store/sqlite"))
	for _, step := range steps {
		r := released{schema: fmt.Sprintf("schema%d", step.Version)}
		missing := slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool {
			_, err := os.Stat(r.path(kind))
			return err == nil
		})
		switch {
		case len(missing) > 0 && os.Getenv("BRENNER_UPDATE") != "" && step.Version == len(steps):
			r.keep(t, step.Version)
		case len(missing) > 0:
			t.Errorf("nothing is kept of migration %s (%v): run `make released`", step.Name, missing)
			continue
		}
		if got := binary.BigEndian.Uint32(r.file(t, "db")[60:]); int(got) != step.Version { // PRAGMA user_version
			t.Errorf("%s is of schema %d", r.path("db"), got)
		}
		if n := bytes.Count(r.file(t, "sql"), []byte("INSERT INTO brenner.migrations VALUES")); n != step.Version {
			t.Errorf("%s is of schema %d", r.path("sql"), n)
		}
	}
}

// keep makes the files of a schema with the program as it was built.
func (r released) keep(t *testing.T, schema int) {
	t.Helper()
	out, err := exec.Command("../../scripts/released", "../../bin/brenner", strconv.Itoa(schema), pgtest.Open(t)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func (r released) path(kind string) string {
	return filepath.Join("testdata", "released", r.schema+"."+kind+".gz")
}

func (r released) file(t *testing.T, kind string) []byte {
	t.Helper()
	return unzip(t, r.path(kind))
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

// J5, J8: an export of every released version arrives whole, whatever form the
// tables had that its digest is over.
func TestReleased_ExportsImport(t *testing.T) {
	for _, r := range releases(t) {
		t.Run(r.schema, func(t *testing.T) {
			w := cli.Where{Dir: t.TempDir(), Store: "sqlite:" + filepath.Join(t.TempDir(), "brenner.db")}
			got, err := importProject(t.Context(), w, bytes.NewReader(r.file(t, "jsonl")), nil)
			if err != nil || got.Records != r.records || got.Root != r.root {
				t.Fatalf("import: %+v, %v; want %d records with root %s", got, err, r.records, r.root)
			}
			s, closer, err := openProject(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = closer() }()
			r.holds(t, s)
		})
	}
}

// J8: what decides is still decided: a record changed, or a digest of the
// present form that is not the one of the tables, is refused.
func TestReleased_ADamagedExportIsRefused(t *testing.T) {
	all := releases(t)
	first := string(all[0].file(t, "jsonl"))
	said := fmt.Sprintf(`"records":%d,"root":`, all[0].records)
	for name, damaged := range map[string]string{
		"a record":                 strings.Replace(first, `"kind":"link.added"`, `"kind":"link.Added"`, 1),
		"the root":                 strings.Replace(first, `"root":"`+all[0].root[:4], `"root":"AAAA`, 1),
		"a digest of today's form": strings.Replace(first, said, fmt.Sprintf(`"digest_version":%d,`, journal.DigestVersion)+said, 1),
		"a later format":           strings.Replace(first, `"version":1}`, `"version":9}`, 1),
	} {
		if damaged == first {
			t.Fatalf("%s: nothing was damaged", name)
		}
		w := cli.Where{Dir: t.TempDir(), Store: "sqlite:" + filepath.Join(t.TempDir(), "brenner.db")}
		if _, err := importProject(t.Context(), w, strings.NewReader(damaged), nil); !errors.Is(err, brenner.CodeImportInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// J8: the same journal gives the same digest for as long as the version of the
// digest is the same. digests.txt has a line for each: version, release, digest.
func TestReleased_DigestsKeepTheirVersion(t *testing.T) {
	const file = "testdata/released/digests.txt"
	lines, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range releases(t) {
		w := cli.Where{Dir: t.TempDir(), Store: "sqlite:" + filepath.Join(t.TempDir(), "brenner.db")}
		got, err := importProject(t.Context(), w, bytes.NewReader(r.file(t, "jsonl")), nil)
		if err != nil {
			t.Fatal(err)
		}
		about := fmt.Sprintf("%d %s ", journal.DigestVersion, r.schema)
		line := fmt.Sprintf("%s%s\n", about, got.Digest)
		if os.Getenv("BRENNER_UPDATE") != "" && !strings.Contains(string(lines), about) {
			lines = append(lines, line...)
			if err := os.WriteFile(file, lines, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if !strings.Contains(string(lines), line) {
			t.Errorf("the tables have another form than version %d had: raise journal.DigestVersion and add to digests.txt a line such as\n%s", journal.DigestVersion, line)
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

// J7: records from before texts were contents of their own keep them, and redact
// says so: of what is asked for, and of what else has the words.
func TestReleased_RedactNamesTheTextsThatOlderRecordsHold(t *testing.T) {
	const words, at = "Why does the Lärr lose its oxygen every August", 3
	for _, r := range releases(t)[3:5] { // the last that held them, and the first that does not
		w := cli.Where{Dir: t.TempDir(), Store: "sqlite:" + filepath.Join(t.TempDir(), "brenner.db")}
		if _, err := importProject(t.Context(), w, bytes.NewReader(r.file(t, "jsonl")), nil); err != nil {
			t.Fatal(err)
		}
		s, closer, err := openProject(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = closer() }()
		made, err := s.CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: "again", Type: "paper_note", Module: "biology", Summary: "s", Content: api.Body{Format: artifact.Text, Data: words},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, byRecord := s.Redact(t.Context(), api.RedactRequest{Record: at, Member: "summary", Reason: "a name"})
		gone, err := s.Redact(t.Context(), api.RedactRequest{Ref: made.Ref, Reason: "a name"})
		if err != nil {
			t.Fatal(err)
		}
		if r.schema >= "schema5" { // texts stand by their hash: the record's own goes, and is listed
			if byRecord != nil || len(gone.Inline) > 0 {
				t.Errorf("%s: %v, %v", r.schema, byRecord, gone.Inline)
			}
			continue
		}
		if !errors.Is(byRecord, brenner.CodeStatusConflict) || !strings.Contains(byRecord.Error(), "holds its summary itself") {
			t.Errorf("%s: %v", r.schema, byRecord)
		}
		if !slices.ContainsFunc(gone.Inline, func(text api.RecordText) bool { return text.Record == at && text.Member == "payload" }) {
			t.Errorf("%s: the record that keeps the words is not named: %v", r.schema, gone.Inline)
		}
	}
}

package app_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app"
	"brenner/internal/pgtest"
	"brenner/internal/problem"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/internal/store/postgres"
	"brenner/internal/store/sqlite"
)

// project makes a project in a file, with a few versions and a decision.
func project(t *testing.T) (path string, open func() (api.Service, func())) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "project.db")
	keys := app.Keyring{Dir: t.TempDir()}
	open = func() (api.Service, func()) {
		s, err := sqlite.Open(t.Context(), path, sqlite.Options{Create: true})
		if err != nil {
			t.Fatal(err)
		}
		a := app.New(s, app.Options{Keys: keys, Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil }})
		if _, err := a.Owner(t.Context()); err != nil {
			if _, err := a.Init(t.Context(), api.InitRequest{Name: "Fate", PI: "ada"}); err != nil {
				t.Fatal(err)
			}
		}
		return a.As(app.Identity{Name: "ada", Auth: app.AuthOwner}), func() { _ = s.Close() }
	}
	svc, done := open()
	defer done()
	for i := range 6 {
		_, err := svc.CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: brenner.ArtifactID(fmt.Sprintf("n%d", i)), Type: "paper_note", Summary: fmt.Sprintf("note number %d", i),
			Content: api.Body{Format: artifact.Text, Data: fmt.Sprintf("text number %d", i)},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := svc.Promote(t.Context(), api.PromoteRequest{Ref: brenner.Ref{Artifact: "n1"}, Reason: "good"}); err != nil {
		t.Fatal(err)
	}
	return path, open
}

// J3, J7: bytes that were redacted and are put back behind our back are found.
func TestVerify_FindsWhatWasRedactedAndPutBack(t *testing.T) {
	path, open := project(t)
	svc, done := open()
	if _, err := svc.Redact(t.Context(), api.RedactRequest{Ref: brenner.Ref{Artifact: "n2", Version: 1}, Reason: "a name is in it"}); err != nil {
		t.Fatal(err)
	}
	done()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`UPDATE blobs SET data = CAST('text number 2' AS BLOB) WHERE data IS NULL`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	svc, done = open()
	defer done()
	v, err := svc.Verify(t.Context(), api.VerifyRequest{Quick: true})
	if err != nil || v.OK || len(v.Findings) != 1 || !strings.Contains(v.Findings[0].Message, "its bytes are there again") {
		t.Errorf("%+v, %v", v, err)
	}
}

// J3: whatever is changed in the project file behind our back is found by
// verify, and named.
// J3.a, J3.b, J3.c.
func TestVerify_FindsWhatWasChangedInTheFile(t *testing.T) {
	skipShort(t)
	for name, c := range map[string]struct{ sql, want string }{
		"a flipped byte in a record":  {`UPDATE records SET data = CAST(replace(CAST(data AS TEXT), '"id":"n2"', '"id":"n3"') AS BLOB) WHERE seq = 4`, "record 4 is not what was written"},
		"a flipped byte in a text":    {`UPDATE blobs SET data = CAST('note number 3' AS BLOB) WHERE CAST(data AS TEXT) = 'note number 2'`, "is not what was written"},
		"a removed record":            {`DELETE FROM records WHERE seq = 4`, "record 4 is missing"},
		"two swapped records":         {`UPDATE records SET data = (SELECT data FROM records r WHERE r.seq = 9 - records.seq) WHERE seq IN (4, 5)`, "record 4 is not what was written: it holds record 5"},
		"a forged record":             {`INSERT INTO records SELECT 9, at, actor, kind, data FROM records WHERE seq = 8`, "record 9 was added without a hash"},
		"half a hash":                 {`UPDATE hashes SET run = substr(run, 1, length(run) - 31) WHERE first = (SELECT max(first) FROM hashes)`, "the hash tree above record 8 was altered"},
		"a cut tail":                  {`DELETE FROM records WHERE seq > 6`, "missing from the end"},
		"a column of a record":        {`UPDATE records SET actor = 'mallory' WHERE seq = 3`, "record 3 is listed under columns that differ"},
		"a flipped byte in a content": {`UPDATE blobs SET data = CAST('text number X' AS BLOB) WHERE CAST(data AS TEXT) = 'text number 2'`, "is not what was written"},
		"a removed content":           {`DELETE FROM blobs WHERE CAST(data AS TEXT) = 'text number 2'`, "is missing"},
		"a table row":                 {`UPDATE artifacts SET summary = 'forged' WHERE id = 'n2'`, "table artifacts"},
	} {
		t.Run(name, func(t *testing.T) {
			path, open := project(t)
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			res, err := db.Exec("PRAGMA foreign_keys = OFF; " + c.sql)
			if err != nil {
				t.Fatal(err)
			}
			if n, _ := res.RowsAffected(); n == 0 {
				t.Fatal("nothing was changed")
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			svc, done := open()
			defer done()
			got, err := svc.Verify(t.Context(), api.VerifyRequest{})
			if err != nil {
				t.Fatal(err)
			}
			found := ""
			for _, f := range got.Findings {
				found += f.Message + "\n"
			}
			if got.OK || !strings.Contains(found, c.want) {
				t.Errorf("findings:\n%swant %q", found, c.want)
			}
		})
	}
}

// J2: a checkpoint that is signed well is still none of another project.
// J2.a.
func TestVerify_ACheckpointIsOfItsProject(t *testing.T) {
	_, open := project(t)
	svc, done := open()
	defer done()
	_, openOther := project(t)
	other, doneOther := openOther()
	defer doneOther()
	cp, err := other.Checkpoint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	req := api.VerifyRequest{Checkpoints: []string{cp.Note}, PublicKey: cp.PublicKey}
	if _, err := svc.Verify(t.Context(), req); brenner.CodeOf(err) != brenner.CodeCheckpointInvalid {
		t.Errorf("the checkpoint of another project: %v", err)
	}
	if got, err := other.Verify(t.Context(), req); err != nil || got.Checkpoints != 1 {
		t.Errorf("its own: %+v, %v", got, err)
	}
}

// J5: a project exported from SQLite and imported into PostgreSQL has the same
// state digest, and goes on there.
func TestImport_MovesAProjectToPostgreSQL(t *testing.T) {
	skipShort(t)
	_, open := project(t)
	svc, done := open()
	defer done()
	var out bytes.Buffer
	sent, err := svc.Export(t.Context(), &out)
	if err != nil {
		t.Fatal(err)
	}
	s, err := postgres.Open(t.Context(), pgtest.Open(t)+"&project=fate", postgres.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	a := app.New(s, app.Options{Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil }})
	got, err := a.Import(t.Context(), &out, nil)
	if err != nil || got.Digest != sent.Digest || got.Root != sent.Root || got.Records != sent.Records {
		t.Fatalf("exported %+v, imported %+v, %v", sent, got, err)
	}
	there := a.As(app.Identity{Name: "ada", Auth: app.AuthOwner})
	if v, err := there.Verify(t.Context(), api.VerifyRequest{}); err != nil || !v.OK || v.Digest != sent.Digest {
		t.Errorf("verify: %+v, %v", v, err)
	}
	if _, err := there.Promote(t.Context(), api.PromoteRequest{Ref: brenner.Ref{Artifact: "n2"}, Reason: "there too"}); err != nil {
		t.Errorf("the project does not go on: %v", err)
	}
}

// J3: whichever row of hashes is overwritten, cut short or gone, verify says so and
// nothing fails inside.
func TestVerify_NamesDamagedHashes(t *testing.T) {
	skipShort(t)
	for name, damage := range map[string]string{
		"overwritten": "UPDATE hashes SET run = zeroblob(length(run)) WHERE first = ?",
		"cut short":   "UPDATE hashes SET run = substr(run, 1, length(run) - 7) WHERE first = ?",
		"gone":        "DELETE FROM hashes WHERE first = ?",
	} {
		t.Run(name, func(t *testing.T) {
			for row := 0; ; row++ {
				path, open := project(t)
				db, err := sql.Open("sqlite", path)
				if err != nil {
					t.Fatal(err)
				}
				var first int64
				if err := db.QueryRow("SELECT first FROM hashes ORDER BY first LIMIT 1 OFFSET ?", row).Scan(&first); err != nil {
					_ = db.Close()
					if row == 0 {
						t.Fatal(err)
					}
					return // that was the last
				}
				_, err = db.Exec(damage, first)
				if closed := db.Close(); err != nil || closed != nil {
					t.Fatal(err, closed)
				}
				svc, done := open()
				got, err := svc.Verify(t.Context(), api.VerifyRequest{})
				if err == nil && got.OK {
					t.Errorf("row %d: verify found nothing", row)
				}
				_, wrote := svc.CreateArtifact(t.Context(), api.CreateArtifactRequest{
					Type: "paper_note", Summary: "s", Content: api.Body{Format: artifact.Text, Data: "after the damage"},
				})
				_, signed := svc.Checkpoint(t.Context())
				for _, err := range []error{err, wrote, signed} {
					if err == nil {
						continue
					}
					if e, _ := problem.From(err); e.Code == brenner.CodeInternal {
						t.Errorf("row %d: %v", row, err)
					}
				}
				done()
			}
		})
	}
}

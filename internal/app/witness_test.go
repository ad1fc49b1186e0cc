package app_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/internal/store/sqlite"
)

// witnessed is a project in a file whose journal is remembered elsewhere.
type witnessed struct {
	t           *testing.T
	path, heads string
}

// open opens the project as a command does; blind: where nothing is remembered.
func (w witnessed) open(blind bool) (api.Service, func()) {
	w.t.Helper()
	s, err := sqlite.Open(w.t.Context(), w.path, sqlite.Options{Create: true})
	if err != nil {
		w.t.Fatal(err)
	}
	o := app.Options{Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil }}
	if !blind {
		o.Witness = app.Witness{Dir: w.heads, Place: w.path}
	}
	a := app.New(s, o)
	if _, err := a.Owner(w.t.Context()); err != nil {
		if _, err := a.Init(w.t.Context(), api.InitRequest{Name: "Fate", PI: "ada"}); err != nil {
			w.t.Fatal(err)
		}
	}
	stop := a.Follow(w.t.Context(), time.Hour)
	return a.As(app.Identity{Name: "ada", Auth: app.AuthOwner}), func() {
		stop()
		_ = s.Close()
	}
}

func (w witnessed) note(svc api.Service, id string) error {
	_, err := svc.CreateArtifact(w.t.Context(), api.CreateArtifactRequest{
		ID: brenner.ArtifactID(id), Type: "paper_note", Summary: "note " + id, Content: api.Body{Format: artifact.Text, Data: "text of " + id},
	})
	return err
}

// J8: a journal whose newest records are gone, as when its write-ahead log was
// deleted, or that holds others, is found at the next start without a
// checkpoint; verify says so, nothing is written to it until the PI accepts it,
// and that is on record.
// J8.a.
func TestWitness_AHistoryThatIsNotTheOneSeenBeforeIsNotWrittenTo(t *testing.T) {
	for name, elsewhere := range map[string]int{"the newest records are gone": 0, "as many others are in their place": 3} {
		t.Run(name, func(t *testing.T) {
			w := witnessed{t, filepath.Join(t.TempDir(), "project.db"), filepath.Join(t.TempDir(), "heads")}
			svc, done := w.open(false)
			if err := w.note(svc, "first"); err != nil {
				t.Fatal(err)
			}
			done() // which empties the log into the file
			old, err := os.ReadFile(w.path)
			if err != nil {
				t.Fatal(err)
			}
			svc, done = w.open(false)
			for i := range 3 {
				if err := w.note(svc, fmt.Sprintf("n%d", i)); err != nil {
					t.Fatal(err)
				}
			}
			if res, err := svc.Verify(t.Context(), api.VerifyRequest{}); err != nil || !res.OK {
				t.Fatalf("before: %+v, %v", res, err)
			}
			done()
			if err := os.WriteFile(w.path, old, 0o600); err != nil { // all that is left when the log is gone
				t.Fatal(err)
			}
			svc, done = w.open(true)
			for i := range elsewhere {
				if err := w.note(svc, fmt.Sprintf("other%d", i)); err != nil {
					t.Fatal(err)
				}
			}
			done()

			svc, done = w.open(false)
			defer func() { done() }()
			if err := w.note(svc, "late"); !errors.Is(err, brenner.CodeHistoryChanged) {
				t.Errorf("written to: %v", err)
			}
			if _, err := svc.Artifact(t.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: "first"}}); err != nil {
				t.Errorf("cannot be read: %v", err)
			}
			res, err := svc.Verify(t.Context(), api.VerifyRequest{})
			if err != nil || res.OK || len(res.Findings) != 1 || res.Findings[0].Code != brenner.CodeHistoryChanged {
				t.Errorf("verify says %+v, %v", res, err)
			}
			if res, err = svc.Verify(t.Context(), api.VerifyRequest{Accept: true}); err != nil || !res.OK || !res.Accepted {
				t.Errorf("accepting says %+v, %v", res, err)
			}
			if _, err := svc.Verify(t.Context(), api.VerifyRequest{Accept: true}); !errors.Is(err, brenner.CodeStatusConflict) {
				t.Errorf("accepting again says %v", err)
			}
			records, err := svc.Records(t.Context(), api.RecordsRequest{Kind: "history.accepted"})
			if err != nil || len(records.Records) != 1 {
				t.Errorf("%d records of that, %v", len(records.Records), err)
			}
			if err := w.note(svc, "late"); err != nil {
				t.Error(err)
			}
			done()
			svc, done = w.open(false)
			if err := w.note(svc, "later"); err != nil {
				t.Errorf("at the next start: %v", err)
			}
		})
	}
}

// J8: a copy of a project at another place is another journal.
func TestWitness_ACopyIsAnotherJournal(t *testing.T) {
	w := witnessed{t, filepath.Join(t.TempDir(), "project.db"), t.TempDir()}
	_, done := w.open(false)
	done()
	old, err := os.ReadFile(w.path)
	if err != nil {
		t.Fatal(err)
	}
	svc, done := w.open(false)
	if err := w.note(svc, "first"); err != nil {
		t.Fatal(err)
	}
	done()
	w.path = filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(w.path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	svc, done = w.open(false)
	defer done()
	if err := w.note(svc, "other"); err != nil {
		t.Error(err)
	}
}

// J4: tokens are outside the state, and verify holds them to the journal: a
// token that was revoked, expired, or made for somebody else, or that nobody
// issued, is found.
func TestVerify_FindsTokensThatAreNotWhatTheJournalSays(t *testing.T) {
	skipShort(t)
	for name, c := range map[string]struct{ sql, want string }{
		"revoked no more":   {`UPDATE tokens SET revoked = 0`, "it was revoked"},
		"revoked":           {`UPDATE tokens SET revoked = 1`, "no record revoked it"},
		"of another":        {`UPDATE tokens SET actor = 'ada' WHERE revoked = 0`, "it was issued to blue"},
		"for ever":          {`UPDATE tokens SET expires = expires + 1000000 WHERE revoked = 0`, "it expires at another time"},
		"with a new secret": {`UPDATE tokens SET secret = zeroblob(32) WHERE revoked = 0`, "it has another secret"},
		"that nobody made":  {`UPDATE tokens SET id = 'token-99' WHERE revoked = 0`, "no record issued it"},
	} {
		t.Run(name, func(t *testing.T) {
			w := witnessed{t, filepath.Join(t.TempDir(), "project.db"), ""}
			svc, done := w.open(true)
			if _, err := svc.AddAgent(t.Context(), api.AddAgentRequest{Name: "blue", Role: "writer"}); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if _, err := svc.IssueToken(t.Context(), api.IssueTokenRequest{Actor: "blue", Expires: api.Duration(time.Hour)}); err != nil {
					t.Fatal(err)
				}
			}
			list, err := svc.Tokens(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := svc.RevokeToken(t.Context(), api.RevokeTokenRequest{ID: list.Tokens[0].ID}); err != nil {
				t.Fatal(err)
			}
			if res, err := svc.Verify(t.Context(), api.VerifyRequest{}); err != nil || !res.OK {
				t.Fatalf("before: %+v, %v", res, err)
			}
			done()
			db, err := sql.Open("sqlite", w.path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec(c.sql); err != nil {
				t.Fatal(err)
			}
			_ = db.Close()
			svc, done = w.open(true)
			defer done()
			res, err := svc.Verify(t.Context(), api.VerifyRequest{})
			if err != nil || res.OK || len(res.Findings) != 1 || !strings.Contains(res.Findings[0].Message, c.want) {
				t.Errorf("verify says %+v, %v", res, err)
			}
		})
	}
}

// J8: a journal that becomes another one while it is open is found when it is
// remembered next, not taken for what it was: nothing more is written to it, and
// what was remembered stays.
func TestWitness_AHistoryThatChangesWhileItIsOpenIsNotRemembered(t *testing.T) {
	w := witnessed{t, filepath.Join(t.TempDir(), "project.db"), filepath.Join(t.TempDir(), "heads")}
	svc, done := w.open(false)
	if err := w.note(svc, "first"); err != nil {
		t.Fatal(err)
	}
	done()
	old, err := os.ReadFile(w.path)
	if err != nil {
		t.Fatal(err)
	}
	svc, done = w.open(false)
	if err := w.note(svc, "second"); err != nil {
		t.Fatal(err)
	}
	done()
	heads := remembered(t, w.heads)

	// Another machine has put its own file there, and this one never looked.
	if err := os.WriteFile(w.path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), w.path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	a := app.New(s, app.Options{Witness: app.Witness{Dir: w.heads, Place: w.path}})
	svc = a.As(app.Identity{Name: "ada", Auth: app.AuthOwner})
	if err := w.note(svc, "third"); err != nil {
		t.Fatal(err)
	}
	if err := a.Remember(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now := remembered(t, w.heads); now != heads {
		t.Errorf("remembered now: %s, before: %s", now, heads)
	}
	if err := w.note(svc, "fourth"); !errors.Is(err, brenner.CodeHistoryChanged) {
		t.Errorf("written to: %v", err)
	}
}

// remembered is all that is remembered in a directory.
func remembered(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

package locate_test

import (
	"os"
	"path/filepath"
	"testing"

	"brenner"
	"brenner/internal/locate"
)

func touch(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFind_LooksUpwardAndIntoTheMainWorktree(t *testing.T) {
	root := t.TempDir()
	db := filepath.Join(root, "main", ".brenner", "brenner.db")
	touch(t, db, "")
	touch(t, filepath.Join(root, "main", "a", "b", "x"), "")
	touch(t, filepath.Join(root, "linked", "deep", "x"), "")
	touch(t, filepath.Join(root, "linked", ".git"), "gitdir: "+filepath.Join(root, "main", ".git", "worktrees", "linked")+"\n")
	touch(t, filepath.Join(root, "elsewhere", ".git"), "gitdir: ../somewhere/odd\n")

	for _, dir := range []string{"main", "main/a/b", "linked", "linked/deep"} {
		got, err := locate.Find(filepath.Join(root, dir))
		if err != nil || got.SQLite != db {
			t.Errorf("Find(%s) = %v, %v; want %s", dir, got, err, db)
		}
	}
	if _, err := locate.Find(filepath.Join(root, "elsewhere")); brenner.CodeOf(err) != brenner.CodeNoProject {
		t.Errorf("Find(elsewhere): %v, want NO_PROJECT", err)
	}
}

func TestParse(t *testing.T) {
	if a, err := locate.Parse("sqlite:x.db", "/home"); err != nil || a.SQLite != "/home/x.db" {
		t.Errorf("got %v, %v", a, err)
	}
	if a, err := locate.Parse("postgres://u:secret@h/db", "/"); err != nil || a.Postgres == "" || a.String() != "postgres" {
		t.Errorf("got %v, %v", a, err)
	}
	for _, bad := range []string{"", "sqlite:", "mysql://x", "x.db"} {
		if _, err := locate.Parse(bad, "/"); brenner.CodeOf(err) != brenner.CodeUsage {
			t.Errorf("Parse(%q): %v, want USAGE", bad, err)
		}
	}
}

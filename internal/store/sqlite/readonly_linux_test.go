package sqlite_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"brenner"
	"brenner/internal/store"
	"brenner/internal/store/sqlite"
)

// X7: a store on media that can only be read is read, and a write is refused with
// a code; one whose log lies beside it is not read without the log.
func TestOpen_OnReadOnlyMedia(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "project.db")
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	thaw := freeze(t, dir)
	s, err = sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Read(t.Context(), func(r store.Reader) error {
		_, err := r.Size(t.Context())
		return err
	}); err != nil {
		t.Errorf("it cannot be read: %v", err)
	}
	if err := s.Write(t.Context(), func(store.Tx) error { return nil }); brenner.CodeOf(err) != brenner.CodeStoreReadOnly {
		t.Errorf("a write: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	thaw()
	if err := os.WriteFile(path+"-wal", []byte("records that are not in the file"), 0o600); err != nil {
		t.Fatal(err)
	}
	defer freeze(t, dir)()
	if s, err = sqlite.Open(t.Context(), path, sqlite.Options{}); brenner.CodeOf(err) != brenner.CodeStoreReadOnly {
		t.Errorf("with a log beside it: %v", err)
		_ = s.Close()
	}
}

// freeze makes a directory as read-only media are, where the system lets us mount;
// what it gives takes that back.
func freeze(t *testing.T, dir string) (thaw func()) {
	t.Helper()
	for _, args := range [][]string{{"--bind", dir, dir}, {"-o", "remount,ro,bind", dir}} {
		if out, err := exec.Command("mount", args...).CombinedOutput(); err != nil {
			t.Skipf("skipped: nothing can be mounted here: %s", out)
		}
	}
	thaw = func() { _ = exec.Command("umount", dir).Run() }
	t.Cleanup(thaw)
	return thaw
}

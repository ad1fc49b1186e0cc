package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"brenner/internal/store"
)

// Soon after the last write the file alone holds all of it, though the process that
// wrote it stays: who copies only the file loses nothing.
func TestFold_TheFileAloneHoldsWhatWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "brenner.db")
	s, err := Open(t.Context(), path, Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	fill(t, s.(*database), 0, 20)
	alone := func() (size int64) {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(t.TempDir(), "copy.db")
		if err := os.WriteFile(copied, file, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Open(t.Context(), copied, Options{})
		if err != nil {
			return -1 // copied while it was folded
		}
		defer func() { _ = c.Close() }()
		_ = c.Read(t.Context(), func(r store.Reader) (err error) {
			size, err = r.Size(context.Background())
			return err
		})
		return size
	}
	if n := alone(); n == 20 {
		t.Fatal("the file has everything at once: this shows nothing")
	}
	for end := time.Now().Add(time.Minute); alone() != 20; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the file alone has %d of 20 records", alone())
		}
	}
}

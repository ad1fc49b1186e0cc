package sqlite

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"brenner/canon"
	"brenner/internal/store"
)

// J7: redacting leaves nothing in the free pages of the file.
func TestRedact_LeavesNothingInTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "project.db")
	s, err := Open(t.Context(), path, Options{Create: true})
	must(t, err)
	secret := []byte(strings.Repeat("the secret of the vault\n", 2000))
	digest := canon.Sum(secret)
	must(t, s.Write(t.Context(), func(tx store.Tx) error { return tx.PutBlob(t.Context(), digest, secret) }))
	must(t, s.Write(t.Context(), func(tx store.Tx) error { return tx.RedactBlob(t.Context(), digest) }))
	must(t, s.Close())
	left, err := filepath.Glob(path + "*")
	must(t, err)
	for _, name := range left {
		raw, err := os.ReadFile(name)
		must(t, err)
		if bytes.Contains(raw, secret[:24]) {
			t.Errorf("%s still has the secret", filepath.Base(name))
		}
	}
}

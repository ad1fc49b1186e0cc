package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"brenner/internal/store"
	"brenner/internal/store/sqlite"
	"brenner/internal/store/storetest"
)

// The contract, promise by promise, and random operations against the model.
// C14: one canonical version per artifact and slot; J5: text is ordered by its
// bytes and U+0000 is refused; X7: writers queue, and fail alone.
func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, filepath.Join(t.TempDir(), "brenner.db"), sqlite.Options{Create: true})
	})
}

// A store opened for a moment, as verify does, keeps the same contract.
func TestStore_Scratch(t *testing.T) {
	if testing.Short() {
		t.Skip("the same cases as TestStore")
	}
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, "", sqlite.Options{Scratch: true}) })
}

func open(t testing.TB, path string, opts sqlite.Options) store.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), path, opts)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

package memory_test

import (
	"testing"

	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/internal/store/storetest"
)

// The named promises hold for the model itself; playing it against a second
// model also shows that the suite's operations are deterministic.
func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return memory.New() })
}

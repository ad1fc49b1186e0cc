package rehearsal_test

import (
	"testing"

	"brenner/internal/store"
	"brenner/internal/store/rehearsal"
	"brenner/internal/store/storetest"
)

// X9, N3: what a dry run reads of its own changes is what a transaction reads.
func TestRehearsal_AnswersAsATransactionDoes(t *testing.T) {
	storetest.Rehearsal(t, func(r store.Reader) store.Tx { return rehearsal.On(r) }, rehearsal.ErrUncharted)
}

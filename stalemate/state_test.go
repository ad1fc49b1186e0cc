package stalemate

import (
	"slices"
	"testing"

	"brenner"
)

// S3: what a state says that it takes is what Next takes, no more and no less.
func TestActions_AreWhatNextTakes(t *testing.T) {
	all := []Action{Arbitration, Deliver, Accept, Appeal, Implement, Verify, Reopen, Withdraw}
	for _, state := range States() {
		can := state.Actions()
		for _, action := range all {
			_, err := Stalemate{State: state}.Next(Event{Action: action, Actor: "judge", Reason: "because"})
			if takes := brenner.CodeOf(err) != brenner.CodeStatusConflict; takes != slices.Contains(can, action) {
				t.Errorf("%s: %s is listed %v, taken %v", state, action, !takes, takes)
			}
		}
		if state.Closed() != (len(can) == 0) {
			t.Errorf("%s lists %v", state, can)
		}
	}
}

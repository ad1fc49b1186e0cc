package delta_test

import (
	"errors"
	"testing"

	"brenner"
	"brenner/delta"
)

// D19: a payload field cannot have the name of a line that the document writes
// itself, however it is spelled.
func TestCheck_RefusesFieldsThatForgeLines(t *testing.T) {
	for field, refused := range map[string]bool{
		"Killed by": true, "KILLED  BY": true, "Reason": true, "Claim": true, "CONFLICT": true,
		"colour": false, "seen_in": false,
	} {
		raw := `{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"` + field + `":"x"},"rationale":"r"}`
		d, err := delta.Parse([]byte(raw), delta.Envelope{Message: "m", Agent: "Ann", Timestamp: "2026-01-01T00:00:00Z"}, 1)
		if err == nil {
			_, err = delta.Check(d)
		}
		if errors.Is(err, brenner.CodeReservedField) != refused {
			t.Errorf("%q: %v", field, err)
		}
	}
}

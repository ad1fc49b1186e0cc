package delta

import (
	"slices"
	"testing"
	"time"

	"brenner"
)

// D24, D26: what is forecast whichever hypothesis holds names no item that is missing, and is
// not asked to tell hypotheses apart; any other word for one is.
func TestPredictions_WhicheverHolds(t *testing.T) {
	start, err := New("RS-1", "Why?", nil, time.Date(2026, 3, 14, 15, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]bool{"any": false, "H9": true, "either": true} {
		d := Delta{DeltaID: "d", Agent: "Blue", Operation: Add, Section: PredictionsTable, Rationale: "seen", Timestamp: "2026-03-14T16:00:00Z", Payload: []byte(`{"condition":"twice as many","predictions":{"` + key + `":"40 ms"}}`)}
		res := Merge(start, []Entry{{Message: "m", Delta: d}}, Options{})
		if warned := len(res.About[0]) > 0; warned != want {
			t.Errorf("%s: %v", key, res.About[0])
		}
		of := func(code brenner.Code) bool {
			return slices.ContainsFunc(Lint(res.Artifact), func(d brenner.Diagnostic) bool { return d.Code == code && d.Subject == "P1" })
		}
		if of(brenner.CodeDanglingReference) != want || of(brenner.CodeNotDiscriminative) != want {
			t.Errorf("%s: %v, %v", key, of(brenner.CodeDanglingReference), of(brenner.CodeNotDiscriminative))
		}
	}
}

package delta

import (
	"fmt"
	"testing"
	"time"
)

// D6: what was killed names what lives in its place, also where that was killed in turn.
func TestDead_NamesWhatLivesInItsPlace(t *testing.T) {
	a, err := New("RS-1", "Why?", nil, time.Date(2026, 3, 14, 15, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	var all []Entry
	say := func(op Operation, target Target, section Section, provisional, payload string) {
		n := len(all) + 1
		all = append(all, Entry{Message: fmt.Sprint(n), Delta: Delta{
			DeltaID: fmt.Sprint(n), Agent: "Blue", Operation: op, TargetID: target, Section: section, ProvisionalID: provisional, Rationale: "seen",
			Timestamp: fmt.Sprintf("2026-03-14T16:%02d:00Z", n), Payload: []byte(payload),
		}})
	}
	for i := range 5 {
		say(Add, "", HypothesisSlate, fmt.Sprintf("H-NAME-%d", i+1), `{"claim":"c","mechanism":"m"}`)
	}
	say(Add, "", AnomalyRegister, "", `{"name":"n","observation":"o"}`)
	for target, reason := range []string{1: "as H2, see X1", 2: "a case of H-NAME-3", 4: "as H5 and H5", 5: "as H4"} {
		if reason != "" {
			say(Kill, Target(fmt.Sprintf("H%d", target)), HypothesisSlate, "", `{"reason":"`+reason+`"}`)
		}
	}
	say(Kill, "X1", AnomalyRegister, "", `{"reason":"measured for H3"}`)
	a = Merge(a, all, Options{}).Artifact
	for id, want := range map[ItemID]string{"H1": "H1 killed for H3", "H2": "H2 killed for H3", "H4": "H4 killed", "H5": "H5 killed", "X1": "X1 killed"} {
		if d, ok := a.Dead(id); !ok || d.Words() != want || d.By != "Blue" {
			t.Errorf("%s: %v %+v, want %s", id, ok, d, want)
		}
	}
	for _, id := range []ItemID{"H3", "H9", "RT"} {
		if _, ok := a.Dead(id); ok {
			t.Errorf("%s is not dead", id)
		}
	}
}

package delta

import (
	"fmt"
	"strings"
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

// D6: only what a reason says to have the place of what was killed has it.
func TestHeirs_AreSaidToHaveThePlace(t *testing.T) {
	for reason, want := range map[string]string{
		"unlike H2 it needs a gradient": "", "H2 too is weak": "", "weaker than H2": "", "not a case of H2": "", "contradicted by H2": "",
		"it rested on H2": "", "instead of H2 we kept H3": "", "Rests on A1, as H2 does not": "", "H2 doesn't cover it": "", "measured for H2": "",
		"H2": "H2", "H2, H3": "H2 H3", "as H2": "H2", "for H2": "H2", "replaced by H2": "H2", "Subsumed by H2 (memory), unlike H3": "H2",
		"a special case of the hypothesis H2": "H2", "says the same as H2 and H3": "H2 H3", "merged into H2/H3": "H2 H3", "killed in favour of H2": "H2",
		"H2 covers it": "H2", "H2 already says the same": "H2", "H2 says otherwise": "", "killed by mistake; goes on as H3": "H3", "not H2 but a case of H3": "H3",
		"duplicate of H-TWO": "H2", "→ H2": "H2", "": "", "and": "",
	} {
		a := Merge(nil, nil, Options{}).Artifact
		var all []Entry
		for i, d := range []Delta{
			{Operation: Add, Payload: []byte(`{"claim":"a","mechanism":"m"}`)},
			{Operation: Add, Payload: []byte(`{"claim":"b","mechanism":"m"}`), ProvisionalID: "H-TWO"},
			{Operation: Add, Payload: []byte(`{"claim":"c","mechanism":"m"}`)},
			{Operation: Kill, TargetID: "H1", Payload: []byte(`{"reason":` + quote(reason) + `}`)},
		} {
			d.DeltaID, d.Agent, d.Section, d.Timestamp = fmt.Sprint(i), "Blue", HypothesisSlate, fmt.Sprintf("2026-03-14T16:%02d:00Z", i)
			all = append(all, Entry{Delta: d})
		}
		a = Merge(a, all, Options{}).Artifact
		it, _ := a.Item("H1")
		var got []string
		for _, h := range a.Heirs(it) {
			got = append(got, string(h.ID()))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %q", reason, got, want)
		}
	}
}

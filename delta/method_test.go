package delta_test

import (
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/delta"
)

// sound is an artifact of which the method asks nothing more.
func sound(more ...string) []string {
	return append([]string{
		say("rt", 0, "Ann", "EDIT", "RT", "RT", `{"statement":"s","anchors":["§1"]}`),
		say("h1", 1, "Ann", "ADD", "-", "H", `{"claim":"lineage","mechanism":"m","anchors":["§1"]}`),
		say("h2", 2, "Ann", "ADD", "-", "H", `{"claim":"gradient","mechanism":"m","anchors":["§1"]}`),
		say("h3", 3, "Ann", "ADD", "-", "H", `{"claim":"neither","mechanism":"m","anchors":["§1"],"third_alternative":true}`),
		say("p1", 4, "Ann", "ADD", "-", "P", `{"condition":"early","predictions":{"H1":"up","H2":"down","H3":"up"}}`),
		say("p2", 5, "Ann", "ADD", "-", "P", `{"condition":"late","predictions":{"H1":"up","H2":"down"}}`),
		say("p3", 6, "Ann", "ADD", "-", "P", `{"condition":"never","predictions":{"H1":"up","H2":"down"}}`),
		say("t1", 7, "Bob", "ADD", "-", "T", `{"name":"n","procedure":"graft","discriminates":"H1 from H2","expected_outcomes":{"H1":"old","H2":"new"},"potency_check":"early cells change fate in the same assay","score":{"likelihood_ratio":1,"cost":1,"speed":1,"ambiguity":1}}`),
		say("t2", 8, "Bob", "ADD", "-", "T", `{"name":"n2","procedure":"clone","discriminates":"H1 from H3","expected_outcomes":{"H1":"one","H3":"many"},"potency_check":"a marked line is seen in every clone","score":{"likelihood_ratio":1,"cost":1,"speed":1,"ambiguity":1}}`),
		say("a1", 9, "Cy", "ADD", "-", "A", `{"name":"n","statement":"s","scale_check":true,"calculation":"t = L²/2D ≈ 14 h","load":"H2 falls with it"}`),
		say("a2", 10, "Cy", "ADD", "-", "A", `{"name":"n2","statement":"s"}`),
		say("a3", 11, "Cy", "ADD", "-", "A", `{"name":"n3","statement":"s"}`),
		say("x1", 12, "Cy", "ADD", "-", "X", `{"name":"n","observation":"o","conflicts_with":["H1"]}`),
		say("c1", 13, "Cy", "ADD", "-", "C", `{"name":"n","attack":"a","evidence":"T1","real_third_alternative":true,"proposed_alternative":"p"}`),
		say("c2", 14, "Cy", "ADD", "-", "C", `{"name":"n2","attack":"a","evidence":"§3"}`),
	}, more...)
}

func TestLint_AsksWhatTheMethodAsks(t *testing.T) {
	// D26: one fault at a time in a sound artifact gives its finding, and names
	// the role that can mend it.
	if found := delta.Lint(mergeAll(t, nil, sound()...).Artifact); len(found) != 0 {
		t.Fatalf("the sound artifact: %+v", found)
	}
	third := say("h4", 20, "Ann", "ADD", "-", "H", `{"claim":"late","mechanism":"m","anchors":["§1"],"third_alternative":true}`)
	for name, c := range map[string]struct {
		more    []string
		code    brenner.Code
		subject string
		role    brenner.Role
	}{
		"a test with equal outcomes": {
			[]string{say("e", 20, "Bob", "EDIT", "T1", "T", `{"expected_outcomes":{"H1":"same","H2":" Same"}}`)},
			brenner.CodeNotDiscriminative, "T1", "test_designer",
		},
		"a prediction that does not discriminate": {
			[]string{say("e", 20, "Bob", "EDIT", "P2", "P", `{"predictions":{"H1":"down"}}`)},
			brenner.CodeNotDiscriminative, "P2", "hypothesis_generator",
		},
		"a scale check without a calculation": {
			[]string{say("e", 20, "Cy", "EDIT", "A2", "A", `{"scale_check":true,"calculation":"it is obvious"}`)},
			brenner.CodeNoCalculation, "A2", "adversarial_critic",
		},
		"a critique without evidence": {
			[]string{say("e", 20, "Cy", "EDIT", "C2", "C", `{"evidence":" "}`)},
			brenner.CodeNoEvidence, "C2", "adversarial_critic",
		},
		"a hypothesis that nothing tests": {
			[]string{third}, brenner.CodeUntestedHypothesis, "H4", "hypothesis_generator",
		},
		"a test of a killed hypothesis": {
			[]string{say("k", 21, "Cy", "KILL", "H1", "H", `{"reason":"r"}`)},
			brenner.CodeKilledReference, "T1 T2 X1", "",
		},
		"a test that was run": {
			[]string{say("k", 21, "Cy", "KILL", "H1", "H", `{"reason":"r"}`), say("r", 22, "Bob", "EDIT", "T1", "T", `{"actual_outcomes":{"H1":"no"},"status":"run"}`)},
			brenner.CodeKilledReference, "T2 X1", "",
		},
		"a load that fell": {
			[]string{say("k", 21, "Cy", "KILL", "H2", "H", `{"reason":"r"}`)},
			brenner.CodeKilledReference, "A1 T1", "",
		},
		"a potency check that cannot fail": {
			[]string{say("e", 20, "Bob", "EDIT", "T1", "T", `{"potency_check":"The test always works, whatever happens"}`)},
			brenner.CodeIdlePotencyCheck, "T1", "test_designer",
		},
		"a potency check that says nothing": {
			[]string{say("e", 20, "Bob", "EDIT", "T1", "T", `{"potency_check":"yes"}`)},
			brenner.CodeIdlePotencyCheck, "T1", "test_designer",
		},
		"a potency check that is the test": {
			[]string{say("e", 20, "Bob", "EDIT", "T1", "T", `{"procedure":"Move the late cells again","potency_check":"move the late cells again."}`)},
			brenner.CodeIdlePotencyCheck, "T1", "test_designer",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var subjects []string
			for _, f := range delta.Lint(mergeAll(t, nil, sound(c.more...)...).Artifact) {
				if f.Role == "" && f.Code != brenner.CodeFieldConflict {
					t.Errorf("nobody is named to mend %+v", f)
				}
				if f.Code != c.code {
					continue
				}
				subjects = append(subjects, f.Subject)
				if c.role != "" && f.Role != c.role {
					t.Errorf("%s is to mend %+v", f.Role, f)
				}
			}
			slices.Sort(subjects)
			if got := strings.Join(subjects, " "); got != c.subject {
				t.Errorf("%s is said of %q, want %q", c.code, got, c.subject)
			}
		})
	}
}

func TestMerge_LastRunIsATextOrAnObject(t *testing.T) {
	// D1: {at, by, how, control, result} is read as one text; anything else in it is refused.
	r := mergeAll(t, nil, sound(
		say("e1", 20, "Bob", "EDIT", "T1", "T", `{"last_run":{"result":"old fate in 9 of 10","at":"2026-01-02","by":"Bob"}}`),
		say("e2", 20, "Bob", "EDIT", "T2", "T", `{"last_run":"not yet"}`),
		say("e3", 20, "Bob", "EDIT", "T2", "T", `{"last_run":{"when":"today"}}`),
	)...)
	if got := textOf(t, r.Artifact, "T1", "last_run"); got != "2026-01-02; Bob; old fate in 9 of 10" {
		t.Errorf("last_run is %q", got)
	}
	how := mergeAll(t, r.Artifact, say("e4", 30, "Bob", "EDIT", "T1", "T", `{"last_run":{"result":"log@2","control":"new fate in 10 of 10","how":"score.py at 3f2a, 20 embryos"}}`))
	if got := textOf(t, how.Artifact, "T1", "last_run"); got != "score.py at 3f2a, 20 embryos; control: new fate in 10 of 10; log@2" {
		t.Errorf("last_run is %q", got)
	}
	last := r.Outcomes[len(r.Outcomes)-1]
	if last.Status != delta.Rejected || last.Pointer != "/payload/last_run/when" {
		t.Errorf("got %+v", last)
	}
}

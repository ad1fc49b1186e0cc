package delta_test

import (
	"regexp"
	"strings"
	"testing"

	"brenner/delta"

	"pgregory.net/rapid"
)

// D19: in plain words nothing is escaped, and still no content forges
// structure: what stands at the margin is a heading or the name of a field.
func TestPassages_NoContentStandsAtTheMargin(t *testing.T) {
	labels := map[string]bool{"Killed by": true, "Reason": true, "Also": true, "CONFLICT": true}
	for _, s := range delta.Schemas() {
		for _, f := range s.Fields {
			labels[f.Label] = true
		}
	}
	heading := regexp.MustCompile(`^### (RT|[HPTAXC]\d+)(: .*)? · by .+$`)
	check(t, soaked(60, 2_000), func(t *rapid.T) {
		a := hostileArtifact(t)
		items := map[delta.ItemID]bool{}
		for _, p := range delta.Passages(a, delta.Part{}) {
			if items[p.Item] {
				t.Fatalf("%s comes twice", p.Item)
			}
			items[p.Item] = true
			for i, line := range strings.Split(strings.TrimSuffix(p.Text, "\n"), "\n") {
				label, _, _ := strings.Cut(line, ": ")
				switch {
				case i == 0 && heading.MatchString(line) && strings.HasPrefix(line, "### "+string(p.Item)):
				case i > 0 && (strings.HasPrefix(line, "    ") || labels[label]):
				default:
					t.Fatalf("line %q of\n%s", line, p.Text)
				}
			}
		}
		if len(items) != 1+2*6 {
			t.Fatalf("%d items", len(items))
		}
	})
}

// C34, X11: a model reads names and code as they were written.
func TestPassages_EscapeNothing(t *testing.T) {
	a := mergeAll(t, seedBase(t), seedExample1,
		`{"delta_id":"p1","timestamp":"2025-12-30T11:00:00Z","agent":"BlueLake","operation":"EDIT","target_id":"H1","section":"hypothesis_slate","payload":{"claim":"_keep_ a*b and <T> [x] `+"`f(x)`"+` # 1\nsecond line"}}`,
		`{"delta_id":"p2","timestamp":"2025-12-30T11:00:01Z","agent":"BlueLake","operation":"ADD","section":"predictions_table","payload":{"condition":"late","predictions":{"H1":"keeps","H2":"changes"}}}`,
		`{"delta_id":"p3","timestamp":"2025-12-30T11:00:02Z","agent":"BlueLake","operation":"KILL","target_id":"H2","section":"hypothesis_slate","payload":{"reason":"no gradient"}}`,
	).Artifact
	got := delta.RenderPlain(a)
	for _, want := range []string{
		"Claim: _keep_ a*b and <T> [x] `f(x)` # 1\n    second line\n", "Predictions: H1 = keeps; H2 = N/A (foretold: changes)\n", "[KILLED]", "Reason: no gradient\n", "\nNothing yet: Research Thread, Assumption Ledger, Anomaly Register, Adversarial Critique\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// C34: below the question of its session a document that states it says so, and one that has
// nothing else says that in a sentence.
func TestRenderBelow_SaysNothingTwice(t *testing.T) {
	blank, err := delta.New("RS-1", "", nil, instant("2025-12-30T09:00:00Z"))
	if err != nil {
		t.Fatal(err)
	}
	state := func(words string) *delta.Artifact {
		edit := `{"delta_id":"p1","timestamp":"2025-12-30T11:00:00Z","agent":"BlueLake","operation":"EDIT","target_id":"RT","section":"research_thread","payload":{"statement":` + words + `}}`
		return mergeAll(t, blank, edit).Artifact
	}
	const question = "Why here?\nAnd why now?"
	for words, want := range map[string]string{
		`"Why here?\nAnd why now?\n"`: "There is nothing in it yet but the question above (RT).\n",
		`"Why there?"`:                "Statement: Why there?\n\nThere is nothing else in it yet.\n",
	} {
		if got := delta.RenderBelow(state(words), question); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s", words, got)
		}
	}
	if got := delta.RenderPlain(blank); got != "There is nothing in it yet.\n" {
		t.Errorf("an empty one: %q", got)
	}
}

// C34, D19: of a text that is changed in part, what is proposed shows the words that
// go and those that come; words that look like our signs are shown as they were sent.
func TestPayloadText_ShowsParts(t *testing.T) {
	for payload, want := range map[string]string{
		`{"claim":{"old":"a b","new":"c"},"name":"n"}`:                                       "    name: n\n    claim: …[-a b-]{+c+}…\n",
		`{"zeal":"z","anchors":["a"],"mechanism":"m","labels":["l"],"claim":"c","name":"n"}`: "    name: n\n    claim: c\n    mechanism: m\n    anchors: [\"a\"]\n    labels: [\"l\"]\n    zeal: z\n",
		`{"claim":[{"old":"a","new":""},{"old":"b","new":"d\ne"}]}`:                          "    claim: …[-a-]… …[-b-]{+d\n        e+}…\n",
		`{"predictions":{"H1":{"old":"a","new":"b"},"H2":"stays"}}`:                          "    predictions: H1 = …[-a-]{+b+}…; H2 = stays\n",
		`{"claim":{"old":"a","new":"b+} [-c"}}`:                                              "    claim: …<del>a</del><ins>b+} [-c</ins>…\n",
		`{"predictions":{"H1":"up"}}`:                                                        "    predictions: {\"H1\":\"up\"}\n",
	} {
		if got := delta.PayloadText(delta.HypothesisSlate, []byte(payload)); got != want {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
	// The answer stands above what it is an answer to, as in the document.
	if got := delta.PayloadText(delta.ResearchThread, []byte(`{"statement":"s","answer":"a"}`)); got != "    answer: a\n    statement: s\n" {
		t.Errorf("of the thread: %q", got)
	}
}

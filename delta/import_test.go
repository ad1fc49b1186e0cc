package delta_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/canon"
	"brenner/delta"

	"pgregory.net/rapid"
)

var importer = delta.Importer{Agent: "Pi"}

// sameDocument: a document that is read in and rendered again is the same
// document, and what was read is an artifact like any other.
func sameDocument(t interface{ Fatalf(string, ...any) }, a *delta.Artifact) {
	md := delta.Render(a)
	read, err := delta.ReadDocument([]byte(md), importer)
	if err != nil {
		t.Fatalf("%v\n%s", err, md)
	}
	if again := delta.Render(read); again != md {
		t.Fatalf("rendered − rendered again +\n%s", difference(strings.Split(md, "\n"), strings.Split(again, "\n")))
	}
	if _, err := delta.ReadArtifact(canon.MustMarshal(read)); err != nil {
		t.Fatalf("%v\n%s", err, md)
	}
}

func TestReadDocument_RendersAsItWas(t *testing.T) {
	// D19: what Render writes can be read back, hostile texts, conflicts, killed
	// items and killed cells included.
	check(t, soaked(60, 4_000), func(t *rapid.T) { sameDocument(t, hostileArtifact(t)) })
	check(t, soaked(600, 40_000), func(t *rapid.T) {
		batches, opts := drawBatches(t)
		var a *delta.Artifact
		for _, batch := range batches {
			a = delta.Merge(a, batch, opts).Artifact
		}
		sameDocument(t, a)
	})
}

func FuzzReadDocument(f *testing.F) {
	f.Add([]byte("---\nversion: 1\n---\n\n## 2. Hypothesis Slate\n\n### H1: A\n**Claim**: c\n**Mechanism**: m\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := delta.ReadDocument(raw, importer)
		if err == nil {
			sameDocument(t, a)
		}
	})
}

// delt gives a delta of Ann's that a test is about.
func delt(id, at string, op delta.Operation, section delta.Section, target delta.Target, provisional, payload string) delta.Entry {
	d := delta.Delta{DeltaID: id, Timestamp: "2026-01-01T00:00:" + at + "Z", Agent: "Ann", Operation: op, Section: section, TargetID: target, ProvisionalID: provisional}
	if payload != "" {
		d.Payload = []byte(payload)
	}
	return delta.Entry{Delta: d}
}

func TestReadDocument_KeepsWhatAnAddSaysTwice(t *testing.T) {
	// D9, D10, D19: an ADD that names one hypothesis by its id and by its
	// provisional ids conflicts with itself. It shows also after the death of its
	// item, and in a document that was read in.
	for _, killed := range []string{"00", "02", "09"} {
		r := delta.Merge(nil, []delta.Entry{
			delt("d1", "01", delta.Add, delta.HypothesisSlate, "", "H-NEW", `{"claim":"c","mechanism":"m"}`),
			delt("d2", "02", delta.Add, delta.PredictionsTable, "", "", `{"condition":"k","predictions":{"H1":"up","H-NEW":"down","Ann:H-NEW":"same"}}`),
			delt("d3", killed, delta.Kill, delta.PredictionsTable, "P1", "", ""),
		}, delta.Options{})
		doc := delta.Render(r.Artifact)
		for _, value := range []string{"up", "down", "same"} {
			if line := "CONFLICT: H1 = " + value + " (Ann, 2026-01-01T00:00:02Z, d2)\n"; !strings.Contains(doc, line) {
				t.Errorf("killed at %s: no %q in\n%s", killed, line, doc)
			}
		}
		sameDocument(t, r.Artifact)
	}
}

func TestReadDocument_KeepsWhatTwoAddsSayTwice(t *testing.T) {
	// D4, D10, D19: of two agents who name one hypothesis twice the one that has a
	// name of its own for it can name it three times.
	bobs := delt("d2", "02", delta.Add, delta.PredictionsTable, "", "", `{"condition":"j","predictions":{"H1":"up","Ann:H-NEW":"down"}}`)
	bobs.Delta.Agent = "Bob"
	r := delta.Merge(nil, []delta.Entry{
		delt("d1", "01", delta.Add, delta.HypothesisSlate, "", "H-NEW", `{"claim":"c","mechanism":"m"}`), bobs,
		delt("d3", "03", delta.Add, delta.PredictionsTable, "", "", `{"condition":"k","predictions":{"H1":"up","H-NEW":"down","Ann:H-NEW":"same"}}`),
		delt("d4", "00", delta.Kill, delta.PredictionsTable, "P1", "", ""), delt("d5", "00", delta.Kill, delta.PredictionsTable, "P2", "", ""),
	}, delta.Options{})
	if n := strings.Count(delta.Render(r.Artifact), "CONFLICT: H1 = "); n != 5 {
		t.Errorf("%d values in conflict", n)
	}
	sameDocument(t, r.Artifact)
}

func TestReadDocument_KeepsAnItemWithoutOutcomes(t *testing.T) {
	// D5, D19: keys that were taken out, the last one included, leave no column;
	// an item that expects nothing any more says so, and lint asks for more.
	r := delta.Merge(nil, []delta.Entry{
		delt("d1", "01", delta.Add, delta.HypothesisSlate, "", "", `{"claim":"c","mechanism":"m"}`),
		delt("d2", "02", delta.Kill, delta.HypothesisSlate, "H1", "", ""),
		delt("d3", "03", delta.Add, delta.PredictionsTable, "", "", `{"condition":"k","predictions":{"H1":"up","odd":"x"}}`),
		delt("d4", "04", delta.Edit, delta.PredictionsTable, "P1", "", `{"predictions":{"H1":null,"odd":null}}`),
		delt("d5", "05", delta.Add, delta.DiscriminativeTests, "", "", `{"name":"n","procedure":"p","discriminates":"H1 vs H2","expected_outcomes":{"H1":"up","H2":"down"}}`),
		delt("d6", "06", delta.Edit, delta.DiscriminativeTests, "T1", "", `{"expected_outcomes":{"H1":null,"H2":null}}`),
	}, delta.Options{})
	doc := delta.Render(r.Artifact)
	for _, want := range []string{
		"| ID | Condition |\n|---|---|\n| P1 | k |\n\n**P1**\n**Predictions**: H1 = *taken out*; odd = *taken out*\n",
		"**Expected outcomes**: H1 = *taken out*; H2 = *taken out*\n",
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("no %q in\n%s", want, doc)
		}
	}
	sameDocument(t, r.Artifact)
	for _, id := range []string{"P1", "T1"} {
		if !slices.ContainsFunc(delta.Lint(r.Artifact), func(d brenner.Diagnostic) bool {
			return d.Subject == id && d.Code == brenner.CodeNotDiscriminative && strings.Contains(d.Message, "no outcome left")
		}) {
			t.Errorf("lint says nothing of %s", id)
		}
	}
	if _, err := delta.Check(delt("d7", "07", delta.Add, delta.PredictionsTable, "", "", `{"condition":"k","predictions":{"H1":null}}`).Delta); !errors.Is(err, brenner.CodeInvalidDelta) {
		t.Errorf("an ADD that takes a key out: %v", err)
	}
}

func TestReadDocument_KeepsAKilledCellOfNoHypothesis(t *testing.T) {
	// D15, D19: a cell under a name that turned out to be an anomaly's was killed.
	r := delta.Merge(nil, []delta.Entry{
		delt("d1", "01", delta.Add, delta.AnomalyRegister, "", "X-ODD", `{"name":"n","observation":"o"}`),
		delt("d2", "02", delta.Add, delta.PredictionsTable, "", "", `{"condition":"k","predictions":{"X-ODD":"up","H1":"down"}}`),
		delt("d3", "03", delta.Kill, delta.PredictionsTable, "P1.X-ODD", "", ""),
	}, delta.Options{})
	if doc := delta.Render(r.Artifact); !strings.Contains(doc, "X1 = ~~up~~ [KILLED]") {
		t.Errorf("not killed:\n%s", doc)
	}
	sameDocument(t, r.Artifact)
}

func TestReadDocument_TellsADashFromNoPrediction(t *testing.T) {
	// D19: a prediction that is a dash is one.
	for _, dash := range []string{"-", "–"} {
		r := delta.Merge(nil, []delta.Entry{
			delt("d1", "01", delta.Add, delta.HypothesisSlate, "", "", `{"claim":"c","mechanism":"m"}`),
			delt("d2", "02", delta.Add, delta.PredictionsTable, "", "", `{"condition":"k","predictions":{"H1":"`+dash+`"}}`),
		}, delta.Options{})
		sameDocument(t, r.Artifact)
		read, err := delta.ReadDocument([]byte(delta.Render(r.Artifact)), importer)
		if err != nil {
			t.Fatal(err)
		}
		if p, _ := read.Item("P1"); read.Prediction(p, "H1") != dash {
			t.Errorf("%q was read as %q", dash, read.Prediction(p, "H1"))
		}
	}
}

// D15, D19: what was foretold under a hypothesis stays readable when it is killed, in the
// table and under a row, and is read back.
func TestReadDocument_KeepsWhatADeadHypothesisForetold(t *testing.T) {
	all := []delta.Entry{}
	for i := range 14 { // more than the table has columns for
		id := fmt.Sprintf("H%d", i+1)
		all = append(all, delt("a"+id, fmt.Sprintf("%02d", 2*i), delta.Add, delta.HypothesisSlate, "", "", `{"claim":"c","mechanism":"m"}`))
		all = append(all, delt("k"+id, fmt.Sprintf("%02d", 2*i+1), delta.Kill, delta.HypothesisSlate, delta.Target(id), "", `{"reason":"measured"}`))
	}
	all = append(all,
		delt("p1", "40", delta.Add, delta.PredictionsTable, "", "", `{"condition":"k","predictions":{"H1":"rises ~~fast~~","H2":"a | b","H3":"N/A","H13":"x; y = z"}}`),
		delt("p2", "41", delta.Add, delta.PredictionsTable, "", "", `{"condition":"l","predictions":{"H4":"a","H5":"b","H6":"c","H7":"d","H8":"e","H9":"f","H10":"g","H11":"h","H12":"i","H14":"falls"}}`))
	r := delta.Merge(nil, all, delta.Options{})
	doc := delta.Render(r.Artifact)
	for _, want := range []string{"N/A (foretold: ~~rises &#126;&#126;fast&#126;&#126;~~)", `N/A (foretold: ~~a \| b~~)`, "| N/A |", "H14 = N/A (foretold: ~~falls~~)"} {
		if !strings.Contains(doc, want) {
			t.Errorf("no %q in\n%s", want, doc)
		}
	}
	sameDocument(t, r.Artifact)
	read, err := delta.ReadDocument([]byte(doc), importer)
	if err != nil {
		t.Fatal(err)
	}
	was, _ := r.Artifact.Item("P1")
	if p, _ := read.Item("P1"); fmt.Sprint(p.Pairs("predictions")) != fmt.Sprint(was.Pairs("predictions")) {
		t.Errorf("read as %v, want %v", p.Pairs("predictions"), was.Pairs("predictions"))
	}
}

// ADR 159: the answer stands first, what came out of a prediction in its table; both are
// read back, whatever they say, and change no other line.
func TestReadDocument_AnswerAndObserved(t *testing.T) {
	for _, text := range []string{"it is the cold (T1)", "two\nlines", "–", "12", "true", " blank at its end ", "a | b = c; ~~d~~", "N/A (foretold: ~~x~~)", `{"old":"x"}`} {
		quoted := string(canon.MustMarshal(text))
		r := delta.Merge(nil, []delta.Entry{
			delt("d1", "01", delta.Edit, delta.ResearchThread, "RT", "", `{"statement":"Why?","answer":`+quoted+`}`),
			delt("d2", "02", delta.Add, delta.HypothesisSlate, "", "", `{"claim":"c","mechanism":"m"}`),
			delt("d3", "03", delta.Add, delta.PredictionsTable, "", "", `{"condition":"k","predictions":{"H1":"up"},"observed":`+quoted+`}`),
			delt("d4", "04", delta.Add, delta.PredictionsTable, "", "", `{"condition":"l","predictions":{"H1":"down"}}`),
		}, delta.Options{})
		for _, w := range r.Outcomes {
			if w.Status != delta.Applied {
				t.Errorf("%q: %+v", text, w)
			}
		}
		if slices.ContainsFunc(r.Warnings, func(d brenner.Diagnostic) bool { return d.Code == brenner.CodeUnknownField }) {
			t.Errorf("%q: %+v", text, r.Warnings)
		}
		sameDocument(t, r.Artifact)
		read, err := delta.ReadDocument([]byte(delta.Render(r.Artifact)), importer)
		if err != nil {
			t.Fatal(err)
		}
		rt, _ := read.Item("RT")
		p, _ := read.Item("P1")
		if rt.Text("answer") != text || p.Text("observed") != text {
			t.Errorf("%q was read as %q and %q", text, rt.Text("answer"), p.Text("observed"))
		}
	}
	r := delta.Merge(nil, []delta.Entry{
		delt("d1", "01", delta.Edit, delta.ResearchThread, "RT", "", `{"statement":"Why?","answer":"the cold"}`),
		delt("d3", "03", delta.Add, delta.PredictionsTable, "", "", `{"condition":"k","predictions":{"H1":"up"},"observed":"went up"}`),
	}, delta.Options{})
	doc, plain := delta.Render(r.Artifact), delta.RenderPlain(r.Artifact)
	for _, want := range []string{"### RT\n**Answer**: the cold\n**Statement**: Why?\n", "| ID | Condition | Observed |\n", "| P1 | k | went up |\n"} {
		if !strings.Contains(doc, want) {
			t.Errorf("no %q in\n%s", want, doc)
		}
	}
	for _, want := range []string{"\nAnswer: the cold\nStatement: Why?\n", "\nObserved: went up\n"} {
		if !strings.Contains(plain, want) {
			t.Errorf("no %q in\n%s", want, plain)
		}
	}
	later := delta.Merge(r.Artifact, []delta.Entry{
		delt("d5", "05", delta.Edit, delta.ResearchThread, "RT", "", `{"answer":"the heat"}`),
	}, delta.Options{}).Artifact
	if got := delta.Join(delta.Changes(later, delta.Part{Since: r.Artifact})); !strings.Contains(got, "\nAnswer: the heat\nWas: the cold\n") {
		t.Errorf("what changed:\n%s", got)
	}
}

// byHand is a document as a person might change it.
const byHand = `---
session_id: RS-1
question: 'It''s why?'
version: 4
contributors: [Ann, "Bob"]
---

# My notes

## Research Thread
**Statement**: Why do cells differ?
They start alike.

And end apart.

## 2. Hypothesis Slate

### H1: Lineage
- **Claim:** Fate follows *the mother*
**Mechanism**: Factors
**Anchors**: §205, a\, b
**Also**: confidence = 0.5

### ~~H3: Gradient~~ [KILLED]
**Claim**: ~~Fate follows position~~
**Mechanism**: ~~Diffusion~~
**Reason**: too slow

### A new one
**Claim**: neither
**Mechanism**: chance
**Third alternative**: true

## 3. Predictions Table

| ID | Condition | H1 | H3 |
|:---|---|---|---|
| P2 | late graft | kept \| same | N/A |
|  | early graft | - | ~~gone~~ [KILLED] |
`

func TestReadDocument_EditedByHand(t *testing.T) {
	// D19, D4: a person's changes are taken; an item without an id gets the next
	// one, and ids that are gone are not given again.
	a, err := delta.ReadDocument([]byte(byHand), importer)
	if err != nil {
		t.Fatal(err)
	}
	if m := a.Metadata(); m.SessionID != "RS-1" || m.Question != "It's why?" || m.Version != 4 || !slices.Equal(m.Contributors, []brenner.ActorName{"Ann", "Bob"}) {
		t.Errorf("metadata %+v", m)
	}
	item := func(id delta.ItemID) *delta.Item {
		it, ok := a.Item(id)
		if !ok {
			t.Fatalf("no %s", id)
		}
		return it
	}
	if s := item("RT").Text("statement"); s != "Why do cells differ?\nThey start alike.\n\nAnd end apart." {
		t.Errorf("statement %q", s)
	}
	if h := item("H1"); h.Text("claim") != "Fate follows *the mother*" || !slices.Equal(h.List("anchors"), []string{"§205", "a, b"}) {
		t.Errorf("H1 %q %q", h.Text("claim"), h.List("anchors"))
	}
	if d := item("H3").Killed(); d == nil || d.By != "Pi" || d.Reason != "too slow" {
		t.Errorf("H3 %+v", d)
	}
	if h := item("H4"); h.Text("name") != "A new one" || !h.Flag("third_alternative") {
		t.Errorf("H4 %q", h.Text("name"))
	}
	if got := a.Prediction(item("P2"), "H1"); got != "kept | same" {
		t.Errorf("P2.H1 %q", got)
	}
	if got := item("P3").Text("condition"); got != "early graft" {
		t.Errorf("P3 %q", got)
	}
	sameDocument(t, a)
	if doc := delta.Render(a); !strings.Contains(doc, "**Also**: confidence = 0.5\n") {
		t.Errorf("a field of one's own is not there as it was written:\n%s", doc)
	}
	r := delta.Merge(a, []delta.Entry{{Delta: delta.Delta{
		DeltaID: "d1", Timestamp: "2026-01-01T00:00:00Z", Agent: "Ann", Operation: delta.Add, Section: delta.HypothesisSlate,
		Payload: []byte(`{"claim":"c","mechanism":"m"}`),
	}}}, delta.Options{})
	wantOutcome(t, r, 0, delta.Applied, "")
	if r.Outcomes[0].Item != "H5" {
		t.Errorf("the next is %s", r.Outcomes[0].Item)
	}
}

func TestReadDocument_NamesTheLinesItCannotRead(t *testing.T) {
	// D19: bad input is refused with its lines, and nothing is left out.
	slate := "## 2. Hypothesis Slate\n### H1\n**Claim**: c\n**Mechanism**: m\n"
	struckRow := "## 3. Predictions Table\n### ~~P1: k~~ [KILLED]\n**Killed by**: Ann (2026-01-01T00:00:00Z)\n**Predictions**: ~~H1 = CONFLICT; H2 = CONFLICT~~\n"
	for doc, want := range map[string]string{
		"Hello":                                            "line 1: the line stands in no section",
		slate + "# One more":                               "line 5: the document has its title already",
		"# Mine\n# And mine":                               "line 2: the document has its title already",
		"## 9. Results\n":                                  `line 1: "Results" is no section`,
		slate + "### T1\n":                                 "line 5: T1 does not belong into this section",
		slate + "**Clam**: x\n":                            `line 5: "Clam" is no line of this section`,
		slate + "**Claim**: x\n":                           "line 5: the item says this twice",
		slate + "**Killed by**: Ann\n":                     "line 5: only a killed item was killed by somebody",
		slate + "CONFLICT: x\n":                            "line 5: a CONFLICT that belongs to no field",
		slate + "**Third alternative**: maybe\n":           "line 5: not true or false",
		slate + "### H1\n**Claim**: c\n**Mechanism**: m\n": "line 5: H1 stands there twice",
		slate + "**Labels**: a\nmore\n":                    "line 6: the line belongs to no field",
		slate + "**References**: a b\n":                    "line 5: a reference is a relation",
		"## 2. Hypothesis Slate\n### H1\n**Claim**: c\n":   "line 2: mechanism is missing or blank",
		"## 2. Hypothesis Slate\n**Claim**: c\n":           "line 2: the line belongs to no item",
		"## 6. Anomaly Register\n### X1: n\n**Observation**: o\n**Status**: gone\n":                                                "line 4: status has no such value",
		"## 4. Discriminative Tests\n### T1: n\n**Score**: cost\n":                                                                 "line 3: a pair without an equals sign",
		"## 3. Predictions Table\n| ID | Condition | H1 |\n|---|---|---|\n| P1 | a |\n":                                            "line 4: the row has 2 cells, the head 3",
		"## 3. Predictions Table\n| A |\n":                                                                                         "line 2: not the head",
		"## 3. Predictions Table\n**P1**\n":                                                                                        "line 2: P1 is no row",
		struckRow + "CONFLICT: H2 = a (Ann, 2026-01-02T00:00:00Z, d1)\nCONFLICT: H2 = b (Ann, 2026-01-02T00:00:00Z, d1)\n":         "line 4: a CONFLICT from after the death",
		slate + struckRow + "CONFLICT: H1 = a (Ann, 2026-01-02T00:00:00Z, d1)\nCONFLICT: H1 = b (Bob, 2026-01-02T00:00:00Z, d1)\n": "line 8: a CONFLICT from after the death",
		slate + struckRow + "CONFLICT: H1 = a (Ann, 2026-01-02T00:00:00Z, d1)\nCONFLICT: H1 = b (Ann, 2026-01-03T00:00:00Z, d1)\n": "line 8: a CONFLICT from after the death",
		"## 3. Predictions Table\n### P1: k\n**Predictions**: X1 = ~~a~~ [KILLED]\n":                                               `line 2: "P1.X1" is no item`,
		"---\nversion: x\n---\n":        "line 2: not a line of the front matter",
		"---\nversion: 1\n":             "line 1: the front matter is not closed",
		"---\nsession_id: no id\n---\n": "line 1: ",
		"## 2. Hypothesis Slate\n" + strings.Repeat("### x\n**Claim**: c\n**Mechanism**: m\n", 7): "line 20: more than 6 live items",
	} {
		_, err := delta.ReadDocument([]byte(doc), importer)
		var e *brenner.Error
		if !errors.As(err, &e) || e.Code != brenner.CodeInvalidSessionDocument || !strings.HasPrefix(e.Message, want) || e.Hint == "" || len(e.Diagnostics) == 0 {
			t.Errorf("%q: %v, want %q", doc, err, want)
		}
	}
	for doc, code := range map[string]brenner.Code{"\xff": brenner.CodeInvalidText, "a\x00": brenner.CodeInvalidText, strings.Repeat("x", brenner.MaxDeltaInputBytes+1): brenner.CodeLimitExceeded} {
		if _, err := delta.ReadDocument([]byte(doc), importer); !errors.Is(err, code) {
			t.Errorf("%q: %v", doc[:min(len(doc), 9)], err)
		}
	}
	if _, err := delta.ReadDocument([]byte(slate), delta.Importer{}); !errors.Is(err, brenner.CodeInvalidID) {
		t.Errorf("without an agent: %v", err)
	}
}

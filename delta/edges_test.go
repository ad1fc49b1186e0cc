package delta_test

import (
	"errors"
	"strings"
	"testing"

	"brenner"
	"brenner/delta"
)

// everything is an artifact with something in every section: a killed item, a
// killed cell, a key taken out, a conflict, a field of one's own.
func everything(t *testing.T) *delta.Artifact {
	t.Helper()
	raws := append(hypotheses(3),
		say("r1", 5, "Ann", "EDIT", "RT", "RT", `{"statement":"How do cells know when to stop?","anchors":["§1","§2"]}`),
		say("p1", 6, "Ann", "ADD", "-", "P", `{"condition":"late graft","predictions":{"H1":"stays","H2":"switches","H10":"none","zeta":"z","alpha":"a"}}`),
		say("p2", 7, "Bob", "KILL", "P1.H1", "P", `{"reason":"not measurable"}`),
		say("p3", 8, "Bob", "EDIT", "P1", "P", `{"predictions":{"H2":null}}`),
		say("t1", 9, "Cy", "ADD", "-", "T", `{"name":"Graft","procedure":"Move them","discriminates":"H1 vs H2","expected_outcomes":{"H1":"x","H2":"y"},"score":{"cost":1,"speed":2}}`),
		say("a1", 10, "Cy", "ADD", "-", "A", `{"name":"Scale","statement":"Diffusion is fast","scale_check":true,"calculation":"t = x^2/2D"}`),
		say("x1", 11, "Ann", "ADD", "-", "X", `{"name":"Odd","observation":"Some do not","conflicts_with":["H1","H2"],"weather":"rain"}`),
		say("c1", 12, "Bob", "ADD", "-", "C", `{"name":"Both","attack":"Both assume a clock","evidence":"A1"}`),
		say("k1", 13, "Bob", "KILL", "H2", "H", `{"reason":"refuted by T1"}`),
		say("e1", 14, "Ann", "EDIT", "C1", "C", `{"attack":"One"}`),
		say("e2", 14, "Bob", "EDIT", "C1", "C", `{"attack":"Two"}`),
	)
	r := mergeAll(t, nil, raws...)
	if n := r.Recorded(); n != len(raws) {
		t.Fatalf("%d of %d recorded: %+v", n, len(raws), r.Outcomes)
	}
	return r.Artifact
}

// D19: the plain words of a document, to the letter.
func TestPassages_ToTheLetter(t *testing.T) {
	t.Parallel()
	const want = `## Research Thread

### RT · by Ann
Statement: How do cells know when to stop?
Anchors: §1, §2

## Hypothesis Slate

### H1: n1 · by Ann
Claim: c1
Mechanism: m
Third alternative: true

### H2: n2 [KILLED] · by Ann, Bob
Claim: c2
Killed by: Bob
Reason: refuted by T1

### H3: n3 · by Ann
Claim: c3
Mechanism: m
Third alternative: false

## Predictions Table

### P1: late graft · by Ann, Bob
Predictions: H10 = none; alpha = a; zeta = z

## Discriminative Tests

### T1: Graft · by Cy
Procedure: Move them
Discriminates: H1 vs H2
Expected outcomes: H1 = x; H2 = y
Score: cost = 1; speed = 2 (total 3)

## Assumption Ledger

### A1: Scale · by Cy
Statement: Diffusion is fast
Scale check: true
Calculation: t = x^2/2D

## Anomaly Register

### X1: Odd · by Ann
Observation: Some do not
Conflicts with: H1, H2
Also: weather = rain

## Adversarial Critique

### C1: Both · by Bob, Ann
Attack: CONFLICT
CONFLICT: One (Ann, 2026-01-01T12:00:14Z)
CONFLICT: Two (Bob, 2026-01-01T12:00:14Z)
Evidence: A1

`
	if got := delta.RenderPlain(everything(t)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// D19: each line of a document that cannot be meant is refused by its number, in
// the words that help.
func TestReadDocument_NamesTheLine(t *testing.T) {
	t.Parallel()
	const head = "---\nversion: 1\n---\n\n"
	for text, want := range map[string]string{
		head + "## 3. Predictions Table\n\n| Row | Condition | H1 |\n|---|---|---|\n| P1 | c | x |\n":      "line 7: not the head of the table",
		head + "## 3. Predictions Table\n\n| ID |\n|---|\n| P1 |\n":                                        "line 7: not the head of the table",
		head + "## 3. Predictions Table\n\n| ID | Condition | H1 |\n|---|---|---|\n| P1 | c |\n":           "line 9: the row has 2 cells, the head 3",
		head + "## 3. Predictions Table\n\n**P7**\n**Also**: a = b\n":                                      "line 7: P7 is no row of the table",
		head + "## 2. Hypothesis Slate\n\n### T1: A\n**Claim**: c\n":                                       "line 7: T1 does not belong into this section",
		head + "## 2. Hypothesis Slate\n\n### H1: A\n**Colour**: red\n":                                    `line 8: "Colour" is no line of this section`,
		head + "## 2. Hypothesis Slate\n\n### H1: A\n**Claim**: c\n**Mechanism**: m\n**Reason**: r\n":      "line 10: only a killed item has a reason",
		head + "## 2. Hypothesis Slate\n\n### H1: A\n**Claim**: c\n**Mechanism**: m\n**Killed by**: Bob\n": "line 10: only a killed item was killed by somebody",
		head + "## 2. Hypothesis Slate\n\n### H1: A\n**Claim**: c\n**Claim**: d\n":                         "line 9: the item says this twice",
		head + "## 2. Hypothesis Slate\n\n### H1: A\n**Also**: alone\n":                                    "line 8: a field of your own without a value",
		head + "## 2. Hypothesis Slate\n\n### H1: A\nCONFLICT: x\n":                                        "line 8: a CONFLICT that belongs to no field",
		head + "## 2. Hypothesis Slate\n\nwords\n":                                                         "line 7: the line belongs to no field",
		head + "## 2. Hypothesis Slate\n\n**Claim**: c\n":                                                  "line 7: the line belongs to no item",
		head + "## 9. Nothing\n":   `line 5: "Nothing" is no section`,
		head + "words\n":           "line 5: the line stands in no section",
		head + "# One\n\n# Two\n":  "line 7: the document has its title already",
		"---\nversion: one\n---\n": "line 2: not a line of the front matter",
		"---\nversion: 1\n":        "line 1: the front matter is not closed",
		head + "## 4. Discriminative Tests\n\n### T1: A\n**Procedure**: p\n**Score**: cost\n":                                       "line 9: a pair without an equals sign in Score",
		head + "## 4. Discriminative Tests\n\n### T1: A\n**Score**: cost = 1\nCONFLICT: speed = 2 (Ann, 2026-01-01T00:00:00Z, d)\n": "line 9: a CONFLICT of no key",
	} {
		_, err := delta.ReadDocument([]byte(text), importer)
		var e *brenner.Error
		if !errors.As(err, &e) {
			t.Errorf("taken: %q", text)
			continue
		}
		var found []string
		for _, d := range e.Diagnostics {
			found = append(found, d.Subject+": "+d.Message)
		}
		if all := strings.Join(found, "\n"); !strings.Contains(all, want) {
			t.Errorf("want %q, found\n%s\nin %q", want, all, text)
		}
	}
}

// D20: what is wrong in one object of a block does not hold up the other, and
// what stands in the text is reported once.
func TestExtract_EachInItsPlace(t *testing.T) {
	t.Parallel()
	const raw = `{"operation": "EDIT", "target_id": "H1", "section": "hypothesis_slate", "payload": {"claim": "cells count divisions"}}`
	single := strings.ReplaceAll(strings.Replace(raw, "H1", "H2", 1), `"`, `'`)
	env := delta.Envelope{Message: "m", Agent: "Ann", Timestamp: "2026-01-01T00:00:00Z"}
	for name, c := range map[string]struct {
		reply          string
		usable, misses int
	}{
		"a strict one and a loose one":   {"```delta\n" + raw + "\n" + single + "\n```\n", 1, 1},
		"words between":                  {"```delta\n" + raw + "\nand\n" + single + "\n```\n", 0, 2},
		"without quotes, before a block": {"{\noperation: EDIT,\ntarget_id: H2,\nsection: hypothesis_slate,\npayload: {claim: 'it counts'}\n}\n\n```delta\n" + raw + "\n```\n", 1, 1},
		"u before quotes":                {"```delta\n" + strings.ReplaceAll(strings.ReplaceAll(raw, ` "`, ` u"`), `{"`, `{u"`) + "\n```\n", 0, 1},
	} {
		x, err := delta.ReadDeltas([]byte(c.reply), env)
		if err != nil || x.Usable() != c.usable || len(x.Misses) != c.misses {
			t.Errorf("%s: %d deltas, misses %+v, %v", name, x.Usable(), x.Misses, err)
		}
		if mended := x.AcceptMended(); mended.Usable() != c.usable+c.misses {
			t.Errorf("%s: %d deltas when mended", name, mended.Usable())
		}
		for _, m := range x.Misses {
			if strings.Contains(m.Hint, "trailing") {
				t.Errorf("%s: there is no trailing comma: %s", name, m.Hint)
			}
		}
	}
}

// D7: a backslash that JSON took for an escape is found inside a formula, and a
// tab between words is none.
func TestCheck_CommandsOfFormulas(t *testing.T) {
	t.Parallel()
	for claim, refused := range map[string]bool{
		`$x \to y`: true, `\\(\to y`: true, `x^\top`: true, `x_\nu`: true, `a\to b`: false, `$x$ \to b`: false, `\times`: true,
	} {
		raw := say("d", 1, "Ann", "EDIT", "H1", "H", `{"claim":"`+claim+`"}`)
		d, err := delta.Parse([]byte(raw), delta.Envelope{}, 1)
		if err == nil {
			_, err = delta.Check(d)
		}
		if (err != nil) != refused {
			t.Errorf("%s: %v", claim, err)
		}
	}
}

// D8, D20: a delta that cannot be read has the place it stands in for a name, and
// the name it gives itself where that can still be read.
func TestReadDeltas_NamesWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	lines := "{\"operation\":\"EDIT\",\"operation\":\"KILL\"}\n{\"delta_id\":\"mine\",\"operation\":\"EDIT\",\"operation\":\"KILL\"}\n"
	for message, want := range map[string][]string{"m": {"m#1", "mine"}, "": {"", "mine"}} {
		x, err := delta.ReadDeltas([]byte(lines), delta.Envelope{Message: message, Agent: "Ann", Timestamp: "2026-01-01T00:00:00Z"})
		if err != nil || len(x.Entries) != 2 {
			t.Fatalf("%+v, %v", x, err)
		}
		for i, e := range x.Entries {
			if seq := len(message) * (i + 1); e.Invalid == nil || e.Delta.DeltaID != want[i] || e.Delta.Agent != "Ann" || e.Delta.Seq != seq {
				t.Errorf("message %q, delta %d: %+v, seq %d", message, i, e.Delta, seq)
			}
		}
	}
}

// D20: lines that nest deeper than anybody writes are blanked, and the lines
// after them stand where they stood.
func TestExtract_DeepLinesKeepTheirPlace(t *testing.T) {
	t.Parallel()
	reply := strings.Repeat("> ", brenner.MaxReplyNesting+1) + "deep\n\nwords\n\n{\"operation\":\"EDIT\",\"target_id\":\"H1\",\"section\":\"hypothesis_slate\",\"payload\":{\"claim\":\"c\"}}\n"
	x, err := delta.ReadDeltas([]byte(reply), delta.Envelope{Message: "m", Agent: "Ann", Timestamp: "2026-01-01T00:00:00Z"})
	if err != nil || len(x.Misses) != 1 || x.Misses[0].Line != 5 {
		t.Errorf("%+v, %v", x.Misses, err)
	}
}

// D20: a reply that would keep the reader busy for minutes, or fill its memory, is
// refused; a long one that is nested as people nest is read.
func TestExtract_WhatIsNestedOverManyLinesIsRefused(t *testing.T) {
	t.Parallel()
	const block = "\n\n```delta\n{\"operation\":\"KILL\",\"target_id\":\"H1\",\"section\":\"hypothesis_slate\",\"payload\":{\"reason\":\"r\"}}\n```\n"
	stairs := ""
	for i := range 2000 {
		stairs += strings.Repeat("  ", i) + "- a\n"
	}
	inJSON := `{"content": "` + strings.ReplaceAll(strings.Repeat("- ", 60)+"a\n"+strings.Repeat("\n", 30_000)+"~~~delta\n{}\n~~~\n", "\n", `\n`) + `"}`
	for name, reply := range map[string]string{
		"lists over blank lines": strings.Repeat("- ", 60) + "a\n" + strings.Repeat("\n", 30_000),
		"quotes":                 strings.Repeat(strings.Repeat(">", 60)+"\n", 30_000),
		"lists that step in":     stairs,
	} {
		_, err := delta.Extract([]byte(reply+block), delta.Envelope{Message: "m", Agent: "Ann", Timestamp: "2026-01-01T00:00:00Z"})
		if brenner.CodeOf(err) != brenner.CodeLimitExceeded {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, reply := range map[string]string{
		"a long list":       strings.Repeat("- a\n  - b\n    1. c\n", 20_000),
		"rules":             strings.Repeat(strings.Repeat("-", 80)+"\n", 20_000),
		"lists in turn":     strings.Repeat("- - - a\n\nwords\n"+strings.Repeat("words\n", 20), 20_000),
		"in a text of JSON": inJSON,
	} {
		x, err := delta.Extract([]byte(reply+block), delta.Envelope{Message: "m", Agent: "Ann", Timestamp: "2026-01-01T00:00:00Z"})
		if err != nil || x.Usable() != 1 {
			t.Errorf("%s: %d deltas are read, %v", name, x.Usable(), err)
		}
	}
}

// D19: the items of a document are of the instant it says, else of the first.
func TestReadDocument_Instants(t *testing.T) {
	t.Parallel()
	const body = "\n## 2. Hypothesis Slate\n\n### H1: A\n**Claim**: c\n**Mechanism**: m\n"
	for head, want := range map[string]string{
		"---\nversion: 1\n---\n":                                                                     "1970-01-01T00:00:00Z",
		"---\nversion: 1\ncreated_at: 2026-01-02T00:00:00Z\n---\n":                                   "2026-01-02T00:00:00Z",
		"---\nversion: 1\ncreated_at: 2026-01-02T00:00:00Z\nupdated_at: 2026-01-03T00:00:00Z\n---\n": "2026-01-03T00:00:00Z",
	} {
		a, err := delta.ReadDocument([]byte(head+body), importer)
		if err != nil {
			t.Fatal(err)
		}
		it, _ := a.Item("H1")
		if at := delta.FormatInstant(it.History("claim")[0].At); at != want {
			t.Errorf("%s, want %s", at, want)
		}
	}
}

// D4, D20: a word that says there is no target is no name of an item, and is
// corrected to null.
func TestCheck_NoTargetInWords(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"none", "null", "NIL", "undefined", "n/a", "NA", "-", "–"} {
		x, err := delta.ReadDeltas([]byte("```delta\n{\"operation\":\"ADD\",\"target_id\":\""+word+"\",\"section\":\"hypothesis_slate\",\"payload\":{\"claim\":\"c\",\"mechanism\":\"m\"}}\n```\n"),
			delta.Envelope{Message: "m", Agent: "Ann", Timestamp: "2026-01-01T00:00:00Z"})
		if err != nil || x.Usable() != 0 {
			t.Errorf("%s: taken, %v", word, err)
		}
		mended := x.AcceptMended()
		if mended.Usable() != 1 || mended.Entries[0].Delta.TargetID != "" {
			t.Errorf("%s: %+v", word, x.Misses)
		}
	}
}

// D20: a block that was sent as the text of a string, with quotes in its texts.
func TestExtract_EscapedBlock(t *testing.T) {
	t.Parallel()
	raw := `{\"operation\":\"EDIT\",\"target_id\":\"H1\",\"section\":\"hypothesis_slate\",\"payload\":{\"claim\":\"the \\\"clock\\\" counts\"}}`
	x, err := delta.ReadDeltas([]byte("```delta\n"+raw+"\n```\n"), delta.Envelope{Message: "m", Agent: "Ann", Timestamp: "2026-01-01T00:00:00Z"})
	if err != nil || x.Usable() != 0 {
		t.Fatalf("taken, %v", err)
	}
	if mended := x.AcceptMended(); mended.Usable() != 1 || string(mended.Entries[0].Delta.Payload) != `{"claim":"the \"clock\" counts"}` {
		t.Errorf("%+v", x.Misses)
	}
}

// D6, D1: a reason and a rationale may be as long as the limit, and no longer.
func TestCheck_NotesAtTheirLimit(t *testing.T) {
	t.Parallel()
	for _, more := range []int{0, 1} {
		note := strings.Repeat("ü", brenner.MaxNoteRunes+more)
		kill := delta.Delta{
			DeltaID: "d", Timestamp: "2026-01-01T00:00:00Z", Agent: "Ann", Operation: delta.Kill, TargetID: "H1", Section: delta.HypothesisSlate,
			Payload: []byte(`{"reason":"` + note + `"}`),
		}
		if _, err := delta.Check(kill); (err != nil) != (more > 0) {
			t.Errorf("a reason of the limit and %d: %v", more, err)
		}
		kill.Payload, kill.Rationale = nil, note
		if _, err := delta.Check(kill); (err != nil) != (more > 0) {
			t.Errorf("a rationale of the limit and %d: %v", more, err)
		}
	}
}

// D4: who uses the name of another's item is told whose it is, also of the first
// item of a section.
func TestMerge_WhoseNameItIs(t *testing.T) {
	t.Parallel()
	r := mergeAll(t, nil, strings.Replace(say("b", 1, "Bob", "ADD", "-", "X", `{"name":"n","observation":"o"}`), `"rationale"`, `"provisional_id":"X-ODD","rationale"`, 1),
		say("a", 2, "Ann", "EDIT", "X-ODD", "X", `{"name":"m"}`))
	if o := r.Outcomes[1]; o.Status != delta.Waiting || !strings.Contains(o.Hint, "write Bob:X-ODD") {
		t.Errorf("%+v", o)
	}
}

// D19: a document to the letter, and one whose only prediction was killed.
func TestRender_ToTheLetter(t *testing.T) {
	t.Parallel()
	const want = `---
created_at: "2026-01-01T12:00:00Z"
updated_at: "2026-01-01T12:00:14Z"
version: 1
contributors: ["Ann", "Bob", "Cy"]
---

# Session artifact

## 1. Research Thread

### RT
**Statement**: How do cells know when to stop?
**Anchors**: §1, §2

## 2. Hypothesis Slate

### H1: n1
**Claim**: c1
**Mechanism**: m
**Third alternative**: true
**Anchors**: inference

### ~~H2: n2~~ [KILLED]
**Claim**: ~~c2~~
**Killed by**: Bob (2026-01-01T12:00:13Z)
**Reason**: refuted by T1
**Mechanism**: ~~m~~
**Third alternative**: ~~false~~

### H3: n3
**Claim**: c3
**Mechanism**: m
**Third alternative**: false
**Anchors**: inference

## 3. Predictions Table

| ID | Condition | H1 | H3 |
|---|---|---|---|
| P1 | late graft | ~~stays~~ [KILLED] | – |

**P1**
**Predictions**: H10 = none; alpha = a; zeta = z

## 4. Discriminative Tests

### T1: Graft
**Procedure**: Move them
**Discriminates**: H1 vs H2
**Expected outcomes**: H1 = x; H2 = y
**Score**: cost = 1; speed = 2 (total 3)

## 5. Assumption Ledger

### A1: Scale
**Statement**: Diffusion is fast
**Scale check**: true
**Calculation**: t = x^2/2D

## 6. Anomaly Register

### X1: Odd
**Observation**: Some do not
**Conflicts with**: H1, H2
**Also**: weather = rain

## 7. Adversarial Critique

### C1: Both
**Attack**: CONFLICT
CONFLICT: One (Ann, 2026-01-01T12:00:14Z, e1)
CONFLICT: Two (Bob, 2026-01-01T12:00:14Z, e2)
**Evidence**: A1
`
	a := everything(t)
	if got := delta.Render(a); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	killed := mergeAll(t, a, say("kp", 20, "Ann", "KILL", "P1", "P", `{"reason":"none can tell"}`)).Artifact
	if got := delta.Render(killed); !strings.Contains(got, "## 3. Predictions Table\n\nNone yet\n\n### ~~P1: late graft~~ [KILLED]\n") {
		t.Error(got)
	}
}

// ADR 217: how much of a text was changed is counted in what went or what came, whichever is more.
func TestChangedRunes(t *testing.T) {
	for _, c := range []struct {
		before, now string
		want        int
	}{
		{"", "", 0},
		{"ten runs show it", "ten runs show it", 0},
		{"ten runs show it", "nine runs show it", len("nine ")},
		{"ten runs show it", "runs show it", len("ten ")},
		{"ten runs show it", "ten runs show it, and one not", len("it, and one not")},
		{"", "ålar", len([]rune("ålar"))},
	} {
		if got := delta.ChangedRunes(c.before, c.now); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.before, c.now, got, c.want)
		}
	}
}

package stalemate

import (
	"fmt"
	"strings"
	"testing"

	"brenner/anchor"
	"brenner/canon"
)

// disputed is a kind of refusal that parties disagree about: what was sent, the
// cause that it was made with, and what somebody says who has found it.
type disputed struct {
	cause anchor.Cause
	patch string
	// older and other are texts attached besides the one that was patched.
	older, other string
	right        []string
	// named says that the parties name the cause besides.
	named bool
}

const disputedText = "# Plan\n\nimport a\nimport b\n\ndef run(x):\n    if x:\n        return \"yes\"\n    return \"no\"\n\nsetup()\nrun(1)\nsetup()\n"

// quoting is a patch that says which text it is for.
func quoting(anchorText, old, text string) string {
	return string(anchor.Patch{Path: "plan.py", Base: canon.Sum([]byte(disputedText)), Groups: []anchor.Group{{
		Anchor: anchor.Anchor{Text: anchorText, Mode: anchor.Exact}, Ops: []anchor.Op{{Kind: anchor.ReplaceBlock, Old: old, New: text}},
	}}}.JSON())
}

func stringEdit(old, text string) string {
	return string(canon.MustMarshal(map[string]string{"file_path": "plan.py", "old_string": old, "new_string": text}))
}

func disputes(t *testing.T) []disputed {
	t.Helper()
	olderText := strings.Replace(disputedText, "import a", "import old_a", 1)
	was, err := anchor.Canonical([]byte(olderText))
	if err != nil {
		t.Fatal(err)
	}
	becomes, err := anchor.Canonical([]byte(strings.Replace(olderText, "import old_a", "import new_a", 1)))
	if err != nil {
		t.Fatal(err)
	}
	stale, err := anchor.Diff(was, becomes, "plan.py")
	if err != nil {
		t.Fatal(err)
	}
	wrongResult, err := anchor.Parse([]byte(quoting("import a\n", "import b\n", "import c\n")))
	if err != nil {
		t.Fatal(err)
	}
	wrongResult.Result = canon.Sum([]byte("what was promised"))
	return []disputed{
		{cause: anchor.CauseWhitespace, patch: quoting("def run(x):\n", "   if x:\n", "   if y:\n"), right: []string{
			"The old block is indented by three spaces and the file by four.",
			"The indentation of the quoted line is off.",
			"White space: the author trimmed a blank at the start of the line.",
		}},
		{cause: anchor.CauseInvisible, patch: quoting("import\u200b a\n", "import b\n", "import c\n"), right: []string{
			"There is a zero-width space in the anchor.",
			"An invisible character got into the quotation.",
			"Somewhere a hidden character was pasted along.",
		}},
		{cause: anchor.CauseConfusable, patch: quoting("    if x:\n", "        return “yes”\n", "        return \"maybe\"\n"), right: []string{
			"The patch has curly quotes where the file has straight ones.",
			"An editor replaced the quotation marks by typographic characters.",
			"Smart quotes in the old block.",
		}},
		{cause: anchor.CauseLineNumbers, patch: stringEdit("     3→import a\n     4→import b\n", "     3→import c\n"), right: []string{
			"The line numbers of the viewer were quoted along.",
			"Its lines begin with a line-number prefix that is not part of the file.",
			"BlueLake copied numbered lines from the reading tool.",
		}},
		{cause: anchor.CauseFence, patch: stringEdit("```python\nimport a\n```\n", "import c\n"), right: []string{
			"The code fence is inside the old text.",
			"Backticks from the chat were taken over into the quotation.",
			"The quotation contains the fences of a code block.",
		}},
		{cause: anchor.CauseMarkers, patch: quoting("# Plan\n\n", "-import a\n", "import c\n"), right: []string{
			"The old block carries diff markers.",
			"A leading minus from a diff was left in.",
			"The minus sign in front of the line is not in the file.",
		}},
		{cause: anchor.CauseEscapeLevel, patch: stringEdit(`import a\nimport b`, "import c"), right: []string{
			"The newline was escaped twice, so a backslash and an n are looked for.",
			"Double-escaped: the quotation has a literal backslash.",
			"The escaping is one level too deep.",
		}},
		{cause: anchor.CauseElided, patch: stringEdit("import a\n...\nrun(1)\n", "import c\n"), right: []string{
			"The middle was left out and replaced by dots.",
			"An ellipsis stands for lines that the file has.",
			"RedSky abbreviated the old text.",
		}},
		{cause: anchor.CauseStaleBase, patch: string(stale.JSON()), older: olderText, right: []string{
			"The file was changed after the patch was made.",
			"It was made for an older version of the file.",
			"Somebody else edited the text in the meantime.",
		}},
		{cause: anchor.CauseAmbiguous, patch: stringEdit("setup()\n", "start()\n"), right: []string{
			"The quoted line occurs twice, so it is ambiguous.",
			"The anchor is not unique.",
			"It matches in more than one place.",
		}},
		{cause: anchor.CauseNotAdjacent, patch: quoting("import a\n", "def run(x):\n", "def go(x):\n"), right: []string{
			"The old block does not come directly after the anchor.",
			"There are lines between anchor and old block.",
			"Anchor and block are not adjacent.",
		}},
		{cause: anchor.CauseNoSuchText, patch: stringEdit("from moon import zebra, giraffe\n", "import c\n"), right: []string{
			"The quoted line does not exist in the file.",
			"The agent hallucinated that line.",
			"There is no such line and never was.",
		}},
		{cause: causeUnreadable, patch: strings.Replace(quoting("import a\n", "import b\n", "import c\n"), "replace_block", "swap_block", 1), right: []string{
			"The patch is malformed: it names an operation that does not exist.",
			"It is not valid: unknown op.",
			"The patch cannot be parsed.",
		}},
		{cause: anchor.CauseWrongResult, patch: string(wrongResult.JSON()), right: []string{
			"The result_sha256 that the patch promises is wrong.",
			"The checksum of the result was computed from something else.",
			"The hash of the result does not fit.",
		}},
		{cause: anchor.CauseOtherFile, patch: stringEdit("rows = load(path)\n", "rows = read(path)\n"), other: "rows = load(path)\nprint(rows)\n", right: []string{
			"The edit was meant for another file.",
			"It is the wrong file: load.py has that line.",
			"The path is that of a different file.",
		}},
	}
}

// vague is what nobody can test by a replay.
var vague = []string{
	"BlueLake never reads the documentation.",
	"We should agree on a way of working first.",
	"Something is odd about this project.",
}

// S5, S6: disputes raised as the help of `stalemate raise` shows, in the
// parties' own words and without a cause field: outcome and findings are right,
// and no finding contradicts the outcome or another.
func TestArbitrate_DecidesDisputesInThePartiesOwnWords(t *testing.T) {
	decideDisputes(t, disputes(t), vague).check(t)
}

// disputeTally counts how disputes were decided.
type disputeTally struct {
	kinds, all, outcomes, findings, rightFindings int
	// misjudged counts findings that are wrong and not undetermined.
	misjudged int
}

func (d disputeTally) String() string {
	return fmt.Sprintf("%d disputes of %d kinds: outcome right in %d, %d of %d findings right, %d misjudged", d.all, d.kinds, d.outcomes, d.rightFindings, d.findings, d.misjudged)
}

func (d disputeTally) check(t *testing.T) {
	t.Helper()
	t.Log(d)
	if d.all < 50 || d.outcomes*100 < d.all*90 || d.rightFindings*100 < d.findings*85 {
		t.Error(d)
	}
}

// holding is a hypothesis and what should be ruled on it.
type holding struct {
	says  string
	want  Ruling
	cause anchor.Cause // if it is named
}

// decideDisputes lets the arbiter decide five disputes of each kind: with the
// right hypothesis on either side, among the alternatives, nowhere, and nowhere
// beside one that cannot be tested.
func decideDisputes(t *testing.T, kinds []disputed, idle []string) disputeTally {
	t.Helper()
	n := disputeTally{kinds: len(kinds)}
	for i, k := range kinds {
		holds := func(o disputed, j int, want Ruling) holding {
			h := holding{says: o.right[j%len(o.right)], want: want}
			if o.named {
				h.cause = o.cause
			}
			return h
		}
		right := func(j int) holding { return holds(k, j, Upheld) }
		wrong := func(j int) holding {
			return holds(kinds[(i+j)%len(kinds)], i+j, Refuted) // j is never a multiple of the number of kinds
		}
		idle := func(j int) holding { return holding{says: idle[(i+j)%len(idle)], want: Undetermined} }
		for j, c := range []struct {
			hypotheses []holding // two parties and an alternative
			want       Outcome
		}{
			{[]holding{right(0), wrong(1), wrong(3)}, HypothesisUpheld},
			{[]holding{wrong(2), right(1), idle(0)}, HypothesisUpheld},
			{[]holding{wrong(4), wrong(5), right(2)}, HypothesisUpheld},
			{[]holding{wrong(6), wrong(7), wrong(8)}, OtherCause},
			{[]holding{wrong(9), idle(1), wrong(10)}, InsufficientEvidence},
		} {
			s, err := Raise(k.between(c.hypotheses))
			if err != nil {
				t.Fatal(err)
			}
			v := Arbitrate(s)
			if err := CheckVerdict(s, v); err != nil {
				t.Errorf("%s, %d: the verdict contradicts itself: %v", k.cause, j, err)
			}
			n.all++
			if v.Outcome == c.want {
				n.outcomes++
			} else {
				t.Logf("%s, %d: %s instead of %s; %s", k.cause, j, v.Outcome, c.want, v.RootCause)
			}
			for at, f := range v.Findings {
				n.findings++
				if f.Ruling == c.hypotheses[at].want {
					n.rightFindings++
				} else {
					if f.Ruling != Undetermined {
						n.misjudged++
					}
					t.Logf("%s, %d: %q is %s instead of %s: %s", k.cause, j, c.hypotheses[at].says, f.Ruling, c.hypotheses[at].want, f.Reason)
				}
			}
		}
	}
	return n
}

// between is the dispute of two parties, with an alternative.
func (k disputed) between(h []holding) Stalemate {
	s := Stalemate{
		RaisedAt: "2026-01-02T03:04:05Z", Summary: "the patch is refused again and again", Target: "plan.py", Request: "say who is right",
		Hypotheses: []Hypothesis{
			{Author: "BlueLake", Statement: h[0].says, Justification: "I have looked at it.", Cause: string(h[0].cause)},
			{Author: "RedSky", Statement: h[1].says, Justification: "It was so the last time.", Cause: string(h[1].cause)},
		},
		Alternatives: []Hypothesis{{Statement: h[2].says, Justification: "It happens.", Cause: string(h[2].cause)}},
		Evidence:     []Evidence{{Kind: KindPatch, Content: k.patch}, {Kind: KindFileContent, Path: "plan.py", Content: disputedText}},
	}
	if k.older != "" {
		s.Evidence = append(s.Evidence, Evidence{Kind: KindOlderContent, Path: "plan.py", Content: k.older})
	}
	if k.other != "" {
		s.Evidence = append(s.Evidence, Evidence{Kind: KindFileContent, Path: "load.py", Content: k.other})
	}
	return s
}

package anchor

import (
	"os"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/canon"
)

// P11: each kind of mistake is told from the others, and mended where that can
// be proved.
func TestExplain_TellsMistakesApart(t *testing.T) {
	const code = "func add(a, b int) int {\n\treturn a + b\n}\n\nfunc sub(a, b int) int {\n\treturn a - b\n}\n"
	for _, c := range []struct {
		name, base string
		g          Group
		cause      Cause
		want       string // the corrected result, "" if none may be offered
	}{
		{"escape level", code, replace(`int {\n\treturn a + b\n`, "", "\t// done\n"), CauseEscapeLevel, strings.Replace(code, "a + b\n", "a + b\n\t// done\n", 1)},
		{"white space", code, replace("func add(a, b int) int {\n", "    return a + b\n", "    return b + a\n"), CauseWhitespace, strings.Replace(code, "a + b", "b + a", 1)},
		{"no-break space", code, replace("func\u00a0add", "", "2"), CauseInvisible, strings.Replace(code, "add", "add2", 1)},
		{"zero width", "alpha beta\n", replace("alpha ", "be\u200bta", "gamma"), CauseInvisible, "alpha gamma\n"},
		{"the text itself has the odd one", "alpha\u00a0beta\n", replace("alpha ", "beta", "gamma"), CauseInvisible, "alpha\u00a0gamma\n"},
		{"confusable", "say \"hi\"\n", replace("say ", "“hi”", "“ho”"), CauseConfusable, "say \"ho\"\n"},
		{"cyrillic", "case one\n", replace("cаse ", "one", "two"), CauseConfusable, "case two\n"},
		{"normal form", "café au lait\n", replace("cafe\u0301 ", "au", "sans"), CauseNormalForm, "café sans lait\n"},
		{"line numbers", code, replace("  1: func add(a, b int) int {\n", "  2: \treturn a + b\n", "  2: \treturn 7\n"), CauseLineNumbers, strings.Replace(code, "a + b", "7", 1)},
		{"line numbers as read by tools", code, replace("", "     1→func add(a, b int) int {\n", "func plus(a, b int) int {\n"), CauseLineNumbers, strings.Replace(code, "add", "plus", 1)},
		{"elided", "start\none\ntwo\nthree\nend\n", replace("start\n", "one\n...\nthree\n", "ONE\n...\nTHREE\n"), CauseElided, "start\nONE\ntwo\nTHREE\nend\n"},
		{"no newline at the end", "a\nb", replace("a\n", "b\n", "c\n"), CauseLineEndings, "a\nc"},
		{"line separator", "a\nb\n", replace("a\u2028", "b", "c"), CauseLineEndings, "a\nc\n"},
		{"already applied", "key = new\n", replace("key = ", "old", "new"), CauseAlreadyApplied, ""},
		{"ambiguous", code, replace("int {\n", "\treturn a", "\treturn 1"), CauseAmbiguous, ""},
		{"not adjacent", "head\nneck\nbody\n", replace("head\n", "body", "x"), CauseNotAdjacent, "head\nneck\nx\n"},
		{"old block in anchor", "head\nbody\n", replace("head\nbody\n", "body\n", "x\n"), CauseOldInAnchor, "head\nx\n"},
		{"wrong index", "one two\n", indexed(2, replace("one ", "two", "2")), CauseWrongIndex, "one 2\n"},
		{"overlap", "abc", replace("", "ab", "x"), CauseOverlap, ""},
		{"nothing like it", "abc\n", replace("completely different", "", "x"), CauseNoSuchText, ""},
	} {
		base := text(c.base)
		p := patchFor(base, c.g)
		if c.cause == CauseOverlap {
			p.Groups = append(p.Groups, replace("a", "b", "y"))
		}
		x := Explain(p, base, Elsewhere{})
		if x.Cause() != c.cause {
			t.Errorf("%s: %s", c.name, x)
			continue
		}
		if (x.Corrected != nil) != (c.want != "") {
			t.Errorf("%s: corrected %v, want %q\n%s", c.name, x.Corrected, c.want, x)
			continue
		}
		if x.Corrected == nil {
			continue
		}
		if res, err := Apply(*x.Corrected, base); err != nil || res.Text.s != c.want {
			t.Errorf("%s: corrected gives %q, %v; want %q", c.name, res.Text.s, err, c.want)
		}
	}
}

// P11: a checksum over the wrong form of the text is recognised.
func TestExplain_RecognisesChecksumsOfOtherForms(t *testing.T) {
	raw := []byte("\ufeffa\r\nb\r\n")
	base := mustCanonical(t, raw)
	for form, cause := range map[string]Cause{
		string(raw): CauseLineEndings, "a\r\nb\r\n": CauseLineEndings, "a\rb\r": CauseLineEndings,
		"\ufeffa\nb\n": CauseInvisible, "a\nb": CauseLineEndings, "a\nb\n\n": CauseLineEndings,
	} {
		p := patchFor(base, replace("a\n", "b", "c"))
		p.Base = canon.Sum([]byte(form))
		x := Explain(p, base, Elsewhere{})
		if x.Code != brenner.CodeBaseMismatch || x.Cause() != cause || x.Corrected == nil || x.Corrected.Base != base.Sum() {
			t.Errorf("%q: %s", form, x)
		}
		p = patchFor(base, replace("a\n", "b", "b"))
		p.Result = canon.Sum([]byte(form))
		x = Explain(p, base, Elsewhere{})
		if x.Code != brenner.CodeResultMismatch || x.Cause() != cause || x.Corrected == nil {
			t.Errorf("result %q: %s", form, x)
		}
	}
}

// P11: text found in an older version or another file.
func TestExplain_LooksElsewhere(t *testing.T) {
	now, older, other := text("alpha\n\nbeta 2\n"), text("alpha\n\nbeta 1\n"), text("gamma\n")
	e := Elsewhere{Older: []Named{{"notes@1", older}}, Others: []Named{{"other.txt", other}}}
	for _, c := range []struct {
		name  string
		p     Patch
		cause Cause
		found string
		fixed bool
	}{
		{"made for an older version", patchFor(older, replace("", "alpha", "ALPHA")), CauseOlderVersion, "notes@1", true},
		{"made for an older version, in conflict", patchFor(older, replace("beta ", "1", "3")), CauseOlderVersion, "notes@1", false},
		{"quoting an older version", patchFor(now, replace("alpha\n\n", "beta 1\n", "x")), CauseOlderVersion, "notes@1", false},
		{"made for another file", patchFor(other, replace("", "gamma", "x")), CauseOtherFile, "other.txt", true},
		{"quoting another file", patchFor(now, replace("", "gamma\n", "x")), CauseOtherFile, "other.txt", false},
	} {
		x := Explain(c.p, now, e)
		if x.Cause() != c.cause || x.Findings[0].Found != c.found || (x.Corrected != nil) != c.fixed {
			t.Errorf("%s: %s", c.name, x)
		}
	}
	x := Explain(patchFor(other, replace("", "gamma", "x")), Absent(), e)
	if x.Code != brenner.CodeBaseUnknown || x.Cause() != CauseOtherFile || x.Corrected == nil || x.Corrected.Path != "other.txt" {
		t.Errorf("absent: %s", x)
	}
	if x := Explain(patchFor(now), Absent(), Elsewhere{}); x.Cause() != CauseNoSuchText {
		t.Errorf("absent: %s", x)
	}
}

// P11: every ambiguous place is listed with the shortest anchor that is unique.
func TestExplain_ListsAmbiguousPlaces(t *testing.T) {
	base := text("a1 x; b1 x; b2 x;")
	p := patchFor(base, replace(" ", "x", "y"))
	x := Explain(p, base, Elsewhere{})
	f := x.Findings[0]
	want := []Place{{1, 3, 1, "a1 "}, {1, 9, 3, "b1 "}, {1, 15, 5, "2 "}}
	if f.Cause != CauseAmbiguous || f.PlaceCount != 3 || len(f.Places) != 3 {
		t.Fatalf("%s", x)
	}
	for i, got := range f.Places {
		if got != want[i] {
			t.Errorf("place %d: %+v, want %+v", i, got, want[i])
		}
		q := patchFor(base, replace(got.Anchor, "x", "y"))
		if res, err := Apply(q, base); err != nil || strings.Index(res.Text.s, "y") != got.Column {
			t.Errorf("place %d: anchor %q gives %q, %v", i, got.Anchor, res.Text.s, err)
		}
		shorter := patchFor(base, replace(got.Anchor[1:], "x", "y"))
		if _, err := Apply(shorter, base); brenner.CodeOf(err) != brenner.CodeAnchorAmbiguous {
			t.Errorf("place %d: %q would have been enough", i, got.Anchor[1:])
		}
	}
	if x.Corrected != nil {
		t.Error("guessed a place")
	}
	p.Result = canonicalDigest("a1 x; b1 y; b2 x;")
	if x := Explain(p, base, Elsewhere{}); x.Corrected == nil {
		t.Error("the promised result tells which place is meant")
	}
}

// P11: nothing is offered that does not give the promised result.
func TestExplain_NeverBreaksThePromise(t *testing.T) {
	base := text("alpha beta\n")
	p := patchFor(base, replace("alpha  ", "beta", "gamma"))
	p.Result = canonicalDigest("something else\n")
	if x := Explain(p, base, Elsewhere{}); x.Cause() != CauseWhitespace || x.Corrected != nil {
		t.Errorf("%s", x)
	}
	p = patchFor(base, replace("alpha ", "beta", "gamma"))
	p.Result = canonicalDigest("something else\n")
	if x := Explain(p, base, Elsewhere{}); x.Code != brenner.CodeResultMismatch || x.Cause() != CauseWrongResult || x.Corrected != nil {
		t.Errorf("%s", x)
	}
}

// P11: with a promised result, a new block written at another level is mended.
func TestExplain_MendsNewBlocks(t *testing.T) {
	base := text("a\nb\n")
	for new, cause := range map[string]Cause{`x\ny`: CauseEscapeLevel, "x\ny\u200b": CauseInvisible, "x\ny\n": CauseLineEndings, "1| x\n2| y": CauseLineNumbers} {
		p := patchFor(base, replace("a\n", "b", new))
		p.Result = canonicalDigest("a\nx\ny\n")
		if x := Explain(p, base, Elsewhere{}); x.Cause() != cause || x.Corrected == nil {
			t.Errorf("%q: %s", new, x)
		}
	}
}

func TestExplain_SaysWhenThereIsNothingToExplain(t *testing.T) {
	base := text("a\n")
	if x := Explain(patchFor(base, replace("", "a", "b")), base, Elsewhere{}); x.Outcome != Applied || x.Code != "" || !strings.Contains(x.String(), "applies") {
		t.Errorf("%s", x)
	}
	if x := Explain(Patch{}, base, Elsewhere{}); x.Code != brenner.CodeInvalidPatch {
		t.Errorf("%s", x)
	}
}

// P11: people see the code points and a caret at the first difference.
func TestExplain_ReadsWell(t *testing.T) {
	base := text("# Plan\n\n\tcost = price * qty\n\ttotal = cost + tax\n")
	for file, p := range map[string]Patch{
		"nbsp":      patchFor(base, replace("\tcost\u00a0= ", "price", "amount")),
		"ambiguous": patchFor(base, replace("cost", "", "s")),
		"nearest":   patchFor(base, replace("\ttotal = cost + taxes\n", "", "x\n")),
	} {
		golden := "testdata/explain/" + file + ".txt"
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got := Explain(p, base, Elsewhere{}).String(); got != string(want) {
			t.Errorf("%s:\n%s\nwant\n%s", file, got, want)
		}
	}
}

// P11. Where a quotation has a mistake in every line and other white space too,
// the difference is shown at the line that the quotation begins with, not at the
// one behind its anchor, also where it fits several times.
func TestExplain_DifferenceBeginsWhereTheQuotationDoes(t *testing.T) {
	const base = "head\nfirst(a, b)\nsecond(c, d)\nthird()\n"
	for _, text := range []string{base, base + base} {
		p := Patch{Path: "f", Base: Text{s: text}.Sum(), Groups: []Group{{
			Anchor: Anchor{Text: "7: first(a,  b)\n"},
			Ops:    []Op{{Kind: ReplaceBlock, Old: "8: second(c,  d)\n", New: "other()\n"}},
		}}}
		f := Explain(p, Text{s: text}, Elsewhere{}).Findings[0]
		if f.Cause != CauseLineNumbers || f.Difference == nil || f.Difference.Line != 2 || f.Difference.Column != 1 {
			t.Errorf("%q: %s, %+v", text, f.Cause, f.Difference)
		}
	}
}

// P11. Two characters that begin with the same bytes differ as a whole.
func TestDifference_NamesWholeCharacters(t *testing.T) {
	for _, c := range []struct {
		text, quoted        string
		column              int
		textChar, patchChar string
	}{
		{"café\n", "cafè\n", 4, `U+00E9 "é"`, `U+00E8 "è"`},
		{"one € two\n", "one ₭ two\n", 5, `U+20AC "€"`, `U+20AD "₭"`},
		{"é", "è", 1, `U+00E9 "é"`, `U+00E8 "è"`},
		{"gone 🙂\n", "gone 🙁\n", 6, `U+1F642 "🙂"`, `U+1F641 "🙁"`},
	} {
		d := difference("above\n"+c.text, len("above\n"), c.quoted)
		if d.TextChar != c.textChar || d.PatchChar != c.patchChar || d.Line != 2 || d.Column != c.column || d.Caret != c.column-1 {
			t.Errorf("%q, %q: %+v", c.text, c.quoted, *d)
		}
	}
}

// P11. A line that is broken only in the quotation, or only in the text, says
// nothing of how lines are indented.
func TestIndents_LearnsOfLinesThatBothBreak(t *testing.T) {
	gaps := func(list ...string) (out []token) {
		for _, g := range list {
			out = append(out, token{gap: g})
		}
		return out
	}
	var n indents
	n.learnGaps(gaps("\n ", "\n    ", " ", " ", "\n\n\t"), gaps("\n", " ", "\n  ", " ", "\n  "))
	if !slices.Equal(n.was, []string{"\t"}) || !slices.Equal(n.real, []string{"  "}) {
		t.Errorf("%q, %q", n.was, n.real)
	}
}

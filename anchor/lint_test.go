package anchor_test

import (
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/anchor"
)

// P17: a patch that fits and looks odd is applied, with a warning that names
// what is odd; one that looks right has none.
func TestLint_NamesWhatLooksOdd(t *testing.T) {
	const base = "func add(a, b int) int {\n\tsum := a + b\n\treturn sum\n}\n\nfunc main() {\n\tadd(1, 2)\n}\n"
	for _, c := range []struct {
		name, anchor, old, fresh string
		code                     brenner.Code
	}{
		{"a change", "\tsum := ", "a + b", "b + a", ""},
		{"a new line", "int {\n", "", "\t// the sum\n", ""},
		{"the anchor again", "func add(a, b int) int {\n", "", "func add(a, b int) int {\n\tcount++\n", brenner.CodeLineRepeated},
		{"two lines in one", "\tsum := a + b\n", "\treturn sum\n", "\treturn sum + 1", brenner.CodeLinesJoined},
		{"the end of the text", "\tadd(1, 2)\n", "}\n", "}", brenner.CodeFinalNewlineLost},
		{"spaces among tabs", "int {\n", "", "    count++\n", brenner.CodeIndentationBroken},
		{"inside a word", "\tsum := a + b\n", "\treturn su", "\treturn total", brenner.CodeBlockCutShort},
		{"a bracket too many", "\tsum := ", "a + b", "a + b)", brenner.CodeBlockCutShort},
		{"a list", "int {\n", "", "\t// a) the sum, b) of both, 12) and no more\n", ""},
		{"a mark of a diff", "int {\n", "", "+\tcount++\n", brenner.CodeBlockMarked},
		{"a space that is none", "\tsum := ", "a + b", "a\u00a0+ b", brenner.CodeOddCharacters},
		{"an answer", "int {\n", "\tsum := a + b\n", "\tsum := b + a\nNothing else had to change here.\n", brenner.CodeBlockMarked},
		{"an arrow", "int {\n", "", "\t// a and b → their sum, ≥ both\n", ""},
		{"prose in code", "int {\n", "", "\t// the sum – of “both”…\n", brenner.CodeOddCharacters},
		{"an arrow of a listing", "int {\n", "", "\t// 12→the sum\n", brenner.CodeOddCharacters},
	} {
		text, err := anchor.Canonical([]byte(base))
		if err != nil {
			t.Fatal(err)
		}
		res, err := anchor.Apply(anchor.Patch{Base: text.Sum(), Groups: []anchor.Group{{
			Anchor: anchor.Anchor{Text: c.anchor},
			Ops:    []anchor.Op{{Kind: anchor.ReplaceBlock, Old: c.old, New: c.fresh}},
		}}}, text)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var codes []string
		for _, w := range res.Warnings {
			codes = append(codes, string(w.Code))
			if w.Severity != brenner.SeverityWarning || w.Hint == "" || w.Message == "" {
				t.Errorf("%s: %+v", c.name, w)
			}
		}
		if c.code == "" && len(codes) > 0 || c.code != "" && !slices.Contains(codes, string(c.code)) {
			t.Errorf("%s: warned of %s, want %q", c.name, strings.Join(codes, ", "), c.code)
		}
	}
}

// P17: signs by which prose is set are not odd in prose.
func TestLint_LeavesTheTypographyOfProse(t *testing.T) {
	text, err := anchor.Canonical([]byte("# Weir\n\nThe weir was measured twice, and it was \"level\" both times.\nThe mill was not, since nobody had the key to it.\n"))
	if err != nil {
		t.Fatal(err)
	}
	warned := func(fresh string) bool {
		res, err := anchor.Apply(anchor.Patch{Base: text.Sum(), Groups: []anchor.Group{{
			Anchor: anchor.Anchor{Text: "# Weir\n\n"},
			Ops:    []anchor.Op{{Kind: anchor.ReplaceBlock, New: fresh}},
		}}}, text)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(res.Warnings, func(w brenner.Diagnostic) bool { return w.Code == brenner.CodeOddCharacters })
	}
	if warned("It doesn’t leak – it “sweats”… at 4 ± 1 °C.\n") {
		t.Error("typography is odd in prose")
	}
	if !warned("It doesn\u200bt leak.\n") {
		t.Error("what cannot be seen is not odd")
	}
}

// P17: a sentence that the text had is no answer to whoever asked for the change.
func TestLint_ASentenceOfTheTextIsNoAnswer(t *testing.T) {
	rest := strings.Repeat("alpha=1\n", 100)
	base := rest + "True, nothing half done.\n"
	for fresh, marked := range map[string]bool{
		rest + "i=9\nTrue, nothing half done.\n": false,
		rest + "i=9\nThat is all there is.\n":    true,
	} {
		text, err := anchor.Canonical([]byte(base))
		if err != nil {
			t.Fatal(err)
		}
		res, err := anchor.Apply(anchor.Patch{Base: text.Sum(), Groups: []anchor.Group{{Ops: []anchor.Op{{Kind: anchor.ReplaceBlock, Old: base, New: fresh}}}}}, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(res.Warnings, func(d brenner.Diagnostic) bool { return d.Code == brenner.CodeBlockMarked }); got != marked {
			t.Errorf("%q: %+v", fresh, res.Warnings)
		}
	}
}

// P17: prose has no indentation to break: only code has, in a fence or by itself.
func TestLint_ProseIsNotIndentedWrong(t *testing.T) {
	list := "# Plan\n\n- The first step is to measure it.\n  It goes on with what was found.\n  It ends with a report.\n- The second step is to ask again.\n  It goes on as well.\n  And so on.\n"
	fence := "The code of it is here.\n\n```\nfor all of them\n    keep the value here\n    keep the next one\n    keep the last one\n```\n"
	code := "def f(x):\n    a = 1\n    b = 2\n    c = 3\n    return a\n"
	for name, c := range map[string]struct {
		base, anchor, old, fresh string
		want                     bool
	}{
		"a sentence further left":  {list, "measure it.\n", "  It goes on with what was found.\n", "Then it is written down by somebody else.\n", false},
		"a sentence off its steps": {list, "measure it.\n", "  It goes on with what was found.\n", "   It goes on with what is there.\n", false},
		"words in a fence":         {fence, "keep the value here\n", "    keep the next one\n", "keep the other one\n", true},
		"code":                     {code, "a = 1\n", "    b = 2\n", "b = 3\n", true},
	} {
		text, err := anchor.Canonical([]byte(c.base))
		if err != nil {
			t.Fatal(err)
		}
		res, err := anchor.Apply(anchor.Patch{Base: text.Sum(), Groups: []anchor.Group{{
			Anchor: anchor.Anchor{Text: c.anchor},
			Ops:    []anchor.Op{{Kind: anchor.ReplaceBlock, Old: c.old, New: c.fresh}},
		}}}, text)
		if err != nil {
			t.Fatal(name, err)
		}
		if got := slices.ContainsFunc(res.Warnings, func(w brenner.Diagnostic) bool { return w.Code == brenner.CodeIndentationBroken }); got != c.want {
			t.Errorf("%s: %+v", name, res.Warnings)
		}
	}
}

package anchor

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"brenner"
)

func text(s string) Text { return Text{s: s} }

// patchFor makes a patch of groups for a base.
func patchFor(base Text, groups ...Group) Patch {
	return Patch{Path: "f", Base: base.Sum(), Groups: groups}
}

func replace(anchor, old, new string) Group {
	return Group{Anchor{anchor, Exact}, []Op{{Kind: ReplaceBlock, Old: old, New: new}}}
}

func loosely(g Group) Group {
	g.Anchor.Mode = IgnoreWhitespace
	return g
}

func indexed(i int, g Group) Group {
	g.Ops[0].Index = i
	return g
}

// P2: invalid UTF-8 and NUL are refused with their place, never substituted.
func TestCanonical_RefusesWhatIsNotText(t *testing.T) {
	for raw, want := range map[string]string{
		"a\nb\xffc":         "byte 3",
		"\x89PNG\r\n\x00":   "byte 6 is U+0000",
		"ok\x00":            "byte 2 is U+0000",
		"\xc3":              "byte 0",
		"\xed\xa0\x80 half": "byte 0",
	} {
		got, err := Canonical([]byte(raw))
		if brenner.CodeOf(err) != brenner.CodeInvalidText || !strings.Contains(err.Error(), want) || got.s != "" {
			t.Errorf("%q: %v, want INVALID_TEXT naming %s", raw, err, want)
		}
	}
}

// P2: one byte order mark goes, CRLF then CR become LF.
func TestCanonical_Form(t *testing.T) {
	for raw, want := range map[string]string{
		"\ufeff\ufeffa": "\ufeffa", "a\r\nb\rc\n": "a\nb\nc\n", "\r\r\n": "\n\n", "": "", "\ufeff": "",
	} {
		got := mustCanonical(t, []byte(raw))
		if got.s != want || string(got.Bytes()) != raw {
			t.Errorf("%q: %q, back %q", raw, got.s, got.Bytes())
		}
	}
}

// P3: byte order mark and endings return; new lines take their neighbour's.
func TestApply_RestoresSpelling(t *testing.T) {
	for _, c := range []struct{ raw, anchor, old, new, want string }{
		{"\ufeffa\r\nb\r\n", "a\n", "", "x\ny\n", "\ufeffa\r\nx\r\ny\r\nb\r\n"},
		{"a\r\nb\nc\rd", "a\n", "b\n", "B\nB2\n", "a\r\nB\r\nB2\nc\rd"},
		{"a\r\nb\nc\rd", "", "", "n\n", "n\r\na\r\nb\nc\rd"},
		{"a\r\nb\nc\rd", "c\n", "d", "d\ne\n", "a\r\nb\nc\rd\re\r"},
		{"a\rX\nb", "a\n", "X", "", "a\r\r\nb"}, // or the two line ends would melt into one
		{"one", "one", "", "\ntwo", "one\ntwo"},
		{"a\r\n", "", "a\n", "", ""},
	} {
		base := mustCanonical(t, []byte(c.raw))
		res, err := Apply(patchFor(base, replace(c.anchor, c.old, c.new)), base)
		if err != nil || string(res.Text.Bytes()) != c.want {
			t.Errorf("%q: %q, %v; want %q", c.raw, res.Text.Bytes(), err, c.want)
		}
	}
}

// P3: also when the whole file is replaced, lines that stay keep their ending.
func TestApply_EntireFileKeepsEndingsOfKeptLines(t *testing.T) {
	base := mustCanonical(t, []byte("one\r\ntwo\nthree\r\nfour\n"))
	p := patchFor(base, Group{Ops: []Op{{Kind: ReplaceEntireFile, New: "zero\none\ntwo\nTHREE\nfour\n"}}})
	res, err := Apply(p, base)
	if want := "zero\r\none\r\ntwo\nTHREE\r\nfour\n"; err != nil || string(res.Text.Bytes()) != want {
		t.Errorf("%q, %v; want %q", res.Text.Bytes(), err, want)
	}
}

// P4, P10: every position is the base's, and a refusal has one code.
func TestApply_Table(t *testing.T) {
	const base = "alpha one\nbeta one\nalpha two\nbeta two\n"
	for _, c := range []struct {
		name   string
		base   string
		groups []Group
		want   string
		code   brenner.Code
	}{
		{"replace", base, []Group{replace("beta ", "two", "2")}, "alpha one\nbeta one\nalpha two\nbeta 2\n", ""},
		{"delete", base, []Group{{Anchor{"one\n", Exact}, []Op{{Kind: DeleteBlock, Old: "beta one\n"}}}}, "alpha one\nalpha two\nbeta two\n", ""},
		// P8: insertion, and the empty anchor
		{"insert", base, []Group{replace("beta one\n", "", "gamma\n")}, "alpha one\nbeta one\ngamma\nalpha two\nbeta two\n", ""},
		{"insert at the start", base, []Group{replace("", "", "# ")}, "# " + base, ""},
		{"replace at the start", base, []Group{replace("", "alpha", "ALPHA")}, "ALPHA" + base[5:], ""},
		{"the empty anchor is only the start", base, []Group{replace("", "beta", "x")}, "", brenner.CodeOldBlockMismatch},
		{"the start has one occurrence", base, []Group{indexed(2, replace("", "", "x"))}, "", brenner.CodeAnchorNotFound},
		{"insert into nothing", "", []Group{replace("", "", "x")}, "x", ""},
		// P4: what one group writes, no other sees
		{"new text is not matched", "a b", []Group{replace("a ", "b", "c"), replace("", "a", "c b")}, "c b c", ""},
		{"groups meet without touching", "abc", []Group{replace("a", "b", "X"), replace("b", "c", "Y")}, "aXY", ""},
		{"overlap", "abcd", []Group{replace("a", "bc", "X"), replace("b", "cd", "Y")}, "", brenner.CodeOverlap},
		{"same start", "abcd", []Group{replace("a", "b", "X"), replace("a", "", "Y")}, "", brenner.CodeOverlap},
		{"two insertions in one place", "ab", []Group{replace("a", "", "X"), replace("a", "", "Y")}, "", brenner.CodeOverlap},
		{"one inside the other", "abcdef", []Group{replace("a", "bcdef", "X"), replace("c", "d", "Y")}, "", brenner.CodeOverlap},
		{"all or nothing", base, []Group{replace("beta ", "two", "2"), replace("no such", "", "x")}, "", brenner.CodeAnchorNotFound},
		// P6: the index counts every start position; without one the fit must be unique
		{"fit chooses the occurrence", base, []Group{replace("alpha ", "two", "2")}, "alpha one\nbeta one\nalpha 2\nbeta two\n", ""},
		{"index chooses", "xa xa xa", []Group{indexed(2, replace("x", "a", "B"))}, "xa xB xa", ""},
		{"index counts overlaps", "aaaa|", []Group{indexed(3, replace("aa", "|", "!"))}, "aaaa!", ""},
		{"index too large", "xa xa", []Group{indexed(3, replace("x", "a", "B"))}, "", brenner.CodeAnchorNotFound},
		{"index names another", base, []Group{indexed(1, replace("alpha ", "two", "2"))}, "", brenner.CodeOldBlockMismatch},
		{"index 1 is not unique", "xa xb", []Group{indexed(1, replace("x", "a", "B"))}, "xB xb", ""},
		{"ambiguous", "xa xa", []Group{replace("x", "a", "B")}, "", brenner.CodeAnchorAmbiguous},
		{"ambiguous insertion", base, []Group{replace("alpha ", "", "x")}, "", brenner.CodeAnchorAmbiguous},
		{"anchor not found", base, []Group{replace("gamma", "", "x")}, "", brenner.CodeAnchorNotFound},
		{"old block not found", base, []Group{replace("beta ", "three", "x")}, "", brenner.CodeOldBlockMismatch},
		// P7: immediately means no character between
		{"not adjacent", base, []Group{replace("beta", "two", "x")}, "", brenner.CodeOldBlockMismatch},
	} {
		b := text(c.base)
		for range 2 {
			res, err := Apply(patchFor(b, c.groups...), b)
			if brenner.CodeOf(err) != c.code || res.Text.s != c.want {
				t.Errorf("%s: %q, %v; want %q, %q", c.name, res.Text.s, err, c.want, c.code)
			}
			slices.Reverse(c.groups)
		}
	}
}

// P7: operations of one group chain, or name different occurrences.
func TestApply_OperationsOfOneGroupChain(t *testing.T) {
	op := func(index int, old, new string) Op { return Op{Kind: ReplaceBlock, Index: index, Old: old, New: new} }
	for _, c := range []struct {
		name, base string
		ops        []Op
		want       string
		code       brenner.Code
	}{
		{"chain", "x:abc", []Op{op(0, "a", "1"), op(0, "b", "2"), op(0, "c", "3")}, "x:123", ""},
		{"chain of equals", "x:aaa", []Op{op(0, "a", "1"), op(0, "a", "2")}, "x:12a", ""},
		{"chain by index", "x:ab x:ab", []Op{op(2, "a", "1"), op(2, "b", "2")}, "x:ab x:12", ""},
		{"different occurrences", "x:a x:b", []Op{op(0, "b", "2"), op(0, "a", "1")}, "x:1 x:2", ""},
		{"insertion behind a chain", "x:a", []Op{op(0, "a", "1"), op(0, "", "!")}, "x:1!", ""},
		{"chain or occurrence", "x:ab x:b", []Op{op(0, "a", "1"), op(0, "b", "2")}, "", brenner.CodeAnchorAmbiguous},
		{"broken chain", "x:a-b", []Op{op(0, "a", "1"), op(0, "b", "2")}, "", brenner.CodeOldBlockMismatch},
		{"twice the same", "x:ab", []Op{op(0, "ab", "1"), op(0, "ab", "2")}, "", brenner.CodeOverlap},
		{"twice the same by index", "x:ab", []Op{op(1, "ab", "1"), op(1, "a", "2")}, "", brenner.CodeOverlap},
	} {
		b := text(c.base)
		res, err := Apply(patchFor(b, Group{Anchor{"x:", Exact}, c.ops}), b)
		if brenner.CodeOf(err) != c.code || res.Text.s != c.want {
			t.Errorf("%s: %q, %v; want %q, %q", c.name, res.Text.s, err, c.want, c.code)
		}
	}
}

// P5: white space is skipped in the anchor only, and mapped back.
func TestApply_IgnoreWhitespace(t *testing.T) {
	for _, c := range []struct {
		name, base string
		g          Group
		want       string
		code       brenner.Code
	}{
		{"skipped on both sides", "if ( a )\n\t{ x }", replace("if(a) {", "x", "y"), "if ( a )\n\t{ y }", ""},
		{"no-break space is white space", "a\u00a0b c", replace("a b", "c", "d"), "a\u00a0b d", ""},
		{"zero-width is not", "a\u200bb c", replace("a b", "c", "d"), "", brenner.CodeAnchorNotFound},
		{"old block is exact", "a b  c", replace("a", "b c", "x"), "", brenner.CodeOldBlockMismatch},
		{"the shortest gap", "a:  x", replace("a:", " x", "!"), "a: !", ""},
		{"no gap when none is needed", "a: x", replace("a:", " x", "!"), "a:!", ""},
		{"insertion behind the last visible character", "a b\n\nc", replace("ab", "", "!"), "a b!\n\nc", ""},
		{"insertion behind the white space of the anchor", "a b\n\nc", replace("ab\n", "", "!"), "a b\n!\nc", ""},
		{"uniqueness is proved again", "a b! ab!", replace("ab", "!", "?"), "", brenner.CodeAnchorAmbiguous},
		{"exact mode would have been unique", "a b! ab!", indexed(2, replace("ab", "!", "?")), "a b! ab?", ""},
		{"the fit chooses", "a b? ab!", replace("ab", "!", "."), "a b? ab.", ""},
		{"the empty anchor", "\n x", replace("", "x", "y"), "\n y", ""},
	} {
		b := text(c.base)
		res, err := Apply(patchFor(b, loosely(c.g)), b)
		if brenner.CodeOf(err) != c.code || res.Text.s != c.want {
			t.Errorf("%s: %q, %v; want %q, %q", c.name, res.Text.s, err, c.want, c.code)
		}
	}
	b := text("a b! ab!")
	if res, err := Apply(patchFor(b, replace("ab", "!", "?")), b); err != nil || res.Text.s != "a b! ab?" {
		t.Errorf("exact: %q, %v", res.Text.s, err)
	}
}

// P10: applied, noop, already_applied.
func TestApply_Outcomes(t *testing.T) {
	a, b := text("one\n"), text("two\n")
	p := patchFor(a, replace("", "one", "two"))
	p.Result = b.Sum()
	for _, c := range []struct {
		base Text
		p    Patch
		want Outcome
		text string
	}{
		{a, p, Applied, "two\n"},
		{b, p, AlreadyApplied, "two\n"},
		{a, patchFor(a, replace("", "one", "one")), Noop, "one\n"},
		{a, patchFor(a), Noop, "one\n"},
	} {
		if res, err := Apply(c.p, c.base); err != nil || res.Outcome != c.want || res.Text.s != c.text {
			t.Errorf("%v, %v; want %s", res, err, c.want)
		}
	}
	p.Result = canonicalDigest("something else")
	if res, err := Apply(p, a); brenner.CodeOf(err) != brenner.CodeResultMismatch || res.Text.s != "" {
		t.Errorf("%v, %v; want RESULT_MISMATCH", res, err)
	}
}

func canonicalDigest(s string) brenner.Digest { return text(s).Sum() }

// P8: an absent file is an empty base, for replace_entire_file only.
func TestApply_AbsentFile(t *testing.T) {
	create := patchFor(text(""), Group{Ops: []Op{{Kind: ReplaceEntireFile, New: "hello\n"}}})
	if res, err := Apply(create, Absent()); err != nil || res.Text.s != "hello\n" || res.Outcome != Applied {
		t.Errorf("%v, %v", res, err)
	}
	empty := patchFor(text(""), Group{Ops: []Op{{Kind: ReplaceEntireFile}}})
	if res, err := Apply(empty, Absent()); err != nil || res.Outcome != Applied || res.Text.IsAbsent() {
		t.Errorf("creating an empty file: %v, %v", res, err)
	}
	for _, p := range []Patch{
		patchFor(text(""), replace("", "", "x")),
		patchFor(text("gone"), Group{Ops: []Op{{Kind: ReplaceEntireFile, New: "x"}}}),
	} {
		if _, err := Apply(p, Absent()); brenner.CodeOf(err) != brenner.CodeBaseUnknown {
			t.Errorf("%v, want BASE_UNKNOWN", err)
		}
	}
}

// A refusal of several operations names each of them.
func TestApply_EveryMissIsReported(t *testing.T) {
	b := text("abc")
	_, err := Apply(patchFor(b, replace("x", "", "1"), replace("a", "b", "2"), replace("b", "z", "3")), b)
	e, _ := err.(*brenner.Error)
	if e == nil || e.Code != brenner.CodeAnchorNotFound || len(e.Diagnostics) != 2 || e.Diagnostics[1].Pointer != "/op_groups/2/targets/0" {
		t.Errorf("%+v", err)
	}
}

// P13: BASE_MISMATCH carries a rebased patch when everything still fits.
func TestApply_BaseMismatchCarriesARebasedPatch(t *testing.T) {
	old, now := text("line one\ntwo\nthree\n"), text("zero\nline one\ntwo\nthree\n")
	p := patchFor(old, replace("line one\n", "two", "2"))
	p.Result = canonicalDigest("line one\n2\nthree\n")
	_, err := Apply(p, now)
	e, _ := err.(*brenner.Error)
	if e == nil || e.Code != brenner.CodeBaseMismatch {
		t.Fatalf("%v", err)
	}
	m := e.Details.(Mismatch)
	if m.Actual != now.Sum() || m.Expected != old.Sum() || m.Rebased == nil {
		t.Fatalf("%+v", m)
	}
	if res, err := Apply(*m.Rebased, now); err != nil || res.Text.s != "zero\nline one\n2\nthree\n" {
		t.Errorf("%q, %v", res.Text.s, err)
	}
	_, err = Apply(p, text("one\ntwo\none\ntwo\n"))
	if m := err.(*brenner.Error).Details.(Mismatch); m.Rebased != nil {
		t.Error("rebased onto an ambiguous text")
	}
}

// P13: with the base text the merge is three-way; conflicts are refused.
func TestRebase(t *testing.T) {
	base := text("a\nb\nc\nd\ne\n")
	for _, c := range []struct {
		name   string
		p      Patch
		theirs string
		with   bool // the base text is at hand
		want   string
		code   brenner.Code
	}{
		{"shift", patchFor(base, replace("b\n", "c", "C")), "0\na\nb\nc\nd\ne\n", true, "0\na\nb\nC\nd\ne\n", ""},
		{"shift, blind, too little quoted", patchFor(base, replace("b\n", "c", "C")), "0\na\nb\nc\nd\ne\n", false, "", brenner.CodeRebaseConflict},
		{"anchor gone, three-way", patchFor(base, replace("a\nb\n", "c", "C")), "A\nb\nc\nd\ne\n", true, "A\nb\nC\nd\ne\n", ""},
		{"next line", patchFor(base, replace("b\n", "c", "C")), "a\nB\nc\nd\ne\n", true, "", brenner.CodeRebaseConflict},
		{"anchor gone, blind", patchFor(base, replace("b\n", "c", "C")), "a\nB\nc\nd\ne\n", false, "", brenner.CodeRebaseConflict},
		{"ambiguous now, three-way", patchFor(base, replace("b\n", "c", "C")), "a\nb\nc\nd\ne\nb\nc\n", true, "a\nb\nC\nd\ne\nb\nc\n", ""},
		{"same line", patchFor(base, replace("b\n", "c", "C")), "a\nb\nx\nd\ne\n", true, "", brenner.CodeRebaseConflict},
		{"same change", patchFor(base, replace("b\n", "c", "C")), "a\nb\nC\nd\ne\n", true, "a\nb\nC\nd\ne\n", ""},
		{"index is not trusted", patchFor(base, indexed(1, replace("b\n", "c", "C"))), "b\nc\na\nb\nc\n", false, "", brenner.CodeRebaseConflict},
		{"insertion not done twice", patchFor(base, replace("b\n", "", "new\n")), "a\nb\nnew\nc\nd\ne\nf\n", false, "", brenner.CodeRebaseConflict},
		{"whole file, three-way", patchFor(base, Group{Ops: []Op{{Kind: ReplaceEntireFile, New: "A\nb\nc\nd\ne\n"}}}), "a\nb\nc\nd\nE\n", true, "A\nb\nc\nd\nE\n", ""},
		{"whole file, blind", patchFor(base, Group{Ops: []Op{{Kind: ReplaceEntireFile, New: "A\n"}}}), "x\n", false, "", brenner.CodeRebaseConflict},
		{"nothing to do", patchFor(base, replace("b\n", "c", "C")), base.s, false, "a\nb\nC\nd\ne\n", ""},
	} {
		var with *Text
		if c.with {
			with = &base
		}
		theirs := text(c.theirs)
		q, err := Rebase(c.p, theirs, with)
		if brenner.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %q", c.name, err, c.code)
			continue
		}
		if c.code != "" {
			continue
		}
		if res, err := Apply(q.Patch, theirs); err != nil || res.Text.s != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, res.Text.s, err, c.want)
		}
	}
	other := text("other\n")
	if _, err := Rebase(patchFor(base, replace("b\n", "c", "C")), text("x"), &other); brenner.CodeOf(err) != brenner.CodeBaseMismatch {
		t.Errorf("a wrong base: %v", err)
	}
	if _, err := Rebase(patchFor(base), Absent(), nil); brenner.CodeOf(err) != brenner.CodeBaseUnknown {
		t.Errorf("an absent text: %v", err)
	}
}

// P13: without the base text nothing is carried that could double or join.
func TestRebase_BlindDoublesAndJoinsNothing(t *testing.T) {
	for _, c := range []struct {
		name, base string
		g          Group
		theirs     string
		want       string // "" for a refusal
	}{
		{"shifted", "first line\nsecond line\n", replace("first line\n", "second", "2nd"), "zero\nfirst line\nsecond line\n", "zero\nfirst line\n2nd line\n"},
		{"inserted already, further down", "{\n  \"vue\": \"3\"\n}\n", replace("{\n", "", "  \"pinia\": \"2\",\n"), "{\n  \"axios\": \"1\",\n  \"pinia\": \"2\",\n  \"vue\": \"3\"\n}\n", ""},
		{"inserted already, in the rest of the line", "list them, oldest first.\n", replace("list them, oldest first", "", " unless asked"), "list them, oldest first unless asked.\n", ""},
		{"the line has a double now", "alpha beta\ngamma\n", replace("alpha beta\n", "gamma", "delta"), "alpha beta\ngamma\nother\ngamma\n", ""},
		{"the anchor has a double now", "alpha beta\n", replace("alpha beta\n", "", "gamma delta\n"), "alpha beta\nx\nalpha beta\n", ""},
		{"part of a longer word now", "call alpha\n", replace("call ", "alpha", "beta"), "call alphabet\n", ""},
		{"the last line is not the last any more", "first line\nlast", replace("first line\n", "last", "the end"), "first line\nlast\nmore\n", "first line\nthe end\nmore\n"},
		{"a line without its newline", "first line\nlast\n", replace("first line\n", "last\n", "the end"), "first line\nlast\nmore\n", ""},
	} {
		theirs := text(c.theirs)
		got, err := Rebase(patchFor(text(c.base), c.g), theirs, nil)
		if c.want == "" && brenner.CodeOf(err) == brenner.CodeRebaseConflict || c.want != "" && err == nil && got.Result.s == c.want {
			continue
		}
		t.Errorf("%s: %q, %v; want %q", c.name, got.Result.s, err, c.want)
	}
}

// P13: the two stories that rebasing got wrong once, with the base text.
func TestRebase_InsertsOnceWhatBothSidesInserted(t *testing.T) {
	css := text("/* top */\n.a{}\n.c{}\n")
	p, err := Diff(css, text("/* top */\n.a{}\n.b{}\n.c{}\n"), "f.css")
	if err != nil {
		t.Fatal(err)
	}
	theirs := text("@import x;\n/* top */\n.a{}\n.b{}\n.c{}\n")
	got, err := Rebase(p, theirs, &css)
	if err != nil || got.Result.s != theirs.s || got.Already != 1 || got.Carried != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	changes, err := Set{Patches: []Patch{p}, Bases: map[brenner.Digest]Text{css.Sum(): css}}.Plan(map[string]Text{"f.css": theirs})
	if err != nil || changes[0].Outcome != AlreadyApplied || changes[0].Already != 1 {
		t.Errorf("%+v, %v", changes, err)
	}
	deps := text("{\n  \"vue\": \"3\"\n}\n")
	p, err = Diff(deps, text("{\n  \"pinia\": \"2\",\n  \"vue\": \"3\"\n}\n"), "package.json")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Rebase(p, text("{\n  \"axios\": \"1\",\n  \"pinia\": \"2\",\n  \"vue\": \"3\"\n}\n"), &deps)
	c := conflictsOf(err)
	if brenner.CodeOf(err) != brenner.CodeRebaseConflict || c == nil || c.Count != 1 || c.Conflicts[0] != (Conflict{
		Line: 2, Ours: "  \"pinia\": \"2\",\n", Theirs: "  \"axios\": \"1\",\n  \"pinia\": \"2\",\n",
	}) {
		t.Errorf("%v %+v", err, c)
	}
}

// P12: a patch can be undone from its base or from its result.
func TestReverse_FromBaseAndFromResult(t *testing.T) {
	a, b := text("one\ntwo\nthree\n"), text("one\n2\nthree\nfour\n")
	p, err := Diff(a, b, "f")
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []Text{a, b} {
		rev, err := Reverse(p, at)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := Apply(rev, b); err != nil || res.Text.s != a.s {
			t.Errorf("%q, %v", res.Text.s, err)
		}
	}
	entire := patchFor(a, Group{Ops: []Op{{Kind: ReplaceEntireFile, New: b.s}}})
	entire.Result = b.Sum()
	if _, err := Reverse(entire, b); brenner.CodeOf(err) != brenner.CodeBaseUnknown {
		t.Errorf("%v, want BASE_UNKNOWN", err)
	}
}

// P12: a change that canonical text cannot express is refused and named, never
// dropped.
func TestDiff_RefusesWhatItCannotExpress(t *testing.T) {
	for _, c := range []struct{ a, b, why string }{
		{"a\nb\n", "a\r\nb\r\n", "line 1 ends in CRLF instead of LF"},
		{"a\r\nb\r\n", "a\r\nB\n", "line 2 ends in LF instead of CRLF"},
		{"a\n", "\ufeffa\n", "a byte order mark comes in"},
		{"\ufeffa\n", "b\n", "the byte order mark goes"},
		{"a\rb\n", "a\nb\n", "line 1 ends in LF instead of CR"},
		{"a\r\nb\r\n", "a\r\nc\r\nb\r\n", ""},
		{"\ufeffa\r\nb\n", "\ufeffa\r\nc\n", ""},
	} {
		p, err := Diff(mustCanonical(t, []byte(c.a)), mustCanonical(t, []byte(c.b)), "f")
		if c.why == "" {
			if res, err := Apply(p, mustCanonical(t, []byte(c.a))); err != nil || string(res.Text.Bytes()) != c.b {
				t.Errorf("%q to %q: %q, %v", c.a, c.b, res.Text.Bytes(), err)
			}
			continue
		}
		if brenner.CodeOf(err) != brenner.CodeInexpressible || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%q to %q: %v, want %s", c.a, c.b, err, c.why)
		}
	}
	if _, err := Diff(text("a"), Absent(), "f"); brenner.CodeOf(err) != brenner.CodeInexpressible {
		t.Errorf("removing a file: %v", err)
	}
}

// P12: blocks are trimmed to what changes and anchors end where they begin.
func TestDiff_IsMinimal(t *testing.T) {
	a := text("func total(price, qty int) int {\n\treturn price * qty\n}\n")
	b := text("func total(price, qty int) int {\n\treturn price * count\n}\n")
	p, err := Diff(a, b, "")
	if err != nil || len(p.Groups) != 1 {
		t.Fatalf("%s %v", p.JSON(), err)
	}
	if g := p.Groups[0]; g.Anchor.Text != "\treturn price * " || g.Ops[0].Old != "qty" || g.Ops[0].New != "count" {
		t.Errorf("%s", p.JSON())
	}
	long := text(strings.Repeat("word ", 5000) + "here" + strings.Repeat(" word", 5000))
	p, err = Diff(long, text(strings.Replace(long.s, "here", "there", 1)), "")
	if err != nil || len(p.JSON()) > 4096 {
		t.Errorf("a long line makes a patch of %d bytes, %v", len(p.JSON()), err)
	}
	same := strings.Repeat("x\n", 3000)
	p, err = Diff(text(same), text(same[:3000]+"y\n"+same[3000:]), "")
	if err != nil || len(p.JSON()) > 1000 || p.Groups[0].Ops[0].Index == 0 {
		t.Errorf("repeated lines: %s, %v", p.JSON(), err)
	}
}

// Diff of texts with more changes than a patch may hold joins them.
func TestDiff_StaysWithinTheOperationLimit(t *testing.T) {
	var a, b strings.Builder
	for i := range brenner.MaxPatchOperations + 1000 {
		line := strings.Repeat("abcdefgh"[i%8:i%8+1], 1+i%7)
		a.WriteString("keep " + line + "\nold " + line + "\n")
		b.WriteString("keep " + line + "\nnew " + line + "\n")
	}
	p, err := Diff(text(a.String()), text(b.String()), "")
	if err != nil {
		t.Fatal(err)
	}
	if res, err := Apply(p, text(a.String())); err != nil || res.Text.s != b.String() {
		t.Error(err)
	}
}

// P14: a set is planned as a whole; one refusal refuses it and names the file.
func TestPlan_IsAllOrNothing(t *testing.T) {
	a, b := text("one\n"), text("two\n")
	files := map[string]Text{"a.txt": a, "dir/b.txt": b}
	pa, pb := patchFor(a, replace("", "one", "1")), patchFor(b, replace("", "two", "2"))
	pa.Path, pb.Path = "./a.txt", "dir/b.txt"
	changes, err := Set{Patches: []Patch{pa, pb}}.Plan(files)
	if err != nil || len(changes) != 2 || changes[0].Path != "a.txt" || changes[0].After.s != "1\n" || changes[1].After.s != "2\n" {
		t.Fatalf("%v, %v", changes, err)
	}
	bad := pb
	bad.Base = a.Sum()
	for _, set := range [][]Patch{{pa, bad}, {bad, pa}} {
		changes, err := Set{Patches: set}.Plan(files)
		if brenner.CodeOf(err) != brenner.CodeBaseMismatch || changes != nil || !strings.Contains(err.Error(), "dir/b.txt") {
			t.Errorf("%v, %v", changes, err)
		}
	}
	again := pa
	again.Path = "a.txt"
	if _, err := (Set{Patches: []Patch{pa, again}}).Plan(files); brenner.CodeOf(err) != brenner.CodeInvalidPatch {
		t.Errorf("two patches for one file: %v", err)
	}
	if _, err := (Set{Patches: make([]Patch, brenner.MaxPatchSetFiles+1)}).Plan(nil); brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("too many: %v", err)
	}
	missing := pa
	missing.Path = "no.txt"
	if _, err := (Set{Patches: []Patch{missing}}).Plan(files); brenner.CodeOf(err) != brenner.CodeBaseUnknown {
		t.Errorf("a missing file: %v", err)
	}
}

// P13: with the base at hand a set is rebased three ways, on request, and
// otherwise the refusal carries the rebased patch.
func TestPlan_RebasesOnRequest(t *testing.T) {
	base, now := text("a\nb\nc\n"), text("A\nb\nc\n")
	p := patchFor(base, replace("a\nb\n", "c", "C"))
	files := map[string]Text{"f": now}
	with := map[brenner.Digest]Text{base.Sum(): base}
	changes, err := Set{Patches: []Patch{p}, Bases: with, Rebase: true}.Plan(files)
	if err != nil || changes[0].After.s != "A\nb\nC\n" || changes[0].Rebased == nil {
		t.Errorf("%v, %v", changes, err)
	}
	_, err = Set{Patches: []Patch{p}, Bases: with}.Plan(files)
	if e, _ := err.(*brenner.Error); e == nil || e.Code != brenner.CodeBaseMismatch || e.Details.(Mismatch).Rebased == nil {
		t.Errorf("%+v", err)
	}
	if _, err := (Set{Patches: []Patch{p}, Rebase: true}).Plan(files); brenner.CodeOf(err) != brenner.CodeRebaseConflict {
		t.Errorf("without the base text: %v", err)
	}
}

// P14: paths stay inside the root.
func TestCleanPath_RefusesWhatLeavesTheRoot(t *testing.T) {
	for _, p := range []string{"", "/etc/passwd", "../x", "a/../../x", "a/..", "..", ".", "a/", `a\b`, "C:/x", "c:x", "a\x00b"} {
		if got, err := CleanPath(p); brenner.CodeOf(err) != brenner.CodePathRefused {
			t.Errorf("%q: %q, %v", p, got, err)
		}
	}
	for p, want := range map[string]string{"a": "a", "./a//b.txt": "a/b.txt", "..a": "..a", "sökväg/till/fil.js": "sökväg/till/fil.js"} {
		if got, err := CleanPath(p); err != nil || got != want {
			t.Errorf("%q: %q, %v", p, got, err)
		}
	}
}

// An engine that ran over the text group by group would see its own writing;
// this is the case that made others report success with a wrong file.
func TestApply_DoesNotSeeItsOwnWriting(t *testing.T) {
	b := text("import a\nimport b\nuse(a)\n")
	p := patchFor(b, replace("import a\n", "", "import b\nimport c\n"), replace("import b\n", "use", "call"))
	want := "import a\nimport b\nimport c\nimport b\ncall(a)\n"
	for range 2 {
		if res, err := Apply(p, b); err != nil || res.Text.s != want {
			t.Errorf("%q, %v", res.Text.s, err)
		}
		p.Groups[0], p.Groups[1] = p.Groups[1], p.Groups[0]
	}
}

// A patch made by a program, not read, may hold bytes that are no text: it is
// refused, and explaining the refusal proposes nothing that could not be written.
func TestApply_RefusesWhatIsNotUTF8(t *testing.T) {
	b := text("a\nb\n")
	for at, p := range map[string]Patch{
		"/op_groups/0/anchor/text":           patchFor(b, replace("\xff", "", "x")),
		"/op_groups/0/targets/0/old_block":   patchFor(b, replace("a\n", "\xff", "x")),
		"/op_groups/0/targets/0/new_block":   patchFor(b, replace("A\n", "b", "\xff")),
		"/op_groups/0/targets/0/new_content": patchFor(b, Group{Ops: []Op{{Kind: ReplaceEntireFile, New: "\xff"}}}),
		"/target/path":                       {Path: "\xff", Base: b.Sum()},
	} {
		var refused *brenner.Error
		if _, err := Apply(p, b); !errors.As(err, &refused) || refused.Code != brenner.CodeInvalidPatch || refused.Pointer != at {
			t.Errorf("%s: %v", at, err)
		}
		if x := Explain(p, b, Elsewhere{}); x.Corrected != nil {
			t.Errorf("%s: proposed %+v", at, x.Corrected)
		}
	}
	if _, err := Diff(b, text("c\n"), "\xff"); brenner.CodeOf(err) != brenner.CodeInvalidPatch {
		t.Errorf("a path that is not UTF-8: %v", err)
	}
}

func FuzzApply(f *testing.F) {
	f.Add("a\r\nb", "a\n", "b", "c", 0, false)
	f.Add("aaaa", "aa", "a", "$1", 2, true)
	f.Add("a\nb\n", "A\n", "b", "\xff", 0, false)
	f.Fuzz(func(t *testing.T, raw, anchor, old, new string, index int, loose bool) {
		base, err := Canonical([]byte(raw))
		if err != nil {
			return
		}
		mode := Exact
		if loose {
			mode = IgnoreWhitespace
		}
		p := patchFor(base, Group{Anchor{anchor, mode}, []Op{{Kind: ReplaceBlock, Index: index, Old: old, New: new}}})
		res, err := Apply(p, base)
		if err != nil {
			if _, ok := err.(*brenner.Error); !ok || res.Text.s != "" {
				t.Fatalf("%v with %q", err, res.Text.s)
			}
			x := Explain(p, base, Elsewhere{})
			if x.Code != brenner.CodeOf(err) {
				t.Fatalf("explained %s, refused %v", x.Code, err)
			}
			if x.Corrected != nil {
				if _, err := Apply(*x.Corrected, base); err != nil {
					t.Fatalf("correction refused: %v", err)
				}
			}
			return
		}
		if len(res.Text.s) != len(base.s)-len(old)+len(new) {
			t.Fatalf("%q from %q", res.Text.s, base.s)
		}
	})
}

func FuzzDiff(f *testing.F) {
	f.Add("a\nb\n", "a\r\nc\n")
	f.Add("\ufeff\ufeffx", "x\rx\r\n")
	f.Fuzz(func(t *testing.T, x, y string) {
		a, err := Canonical([]byte(x))
		if err != nil {
			return
		}
		b, err := Canonical([]byte(y))
		if err != nil {
			return
		}
		p, err := Diff(a, b, "f")
		if brenner.CodeOf(err) == brenner.CodeInexpressible && differentlySpelled(a, b) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if p, err = Parse(p.JSON()); err != nil {
			t.Fatal(err)
		}
		if res, err := Apply(p, a); err != nil || string(res.Text.Bytes()) != string(b.Bytes()) {
			t.Fatalf("%q, %v; want %q", res.Text.Bytes(), err, b.Bytes())
		}
	})
}

// P5: white space at the end of an anchor stands for the white space found
// there, so that an insertion behind a line goes behind its newline.
func TestApply_InsertsBehindTheWhitespaceOfTheAnchor(t *testing.T) {
	for _, c := range []struct{ base, anchor, old, new, want string }{
		{"import a\nrest\n", "import a\n", "", "import b\n", "import a\nimport b\nrest\n"},
		{"import  a \t\nrest\n", "import a\n", "", "import b\n", "import  a \t\nimport b\nrest\n"},
		{"import a\n\nrest\n", "import a\n", "", "import b\n", "import a\nimport b\n\nrest\n"},
		{"import a\n    rest\n", "import a\n", "", "    b\n", "import a\n    b\n    rest\n"},
		{"import a\n\trest\n", "import a\n\n", "", "\tb\n", "import a\n\tb\n\trest\n"},
		{"import a\nrest\n", "import a ", "", "import b\n", "import a\nimport b\nrest\n"},
		{"f(a,\n  b)\n", "f(a, ", "", "x, ", "f(a,\nx,   b)\n"},
		{"x =  1\n", "x = ", "", "-", "x =  -1\n"},
		{"x = 1\n", "x", "", "y", "xy = 1\n"},
		{"a\n\tb\n", "a\n    ", "b", "c", "a\n\tc\n"},
		{"a\n  b\n", "a ", "\n  b", "c", "ac\n"},
		{"import a", "import a\n", "", "import b\n", ""},
		{"f(a, b)\n", "f(a,\n", "", "x,\n", ""},
	} {
		base := text(c.base)
		g := replace(c.anchor, c.old, c.new)
		g.Anchor.Mode = IgnoreWhitespace
		if res, err := Apply(patchFor(base, g), base); c.want == "" {
			if brenner.CodeOf(err) != brenner.CodeOldBlockMismatch {
				t.Errorf("%q + %q -> %q: %q, %v; want a refusal", c.base, c.anchor, c.new, res.Text.s, err)
			}
			continue
		}
		if res, err := Apply(patchFor(base, g), base); err != nil || res.Text.s != c.want {
			t.Errorf("%q + %q -> %q: %q, %v; want %q", c.base, c.anchor, c.new, res.Text.s, err, c.want)
		}
	}
}

package anchor

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/canon"

	"github.com/rogpeppe/go-internal/txtar"
)

// P16: what tools and their agents write is applied as they mean it, or refused
// with a cause. Each file of testdata/formats is one input, the files it is
// about, and what becomes of them, or the code of the refusal and words of it.
// A section whose name ends in -nonl stands for a file without a final newline.
func TestReadEdits_AppliesOrRefusesWhatToolsWrite(t *testing.T) {
	const least = 30
	for _, f := range Formats() {
		if f == FormatAuto || f == FormatAnchor {
			continue
		}
		files, err := filepath.Glob("testdata/formats/" + string(f) + "/*.txtar")
		if err != nil || len(files) < least {
			t.Fatalf("%s: %d inputs, %v", f, len(files), err)
		}
		applied, refused := 0, 0
		for _, name := range files {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			c := readFormatCase(a)
			// As it is named, and as it is recognised.
			for _, format := range []Format{f, FormatAuto} {
				got, err := c.apply(format)
				switch {
				case c.refused != "":
					refused++
					code, words, _ := strings.Cut(c.refused, " ")
					if brenner.CodeOf(err) != brenner.Code(code) || !strings.Contains(describe(err), words) {
						t.Errorf("%s (%s) as %s: %v, want %s", name, c.title, format, describe(err), c.refused)
					}
				case err != nil:
					t.Errorf("%s (%s) as %s: %s", name, c.title, format, describe(err))
				default:
					applied++
					for path, want := range c.want {
						if got[path] != want {
							t.Errorf("%s (%s) as %s: %s is\n%s\nwant\n%s", name, c.title, format, path, got[path], want)
						}
					}
					if len(got) != len(c.want) {
						t.Errorf("%s (%s): %d files changed, want %d", name, c.title, len(got), len(c.want))
					}
				}
			}
		}
		t.Logf("%s: %d inputs, %d times applied, %d refused", f, len(files), applied, refused)
	}
}

// describe gives all that a refusal says.
func describe(err error) string {
	if err == nil {
		return "<nil>"
	}
	out := err.Error()
	if e, ok := err.(*brenner.Error); ok {
		out += " / " + e.Hint
		if x, ok := e.Details.(Explanation); ok {
			out += " / " + x.String()
		}
	}
	return out
}

type formatCase struct {
	title, input, refused string
	base, want            map[string]string
}

func readFormatCase(a *txtar.Archive) formatCase {
	c := formatCase{title: strings.TrimSpace(string(a.Comment)), base: map[string]string{}, want: map[string]string{}}
	for _, f := range a.Files {
		kind, path, _ := strings.Cut(f.Name, "/")
		text := string(f.Data)
		if k, ok := strings.CutSuffix(kind, "-nonl"); ok {
			kind, text = k, strings.TrimSuffix(text, "\n")
		}
		switch kind {
		case "input":
			c.input = text
		case "refused":
			c.refused = strings.TrimSpace(text)
		case "base":
			c.base[path] = text
		case "want":
			c.want[path] = text
		}
	}
	return c
}

// apply makes anchor patches of the input and applies them to the files.
func (c formatCase) apply(f Format) (map[string]string, error) {
	edits, err := ReadEdits([]byte(c.input), f)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, e := range edits {
		base := Absent()
		if s, ok := c.base[e.Path]; ok {
			base = Text{s: s}
		}
		p, err := e.Patch(base)
		if err != nil {
			return nil, err
		}
		res, err := Apply(p, base)
		if err != nil {
			return nil, err
		}
		out[e.Path] = res.Text.s
	}
	return out, nil
}

// P16: a quotation that only looks like the text is refused, and a likely
// correction is shown, as for anchor patches.
func TestEdit_OffersALikelyCorrection(t *testing.T) {
	base := text("def f():\n\treturn 1\n\ndef g():\n\treturn 2\n")
	edits, err := ReadEdits([]byte(`{"old_string":"def f():\n    return 1\n","new_string":"def f():\n    return 3\n"}`), FormatAuto)
	if err != nil {
		t.Fatal(err)
	}
	x := edits[0].Explain(base, Elsewhere{})
	if x.Code != brenner.CodeAnchorNotFound || x.Cause() != CauseWhitespace || x.Sureness != Likely || x.Corrected == nil {
		t.Fatalf("%s", x)
	}
	if res, err := Apply(*x.Corrected, base); err != nil || res.Text.s != strings.Replace(base.s, "1", "3", 1) {
		t.Errorf("%q, %v", res.Text.s, err)
	}
}

// Whatever is sent, nothing panics, and what is converted applies.
func FuzzReadEdits(f *testing.F) {
	files, err := filepath.Glob("testdata/formats/*/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds")
	}
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		c := readFormatCase(a)
		for _, base := range c.base {
			f.Add(c.input, base)
		}
	}
	f.Fuzz(func(t *testing.T, input, base string) {
		b, err := Canonical([]byte(base))
		if err != nil {
			return
		}
		edits, err := ReadEdits([]byte(input), FormatAuto)
		if err != nil {
			return
		}
		for _, e := range edits {
			p, err := e.Patch(b)
			if err != nil || !e.NeedsBase() {
				continue
			}
			if _, err := Apply(p, b); err != nil {
				t.Fatalf("%v\n%s", err, p.JSON())
			}
		}
	})
}

func TestDetect_KnowsEveryFormat(t *testing.T) {
	for input, want := range map[string]Format{
		`{"protocol_id":"anchor_diff_v2.1"}`: FormatAnchor, `{"op_groups":[]}`: FormatAnchor, `{"old_string":"a"}`: FormatEdit, `[]`: FormatEdit,
		"--- a\n+++ b\n@@ -1 +1 @@\n": FormatUnified, "*** Begin Patch\n": FormatApplyPatch, "<<<<<<< SEARCH\n": FormatSearchReplace, "hello": "", "": "",
	} {
		if got := Detect([]byte(input)); got != want {
			t.Errorf("%q: %q, want %q", input, got, want)
		}
	}
	if !slices.Contains(Formats(), FormatAuto) {
		t.Error("auto is no format")
	}
}

// P16: blocks that a reader could take for something else are read as what they are, or
// refused: nothing is changed elsewhere, or in part, without a word.
func TestReadEdits_SearchBlocksThatQuoteFrames(t *testing.T) {
	const named = "notes.md\n<<<<<<< SEARCH\nk\n=======\nK\n>>>>>>> REPLACE\n\nMakefile\n<<<<<<< SEARCH\nv 5\n=======\nv 6\n>>>>>>> REPLACE\n"
	paths := func(text string) (all []string) {
		edits, err := ReadEdits([]byte(text), "")
		for _, e := range edits {
			all = append(all, e.Path)
		}
		if err != nil {
			return []string{string(brenner.CodeOf(err))}
		}
		return all
	}
	const envelope = "*** Begin Patch\n*** Update File: x\n@@\n-a\n+b\n*** End Patch\n"
	for text, want := range map[string][]string{
		named: {"notes.md", "Makefile"},
		strings.Replace(named, "Makefile\n", "Then\n\n", 1):                           {"notes.md"},
		strings.Replace(named, "Makefile\n", "then\n", 1):                             {"notes.md"},
		strings.Replace(named, "Makefile\n", "`Makefile`\n```\n", 1):                  {"notes.md", "Makefile"},
		"de.md\n<<<<<<< SEARCH\ndoc\n" + envelope + "=======\ndoc\n>>>>>>> REPLACE\n": {"de.md"},
		envelope: {"x"},
		"d.md\n<<<<<<< SEARCH\nM\n=======\nold\n=======\nM\n=======\nnew\n>>>>>>> REPLACE\n": {string(brenner.CodeInvalidPatch)},
		"d.md\n<<<<<<< SEARCH\nM\n=======\nold\n=====\nM\n=======\nnew\n>>>>>>> REPLACE\n":   {string(brenner.CodeInvalidPatch)},
		"d.md\n<<<<<<< SEARCH\nM\n=====\nM\n=======\nnew\n>>>>>>> REPLACE\n":                 {"d.md"},
	} {
		if got := paths(text); !slices.Equal(got, want) {
			t.Errorf("%s\nis about %q, not %q", text, got, want)
		}
	}
}

// P3, P12: a new file whose lines do not end in LF is refused, for a patch cannot make
// it; where all of the patch is written with CRLF that says nothing.
func TestReadEdits_MakesNoFileWithOtherLineEnds(t *testing.T) {
	const envelope = "*** Begin Patch\n*** Add File: f\n+a\r\n+b\r\n*** End Patch\n"
	const diff = "--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\r\n+b\r\n"
	every := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "\r", ""), "\n", "\r\n") }
	for input, want := range map[string]brenner.Code{
		envelope: brenner.CodeInexpressible, every(envelope): "",
		diff: brenner.CodeInexpressible, every(diff): "",
		`{"path":"f","content":"a\r\nb\n"}`:                     brenner.CodeInexpressible,
		`{"path":"f","old_string":"","new_string":"\ufeffa\n"}`: brenner.CodeInexpressible,
		`{"path":"f","content":"a\nb\n"}`:                       "",
	} {
		edits, err := ReadEdits([]byte(input), "")
		if err != nil || len(edits) != 1 {
			t.Fatalf("%q: %v", input, err)
		}
		if _, err := edits[0].Patch(Absent()); brenner.CodeOf(err) != want {
			t.Errorf("%q: %v, want %q", input, err, want)
		}
		if _, err := edits[0].Patch(text("")); err != nil {
			t.Errorf("%q on a file that is there: %v", input, err)
		}
	}
}

// P3: lines that a change leaves as they are keep their ends, also between two that it
// touches.
func TestApply_KeepsTheEndsOfLinesBetween(t *testing.T) {
	base := mustCanonical(t, []byte("a\r\nb\nc\r\nd\ne\r\nf\n"))
	edits, err := ReadEdits([]byte(`{"old_string":"a\nb\nc\nd\ne\n","new_string":"0\n1\na\nb\nc\nd\nE\n"}`), "")
	if err != nil {
		t.Fatal(err)
	}
	p, err := edits[0].Patch(base)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Apply(p, base)
	if want := "0\r\n1\r\na\r\nb\nc\r\nd\nE\r\nf\n"; err != nil || string(res.Text.Bytes()) != want {
		t.Errorf("%q, %v, not %q", res.Text.Bytes(), err, want)
	}
}

// P16: a/ and b/ are taken off a name where they are git's, not where they are
// directories.
func TestReadEdits_TellsPrefixesFromDirectories(t *testing.T) {
	const change, fresh = "@@ -1 +1 @@\n-x\n+y\n", "@@ -0,0 +1 @@\n+y\n"
	for input, want := range map[string]string{
		"--- a/f\n+++ b/f\n" + change:     "f",
		"--- a/b/f\n+++ b/b/f\n" + change: "b/f",
		"--- f\n+++ b/f\n" + change:       "f",
		"--- b/f\n+++ b/f\n" + change:     "b/f",
		"--- a/f\n+++ a/f\n" + change:     "a/f",
		"--- old/f\n+++ b/f\n" + change:   "b/f",
		"--- f.orig\n+++ b/f\n" + change:  "b/f",
		"diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n" + fresh:       "f",
		"diff --git b/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n" + fresh:       "b/f",
		"diff --git b/f f b/f f\nnew file mode 100644\n--- /dev/null\n+++ b/f f\n" + fresh: "b/f f",
		"diff --git a/b/f b/b/f\nnew file mode 100644\n--- /dev/null\n+++ b/b/f\n" + fresh: "b/f",
		"--- /dev/null\n+++ b/f\n" + fresh:                                                 "f",
	} {
		edits, err := ReadEdits([]byte(input), "")
		if err != nil || len(edits) != 1 || edits[0].Path != want {
			t.Errorf("%s\nis about %v, %v, not %s", input, edits, err, want)
			continue
		}
		guessed := strings.HasPrefix(input, "--- /dev/null")
		if (edits[0].Prefixed() != "") != guessed {
			t.Errorf("%s\nwas guessed: %q", input, edits[0].Prefixed())
		}
	}
}

// P3: a U+FEFF that a string edit quotes is a character of the text where the text has it
// there, and else the byte order mark of a file, which is no part of it.
func TestStringEdits_QuoteAMark(t *testing.T) {
	const mark = "\ufeff"
	for name, c := range map[string]struct{ base, old, fresh, want string }{
		"taken out":                  {"one\n" + mark + "two\n", mark + "two", "2", "one\n2\n"},
		"only the mark":              {"one\n" + mark + "two\n", mark + "two", "two", "one\ntwo\n"},
		"kept":                       {"one\n" + mark + "two\n", mark + "two", mark + "2", "one\n" + mark + "2\n"},
		"put in":                     {"one\ntwo\n", "two", mark + "two", "one\n" + mark + "two\n"},
		"not in the text":            {"one\ntwo\n", mark + "two", mark + "2", "one\n2\n"},
		"of the file":                {mark + "one\ntwo\n", mark + "one", mark + "1", mark + "1\ntwo\n"},
		"of the file, not said anew": {mark + "one\ntwo\n", mark + "one", "1", mark + "1\ntwo\n"},
		"none there to take out":     {"one\ntwo\n", mark + "two", "two", "ANCHOR_NOT_FOUND"},
	} {
		raw := canon.MustMarshal(map[string]string{"old_string": c.old, "new_string": c.fresh})
		edits, err := ReadEdits(raw, FormatEdit)
		if err != nil {
			t.Fatal(name, err)
		}
		base, err := Canonical([]byte(c.base))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		p, err := edits[0].Patch(base)
		if err == nil {
			var res Result
			res, err = Apply(p, base)
			got = string(res.Text.Bytes())
		}
		if err != nil {
			got = string(brenner.CodeOf(err))
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q (%v)", name, got, c.want, err)
		}
	}
}

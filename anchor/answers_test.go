package anchor

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/internal/answers"

	"github.com/rogpeppe/go-internal/txtar"
)

// patchInWords is everything that can be asked about a patch and a text.
func patchInWords(p Patch, base Text, e Elsewhere) string {
	var out strings.Builder
	res, err := Apply(p, base)
	if err != nil {
		fmt.Fprintf(&out, "apply %s\n", answers.Text(err))
	} else {
		fmt.Fprintf(&out, "apply %s %q %s\n", res.Outcome, res.Text.Bytes(), answers.Text(res.Warnings))
		if back, err := Reverse(p, res.Text); err != nil {
			fmt.Fprintf(&out, "reverse %s\n", answers.Text(err))
		} else {
			fmt.Fprintf(&out, "reverse %s\n", back.JSON())
		}
	}
	x := Explain(p, base, e)
	fmt.Fprintf(&out, "explain %s\n%s", answers.Text(x), x.String())
	return out.String()
}

// P11, P17. What is said of every kind of fault that was written down after the
// explanations were made: the cause, the correction, the words.
func TestExplain_AnswersAsBefore(t *testing.T) {
	book := answers.New("testdata/faults.golden", 1)
	texts := corpus(t)
	for i, f := range slices.Concat(heldOut, heldOutAgain, heldOutThird, heldOutFourth, unseen) {
		r := rand.New(rand.NewPCG(29, uint64(i)))
		for range 60 {
			s := newScene(r, texts)
			if s.a.s == s.b.s || len(s.p.Groups) == 0 || !f.inject(s) {
				continue
			}
			if i%2 == 0 {
				s.p.Result = ""
			}
			x := Explain(s.p, s.a, s.e)
			book.Note(fmt.Sprintf("%s, %d", f.name, i), string(s.p.JSON()), answers.Text(x)+"\n"+x.String())
			break
		}
	}
	book.Check(t)
}

// P12, P13, P17. What is made of random files and patches: differences, what
// applies and what is undone, what is carried over, what is refused and why.
func TestPatch_AnswersAsBefore(t *testing.T) {
	book := answers.New("testdata/patches.golden", 3)
	r := rand.New(rand.NewPCG(31, 31))
	for range 250 {
		a, b := randomPair(t, r)
		p, err := Diff(a, b, "f")
		input := fmt.Sprintf("%q\n%q", a.Bytes(), b.Bytes())
		if err != nil {
			book.Note("a difference", input, answers.Text(err))
			continue
		}
		book.Note("a difference", input, string(p.JSON()))
		book.Note("a patch on its base", input, patchInWords(p, a, Elsewhere{}))
		book.Note("a patch on its result", input, patchInWords(p, b, Elsewhere{}))
		damaged := vandalize(r, p)
		book.Note("a damaged patch", input+"\n"+string(damaged.JSON()), patchInWords(damaged, a, Elsewhere{}))
		moved := mutate(r, a)
		book.Note("a patch on another text", fmt.Sprintf("%s\n%q", input, moved.Bytes()), patchInWords(p, moved, Elsewhere{}))
	}
	for _, c := range generated(r, 250) {
		base, ours, theirs := Text{s: c.base}, Text{s: c.ours}, Text{s: c.theirs}
		p, err := Diff(base, ours, "f")
		if err != nil {
			t.Fatal(err)
		}
		for name, from := range map[string]*Text{"carried over": &base, "carried over blindly": nil} {
			res, err := Rebase(p, theirs, from)
			answer := answers.Text(err)
			if err == nil {
				answer = fmt.Sprintf("%d carried, %d already, %q\n%s", res.Carried, res.Already, res.Result.s, res.Patch.JSON())
			}
			book.Note(name, answers.Text([]string{c.base, c.ours, c.theirs}), answer)
		}
		changes, err := Set{Patches: []Patch{p}, Bases: map[brenner.Digest]Text{base.Sum(): base}, Rebase: true}.Plan(map[string]Text{"f": theirs})
		answer := answers.Text(err)
		if err == nil {
			answer = fmt.Sprintf("%s %q, already %d, %s", changes[0].Outcome, changes[0].After.s, changes[0].Already, answers.Text(changes[0].Warnings))
		}
		book.Note("planned", answers.Text([]string{c.base, c.ours, c.theirs}), answer)
	}
	book.Check(t)
}

// P16. What is made of what tools write, with a slip more: which files it is
// about, what becomes of them, or why it is refused.
func TestReadEdits_AnswersAsBefore(t *testing.T) {
	book := answers.New("testdata/formats.golden", 2)
	r := rand.New(rand.NewPCG(37, 37))
	for _, f := range Formats() {
		files, err := filepath.Glob("testdata/formats/" + string(f) + "/*.txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			c := readFormatCase(a)
			if c.input == "" {
				continue
			}
			book.Note(string(f)+", as it is", c.input, c.told(c.input))
			for range 12 {
				typo := answers.Typos[r.IntN(len(answers.Typos))]
				input := typo.Make(r, c.input)
				book.Note(string(f)+", "+typo.Name, input, c.told(input))
			}
		}
	}
	book.Check(t)
}

// told says what becomes of a written change.
func (c formatCase) told(input string) string {
	edits, err := ReadEdits([]byte(input), FormatAuto)
	out := fmt.Sprintf("%s ", Detect([]byte(input)))
	if err != nil {
		return out + answers.Text(err)
	}
	for _, e := range edits {
		base := Absent()
		if s, ok := c.base[e.Path]; ok {
			base = Text{s: s}
		} else if len(c.base) == 1 {
			for path, s := range c.base {
				base, e = Text{s: s}, e.Named(path)
			}
		}
		out += fmt.Sprintf("%s %s %t %s\n", e.Path, e.Format, e.NeedsBase(), e.Base())
		p, err := e.Patch(base)
		if err != nil {
			x := e.Explain(base, Elsewhere{})
			out += answers.Text(err) + "\n" + answers.Text(x) + "\n"
			continue
		}
		out += string(p.JSON()) + "\n"
		if res, err := Apply(p, base); err != nil {
			out += answers.Text(err) + "\n"
		} else {
			out += fmt.Sprintf("%s %q %s\n", res.Outcome, res.Text.Bytes(), answers.Text(res.Warnings))
		}
	}
	return out
}

// P2, P3. What is read of the JSON of a patch in which one value was changed, or
// why it is refused, and where.
func TestParse_AnswersAsBefore(t *testing.T) {
	book := answers.New("testdata/parsed.golden", 1)
	raw, err := os.ReadFile("testdata/corpus/ledger.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	base := mustCanonical(t, raw)
	r := rand.New(rand.NewPCG(41, 41))
	for range 60 {
		s := newScene(r, []Text{base, base})
		for _, other := range []any{nil, true, 0.0, -1.0, 1.5, "", "x", "x\ny", []any{}, []any{"x"}, map[string]any{}, "exact", "insert_after", 100.0} {
			kind := fmt.Sprintf("for %.12s", answers.Text(other))
			changed := answers.Replaced(r, string(s.p.JSON()), other)
			p, err := Parse([]byte(changed))
			if err != nil {
				book.Note(kind, changed, answers.Text(err))
				continue
			}
			book.Note(kind, changed, patchInWords(p, s.a, Elsewhere{}))
		}
		typo := answers.Typos[r.IntN(8)]
		broken := typo.Make(r, string(s.p.JSON()))
		_, err := Parse([]byte(broken))
		book.Note(typo.Name, broken, answers.Text(err))
	}
	book.Check(t)
}

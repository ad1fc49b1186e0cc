package anchor

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brenner/internal/linediff"
)

// scene is a patch that was right, and what it should have done.
type scene struct {
	a, b  Text
	p     Patch
	e     Elsewhere
	other Text // another file of the project
	r     *rand.Rand
}

// fault damages a scene the way authors of patches do.
type fault struct {
	name string
	// inject returns false if the scene has nothing this fault could damage.
	inject func(*scene) bool
	// cause is what Explain must name; "" if the patch must still be right, or
	// must be warned about.
	cause Cause
}

func corpus(tb testing.TB) []Text {
	tb.Helper()
	files, err := filepath.Glob("testdata/corpus/*.txt")
	if err != nil || len(files) < 4 {
		tb.Fatalf("corpus: %v, %v", files, err)
	}
	var texts []Text
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			tb.Fatal(err)
		}
		texts = append(texts, mustCanonical(tb, raw))
	}
	return texts
}

// newScene makes one to three edits of a text, quoted as an author would.
func newScene(r *rand.Rand, texts []Text) *scene {
	i := r.IntN(len(texts))
	a := texts[i]
	lines := slices.Clone(linediff.Lines(a.s))
	for range 1 + r.IntN(3) {
		at, n := 1+r.IntN(len(lines)-4), 1+r.IntN(4)
		lines = slices.Concat(lines[:at], reworked(r, lines[at:at+n]), lines[at+n:])
	}
	s := &scene{a: a, b: Text{s: strings.Join(lines, "")}, other: texts[(i+1)%len(texts)], r: r}
	s.p = Patch{Path: "notes.txt", Base: a.Sum(), Result: s.b.Sum(), Groups: authored(r, a.s, s.b.s)}
	return s
}

// reworked is what an author makes of a few lines.
func reworked(r *rand.Rand, lines []string) []string {
	indent := leadingSpace(strings.TrimSuffix(lines[0], "\n"))
	switch r.IntN(6) {
	case 0: // something new before them, at their depth
		return append([]string{fmt.Sprintf("%sadded(%q, %d)\n", indent, "line", r.IntN(1000))}, lines...)
	case 1:
		return nil
	case 2: // a copy of one, changed
		return append(slices.Clone(lines), strings.Replace(lines[0], "a", fmt.Sprintf("copy%d", r.IntN(90)), 1))
	default:
		var out []string
		for _, l := range lines {
			out = append(out, strings.Replace(l, "e", fmt.Sprintf("E%d", r.IntN(90)), 1))
		}
		return out
	}
}

// authored quotes whole lines, with one to three lines before them as anchor.
func authored(r *rand.Rand, a, b string) []Group {
	edits := lineEdits(a, b)
	groups, _ := quoteGroups(a, edits)
	for i, e := range edits {
		start := e.start
		for range 1 + r.IntN(3) {
			if start > 0 {
				start = strings.LastIndexByte(a[:start-1], '\n') + 1
			}
		}
		if anchor := a[start:e.start]; len(find(a, anchor+a[e.start:e.end], 2)) == 1 && anchor != "" {
			groups[i].Anchor.Text, groups[i].Ops[0].Index = anchor, 0
		}
	}
	return groups
}

func (s *scene) quotedIn(i int) string { return s.p.Groups[i].Anchor.Text + s.p.Groups[i].Ops[0].Old }

func (s *scene) quoted() (all string) {
	for i := range s.p.Groups {
		all += s.quotedIn(i)
	}
	return all
}

// shift changes base and result alike, away from the patch.
func (s *scene) shift() {
	const line = "something else was added here meanwhile\n"
	s.a, s.b = Text{s: s.a.s + line}, Text{s: s.b.s + line}
}

// faultRow counts what became of one kind of fault.
type faultRow struct {
	name                             string
	tried, right, silent, warned     int
	refused, named                   int
	likely, likelyWrong              int
	proved, provedWrong, provedTried int
}

func (r *faultRow) add(o faultRow) {
	r.tried, r.right, r.silent, r.warned = r.tried+o.tried, r.right+o.right, r.silent+o.silent, r.warned+o.warned
	r.refused, r.named = r.refused+o.refused, r.named+o.named
	r.likely, r.likelyWrong = r.likely+o.likely, r.likelyWrong+o.likelyWrong
	r.proved, r.provedWrong, r.provedTried = r.proved+o.proved, r.provedWrong+o.provedWrong, r.provedTried+o.provedTried
}

func (r faultRow) String() string {
	return fmt.Sprintf("%-34s %4d tried: %4d right, %d wrong and silent, %3d wrong and warned about, %4d refused, cause %4d/%-4d; likely %4d, %d wrong; proved %4d of %4d, %d wrong",
		r.name, r.tried, r.right, r.silent, r.warned, r.refused, r.named, r.refused, r.likely, r.likelyWrong, r.proved, r.provedTried, r.provedWrong)
}

// runFaults injects every fault into n scenes each. Each is judged without a
// promised result and, where it is refused, once more with one.
func runFaults(tb testing.TB, kinds []fault, seed uint64, n int, stage func(*rand.Rand) *scene) []faultRow {
	var rows []faultRow
	for i, f := range kinds {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		row := faultRow{name: f.name}
		for tries := 0; row.tried < n && tries < 2000*n; tries++ {
			s := stage(r)
			if s == nil || s.a.s == s.b.s || len(s.p.Groups) == 0 {
				continue
			}
			if f.inject(s) {
				f.judge(tb, s, &row)
			}
		}
		if row.tried < n/3 {
			tb.Errorf("%s: only %d scenes", f.name, row.tried)
		}
		rows = append(rows, row)
	}
	return rows
}

// verboseFault, when set, says which fault to print mistakes about.
var verboseFault = os.Getenv("BRENNER_FAULT")

func (f fault) judge(tb testing.TB, s *scene, row *faultRow) {
	promised := s.p.Result
	s.p.Result = ""
	p, err := Parse(s.p.JSON()) // as it would arrive
	if err != nil {
		tb.Fatalf("%s: %v", f.name, err)
	}
	say := func(what string, x fmt.Stringer, got string) {
		if verboseFault != "" && strings.HasPrefix(f.name, verboseFault) {
			tb.Logf("%s: %s\n%s\n%s\ngot\n%s\nwant\n%s", f.name, what, p.JSON(), x, unified(s.a.s, got), unified(s.a.s, s.b.s))
		}
	}
	row.tried++
	res, err := Apply(p, s.a)
	switch {
	case err == nil && res.Text.s == s.b.s:
		row.right++
		return
	case err == nil && (len(res.Warnings) > 0 || res.Outcome == Noop):
		row.warned++ // or said that nothing changes
		return
	case err == nil:
		row.silent++
		say("silent", Explanation{}, res.Text.s)
		return
	case res.Text.s != "":
		tb.Fatalf("%s: text beside an error", f.name)
	}
	row.refused++
	x := Explain(p, s.a, s.e)
	if x.Cause() == f.cause {
		row.named++
	} else {
		say("cause", x, "")
	}
	got, ok := s.corrected(tb, x)
	if ok {
		if x.Sureness != Likely {
			tb.Fatalf("%s: %s without a promised result", f.name, x.Sureness)
		}
		row.likely++
		if got != s.b.s {
			row.likelyWrong++
			say("likely and wrong", x, got)
		}
	}
	if promised == "" {
		return
	}
	row.provedTried++
	p.Result = s.b.Sum()
	x = Explain(p, s.a, s.e)
	if got, ok = s.corrected(tb, x); ok && x.Sureness == Proved {
		row.proved++
		if got != s.b.s {
			row.provedWrong++
		}
	}
}

// corrected applies what an explanation proposes.
func (s *scene) corrected(tb testing.TB, x Explanation) (string, bool) {
	if x.Corrected == nil {
		return "", false
	}
	target := s.a
	if x.Cause() == CauseOtherFile {
		target = s.e.Others[0].Text
	}
	res, err := Apply(*x.Corrected, target)
	if err != nil {
		tb.Fatalf("a correction does not apply: %v\n%s", err, x)
	}
	if x.Cause() == CauseOtherFile {
		return s.b.s, true // it is about another text
	}
	return res.Text.s, true
}

// P11: every fault is refused with its cause, or does no harm, or is warned
// about (P17); what is proved is right always, what is called likely nearly
// always.
func TestExplain_NamesAndMendsInjectedFaults(t *testing.T) {
	if len(faults) < 40 {
		t.Fatalf("only %d faults", len(faults))
	}
	texts := corpus(t)
	sum := faultRow{name: fmt.Sprintf("%d kinds", len(faults))}
	for _, row := range runFaults(t, faults, 11, tries(8, 50), func(r *rand.Rand) *scene { return newScene(r, texts) }) {
		t.Log(row)
		sum.add(row)
	}
	t.Log(sum)
	sum.check(t)
}

func (r faultRow) check(t *testing.T) {
	t.Helper()
	if r.provedWrong > 0 {
		t.Errorf("%d of %d proved corrections are wrong", r.provedWrong, r.proved)
	}
	if r.likelyWrong*100 > r.likely {
		t.Errorf("%d of %d likely corrections are wrong", r.likelyWrong, r.likely)
	}
	if r.named*100 < r.refused*97 {
		t.Errorf("cause named in %d of %d", r.named, r.refused)
	}
	if r.silent > 0 {
		t.Errorf("%d patches did something else without a warning", r.silent)
	}
}

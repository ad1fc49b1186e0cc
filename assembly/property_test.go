package assembly

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/artifact"
	"brenner/playbook"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// words draws a text of anything that counting or rendering could trip over.
func words(rt *rapid.T, label string, most int) string {
	pieces := rapid.SliceOfN(rapid.SampledFrom(slices.Concat(tricky, []string{"alpha ", "beta\n", "### ", "````", " gamma"})), 0, most)
	return strings.ReplaceAll(strings.Join(pieces.Draw(rt, label), ""), "\x00", "")
}

var (
	someTypes    = []brenner.TypeName{artifact.TypePaperNote, artifact.TypeIntegratedMemo, artifact.TypeModelSpec, artifact.TypeCritique}
	someModules  = []brenner.Module{"a", "b", "project"}
	someStatuses = []artifact.Status{artifact.Draft, artifact.Canonical, artifact.Canonical, artifact.Alternative, artifact.Superseded, artifact.Deprecated}
)

// anyInput draws a project, a view and a task.
func anyInput(rt *rapid.T) Input {
	contents := map[brenner.Ref]artifact.Content{}
	item := func(id string) Item {
		it := anyCandidate(rt, id).Item
		it.Type = rapid.SampledFrom(someTypes).Draw(rt, "type")
		it.Module = rapid.SampledFrom(someModules).Draw(rt, "module")
		it.Status = rapid.SampledFrom(someStatuses).Draw(rt, "status")
		it.Summary = words(rt, "summary", 12)
		it.Notes.NeedsUpdate = rapid.Bool().Draw(rt, "stale")
		c := artifact.Content{Format: artifact.Text, Data: []byte(words(rt, "content", 40))}
		if rapid.Bool().Draw(rt, "json") {
			c = artifact.Content{Format: artifact.JSON, Data: []byte(`{"n":` + fmt.Sprint(len(c.Data)) + `}`)}
		}
		it.Size = int64(len(c.Data))
		contents[it.Ref] = c
		return it
	}
	some := func(label string, most int) []Item {
		var out []Item
		for i := range rapid.IntRange(0, most).Draw(rt, label) {
			out = append(out, item(label+fmt.Sprint(i)))
		}
		return out
	}
	in := Input{
		Project: words(rt, "project", 3), Agent: "ann", View: anyView(rt),
		Format:  rapid.SampledFrom([]Format{Markdown, JSON}).Draw(rt, "format"),
		Modules: []brenner.Module{"a"}, Shared: []brenner.Module{"project"},
		Overview: some("brief", 1), Pinned: some("pin", 2),
		Tags: []string{"x", "z"}, Now: noon,
		Load: func(r brenner.Ref) (artifact.Content, error) { return contents[r], nil },
	}
	if rapid.Bool().Draw(rt, "task") {
		in.Task = &Task{ID: "task-1", Title: words(rt, "title", 4), Spec: words(rt, "spec", 10)}
	}
	for i := range rapid.IntRange(0, 2).Draw(rt, "asked") {
		in.Asked = append(in.Asked, Asked{Session: []brenner.SessionID{"", "RS-1"}[i], Text: words(rt, "question", 6)})
	}
	for i := range rapid.IntRange(0, 9).Draw(rt, "candidates") {
		c := anyCandidate(rt, fmt.Sprintf("c%d", i))
		c.Item = item(fmt.Sprintf("c%d", i))
		if rapid.IntRange(0, 7).Draw(rt, "denied") == 0 {
			c.Denied = "not yours"
		}
		in.Candidates = append(in.Candidates, c)
	}
	if len(in.Pinned) > 0 && rapid.Bool().Draw(rt, "again") {
		in.Candidates = append(in.Candidates, Candidate{Item: in.Pinned[0]})
	}
	for i := range rapid.IntRange(0, 4).Draw(rt, "bullets") {
		in.Bullets = append(in.Bullets, playbook.Ranked{
			Bullet: playbook.Bullet{
				ID: playbook.BulletID(fmt.Sprintf("lab.%d", i+1)), Domain: "lab", Section: playbook.Helpful,
				Stage: rapid.SampledFrom([]playbook.Stage{playbook.Prod, playbook.Shadow}).Draw(rt, "stage"), Content: words(rt, "lesson", 8),
			},
			Score: float64(rapid.IntRange(0, 2).Draw(rt, "score")) / 2,
		})
	}
	switch in.View.Budget.Encoding() {
	case O200k:
		in.Counter = o200k()
	case Cl100k:
		in.Counter = cl100k()
	default:
		in.Counter = Bytes{}
	}
	return in
}

func anyView(rt *rapid.T) View {
	v := defaults()
	v.Role = "writer"
	v.Types = nil
	for _, t := range someTypes[:3] {
		v.Types = append(v.Types, TypeRule{t, rapid.SampledFrom([]Variant{Summary, Full}).Draw(rt, "variant"), rapid.IntRange(1, 3).Draw(rt, "max")})
	}
	v.Overview = rapid.SampledFrom([]Variant{Summary, Full}).Draw(rt, "overview")
	v.Pinned = rapid.SampledFrom([]Variant{Summary, Full}).Draw(rt, "pinned")
	v.Bullets.Max = rapid.IntRange(0, 3).Draw(rt, "lessons")
	v.Budget = Budget{Unit: InTokens, Size: rapid.IntRange(60, 1500).Draw(rt, "size"), Family: rapid.SampledFrom(Families()).Draw(rt, "family")}
	if rapid.IntRange(0, 3).Draw(rt, "unit") == 0 {
		v.Budget = Budget{Unit: InBytes, Size: rapid.IntRange(300, 5000).Draw(rt, "size")}
	}
	v.Budget.Reserve = rapid.IntRange(0, v.Budget.Size/4).Draw(rt, "reserve")
	return v
}

// measured counts a text with the reference implementation.
func measured(b Budget, text string) int {
	if b.Unit == InBytes {
		return len(text)
	}
	n := published(b.Encoding(), text) * b.Percent()
	if n%100 > 0 {
		n += 100
	}
	return n / 100
}

// check runs a property on many more cases than usual; the default is 100.
func check(t *testing.T, times int, property func(*rapid.T)) {
	t.Helper()
	for range times {
		rapid.Check(t, property)
	}
}

// C20: the budget is never exceeded, counted on the final text with the real
// tokenizer, and what is reported is what was counted.
// C21: every candidate is accounted for, once.
func TestAssemble_NeverExceedsTheBudget(t *testing.T) {
	fitted := 0
	check(t, 15, func(rt *rapid.T) {
		in := anyInput(rt)
		c, err := Assemble(in)
		if brenner.CodeOf(err) == brenner.CodeContextOverflow {
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		fitted++
		b := in.View.Budget
		if n := measured(b, c.Text); n > b.Size-b.Reserve || n != c.Used {
			rt.Fatalf("%d %s counted, %d reported, %d allowed", n, b.Unit, c.Used, b.Size-b.Reserve)
		}
		sum := 0
		for _, p := range c.Parts {
			sum += p.Tokens
		}
		if sum != c.Used {
			rt.Fatalf("the parts have %d, the whole %d", sum, c.Used)
		}
		seen := map[brenner.Ref]int{}
		for _, it := range c.Items {
			if it.Section == Selected {
				seen[it.Ref]++
			}
		}
		for _, l := range c.LeftOut {
			seen[l.Ref]++
		}
		for _, cand := range in.Candidates {
			if seen[cand.Ref] != 1 {
				rt.Fatalf("%s is accounted for %d times", cand.Ref, seen[cand.Ref])
			}
		}
		if len(c.Bullets)+len(c.BulletsLeftOut) != len(in.Bullets) {
			rt.Fatal("a bullet is not accounted for")
		}
	})
	if fitted == 0 {
		t.Fatal("nothing fitted: this test passed on nothing")
	}
}

// C21: the same input gives the same bytes, in whatever order candidates and
// bullets come, and the input is left as it was.
func TestAssemble_OrderOfCandidatesDoesNotMatter(t *testing.T) {
	check(t, 10, func(rt *rapid.T) {
		in := anyInput(rt)
		want, wantErr := Assemble(in)
		shuffled := in
		shuffled.Candidates = rapid.Permutation(in.Candidates).Draw(rt, "candidates")
		shuffled.Bullets = rapid.Permutation(in.Bullets).Draw(rt, "bullets")
		before := slices.Clone(shuffled.Candidates)
		got, err := Assemble(shuffled)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			rt.Fatalf("%v, want %v", err, wantErr)
		}
		if d := cmp.Diff(want, got); d != "" {
			rt.Fatal(d)
		}
		if d := cmp.Diff(before, shuffled.Candidates); d != "" {
			rt.Fatalf("the input was changed: %s", d)
		}
	})
}

// C21, C22: the assembler agrees with one that renders and counts the whole
// text anew for everything it tries.
func TestAssemble_AgreesWithTheDumbOne(t *testing.T) {
	check(t, 10, func(rt *rapid.T) {
		in := anyInput(rt)
		c, err := Assemble(in)
		d := dumb{in: in}
		if !d.run() {
			if brenner.CodeOf(err) != brenner.CodeContextOverflow {
				rt.Fatalf("got %v, want an overflow", err)
			}
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(d.text(), c.Text); diff != "" {
			rt.Fatal(diff)
		}
		got := map[brenner.Ref]Reason{}
		for _, l := range c.LeftOut {
			got[l.Ref] = l.Reason
		}
		if diff := cmp.Diff(d.out, got); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// dumb assembles by trying.
type dumb struct {
	in    Input
	shown []shown
	out   map[brenner.Ref]Reason
}

type shown struct {
	section Section
	item    Item
	variant Variant
	bullet  playbook.Bullet
}

// text renders everything that is shown so far.
func (d *dumb) text() string {
	w, err := writerOf(d.in.Format, false)
	if err != nil {
		panic(err)
	}
	scope := Scope{Modules: []brenner.Module{"a", "project"}}
	text := w.header(d.in, scope)
	for _, s := range Sections()[1:] {
		body := ""
		if s == Overview && len(d.in.Overview) == 0 {
			body = w.missing(s)
		}
		if s == TaskSpec && d.in.Task != nil {
			body = w.task(*d.in.Task)
		}
		for _, q := range d.in.Asked {
			if s == Questions {
				body += w.asked(q)
			}
		}
		if s == Selected {
			body = d.selected(w)
		}
		for _, x := range d.shown {
			switch {
			case x.section != s, s == Selected:
			case s == Lessons:
				body += w.bullet(x.bullet)
			default:
				content, _ := d.in.Load(x.item.Ref)
				body += w.item(s, x.item, x.variant, content)
			}
		}
		if body != "" {
			text += w.heading(s) + body
		}
	}
	return text + w.footer()
}

// selected renders what is selected, type by type.
func (d *dumb) selected(w writer) string {
	text := ""
	var done []brenner.TypeName
	for _, first := range d.shown {
		if first.section != Selected || slices.Contains(done, first.item.Type) {
			continue
		}
		done = append(done, first.item.Type)
		text += w.group(first.item.Type)
		for _, x := range d.shown {
			if x.section == Selected && x.item.Type == first.item.Type {
				content, _ := d.in.Load(x.item.Ref)
				text += w.item(Selected, x.item, x.variant, content)
			}
		}
	}
	return text
}

func (d *dumb) fits() bool {
	b := d.in.View.Budget
	return measured(b, d.text()) <= b.Size-b.Reserve
}

// try shows something if there is room for it.
func (d *dumb) try(x shown) bool {
	d.shown = append(d.shown, x)
	if d.fits() {
		return true
	}
	d.shown = d.shown[:len(d.shown)-1]
	return false
}

func (d *dumb) run() bool {
	v := d.in.View
	d.out = map[brenner.Ref]Reason{}
	for _, it := range d.in.Overview {
		d.shown = append(d.shown, shown{section: Overview, item: it, variant: v.Overview})
	}
	for _, it := range d.in.Pinned {
		d.shown = append(d.shown, shown{section: Pinned, item: it, variant: v.Pinned})
	}
	for i := len(d.shown) - 1; i >= 0 && !d.fits(); i-- {
		d.shown[i].variant = Summary
	}
	if !d.fits() {
		return false
	}
	var open []Candidate
	for _, c := range d.in.Candidates {
		if d.out[c.Ref] = d.barred(c); d.out[c.Ref] == "" {
			delete(d.out, c.Ref)
			open = append(open, c)
		}
	}
	query := Query{Tags: d.in.Tags, Now: d.in.Now}
	for _, it := range d.in.Pinned {
		query.Pinned = append(query.Pinned, it.Ref.Artifact)
	}
	taken := map[brenner.TypeName]int{}
	for _, c := range dumbRank(v.Weights, query, open) {
		rule, _ := v.Rule(c.Type)
		switch {
		case taken[c.Type] == rule.Max:
			d.out[c.Ref] = MaxOfType
		case rule.Variant == Full && d.try(shown{section: Selected, item: c.Item, variant: Full}),
			d.try(shown{section: Selected, item: c.Item, variant: Summary}):
			taken[c.Type]++
		default:
			d.out[c.Ref] = OverBudget
		}
	}
	d.lessons()
	return true
}

func (d *dumb) barred(c Candidate) Reason {
	switch {
	case c.Denied != "":
		return NotPermitted
	case slices.ContainsFunc(d.in.Pinned, func(it Item) bool { return it.Ref == c.Ref }):
		return AlreadyPresent
	case c.Type == artifact.TypeCritique:
		return NotInView
	case c.Status == artifact.Deprecated || c.Status == artifact.Superseded:
		return OutOfUse
	case c.Module == "b":
		return OtherModule
	}
	return ""
}

func (d *dumb) lessons() {
	left, taken := slices.Clone(d.in.Bullets), 0
	for len(left) > 0 {
		best := 0
		for i, r := range left {
			if r.Score > left[best].Score || r.Score == left[best].Score && r.Bullet.ID < left[best].Bullet.ID {
				best = i
			}
		}
		b := left[best].Bullet
		if b.Stage == playbook.Prod && taken < d.in.View.Bullets.Max && d.try(shown{section: Lessons, bullet: b}) {
			taken++
		}
		left = slices.Delete(left, best, best+1)
	}
}

package assembly

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/artifact"
	"brenner/canon"
	"brenner/playbook"

	"github.com/google/go-cmp/cmp"
)

// note is an item of a small project.
func note(r string, t brenner.TypeName, m brenner.Module, summary string) Item {
	return Item{Ref: ref(r), Type: t, Module: m, Status: artifact.Canonical, Summary: summary, Updated: noon}
}

// shelf loads contents from a map, and counts how often it is asked.
type shelf struct {
	contents map[string]string
	asked    []string
}

func (s *shelf) load(r brenner.Ref) (artifact.Content, error) {
	s.asked = append(s.asked, r.String())
	text, ok := s.contents[r.String()]
	switch {
	case !ok:
		return artifact.Content{}, brenner.Errorf(brenner.CodeNotFound, "no content of %s", r)
	case text == "REDACTED":
		return artifact.Content{}, brenner.Errorf(brenner.CodeRedacted, "gone")
	case strings.HasPrefix(text, "{"):
		return artifact.Content{Format: artifact.JSON, Data: []byte(text)}, nil
	}
	return artifact.Content{Format: artifact.Text, Data: []byte(text)}, nil
}

// story is a small project seen by a test designer.
func story() (Input, *shelf) {
	s := &shelf{contents: map[string]string{
		"brief@3": `{"question":"Do morphogen gradients scale?"}`,
		"spec@2":  "D = 10 µm²/s\n```\ndecay 0.1/s\n```",
		"memo@4":  strings.Repeat("Gradients scale in discs.\n", 8),
	}}
	v := defaults()
	v.Role, v.Budget = "test_designer", Budget{Unit: InTokens, Size: 560, Family: GPT}
	v.Weights = Weights{Pinned: 4, Links: 3, Tags: 1, Recency: 1, Lexical: 2, Semantic: 2}
	v.Types = []TypeRule{
		{artifact.TypeIntegratedMemo, Full, 1},
		{artifact.TypePaperNote, Summary, 2},
		{artifact.TypeModelSpec, Full, 3},
	}
	denied := Candidate{Item: note("secret@1", artifact.TypePaperNote, "discs", "Not for everyone."), Denied: "the policy of test_designer keeps it to discs"}
	old := note("old@1", artifact.TypePaperNote, "discs", "Superseded claims.")
	old.Status = artifact.Deprecated
	stale := note("memo@4", artifact.TypeIntegratedMemo, "discs", "Gradients scale in wing discs.")
	stale.Notes = Notes{
		Author: "bohr", NeedsUpdate: true, Draft: 5, Links: []Relation{{artifact.DependsOn, ref("n1@1")}, {artifact.DependsOn, ref("spec@2")}},
		Superseded: []brenner.Ref{ref("memo-two@1")}, Contradicted: []brenner.Ref{ref("n2@1")}, Criticised: []brenner.Ref{ref("crit@1")},
	}
	return Input{
		Project: "Cell fate", Agent: "ann", View: v, Format: Markdown,
		Task:    &Task{ID: "task-12", Title: "Design a test", Spec: "Tell scaling from size control."},
		Asked:   []Asked{{Text: "Which discs?"}, {Session: "RS-scaling", Text: "Do gradients scale?"}},
		Modules: []brenner.Module{"discs"}, Shared: []brenner.Module{"project"},
		Overview: []Item{note("brief@3", artifact.TypeProjectBrief, "project", "Do morphogen gradients scale with tissue size?")},
		Pinned:   []Item{note("spec@2", artifact.TypeModelSpec, "discs", "Diffusion and decay.")},
		Candidates: []Candidate{
			{Item: stale, Distance: 1, By: []Cause{ByLinks}},
			{Item: note("n1@1", artifact.TypePaperNote, "discs", "Dpp scales in discs."), Lexical: 3, By: []Cause{ByFullText}},
			{Item: note("n2@1", artifact.TypePaperNote, "discs", "Bicoid does not scale within species."), Lexical: 2, By: []Cause{ByFullText}},
			{Item: note("n3@1", artifact.TypePaperNote, "discs", "A third note."), Lexical: 1, By: []Cause{ByFullText}},
			{Item: note("other@1", artifact.TypePaperNote, "limbs", "About limbs."), Lexical: 9},
			{Item: note("draft@1", artifact.TypeManuscriptSection, "discs", "Introduction.")},
			{Item: note("spec@2", artifact.TypeModelSpec, "discs", "Diffusion and decay."), Distance: 1},
			denied,
			{Item: old},
		},
		Rest: []Rest{{ByRecency, 40}},
		Bullets: []playbook.Ranked{
			{Bullet: playbook.Bullet{ID: "bench.2", Domain: "bench", Section: playbook.Harmful, Stage: playbook.Prod, Content: "Fixing for over 20 min\nshrinks discs."}, Score: 0.4},
			{Bullet: playbook.Bullet{ID: "bench.7", Domain: "bench", Section: playbook.Helpful, Stage: playbook.Prod, Content: "Normalise to disc area."}, Score: 0.9},
			{Bullet: playbook.Bullet{ID: "bench.9", Domain: "bench", Section: playbook.Helpful, Stage: playbook.Shadow, Content: "Unproven."}, Score: 0.95},
		},
		Now: noon, Counter: o200k(), Load: s.load,
	}, s
}

// C3: a context holds a brief overview, the task spec, the pinned inputs, then
// what the view selects. C21: and there is a reason for everything.
func TestAssemble_TellsTheStory(t *testing.T) {
	for _, format := range []Format{Markdown, JSON} {
		in, _ := story()
		in.Format = format
		c, err := Assemble(in)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "story."+string(format), c.Text)
		golden(t, "story."+string(format)+".reasons", reasons(c))
	}
}

// reasons tells a record in lines.
func reasons(c Context) string {
	var b strings.Builder
	line := func(words ...any) { b.WriteString(fmt.Sprintln(words...)) }
	line("used", c.Used, "of", c.Budget.Size, c.Budget.Unit)
	for _, p := range c.Parts {
		line("part", p.Section, "items", p.Items, "tokens", p.Tokens)
	}
	for _, it := range c.Items {
		total := ""
		if it.Score != nil {
			total = fmt.Sprint("score ", it.Score.Total)
		}
		line("in", it.Section, it.Ref, it.Type, it.Variant, it.Tokens, "tokens:", it.Why, total)
	}
	for _, l := range c.LeftOut {
		line("out", l.Ref, l.Type, l.Reason+":", l.Why)
	}
	for _, x := range c.Bullets {
		line("in", x.ID, x.Tokens, "tokens")
	}
	for _, x := range c.BulletsLeftOut {
		line("out", x.ID, x.Reason)
	}
	for _, r := range c.Rest {
		line("rest", r.Cause, r.Count)
	}
	return b.String()
}

// golden compares with a file in testdata; BRENNER_UPDATE=1 rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("BRENNER_UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s: %s", name, d)
	}
}

// C30: a context without its text is the record of the assembly: who, as what,
// for which task, by which view, every item with version, type, variant, size
// and reason, and what was left out. It is read back as it was written.
func TestContext_IsTheRecordOfTheAssembly(t *testing.T) {
	in, _ := story()
	in.ViewFrom = "view-test-designer@3"
	c, err := Assemble(in)
	if err != nil {
		t.Fatal(err)
	}
	raw := canon.MustMarshal(c)
	var back Context
	if err := canon.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	back.Text = c.Text
	if d := cmp.Diff(c, back); d != "" {
		t.Error(d)
	}
	want := UsedView{"view-test-designer@3", canon.Sum(canon.MustMarshal(in.View))}
	if c.Agent != "ann" || c.Role != "test_designer" || c.Task != "task-12" || c.View != want || c.SHA256 != canon.Sum([]byte(c.Text)) {
		t.Errorf("%s", raw)
	}
	if strings.Contains(string(raw), "Dpp scales") {
		t.Error("the record holds text of artifacts")
	}
}

func included(c Context) []string {
	var out []string
	for _, it := range c.Items {
		out = append(out, string(it.Section)+" "+it.Ref.String()+" "+string(it.Variant))
	}
	return out
}

func reasonOf(c Context, r string) Reason {
	for _, l := range c.LeftOut {
		if l.Ref == ref(r) {
			return l.Reason
		}
	}
	return ""
}

// C22: full content degrades to the summary before it is left out.
func TestAssemble_FullDegradesToSummaryThenGoes(t *testing.T) {
	in, _ := story()
	in.View.Pinned, in.View.Overview = Summary, Summary
	in.Bullets = nil
	in.Candidates = in.Candidates[:1]
	sizes := map[string]bool{}
	for size := 400; size > 0; size-- {
		in.View.Budget.Size = size
		c, err := Assemble(in)
		if brenner.CodeOf(err) == brenner.CodeContextOverflow {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		state := "out " + string(reasonOf(c, "memo@4"))
		if n := len(c.Items); n == 3 {
			state = "in " + string(c.Items[2].Variant)
		}
		if !sizes[state] && len(sizes) > 0 && state != []string{"in full", "in summary", "out over_budget"}[len(sizes)] {
			t.Fatalf("%d tokens: %s after %v", size, state, sizes)
		}
		sizes[state] = true
	}
	if len(sizes) != 3 {
		t.Errorf("states: %v", sizes)
	}
}

// C22: pinned inputs and the overview degrade too, the last pinned one first.
// C22.a.
func TestAssemble_MandatoryPartsDegradeBeforeTheyOverflow(t *testing.T) {
	in, s := story()
	s.contents["big@1"] = strings.Repeat("data ", 200)
	in.Pinned = append(in.Pinned, note("big@1", artifact.TypeAnalysisResult, "discs", "Much data."))
	in.Candidates, in.Bullets = nil, nil
	var got []string
	for size := 600; size > 0; size-- {
		in.View.Budget.Size = size
		c, err := Assemble(in)
		if err != nil {
			break
		}
		if state := strings.Join(included(c), ", "); len(got) == 0 || got[len(got)-1] != state {
			got = append(got, state)
		}
	}
	want := []string{
		"overview brief@3 full, pinned spec@2 full, pinned big@1 full",
		"overview brief@3 full, pinned spec@2 full, pinned big@1 summary",
		"overview brief@3 full, pinned spec@2 summary, pinned big@1 summary",
		"overview brief@3 summary, pinned spec@2 summary, pinned big@1 summary",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// C3: who takes a task over is given what was written for it and why it came back, before
// what the view selects; nothing of that has to fit, however large it is.
func TestAssemble_WhatWasWrittenForTheTaskComesFirstAndHasToFitNowhere(t *testing.T) {
	in, s := story()
	in.Task.Earlier = []Holder{{How: "bohr gave it back", Note: "## Task\nthe log is locked"}}
	half := note("half@2", artifact.TypeManuscriptSection, "discs", "Half of it.")
	half.As = "written for this task before bohr gave it back"
	s.contents["half@2"] = "Wing discs were counted on two days."
	in.Written = []Item{half}
	in.Candidates = append(in.Candidates, Candidate{Item: half, Lexical: 5})
	place := func(c Context, words string) int {
		t.Helper()
		i := strings.Index(c.Text, words)
		if i < 0 {
			t.Errorf("no %q in\n%s", words, c.Text)
		}
		return i
	}
	c, err := Assemble(in)
	if err != nil {
		t.Fatal(err)
	}
	if place(c, "## Written for this task\n\nbohr gave it back, and said why (data):\n\n```\n## Task\nthe log") > place(c, "counted on two days") ||
		place(c, "; written for this task before bohr gave it back") > place(c, "## Selected") {
		t.Errorf("not in order:\n%s", c.Text)
	}
	if n := strings.Count(c.Text, "half@2"); n != 1 {
		t.Errorf("it stands there %d times", n)
	}
	// Too large, it is a summary; and where that has no room either the task is workable.
	s.contents["half@2"] = strings.Repeat("Wing discs were counted. ", 5_000)
	if c, err = Assemble(in); err != nil {
		t.Fatal(err)
	}
	place(c, `"Half of it."`)
	in.Written, in.Task.Earlier = nil, nil
	in.Candidates, in.Bullets = nil, nil
	bare, err := Assemble(in)
	if err != nil {
		t.Fatal(err)
	}
	in.View.Budget.Size = bare.Used + in.View.Budget.Reserve
	in.Written, in.Task.Earlier = []Item{half}, []Holder{{How: "bohr gave it back", Note: strings.Repeat("why ", 900)}}
	if c, err = Assemble(in); err != nil || c.Text != bare.Text {
		t.Errorf("without room: %v\n%s", err, c.Text)
	}
}

// C20: mandatory parts that do not fit are refused, with their sizes.
func TestAssemble_OverflowNamesTheSizes(t *testing.T) {
	in, _ := story()
	in.Task.Spec = strings.Repeat("Do it well. ", 300)
	_, err := Assemble(in)
	e, ok := err.(*brenner.Error)
	if !ok || e.Code != brenner.CodeContextOverflow {
		t.Fatalf("got %v", err)
	}
	o, ok := e.Details.(Overflow)
	if !ok || o.Needed <= 560 || o.Budget != in.View.Budget {
		t.Fatalf("details %+v", e.Details)
	}
	sum, task := 0, 0
	for _, p := range o.Parts {
		sum += p.Tokens
		if p.Section == TaskSpec {
			task = p.Tokens
		}
	}
	if sum != o.Needed || task < 900 {
		t.Errorf("parts %+v of %d", o.Parts, o.Needed)
	}
	if !strings.Contains(e.Message, "task ") {
		t.Errorf("the message names no size: %s", e.Message)
	}
}

// C20: the part of the budget that is reserved for reads is left free.
func TestAssemble_LeavesTheReserve(t *testing.T) {
	in, _ := story()
	in.View.Budget.Reserve = 100
	c, err := Assemble(in)
	if err != nil {
		t.Fatal(err)
	}
	if c.Used > 460 || published(O200k, c.Text) > 460 {
		t.Errorf("used %d, counted %d", c.Used, published(O200k, c.Text))
	}
}

// C20: what fits to the last token goes in, and with one token less it does
// not.
func TestAssemble_UsesTheBudgetToTheLastToken(t *testing.T) {
	in, _ := story()
	in.Bullets = nil
	want, err := Assemble(in)
	if err != nil {
		t.Fatal(err)
	}
	in.View.Budget.Size = want.Used
	got, err := Assemble(in)
	if err != nil || got.Text != want.Text {
		t.Errorf("with exactly what is needed: %v\n%s", err, reasons(got))
	}
	in.View.Budget.Size--
	if got, err = Assemble(in); err != nil || reasonOf(got, "n2@1") != OverBudget {
		t.Errorf("with one token less: %v\n%s", err, reasons(got))
	}
}

// C21: a lesson enters by the stages, the domains and the number that the view
// allows, the best first.
func TestAssemble_BulletsByStageDomainAndNumber(t *testing.T) {
	in, _ := story()
	in.Bullets = append(in.Bullets, playbook.Ranked{
		Bullet: playbook.Bullet{ID: "cooking.1", Domain: "cooking", Section: playbook.Helpful, Stage: playbook.Prod, Content: "Salt the water."}, Score: 1,
	})
	in.View.Bullets = Bullets{Stages: []playbook.Stage{playbook.Prod, playbook.Shadow}, Max: 1, Domains: []playbook.Domain{"bench"}}
	c, err := Assemble(in)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range c.Bullets {
		got = append(got, string(b.ID)+" in")
	}
	for _, b := range c.BulletsLeftOut {
		got = append(got, string(b.ID)+" "+string(b.Reason))
	}
	want := []string{"bench.9 in", "cooking.1 domain_not_in_view", "bench.7 max_of_bullets", "bench.2 max_of_bullets"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// C2: the prose of a raw log never enters a context, even when it is pinned.
func TestAssemble_RawLogsAreNamedNotShown(t *testing.T) {
	in, s := story()
	s.contents["log@1"] = "chatter"
	in.Pinned = []Item{note("log@1", artifact.TypeRawLog, "discs", "A log of Tuesday.")}
	c, err := Assemble(in)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(s.asked, "log@1") || !slices.Contains(included(c), "pinned log@1 summary") {
		t.Errorf("asked for %v, included %v", s.asked, included(c))
	}
}

// C22: a redacted content degrades to its summary, and the record says so.
func TestAssemble_RedactedContentBecomesASummary(t *testing.T) {
	in, s := story()
	s.contents["spec@2"] = "REDACTED"
	c, err := Assemble(in)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(c.Items, func(it Included) bool { return it.Ref == ref("spec@2") })
	if c.Items[i].Variant != Summary || !strings.Contains(c.Items[i].Why, "redacted") {
		t.Errorf("%+v", c.Items[i])
	}
}

// C20: content that cannot fit is not even loaded.
func TestAssemble_DoesNotLoadWhatCannotFit(t *testing.T) {
	in, s := story()
	in.Candidates[0].Size = 1 << 20
	c, err := Assemble(in)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(s.asked, "memo@4") || !slices.Contains(included(c), "selected memo@4 summary") {
		t.Errorf("asked for %v, included %v", s.asked, included(c))
	}
}

// C23: several modules need a cross-cutting task and a view that allows it.
func TestAssemble_CrossModuleWorkNeedsLeave(t *testing.T) {
	in, _ := story()
	in.Modules = []brenner.Module{"discs", "limbs"}
	if _, err := Assemble(in); brenner.CodeOf(err) != brenner.CodeCrossModule {
		t.Errorf("not cross-cutting: %v", err)
	}
	in.CrossCutting = true
	if _, err := Assemble(in); brenner.CodeOf(err) != brenner.CodeCrossModule {
		t.Errorf("not allowed: %v", err)
	}
	in.View.Modules = CrossModules
	c, err := Assemble(in)
	if err != nil || !slices.Contains(included(c), "selected other@1 summary") {
		t.Errorf("%v, %v", included(c), err)
	}
	in.Modules = nil
	if c, err = Assemble(in); err != nil || !strings.Contains(c.Text, "all modules") || !slices.Contains(included(c), "selected other@1 summary") {
		t.Errorf("%v, %v", included(c), err)
	}
}

// C3: a project without a brief says so instead of leaving the place empty.
func TestAssemble_SaysThatThereIsNoBrief(t *testing.T) {
	in, _ := story()
	in.Overview, in.Task = nil, nil
	c, err := Assemble(in)
	if err != nil || !strings.Contains(c.Text, noBrief) || strings.Contains(c.Text, "## Task") {
		t.Errorf("%v\n%s", err, c.Text)
	}
}

func TestAssemble_Refuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Input, *shelf)
		code   brenner.Code
	}{
		{"unknown format", func(in *Input, _ *shelf) { in.Format = "html" }, brenner.CodeInvalidValue},
		{"a candidate twice", func(in *Input, _ *shelf) { in.Candidates = append(in.Candidates, in.Candidates[0]) }, brenner.CodeInvalidValue},
		{"a bullet twice", func(in *Input, _ *shelf) { in.Bullets = append(in.Bullets, in.Bullets[0]) }, brenner.CodeInvalidValue},
		{"too many", func(in *Input, _ *shelf) { in.Candidates = make([]Candidate, brenner.MaxCandidates+1) }, brenner.CodeLimitExceeded},
		{"a summary that is not UTF-8", func(in *Input, _ *shelf) { in.Candidates[0].Summary = "\xff" }, brenner.CodeInvalidText},
		{"a task with U+0000", func(in *Input, _ *shelf) { in.Task.Spec = "a\x00b" }, brenner.CodeInvalidText},
		{"a content that is not UTF-8", func(_ *Input, s *shelf) { s.contents["spec@2"] = "\xff" }, brenner.CodeInvalidText},
		{"a content that is not JSON", func(_ *Input, s *shelf) { s.contents["spec@2"] = "{" }, brenner.CodeInvalidJSON},
		{"a content that is missing", func(_ *Input, s *shelf) { delete(s.contents, "spec@2") }, brenner.CodeNotFound},
		{"a candidate's content that is missing", func(_ *Input, s *shelf) { delete(s.contents, "memo@4") }, brenner.CodeNotFound},
		{"the overview's content that is missing", func(_ *Input, s *shelf) { delete(s.contents, "brief@3") }, brenner.CodeNotFound},
		{"another counter", func(in *Input, _ *shelf) { in.Counter = Bytes{} }, brenner.CodeInternal},
	} {
		in, s := story()
		tt.change(&in, s)
		if _, err := Assemble(in); brenner.CodeOf(err) != tt.code {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.code)
		}
	}
}

// stubborn counts more for the whole than for the parts, as a byte-pair
// encoding of somebody else's may.
type stubborn struct{ Bytes }

func (stubborn) Count(text string) int { return len(text) + len(text)*len(text)/4000 }

func (stubborn) Apart(string, string) bool { return false }

// C20: the bound holds for the final text even if the parts promised less; what
// ranks lowest goes first, and full content becomes a summary before it goes.
// C20.a.
func TestAssemble_DropsTheLowestRankUntilTheWholeFits(t *testing.T) {
	in, s := story()
	s.contents["memo@4"] = "A short memo, longer than its summary."
	in.View.Budget = Budget{Unit: InBytes}
	in.Counter = stubborn{}
	states := map[string]bool{}
	for size := 2400; size > 600; size -= 5 {
		in.View.Budget.Size = size
		c, err := Assemble(in)
		if err != nil {
			states[string(brenner.CodeOf(err))] = true
			continue
		}
		if n := in.Counter.Count(c.Text); n > size || c.Used != n {
			t.Fatalf("size %d: counted %d, used %d", size, n, c.Used)
		}
		if got := len(c.Items) + len(c.LeftOut); got != 2+len(in.Candidates) || len(c.Bullets)+len(c.BulletsLeftOut) != len(in.Bullets) {
			t.Fatalf("size %d: not everything is accounted for:\n%s", size, reasons(c))
		}
		states[fmt.Sprint(included(c)[2:], len(c.Bullets))] = true
	}
	for _, want := range []string{
		"[selected memo@4 full selected n1@1 summary selected n2@1 summary] 2",
		"[selected memo@4 full selected n1@1 summary selected n2@1 summary] 1",
		"[selected memo@4 full selected n1@1 summary selected n2@1 summary] 0",
		"[selected memo@4 full selected n1@1 summary] 0",
		"[selected memo@4 full] 0",
		"[selected memo@4 summary] 0",
		"[] 0",
		"CONTEXT_OVERFLOW",
	} {
		if !states[want] {
			t.Errorf("never met %s", want)
		}
	}
}

// memory is a cache that tells how it was used.
type memory struct {
	counts map[brenner.Digest]int
	misses int
}

func (m *memory) Get(key brenner.Digest) (int, bool) {
	n, ok := m.counts[key]
	return n, ok
}

func (m *memory) Put(key brenner.Digest, n int) {
	m.misses++
	m.counts[key] = n
}

// C21: the result does not depend on what the cache remembers.
func TestAssemble_CacheChangesNothing(t *testing.T) {
	in, _ := story()
	want, err := Assemble(in)
	if err != nil {
		t.Fatal(err)
	}
	cache := &memory{counts: map[brenner.Digest]int{}}
	in.Cache = cache
	for pass := range 2 {
		cache.misses = 0
		got, err := Assemble(in)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		if (cache.misses > 0) != (pass == 0) {
			t.Errorf("pass %d: %d misses", pass, cache.misses)
		}
	}
	in.View.Budget.Family, in.Counter = GPT4, cl100k()
	cache.misses = 0
	if _, err := Assemble(in); err != nil || cache.misses == 0 {
		t.Errorf("another encoding shares counts: %v", err)
	}
}

// C34: a view that grows spends what it has: summaries become full texts in the
// order of their rank, what does not fit stays a summary, and the reserve and
// the lessons keep their place.
func TestAssemble_LeftOverBudgetTurnsSummariesIntoFullTexts(t *testing.T) {
	in, s := story()
	in.View.Budget = Budget{Unit: InBytes, Size: 6000, Reserve: 1000}
	in.Counter = Bytes{}
	s.contents["n1@1"] = strings.Repeat("Dpp scales. ", 40)
	s.contents["n2@1"] = strings.Repeat("Bicoid does not. ", 400) // larger than what is left
	s.contents["n3@1"] = strings.Repeat("A third one.", 40)       // as long as the first
	in.View.Types[1].Max = 3
	for i := range in.Candidates {
		in.Candidates[i].Size = int64(len(s.contents[in.Candidates[i].Ref.String()]))
	}
	variants := func() map[string]Variant {
		c, err := Assemble(in)
		if err != nil {
			t.Fatal(err)
		}
		if c.Used > in.View.Budget.Size-in.View.Budget.Reserve || c.Used != len(c.Text) {
			t.Errorf("%d bytes are used of a text of %d", c.Used, len(c.Text))
		}
		if len(c.Bullets) != 2 {
			t.Errorf("%d lessons are left", len(c.Bullets))
		}
		out := map[string]Variant{}
		for _, i := range c.Items {
			if out[i.Ref.String()] = i.Variant; i.Section == Selected && (i.Rank == 0 || i.Score == nil) {
				t.Errorf("%s has lost its rank", i.Ref)
			}
		}
		return out
	}
	if got := variants(); got["n1@1"] != Summary || got["n3@1"] != Summary {
		t.Errorf("a view that does not grow gives %v", got)
	}
	in.View.Grow = true
	if got := variants(); got["n1@1"] != Full || got["n2@1"] != Summary || got["n3@1"] != Full {
		t.Errorf("a view that grows gives %v", got)
	}
	// With room for one of two, the better ranked grows.
	in.View.Budget.Size = 1000
	for in.View.Budget.Size < 6000 {
		in.View.Budget.Size += 50
		if c, err := Assemble(in); err == nil && slices.ContainsFunc(c.Items, func(i Included) bool { return i.Ref == ref("n3@1") && i.Variant == Full }) {
			if !slices.ContainsFunc(c.Items, func(i Included) bool { return i.Ref == ref("n1@1") && i.Variant == Full }) {
				t.Errorf("with %d bytes the third grows before the first", in.View.Budget.Size)
			}
			break
		}
	}
	// What was redacted stays a summary.
	s.contents["n1@1"] = "REDACTED"
	in.View.Budget.Size = 6000
	if got := variants(); got["n1@1"] != Summary {
		t.Errorf("a redacted content grows: %v", got)
	}
}

// C34: who does a part of the work is given in full what the part names, of other texts
// the passages that bear on it, and short ones whole that have such a passage.
func TestAssemble_APartIsGivenThePassagesThatBearOnIt(t *testing.T) {
	in, s := story()
	in.View.Budget = Budget{Unit: InBytes, Size: 100_000}
	in.View.Grow, in.Counter = true, Bytes{}
	in.View.Types[1].Max = 40
	long := strings.Repeat("x", 3000)
	for id, text := range map[string]string{
		"near@1": long + "\n\nthe weir\n\n" + long + "\n\nthe weir again", "far@1": long, "named@1": long, "short@1": "The weir.\n\nIt is old." + long[:1000], "tiny@1": "A word.", "gone@1": "REDACTED",
	} {
		it := note(id, artifact.TypePaperNote, "discs", "about "+id)
		it.Size = int64(len(text))
		s.contents[id] = text
		in.Candidates = append(in.Candidates, Candidate{Item: it})
	}
	for _, c := range in.Candidates {
		if s.contents[c.Ref.String()] == "" {
			s.contents[c.Ref.String()] = "."
		}
	}
	in.Named = []brenner.ArtifactID{"named"}
	in.Bearing = func(texts []string) (out []Passage) {
		for i, text := range texts {
			for p := range strings.SplitSeq(text, "\n\n") {
				if strings.Contains(p, "weir") {
					out = append(out, Passage{Text: i, Words: p})
				}
			}
		}
		return out
	}
	want := map[brenner.ArtifactID]Variant{"near": Passages, "far": Summary, "named": Full, "short": Full, "tiny": Full, "gone": Summary}
	c, err := Assemble(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range c.Items {
		if v, is := want[i.Ref.Artifact]; is && i.Variant != v {
			t.Errorf("%s as %s, not %s: %s", i.Ref, i.Variant, v, i.Why)
		}
	}
	quotes := `"about near@1", passages of it` + "\n\n```\nthe weir\n[…]\nthe weir again\n```\n"
	if !strings.Contains(c.Text, quotes) || !strings.Contains(c.Text, "The weir.\n\nIt is old.x") || strings.Contains(c.Text, "near@1 (draft, discs): \"about") {
		t.Errorf("the text: %s", strings.ReplaceAll(c.Text, long, "xxx"))
	}
	in.Format = JSON
	if c, err = Assemble(in); err != nil || !strings.Contains(c.Text, `"content":"the weir\n[…]\nthe weir again"`) {
		t.Errorf("as JSON, %v: %s", err, strings.ReplaceAll(c.Text, long, "xxx"))
	}
	// What does not fit stays a summary.
	in.Format, in.View.Budget.Size = Markdown, c.Used
	in.Bearing = func(texts []string) []Passage {
		return []Passage{{Text: len(texts) - 1, Words: strings.Repeat(long, 40)}}
	}
	if c, err = Assemble(in); err != nil || slices.ContainsFunc(c.Items, func(i Included) bool { return i.Variant == Passages }) {
		t.Errorf("what is too large is quoted, %v", err)
	}
}

// C21, C34: a survey shows the document of the session that is asked about, and to who
// divides the work what bears on the question, as with a part; nothing grows, no lesson is
// given and no question repeated.
func TestAssemble_ASurveyShowsWhatTheWorkIsDividedBy(t *testing.T) {
	in, s := story()
	in.View.Budget = Budget{Unit: InBytes, Size: 60_000}
	in.View.Grow, in.Counter, in.Survey = true, Bytes{}, true
	in.View.Types = append(in.View.Types, TypeRule{artifact.TypeSessionArtifact, Full, 2})
	in.View.Types[1].Max = 40
	s.contents["RS-scaling@1"], s.contents["RS-other@1"] = "the document", "another"
	in.Candidates = append(in.Candidates,
		Candidate{Item: note("RS-scaling@1", artifact.TypeSessionArtifact, "discs", "this one")}, Candidate{Item: note("RS-other@1", artifact.TypeSessionArtifact, "discs", "an earlier one")})
	for i := range 30 {
		long := note(fmt.Sprintf("long-%02d@1", i), artifact.TypePaperNote, "discs", strings.Repeat("é", 500))
		s.contents[long.Ref.String()] = "all of it"
		in.Candidates = append(in.Candidates, Candidate{Item: long, Lexical: 9})
	}
	for _, c := range in.Candidates {
		if ref := c.Ref.String(); s.contents[ref] == "" {
			s.contents[ref] = "all of it"
		}
	}
	check := func(bearing int, want, no []string) {
		t.Helper()
		c, err := Assemble(in)
		if err != nil {
			t.Fatal(err)
		}
		quoted := 0
		for _, i := range c.Items {
			if i.Section == Selected && i.Variant == Passages {
				quoted++
			}
		}
		if quoted != bearing || len(c.Bullets) != 0 {
			t.Errorf("%d are quoted, with %d lessons", quoted, len(c.Bullets))
		}
		for _, w := range append(want, "the document", "# Context for ") {
			if !strings.Contains(c.Text, w) {
				t.Errorf("%q is not in\n%s", w, c.Text)
			}
		}
		for _, n := range append(no, "another", "all of it", "Which discs?", "## Question", "## Playbook") {
			if strings.Contains(c.Text, n) {
				t.Errorf("%q is in\n%s", n, c.Text)
			}
		}
		if i := slices.IndexFunc(c.LeftOut, func(l LeftOut) bool { return l.Reason == NotBearing }); i < 0 {
			t.Errorf("what was left out does not say why: %v", c.LeftOut)
		}
	}
	check(0, []string{"What is recorded that bears on your part of the work comes with it.\n"}, []string{"long-"})
	in.ForPart = func(texts []Said) []Passage {
		return []Passage{{Text: 3, Words: "the weir"}, {Text: 5, Words: "the dam"}}
	}
	check(2, []string{"bears on the question stands last", "\"the weir\"", "\"the dam\""}, nil)
	in.ForPart = func([]Said) []Passage { return nil }
	check(0, []string{"bears on the question stands last, if anything does"}, []string{"long-", "Nothing does"})
}

// C21: what notes say is part of the text and of its size, and they are asked
// for what may be shown alone: a few times, never once for each candidate.
func TestAssemble_AsksForNotesOfWhatMayBeShown(t *testing.T) {
	in, _ := story()
	in.View.Types = []TypeRule{{artifact.TypePaperNote, Summary, 80}}
	in.Candidates = nil
	for i := range 400 {
		in.Candidates = append(in.Candidates, Candidate{Item: note(fmt.Sprintf("n%d@1", i), artifact.TypePaperNote, "discs", "A note."), Lexical: float64(1000 - i)})
	}
	in.View.Budget.Size = 100_000
	calls, asked := 0, 0
	in.About = func(refs []brenner.Ref) (map[brenner.Ref]Notes, error) {
		calls++
		out := map[brenner.Ref]Notes{}
		for _, r := range refs {
			asked++
			out[r] = Notes{Author: brenner.ActorName("author-of-" + r.Artifact)}
		}
		return out, nil
	}
	c, err := Assemble(in)
	if err != nil {
		t.Fatal(err)
	}
	if calls != 3 || asked != 2+2*learnAhead {
		t.Errorf("%d calls for %d versions", calls, asked)
	}
	for _, it := range c.Items {
		if !strings.Contains(c.Text, "author-of-"+string(it.Ref.Artifact)) {
			t.Errorf("%s has no author", it.Ref)
		}
	}
	if c.Used != published(O200k, c.Text) {
		t.Errorf("used %d, counted %d", c.Used, published(O200k, c.Text))
	}
}

// C21: a lesson that has nothing to do with the work is left out, and the record
// says so; one that could not be compared is not.
func TestAssemble_LessonsHaveAFloor(t *testing.T) {
	in, _ := story()
	lesson := func(id playbook.BulletID, similarity float64, compared, shared bool) playbook.Ranked {
		return playbook.Ranked{
			Bullet: playbook.Bullet{ID: id, Domain: "bench", Section: playbook.Helpful, Stage: playbook.Prod, Content: string(id)},
			Score:  similarity, Similarity: similarity, Compared: compared, Shared: shared,
		}
	}
	in.Bullets = []playbook.Ranked{
		lesson("bench.1", LessonFloor, true, false), lesson("bench.2", LessonFloor-0.01, true, false),
		lesson("bench.3", 0, true, true), lesson("bench.4", 0, false, false),
	}
	c, err := Assemble(in)
	if err != nil {
		t.Fatal(err)
	}
	var got []playbook.BulletID
	for _, b := range c.Bullets {
		got = append(got, b.ID)
	}
	if d := cmp.Diff([]playbook.BulletID{"bench.1", "bench.3", "bench.4"}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]LeftOutBullet{{"bench.2", BelowFloor}}, c.BulletsLeftOut); d != "" {
		t.Error(d)
	}
}

package app_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/artifact"
	"brenner/internal/app"
	"brenner/internal/store/memory"

	"pgregory.net/rapid"
)

// garden is a small project in which things grow at random.
type garden struct {
	*rapid.T
	api.Service
	now     time.Time
	ids     []brenner.ArtifactID
	latest  map[brenner.ArtifactID]brenner.Version
	touched map[brenner.ArtifactID]time.Time
	pinned  map[string]brenner.Ref // by open tasks
}

// newGarden makes a project whose clock is the garden's; t is nil where nothing
// is drawn.
func newGarden(t *rapid.T, tb testing.TB) *garden {
	g := &garden{
		T: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		latest: map[brenner.ArtifactID]brenner.Version{}, touched: map[brenner.ArtifactID]time.Time{},
		pinned: map[string]brenner.Ref{},
	}
	a := app.New(memory.New(), app.Options{Clock: func() time.Time { return g.now }})
	_, err := a.Init(tb.Context(), api.InitRequest{
		Name: "Garden", PI: "ada", Config: &api.ConfigFile{Name: ".brennerrc", Data: apitest.Config},
	})
	if err != nil {
		tb.Fatal(err)
	}
	g.Service = a.As(app.Identity{Name: "ada", Auth: app.AuthOwner})
	return g
}

// some draws a version that exists.
func (g *garden) some(what string) brenner.Ref {
	id := rapid.SampledFrom(g.ids).Draw(g.T, what)
	return brenner.Ref{Artifact: id, Version: brenner.Version(rapid.IntRange(1, int(g.latest[id])).Draw(g.T, "version"))}
}

// links draws a few links to what exists.
func (g *garden) links() []artifact.Link {
	out := []artifact.Link{}
	if len(g.ids) == 0 {
		return out
	}
	for range rapid.IntRange(0, 2).Draw(g.T, "links") {
		to := g.some("to")
		l := artifact.Link{Rel: rapid.SampledFrom([]artifact.Relation{artifact.Cites, artifact.Supersedes, artifact.Reviews, artifact.Contradicts}).Draw(g.T, "rel"), Artifact: to.Artifact, Version: to.Version}
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// allowed lets a refusal pass: the journal then did not change.
func (g *garden) allowed(id brenner.ArtifactID, err error) bool {
	switch brenner.CodeOf(err) {
	case "":
		g.touched[id] = g.now
		return true
	case brenner.CodeStatusConflict, brenner.CodeAlreadyExists, brenner.CodeInvalidLink:
		return false
	}
	g.Fatal(err)
	return false
}

// grow does something at random, a while after the last thing.
func (g *garden) grow(tb testing.TB) {
	ctx := tb.Context()
	g.now = g.now.Add(time.Duration(rapid.IntRange(1, 8).Draw(g.T, "hours")) * time.Hour)
	act := rapid.IntRange(0, 9).Draw(g.T, "act")
	if act <= 2 || len(g.ids) == 0 {
		id := brenner.ArtifactID(fmt.Sprintf("a%d", len(g.ids)))
		typ := rapid.SampledFrom([]brenner.TypeName{"paper_note", "paper_note", "critique", "integrated_memo"}).Draw(g.T, "type")
		body := api.Body{Format: artifact.Text, Data: "what it says"}
		if typ == "critique" {
			body = api.Body{Format: artifact.JSON, Data: `{"finding":"not so"}`}
		}
		_, err := g.CreateArtifact(ctx, api.CreateArtifactRequest{
			ID: id, Type: typ, Module: "lineage", Summary: "about " + string(id), Content: body, Links: g.links(),
		})
		if g.allowed(id, err) {
			g.ids, g.latest[id] = append(g.ids, id), 1
		}
		return
	}
	on := g.some("on")
	decision := api.DecisionRequest{Ref: on, Reason: "at random"}
	var err error
	switch act {
	case 3, 4, 5:
		summary := fmt.Sprintf("about %s at %s", on, g.now)
		_, err = g.UpdateArtifact(ctx, api.UpdateArtifactRequest{
			ID: on.Artifact, Parent: on.Version, Summary: &summary, DropLinks: true, Links: g.links(), Change: &artifact.Change{What: "x", Why: "y"},
		})
		if g.allowed(on.Artifact, err) {
			g.latest[on.Artifact]++
		}
	case 6:
		res, err := g.Promote(ctx, api.PromoteRequest{Ref: on, Reason: "at random", Replace: true})
		if g.allowed(on.Artifact, err) {
			for _, c := range res.Changes { // another may have lost its place
				g.touched[c.Ref.Artifact] = g.now
			}
		}
	case 7:
		_, err = g.Demote(ctx, decision)
		g.allowed(on.Artifact, err)
	case 8:
		_, err = g.Deprecate(ctx, decision)
		g.allowed(on.Artifact, err)
	case 9:
		task, err := g.NewTask(ctx, api.NewTaskRequest{Title: "look", Role: "pi", Modules: []brenner.Module{"lineage"}, Inputs: []brenner.Ref{on}})
		if err != nil {
			g.Fatal(err)
		}
		g.pinned[task.ID] = on
		if rapid.Bool().Draw(g.T, "canceled") {
			if _, err := g.CancelTask(ctx, api.CancelTaskRequest{ID: task.ID, Reason: "at random"}); err != nil {
				g.Fatal(err)
			}
			delete(g.pinned, task.ID)
		}
	}
}

// plant is an artifact as the oracle sees it.
type plant struct {
	api.HistoryResult
	links map[brenner.Version][]artifact.Link
}

func (g *garden) plants(tb testing.TB) map[brenner.ArtifactID]plant {
	out := map[brenner.ArtifactID]plant{}
	for _, id := range g.ids {
		h, err := g.History(tb.Context(), api.HistoryRequest{ID: id})
		if err != nil {
			g.Fatal(err)
		}
		p := plant{HistoryResult: h, links: map[brenner.Version][]artifact.Link{}}
		for _, v := range h.Versions {
			view, err := g.Artifact(tb.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: id, Version: v.Version}, Brief: true})
			if err != nil {
				g.Fatal(err)
			}
			p.links[v.Version] = view.Links
		}
		out[id] = p
	}
	return out
}

// speaks reports whether a version is canonical or a live head: live, and no
// live version descends from it.
func (p plant) speaks(v brenner.Version) bool {
	if v == p.Canonical {
		return true
	}
	if !p.Versions[v-1].Status.Live() {
		return false
	}
	for _, other := range p.Versions {
		for up := other.Parent; up > 0 && other.Status.Live(); up = p.Versions[up-1].Parent {
			if up == v {
				return false
			}
		}
	}
	return true
}

// unused applies the rule of gc word for word until nothing changes.
func (g *garden) unused(plants map[brenner.ArtifactID]plant, period time.Duration) []brenner.ArtifactID {
	used, counts, pinned := map[brenner.ArtifactID]bool{}, map[brenner.Ref]bool{}, map[brenner.Ref]bool{}
	speaks := func(r brenner.Ref) bool { return pinned[r] || plants[r.Artifact].speaks(r.Version) }
	for id, p := range plants {
		used[id] = p.Canonical != 0 || p.Type == "integrated_memo" || g.touched[id].After(g.now.Add(-period))
	}
	for _, ref := range g.pinned {
		used[ref.Artifact], pinned[ref] = true, true
	}
	for size := -1; size != len(counts)+count(used); {
		size = len(counts) + count(used)
		for id, p := range plants {
			for _, v := range p.Versions {
				from := brenner.Ref{Artifact: id, Version: v.Version}
				if used[id] && speaks(from) {
					counts[from] = true
				}
				for _, l := range p.links[v.Version] {
					switch {
					case l.Rel == artifact.Supersedes:
					case counts[from]:
						used[l.Artifact], counts[l.To()] = true, true
					case l.Rel == artifact.Reviews && speaks(from) && speaks(l.To()) && counts[l.To()]:
						used[id] = true
					}
				}
			}
		}
	}
	out := []brenner.ArtifactID{}
	for id, p := range plants {
		if !used[id] && p.Versions[p.Head-1].Status.Live() {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

func count(used map[brenner.ArtifactID]bool) (n int) {
	for _, yes := range used {
		if yes {
			n++
		}
	}
	return n
}

// C27: on random projects gc deprecates exactly what the rule, applied until
// nothing changes, leaves over: never anything that can be reached from what is
// in use, never what is canonical, pinned, a memo, or was touched lately.
func TestCollectGarbage_NeverTakesWhatIsInUse(t *testing.T) {
	collected, cases := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		g := newGarden(rt, t)
		for range rapid.IntRange(1, 25).Draw(rt, "acts") {
			g.grow(t)
		}
		period := time.Duration(rapid.IntRange(0, 60).Draw(rt, "period"))*time.Hour + time.Minute
		g.now = g.now.Add(2 * time.Hour)
		before := g.plants(t)
		want := g.unused(before, period)
		res, err := g.CollectGarbage(t.Context(), api.GarbageRequest{OlderThan: api.Duration(period), Apply: true})
		if err != nil {
			rt.Fatal(err)
		}
		got := []brenner.ArtifactID{}
		for _, i := range res.Items {
			got = append(got, i.ID)
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("collected %v, want %v", got, want)
		}
		for id, p := range g.plants(t) {
			for i, v := range p.Versions {
				old := before[id].Versions[i].Status
				if taken := slices.Contains(want, id) && old.Live(); taken != (v.Status != old) {
					rt.Fatalf("%s@%d was %s and is %s", id, v.Version, old, v.Status)
				}
			}
		}
		again, err := g.CollectGarbage(t.Context(), api.GarbageRequest{OlderThan: api.Duration(period)})
		if err != nil || again.Total != 0 {
			rt.Fatalf("a second run finds %+v, %v", again, err)
		}
		collected += len(got)
		cases++
	})
	if cases >= 100 && collected < cases/4 { // of few cases it may be so
		t.Errorf("only %d artifacts were collected in %d cases: the test says little", collected, cases)
	}
}

// C28: a consolidation is overdue when something changed and the last one, or
// the beginning of the project, is long ago.
func TestConsolidate_IsOverdueAfterAWhile(t *testing.T) {
	g := newGarden(nil, t)
	overdue := func() bool {
		t.Helper()
		status, err := g.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(status.Items, func(n api.Need) bool { return n.Kind == "consolidation" })
	}
	write := func(id brenner.ArtifactID) {
		t.Helper()
		_, err := g.CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: id, Type: "paper_note", Module: "lineage", Summary: "about " + string(id),
			Content: api.Body{Format: artifact.Text, Data: "what it says"},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	g.now = g.now.Add(brenner.ConsolidationPeriod + time.Hour)
	if overdue() {
		t.Error("overdue in an empty project")
	}
	write("a")
	if !overdue() {
		t.Error("not overdue a month after the beginning")
	}
	if _, err := g.Consolidate(t.Context(), api.ConsolidateRequest{OpenTasks: true}); err != nil {
		t.Fatal(err)
	}
	g.now = g.now.Add(brenner.ConsolidationPeriod + time.Hour)
	if overdue() {
		t.Error("overdue although nothing changed since")
	}
	write("b")
	if !overdue() {
		t.Error("not overdue a month after the last one")
	}
}

// C24: of an artifact with many findings each run records the next ones, and says how
// many are left.
func TestCheckAlignment_RecordsAllFindingsInTime(t *testing.T) {
	g := newGarden(nil, t)
	must := func(res api.WriteResult, err error) brenner.Ref {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return res.Ref
	}
	brief := must(g.CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "brief", Type: artifact.TypeProjectBrief, Module: "project", Summary: "brief",
		Content: api.Body{Format: artifact.JSON, Data: `{"question":"Why?","out_of_scope":["drug pricing"]}`},
	}))
	if _, err := g.Promote(t.Context(), api.PromoteRequest{Ref: brief, Reason: "ours"}); err != nil {
		t.Fatal(err)
	}
	text := ""
	for i := range brenner.MaxCheckFindings + 51 {
		text += fmt.Sprintf("On drug pricing, and the reason %d for it.\n\n", i)
	}
	must(g.CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "memo", Type: "model_spec", Module: "lineage", Summary: "memo", Content: api.Body{Format: artifact.Text, Data: text},
		Links: []artifact.Link{{Rel: artifact.DependsOn, Artifact: brief.Artifact, Version: brief.Version}},
	}))
	var written []int
	for _, more := range []int{51, 0, 0} {
		res, err := g.CheckAlignment(t.Context(), api.CheckRequest{})
		if err != nil || res.More != more || len(res.Findings) != brenner.MaxCheckFindings+51-more {
			t.Fatalf("%d findings, %d more, want %d: %v", len(res.Findings), res.More, more, err)
		}
		fresh := 0
		for _, f := range res.Findings {
			if f.State == api.FindingNew {
				fresh++
			}
		}
		written = append(written, fresh)
	}
	if !slices.Equal(written, []int{brenner.MaxCheckFindings, 51, 0}) {
		t.Errorf("recorded %v", written)
	}
}

// C26: a decision says how many versions become stale by it beside those it lists.
func TestPromote_CountsWhatItDoesNotList(t *testing.T) {
	g := newGarden(nil, t)
	write := func(id brenner.ArtifactID, links ...artifact.Link) brenner.Ref {
		t.Helper()
		res, err := g.CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: id, Type: "paper_note", Module: "lineage", Summary: "about " + string(id), Content: api.Body{Format: artifact.Text, Data: "what it says"}, Links: links,
		})
		if err != nil {
			t.Fatal(err)
		}
		return res.Ref
	}
	promote := func(ref brenner.Ref) api.DecisionResult {
		t.Helper()
		res, err := g.Promote(t.Context(), api.PromoteRequest{Ref: ref, Reason: "it holds"})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	base := write("base")
	promote(base)
	for i := range 103 {
		write(brenner.ArtifactID(fmt.Sprintf("note-%d", i)), artifact.Link{Rel: artifact.DependsOn, Artifact: base.Artifact, Version: base.Version})
	}
	next, err := g.UpdateArtifact(t.Context(), api.UpdateArtifactRequest{
		ID: "base", Parent: 1, SummaryHolds: true, Content: &api.Body{Format: artifact.Text, Data: "something else"}, Change: &artifact.Change{What: "all", Why: "new"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if res := promote(next.Ref); len(res.Stale) != 100 || res.MoreStale != 3 {
		t.Errorf("%d stale, %d more", len(res.Stale), res.MoreStale)
	}
}

package apitest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
)

// briefs writes the project's brief, or a new version of it, and promotes it.
func (p *player) briefs(content string) brenner.Ref {
	p.Helper()
	body := api.Body{Format: artifact.JSON, Data: content}
	summary := "what decides fate: " + onLine(content)
	res, err := p.UpdateArtifact(p.ctx, api.UpdateArtifactRequest{
		ID: "brief", Summary: &summary, Content: &body, Change: &artifact.Change{What: "scope", Why: "agreed"},
	})
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		res, err = p.CreateArtifact(p.ctx, api.CreateArtifactRequest{ID: "brief", Type: "project_brief", Summary: summary, Content: body})
	}
	p.must(err)
	p.promotes(res.Ref)
	return res.Ref
}

const fateBrief = `{"question":"What decides cell fate?","goals":["tell lineage from gradient"],"out_of_scope":["human clinical trials"],
	"constraints":[{"text":"No proofs by authority.","must_not":"as everybody knows"}]}`

// spec is a core artifact of a module.
func spec(id brenner.ArtifactID, text string, links ...artifact.Link) api.CreateArtifactRequest {
	req := note(id, text, links...)
	req.Type, req.Summary = "model_spec", "a model of fate"
	return req
}

// assume is an assumption of a module.
func assume(id brenner.ArtifactID, module brenner.Module, content string) api.CreateArtifactRequest {
	return api.CreateArtifactRequest{
		ID: id, Type: "assumption", Module: module, Summary: "an assumption: " + string(id),
		Content: api.Body{Format: artifact.JSON, Data: content},
	}
}

// found gives findings as words: code, target, state.
func found(res api.CheckResult) []string {
	out := []string{}
	for _, f := range res.Findings {
		out = append(out, fmt.Sprintf("%s %s %s", f.Code, f.Target, f.State))
	}
	return out
}

// aligns runs the alignment check.
func (p *player) aligns(req api.CheckRequest) api.CheckResult {
	p.Helper()
	res, err := p.CheckAlignment(p.ctx, req)
	p.must(err)
	return res
}

func (s *scene) same(got, want []string) {
	s.Helper()
	if !slices.Equal(got, want) {
		s.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// collects runs gc on all that is older than a moment.
func (p *player) collects(apply bool) []string {
	p.Helper()
	time.Sleep(3 * time.Millisecond) // so that everything is older than one
	res, err := p.CollectGarbage(p.ctx, api.GarbageRequest{OlderThan: api.Duration(time.Millisecond), Apply: apply})
	p.must(err)
	if res.Applied != apply || res.Total != len(res.Items) {
		p.Errorf("got %+v", res)
	}
	out := []string{}
	for _, i := range res.Items {
		out = append(out, string(i.ID))
	}
	return out
}

// consolidates looks for what could be brought together.
func (p *player) consolidates(open bool) api.ConsolidateResult {
	p.Helper()
	time.Sleep(3 * time.Millisecond)
	res, err := p.Consolidate(p.ctx, api.ConsolidateRequest{OlderThan: api.Duration(time.Millisecond), OpenTasks: open})
	p.must(err)
	return res
}

func upkeepCases() []testCase {
	return []testCase{
		{"drift from the brief becomes critiques, once", func(s *scene) { // C24
			_, err := s.pi.CheckAlignment(s.ctx, api.CheckRequest{})
			s.refused(err, brenner.CodeNotFound)
			s.pi.briefs(fateBrief)
			s.pi.creates(note("data", "counts", link(artifact.DependsOn, "brief", 1)))
			s.pi.creates(spec("linked", "Clones keep their fate.\n\nNext come human clinical trials.", link(artifact.Cites, "data", 1)))
			s.pi.creates(spec("alone", "Fate is fixed, as everybody knows."))
			want := func(state string) []string {
				return []string{
					"UNLINKED alone@1 " + state, "CONSTRAINT_VIOLATED alone@1 " + state, "SCOPE_CREEP linked@1 " + state,
				}
			}
			s.unchanged(func() { s.same(found(s.pi.aligns(api.CheckRequest{DryRun: true})), want("new")) })
			res := s.pi.aligns(api.CheckRequest{})
			s.same(found(res), want("new"))
			if res.Brief != ref("brief", 1) || res.Checked != 2 || len(res.Tasks) != 0 {
				s.Errorf("got %+v", res)
			}
			critique := s.pi.reads(res.Findings[2].Critique)
			if critique.Type != "critique" || critique.Module != "lineage" || !slices.Equal(critique.Links, []artifact.Link{link(artifact.Reviews, "linked", 1)}) {
				s.Errorf("the critique is %+v", critique)
			}
			if !strings.Contains(string(critique.Content), `"place":"line 3"`) || !strings.Contains(string(critique.Content), "Next come human clinical trials.") {
				s.Errorf("it says %s", critique.Content)
			}
			s.unchanged(func() { s.same(found(s.pi.aligns(api.CheckRequest{})), want("known")) })

			// The same about the next version is a new version of the critique;
			// what is mended or dismissed is no longer said.
			s.pi.rewrites("linked", "A new line.\n\nClones keep their fate.\n\nNext come human clinical trials.")
			_, err = s.pi.Deprecate(s.ctx, api.DecisionRequest{Ref: res.Findings[1].Critique, Reason: "everybody does"})
			s.must(err)
			_, err = s.pi.Link(s.ctx, api.LinkRequest{From: ref("alone", 1), Link: link(artifact.DependsOn, "brief", 1)})
			s.must(err)
			again := s.pi.aligns(api.CheckRequest{})
			s.same(found(again), []string{
				"CONSTRAINT_VIOLATED alone@1 dismissed", "SCOPE_CREEP linked@2 new", "SCOPE_CREEP linked@2 again", // its summary says it now
			})
			if got := again.Findings[2].Critique; got.Artifact != critique.ID || got.Version != 2 {
				s.Errorf("the critique is %s, want a second version of %s", got, critique.ID)
			}
		}},
		{"a brief that moved is found, module by module", func(s *scene) { // C24
			s.pi.briefs(fateBrief)
			s.pi.creates(spec("model", "Clones keep their fate.", link(artifact.DependsOn, "brief", 1)))
			s.same(found(s.pi.aligns(api.CheckRequest{})), []string{})
			s.pi.briefs(strings.Replace(fateBrief, "human clinical trials", "drug pricing", 1))
			res := s.pi.aligns(api.CheckRequest{})
			s.same(found(res), []string{"BRIEF_MOVED model@1 new"})
			if other := res.Findings[0].Other; other == nil || *other != ref("brief", 1) {
				s.Errorf("it rests on %v", other)
			}
			if res := s.pi.aligns(api.CheckRequest{Modules: []brenner.Module{"gradient"}}); len(res.Findings) != 0 || res.Checked != 0 {
				s.Errorf("another module: %+v", res)
			}
		}},
		{"findings become review tasks on request, once", func(s *scene) { // C24
			s.pi.briefs(fateBrief)
			s.pi.creates(spec("alone", "Fate is fixed, as everybody knows."))
			s.pi.aligns(api.CheckRequest{})
			res := s.pi.aligns(api.CheckRequest{Review: true}) // of known findings too
			if len(res.Tasks) != 1 {
				s.Fatalf("tasks: %+v", res.Tasks)
			}
			t := res.Tasks[0]
			if t.Kind != "review" || t.Role != "adversarial_critic" || len(t.Inputs) != 3 || t.Inputs[0].Ref != ref("alone", 1) {
				s.Errorf("task: %+v", t)
			}
			if strings.Contains(t.Spec, "everybody") {
				s.Errorf("the task quotes the artifact: %s", t.Spec)
			}
			s.unchanged(func() { s.pi.aligns(api.CheckRequest{Review: true}) })
			critic := s.agent("GreenValley")
			critic.claims(t.ID)
			critic.completes(t.ID)
			s.unchanged(func() { s.pi.aligns(api.CheckRequest{Review: true}) })
		}},
		{"assumptions that clash across modules become one critique", func(s *scene) { // C25
			s.pi.creates(assume("a", "lineage", `{"statement":"Each disc has 50 clones.","subject":"clones per disc","relation":"equals","value":50}`))
			s.pi.creates(assume("b", "gradient", `{"statement":"A disc has at least 80 clones.","subject":"clones per disc","relation":"at_least","value":80}`))
			s.pi.creates(assume("c", "gradient", `{"statement":"Gradients scale with the disc.","status":"falsified"}`))
			s.pi.creates(assume("d", "lineage", `{"statement":"Gradients do not scale with the disc."}`))
			res, err := s.pi.CheckAssumptions(s.ctx, api.CheckRequest{Review: true})
			s.must(err)
			s.same(found(res), []string{"ASSUMPTION_CONFLICT a@1 new"})
			critique := s.pi.reads(res.Findings[0].Critique)
			want := []artifact.Link{link(artifact.Reviews, "a", 1), link(artifact.Reviews, "b", 1)}
			if !slices.Equal(critique.Links, want) {
				s.Errorf("links: %v", critique.Links)
			}
			if len(res.Tasks) != 1 || !res.Tasks[0].CrossCutting || len(res.Tasks[0].Inputs) != 3 {
				s.Errorf("tasks: %+v", res.Tasks)
			}
			s.unchanged(func() {
				again, err := s.pi.CheckAssumptions(s.ctx, api.CheckRequest{Review: true})
				s.must(err)
				s.same(found(again), []string{"ASSUMPTION_CONFLICT a@1 known"})
			})
		}},
		{"a closed gate holds the review, not the finding", func(s *scene) { // C12, C25
			for i := range 11 {
				s.pi.creates(note(brenner.ArtifactID(fmt.Sprintf("n%d", i)), "one of many"))
			}
			s.pi.creates(assume("a", "lineage", `{"statement":"x","subject":"size","relation":"equals","value":1}`))
			s.pi.creates(assume("b", "gradient", `{"statement":"y","subject":"size","relation":"equals","value":2}`))
			res, err := s.pi.CheckAssumptions(s.ctx, api.CheckRequest{Review: true})
			s.must(err)
			if len(res.Tasks) != 0 || len(res.Held) != 1 || res.Held[0].Code != brenner.CodeCompressionRequired || res.Findings[0].Critique.Version != 1 {
				s.Errorf("got %+v", res)
			}
		}},
		{"who may write critiques may check, and reads no quotations", func(s *scene) { // C3, C7, C24; C33.a
			s.pi.briefs(fateBrief)
			s.pi.creates(spec("alone", "Fate is fixed, as everybody knows."))
			s.unchanged(func() {
				for _, name := range []brenner.ActorName{"GreyStone", "BlueLake"} {
					_, err := s.agent(name).CheckAlignment(s.ctx, api.CheckRequest{})
					s.refused(err, brenner.CodeWriteDenied)
				}
				_, err := s.agent("GreenValley").CheckAlignment(s.ctx, api.CheckRequest{Review: true})
				s.refused(err, brenner.CodeWriteDenied) // opens no tasks
				for _, agent := range []*player{s.agent("RedSky"), s.agent("GreenValley")} {
					_, err := agent.CollectGarbage(s.ctx, api.GarbageRequest{})
					s.refused(err, brenner.CodeWriteDenied)
				}
				_, err = s.agent("GreyStone").Consolidate(s.ctx, api.ConsolidateRequest{})
				s.refused(err, brenner.CodeWriteDenied)
				_, err = s.agent("GreyStone").OpenForkTasks(s.ctx, api.OpenForkTasksRequest{})
				s.refused(err, brenner.CodeWriteDenied)
			})
			res := s.agent("RedSky").aligns(api.CheckRequest{Review: true})
			s.same(found(res), []string{"UNLINKED alone@1 new", "CONSTRAINT_VIOLATED alone@1 new"})
			for _, f := range res.Findings {
				if f.Message != "" || f.Excerpt != "" {
					s.Errorf("an agent reads past its context: %+v", f)
				}
			}
		}},
		{"gc deprecates what nothing in use refers to", func(s *scene) { // C27; C27.a, C27.b, C27.c
			s.pi.briefs(fateBrief)
			s.pi.creates(note("below", "rested on twice removed"))
			s.pi.creates(note("data", "rested on", link(artifact.DependsOn, "below", 1)))
			s.pi.creates(note("former", "rested on once"))
			s.pi.creates(note("result", "canonical", link(artifact.Cites, "former", 1)))
			s.pi.promotes(ref("result", 1))
			s.pi.creates(memo("m", "lineage"))
			s.pi.creates(result("input", "of a task"))
			t := s.pi.opens(ref("input", 1))
			s.pi.creates(note("idle", "first"))
			s.pi.rewritesOn(ref("idle", 1), "second")
			s.pi.rewritesOn(ref("idle", 1), "another second")
			s.same(s.pi.collects(false), []string{"below", "data", "idle"})
			_, err := s.pi.UpdateArtifact(s.ctx, api.UpdateArtifactRequest{
				ID: "result", DropLinks: true, Links: []artifact.Link{link(artifact.Cites, "data", 1)},
			})
			s.must(err)
			s.same(s.pi.collects(false), []string{"idle"}) // the draft refers to data, result@1 to former
			s.pi.promotes(ref("result", 2))
			s.unchanged(func() { s.same(s.pi.collects(false), []string{"former", "idle"}) })
			s.unchanged(func() {
				res, err := s.pi.CollectGarbage(s.ctx, api.GarbageRequest{Apply: true})
				s.must(err)
				if res.Total != 0 { // all of it was touched within the default period
					s.Errorf("got %+v", res)
				}
				_, err = s.pi.CollectGarbage(s.ctx, api.GarbageRequest{OlderThan: -1})
				s.refused(err, brenner.CodeInvalidValue)
			})
			s.same(s.pi.collects(true), []string{"former", "idle"})
			h, err := s.pi.History(s.ctx, api.HistoryRequest{ID: "idle"})
			s.must(err)
			for _, v := range h.Versions {
				if v.Status != artifact.Deprecated {
					s.Errorf("idle@%d is %s", v.Version, v.Status)
				}
			}
			if len(h.Decisions) != 1 || !strings.Contains(h.Decisions[0].Reason, "nothing in use") {
				s.Errorf("decisions: %+v", h.Decisions)
			}
			hits, err := s.pi.SearchArtifacts(s.ctx, api.SearchArtifactsRequest{Text: "second"})
			s.must(err)
			if s.pi.reads(ref("idle", 2)).Status != artifact.Deprecated || len(hits.Items) != 0 {
				s.Errorf("deprecated is readable and not found, got %+v", hits.Items)
			}
			s.unchanged(func() { s.same(s.pi.collects(true), []string{}) })
			_, err = s.pi.CancelTask(s.ctx, api.CancelTaskRequest{ID: t.ID, Reason: "answered"})
			s.must(err)
			s.same(s.pi.collects(false), []string{"input"})
		}},
		{"a finding stays as long as what it judges", func(s *scene) { // C24, C27
			s.pi.briefs(fateBrief)
			s.pi.creates(spec("model", "Fate is fixed, as everybody knows.", link(artifact.DependsOn, "brief", 1)))
			s.pi.promotes(ref("model", 1))
			critique := s.pi.aligns(api.CheckRequest{}).Findings[0].Critique
			s.same(s.pi.collects(false), []string{})
			s.pi.rewrites("model", "Fate is fixed.", link(artifact.DependsOn, "brief", 1))
			s.pi.promotes(ref("model", 2))
			s.same(s.pi.collects(false), []string{string(critique.Artifact)})
		}},
		{"overlaps and unused drafts become tasks, once", func(s *scene) { // C28
			s.pi.creates(note("b", "Clones keep the fate of their founder in every disc we counted."))
			s.pi.creates(note("a", "Clones keep the fate of their founder in every disc we counted.\n\nAnd a remark."))
			other := note("elsewhere", "Clones keep the fate of their founder in every disc we counted.")
			other.Module = "gradient"
			s.pi.creates(other)
			s.pi.creates(note("used", "Staining takes twenty minutes."))
			s.pi.creates(note("user", "We stained as usual and then washed.", link(artifact.Cites, "used", 1)))
			s.pi.promotes(ref("user", 1))
			var res api.ConsolidateResult
			s.unchanged(func() { res = s.pi.consolidates(false) })
			if len(res.Overlaps) != 1 || res.Overlaps[0].Members[0].Ref != ref("a", 1) || res.Overlaps[0].Members[1].Ref != ref("b", 1) {
				s.Errorf("overlaps: %+v", res.Overlaps)
			}
			if len(res.Drafts) != 1 || res.Drafts[0].Ref != ref("elsewhere", 1) || res.Last.Seq != 0 {
				s.Errorf("drafts: %+v, last %+v", res.Drafts, res.Last)
			}
			res = s.pi.consolidates(true)
			if len(res.Tasks) != 2 || res.Tasks[0].Kind != "consolidate" || res.Tasks[0].Role != "integrator" || len(res.Tasks[0].Inputs) != 2 ||
				!slices.Equal(res.Tasks[1].Modules, []brenner.Module{"gradient"}) {
				s.Errorf("tasks: %+v", res.Tasks)
			}
			done := s.size()
			again := s.pi.consolidates(true)
			if len(again.Tasks) != 0 || again.Last.Seq != done || again.Last.At.IsZero() {
				s.Errorf("again: %+v", again)
			}
			// Settled: nobody is asked about the same versions again, but about
			// new ones.
			integrator := s.agent("RedSky")
			integrator.claims(res.Tasks[0].ID)
			integrator.completes(res.Tasks[0].ID)
			if res := s.pi.consolidates(true); len(res.Tasks) != 0 {
				s.Errorf("settled, and opened again: %+v", res.Tasks)
			}
			s.pi.rewrites("b", "Clones keep the fate of their founder in every disc we counted.\n\nStill.")
			if res := s.pi.consolidates(true); len(res.Tasks) != 1 || len(res.Tasks[0].Inputs) != 2 {
				s.Errorf("after a change: %+v", res.Tasks)
			}
		}},
		{"status says when a consolidation is overdue", func(s *scene) { // C28, X5; X5.a
			overdue := func() bool {
				status, err := s.pi.Status(s.ctx)
				s.must(err)
				return slices.ContainsFunc(status.Items, func(n api.Need) bool {
					return n.Kind == "consolidation" && n.Do.Name == "consolidate" && n.Do.Args["open_tasks"] == "true"
				})
			}
			for i := range brenner.ConsolidationChanges {
				s.pi.creates(note(brenner.ArtifactID(fmt.Sprintf("n%d", i)), "one of many"))
			}
			if overdue() {
				s.Error("overdue too early")
			}
			s.pi.creates(note("last", "one more"))
			if !overdue() {
				s.Error("not overdue")
			}
			s.pi.consolidates(true)
			if overdue() {
				s.Error("overdue right after")
			}
		}},
		{"a version on another line that supersedes the head is the head", func(s *scene) { // C13, C19
			s.pi.creates(note("n", "one"))
			s.pi.rewritesOn(ref("n", 1), "two")
			s.pi.rewritesOn(ref("n", 1), "three, and so not two", link(artifact.Supersedes, "n", 2))
			if v := s.pi.reads(ref("n", 0)); v.Head != 3 || v.Version.Version != 3 || len(v.Fork) != 0 {
				s.Errorf("in force is %d of head %d, fork %v", v.Version.Version, v.Head, v.Fork)
			}
			list, err := s.pi.Artifacts(s.ctx, api.ListArtifactsRequest{Statuses: []artifact.Status{artifact.Draft}})
			s.must(err)
			if len(list.Items) != 0 {
				s.Errorf("listed as a draft: %+v", list.Items)
			}
		}},
		{"a fork is resolved by a task of its own", func(s *scene) { // C19
			s.pi.creates(note("n", "one"))
			s.unchanged(func() {
				none, err := s.pi.OpenForkTasks(s.ctx, api.OpenForkTasksRequest{})
				s.must(err)
				if len(none.Tasks) != 0 {
					s.Errorf("without forks: %+v", none)
				}
			})
			s.pi.rewritesOn(ref("n", 1), "two")
			s.pi.rewritesOn(ref("n", 1), "another two")
			s.pi.creates(memo("m1", "lineage"))
			s.pi.creates(memo("m2", "lineage"))
			opened, err := s.pi.OpenForkTasks(s.ctx, api.OpenForkTasksRequest{})
			s.must(err)
			if len(opened.Tasks) != 2 {
				s.Fatalf("got %+v", opened)
			}
			t := opened.Tasks[0]
			if t.Kind != "fork" || t.Role != "integrator" || len(t.Inputs) != 2 || t.Inputs[0].Ref != ref("n", 2) || t.Inputs[1].Ref != ref("n", 3) {
				s.Errorf("task: %+v", t)
			}
			if slot := opened.Tasks[1]; len(slot.Inputs) != 2 || slot.Inputs[0].Ref != ref("m1", 1) || !strings.Contains(slot.Title, "integrated_memo") {
				s.Errorf("task: %+v", slot)
			}
			s.pi.rewritesOn(ref("n", 1), "a third two") // the same fork, wider
			s.unchanged(func() {
				again, err := s.agent("RedSky").OpenForkTasks(s.ctx, api.OpenForkTasksRequest{})
				s.must(err)
				if len(again.Tasks) != 0 {
					s.Errorf("twice: %+v", again)
				}
			})
			// Closed without an answer, the fork is asked about again.
			_, err = s.pi.CancelTask(s.ctx, api.CancelTaskRequest{ID: t.ID, Reason: "lost"})
			s.must(err)
			opened, err = s.pi.OpenForkTasks(s.ctx, api.OpenForkTasksRequest{})
			s.must(err)
			if len(opened.Tasks) != 1 || len(opened.Tasks[0].Inputs) != 3 {
				s.Errorf("again: %+v", opened)
			}
			s.pi.rewrites("n", "what holds", link(artifact.Supersedes, "n", 3), link(artifact.Supersedes, "n", 4))
			_, err = s.pi.CancelTask(s.ctx, api.CancelTaskRequest{ID: opened.Tasks[0].ID, Reason: "merged"})
			s.must(err)
			s.unchanged(func() {
				none, err := s.pi.OpenForkTasks(s.ctx, api.OpenForkTasksRequest{})
				s.must(err)
				if len(none.Tasks) != 0 {
					s.Errorf("resolved: %+v", none)
				}
			})
		}},
	}
}

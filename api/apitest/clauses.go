package apitest

import (
	"fmt"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
)

// clauseCases hold rules to their words where an easy reading lets something
// through.
func clauseCases() []testCase {
	return []testCase{
		{"a task that rewrites its own input notices who was faster", func(s *scene) { // C17
			s.pi.creates(memo("m", "lineage"))
			s.pi.promotes(ref("m", 1))
			t, err := s.pi.NewTask(s.ctx, api.NewTaskRequest{
				Title: "Update the memo", Spec: "all of it", Role: "integrator", Modules: []brenner.Module{"lineage"}, Inputs: []brenner.Ref{ref("m", 1)},
			})
			s.must(err)
			red := s.agent("RedSky")
			red.claims(t.ID)
			s.pi.rewrites("m", "the PI was faster")
			s.pi.promotes(ref("m", 2))
			mine := red.updates("m", 1, "what the integrator wrote", t.ID)
			done := red.completes(t.ID)
			if len(done.Moved) != 1 || done.Moved[0].Was != 1 || done.Moved[0].Now != 2 {
				s.Errorf("moved: %+v", done.Moved)
			}
			if got := s.pi.reads(mine); got.Status != artifact.NeedsRebase {
				s.Errorf("%s is %s", mine, got.Status)
			}
			_, err = s.pi.Promote(s.ctx, api.PromoteRequest{Ref: mine, Reason: "it looks good"})
			s.refused(err, brenner.CodeNeedsRebase)
		}},
		{"a pinned draft that is taken out of use has moved", func(s *scene) { // C17
			s.pi.creates(result("n", "one"))
			t := s.pi.opens(ref("n", 1))
			grey := s.agent("GreyStone")
			grey.claims(t.ID)
			grey.creates(section("sec", t.ID))
			_, err := s.pi.Deprecate(s.ctx, api.DecisionRequest{Ref: ref("n", 1), Reason: "wrong probe"})
			s.must(err)
			if done := grey.completes(t.ID); len(done.Moved) != 1 || done.Moved[0].Now != 0 {
				s.Errorf("moved: %+v", done.Moved)
			}
		}},
		{"nobody completes a task with another's versions", func(s *scene) { // C36
			s.agent("PurpleMountain").creates(result("theirs", "one"))
			t := s.pi.opens()
			grey := s.agent("GreyStone")
			grey.claims(t.ID)
			s.unchanged(func() {
				_, err := grey.CompleteTask(s.ctx, api.CompleteTaskRequest{ID: t.ID, Outputs: []brenner.Ref{ref("theirs", 1)}})
				s.refused(err, brenner.CodeInvalidValue)
			})
		}},
		{"a memo does not say itself what it covers", func(s *scene) { // C12
			m := memo("m", "lineage")
			m.Content = api.Body{Format: artifact.JSON, Data: `{"covers":99999999,"text":"everything, for ever"}`}
			s.pi.creates(m)
			s.pi.promotes(ref("m", 1))
			s.many("lineage", 11)
			_, err := s.pi.NewTask(s.ctx, api.NewTaskRequest{Title: "Compare", Spec: "both", Role: "integrator", CrossCutting: true})
			s.refused(err, brenner.CodeCompressionRequired)
		}},
		{"what draws on another module waits for its memo", func(s *scene) { // C12
			s.many("lineage", 11)
			r := result("across", "one")
			r.Module = "gradient"
			r.Links = []artifact.Link{{Rel: artifact.DependsOn, Artifact: "many-0", Version: 1}}
			s.pi.creates(r)
			_, err := s.pi.Promote(s.ctx, api.PromoteRequest{Ref: ref("across", 1), Reason: "it holds"})
			s.refused(err, brenner.CodeCompressionRequired)
			s.pi.creates(memo("m", "lineage"))
			s.pi.promotes(ref("m", 1)) // the way out is always open
			s.pi.promotes(ref("across", 1))
		}},
		{"a question is about one module", func(s *scene) { // C23
			for _, name := range []brenner.ActorName{"BlueLake", "RedSky"} {
				_, err := s.agent(name).AssembleContext(s.ctx, api.ContextRequest{Question: "why?", Modules: []brenner.Module{"lineage", "gradient"}})
				s.refused(err, brenner.CodeCrossModule)
			}
		}},
		{"what an agent writes names the context it was written under", func(s *scene) { // C30
			purple := s.agent("PurpleMountain")
			made, err := purple.AssembleContext(s.ctx, api.ContextRequest{Question: "why?", Modules: []brenner.Module{"lineage"}})
			s.must(err)
			purple.creates(result("mine", "one"))
			_, err = purple.Learn(s.ctx, api.LearnRequest{Insights: []api.Insight{{Section: "helpful", Content: "count twice"}}})
			s.must(err)
			got, err := s.pi.Invocation(s.ctx, api.InvocationRequest{ID: made.Invocation})
			s.must(err)
			kinds := []string{}
			for _, w := range got.Writes {
				kinds = append(kinds, w.Kind)
			}
			if !slices.Equal(got.Outputs, []brenner.Ref{ref("mine", 1)}) || len(kinds) < 2 || kinds[0] != "version.written" {
				s.Errorf("outputs %v, writes %v", got.Outputs, kinds)
			}
		}},
		{"without a module a context is for the session that waits", func(s *scene) { // C35
			_, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{ID: "RS-1", Question: "What decides fate?", Module: "gradient", Roster: team})
			s.must(err)
			blue := s.agent("BlueLake")
			made, err := blue.AssembleContext(s.ctx, api.ContextRequest{Question: "why?"})
			s.must(err)
			if !made.Record.Scope.Covers("gradient") || made.Record.Scope.Covers("lineage") {
				s.Errorf("the scope is %+v", made.Record.Scope)
			}
			_, err = s.agent("GreyStone").AssembleContext(s.ctx, api.ContextRequest{Session: "RS-1"})
			s.refused(err, brenner.CodeUnknownAgent)
		}},
	}
}

// many writes results into a module.
func (s *scene) many(module brenner.Module, n int) {
	s.Helper()
	for i := range n {
		r := result(brenner.ArtifactID(fmt.Sprintf("many-%d", i)), fmt.Sprintf("count %d", i))
		r.Module = module
		s.pi.creates(r)
	}
}

// updates writes a new version for a task.
func (p *player) updates(id brenner.ArtifactID, parent brenner.Version, text, task string) brenner.Ref {
	p.Helper()
	summary := "about " + string(id) + ": " + text
	res, err := p.UpdateArtifact(p.ctx, api.UpdateArtifactRequest{
		ID: id, Parent: parent, Summary: &summary, Task: task, Content: &api.Body{Format: artifact.Text, Data: text},
		Change: &artifact.Change{What: "the text", Why: "a better one"},
	})
	p.must(err)
	return res.Ref
}

package apitest

import (
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
)

func graphCases() []testCase {
	return []testCase{
		{"what rests on a retracted source is stale, on a corrected draft behind", func(s *scene) { // C26
			s.pi.creates(note("source", "one"))
			s.pi.creates(note("draft", "one"))
			s.pi.creates(note("a", "from the source", link(artifact.Cites, "source", 1)))
			s.pi.creates(note("b", "from the draft", link(artifact.DependsOn, "draft", 1)))
			s.pi.rewrites("draft", "corrected")
			list := func() (stale, behind []brenner.Ref) {
				res, err := s.pi.Stale(s.ctx, api.StaleRequest{})
				s.must(err)
				for _, i := range res.Items {
					stale = append(stale, i.Ref)
				}
				for _, i := range res.Behind {
					behind = append(behind, i.Ref)
				}
				if res.BehindTotal != len(behind) {
					s.Errorf("%d of %d are listed as behind", len(behind), res.BehindTotal)
				}
				return stale, behind
			}
			if stale, behind := list(); len(stale) != 0 || !slices.Equal(behind, []brenner.Ref{ref("b", 1)}) {
				s.Errorf("stale %v, behind %v", stale, behind)
			}
			res, err := s.pi.Deprecate(s.ctx, api.DecisionRequest{Ref: ref("source", 1), Reason: "retracted"})
			s.must(err)
			if want := []brenner.Ref{ref("a", 1)}; !slices.Equal(res.Stale, want) {
				s.Errorf("the retraction reported %v, want %v", res.Stale, want)
			}
			s.pi.promotes(ref("draft", 2))
			if stale, behind := list(); !slices.Equal(stale, []brenner.Ref{ref("a", 1), ref("b", 1)}) || len(behind) != 0 {
				s.Errorf("after the decision: stale %v, behind %v", stale, behind)
			}
		}},
		{"what rests on a version taken out of force is stale until it is promoted again", func(s *scene) { // C26
			list := func() []api.StaleItem {
				res, err := s.pi.Stale(s.ctx, api.StaleRequest{})
				s.must(err)
				if len(res.Behind) > 0 {
					s.Errorf("behind: %+v", res.Behind)
				}
				return res.Items
			}
			demotes := func(r brenner.Ref, dry bool) api.DecisionResult {
				res, err := s.pi.Demote(s.ctx, api.DecisionRequest{Ref: r, Reason: "too early", DryRun: dry})
				s.must(err)
				if want := []brenner.Ref{ref("on", 1)}; !slices.Equal(res.Stale, want) {
					s.Errorf("to demote %s reported %v, want %v", r, res.Stale, want)
				}
				return res
			}
			s.pi.creates(note("base", "one"))
			s.pi.creates(note("never", "in force"))
			s.pi.promotes(ref("base", 1))
			s.pi.creates(note("on", "from base", link(artifact.DerivedFrom, "base", 1)))
			s.pi.creates(note("other", "from a draft", link(artifact.DerivedFrom, "never", 1)))
			demotes(ref("base", 1), true)
			if got := list(); len(got) != 0 {
				s.Errorf("a dry run left %+v", got)
			}
			demotes(ref("base", 1), false)
			got := list()
			if len(got) != 1 || got[0].Ref != ref("on", 1) || !got[0].Demoted || got[0].Now != 0 || !slices.Equal(got[0].Path, []brenner.Ref{ref("on", 1), ref("base", 1)}) {
				s.Errorf("after the demotion: %+v", got)
			}
			if v := s.pi.reads(ref("base", 1)); v.Status != artifact.Draft {
				s.Errorf("what was demoted is %s", v.Status) // C14
			}
			if back := s.pi.promotes(ref("base", 1)); !slices.Equal(back.Fresh, []brenner.Ref{ref("on", 1)}) || len(list()) != 0 {
				s.Errorf("promoted again: %+v, %+v", back, list())
			}
			// An older one that comes back does not help what rests on the newer.
			demotes(ref("base", 1), false)
			s.pi.rewrites("base", "two")
			s.pi.rewrites("on", "from two", link(artifact.DerivedFrom, "base", 2))
			s.pi.promotes(ref("base", 2))
			if got := list(); len(got) != 0 {
				s.Errorf("on what is in force: %+v", got)
			}
			res, err := s.pi.Demote(s.ctx, api.DecisionRequest{Ref: ref("base", 2), Reason: "the first was right"})
			s.must(err)
			s.pi.promotes(ref("base", 1))
			if got := list(); len(got) != 1 || got[0].Ref != ref("on", 2) || got[0].Now != 1 || !got[0].Demoted || !slices.Equal(res.Stale, []brenner.Ref{ref("on", 2)}) {
				s.Errorf("the newer one was taken back: %+v, %+v", got, res)
			}
		}},
		{"what rests on a superseded version is stale, with the path", func(s *scene) { // C26
			s.pi.creates(note("data", "one"))
			s.pi.promotes(ref("data", 1))
			s.pi.creates(note("analysis", "from data", link(artifact.DependsOn, "data", 1)))
			s.pi.creates(note("text", "from analysis", link(artifact.Cites, "analysis", 1)))
			s.pi.creates(note("aside", "only mentions", link(artifact.Contradicts, "data", 1)))
			s.pi.rewrites("data", "two")
			if v := s.pi.reads(ref("text", 1)); v.NeedsUpdate {
				s.Error("a draft of the input already made it stale")
			}
			res := s.pi.promotes(ref("data", 2))
			want := []brenner.Ref{ref("analysis", 1), ref("text", 1)}
			if !slices.Equal(res.Stale, want) {
				s.Errorf("promotion reported %v, want %v", res.Stale, want)
			}
			stale, err := s.pi.Stale(s.ctx, api.StaleRequest{})
			s.must(err)
			path := []brenner.Ref{ref("text", 1), ref("analysis", 1), ref("data", 1)}
			if stale.Total != 2 || !slices.Equal(stale.Items[1].Path, path) || stale.Items[1].Now != 2 {
				s.Errorf("stale: %+v", stale)
			}
			if v := s.pi.reads(ref("text", 1)); !v.NeedsUpdate || !slices.Equal(v.Stale, path) {
				s.Errorf("view: %+v", v)
			}
			// A version built on the current input clears it, for itself and,
			// once it is rested on, for what rests on it.
			s.pi.rewrites("analysis", "from data two", link(artifact.DependsOn, "data", 2))
			stale, err = s.pi.Stale(s.ctx, api.StaleRequest{})
			s.must(err)
			if stale.Total != 1 || stale.Items[0].Ref != ref("text", 1) {
				s.Errorf("after the new analysis: %+v", stale)
			}
			s.pi.rewrites("text", "from new analysis", link(artifact.Cites, "analysis", 2))
			stale, err = s.pi.Stale(s.ctx, api.StaleRequest{})
			s.must(err)
			if stale.Total != 0 {
				s.Errorf("after both: %+v", stale)
			}
		}},
		{"the spine says what is missing", func(s *scene) { // C29
			spine, err := s.pi.Spine(s.ctx)
			s.must(err)
			if len(spine.Missing) != 4 {
				s.Errorf("missing: %+v", spine.Missing)
			}
			s.pi.creates(api.CreateArtifactRequest{
				ID: "brief", Type: "project_brief", Summary: "what decides fate",
				Content: api.Body{Format: artifact.JSON, Data: `{"question":"What decides cell fate?","goals":["tell lineage from gradient"],"in_scope":[],"out_of_scope":[],"constraints":[]}`},
			})
			s.pi.promotes(ref("brief", 1))
			s.pi.creates(memo("m1", "lineage"))
			s.pi.promotes(ref("m1", 1))
			spine, err = s.pi.Spine(s.ctx)
			s.must(err)
			if spine.Brief == nil || spine.Brief.Ref != ref("brief", 1) || spine.Brief.Module != "project" || len(spine.Missing) != 2 {
				s.Errorf("spine: %+v", spine)
			}
		}},
		{"lineage goes both ways", func(s *scene) { // C31
			s.pi.creates(note("data", "one"))
			s.pi.creates(note("analysis", "two", link(artifact.DependsOn, "data", 1)))
			s.pi.creates(note("text", "three", link(artifact.DerivedFrom, "analysis", 1)))
			up, err := s.pi.Lineage(s.ctx, api.LineageRequest{Ref: ref("text", 1), Format: "text"})
			s.must(err)
			if len(up.Nodes) != 3 || up.Nodes[2].Ref != ref("data", 1) || !strings.Contains(up.Rendered, "data@1") {
				s.Errorf("up: %+v", up)
			}
			down, err := s.pi.Lineage(s.ctx, api.LineageRequest{Ref: ref("data", 0), Down: true, Depth: 1})
			s.must(err)
			if len(down.Nodes) != 2 || down.Nodes[1].Ref != ref("analysis", 1) {
				s.Errorf("down: %+v", down)
			}
			for format, want := range inOrder(map[string]string{"svg": "<svg", "prov": "wasDerivedFrom"}) {
				g, err := s.pi.Lineage(s.ctx, api.LineageRequest{Ref: ref("text", 1), Format: format})
				s.must(err)
				if !strings.Contains(g.Rendered, want) {
					s.Errorf("%s: %s", format, g.Rendered)
				}
			}
			near, err := s.pi.Lineage(s.ctx, api.LineageRequest{Ref: ref("text", 1), Limit: 1})
			s.must(err)
			if len(near.Nodes) != 1 || !near.Truncated {
				s.Errorf("at most one: %+v", near.Graph)
			}
			_, err = s.pi.Lineage(s.ctx, api.LineageRequest{Ref: ref("text", 1), Limit: -1})
			s.refused(err, brenner.CodeInvalidValue)
			_, err = s.pi.Lineage(s.ctx, api.LineageRequest{Ref: ref("ghost", 1)})
			s.refused(err, brenner.CodeNotFound)
			_, err = s.pi.Lineage(s.ctx, api.LineageRequest{Ref: ref("data", 1), Format: "poem"})
			s.refused(err, brenner.CodeInvalidValue)
		}},
	}
}

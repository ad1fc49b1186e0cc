package apitest

import (
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
)

func memo(id brenner.ArtifactID, module brenner.Module) api.CreateArtifactRequest {
	return api.CreateArtifactRequest{
		ID: id, Type: "integrated_memo", Module: module, Summary: "what we know: " + string(id),
		Content: api.Body{Format: artifact.Text, Data: "knowledge"},
	}
}

func decisionCases() []testCase {
	return []testCase{
		{"nothing is canonical without a decision", func(s *scene) { // C18
			s.pi.creates(note("n", "one"))
			if v := s.pi.reads(ref("n", 0)); v.Status != artifact.Draft || v.Canonical != 0 {
				s.Errorf("got %+v", v)
			}
			s.unchanged(func() {
				_, err := s.pi.Promote(s.ctx, api.PromoteRequest{Ref: ref("n", 1)})
				s.refused(err, brenner.CodeReasonRequired)
				_, err = s.agent("PurpleMountain").Promote(s.ctx, api.PromoteRequest{Ref: ref("n", 1), Reason: "mine"})
				s.refused(err, brenner.CodeWriteDenied)
			})
		}},
		{"promotion supersedes what was canonical", func(s *scene) { // C14; C14.b
			s.pi.creates(note("n", "one"))
			s.pi.promotes(ref("n", 1))
			s.pi.rewrites("n", "two")
			if v := s.pi.reads(ref("n", 0)); v.Version.Version != 1 {
				s.Errorf("the canonical version is @%d before the decision", v.Version.Version)
			}
			res := s.pi.promotes(ref("n", 0))
			if len(res.Changes) != 2 || s.pi.reads(ref("n", 1)).Status != artifact.Superseded || s.pi.reads(ref("n", 0)).Version.Version != 2 {
				s.Errorf("got %+v", res)
			}
			s.unchanged(func() {
				_, err := s.pi.Promote(s.ctx, api.PromoteRequest{Ref: ref("n", 2), Reason: "again"})
				s.refused(err, brenner.CodeStatusConflict)
			})
		}},
		{"a slot holds one canonical artifact", func(s *scene) { // C14; C19.f, C19.g
			s.pi.creates(memo("m1", "lineage"))
			s.pi.creates(memo("m2", "lineage"))
			s.pi.creates(memo("m3", "gradient"))
			s.pi.promotes(ref("m1", 1))
			s.pi.promotes(ref("m3", 1))
			s.unchanged(func() {
				_, err := s.pi.Promote(s.ctx, api.PromoteRequest{Ref: ref("m2", 1), Reason: "better"})
				s.refused(err, brenner.CodeSlotTaken)
			})
			_, err := s.pi.Promote(s.ctx, api.PromoteRequest{Ref: ref("m2", 1), Reason: "better", Replace: true})
			s.must(err)
			if v := s.pi.reads(ref("m1", 1)); v.Status != artifact.Superseded {
				s.Errorf("m1 is %s", v.Status)
			}
			if v := s.pi.reads(ref("m3", 1)); v.Status != artifact.Canonical {
				s.Errorf("m3 is %s", v.Status)
			}
		}},
		{"two live artifacts in one slot are a fork", func(s *scene) { // C19
			s.pi.creates(memo("m1", "lineage"))
			s.pi.creates(memo("m2", "lineage"))
			forks, err := s.pi.Forks(s.ctx)
			s.must(err)
			if len(forks.Forks) != 1 || forks.Forks[0].Slot != "integrated_memo/lineage" {
				s.Errorf("forks: %+v", forks)
			}
		}},
		{"demotion takes a version out of force", func(s *scene) { // C14
			s.pi.creates(note("n", "one"))
			s.pi.promotes(ref("n", 1))
			_, err := s.pi.Demote(s.ctx, api.DecisionRequest{Ref: ref("n", 1), Reason: "retracted"})
			s.must(err)
			if v := s.pi.reads(ref("n", 0)); v.Status != artifact.Draft || v.Canonical != 0 {
				s.Errorf("got %+v", v)
			}
			s.unchanged(func() {
				_, err := s.pi.Demote(s.ctx, api.DecisionRequest{Ref: ref("n", 1), Reason: "again"})
				s.refused(err, brenner.CodeStatusConflict)
			})
		}},
		{"a promoted alternative becomes the head", func(s *scene) { // C19; C19.a
			s.pi.creates(note("n", "one"))
			s.pi.rewrites("n", "two")
			s.pi.rewritesOn(ref("n", 1), "another")
			s.pi.promotes(ref("n", 3))
			if v := s.pi.reads(ref("n", 0)); v.Head != 3 {
				s.Errorf("the head is @%d while the other line still lives", v.Head)
			}
			_, err := s.pi.Deprecate(s.ctx, api.DecisionRequest{Ref: ref("n", 2), Reason: "not chosen"})
			s.must(err)
			v := s.pi.reads(ref("n", 0))
			if v.Version.Version != 3 || v.Head != 3 || v.Fork != nil {
				s.Errorf("got %+v", v)
			}
		}},
		{"what is taken out of use hands the head to the newest line that remains", func(s *scene) { // C19; C19.b, C19.c, C19.d
			head := func(want brenner.Version) {
				s.Helper()
				if v := s.pi.reads(ref("n", 0)); v.Head != want || v.Version.Version != want {
					s.Errorf("the head is @%d and @%d is read, want @%d", v.Head, v.Version.Version, want)
				}
			}
			gone := func(n brenner.Version) {
				s.Helper()
				_, err := s.pi.Deprecate(s.ctx, api.DecisionRequest{Ref: ref("n", n), Reason: "not chosen"})
				s.must(err)
			}
			s.pi.creates(note("n", "one"))
			s.pi.rewrites("n", "two")
			s.pi.rewritesOn(ref("n", 1), "three")
			s.pi.rewritesOn(ref("n", 1), "four")
			s.pi.rewritesOn(ref("n", 1), "five")
			head(2)
			gone(3) // it is not the head
			head(2)
			gone(2)
			head(5)
			gone(5)
			head(4)
			if v := s.pi.reads(ref("n", 0)); v.Fork != nil {
				s.Errorf("one line is left, and the fork is %v", v.Fork)
			}
			s.pi.rewrites("n", "six")
			if v := s.pi.reads(ref("n", 6)); v.Parent == nil || *v.Parent != 4 {
				s.Errorf("what is written next goes on %v", v.Parent)
			}
		}},
		{"a change is told by what or by why", func(s *scene) { // C13
			s.pi.creates(note("n", "one"))
			for _, c := range []artifact.Change{{Why: "the probe was wrong"}, {What: "a figure"}} {
				summary := "after " + c.Why + c.What
				_, err := s.pi.UpdateArtifact(s.ctx, api.UpdateArtifactRequest{
					ID: "n", Summary: &summary, Content: &api.Body{Format: artifact.Text, Data: c.Why + c.What}, Change: &c,
				})
				s.must(err)
			}
			h, err := s.pi.History(s.ctx, api.HistoryRequest{ID: "n"})
			s.must(err)
			if len(h.Versions) != 3 || h.Versions[0].Change != nil || h.Versions[1].Change.Why != "the probe was wrong" || h.Versions[2].Change.What != "a figure" {
				s.Errorf("history: %+v", h.Versions)
			}
		}},
		{"a deprecated artifact leaves lists and search and stays readable", func(s *scene) { // C27; C19.e
			s.pi.creates(note("n", "about zebrafish"))
			s.pi.rewrites("n", "more about zebrafish")
			_, err := s.pi.Deprecate(s.ctx, api.DecisionRequest{Ref: ref("n", 0), Reason: "unused"})
			s.must(err)
			all, err := s.pi.Artifacts(s.ctx, api.ListArtifactsRequest{})
			s.must(err)
			if slices.ContainsFunc(all.Items, func(i api.ArtifactItem) bool { return i.ID == "n" }) {
				s.Error("still listed")
			}
			gone, err := s.pi.Artifacts(s.ctx, api.ListArtifactsRequest{Statuses: []artifact.Status{artifact.Deprecated}})
			s.must(err)
			if len(gone.Items) != 1 {
				s.Errorf("deprecated: %+v", gone.Items)
			}
			for text, want := range inOrder(map[string]int{"zebrafish": 0, "since:1h": 0, "zebrafish state:deprecated": 0, "state:deprecated": 1}) {
				hits, err := s.pi.SearchArtifacts(s.ctx, api.SearchArtifactsRequest{Text: text})
				s.must(err)
				if found := slices.DeleteFunc(hits.Items, func(h api.SearchHit) bool { return h.ID != "n" }); len(found) != want {
					s.Errorf("%s: found %+v", text, found)
				}
				if (len(hits.Unsearched) > 0) != (text == "zebrafish state:deprecated") {
					s.Errorf("%s: not looked through: %v", text, hits.Unsearched)
				}
			}
			if v := s.pi.reads(ref("n", 1)); v.Status != artifact.Deprecated {
				s.Errorf("@1 is %s", v.Status)
			}
		}},
		{"history is paged from either end", func(s *scene) { // C13
			s.pi.creates(note("n", "1"))
			for _, text := range []string{"2", "3", "4", "5"} {
				s.pi.rewrites("n", text)
			}
			for newest, want := range inOrder(map[bool][]brenner.Version{false: {1, 2, 3, 4, 5}, true: {5, 4, 3, 2, 1}}) {
				var got []brenner.Version
				req := api.HistoryRequest{ID: "n", Newest: newest, Page: api.Page{Limit: 2}}
				for pages := 0; pages == 0 || req.Cursor != ""; pages++ {
					h, err := s.pi.History(s.ctx, req)
					s.must(err)
					for _, v := range h.Versions {
						got = append(got, v.Version)
					}
					if req.Cursor = h.Cursor; pages > 5 {
						s.Fatalf("there is no end: %v", got)
					}
				}
				if !slices.Equal(got, want) {
					s.Errorf("newest first %v: %v", newest, got)
				}
			}
		}},
		{"history says what was canonical when", func(s *scene) { // C14
			s.pi.creates(note("n", "one"))
			s.pi.promotes(ref("n", 1))
			s.pi.rewrites("n", "two")
			s.pi.promotes(ref("n", 2))
			h, err := s.pi.History(s.ctx, api.HistoryRequest{ID: "n"})
			s.must(err)
			if len(h.Versions) != 2 || len(h.Decisions) != 2 || h.Decisions[0].Ref != ref("n", 1) || h.Decisions[1].Reason != "it holds" {
				s.Errorf("got %+v", h)
			}
		}},
	}
}

package apitest

import (
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
)

// waits lists the inbox.
func (p *player) waits(kinds ...api.WaitKind) []api.Waiting {
	p.Helper()
	list, err := p.Waiting(p.ctx, api.WaitingRequest{Kinds: kinds})
	p.must(err)
	return list.Items
}

// decides takes a decision about some versions.
func (p *player) decides(what api.DecisionKind, refs ...brenner.Ref) api.DecideResult {
	p.Helper()
	res, err := p.Decide(p.ctx, api.DecideRequest{Decision: what, Refs: refs, Reason: "looked at it"})
	p.must(err)
	return res
}

// corrected is a chain: a number, a summary of it and a text on that, all
// canonical, and the number corrected.
func (s *scene) corrected() {
	s.Helper()
	s.pi.creates(result("number", "eleven"))
	s.pi.promotes(ref("number", 1))
	s.pi.creates(note("summary", "eleven of fourteen", link(artifact.DependsOn, "number", 1)))
	s.pi.promotes(ref("summary", 1))
	s.pi.creates(note("text", "most of them", link(artifact.DependsOn, "summary", 1), link(artifact.Cites, "number", 1)))
	s.pi.promotes(ref("text", 1))
	s.pi.rewrites("number", "twelve")
	s.pi.promotes(ref("number", 2))
}

func reviewCases() []testCase {
	return []testCase{
		{"what has to be approved is confirmed as a version that waits for approvals", func(s *scene) { // N3, N5, A6
			red, green := s.agent("RedSky"), s.agent("GreenValley")
			s.pi.creates(result("number", "eleven"))
			s.pi.promotes(ref("number", 1))
			plan := s.agent("PurpleMountain").creates(api.CreateArtifactRequest{
				ID: "plan", Type: "test_plan", Module: "lineage", Summary: "move a cell", Links: []artifact.Link{link(artifact.DependsOn, "number", 1)},
				Content: api.Body{Format: artifact.Text, Data: "move a cell, and see what becomes of it"},
			}).Ref
			red.approves(plan)
			green.approves(plan)
			s.pi.promotes(plan)
			s.pi.creates(note("text", "as planned", link(artifact.Cites, "plan", 1)))
			s.pi.promotes(ref("text", 1))
			s.pi.rewrites("number", "twelve")
			s.pi.promotes(ref("number", 2))
			holds := api.DecideRequest{Decision: api.DecideStillHolds, Refs: []brenner.Ref{plan}, Reason: "one more changes nothing"}
			var would api.DecideResult
			s.unchanged(func() {
				both := holds
				both.Refs = []brenner.Ref{plan, ref("text", 1)} // what rests on it holds when that is in force
				_, err := s.pi.Decide(s.ctx, both)
				s.refused(err, brenner.CodeStillStale)
				try := holds
				try.DryRun = true
				would, err = s.pi.Decide(s.ctx, try)
				s.must(err)
			})
			is, err := s.pi.Decide(s.ctx, holds)
			s.must(err)
			for _, res := range []api.DecideResult{would, is} {
				d := res.Decisions[0]
				if d.New != ref("plan", 2) || len(d.Changes) != 0 || d.Approvals == nil || d.Approvals.Needed != 2 || len(res.Fresh) != 0 || (d.Seq == 0) != res.DryRun {
					s.Errorf("got %+v", res)
				}
			}
			if v := s.pi.reads(ref("plan", 0)); v.Ref() != plan || !v.NeedsUpdate {
				s.Errorf("in force: %+v", v)
			}
			if red.asked() != "plan@2" {
				s.Errorf("asked for %q", red.asked())
			}
			red.approves(ref("plan", 2))
			green.approves(ref("plan", 2))
			s.pi.promotes(ref("plan", 2))
			s.pi.decides(api.DecideStillHolds, ref("text", 1))
			if got := s.pi.waits(api.WaitStale); len(got) != 0 {
				s.Errorf("still stale: %+v", got)
			}
			// With a newer draft at the head there is nothing that could be approved.
			s.pi.rewrites("number", "thirteen")
			s.pi.promotes(ref("number", 3))
			s.agent("PurpleMountain").updates("plan", 2, "move two cells", "")
			s.unchanged(func() {
				for _, holds.DryRun = range []bool{true, false} {
					holds.Refs = []brenner.Ref{ref("plan", 2)}
					_, err := s.pi.Decide(s.ctx, holds)
					s.refused(err, brenner.CodeStatusConflict)
				}
			})
		}},
		{"the inbox lists what waits for a person, once, with why and what rests on it", func(s *scene) { // N1; X5.c
			s.pi.creates(result("data", "one"))
			s.pi.promotes(ref("data", 1))
			s.pi.creates(note("use", "of it", link(artifact.Cites, "data", 1)))
			writer := s.agent("GreyStone")
			t := s.pi.opens(ref("data", 1))
			writer.claims(t.ID)
			writer.creates(section("methods", t.ID))
			if got := s.pi.waits(api.WaitPromotion, api.WaitRebase); len(got) != 0 {
				s.Errorf("a result waits before its task is done: %+v", got)
			}
			writer.completes(t.ID)
			s.pi.rewrites("data", "two")
			if got := s.pi.waits(api.WaitPromotion); len(got) != 1 || got[0].Subject != "methods@1" || got[0].Author != "GreyStone" || got[0].Since.IsZero() || got[0].Why == "" {
				s.Errorf("the result of a task: %+v", got)
			}
			_, err := s.pi.HandIn(s.ctx, api.HandInRequest{Ref: ref("data", 2), Note: "the other logger agrees"})
			s.must(err)
			got := s.pi.waits(api.WaitPromotion)
			if len(got) != 2 || got[0].Subject != "data@2" || got[0].Rests != 1 {
				s.Errorf("handed in, with something resting on it: %+v", got)
			}
			s.pi.promotes(ref("data", 2))
			s.unchanged(func() {
				_, err := s.pi.HandIn(s.ctx, api.HandInRequest{Ref: ref("data", 2)})
				s.refused(err, brenner.CodeStatusConflict)
			})
			if got := s.pi.waits(api.WaitPromotion); len(got) != 1 {
				s.Errorf("what is decided upon still waits: %+v", got)
			}
			req := note("asked", "look at this")
			req.Review = true
			s.pi.creates(req)
			if got := s.pi.waits(api.WaitPromotion); len(got) != 2 {
				s.Errorf("written for review: %+v", got)
			}
			list, err := s.pi.Waiting(s.ctx, api.WaitingRequest{Page: api.Page{Limit: 1}, Kinds: []api.WaitKind{api.WaitPromotion}})
			s.must(err)
			if len(list.Items) != 1 || list.Total != 2 || list.Counts[api.WaitPromotion] != 2 || list.Counts[api.WaitSpine] != 1 || list.Cursor == "" {
				s.Errorf("a page of it: %+v", list)
			}
			status, err := s.pi.Status(s.ctx)
			s.must(err)
			for _, n := range status.Items {
				if n.Kind == string(api.WaitPromotion) && n.Count != 2 {
					s.Errorf("status counts %+v", n)
				}
			}
		}},
		{"what is stale waits as one thing for each thing that moved", func(s *scene) { // N1
			s.corrected()
			s.pi.creates(note("draft", "nobody's", link(artifact.Cites, "number", 1)))
			got := s.pi.waits(api.WaitStale)
			if len(got) != 1 || got[0].Subject != "number" || got[0].Count != 2 || !slices.Equal(got[0].Members, []string{"summary@1", "text@1"}) || got[0].Rests != 2 {
				s.Errorf("got %+v", got)
			}
		}},
		{"a review is computed from what there is", func(s *scene) { // N2
			s.corrected()
			s.pi.rewrites("summary", "twelve of fourteen", link(artifact.DependsOn, "number", 2))
			v, err := s.pi.Review(s.ctx, api.ReviewRequest{Ref: ref("summary", 0)})
			s.must(err)
			if v.Ref() != ref("summary", 2) || v.Against != ref("summary", 1) || v.Difference == nil || len(v.Difference.Content) == 0 || v.Version.Change == nil {
				s.Errorf("what changed: %+v", v)
			}
			if len(v.Evidence) != 1 || v.Evidence[0].Ref != ref("number", 2) || v.Evidence[0].Status != artifact.Canonical || v.Evidence[0].Summary == "" || v.Evidence[0].Stale {
				s.Errorf("evidence: %+v", v.Evidence)
			}
			if v.Promotion == nil || !slices.Equal(v.Promotion.Fresh, []brenner.Ref{ref("summary", 1)}) || len(v.Promotion.Stale) != 0 || v.Hindrance != nil {
				s.Errorf("consequences: %+v %+v", v.Promotion, v.Hindrance)
			}
			old, err := s.pi.Review(s.ctx, api.ReviewRequest{Ref: ref("text", 1)})
			s.must(err)
			if len(old.Evidence) != 2 || !old.NeedsUpdate || old.Promotion != nil || old.Hindrance == nil {
				s.Errorf("a canonical one: %+v", old)
			}
			for _, e := range old.Evidence {
				if e.Ref == ref("number", 1) && e.Now != 2 || e.Ref == ref("summary", 1) && !e.Stale {
					s.Errorf("evidence that moved: %+v", e)
				}
			}
			_, err = s.agent("GreenValley").Review(s.ctx, api.ReviewRequest{Ref: ref("text", 1)})
			s.refused(err, brenner.CodePersonRequired)
		}},
		{"a dry run says what the decision then comes to, and changes nothing", func(s *scene) { // N3
			s.pi.creates(result("number", "eleven"))
			s.pi.promotes(ref("number", 1))
			s.pi.creates(note("summary", "eleven of fourteen", link(artifact.DependsOn, "number", 1)))
			s.pi.promotes(ref("summary", 1))
			s.pi.rewrites("number", "twelve")
			var would api.DecisionResult
			s.unchanged(func() {
				var err error
				would, err = s.pi.Promote(s.ctx, api.PromoteRequest{Ref: ref("number", 2), Reason: "corrected", DryRun: true})
				s.must(err)
				blank, err := s.pi.Promote(s.ctx, api.PromoteRequest{Ref: ref("number", 2), DryRun: true}) // to look ahead takes no reason
				s.must(err)
				if !slices.Equal(blank.Stale, would.Stale) {
					s.Errorf("without a reason: %+v", blank)
				}
				_, err = s.pi.Demote(s.ctx, api.DecisionRequest{Ref: ref("number", 1), Reason: "wrong", DryRun: true})
				s.must(err)
			})
			if !would.DryRun || !slices.Equal(would.Stale, []brenner.Ref{ref("summary", 1)}) || would.Seq != 0 {
				s.Errorf("would: %+v", would)
			}
			is, err := s.pi.Promote(s.ctx, api.PromoteRequest{Ref: ref("number", 2), Reason: "corrected"})
			s.must(err)
			if !slices.Equal(is.Changes, would.Changes) || !slices.Equal(is.Stale, would.Stale) || !slices.Equal(is.Fresh, would.Fresh) || is.Seq == 0 {
				s.Errorf("it said %+v and did %+v", would, is)
			}
			// Back to the old number: what was stale is not any more.
			back, err := s.pi.Demote(s.ctx, api.DecisionRequest{Ref: ref("number", 2), Reason: "it was right"})
			s.must(err)
			if len(back.Stale) != 0 {
				s.Errorf("back: %+v", back)
			}
		}},
		{"a decision about many is all or none, with a record each", func(s *scene) { // N4
			for _, id := range []brenner.ArtifactID{"a", "b", "c"} {
				s.pi.creates(note(id, "x"))
			}
			s.pi.promotes(ref("c", 1))
			s.unchanged(func() {
				_, err := s.pi.Decide(s.ctx, api.DecideRequest{Decision: api.DecidePromote, Refs: []brenner.Ref{ref("a", 1), ref("b", 1), ref("c", 1)}, Reason: "all"})
				s.refused(err, brenner.CodeStatusConflict)
				_, err = s.pi.Decide(s.ctx, api.DecideRequest{Decision: api.DecidePromote, Refs: []brenner.Ref{ref("a", 1), ref("a", 1)}, Reason: "twice"})
				s.refused(err, brenner.CodeInvalidValue)
				_, err = s.pi.Decide(s.ctx, api.DecideRequest{Decision: api.DecidePromote, Refs: []brenner.Ref{ref("a", 1)}})
				s.refused(err, brenner.CodeReasonRequired)
				_, err = s.pi.Decide(s.ctx, api.DecideRequest{Decision: "bless", Refs: []brenner.Ref{ref("a", 1)}, Reason: "x"})
				s.refused(err, brenner.CodeInvalidValue)
				_, err = s.pi.Decide(s.ctx, api.DecideRequest{Decision: api.DecidePromote, Reason: "x"})
				s.refused(err, brenner.CodeNotFound)
				_, err = s.agent("PurpleMountain").Decide(s.ctx, api.DecideRequest{Decision: api.DecidePromote, Refs: []brenner.Ref{ref("a", 1)}, Reason: "mine"})
				s.refused(err, brenner.CodeWriteDenied)
				_, err = s.pi.Decide(s.ctx, api.DecideRequest{Decision: api.DecidePromote, Refs: []brenner.Ref{ref("a", 1), ref("b", 1)}, Reason: "x", DryRun: true})
				s.must(err)
			})
			before := s.size()
			if res := s.pi.decides(api.DecidePromote, ref("a", 1), ref("b", 1)); len(res.Decisions) != 2 || s.size() != before+2 {
				s.Errorf("%+v, %d records", res, s.size()-before)
			}
			s.pi.decides(api.DecideDemote, ref("a", 0), ref("b", 0), ref("c", 0))
			res, err := s.pi.Decide(s.ctx, api.DecideRequest{Decision: api.DecideDeprecate, Filter: &api.DecisionFilter{Types: []brenner.TypeName{"paper_note"}}, Reason: "out"})
			s.must(err)
			if len(res.Decisions) != 3 || s.pi.reads(ref("c", 1)).Status != artifact.Deprecated {
				s.Errorf("by a filter: %+v", res)
			}
			s.pi.creates(memo("m1", "lineage"))
			s.pi.creates(memo("m2", "lineage"))
			s.unchanged(func() {
				_, err := s.pi.Decide(s.ctx, api.DecideRequest{Decision: api.DecidePromote, Refs: []brenner.Ref{ref("m1", 1), ref("m2", 1)}, Reason: "both", Replace: true})
				s.refused(err, brenner.CodeSlotTaken)
			})
		}},
		{"a stale version still holds: as a new one, on what is in force now", func(s *scene) { // N5
			s.corrected()
			s.unchanged(func() {
				_, err := s.pi.Decide(s.ctx, api.DecideRequest{Decision: api.DecideStillHolds, Refs: []brenner.Ref{ref("text", 0)}, Reason: "fine"})
				s.refused(err, brenner.CodeStillStale) // the summary it rests on is stale
				_, err = s.pi.Decide(s.ctx, api.DecideRequest{Decision: api.DecideStillHolds, Refs: []brenner.Ref{ref("number", 0)}, Reason: "fine"})
				s.refused(err, brenner.CodeNotStale)
			})
			var would api.DecideResult
			s.unchanged(func() {
				var err error
				would, err = s.pi.Decide(s.ctx, api.DecideRequest{Decision: api.DecideStillHolds, Filter: &api.DecisionFilter{Moved: "number"}, Reason: "most is most", DryRun: true})
				s.must(err)
			})
			is := s.pi.decides(api.DecideStillHolds, ref("text", 1), ref("summary", 1)) // in any order
			if len(is.Decisions) != 2 || is.Decisions[0].New != ref("summary", 2) || is.Decisions[1].New != ref("text", 2) {
				s.Errorf("got %+v", is.Decisions)
			}
			for i := range is.Decisions {
				if !slices.Equal(would.Decisions[i].Changes, is.Decisions[i].Changes) || !slices.Equal(would.Decisions[i].Looked, is.Decisions[i].Looked) || would.Decisions[i].New != is.Decisions[i].New {
					s.Errorf("it said %+v and did %+v", would.Decisions[i], is.Decisions[i])
				}
			}
			v := s.pi.reads(ref("text", 0))
			if v.Ref() != ref("text", 2) || v.Status != artifact.Canonical || v.NeedsUpdate || plainText(v) != "most of them" {
				s.Errorf("the text: %+v", v)
			}
			want := []artifact.Link{link(artifact.Cites, "number", 2), link(artifact.DependsOn, "summary", 2)}
			if got := slices.SortedFunc(slices.Values(v.Links), func(a, b artifact.Link) int { return a.To().Compare(b.To()) }); !slices.Equal(got, want) {
				s.Errorf("it rests on %+v", got)
			}
			if got := s.pi.waits(api.WaitStale); len(got) != 0 {
				s.Errorf("still stale: %+v", got)
			}
		}},
		{"what still holds is found by each thing that moved, and once beside a draft of it", func(s *scene) { // N4, N5
			for _, id := range []brenner.ArtifactID{"near", "other"} {
				s.pi.creates(result(id, "one"))
				s.pi.promotes(ref(id, 1))
			}
			s.pi.creates(note("both", "on two", link(artifact.DependsOn, "near", 1), link(artifact.DependsOn, "other", 1)))
			s.pi.promotes(ref("both", 1))
			s.pi.rewrites("both", "a draft that is stale as well", link(artifact.DependsOn, "near", 1))
			for _, id := range []brenner.ArtifactID{"near", "other"} {
				s.pi.rewrites(id, "two")
				s.pi.promotes(ref(id, 2))
			}
			for _, moved := range []brenner.ArtifactID{"near", "other"} {
				would, err := s.pi.Decide(s.ctx, api.DecideRequest{Decision: api.DecideStillHolds, Filter: &api.DecisionFilter{Moved: moved}, DryRun: true})
				s.must(err)
				if len(would.Decisions) != 1 || would.Decisions[0].Ref != ref("both", 1) ||
					len(would.Decisions[0].Looked) != 1 || would.Decisions[0].Looked[0].Was != ref(moved, 1) || len(would.Fresh) > 0 {
					s.Errorf("because %s moved: %+v", moved, would)
				}
			}
			// Confirmed for one, it waits for the other.
			_, err := s.pi.Decide(s.ctx, api.DecideRequest{
				Decision: api.DecideStillHolds, Refs: []brenner.Ref{ref("both", 1)}, Filter: &api.DecisionFilter{Moved: "near"}, Reason: "it holds",
			})
			s.must(err)
			if got := s.pi.waits(api.WaitStale); len(got) != 1 || got[0].Subject != "other" || got[0].Count != 1 || got[0].Shared != 0 {
				s.Errorf("what waits then: %+v", got)
			}
		}},
		{"a request for changes is a critique and a task for the author's role", func(s *scene) { // N3, N6
			s.pi.creates(result("data", "one"))
			s.pi.promotes(ref("data", 1))
			t := s.pi.opens(ref("data", 1))
			writer := s.agent("GreyStone")
			writer.claims(t.ID)
			writer.creates(section("methods", t.ID))
			writer.completes(t.ID)
			said, err := s.pi.Comment(s.ctx, api.CommentRequest{Ref: ref("methods", 1), Text: "which logger?"})
			s.must(err)
			_, err = s.pi.Comment(s.ctx, api.CommentRequest{Ref: ref("methods", 1), Text: "the upper one", Reply: said.ID})
			s.must(err)
			closed, err := s.pi.Comment(s.ctx, api.CommentRequest{Ref: ref("methods", 1), Text: "a typo"})
			s.must(err)
			_, err = s.pi.SettleComment(s.ctx, api.SettleCommentRequest{ID: closed.ID})
			s.must(err)
			s.unchanged(func() {
				_, err := s.pi.RequestChanges(s.ctx, api.RequestChangesRequest{Ref: ref("methods", 1)})
				s.refused(err, brenner.CodeReasonRequired)
				_, err = writer.RequestChanges(s.ctx, api.RequestChangesRequest{Ref: ref("methods", 1), Reason: "mine"})
				if e := s.refused(err, brenner.CodeWriteDenied); !strings.Contains(e.Message, "may not request changes of manuscript_section methods") {
					s.Errorf("refused with %s", e.Message)
				}
				_, err = writer.Comment(s.ctx, api.CommentRequest{Ref: ref("methods", 1), Text: "so there"})
				s.refused(err, brenner.CodePersonRequired)
				_, err = s.pi.SettleComment(s.ctx, api.SettleCommentRequest{ID: closed.ID})
				s.refused(err, brenner.CodeStatusConflict)
				would, err := s.pi.RequestChanges(s.ctx, api.RequestChangesRequest{Ref: ref("methods", 1), Reason: "say which", DryRun: true})
				s.must(err)
				if would.Task.Role != "writer" || len(would.Comments) != 2 {
					s.Errorf("would: %+v", would)
				}
			})
			res, err := s.pi.RequestChanges(s.ctx, api.RequestChangesRequest{Ref: ref("methods", 1), Reason: "say which logger"})
			s.must(err)
			if res.Task.Role != "writer" || res.Task.State != api.TaskOpen || len(res.Task.Inputs) == 0 || res.Task.Inputs[0].Ref != ref("methods", 1) {
				s.Errorf("the task: %+v", res.Task)
			}
			critique := s.pi.reads(res.Critique)
			if !slices.Contains(critique.Links, link(artifact.Reviews, "methods", 1)) || critique.Type != artifact.TypeCritique {
				s.Errorf("the critique: %+v", critique)
			}
			if got := s.pi.waits(api.WaitPromotion); len(got) != 0 {
				s.Errorf("it waits for its author, not for a person: %+v", got)
			}
			view, err := s.pi.Review(s.ctx, api.ReviewRequest{Ref: ref("methods", 1)})
			s.must(err)
			if len(view.Comments) != 3 || !view.Comments[2].Settled || view.Comments[1].Reply != said.ID || len(view.Findings) != 1 {
				s.Errorf("the review: %+v %+v", view.Comments, view.Findings)
			}
			again, err := s.pi.RequestChanges(s.ctx, api.RequestChangesRequest{Ref: ref("methods", 1), Reason: "and when"})
			s.must(err)
			if again.Task.ID != res.Task.ID {
				s.Errorf("a second task: %+v", again.Task)
			}
			writer.claims(res.Task.ID)
			writer.rewrites("methods", "one comma more")
			view, err = s.pi.Review(s.ctx, api.ReviewRequest{Ref: ref("methods", 2)})
			s.must(err)
			if len(view.Findings) != 2 || view.Findings[0].About != ref("methods", 1) || view.Findings[0].Ref != res.Critique {
				s.Errorf("a newer version takes a critique back: %+v", view.Findings)
			}
		}},
		{"a review of a session tells which of its critiques are open, and of its stalemates", func(s *scene) { // N2
			id := s.pi.starts().ID
			text := "```delta\n" + `{"operation":"ADD","section":"adversarial_critique","target_id":null,"rationale":"seen","payload":{"name":"Both may be wrong","attack":"the thread asks too much"}}` + "\n```\n"
			s.pi.submits(id, text)
			at := s.pi.compiles(id).Ref
			about := s.dispute()
			about.Target = at.String()
			raised, err := s.agent("BlueLake").RaiseStalemate(s.ctx, api.RaiseStalemateRequest{Stalemate: about, Session: id})
			s.must(err)
			view, err := s.pi.Review(s.ctx, api.ReviewRequest{Ref: at})
			s.must(err)
			if len(view.Findings) != 2 || view.Findings[0].Item != "C1" || view.Findings[0].Summary != "Both may be wrong" || view.Findings[0].Creator != "ada" ||
				view.Findings[1].Stalemate != string(raised.ID) {
				s.Errorf("what speaks against it: %+v", view.Findings)
			}
		}},
		{"many versions go back at once, to a role that can write them", func(s *scene) { // N3, N4
			writer := s.agent("GreyStone")
			for _, id := range []brenner.ArtifactID{"one", "two"} {
				t := s.pi.opens()
				writer.claims(t.ID)
				writer.creates(section(id, t.ID))
				writer.completes(t.ID)
			}
			back := api.DecideRequest{Decision: api.DecideChanges, Refs: []brenner.Ref{ref("one", 1), ref("two", 1)}, Reason: "say which logger"}
			s.unchanged(func() {
				try := back
				try.DryRun, try.Reason = true, ""
				would, err := s.pi.Decide(s.ctx, try)
				s.must(err)
				if len(would.Decisions) != 2 || would.Decisions[1].Task.Role != "writer" || would.Decisions[1].Critique.Version != 0 {
					s.Errorf("would: %+v", would)
				}
				try = back
				try.Refs = append(try.Refs, ref("none", 1))
				_, err = s.pi.Decide(s.ctx, try)
				s.refused(err, brenner.CodeNotFound)
				_, err = writer.Decide(s.ctx, back)
				s.refused(err, brenner.CodePersonRequired)
				try = back
				try.Role = "test_designer" // reads sections, and writes none
				_, err = s.pi.Decide(s.ctx, try)
				s.refused(err, brenner.CodeUnknownRole)
			})
			res, err := s.pi.Decide(s.ctx, back)
			s.must(err)
			for i, d := range res.Decisions {
				if d.Task == nil || d.Task.Role != "writer" || d.Task.Inputs[0].Ref != back.Refs[i] || d.Seq == 0 || s.pi.reads(d.Critique).Type != artifact.TypeCritique {
					s.Errorf("sent back: %+v", d)
				}
			}
			if got := s.pi.waits(api.WaitPromotion); len(got) != 0 {
				s.Errorf("still in the inbox: %+v", got)
			}
			// Another role is asked instead, unless somebody is at it.
			first, second := res.Decisions[0].Task.ID, res.Decisions[1].Task.ID
			other, err := s.pi.RequestChanges(s.ctx, api.RequestChangesRequest{Ref: ref("one", 1), Reason: "I do it myself", Role: brenner.PI})
			s.must(err)
			if was, err := s.pi.Task(s.ctx, api.TaskRequest{ID: first}); err != nil || was.State != api.TaskCanceled || other.Task.ID == first || other.Task.Role != brenner.PI {
				s.Errorf("asked instead: %+v, and %+v before (%v)", other.Task, was, err)
			}
			writer.claims(second)
			s.unchanged(func() {
				_, err := s.pi.RequestChanges(s.ctx, api.RequestChangesRequest{Ref: ref("two", 1), Reason: "I do it myself", Role: brenner.PI})
				s.refused(err, brenner.CodeTaskTaken)
			})
			same, err := s.pi.RequestChanges(s.ctx, api.RequestChangesRequest{Ref: ref("two", 1), Reason: "and when", Role: "writer"})
			s.must(err)
			if same.Task.ID != second {
				s.Errorf("a second task: %+v", same.Task)
			}
		}},
		{"what is sent back to the PI waits for it", func(s *scene) { // N1, N3
			s.pi.creates(note("mine", "as it was"))
			back, err := s.pi.RequestChanges(s.ctx, api.RequestChangesRequest{Ref: ref("mine", 1), Reason: "say how many"})
			s.must(err)
			if got := s.pi.waits(api.WaitRequest); back.Task.Role != brenner.PI || len(got) != 1 || got[0].Subject != back.Task.ID {
				s.Errorf("%+v, and the inbox has %+v", back.Task, got)
			}
			s.pi.opens()
			_, err = s.pi.NewTask(s.ctx, api.NewTaskRequest{Title: "not to forget", Spec: "buy cells", Role: brenner.PI, Modules: []brenner.Module{"lineage"}})
			s.must(err)
			if got := s.pi.waits(api.WaitRequest); len(got) != 1 {
				s.Errorf("what the PI asks of itself or others waits: %+v", got)
			}
		}},
		{"what was handed in waits on when somebody writes on, and names the newest", func(s *scene) { // N1
			s.pi.creates(result("data", "one"))
			handIn := func(v brenner.Version) {
				_, err := s.pi.HandIn(s.ctx, api.HandInRequest{Ref: ref("data", v)})
				s.must(err)
			}
			waits := func(subject, names string) {
				s.Helper()
				got := s.pi.waits(api.WaitPromotion)
				if subject == "" && len(got) != 0 || subject != "" && (len(got) != 1 || got[0].Subject != subject || !strings.Contains(got[0].Why, names)) {
					s.Errorf("%s that names %q: %+v", subject, names, got)
				}
			}
			handIn(1)
			s.pi.rewrites("data", "two")
			waits("data@1", "data@2")
			s.pi.rewrites("data", "three")
			waits("data@1", "data@3")
			handIn(3)
			waits("data@3", "handed in") // the one that was put before a person last
			s.pi.rewrites("data", "four")
			waits("data@3", "data@4")
			s.pi.promotes(ref("data", 4))
			waits("", "") // decided upon
			s.pi.rewrites("data", "five")
			handIn(5)
			s.pi.rewrites("data", "six")
			_, err := s.pi.RequestChanges(s.ctx, api.RequestChangesRequest{Ref: ref("data", 6), Reason: "say how"})
			s.must(err)
			waits("", "") // sent back
		}},
	}
}

// plainText is the content of a version that is text.
func plainText(v api.ArtifactView) string {
	text := string(v.Content)
	return text[1 : len(text)-1]
}

package apitest

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
)

func fileCases() []testCase {
	return []testCase{
		{"a batch of files is written in one go, and one that says nothing new is left alone", func(s *scene) { // X6
			s.pi.creates(note("old", "one"))
			req := api.BatchRequest{Items: []api.BatchItem{
				creation(note("new", "rests on old", link(artifact.DependsOn, "old", 0))),
				edition("old", 1, "two"),
			}}
			res := s.pi.writes(req)
			if res.Items[0].Outcome != api.BatchCreated || res.Items[0].Ref != ref("new", 1) ||
				!slices.Equal(res.Items[0].Links, []artifact.Link{link(artifact.DependsOn, "old", 1)}) {
				s.Errorf("the new artifact: %+v", res.Items[0])
			}
			if res.Items[1].Outcome != api.BatchUpdated || res.Items[1].Ref != ref("old", 2) || res.Items[1].Name != "old.md" {
				s.Errorf("the new version: %+v", res.Items[1])
			}
			s.unchanged(func() {
				again := s.pi.writes(req)
				for i, w := range again.Items {
					if w.Outcome != api.BatchSame || w.Ref != res.Items[i].Ref || w.SHA256 != res.Items[i].SHA256 {
						s.Errorf("again: %+v", w)
					}
				}
			})
		}},
		{"one bad file refuses the batch, and every bad one is named", func(s *scene) { // X6
			s.pi.creates(note("old", "one"))
			stale := edition("old", 1, "two")
			stale.Update.Summary = nil
			nowhere := note("lost", "text")
			nowhere.Module = "nowhere"
			s.unchanged(func() {
				_, err := s.pi.WriteBatch(s.ctx, api.BatchRequest{Items: []api.BatchItem{
					creation(note("good", "text")), stale, creation(nowhere), creation(note("../etc", "text")),
				}})
				e := s.refused(err, brenner.CodeSummaryStale)
				var got []string
				for _, d := range e.Diagnostics {
					got = append(got, fmt.Sprintf("%s %s", d.Subject, d.Code))
				}
				want := []string{"old.md SUMMARY_STALE", "lost.md UNKNOWN_MODULE", "../etc.md INVALID_ID"}
				if !slices.Equal(got, want) {
					s.Errorf("findings %q, want %q", got, want)
				}
			})
			_, err := s.pi.Artifact(s.ctx, api.ArtifactRequest{Ref: ref("good", 0)})
			s.refused(err, brenner.CodeNotFound)
		}},
		{"a file on a moved head is an alternative, unless the head was expected", func(s *scene) { // X6, C13
			s.pi.creates(note("n", "one"))
			s.pi.rewrites("n", "two")
			mine := edition("n", 1, "another two")
			mine.Update.Expect = 1
			s.unchanged(func() {
				_, err := s.pi.WriteBatch(s.ctx, api.BatchRequest{Items: []api.BatchItem{mine}})
				s.refused(err, brenner.CodeConflictHead)
			})
			mine.Update.Expect = 0
			res := s.pi.writes(api.BatchRequest{Items: []api.BatchItem{mine}})
			if w := res.Items[0]; w.Status != artifact.Alternative || !slices.Equal(w.Fork, []brenner.Ref{ref("n", 2), ref("n", 3)}) {
				s.Errorf("got %+v", w)
			}
			s.unchanged(func() {
				if w := s.pi.writes(api.BatchRequest{Items: []api.BatchItem{mine}}).Items[0]; w.Outcome != api.BatchSame || w.Ref != ref("n", 3) {
					s.Errorf("a repeated commit wrote again: %+v", w)
				}
			})
		}},
		{"a note that was imported and then rewritten is not imported again", func(s *scene) { // X6
			s.pi.writes(api.BatchRequest{Items: []api.BatchItem{creation(note("n", "one"))}})
			s.pi.rewrites("n", "two")
			s.unchanged(func() {
				if w := s.pi.writes(api.BatchRequest{Items: []api.BatchItem{creation(note("n", "one"))}}).Items[0]; w.Outcome != api.BatchSame || w.Ref != ref("n", 1) {
					s.Errorf("got %+v", w)
				}
				_, err := s.pi.WriteBatch(s.ctx, api.BatchRequest{Items: []api.BatchItem{creation(note("n", "three"))}})
				s.refused(err, brenner.CodeAlreadyExists)
			})
		}},
		{"a dry run of a batch decides everything and writes nothing", func(s *scene) { // X6
			s.unchanged(func() {
				res := s.pi.writes(api.BatchRequest{DryRun: true, Items: []api.BatchItem{creation(note("n", "one"))}})
				if !res.DryRun || res.Items[0].Outcome != api.BatchCreated || res.Items[0].Ref != ref("n", 1) {
					s.Errorf("got %+v", res)
				}
				_, err := s.pi.WriteBatch(s.ctx, api.BatchRequest{DryRun: true, Items: []api.BatchItem{creation(note("", "")), creation(note("..", "x"))}})
				s.refused(err, brenner.CodeInvalidID)
			})
		}},
		{"a batch is bounded and its items are one thing or the other", func(s *scene) { // X3, X6
			large := note("large", strings.Repeat("x", brenner.MaxContentBytes))
			for _, c := range []struct {
				why   string
				code  brenner.Code
				items []api.BatchItem
			}{
				{"too many", brenner.CodeLimitExceeded, slices.Repeat([]api.BatchItem{creation(note("", "x"))}, brenner.MaxBatchItems+1)},
				{"too large", brenner.CodeLimitExceeded, slices.Repeat([]api.BatchItem{creation(anonymous(large))}, brenner.MaxBatchBytes/brenner.MaxContentBytes+1)},
				{"neither", brenner.CodeInvalidValue, []api.BatchItem{{Name: "x"}}},
				{"both", brenner.CodeInvalidValue, []api.BatchItem{{Name: "x", Create: &large, Update: edition("x", 1, "y").Update}}},
				{"twice", brenner.CodeInvalidValue, []api.BatchItem{creation(note("n", "x")), creation(note("n", "y"))}},
			} {
				s.unchanged(func() {
					if _, err := s.pi.WriteBatch(s.ctx, api.BatchRequest{Items: c.items}); brenner.CodeOf(err) != c.code {
						s.Errorf("%s: got %v, want %s", c.why, err, c.code)
					}
				})
			}
			if res := s.pi.writes(api.BatchRequest{}); len(res.Items) != 0 {
				s.Errorf("nothing gave %+v", res)
			}
		}},
		{"a batch asks the policy for every item", func(s *scene) { // X6, C8
			critic := s.agent("GreenValley")
			s.unchanged(func() {
				_, err := critic.WriteBatch(s.ctx, api.BatchRequest{Items: []api.BatchItem{creation(note("n", "one"))}})
				s.refused(err, brenner.CodeWriteDenied)
			})
		}},
		{"a batch is safe to repeat under its key", func(s *scene) { // X2, X6
			req := api.BatchRequest{Write: api.Write{Key: "k"}, Items: []api.BatchItem{creation(note("", "one"))}}
			one := s.pi.writes(req)
			s.unchanged(func() {
				if again := s.pi.writes(req); again.Items[0].Ref != one.Items[0].Ref || again.Items[0].Outcome != api.BatchCreated {
					s.Errorf("got %+v, then %+v", one, again)
				}
			})
		}},
	}
}

// creation is a new artifact as a file brings it.
func creation(req api.CreateArtifactRequest) api.BatchItem {
	return api.BatchItem{Name: string(req.ID) + ".md", Create: &req}
}

func anonymous(req api.CreateArtifactRequest) api.CreateArtifactRequest {
	req.ID = ""
	return req
}

// edition is a new version as a changed file brings it: summary, tags and links
// are all the file's.
func edition(id brenner.ArtifactID, parent brenner.Version, text string) api.BatchItem {
	n := note(id, text)
	return api.BatchItem{Name: string(id) + ".md", Update: &api.UpdateArtifactRequest{
		ID: id, Parent: parent, Summary: &n.Summary, Content: &n.Content, Tags: &n.Tags, DropLinks: true,
	}}
}

// writes sends a batch.
func (p *player) writes(req api.BatchRequest) api.BatchResult {
	p.Helper()
	res, err := p.WriteBatch(p.ctx, req)
	p.must(err)
	return res
}

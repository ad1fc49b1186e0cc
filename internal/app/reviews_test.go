package app_test

import (
	"fmt"
	"slices"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"

	"pgregory.net/rapid"
)

// N3: what a dry run foresees is what the list of stale versions gains and
// loses by the decision, whatever the graph and the decision are.
func TestDecide_ADryRunForeseesWhatBecomesOfTheStale(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		pi := newWorld(t, failingOften(t)).PI()
		ctx := t.Context()
		must := func(err error) {
			if err != nil {
				rt.Fatal(err)
			}
		}
		stale := func() map[brenner.Ref]bool {
			list, err := pi.Stale(ctx, api.StaleRequest{})
			must(err)
			out := map[brenner.Ref]bool{}
			for _, i := range list.Items {
				out[i.Ref] = true
			}
			return out
		}
		var written []brenner.Ref
		for range rapid.IntRange(3, 14).Draw(rt, "writes") {
			id := brenner.ArtifactID(fmt.Sprintf("a%d", rapid.IntRange(0, 4).Draw(rt, "id")))
			var links []artifact.Link
			for range rapid.IntRange(0, 2).Draw(rt, "links") {
				if len(written) > 0 {
					to := rapid.SampledFrom(written).Draw(rt, "to")
					l := artifact.Link{Rel: rapid.SampledFrom([]artifact.Relation{artifact.DependsOn, artifact.Reviews}).Draw(rt, "rel"), Artifact: to.Artifact, Version: to.Version}
					if to.Artifact != id && !slices.Contains(links, l) {
						links = append(links, l)
					}
				}
			}
			body := api.Body{Format: artifact.Text, Data: fmt.Sprint(len(written))}
			var res api.WriteResult
			var err error
			if !slices.ContainsFunc(written, func(r brenner.Ref) bool { return r.Artifact == id }) {
				res, err = pi.CreateArtifact(ctx, api.CreateArtifactRequest{ID: id, Type: "paper_note", Module: "lineage", Summary: "s", Content: body, Links: links})
			} else {
				res, err = pi.UpdateArtifact(ctx, api.UpdateArtifactRequest{ID: id, SummaryHolds: true, Content: &body, Links: links, DropLinks: true})
			}
			must(err)
			written = append(written, res.Ref)
			if rapid.Bool().Draw(rt, "promoted") {
				_, err := pi.Promote(ctx, api.PromoteRequest{Ref: res.Ref, Reason: "r"})
				must(err)
			}
		}
		ref := rapid.SampledFrom(written).Draw(rt, "decided")
		before := stale()
		which := rapid.IntRange(0, 2).Draw(rt, "which")
		decide := func(dry bool) (api.DecisionResult, error) {
			req := api.DecisionRequest{Ref: ref, Reason: "r", DryRun: dry}
			switch which {
			case 0:
				return pi.Demote(ctx, req)
			case 1:
				return pi.Deprecate(ctx, req)
			}
			return pi.Promote(ctx, api.PromoteRequest{Ref: ref, Reason: "r", DryRun: dry})
		}
		would, err := decide(true)
		is, err2 := decide(false)
		if brenner.CodeOf(err) != brenner.CodeOf(err2) {
			rt.Fatalf("a dry run says %v, the decision %v", err, err2)
		}
		if err != nil {
			return
		}
		if !slices.Equal(would.Stale, is.Stale) || !slices.Equal(would.Fresh, is.Fresh) || !slices.Equal(would.Changes, is.Changes) {
			rt.Fatalf("it said %+v and did %+v", would, is)
		}
		after := stale()
		for _, r := range written {
			if becomes := !before[r] && after[r]; becomes != slices.Contains(is.Stale, r) {
				rt.Errorf("%s after %d on %s: stale before %v, after %v, foreseen %v", r, which, ref, before[r], after[r], is.Stale)
			}
			if stops := before[r] && !after[r]; stops != slices.Contains(is.Fresh, r) {
				rt.Errorf("%s after %d on %s: stale before %v, after %v, foreseen fresh %v", r, which, ref, before[r], after[r], is.Fresh)
			}
		}
	})
}

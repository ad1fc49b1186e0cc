package lineage

import (
	"fmt"
	"slices"
	"testing"

	"brenner"
	"brenner/artifact"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func holding(id brenner.ArtifactID, used bool, speaking ...string) Holding {
	h := Holding{ID: id, Used: used}
	for _, s := range speaking {
		h.Speaking = append(h.Speaking, ref(s))
	}
	return h
}

// C27: what a canonical artifact refers to, over any number of steps, is in
// use; what only its former versions referred to is not.
func TestUnused(t *testing.T) {
	all := []Holding{
		holding("memo", true, "memo@2", "memo@3"),
		holding("cited", false, "cited@1"),
		holding("below", false, "below@2"),
		holding("former", false, "former@1"),
		holding("merged", false, "merged@1"),
		holding("finding", false, "finding@1"),
		holding("old-finding", false, "old-finding@1"),
		holding("alone", false, "alone@1"),
		holding("pair", false, "pair@1"),
		holding("older", false, "older@1"),
	}
	links := []Edge{
		edge("memo@2", artifact.Cites, "cited@1"),
		edge("cited@1", artifact.DependsOn, "below@1"), // an older version keeps the artifact
		edge("below@2", artifact.DerivedFrom, "cited@1"),
		edge("memo@1", artifact.Cites, "former@1"), // memo@1 no longer speaks
		edge("memo@3", artifact.Supersedes, "merged@1"),
		edge("finding@1", artifact.Reviews, "memo@2"),
		edge("old-finding@1", artifact.Reviews, "memo@1"),
		edge("alone@1", artifact.Cites, "pair@1"),
		edge("pair@1", artifact.Cites, "alone@1"),
		edge("below@1", artifact.Cites, "older@1"), // what was referred to speaks too
	}
	want := []brenner.ArtifactID{"alone", "former", "merged", "old-finding", "pair"}
	if diff := cmp.Diff(want, Unused(all, links)); diff != "" {
		t.Error(diff)
	}
}

// dumbUnused says the rule word for word and applies it until nothing changes.
func dumbUnused(all []Holding, links []Edge) []brenner.ArtifactID {
	speaks := func(r brenner.Ref) bool {
		return slices.ContainsFunc(all, func(h Holding) bool { return slices.Contains(h.Speaking, r) })
	}
	var used []brenner.ArtifactID
	var counting []brenner.Ref
	for _, h := range all {
		if h.Used {
			used = append(used, h.ID)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, h := range all {
			for _, r := range h.Speaking {
				if slices.Contains(used, h.ID) && !slices.Contains(counting, r) {
					counting, changed = append(counting, r), true
				}
			}
		}
		for _, e := range links {
			if e.Rel == artifact.Supersedes {
				continue
			}
			if slices.Contains(counting, e.From) {
				if !slices.Contains(counting, e.To) {
					counting, changed = append(counting, e.To), true
				}
				if !slices.Contains(used, e.To.Artifact) {
					used, changed = append(used, e.To.Artifact), true
				}
			}
			if e.Rel == artifact.Reviews && speaks(e.From) && speaks(e.To) && slices.Contains(counting, e.To) && !slices.Contains(used, e.From.Artifact) {
				used, changed = append(used, e.From.Artifact), true
			}
		}
	}
	out := []brenner.ArtifactID{}
	for _, h := range all {
		if !slices.Contains(used, h.ID) {
			out = append(out, h.ID)
		}
	}
	return out
}

// C27: on random graphs the answer is that of the rule applied until nothing
// changes.
func TestUnused_AgreesWithTheRuleWrittenOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "artifacts")
		version := rapid.IntRange(1, 3)
		var all []Holding
		for i := range n {
			h := Holding{ID: brenner.ArtifactID(fmt.Sprintf("a%d", i)), Used: rapid.IntRange(0, 3).Draw(t, "used") == 0}
			for v := 1; v <= 3; v++ {
				if rapid.Bool().Draw(t, "speaks") {
					h.Speaking = append(h.Speaking, brenner.Ref{Artifact: h.ID, Version: brenner.Version(v)})
				}
			}
			all = append(all, h)
		}
		end := func(name string) brenner.Ref {
			return brenner.Ref{Artifact: all[rapid.IntRange(0, n-1).Draw(t, name)].ID, Version: brenner.Version(version.Draw(t, "version"))}
		}
		var links []Edge
		for range rapid.IntRange(0, 14).Draw(t, "links") {
			links = append(links, Edge{From: end("from"), Rel: rapid.SampledFrom(artifact.Relations()).Draw(t, "rel"), To: end("to")})
		}
		if diff := cmp.Diff(dumbUnused(all, links), Unused(all, links)); diff != "" {
			t.Fatal(diff)
		}
	})
}

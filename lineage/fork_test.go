package lineage

import (
	"slices"
	"testing"

	"brenner"
	"brenner/artifact"

	"github.com/google/go-cmp/cmp"
)

func head(r string, status artifact.Status, slot string) Node {
	return Node{Ref: ref(r), Status: status, Slot: slot}
}

// C19: several live heads of one artifact, or several live artifacts in one
// singleton slot, are a fork; nothing else is.
func TestForks(t *testing.T) {
	got := Forks([]Node{
		head("spec@3", artifact.Draft, ""), head("spec@2", artifact.Alternative, ""), head("spec@3", artifact.Draft, ""),
		head("note@1", artifact.Draft, ""), head("note@2", artifact.Deprecated, ""),
		head("memo-b@1", artifact.Draft, "integrated_memo/core"), head("memo-a@4", artifact.Canonical, "integrated_memo/core"),
		head("memo-c@1", artifact.Canonical, "integrated_memo/edge"), head("memo-d@1", artifact.Superseded, "integrated_memo/edge"),
		head("brief@2", artifact.Draft, "project_brief"), head("brief@3", artifact.NeedsRebase, "project_brief"),
	})
	want := []Fork{
		{Artifact: "brief", Heads: []Node{head("brief@2", artifact.Draft, "project_brief"), head("brief@3", artifact.NeedsRebase, "project_brief")}},
		{Artifact: "spec", Heads: []Node{head("spec@2", artifact.Alternative, ""), head("spec@3", artifact.Draft, "")}},
		{Slot: "integrated_memo/core", Heads: []Node{head("memo-a@4", artifact.Canonical, "integrated_memo/core"), head("memo-b@1", artifact.Draft, "integrated_memo/core")}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Forks(nil); got == nil || len(got) != 0 {
		t.Errorf("no heads give %#v, want an empty list", got)
	}
}

// C29: the spine is the canonical brief, a memo per module and the summary,
// and what is missing is said.
func TestSpine_SaysWhatIsMissing(t *testing.T) {
	node := func(r string, typ brenner.TypeName, m brenner.Module, s artifact.Status) Node {
		return Node{Ref: ref(r), Type: typ, Module: m, Status: s}
	}
	canonical := []Node{
		node("memo-z@1", artifact.TypeIntegratedMemo, "zeta", artifact.Canonical),
		node("memo-a@2", artifact.TypeIntegratedMemo, "alpha", artifact.Canonical),
		node("memo-b@1", artifact.TypeIntegratedMemo, "beta", artifact.Draft),
		node("old@1", artifact.TypeIntegratedMemo, "gone", artifact.Canonical),
		node("brief@4", artifact.TypeProjectBrief, "project", artifact.Canonical),
		node("spec@1", artifact.TypeModelSpec, "alpha", artifact.Canonical),
	}
	got := Spine(canonical, []brenner.Module{"zeta", "beta", "alpha"})
	want := SpineView{
		Brief: &canonical[4],
		Memos: []ModuleMemo{{"zeta", &canonical[0]}, {"beta", nil}, {"alpha", &canonical[1]}, {"gone", &canonical[3]}},
		Missing: []Missing{
			{artifact.TypeIntegratedMemo, "beta", "no canonical integrated_memo in module beta", brenner.Ref{}},
			{artifact.TypeProjectSummary, "", "no canonical project_summary", brenner.Ref{}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	whole := Spine(append(slices.Clone(canonical), node("sum@1", artifact.TypeProjectSummary, "project", artifact.Canonical)), []brenner.Module{"alpha"})
	if len(whole.Missing) != 0 || whole.Summary == nil {
		t.Errorf("a complete spine misses %v", whole.Missing)
	}
	if empty := Spine(nil, nil); len(empty.Missing) != 2 {
		t.Errorf("an empty project misses %v, want brief and summary", empty.Missing)
	}
}

package lineage

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/artifact"
	"brenner/canon"
)

// town is a graph that is too large for one look: forty notes and three models
// that a summary rests on, a paper behind them, links among equals and back.
func town() Graph {
	g := Graph{Start: ref("sum@1"), Direction: Up}
	add := func(r string, depth int, m brenner.Module, typ brenner.TypeName, s artifact.Status) Node {
		n := Node{Ref: ref(r), Depth: depth, Module: m, Type: typ, Status: s, Summary: "about " + r, Creator: "ann"}
		g.Nodes = append(g.Nodes, n)
		return n
	}
	join := func(from string, rel artifact.Relation, to string) {
		g.Edges = append(g.Edges, Edge{From: ref(from), Rel: rel, To: ref(to)})
	}
	add("sum@1", 0, "project", artifact.TypeProjectSummary, artifact.Canonical)
	for i := range 40 {
		add(fmt.Sprintf("note%02d@1", i), 1, []brenner.Module{"fate", "growth"}[i%2], artifact.TypePaperNote, artifact.Draft)
		join("sum@1", artifact.DependsOn, fmt.Sprintf("note%02d@1", i))
		g.Nodes[len(g.Nodes)-1].Stale = i%8 == 0
	}
	for i := range 3 {
		add(fmt.Sprintf("spec%d@2", i), 2, "fate", artifact.TypeModelSpec, artifact.Superseded)
		join(fmt.Sprintf("note%02d@1", 39-i), artifact.DerivedFrom, fmt.Sprintf("spec%d@2", i))
		join(fmt.Sprintf("note%02d@1", 8*i), artifact.DependsOn, fmt.Sprintf("spec%d@2", i))
	}
	add("paper@1", 3, "growth", artifact.TypePaperNote, artifact.Canonical)
	join("spec0@2", artifact.DerivedFrom, "paper@1")
	join("paper@1", artifact.Contradicts, "note01@1")
	join("note02@1", artifact.Cites, "note04@1")
	return g
}

// C31: a large graph is drawn in columns beside each other, near what it is
// linked with, and with clusters it has a box for many.
func TestSVG_DrawsATown(t *testing.T) {
	g := town()
	golden(t, "town.svg", g.SVG())
	golden(t, "town.clustered.svg", g.Inline(Picture{
		Percent: 100, Clusters: g.Clusters(10, ""),
		Link:        func(r brenner.Ref) string { return "/at/" + r.String() },
		ClusterLink: func(c Cluster) string { return "/open/" + c.Key() },
	}))
	// Without places to lead to, nothing is a link.
	if svg := g.Inline(Picture{Percent: 100, Clusters: g.Clusters(10, "")}); strings.Contains(svg, "<a ") {
		t.Errorf("a box leads nowhere:\n%s", svg)
	}
	// One that is opened shows its first members, and is a box for the rest.
	golden(t, "town.opened.svg", g.Inline(Picture{Percent: 100, Clusters: g.Clusters(10, "1.fate.paper_note")}))
}

// C31: of a cluster that is opened the first so many stand alone, and what is
// left is counted anew; one that is left alone is no cluster.
func TestClusters_OpenedOneShowsItsFirst(t *testing.T) {
	size := func(list []Cluster, key string) (n, stale int) {
		for _, c := range list {
			if c.Key() == key {
				return len(c.Members), c.Stale
			}
		}
		return 0, 0
	}
	const key = "1.fate.paper_note"
	g := town()
	for most, want := range map[int][2]int{0: {20, 5}, 1: {19, 4}, 18: {2, 0}, 19: {0, 0}, 30: {0, 0}} {
		n, stale := size(g.Clusters(most, key), key)
		if n != want[0] || stale != want[1] {
			t.Errorf("the first %d are shown, and %d are left, %d of them stale; want %v", most, n, stale, want)
		}
	}
	if n, stale := size(g.Clusters(5, "1.growth.paper_note"), key); n != 20 || stale != 5 {
		t.Errorf("another was opened, and %d are left, %d of them stale", n, stale)
	}
	var keys []string
	for _, c := range g.Clusters(5, "") {
		keys = append(keys, c.Key())
	}
	if want := []string{key, "1.growth.paper_note", "2.fate.model_spec"}; !slices.Equal(keys, want) {
		t.Errorf("clusters are %v", keys)
	}
	if got := g.Clusters(len(g.Nodes), ""); got != nil {
		t.Errorf("as many as may be are clustered: %v", canon.MustMarshal(got))
	}
}

// C29: memos of modules that are no more follow those that are, by name.
func TestSpine_ModulesThatAreGoneComeLast(t *testing.T) {
	var nodes []Node
	for i, m := range []brenner.Module{"zeta", "alpha", "mid"} {
		nodes = append(nodes, Node{
			Ref: ref(fmt.Sprintf("memo%d@1", i)), Type: artifact.TypeIntegratedMemo, Module: m, Status: artifact.Canonical,
		})
	}
	var got []brenner.Module
	for _, m := range Spine(nodes, []brenner.Module{"mid", "beta"}).Memos {
		got = append(got, m.Module)
	}
	if want := []brenner.Module{"mid", "beta", "alpha", "zeta"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

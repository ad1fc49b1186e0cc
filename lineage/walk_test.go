package lineage

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/artifact"
	"brenner/canon"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// diamond is a section on a memo and a model that share a note, with a review
// of the section and a link back from the note to the section.
func diamond() world {
	return world{
		nodes: []Node{
			{Ref: ref("sec@2"), Type: artifact.TypeManuscriptSection, Module: "core", Status: artifact.Draft, Creator: "wim", Role: "writer", Task: "t-3", Summary: "Results\nin brief", Stale: true},
			{Ref: ref("memo@1"), Type: artifact.TypeIntegratedMemo, Module: "core", Status: artifact.Superseded, Creator: "ida", Task: "t-2", Summary: "What we know", Canonical: 2},
			{Ref: ref("model@1"), Type: artifact.TypeModelSpec, Module: "core", Status: artifact.Canonical, Creator: "ada", Summary: "A model with <angle> & \"quotes\" and a summary far too long to stand on one line"},
			{Ref: ref("note@3"), Type: artifact.TypePaperNote, Module: "core", Status: artifact.Canonical, Creator: "ada", Task: "t-1", Summary: "A note"},
			{Ref: ref("crit@1"), Type: artifact.TypeCritique, Module: "core", Status: artifact.Draft, Creator: "eve", Summary: "Weak"},
		},
		edges: []Edge{
			edge("sec@2", artifact.Cites, "note@3"),
			edge("sec@2", artifact.DependsOn, "model@1"),
			edge("sec@2", artifact.DependsOn, "memo@1"),
			edge("memo@1", artifact.DerivedFrom, "note@3"),
			edge("model@1", artifact.Cites, "note@3"),
			edge("note@3", artifact.Contradicts, "sec@2"),
			edge("crit@1", artifact.Reviews, "sec@2"),
		},
	}
}

func mustWalk(t *testing.T, w world, start string, dir Direction, depth, limit int) Graph {
	t.Helper()
	fetch := w.from
	if dir == Down {
		fetch = w.into
	}
	g, err := Walk(ref(start), dir, fetch, depth, limit)
	if err != nil {
		t.Fatal(err)
	}
	return g.Describe(w.nodes)
}

// C31: lineage names artifacts, tasks and agents back to the leaves; what is
// shared is written out once, and a cycle ends.
func TestTree_Up(t *testing.T) {
	want := strings.TrimPrefix(`
sec@2 [manuscript_section, core, draft, needs_update] by wim in t-3: Results in brief
├─ cites note@3 [paper_note, core, canonical] by ada in t-1: A note
│  └─ contradicts sec@2 (shown already)
├─ depends_on memo@1 [integrated_memo, core, superseded] by ida in t-2: What we know
│  └─ derived_from note@3 (shown already)
└─ depends_on model@1 [model_spec, core, canonical] by ada: A model with <angle> & "quotes" and a summary far too long …
   └─ cites note@3 (shown already)
`, "\n")
	if diff := cmp.Diff(want, mustWalk(t, diamond(), "sec@2", Up, 0, 100).Tree()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// C31: and in the other direction, what rests on a version, with the words for that.
func TestTree_Down(t *testing.T) {
	want := strings.TrimPrefix(`
memo@1 [integrated_memo, core, superseded] by ida in t-2: What we know
└─ needed by sec@2 [manuscript_section, core, draft, needs_update] by wim in t-3: Results in brief
   ├─ contradicted by note@3 [paper_note, core, canonical] by ada in t-1: A note
   │  ├─ cited by model@1 [model_spec, core, canonical] by ada: A model with <angle> & "quotes" and a summary far too long …
   │  │  └─ needed by sec@2 (shown already)
   │  ├─ cited by sec@2 (shown already)
   │  └─ source of memo@1 (shown already)
   └─ reviewed by crit@1 [critique, core, draft] by eve: Weak
`, "\n")
	if diff := cmp.Diff(want, mustWalk(t, diamond(), "memo@1", Down, 0, 100).Tree()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWalk_StopsAtDepthAndLimitAndSaysSo(t *testing.T) {
	w := diamond()
	g := mustWalk(t, w, "sec@2", Up, 1, 100)
	if want := refs("sec@2", "memo@1", "model@1", "note@3"); !slices.Equal(g.Refs(), want) || g.Truncated {
		t.Errorf("depth 1: %v truncated=%v, want %v", g.Refs(), g.Truncated, want)
	}
	nodes, edges := chain(40)
	line := world{nodes, edges}
	if g := mustWalk(t, line, "v0000000@1", Up, 3, 100); len(g.Nodes) != 4 || !g.Truncated || len(g.Edges) != 3 {
		t.Errorf("depth 3: %d nodes, %d edges, truncated=%v", len(g.Nodes), len(g.Edges), g.Truncated)
	}
	g = mustWalk(t, line, "v0000000@1", Up, 0, 10)
	if len(g.Nodes) != 10 || !g.Truncated || !strings.HasSuffix(g.Tree(), "(there is more; ask for more levels)\n") {
		t.Errorf("limit 10: %d nodes, truncated=%v, tree:\n%s", len(g.Nodes), g.Truncated, g.Tree())
	}
	broken := errors.New("broken")
	if _, err := Walk(ref("x@1"), Up, func([]brenner.Ref) ([]Edge, error) { return nil, broken }, 0, 10); !errors.Is(err, broken) {
		t.Errorf("fetch error: %v", err)
	}
}

func TestTree_DeepBranchesGoOnBelow(t *testing.T) {
	nodes, edges := chain(100)
	text := mustWalk(t, world{nodes, edges}, "v0000000@1", Up, 0, 1000).Tree()
	for _, n := range nodes {
		if !strings.Contains(text, n.Ref.String()) {
			t.Errorf("%s is not in the tree", n.Ref)
		}
	}
	for line := range strings.Lines(text) {
		if len(line) > 300 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
	if !strings.Contains(text, "v0000032@1 (goes on below)\n\nfrom v0000032@1:\nv0000032@1") {
		t.Errorf("no continuation:\n%s", text)
	}
}

// A walk finds exactly what is reachable, at its shortest distance, whatever
// the order in which edges come.
func TestWalk_AgreesWithTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld().Draw(t, "world")
		start := rapid.SampledFrom(w.nodes).Draw(t, "start").Ref
		dir := rapid.SampledFrom([]Direction{Up, Down}).Draw(t, "direction")
		depth := rapid.IntRange(0, 4).Draw(t, "depth")
		fetch := w.from
		if dir == Down {
			fetch = w.into
		}
		g, err := Walk(start, dir, fetch, depth, 1000)
		if err != nil {
			t.Fatal(err)
		}

		// The oracle relaxes every edge as often as there are nodes.
		distance := map[brenner.Ref]int{start: 0}
		for range w.nodes {
			for _, e := range w.edges {
				near, far := e.From, e.To
				if dir == Down {
					near, far = e.To, e.From
				}
				d, ok := distance[near]
				if !ok || (depth > 0 && d >= depth) {
					continue
				}
				if old, ok := distance[far]; !ok || d+1 < old {
					distance[far] = d + 1
				}
			}
		}
		if len(g.Nodes) != len(distance) {
			t.Fatalf("%d nodes, want %d", len(g.Nodes), len(distance))
		}
		for i, n := range g.Nodes {
			if d, ok := distance[n.Ref]; !ok || d != n.Depth {
				t.Fatalf("%s is at depth %d, want %d (reachable: %v)", n.Ref, n.Depth, d, ok)
			}
			if i > 0 && g.Nodes[i-1].Depth == n.Depth && !g.Nodes[i-1].Ref.Less(n.Ref) {
				t.Fatalf("%s comes before %s in one layer", g.Nodes[i-1].Ref, n.Ref)
			}
		}
		for _, e := range g.Edges {
			if _, ok := distance[e.From]; !ok {
				t.Fatalf("edge %v leaves the graph", e)
			}
			if _, ok := distance[e.To]; !ok {
				t.Fatalf("edge %v leads out of the graph", e)
			}
		}
	})
}

func TestGraph_IsJSON(t *testing.T) {
	b, err := canon.Marshal(mustWalk(t, diamond(), "crit@1", Up, 1, 10))
	if err != nil {
		t.Fatal(err)
	}
	var back Graph
	if err := canon.Unmarshal(b, &back); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	if diff := cmp.Diff(mustWalk(t, diamond(), "crit@1", Up, 1, 10), back); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

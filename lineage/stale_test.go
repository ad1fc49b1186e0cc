package lineage

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"

	"brenner"
	"brenner/artifact"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestMain asks for more random cases than rapid's 100; the flag on the command
// line still overrides it.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "5000"); err != nil {
		panic(err)
	}
	m.Run()
}

func ref(s string) brenner.Ref {
	r, err := brenner.ParseRef(s)
	if err != nil {
		panic(err)
	}
	return r
}

func refs(list ...string) []brenner.Ref {
	out := make([]brenner.Ref, len(list))
	for i, s := range list {
		out[i] = ref(s)
	}
	return out
}

func edge(from string, rel artifact.Relation, to string) Edge {
	return Edge{From: ref(from), Rel: rel, To: ref(to)}
}

// world is a random graph of versions and links.
type world struct {
	nodes []Node
	edges []Edge
}

func anyWorld() *rapid.Generator[world] {
	return rapid.Custom(func(t *rapid.T) world {
		var w world
		for a := range rapid.IntRange(1, 5).Draw(t, "artifacts") {
			latest := rapid.IntRange(1, 3).Draw(t, "versions")
			canonical := rapid.IntRange(0, latest).Draw(t, "canonical")
			head := rapid.IntRange(1, latest).Draw(t, "head")
			for v := 1; v <= latest; v++ {
				n := Node{
					Ref:       brenner.Ref{Artifact: brenner.ArtifactID(rune('a' + a)), Version: brenner.Version(v)},
					Status:    rapid.SampledFrom([]artifact.Status{artifact.Draft, artifact.Alternative, artifact.Superseded, artifact.Deprecated, artifact.NeedsRebase}).Draw(t, "status"),
					Canonical: brenner.Version(canonical),
					Head:      brenner.Version(head),
					Record:    rapid.IntRange(0, 9).Draw(t, "record") == 0,
				}
				if v == canonical {
					n.Status = artifact.Canonical
				}
				if n.Status == artifact.Draft {
					n.Demoted = rapid.IntRange(0, 3).Draw(t, "demoted") == 0
				}
				w.nodes = append(w.nodes, n)
			}
		}
		for range rapid.IntRange(0, 24).Draw(t, "links") {
			w.edges = append(w.edges, Edge{
				From: rapid.SampledFrom(w.nodes).Draw(t, "from").Ref,
				Rel:  rapid.SampledFrom(artifact.Relations()).Draw(t, "rel"),
				To:   rapid.SampledFrom(w.nodes).Draw(t, "to").Ref,
			})
		}
		return w
	})
}

func (w world) node(r brenner.Ref) Node {
	return w.nodes[slices.IndexFunc(w.nodes, func(n Node) bool { return n.Ref == r })]
}

// dumbPath is the oracle: it writes out every path of length 1, 2, 3… and
// takes the least of the first length at which one ends at a version that
// moved.
func (w world) dumbPath(start brenner.Ref, moved func(Node) bool) []brenner.Ref {
	paths := [][]brenner.Ref{{start}}
	for range len(w.nodes) + 1 {
		// One least path per end is enough: any longer one through another
		// path with the same end would not be less.
		least := map[brenner.Ref][]brenner.Ref{}
		for _, p := range paths {
			for _, e := range w.edges {
				if e.From != p[len(p)-1] || !(e.Rel == "depends_on" || e.Rel == "cites" || e.Rel == "derived_from") {
					continue
				}
				longer := append(slices.Clone(p), e.To)
				if old, ok := least[e.To]; !ok || slices.CompareFunc(longer, old, brenner.Ref.Compare) < 0 {
					least[e.To] = longer
				}
			}
		}
		paths = nil
		var best []brenner.Ref
		for _, p := range least {
			paths = append(paths, p)
			if !moved(w.node(p[len(p)-1])) {
				continue
			}
			if best == nil || slices.CompareFunc(p, best, brenner.Ref.Compare) < 0 {
				best = p
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

// The rules word for word.
func isOutdated(n Node) bool {
	return slices.Contains([]artifact.Status{"superseded", "deprecated"}, n.Status) || n.Demoted || n.Canonical > n.Ref.Version
}

func isCorrected(n Node) bool {
	return slices.Contains([]artifact.Status{"draft", "needs_rebase"}, n.Status) && n.Canonical == 0 && n.Head > n.Ref.Version
}

func (w world) into(list []brenner.Ref) ([]Edge, error) {
	var out []Edge
	for _, e := range w.edges {
		if slices.Contains(list, e.To) {
			out = append(out, e)
		}
	}
	return out, nil
}

func (w world) from(list []brenner.Ref) ([]Edge, error) {
	var out []Edge
	for _, e := range slices.Backward(w.edges) {
		if slices.Contains(list, e.From) {
			out = append(out, e)
		}
	}
	return out, nil
}

func (w world) outdated(list []brenner.Ref) ([]brenner.Ref, error) {
	return slices.DeleteFunc(slices.Clone(list), func(r brenner.Ref) bool { return !Outdated(w.node(r)) }), nil
}

// C26: a live version is stale exactly when a carrying path reaches something
// outdated, and the reason is the shortest path, ties by id; whole graph, layer
// by layer and one version at a time agree with the oracle, cycles included.
// C26.a.
func TestStale_AgreesWithTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld().Draw(t, "world")
		whole := Stale(w.nodes, w.edges)
		var all []brenner.Ref
		for _, n := range w.nodes {
			all = append(all, n.Ref)
		}
		outdated, _ := w.outdated(all)
		layered, err := Spread(outdated, w.into, brenner.MaxWalk)
		if err != nil {
			t.Fatal(err)
		}
		asked := rapid.SliceOf(rapid.SampledFrom(all)).Draw(t, "asked")
		among, err := StaleAmong(asked, w.from, w.outdated, brenner.MaxWalk)
		if err != nil {
			t.Fatal(err)
		}
		var live, any, some []brenner.Ref
		for _, n := range w.nodes {
			want := w.dumbPath(n.Ref, isOutdated)
			if diff := cmp.Diff(want, layered.Path(n.Ref)); diff != "" {
				t.Fatalf("%s: spread (-want +got):\n%s", n.Ref, diff)
			}
			one, err := StaleAmong([]brenner.Ref{n.Ref}, w.from, w.outdated, brenner.MaxWalk)
			if diff := cmp.Diff(want, one.Path(n.Ref)); diff != "" || err != nil {
				t.Fatalf("%s: one by one: %v (-want +got):\n%s", n.Ref, err, diff)
			}
			if len(one.Refs) > 0 != (want != nil) {
				t.Fatalf("%s: one by one: %v are stale", n.Ref, one.Refs)
			}
			if slices.Contains(asked, n.Ref) {
				if diff := cmp.Diff(want, among.Path(n.Ref)); diff != "" {
					t.Fatalf("%s: among %v (-want +got):\n%s", n.Ref, asked, diff)
				}
				if want != nil {
					some = append(some, n.Ref)
				}
			}
			if want == nil {
				continue
			}
			any = append(any, n.Ref)
			if n.Status != artifact.Superseded && n.Status != artifact.Deprecated && !n.Record {
				live = append(live, n.Ref)
			}
			if diff := cmp.Diff(want, whole.Path(n.Ref)); diff != "" {
				t.Fatalf("%s: whole graph (-want +got):\n%s", n.Ref, diff)
			}
		}
		if !slices.Equal(among.Refs, some) {
			t.Fatalf("stale among %v are %v, want %v", asked, among.Refs, some)
		}
		if !slices.Equal(whole.Refs, live) {
			t.Fatalf("stale are %v, want %v", whole.Refs, live)
		}
		if !slices.Equal(layered.Refs, any) {
			t.Fatalf("spread over %v, want %v", layered.Refs, any)
		}
	})
}

// C26: a live version is behind exactly when a carrying path reaches a draft
// that has a newer version and no canonical one, and none reaches anything
// outdated; the reason is the shortest path, ties by id.
func TestBehind_AgreesWithTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld().Draw(t, "world")
		got := Behind(w.nodes, w.edges)
		var corrected, want []brenner.Ref
		for _, n := range w.nodes {
			if isCorrected(n) {
				corrected = append(corrected, n.Ref)
			}
			path := w.dumbPath(n.Ref, isCorrected)
			if diff := cmp.Diff(path, got.Path(n.Ref)); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", n.Ref, diff)
			}
			live := n.Status != artifact.Superseded && n.Status != artifact.Deprecated && !n.Record
			if live && path != nil && w.dumbPath(n.Ref, isOutdated) == nil {
				want = append(want, n.Ref)
			}
		}
		if !slices.Equal(got.Refs, want) {
			t.Fatalf("behind are %v, want %v", got.Refs, want)
		}
		layered, err := Spread(corrected, w.into, brenner.MaxWalk)
		if err != nil || !slices.Equal(layered.Ends(), corrected) {
			t.Fatalf("spread from %v: %v, %v", corrected, layered.Ends(), err)
		}
		for _, r := range got.Refs {
			if diff := cmp.Diff(got.Path(r), layered.Path(r)); diff != "" {
				t.Fatalf("%s: spread (-want +got):\n%s", r, diff)
			}
		}
	})
}

// C26: what rests on a source that was retracted is stale, and on a draft that
// was corrected is behind; a decision for the newer version makes it stale.
func TestStale_RetractedAndCorrectedSources(t *testing.T) {
	nodes := []Node{
		{Ref: ref("retracted@1"), Status: artifact.Deprecated, Head: 1},
		{Ref: ref("corrected@1"), Status: artifact.Draft, Head: 2},
		{Ref: ref("corrected@2"), Status: artifact.Draft, Head: 2},
		{Ref: ref("a@1"), Status: artifact.Draft, Head: 1},
		{Ref: ref("b@1"), Status: artifact.Draft, Head: 1},
		{Ref: ref("both@1"), Status: artifact.Draft, Head: 1},
	}
	edges := []Edge{
		edge("a@1", artifact.Cites, "retracted@1"), edge("b@1", artifact.DependsOn, "corrected@1"),
		edge("both@1", artifact.DerivedFrom, "b@1"), edge("both@1", artifact.Cites, "a@1"),
	}
	stale, behind := Stale(nodes, edges), Behind(nodes, edges)
	if want := refs("a@1", "both@1"); !slices.Equal(stale.Refs, want) {
		t.Errorf("stale are %v, want %v", stale.Refs, want)
	}
	if want := refs("b@1"); !slices.Equal(behind.Refs, want) {
		t.Errorf("behind are %v, want %v", behind.Refs, want)
	}
	for i := range nodes[1:3] {
		nodes[1+i].Canonical = 2
	}
	nodes[2].Status = artifact.Canonical
	if got, want := Stale(nodes, edges), refs("a@1", "b@1", "both@1"); !slices.Equal(got.Refs, want) {
		t.Errorf("after the decision stale are %v, want %v", got.Refs, want)
	}
	if got := Behind(nodes, edges); len(got.Refs) != 0 {
		t.Errorf("after the decision behind are %v", got.Refs)
	}
}

// C26: staleness is transitive, says where it comes from, and is cleared by a
// new version built on the current input.
func TestStale_IsTransitiveAndClearedByANewVersion(t *testing.T) {
	nodes := []Node{
		{Ref: ref("note@1"), Status: artifact.Superseded, Canonical: 2},
		{Ref: ref("note@2"), Status: artifact.Canonical, Canonical: 2},
		{Ref: ref("memo@1"), Status: artifact.Canonical, Canonical: 1},
		{Ref: ref("paper@1"), Status: artifact.Draft},
		{Ref: ref("critique@1"), Status: artifact.Draft},
		{Ref: ref("task@1"), Status: artifact.Draft, Record: true},
	}
	edges := []Edge{
		edge("memo@1", artifact.DependsOn, "note@1"),
		edge("paper@1", artifact.Cites, "memo@1"),
		edge("critique@1", artifact.Reviews, "paper@1"),
		edge("task@1", artifact.DependsOn, "note@1"),
	}
	got := Stale(nodes, edges)
	if want := refs("memo@1", "paper@1"); !slices.Equal(got.Refs, want) {
		t.Errorf("stale are %v, want %v: a review carries nothing, a record is never stale", got.Refs, want)
	}
	if want, path := refs("paper@1", "memo@1", "note@1"), got.Path(ref("paper@1")); !slices.Equal(path, want) {
		t.Errorf("path %v, want %v", path, want)
	}

	nodes[2] = Node{Ref: ref("memo@1"), Status: artifact.Superseded, Canonical: 2}
	nodes = append(nodes, Node{Ref: ref("memo@2"), Status: artifact.Canonical, Canonical: 2}, Node{Ref: ref("paper@2"), Status: artifact.Draft})
	edges = append(edges, edge("memo@2", artifact.DependsOn, "note@2"), edge("paper@2", artifact.Cites, "memo@2"))
	if got := Stale(nodes, edges); !slices.Equal(got.Refs, refs("paper@1")) {
		t.Errorf("stale are %v, want only paper@1: what was built anew is up to date", got.Refs)
	}
}

// C26: which version is one that has moved.
func TestOutdatedAndCorrected_ByStatusCanonicalAndHead(t *testing.T) {
	for _, tt := range []struct {
		n                   Node
		outdated, corrected bool
	}{
		{Node{Ref: ref("x@1"), Status: artifact.Draft, Head: 1}, false, false},
		{Node{Ref: ref("x@1"), Status: artifact.Draft, Head: 2}, false, true},
		{Node{Ref: ref("x@1"), Status: artifact.NeedsRebase, Head: 2}, false, true},
		{Node{Ref: ref("x@3"), Status: artifact.Draft, Head: 2}, false, false},
		{Node{Ref: ref("x@1"), Status: artifact.Alternative, Head: 2}, false, false},
		{Node{Ref: ref("x@1"), Status: artifact.Superseded, Head: 2}, true, false},
		{Node{Ref: ref("x@1"), Status: artifact.Deprecated, Head: 2}, true, false},
		{Node{Ref: ref("x@1"), Status: artifact.Draft, Canonical: 2, Head: 2}, true, false},
		{Node{Ref: ref("x@2"), Status: artifact.Canonical, Canonical: 2, Head: 3}, false, false},
		{Node{Ref: ref("x@3"), Status: artifact.Draft, Canonical: 2, Head: 4}, false, false},
		{Node{Ref: ref("x@3"), Status: artifact.Deprecated, Canonical: 2, Head: 2}, true, false},
		{Node{Ref: ref("x@1"), Status: artifact.Draft, Demoted: true, Head: 1}, true, false},
		{Node{Ref: ref("x@2"), Status: artifact.Draft, Demoted: true, Canonical: 1, Head: 2}, true, false},
	} {
		if Outdated(tt.n) != tt.outdated || Corrected(tt.n) != tt.corrected {
			t.Errorf("%+v: outdated %v, corrected %v", tt.n, Outdated(tt.n), Corrected(tt.n))
		}
	}
}

// chain is a line of n versions, each resting on the next, the last superseded.
func chain(n int) ([]Node, []Edge) {
	var nodes []Node
	var edges []Edge
	for i := range n {
		r := brenner.Ref{Artifact: brenner.ArtifactID(fmt.Sprintf("v%07d", i)), Version: 1}
		nodes = append(nodes, Node{Ref: r, Status: artifact.Draft})
		if i > 0 {
			edges = append(edges, Edge{From: nodes[i-1].Ref, Rel: artifact.DependsOn, To: r})
		}
	}
	nodes[n-1].Status = artifact.Superseded
	return nodes, edges
}

// A long chain has long paths; all of them together must not take quadratic
// room, or this test does not end.
func TestStale_LongChain(t *testing.T) {
	const n = 200_000
	nodes, edges := chain(n)
	got := Stale(nodes, edges)
	if len(got.Refs) != n-1 || len(got.Path(nodes[0].Ref)) != n {
		t.Errorf("%d stale, the first with a path of %d", len(got.Refs), len(got.Path(nodes[0].Ref)))
	}
}

// A walk asks for what leads to a version once, also where one that moved rests
// on another that did.
func TestSpread_AsksForEachVersionOnce(t *testing.T) {
	nodes, edges := chain(5)
	w := world{nodes, edges}
	asked := map[brenner.Ref]int{}
	into := func(layer []brenner.Ref) ([]Edge, error) {
		for _, r := range layer {
			asked[r]++
		}
		return w.into(layer)
	}
	s, err := Spread(refs("v0000004@1", "v0000002@1"), into, 100)
	if err != nil || len(s.Refs) != 4 {
		t.Fatalf("%v, %v", s.Refs, err)
	}
	for r, n := range asked {
		if n != 1 {
			t.Errorf("%s was asked for %d times", r, n)
		}
	}
}

func TestStale_WalksAreBoundedAndPassErrorsOn(t *testing.T) {
	nodes, edges := chain(50)
	w := world{nodes, edges}
	if _, err := Spread(refs("v0000049@1"), w.into, 10); brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("spread beyond the limit: %v", err)
	}
	if _, err := StaleAmong([]brenner.Ref{nodes[0].Ref}, w.from, w.outdated, 10); brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("among beyond the limit: %v", err)
	}
	if _, err := StaleAmong([]brenner.Ref{nodes[0].Ref}, w.from, w.outdated, 49); err != nil {
		t.Errorf("among as many as the limit: %v", err)
	}
	broken := errors.New("broken")
	fail := func([]brenner.Ref) ([]Edge, error) { return nil, broken }
	if _, err := Spread(refs("x@1"), fail, 10); !errors.Is(err, broken) {
		t.Errorf("spread: %v", err)
	}
	if _, err := StaleAmong(refs("x@1"), fail, w.outdated, 10); !errors.Is(err, broken) {
		t.Errorf("among: %v", err)
	}
	if _, err := StaleAmong([]brenner.Ref{nodes[0].Ref}, w.from, func([]brenner.Ref) ([]brenner.Ref, error) { return nil, broken }, 100); !errors.Is(err, broken) {
		t.Errorf("among, status: %v", err)
	}
}

func BenchmarkStale(b *testing.B) {
	perEdge := map[int]float64{}
	for _, n := range []int{10_000, 100_000} {
		nodes, edges := tangle(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				Stale(nodes, edges)
			}
			perEdge[n] = float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(len(edges))
			b.ReportMetric(perEdge[n], "ns/edge")
			if first := perEdge[10_000]; n > 10_000 && first > 0 {
				b.ReportMetric(perEdge[n]/first, "x-10k")
			}
		})
	}
}

// tangle is a graph in which version i rests on five earlier ones and every
// hundredth version is superseded.
func tangle(n int) ([]Node, []Edge) {
	var nodes []Node
	var edges []Edge
	for i := range n {
		status := artifact.Draft
		if i%100 == 0 {
			status = artifact.Superseded
		}
		nodes = append(nodes, Node{Ref: brenner.Ref{Artifact: brenner.ArtifactID(fmt.Sprintf("v%07d", i)), Version: 1}, Status: status})
		for k := 1; k <= 5 && i > 0; k++ {
			edges = append(edges, Edge{From: nodes[i].Ref, Rel: artifact.DependsOn, To: nodes[(i/k*7919+k*104_729)%i].Ref})
		}
	}
	return nodes, edges
}

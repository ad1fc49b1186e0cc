package lineage

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/answers"

	"pgregory.net/rapid"
)

// fullWorld is a random graph whose versions have everything.
func fullWorld(number int) world {
	return rapid.Custom(func(t *rapid.T) world {
		w := anyWorld().Draw(t, "world")
		for i := range w.nodes {
			n := &w.nodes[i]
			n.Module = rapid.SampledFrom([]brenner.Module{"fate", "growth", "a-module-with-a-long-name"}).Draw(t, "module")
			n.Type = rapid.SampledFrom([]brenner.TypeName{artifact.TypePaperNote, artifact.TypeProjectBrief, artifact.TypeIntegratedMemo, artifact.TypeProjectSummary, artifact.TypeModelSpec}).Draw(t, "type")
			n.Summary = strings.Repeat("about <"+n.Ref.String()+"> & more ", rapid.IntRange(0, 30).Draw(t, "length"))
			n.Creator, n.Role, n.Task = "ann", "writer", fmt.Sprintf("t%d", i)
			n.Stale, n.Record = rapid.Bool().Draw(t, "stale"), rapid.IntRange(0, 5).Draw(t, "record") == 0
			n.At = time.Date(2026, 1, 1, i, 0, 0, 0, time.UTC)
			n.Slot = rapid.SampledFrom([]string{"", "", "brief", "summary"}).Draw(t, "slot")
		}
		return w
	}).Example(number)
}

// C19, C26, C27, C29, C31. What is read of random graphs: walks and how they are
// drawn, what is stale and why, forks, the spine, what nothing uses.
func TestLineage_AnswersAsBefore(t *testing.T) {
	book := answers.New("testdata/lineage.golden", 6)
	for i := range 40 {
		w := fullWorld(i)
		input := fmt.Sprintf("%s\n%s", canon.MustMarshal(w.nodes), canon.MustMarshal(w.edges))
		start := w.nodes[i%len(w.nodes)].Ref
		for _, dir := range []Direction{Up, Down} {
			fetch := w.from
			if dir == Down {
				fetch = w.into
			}
			for _, bound := range [][2]int{{0, 1000}, {1, 1000}, {2, 4}, {0, 3}} {
				g, err := Walk(start, dir, fetch, bound[0], bound[1])
				if err != nil {
					t.Fatal(err)
				}
				g = g.Describe(w.nodes)
				book.Note("a walk "+string(dir), input, fmt.Sprintf("%s\n%v", canon.MustMarshal(g), g.Refs()))
				book.Note("a tree "+string(dir), input, g.Tree())
				book.Note("a drawing "+string(dir), input, g.SVG())
				book.Note("PROV "+string(dir), input, string(g.PROV()))
				clusters := g.Clusters(2, "1.fate.paper_note")
				book.Note("clusters "+string(dir), input, fmt.Sprintf("%+v", clusters)+g.Inline(Picture{
					Percent: 60, Clusters: clusters, Link: func(r brenner.Ref) string { return "/at/" + r.String() }, ClusterLink: Cluster.Key,
				}))
			}
		}
		tell := func(kind string, s Staleness) {
			var out strings.Builder
			fmt.Fprintln(&out, s.Refs, s.Ends())
			for _, n := range w.nodes {
				fmt.Fprintln(&out, n.Ref, s.Path(n.Ref))
			}
			book.Note(kind, input, out.String())
		}
		tell("what is stale", Stale(w.nodes, w.edges))
		tell("what is behind", Behind(w.nodes, w.edges))
		var some []brenner.Ref
		for _, n := range w.nodes {
			some = append(some, n.Ref)
		}
		// What is fetched is noted too: no version is asked for twice.
		var asked [][]brenner.Ref
		noting := func(fetch Fetch) Fetch {
			return func(refs []brenner.Ref) ([]Edge, error) {
				asked = append(asked, slices.Clone(refs))
				return fetch(refs)
			}
		}
		for limit := range 6 {
			asked = nil
			s, err := Spread(some[:1], noting(w.into), limit*2)
			if err != nil {
				book.Note("a spread that is too wide", input, err.Error())
			} else {
				tell("a spread", s)
			}
			s, err = StaleAmong(some[:len(some)/2], noting(w.from), w.outdated, limit*2)
			book.Note("what is fetched", input, fmt.Sprint(asked))
			if err != nil {
				book.Note("too much among some", input, err.Error())
			} else {
				tell("what is stale among some", s)
			}
		}
		book.Note("forks", input, string(canon.MustMarshal(Forks(w.nodes))))
		book.Note("the spine", input, string(canon.MustMarshal(Spine(w.nodes, []brenner.Module{"growth", "none"}))))
		var all []Holding
		for j, n := range w.nodes {
			all = append(all, Holding{ID: n.Ref.Artifact, Speaking: []brenner.Ref{n.Ref}, Used: j%4 == 0})
		}
		book.Note("unused", input, fmt.Sprint(Unused(all, w.edges)))
	}
	book.Check(t)
}

// fan is a start with so many versions beside each other, every third of which
// has one behind it.
func fan(n int, dir Direction) Graph {
	g := Graph{Start: ref("start@1"), Direction: dir, Nodes: []Node{{Ref: ref("start@1")}}}
	add := func(near, far string, depth int, rel artifact.Relation) {
		g.Nodes = append(g.Nodes, Node{Ref: ref(far), Depth: depth, Type: artifact.TypePaperNote, Module: brenner.Module([]string{"fate", "growth"}[len(g.Nodes)%2]), Summary: far})
		from, to := near, far
		if dir == Down {
			from, to = far, near
		}
		g.Edges = append(g.Edges, edge(from, rel, to))
	}
	for i := range n {
		add("start@1", fmt.Sprintf("n%03d@1", i), 1, artifact.Relations()[i%len(artifact.Relations())])
	}
	for i := n - 1; i >= 0; i -= 3 {
		add(fmt.Sprintf("n%03d@1", i), fmt.Sprintf("far%03d@2", (i*7)%n), 2, artifact.DependsOn)
	}
	g.Edges = ordered(g.Edges)
	return g
}

// row is so many versions, each resting on the next.
func row(n int) Graph {
	g := Graph{Start: ref("c000@1"), Direction: Up}
	for i := range n {
		g.Nodes = append(g.Nodes, Node{Ref: ref(fmt.Sprintf("c%03d@1", i)), Depth: i, Creator: "ann", Task: strings.Repeat("t", i), Summary: strings.Repeat("é", 2*i)})
		if i > 0 {
			g.Edges = append(g.Edges, edge(fmt.Sprintf("c%03d@1", i-1), artifact.Cites, fmt.Sprintf("c%03d@1", i)))
		}
	}
	return g
}

// C31. Graphs of every size and shape, drawn and written out: few and many
// beside each other, many behind each other, none, with a generation that has
// nobody in it, and texts of every length.
func TestGraph_EverySizeAsBefore(t *testing.T) {
	book := answers.New("testdata/sizes.golden", 3)
	all := map[string]Graph{"nothing": {Start: ref("a@1"), Direction: Up}}
	for _, dir := range []Direction{Up, Down} {
		for n := 1; n < 50; n += 1 + n/8 {
			all[fmt.Sprintf("%02d beside each other, %s", n, dir)] = fan(n, dir)
		}
		all["many more, "+string(dir)] = fan(150, dir)
	}
	for _, n := range []int{31, 32, 33, 34, 41, 42, 68} {
		all[fmt.Sprintf("%d behind each other", n)] = row(n)
	}
	gap := fan(5, Up)
	for i := range gap.Nodes {
		gap.Nodes[i].Depth *= 2
	}
	all["with a gap"] = gap
	small := fan(1, Up)
	for i := range 130 {
		g := small
		g.Nodes = slices.Clone(small.Nodes)
		g.Nodes[0].Type, g.Nodes[1].Type = brenner.TypeName(strings.Repeat("n", i)), artifact.TypePaperNote
		g.Nodes[0].Summary, g.Nodes[1].Summary = strings.Repeat("x", i), strings.Repeat("lang ", i)
		g.Nodes[1].Creator = brenner.ActorName(strings.Repeat("c", i))
		g.Nodes[1].Ref.Artifact = brenner.ArtifactID(strings.Repeat("i", i+1))
		g.Edges = []Edge{{From: g.Nodes[0].Ref, Rel: artifact.Cites, To: g.Nodes[1].Ref}}
		g.Truncated = i%2 == 0
		all[fmt.Sprintf("texts of %d", i)] = g
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		g := all[name]
		before := answers.Text(g)
		kind := name
		if strings.HasPrefix(name, "texts") {
			kind = "texts"
		}
		book.Note(kind, name, g.SVG()+g.Tree()+string(g.PROV()))
		for _, most := range []int{2, 10, len(g.Nodes) - 1, len(g.Nodes)} {
			for _, open := range []string{"", "1.fate.paper_note", "2.growth.paper_note"} {
				book.Note(kind, name, answers.Text(g.Clusters(most, open))+g.Inline(Picture{Percent: 70, Clusters: g.Clusters(most, open)}))
			}
		}
		if len(g.Nodes) > 0 {
			g.Describe([]Node{{Ref: g.Nodes[0].Ref, Summary: "another"}})
		}
		if after := answers.Text(g); after != before {
			t.Errorf("%s: to look at a graph changes it\nfrom %s\nto   %s", name, before, after)
		}
	}
	book.Check(t)
}

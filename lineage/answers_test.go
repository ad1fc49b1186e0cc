package lineage

import (
	"fmt"
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
		for limit := range 6 {
			s, err := Spread(some[:1], w.into, limit*2)
			if err != nil {
				book.Note("a spread that is too wide", input, err.Error())
			} else {
				tell("a spread", s)
			}
			s, err = StaleAmong(some[:len(some)/2], w.from, w.outdated, limit*2)
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

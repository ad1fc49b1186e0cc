package lineage

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"brenner"
	"brenner/artifact"
	"brenner/canon"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// C31: lineage as a drawing and as PROV-JSON.
func TestLineage_Exports(t *testing.T) {
	g := mustWalk(t, diamond(), "sec@2", Up, 0, 100)
	golden(t, "diamond.svg", g.SVG())
	pretty := jsontext.Value(g.PROV())
	if err := pretty.Indent(); err != nil {
		t.Fatal(err)
	}
	golden(t, "diamond.prov.json", string(pretty)+"\n")
}

// C31: an arrow points at what is rested on, whichever way the walk went.
func TestSVG_ArrowsPointAtWhatIsRestedOn(t *testing.T) {
	// What rests on memo@1 is stale because memo@1 is superseded (C26): that arrow is in colour.
	for direction, want := range map[Direction]string{Up: `marker-end="url(#tip)"`, Down: `marker-start="url(#tip-stale)"`} {
		g := mustWalk(t, diamond(), "memo@1", direction, 1, 100)
		if got := strings.Count(g.SVG(), want); len(g.Edges) == 0 || got != len(g.Edges) {
			t.Errorf("%s: %d of %d edges have %s", direction, got, len(g.Edges), want)
		}
	}
}

// A drawing is well-formed XML whatever the versions are called and say, and
// nothing in it can become markup.
func TestSVG_IsWellFormedWhateverTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld().Draw(t, "world")
		for i := range w.nodes {
			w.nodes[i].Summary = rapid.OneOf(rapid.String(), rapid.Just(`</text><script>alert(1)</script>"'&`)).Draw(t, "summary")
			w.nodes[i].Creator = brenner.ActorName(rapid.String().Draw(t, "creator"))
			w.nodes[i].Stale = rapid.Bool().Draw(t, "stale")
			w.nodes[i].Type = "paper_note"
		}
		dir := rapid.SampledFrom([]Direction{Up, Down}).Draw(t, "direction")
		fetch := w.from
		if dir == Down {
			fetch = w.into
		}
		g, err := Walk(w.nodes[0].Ref, dir, fetch, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		g = g.Describe(w.nodes)
		boxes, paths := 0, 0
		for dec := xml.NewDecoder(strings.NewReader(g.SVG())); ; {
			tok, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("not XML: %v\n%s", err, g.SVG())
			}
			if el, ok := tok.(xml.StartElement); ok {
				switch el.Name.Local {
				case "rect":
					boxes++
				case "path":
					paths++
				case "script":
					t.Fatal("text became markup")
				}
			}
		}
		if boxes != len(g.Nodes) || paths != len(g.Edges)+2 { // and the two tips
			t.Fatalf("%d boxes for %d nodes, %d paths for %d edges", boxes, len(g.Nodes), paths-2, len(g.Edges))
		}
	})
}

func TestInline_EveryBoxIsALinkAndThePageHasTheStyle(t *testing.T) {
	g := Graph{Start: brenner.Ref{Artifact: "a", Version: 1}, Direction: Up}
	for _, id := range []brenner.ArtifactID{"a", "b"} {
		g.Nodes = append(g.Nodes, Node{Ref: brenner.Ref{Artifact: id, Version: 1}, Summary: "<b>"})
	}
	svg := g.Inline(Picture{Percent: 50, Link: func(r brenner.Ref) string { return `/at/"` + r.String() }})
	for _, want := range []string{`<a href="/at/&#34;a@1">`, `<a href="/at/&#34;b@1">`, "&lt;b&gt;"} {
		if !strings.Contains(svg, want) {
			t.Errorf("lacks %s:\n%s", want, svg)
		}
	}
	for dec := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("not XML: %v\n%s", err, svg)
		}
	}
	_, width, height := layout(g.shapes(nil))
	if want := fmt.Sprintf(`width="%d" height="%d" viewBox="0 0 %d %d"`, width/2, height/2, width, height); !strings.Contains(svg, want) {
		t.Errorf("is not half as large:\n%s", svg)
	}
	if strings.Contains(svg, "<style") || strings.Contains(svg, "style=") {
		t.Errorf("brings a style of its own:\n%s", svg)
	}
}

// Boxes never overlap.
func TestSVG_BoxesStandApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld().Draw(t, "world")
		g, err := Walk(w.nodes[0].Ref, Up, w.from, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		place, width, height := layout(g.shapes(nil))
		for i, a := range g.Nodes {
			p := place[a.Ref.String()]
			if p.x < 0 || p.y < 0 || p.x+boxWidth > width || p.y+boxHeight > height {
				t.Fatalf("%s stands outside the drawing", a.Ref)
			}
			for _, b := range g.Nodes[:i] {
				q := place[b.Ref.String()]
				if abs(p.x-q.x) < boxWidth && abs(p.y-q.y) < boxHeight {
					t.Fatalf("%s and %s overlap", a.Ref, b.Ref)
				}
			}
		}
	})
}

// C31: beyond so many versions those of one module and type, equally far away,
// are one box; every version is in the drawing once, alone or in a cluster.
func TestClusters_EveryVersionIsDrawnOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld().Draw(t, "world")
		for i := range w.nodes {
			w.nodes[i].Module = rapid.SampledFrom([]brenner.Module{"a", "b"}).Draw(t, "module")
			w.nodes[i].Type = rapid.SampledFrom([]brenner.TypeName{"paper_note", "model_spec"}).Draw(t, "type")
			w.nodes[i].Stale = rapid.Bool().Draw(t, "stale")
		}
		g, err := Walk(w.nodes[0].Ref, Up, w.from, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		g = g.Describe(w.nodes)
		most := rapid.IntRange(0, 12).Draw(t, "most")
		open := ""
		if all := g.Clusters(most, ""); len(all) > 0 && rapid.Bool().Draw(t, "opened") {
			open = rapid.SampledFrom(all).Draw(t, "cluster").Key()
		}
		clusters := g.Clusters(most, open)
		if len(g.Nodes) <= most && clusters != nil {
			t.Fatalf("%d versions are clustered, allowed are %d", len(g.Nodes), most)
		}
		shapes, lines := g.shapes(clusters)
		seen := map[brenner.Ref]int{}
		for _, s := range shapes {
			if s.cluster == nil {
				seen[s.node.Ref]++
				continue
			}
			stale := 0
			for _, n := range s.cluster.Members {
				seen[n.Ref]++
				if n.Stale {
					stale++
				}
				if n.Depth != s.cluster.Depth || n.Module != s.cluster.Module || n.Type != s.cluster.Type {
					t.Fatalf("%s is in the cluster %s", n.Ref, s.key)
				}
			}
			if stale != s.cluster.Stale || len(s.cluster.Members) < 2 {
				t.Fatalf("%s: %d stale of %d, counted %d", s.key, stale, len(s.cluster.Members), s.cluster.Stale)
			}
		}
		for _, n := range g.Nodes {
			if seen[n.Ref] != 1 {
				t.Fatalf("%s is drawn %d times", n.Ref, seen[n.Ref])
			}
		}
		// A link is drawn where two boxes have one, and in colour where one of theirs carries staleness.
		place, _, _ := layout(shapes, lines)
		for _, l := range lines {
			if _, ok := place[l.near]; !ok {
				t.Fatalf("a link begins at %q, which is not drawn", l.near)
			}
			if _, ok := place[l.far]; !ok {
				t.Fatalf("a link ends at %q, which is not drawn", l.far)
			}
		}
	})
}

// C26, C31: the links along which something became stale stand out, from the
// stale version to what moved.
func TestSVG_TheStalePathStandsOut(t *testing.T) {
	g := Graph{Start: ref("c@1"), Direction: Up, Nodes: []Node{
		{Ref: ref("c@1"), Stale: true},
		{Ref: ref("b@1"), Depth: 1, Stale: true},
		{Ref: ref("d@1"), Depth: 1},
		{Ref: ref("a@1"), Depth: 2, Status: artifact.Superseded},
	}, Edges: []Edge{edge("c@1", artifact.DependsOn, "b@1"), edge("c@1", artifact.Cites, "d@1"), edge("b@1", artifact.DependsOn, "a@1"), edge("d@1", artifact.Reviews, "a@1")}}
	var stale []string
	_, lines := g.shapes(nil)
	for _, l := range lines {
		if l.stale {
			stale = append(stale, l.title)
		}
	}
	if diff := cmp.Diff([]string{"c@1 depends_on b@1", "b@1 depends_on a@1"}, stale); diff != "" {
		t.Error(diff)
	}
}

func abs(n int) int { return max(n, -n) }

// PROV: whatever a relation names is declared.
func TestPROV_RelationsNameWhatIsDeclared(t *testing.T) {
	w := diamond()
	w.edges = append(w.edges, edge("memo@1", Revises, "note@3"), edge("memo@1", artifact.Supersedes, "model@1"))
	w.nodes[3].Creator = "ada."
	var doc map[string]map[string]jsontext.Value
	if err := json.Unmarshal(mustWalk(t, w, "sec@2", Up, 0, 100).PROV(), &doc); err != nil {
		t.Fatal(err)
	}
	relations := 0
	for kind, statements := range doc {
		switch kind {
		case "prefix", "entity", "activity", "agent":
			continue
		}
		for id, raw := range statements {
			var attributes map[string]any
			if err := json.Unmarshal(raw, &attributes); err != nil {
				t.Fatal(err)
			}
			for name, value := range attributes {
				declared := map[string]string{
					"prov:entity": "entity", "prov:generatedEntity": "entity", "prov:usedEntity": "entity",
					"prov:influencer": "entity", "prov:influencee": "entity", "prov:activity": "activity", "prov:agent": "agent",
				}[name]
				if declared == "" {
					continue
				}
				relations++
				if _, ok := doc[declared][value.(string)]; !ok {
					t.Errorf("%s %s: %s %q is not declared", kind, id, name, value)
				}
			}
		}
	}
	if relations < 20 {
		t.Errorf("only %d ends of relations were seen", relations)
	}
	if _, ok := doc["agent"]["brenner:actor/ada%2E"]; !ok {
		t.Errorf("a name ending in a full stop is not a qualified name: %s", canon.MustMarshal(doc["agent"]))
	}
}

package web

import (
	"cmp"
	"html/template"
	"slices"
	"strconv"

	"brenner"
	"brenner/api"
	"brenner/lineage"
)

// lineagePage is what a version rests on, or what rests on it.
type lineagePage struct {
	lineage.Graph
	Ref   brenner.Ref
	Down  bool
	Depth int64
	// Up and DownPath are the addresses of the two directions, Zooms those of
	// the sizes the picture comes in.
	UpPath, DownPath string
	Zooms            []zoom
	Fit              bool
	Picture          template.HTML
	// Clustered says that boxes of the picture stand for several versions,
	// Opened which of them is drawn in full and listed, All the address of the
	// picture with none opened.
	Clustered bool
	Opened    *lineage.Cluster
	All       string
	// Generations counts the versions by how far away they are; Rows is the
	// part of the list that is shown, Next the address of the next part.
	Generations []generation
	Rows        []lineage.Node
	Next        string
}

// zoom is a size of the picture.
type zoom struct {
	link
	Chosen bool
}

// generation is the versions that are equally far from the start.
type generation struct{ Depth, Count int }

const (
	// lineageLimit is how many versions a page asks for, the nearest.
	lineageLimit = 500
	// drawn is how many a picture shows each by itself.
	drawn = 60
	// fit and natural are sizes of a picture; the others are percentages too.
	fit, natural = "fit", "100"
)

func loadLineage(v *visit) (string, any, error) {
	ref, err := v.ref()
	if err != nil {
		return "", nil, err
	}
	out := lineagePage{
		Ref: ref, Down: v.query("direction") == string(lineage.Down), Depth: cmp.Or(v.number("depth"), 3),
		UpPath: v.with("direction", string(lineage.Up)), DownPath: v.with("direction", string(lineage.Down)),
	}
	found, err := v.svc.Lineage(v.Context(), api.LineageRequest{Ref: ref, Down: out.Down, Depth: int(min(out.Depth, 50)), Limit: lineageLimit})
	if err != nil {
		return "", nil, err
	}
	out.Graph, out.Ref = found.Graph, found.Start
	out.draw(v)
	for _, n := range out.Nodes {
		if len(out.Generations) <= n.Depth {
			out.Generations = append(out.Generations, generation{Depth: n.Depth})
		}
		out.Generations[n.Depth].Count++
	}
	rows := out.Nodes
	if out.Opened != nil {
		rows = out.Opened.Members
	}
	skip := min(int(v.number("skip")), len(rows))
	end := min(skip+perPage, len(rows))
	if out.Rows = rows[skip:end]; end < len(rows) {
		out.Next = v.with("skip", strconv.Itoa(end)) + "#list"
	}
	return "Lineage of " + out.Ref.String(), out, nil
}

// draw makes the picture, in the size that was asked for.
func (p *lineagePage) draw(v *visit) {
	chosen := cmp.Or(v.query("zoom"), fit)
	sizes := []string{"50", "75", natural, "150", "200"}
	p.Fit = chosen == fit
	if !p.Fit && !slices.Contains(sizes, chosen) {
		chosen, p.Fit = fit, true
	}
	for _, size := range sizes {
		p.Zooms = append(p.Zooms, zoom{link{size + " %", v.with("zoom", size) + "#picture"}, size == chosen})
	}
	p.Zooms = append(p.Zooms, zoom{link{"fit", v.with("zoom", fit) + "#picture"}, p.Fit})
	percent, err := strconv.Atoi(chosen)
	if err != nil {
		percent = 100 // the page says how wide it is
	}
	for _, c := range p.Clusters(drawn, "") {
		if p.Clustered = true; c.Key() == v.query("open") {
			p.Opened = &c
		}
	}
	p.All = v.with("open", "") + "#picture"
	p.Picture = template.HTML(p.Inline(lineage.Picture{
		Percent: percent, Link: artifactPath, Clusters: p.Clusters(drawn, v.query("open")),
		ClusterLink: func(c lineage.Cluster) string { return v.with("open", c.Key()) + "#picture" },
	})) //nolint:gosec // lineage escapes what versions say
}

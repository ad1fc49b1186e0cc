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
	// Drawn is how many versions the picture holds.
	Drawn int
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
	lineageLimit = 250
	// drawn is how many a picture holds before it helps nobody.
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
	skip := min(int(v.number("skip")), len(out.Nodes))
	end := min(skip+perPage, len(out.Nodes))
	if out.Rows = out.Nodes[skip:end]; end < len(out.Nodes) {
		out.Next = v.with("skip", strconv.Itoa(end)) + "#list"
	}
	return "Lineage of " + out.Ref.String(), out, nil
}

// draw makes the picture of what is nearest, in the size that was asked for.
func (p *lineagePage) draw(v *visit) {
	chosen := cmp.Or(v.query("zoom"), natural)
	sizes := []string{"50", "75", natural, "150", "200"}
	p.Fit = chosen == fit
	if !p.Fit && !slices.Contains(sizes, chosen) {
		chosen = natural
	}
	for _, size := range sizes {
		p.Zooms = append(p.Zooms, zoom{link{size + " %", v.with("zoom", size) + "#picture"}, size == chosen})
	}
	p.Zooms = append(p.Zooms, zoom{link{"fit the page", v.with("zoom", fit) + "#picture"}, p.Fit})
	percent, err := strconv.Atoi(chosen)
	if err != nil {
		percent = 100 // the page says how wide it is
	}
	near := p.Nearest(drawn)
	p.Drawn = len(near.Nodes)
	p.Picture = template.HTML(near.Inline(percent, artifactPath))
}

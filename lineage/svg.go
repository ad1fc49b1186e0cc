package lineage

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"

	"brenner"
	"brenner/artifact"
)

// Measures of the drawing, in pixels.
const (
	boxWidth  = 250
	boxHeight = 58
	gapX      = 130
	gapY      = 18
	margin    = 16
	boxText   = 38 // characters that fit into a box
)

// SVG draws the graph in layers, the start on the left, one column per link
// away from it. An arrow points from a version to what it refers to. Versions
// that are out of use are grey and struck through, stale ones dashed: neither
// depends on colour alone.
func (g Graph) SVG() string { return g.draw("img", svgStyle, 100, nil) }

// Inline draws the same for a page that has a stylesheet of its own for the
// classes box, out, canonical, stale, struck, small, edge and weak, so large as
// percent says. Each box leads to where link says.
func (g Graph) Inline(percent int, link func(brenner.Ref) string) string {
	return g.draw("group", "", percent, link)
}

func (g Graph) draw(role, style string, percent int, link func(brenner.Ref) string) string {
	place, width, height := g.layout()
	var w strings.Builder
	fmt.Fprintf(&w, `<svg xmlns="http://www.w3.org/2000/svg" role="%s" width="%d" height="%d" viewBox="0 0 %d %d" font-family="system-ui, sans-serif">`+"\n", role, width*percent/100, height*percent/100, width, height)
	fmt.Fprintf(&w, "<title>lineage of %s, %s</title>\n", html.EscapeString(g.Start.String()), html.EscapeString(string(g.Direction)))
	w.WriteString(style + svgTip)
	for _, e := range g.Edges {
		g.drawEdge(&w, e, place)
	}
	for _, n := range g.Nodes {
		if link == nil {
			drawNode(&w, n, place[n.Ref])
			continue
		}
		fmt.Fprintf(&w, `<a href="%s">`, html.EscapeString(link(n.Ref)))
		drawNode(&w, n, place[n.Ref])
		w.WriteString("</a>\n")
	}
	w.WriteString("</svg>\n")
	return w.String()
}

const svgStyle = `<style>
.box{fill:#fff;stroke:#445}.canonical{stroke-width:2.5}.out{fill:#eee;stroke:#999}.stale{stroke:#b60;stroke-dasharray:6 4}
text{fill:#112;font-size:12px}.struck{fill:#777;text-decoration:line-through}.small{font-size:10px;fill:#445}
.edge{fill:none;stroke:#778}.weak{stroke-dasharray:2 4}
</style>
`

const svgTip = `<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z" fill="#778"/></marker></defs>
`

// point is the upper left corner of a box.
type point struct{ x, y int }

// layout places the nodes: a column per depth; within it, nodes near to what
// they are linked with in the column before, ties by id.
func (g Graph) layout() (place map[brenner.Ref]point, width, height int) {
	var columns [][]Node
	for _, n := range g.Nodes {
		for len(columns) <= n.Depth {
			columns = append(columns, nil)
		}
		columns[n.Depth] = append(columns[n.Depth], n)
	}
	linked := map[brenner.Ref][]brenner.Ref{}
	for _, e := range g.Edges {
		linked[g.far(e)] = append(linked[g.far(e)], g.near(e))
	}
	place = make(map[brenner.Ref]point, len(g.Nodes))
	tallest := 0
	for depth, column := range columns {
		pull := make(map[brenner.Ref]float64, len(column))
		for _, n := range column {
			pull[n.Ref] = meanHeight(linked[n.Ref], place)
		}
		slices.SortStableFunc(column, func(a, b Node) int { return cmp.Compare(pull[a.Ref], pull[b.Ref]) })
		for row, n := range column {
			place[n.Ref] = point{margin + depth*(boxWidth+gapX), margin + row*(boxHeight+gapY)}
		}
		tallest = max(tallest, len(column))
	}
	// The gap behind the last column is for links that bend back.
	return place, 2*margin + len(columns)*(boxWidth+gapX), 2*margin + tallest*(boxHeight+gapY) - gapY
}

// meanHeight is the mean y of those versions that are placed already.
func meanHeight(of []brenner.Ref, place map[brenner.Ref]point) float64 {
	sum, n := 0, 0
	for _, r := range of {
		if p, ok := place[r]; ok {
			sum, n = sum+p.y, n+1
		}
	}
	if n == 0 {
		return 0
	}
	return float64(sum) / float64(n)
}

// drawEdge draws a link from the box the walk came from to the one it led to;
// one that leads back bends round on the right.
func (g Graph) drawEdge(w *strings.Builder, e Edge, place map[brenner.Ref]point) {
	a, b := place[g.near(e)], place[g.far(e)]
	x1, y1 := a.x+boxWidth, a.y+boxHeight/2
	x2, y2 := b.x, b.y+boxHeight/2
	c1, c2 := x1+gapX/2, x2-gapX/2
	if b.x <= a.x {
		x2 = b.x + boxWidth
		c1, c2 = x1+gapX, x2+gapX
	}
	tip := `marker-end="url(#tip)"`
	if g.Direction == Down {
		tip = `marker-start="url(#tip)"`
	}
	class := "edge"
	if !e.Rel.Carries() {
		class = "edge weak"
	}
	fmt.Fprintf(w, `<path class="%s" d="M%d %d C%d %d %d %d %d %d" %s><title>%s %s %s</title></path>`+"\n",
		class, x1, y1, c1, y1, c2, y2, x2, y2, tip, html.EscapeString(e.From.String()), html.EscapeString(string(e.Rel)), html.EscapeString(e.To.String()))
	fmt.Fprintf(w, `<text class="small" text-anchor="middle" x="%d" y="%d">%s</text>`+"\n",
		(x1+3*c1+3*c2+x2)/8, (y1+y2)/2-3, html.EscapeString(string(e.Rel)))
}

func drawNode(w *strings.Builder, n Node, at point) {
	class, text := "box", ""
	switch {
	case n.Status == artifact.Superseded || n.Status == artifact.Deprecated:
		class, text = "box out", ` class="struck"`
	case n.Status == artifact.Canonical:
		class = "box canonical"
	}
	if n.Stale {
		class += " stale"
	}
	fmt.Fprintf(w, `<g><title>%s</title><rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="6"/>`+"\n",
		html.EscapeString(oneLine(n.Ref.String()+": "+n.Summary, 400)), class, at.x, at.y, boxWidth, boxHeight)
	fmt.Fprintf(w, `<text%s x="%d" y="%d" font-weight="bold">%s</text>`+"\n", text, at.x+8, at.y+18, html.EscapeString(oneLine(n.Ref.String(), boxText-4)))
	fmt.Fprintf(w, `<text class="small" x="%d" y="%d">%s</text>`+"\n", at.x+8, at.y+33, html.EscapeString(oneLine(caption(n), boxText+8)))
	fmt.Fprintf(w, `<text%s x="%d" y="%d">%s</text></g>`+"\n", text, at.x+8, at.y+49, html.EscapeString(oneLine(n.Summary, boxText)))
}

// caption says what a version is and who made it.
func caption(n Node) string {
	if n.Type == "" {
		return ""
	}
	text := string(n.Type) + " · " + state(n)
	if n.Creator != "" {
		text += " · " + string(n.Creator)
	}
	return text
}

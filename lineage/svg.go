package lineage

import (
	"cmp"
	"fmt"
	"html"
	"strings"

	"brenner"
	"brenner/artifact"
	"brenner/internal/order"
)

// Measures of the drawing, in pixels.
const (
	boxWidth  = 240
	boxHeight = 58
	gapX      = 110
	gapSub    = 24 // between the columns of one generation
	gapY      = 16
	margin    = 16
	boxText   = 36 // characters that fit into a box
	// tall is how many boxes stand above each other; a larger generation goes
	// on beside.
	tall = 12
	// labelled is how many links are named in the drawing; of more, the names
	// would cover the boxes.
	labelled = 40
)

// SVG draws the graph in generations, the start on the left, one link further
// away with each. An arrow points from a version to what it refers to. Versions
// that are out of use are grey and struck through, stale ones dashed: neither
// depends on colour alone. The links along which something became stale stand
// out.
func (g Graph) SVG() string { return g.draw("img", svgStyle, Picture{Percent: 100}) }

// Picture says how a graph is drawn into a page.
type Picture struct {
	// Percent is how large it is.
	Percent int
	// Link is where the box of a version leads.
	Link func(brenner.Ref) string
	// Clusters are drawn as one box each, which leads to where ClusterLink says.
	Clusters    []Cluster
	ClusterLink func(Cluster) string
}

// Inline draws the same for a page that has a stylesheet of its own for the
// classes box, start, out, canonical, stale, many, struck, small, edge, weak
// and tip.
func (g Graph) Inline(p Picture) string { return g.draw("group", "", p) }

// shape is a box of the drawing: a version, or a cluster of them.
type shape struct {
	key     string
	depth   int
	node    Node     // of a version
	cluster *Cluster // nil for a version
}

// line is a link between two shapes, or several that became one.
type line struct {
	near, far string // by key, as the walk went
	rel       artifact.Relation
	weak      bool
	stale     bool
	count     int
	title     string
}

// shapes are what is drawn, and the links between them.
func (g Graph) shapes(clusters []Cluster) ([]shape, []line) {
	in := map[brenner.Ref]string{}
	var shapes []shape
	for i := range clusters {
		c := &clusters[i]
		for _, n := range c.Members {
			in[n.Ref] = c.Key()
		}
		shapes = append(shapes, shape{key: c.Key(), depth: c.Depth, cluster: c})
	}
	nodes := make(map[brenner.Ref]Node, len(g.Nodes))
	for _, n := range g.Nodes {
		nodes[n.Ref] = n
		if in[n.Ref] == "" {
			in[n.Ref] = n.Ref.String()
			shapes = append(shapes, shape{key: n.Ref.String(), depth: n.Depth, node: n})
		}
	}
	return shapes, g.lines(in, nodes)
}

// lines joins the links between the same two shapes.
func (g Graph) lines(in map[brenner.Ref]string, nodes map[brenner.Ref]Node) []line {
	type ends struct{ near, far string }
	at := map[ends]int{}
	var out []line
	for _, e := range g.Edges {
		near, far := in[g.near(e)], in[g.far(e)]
		stale := e.Rel.Carries() && nodes[e.From].Stale && (nodes[e.To].Stale || Outdated(nodes[e.To]))
		l := line{
			near: near, far: far, rel: e.Rel, weak: !e.Rel.Carries(), stale: stale, count: 1,
			title: e.From.String() + " " + string(e.Rel) + " " + e.To.String(),
		}
		single := near == g.near(e).String() && far == g.far(e).String()
		if near == far || single { // a link within a cluster is not drawn; one between two versions is drawn as it is
			if single {
				out = append(out, l)
			}
			continue
		}
		i, known := at[ends{near, far}]
		if !known {
			at[ends{near, far}] = len(out)
			out = append(out, l)
			continue
		}
		out[i].count++
		out[i].weak = out[i].weak && l.weak
		out[i].stale = out[i].stale || l.stale
		out[i].title = fmt.Sprintf("%d links", out[i].count)
	}
	return out
}

func (g Graph) draw(role, style string, p Picture) string {
	shapes, lines := g.shapes(p.Clusters)
	place, width, height := layout(shapes, lines)
	var w strings.Builder
	fmt.Fprintf(&w, `<svg xmlns="http://www.w3.org/2000/svg" role="%s" width="%d" height="%d" viewBox="0 0 %d %d" font-family="system-ui, sans-serif">`+"\n", role, width*p.Percent/100, height*p.Percent/100, width, height)
	fmt.Fprintf(&w, "<title>lineage of %s, %s</title>\n", html.EscapeString(g.Start.String()), html.EscapeString(string(g.Direction)))
	w.WriteString(style + svgTips)
	for _, stale := range []bool{false, true} { // what stands out is drawn over the rest
		for _, l := range lines {
			if l.stale == stale {
				g.drawLine(&w, l, place, len(lines) <= labelled)
			}
		}
	}
	for _, s := range shapes {
		link := ""
		switch {
		case s.cluster != nil && p.ClusterLink != nil:
			link = p.ClusterLink(*s.cluster)
		case s.cluster == nil && p.Link != nil:
			link = p.Link(s.node.Ref)
		}
		if link != "" {
			fmt.Fprintf(&w, `<a href="%s">`, html.EscapeString(link))
		}
		if s.cluster != nil {
			drawCluster(&w, *s.cluster, place[s.key])
		} else {
			drawNode(&w, s.node, place[s.key], s.node.Ref == g.Start)
		}
		if link != "" {
			w.WriteString("</a>\n")
		}
	}
	w.WriteString("</svg>\n")
	return w.String()
}

const svgStyle = `<style>
.box{fill:#fff;stroke:#445}.start{stroke-width:3}.canonical{stroke-width:2.5}.out{fill:#eee;stroke:#999}.stale{stroke:#b60;stroke-dasharray:6 4}.many{fill:#f4f4f0}
text{fill:#112;font-size:12px}.struck{fill:#777;text-decoration:line-through}.small{font-size:10px;fill:#445}
.edge{fill:none;stroke:#778}.weak{stroke-dasharray:2 4}.edge.stale{stroke:#b60;stroke-width:2;stroke-dasharray:none}.tip{fill:#778}.tip.stale{fill:#b60}
</style>
`

const svgTips = `<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path class="tip" d="M0 0 8 4 0 8z"/></marker>` +
	`<marker id="tip-stale" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="10" markerHeight="10" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path class="tip stale" d="M0 0 8 4 0 8z"/></marker></defs>
`

// point is the upper left corner of a box.
type point struct{ x, y int }

// layout places the boxes: a generation beside the other; within one, boxes
// near to what they are linked with in the one before, ties in their order. A
// generation is centred, and stands in several columns if it is large.
func layout(shapes []shape, lines []line) (place map[string]point, width, height int) {
	var generations [][]shape
	for _, s := range shapes {
		for len(generations) <= s.depth {
			generations = append(generations, nil)
		}
		generations[s.depth] = append(generations[s.depth], s)
	}
	linked := map[string][]string{}
	for _, l := range lines {
		linked[l.far] = append(linked[l.far], l.near)
	}
	rows := 1
	for _, list := range generations {
		rows = max(rows, rowsOf(len(list)))
	}
	place = make(map[string]point, len(shapes))
	x := margin
	for _, list := range generations {
		pull := make(map[string]float64, len(list))
		for _, s := range list {
			pull[s.key] = meanHeight(linked[s.key], place)
		}
		order.By(list, func(a, b shape) int { return cmp.Compare(pull[a.key], pull[b.key]) })
		columns := max(1, (len(list)+rows-1)/rows)
		used := (len(list) + columns - 1) / columns
		top := margin + (rows-used)*(boxHeight+gapY)/2
		for i, s := range list {
			place[s.key] = point{x + i%columns*(boxWidth+gapSub), top + i/columns*(boxHeight+gapY)}
		}
		x += columns*(boxWidth+gapSub) - gapSub + gapX
	}
	// The gap behind the last generation is for links that bend back.
	return place, x + margin, 2*margin + rows*(boxHeight+gapY) - gapY
}

// rowsOf is how many rows a generation of n boxes takes if it is to be about
// as wide as it is high.
func rowsOf(n int) int {
	rows := max(1, min(n, tall))
	for (n+rows-1)/rows*(boxWidth+gapSub) > 2*rows*(boxHeight+gapY) {
		rows++
	}
	return rows
}

// meanHeight is the mean y of those boxes that are placed already; of none, 0.
func meanHeight(of []string, place map[string]point) float64 {
	sum, n := 0, 0
	for _, key := range of {
		if p, ok := place[key]; ok {
			sum, n = sum+p.y, n+1
		}
	}
	return float64(sum) / float64(max(n, 1))
}

// drawLine draws a link from the box the walk came from to the one it led to;
// one that leads back bends round on the right.
func (g Graph) drawLine(w *strings.Builder, l line, place map[string]point, label bool) {
	a, b := place[l.near], place[l.far]
	x1, y1 := a.x+boxWidth, a.y+boxHeight/2
	x2, y2 := b.x, b.y+boxHeight/2
	c1, c2 := x1+gapX/2, x2-gapX/2
	if b.x <= a.x {
		x2 = b.x + boxWidth
		c1, c2 = x1+gapX, x2+gapX
	}
	class, tip := "edge", "tip"
	if l.weak {
		class += " weak"
	}
	if l.stale {
		class, tip = class+" stale", "tip-stale"
	}
	end := "end"
	if g.Direction == Down {
		end = "start"
	}
	fmt.Fprintf(w, `<path class="%s" d="M%d %d C%d %d %d %d %d %d" marker-%s="url(#%s)"><title>%s</title></path>`+"\n",
		class, x1, y1, c1, y1, c2, y2, x2, y2, end, tip, html.EscapeString(l.title))
	if !label {
		return
	}
	text := strings.ReplaceAll(string(l.rel), "_", " ")
	if l.count > 1 {
		text = l.title
	}
	fmt.Fprintf(w, `<text class="small" text-anchor="middle" x="%d" y="%d">%s</text>`+"\n",
		(x1+3*c1+3*c2+x2)/8, (y1+y2)/2-3, html.EscapeString(text))
}

func drawNode(w *strings.Builder, n Node, at point, start bool) {
	class, text := "box", ""
	switch {
	case n.Status == artifact.Superseded || n.Status == artifact.Deprecated:
		class, text = "box out", ` class="struck"`
	case n.Status == artifact.Canonical:
		class = "box canonical"
	}
	if start {
		class += " start"
	}
	if n.Stale {
		class += " stale"
	}
	drawBox(w, at, class, text, oneLine(n.Ref.String()+": "+n.Summary, 400), n.Ref.String(), caption(n), n.Summary)
}

func drawCluster(w *strings.Builder, c Cluster, at point) {
	class, state := "box many", fmt.Sprintf("%d link away", c.Depth)
	if c.Depth != 1 {
		state = fmt.Sprintf("%d links away", c.Depth)
	}
	if c.Stale > 0 {
		class, state = "box many stale", fmt.Sprintf("%d stale · %s", c.Stale, state)
	}
	name := strings.ReplaceAll(string(c.Type), "_", " ")
	drawBox(w, at, class, "", fmt.Sprintf("%d of type %s in %s", len(c.Members), c.Type, c.Module),
		fmt.Sprintf("%d × %s", len(c.Members), name), state, string(c.Module))
}

// drawBox draws a box with three lines of text.
func drawBox(w *strings.Builder, at point, class, text, title, first, second, third string) {
	fmt.Fprintf(w, `<g><title>%s</title><rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="8"/>`+"\n",
		html.EscapeString(title), class, at.x, at.y, boxWidth, boxHeight)
	fmt.Fprintf(w, `<text%s x="%d" y="%d" font-weight="bold">%s</text>`+"\n", text, at.x+10, at.y+18, html.EscapeString(oneLine(first, boxText-4)))
	fmt.Fprintf(w, `<text class="small" x="%d" y="%d">%s</text>`+"\n", at.x+10, at.y+33, html.EscapeString(oneLine(second, boxText+6)))
	fmt.Fprintf(w, `<text%s x="%d" y="%d">%s</text></g>`+"\n", text, at.x+10, at.y+49, html.EscapeString(oneLine(third, boxText)))
}

// caption says what a version is and who made it.
func caption(n Node) string {
	if n.Type == "" {
		return ""
	}
	text := strings.ReplaceAll(string(n.Type), "_", " ") + " · " + state(n)
	if n.Creator != "" {
		text += " · " + string(n.Creator)
	}
	return text
}

package lineage

import (
	"strings"
	"unicode"

	"brenner"
)

const (
	// treeDepth is how far a tree is indented before it goes on below.
	treeDepth = 32
	// treeSummary is how many characters of a summary a line shows.
	treeSummary = 60
)

// Tree writes the graph as an indented tree. A version with several paths to
// it is written out where it comes first and only named afterwards. Very deep
// branches go on in a tree of their own below.
func (g Graph) Tree() string {
	t := tree{g: g, edges: g.neighbours(), nodes: make(map[brenner.Ref]Node, len(g.Nodes)), shown: map[brenner.Ref]bool{}}
	for _, n := range g.Nodes {
		t.nodes[n.Ref] = n
	}
	t.root(g.Start)
	for len(t.deeper) > 0 {
		next := t.deeper[0]
		t.deeper = t.deeper[1:]
		t.out.WriteString("\nfrom " + next.String() + ":\n")
		t.root(next)
	}
	if g.Truncated {
		t.out.WriteString("\n(there is more; ask for more levels)\n")
	}
	return t.out.String()
}

type tree struct {
	g      Graph
	edges  map[brenner.Ref][]Edge
	nodes  map[brenner.Ref]Node
	shown  map[brenner.Ref]bool
	deeper []brenner.Ref
	out    strings.Builder
}

func (t *tree) root(ref brenner.Ref) {
	t.shown[ref] = true
	t.out.WriteString(t.label(ref) + "\n")
	t.branch(ref, "", 1)
}

func (t *tree) branch(ref brenner.Ref, indent string, depth int) {
	edges := t.edges[ref]
	for i, e := range edges {
		corner, bar := "├─ ", "│  "
		if i == len(edges)-1 {
			corner, bar = "└─ ", "   "
		}
		to := t.g.far(e)
		rel := string(e.Rel)
		if t.g.Direction == Down {
			rel = e.Rel.Backwards()
		}
		t.out.WriteString(indent + corner + rel + " ")
		switch {
		case t.shown[to]:
			t.out.WriteString(to.String() + " (shown already)\n")
		case depth == treeDepth && len(t.edges[to]) > 0:
			t.shown[to] = true
			t.deeper = append(t.deeper, to)
			t.out.WriteString(to.String() + " (goes on below)\n")
		default:
			t.shown[to] = true
			t.out.WriteString(t.label(to) + "\n")
			t.branch(to, indent+bar, depth+1)
		}
	}
}

// label is a version in one line: what it is, who made it, what it says.
func (t *tree) label(ref brenner.Ref) string {
	n := t.nodes[ref]
	var b strings.Builder
	b.WriteString(ref.String())
	if n.Type != "" {
		b.WriteString(" [" + string(n.Type) + ", " + string(n.Module) + ", " + state(n) + "]")
	}
	if n.Creator != "" {
		b.WriteString(" by " + string(n.Creator))
	}
	if n.Task != "" {
		b.WriteString(" in " + oneLine(n.Task, treeSummary))
	}
	if n.Summary != "" {
		b.WriteString(": " + oneLine(n.Summary, treeSummary))
	}
	return b.String()
}

// state names the status of a version, and whether it was taken out of force or
// needs an update.
func state(n Node) string {
	s := string(n.Status)
	if n.Demoted {
		s += ", taken out of force"
	}
	if n.Stale {
		s += ", needs_update"
	}
	return s
}

// oneLine makes a text fit on a line: blanks run together, nothing that a
// terminal would obey, cut after most characters.
func oneLine(s string, most int) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, s)
	return brenner.Clip(strings.Join(strings.Fields(clean), " "), most)
}

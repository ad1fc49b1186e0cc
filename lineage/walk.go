package lineage

import (
	"cmp"
	"slices"

	"brenner"
	"brenner/internal/order"
)

// Direction is which way a walk goes.
type Direction string

// The directions.
const (
	Up   Direction = "up"   // to what the start rests on
	Down Direction = "down" // to what rests on the start
)

// Graph is what a walk found (C31). Nodes are in breadth-first order, the
// start first, each layer by id and version; Edges are those followed, in order
// of from, relation, to. A walk fills in only Ref and Depth of its nodes; see
// Describe.
type Graph struct {
	Start     brenner.Ref `json:"start"`
	Direction Direction   `json:"direction"`
	Nodes     []Node      `json:"nodes"`
	Edges     []Edge      `json:"edges"`
	// Truncated says that there is more than the depth or the limit allowed.
	Truncated bool `json:"truncated,omitzero"`
}

// Walk follows edges from a version, at most depth links far (0: to the
// leaves), visiting at most limit versions. For Up the fetch gives the edges
// that leave the versions it is asked for, for Down those that reach them.
func Walk(start brenner.Ref, dir Direction, fetch Fetch, depth, limit int) (Graph, error) {
	g := Graph{Start: start, Direction: dir, Nodes: []Node{{Ref: start}}, Edges: []Edge{}}
	seen := map[brenner.Ref]bool{start: true}
	for layer := []brenner.Ref{start}; len(layer) > 0; {
		edges, err := fetch(layer)
		if err != nil {
			return Graph{}, err
		}
		distance := g.Nodes[len(g.Nodes)-1].Depth
		var ends []brenner.Ref
		for _, e := range edges {
			if end := g.far(e); !seen[end] {
				ends = append(ends, end)
			}
		}
		layer = unique(ends)
		switch {
		case depth > 0 && distance >= depth:
			g.Truncated = g.Truncated || len(layer) > 0
			layer = nil
		case len(layer) > limit-len(g.Nodes):
			g.Truncated = true
			layer = layer[:max(0, limit-len(g.Nodes))]
		}
		for _, r := range layer {
			seen[r] = true
			g.Nodes = append(g.Nodes, Node{Ref: r, Depth: distance + 1})
		}
		for _, e := range edges {
			if seen[g.far(e)] {
				g.Edges = append(g.Edges, e)
			}
		}
	}
	g.Edges = ordered(g.Edges)
	return g, nil
}

// near and far are the ends of an edge as the walk meets them.
func (g Graph) near(e Edge) brenner.Ref {
	if g.Direction == Down {
		return e.To
	}
	return e.From
}

func (g Graph) far(e Edge) brenner.Ref {
	if g.Direction == Down {
		return e.From
	}
	return e.To
}

// Describe fills in what is known about the nodes of a walk.
func (g Graph) Describe(known []Node) Graph {
	byRef := make(map[brenner.Ref]Node, len(known))
	for _, n := range known {
		byRef[n.Ref] = n
	}
	g.Nodes = slices.Clone(g.Nodes)
	for i, n := range g.Nodes {
		if full, ok := byRef[n.Ref]; ok {
			full.Depth = n.Depth
			g.Nodes[i] = full
		}
	}
	return g
}

// Refs lists the versions of the graph in its order.
func (g Graph) Refs() []brenner.Ref {
	list := make([]brenner.Ref, len(g.Nodes))
	for i, n := range g.Nodes {
		list[i] = n.Ref
	}
	return list
}

// neighbours lists, for every node, the edges the walk followed from it, in
// order of relation, then of the version at the far end.
func (g Graph) neighbours() map[brenner.Ref][]Edge {
	out := make(map[brenner.Ref][]Edge, len(g.Nodes))
	for _, e := range g.Edges {
		out[g.near(e)] = append(out[g.near(e)], e)
	}
	for _, n := range g.Nodes {
		// Those of one relation are in order: the edges of the graph are.
		order.By(out[n.Ref], func(a, b Edge) int { return cmp.Compare(a.Rel, b.Rel) })
	}
	return out
}

package lineage

import (
	"maps"
	"slices"

	"brenner"
)

// Staleness says of many versions whether and why they need an update: a chain
// of carrying links leads from them to something that moved: to what is
// outdated, or, for those that are only behind, to a corrected draft (C26). The
// reason is a shortest chain; among equals the one whose first differing
// version comes first by id, then version.
type Staleness struct {
	// Refs are the versions concerned, in order.
	Refs []brenner.Ref
	// next leads from a version one step towards what moved. Chains share
	// their ends, so that all of them take no more room than the graph.
	next  map[brenner.Ref]brenner.Ref
	moved map[brenner.Ref]bool
}

// Path leads from a version over links to what moved; nil if the version
// rests on nothing that did.
func (s Staleness) Path(ref brenner.Ref) []brenner.Ref {
	to, ok := s.next[ref]
	if !ok {
		return nil
	}
	path := []brenner.Ref{ref, to}
	for !s.moved[to] {
		to = s.next[to]
		path = append(path, to)
	}
	return path
}

// Ends are the versions that moved, where the paths lead to, in order.
func (s Staleness) Ends() []brenner.Ref {
	return slices.SortedFunc(maps.Keys(s.moved), brenner.Ref.Compare)
}

// Without leaves out the versions that another staleness is about: what is
// stale is not listed again as behind. Paths stay.
func (s Staleness) Without(o Staleness) Staleness {
	s.Refs = slices.DeleteFunc(slices.Clone(s.Refs), func(r brenner.Ref) bool {
		_, there := slices.BinarySearchFunc(o.Refs, r, brenner.Ref.Compare)
		return there
	})
	return s
}

// Stale computes the staleness of a whole graph at once, in near-linear time:
// what rests on something outdated. Its Refs are the live versions that are not
// records.
func Stale(nodes []Node, edges []Edge) Staleness { return restingOn(Outdated, nodes, edges) }

// Behind is Stale for what rests on a corrected draft and on nothing outdated.
func Behind(nodes []Node, edges []Edge) Staleness {
	return restingOn(Corrected, nodes, edges).Without(Stale(nodes, edges))
}

func restingOn(gone func(Node) bool, nodes []Node, edges []Edge) Staleness {
	var moved []brenner.Ref
	concerned := make(map[brenner.Ref]bool, len(nodes))
	for _, n := range nodes {
		if gone(n) {
			moved = append(moved, n.Ref)
		}
		concerned[n.Ref] = n.Status.Live() && !n.Record
	}
	reaching := make(map[brenner.Ref][]Edge, len(nodes))
	for _, e := range edges {
		reaching[e.To] = append(reaching[e.To], e)
	}
	s := newStaleness(moved)
	s.spreadOver(reaching)
	s.list(func(r brenner.Ref) bool { return concerned[r] })
	return s
}

// spreadOver goes over a graph that is held, as the edges that reach each
// version.
func (s *Staleness) spreadOver(reaching map[brenner.Ref][]Edge) {
	for layer := s.Ends(); len(layer) > 0; {
		var into []Edge
		for _, r := range layer {
			into = append(into, reaching[r]...)
		}
		layer = s.spread(into)
	}
}

// Spread is Stale, or Behind, for a graph that is not held: it follows links
// backwards from the versions that moved, layer by layer. The fetch gives the
// edges that reach the versions it is asked for. Refs are all versions that
// rest on something that moved, live or not. It reports LIMIT_EXCEEDED beyond
// limit versions.
func Spread(moved []brenner.Ref, into Fetch, limit int) (Staleness, error) {
	s := newStaleness(moved)
	for layer := unique(moved); len(layer) > 0; {
		if len(s.moved)+len(s.next) > limit {
			return Staleness{}, tooMany(limit)
		}
		edges, err := into(layer)
		if err != nil {
			return Staleness{}, err
		}
		layer = s.spread(edges)
	}
	s.list(func(brenner.Ref) bool { return true })
	return s, nil
}

func newStaleness(moved []brenner.Ref) Staleness {
	s := Staleness{next: map[brenner.Ref]brenner.Ref{}, moved: make(map[brenner.Ref]bool, len(moved))}
	for _, r := range moved {
		s.moved[r] = true
	}
	return s
}

// spread takes the edges into one layer and gives the next layer. A version
// is reached first in the layer after its distance, and all edges into that
// layer come together: the least of them is the next step of its path.
func (s *Staleness) spread(into []Edge) []brenner.Ref {
	reached := make(map[brenner.Ref]brenner.Ref, len(into))
	for _, e := range into {
		if _, nearer := s.next[e.From]; nearer || !e.Rel.Carries() {
			continue
		}
		if to, seen := reached[e.From]; !seen || e.To.Less(to) {
			reached[e.From] = e.To
		}
	}
	maps.Copy(s.next, reached)
	layer := slices.SortedFunc(maps.Keys(reached), brenner.Ref.Compare)
	// What moved was a source already.
	return slices.DeleteFunc(layer, func(r brenner.Ref) bool { return s.moved[r] })
}

func (s *Staleness) list(want func(brenner.Ref) bool) {
	s.Refs = slices.DeleteFunc(slices.SortedFunc(maps.Keys(s.next), brenner.Ref.Compare), func(r brenner.Ref) bool { return !want(r) })
}

// StaleAmong is Stale, or Behind, for some versions of a graph that is not
// held, without looking at more of it than they rest on. Refs are those among
// them that rest on something that moved, live or not. from gives the edges
// that leave the versions it is asked for, gone those among some versions that
// moved: are outdated, or corrected. It reports LIMIT_EXCEEDED beyond limit
// versions.
func StaleAmong(some []brenner.Ref, from Fetch, gone func([]brenner.Ref) ([]brenner.Ref, error), limit int) (Staleness, error) {
	some = unique(some)
	asked := make(map[brenner.Ref]bool, len(some)) // for what leaves them
	reaching := map[brenner.Ref][]Edge{}
	for layer := some; len(layer) > 0; {
		edges, err := from(layer)
		if err != nil {
			return Staleness{}, err
		}
		for _, r := range layer {
			asked[r] = true
		}
		layer = nil
		for _, e := range edges {
			if !e.Rel.Carries() {
				continue
			}
			if reaching[e.To] == nil && !asked[e.To] {
				layer = append(layer, e.To)
			}
			reaching[e.To] = append(reaching[e.To], e)
		}
		if len(reaching) > limit {
			return Staleness{}, tooMany(limit)
		}
	}
	if len(reaching) == 0 {
		return newStaleness(nil), nil
	}
	moved, err := gone(slices.SortedFunc(maps.Keys(reaching), brenner.Ref.Compare))
	if err != nil {
		return Staleness{}, err
	}
	s := newStaleness(moved)
	s.spreadOver(reaching)
	s.list(func(r brenner.Ref) bool {
		_, among := slices.BinarySearchFunc(some, r, brenner.Ref.Compare)
		return among
	})
	return s, nil
}

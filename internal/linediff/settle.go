package linediff

// settle brings the changes of both sides to their canonical places.
func (p pair) settle(w watch) {
	p.a.slide(w, p.b)
	p.b.slide(w, p.a)
}

// group is a run of changed elements, possibly empty: there is one before each
// element that stayed, and one at the end. The n-th group of one side stands
// against the n-th of the other.
type group struct{ start, end int }

func (s side) firstGroup() (g group) {
	for s.changed[g.end] {
		g.end++
	}
	return g
}

// next goes on to the following group; false at the end.
func (s side) next(g *group) bool {
	if g.end == len(s.ids) {
		return false
	}
	g.start = g.end + 1
	for g.end = g.start; s.changed[g.end]; g.end++ {
	}
	return true
}

// previous goes back to the group before.
func (s side) previous(g *group) bool {
	if g.start == 0 {
		return false
	}
	g.end = g.start - 1
	for g.start = g.end; g.start > 0 && s.changed[g.start-1]; g.start-- {
	}
	return true
}

// up moves a group one element towards the front, if the text allows it, and
// takes in a group it meets.
func (s side) up(g *group) bool {
	if g.start == 0 || s.ids[g.start-1] != s.ids[g.end-1] {
		return false
	}
	g.start, g.end = g.start-1, g.end-1
	s.changed[g.start], s.changed[g.end] = true, false
	for g.start > 0 && s.changed[g.start-1] {
		g.start--
	}
	return true
}

// down moves a group one element towards the end, likewise.
func (s side) down(g *group) bool {
	if g.end == len(s.ids) || s.ids[g.start] != s.ids[g.end] {
		return false
	}
	s.changed[g.start], s.changed[g.end] = false, true
	g.start, g.end = g.start+1, g.end+1
	for s.changed[g.end] {
		g.end++
	}
	return true
}

// slide moves every group as far towards the end as it goes, or back to the
// last place on the way where it stands against a change of the other side.
// Each step of a group is one of the other side, whose groups it passes. Moves
// are counted: where a text repeats itself so much that groups keep running
// into each other, the rest stays where it was found.
func (s side) slide(w watch, other side) {
	moves := 16 * (len(s.ids) + len(other.ids) + 64)
	g, o := s.firstGroup(), other.firstGroup()
	for n := 0; moves > 0; n++ {
		if g.end > g.start {
			made := s.slideGroup(w, other, &g, &o, moves)
			moves -= made
			n += made
		}
		if n >= often {
			w.look()
			n = 0
		}
		if !s.next(&g) {
			return
		}
		other.next(&o)
	}
}

func (s side) slideGroup(w watch, other side, g, o *group, budget int) (moves int) {
	var top, met int
	for size, looked := 0, 0; size != g.end-g.start && moves < budget; {
		if moves-looked >= often {
			w.look()
			looked = moves
		}
		size = g.end - g.start
		for met = -1; s.up(g); moves++ {
			other.previous(o)
		}
		top = g.end
		if o.end > o.start {
			met = g.end
		}
		for s.down(g) {
			moves++
			other.next(o)
			if o.end > o.start {
				met = g.end
			}
		}
	}
	if met < 0 || g.end == top {
		return moves
	}
	for o.end == o.start && s.up(g) {
		moves++
		other.previous(o)
	}
	return moves
}

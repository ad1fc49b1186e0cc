package retrieval

import "slices"

// The constants were chosen on one half of the generated conversations and are
// reported of the other; see docs/adr/0102.
const (
	// nearShare and groupShare say how much of what a text takes over comes from
	// the best text beside it, and from the best of its group.
	nearShare  = 0.6
	groupShare = 0.4
	// onceRemoved is what is left of a text beside one that stands beside it: in a
	// conversation that is what the same person said before.
	onceRemoved = 0.9
	// groupBest is how many of a group speak for it.
	groupBest = 3
	// manyBeside is how many texts one may have beside it and still lead from one
	// to the other: what everything refers to joins nothing.
	manyBeside = 12
)

// Neighbours says, for each of some texts, how well what was written beside it fits,
// from 0 to 1: the texts that it answers or is answered by, and the others of its
// group. A reply seldom repeats what it replies to. Scores are those of the texts
// themselves, 0 where a text has none; beside are the pairs of texts that refer to
// each other, each once; groups are what else belongs together.
func Neighbours(scores []float64, beside [][2]int, groups [][]int) []float64 {
	out := make([]float64, len(scores))
	best := 0.0
	for _, s := range scores {
		best = max(best, s)
	}
	if best == 0 {
		return out
	}
	others := besideEach(len(scores), beside)
	group := make([]float64, len(scores))
	for _, g := range append(components(others), groups...) {
		var room [groupBest + 2]int
		speakers := speakersOf(room[:0], g, scores)
		for _, i := range g {
			total, n := 0.0, 0 // of the best but itself
			for _, j := range speakers {
				if j != i && n < groupBest {
					total += scores[j]
					n++
				}
			}
			group[i] = max(group[i], total/groupBest)
		}
	}
	for i := range out {
		out[i] = (float64(nearShare*nearest(i, scores, others)) + float64(groupShare*group[i])) / best
	}
	return out
}

// nearest is the best score beside a text, or once removed from it.
func nearest(i int, scores []float64, others [][]int) float64 {
	best := 0.0
	for _, j := range others[i] {
		best = max(best, scores[j])
		if len(others[j]) > manyBeside {
			continue
		}
		for _, k := range others[j] {
			if k != i {
				best = max(best, onceRemoved*scores[k])
			}
		}
	}
	return best
}

// besideEach lists what stands beside each of some texts, in the order of the pairs.
func besideEach(texts int, pairs [][2]int) [][]int {
	out, n := make([][]int, texts), make([]int, texts)
	for _, p := range pairs {
		n[p[0]]++
		n[p[1]]++
	}
	room := make([]int, 2*len(pairs))
	for i := range out {
		out[i], room = room[:0:n[i]], room[n[i]:]
	}
	for _, p := range pairs {
		out[p[0]], out[p[1]] = append(out[p[0]], p[1]), append(out[p[1]], p[0])
	}
	return out
}

// speakersOf gives those of a group that may speak for it or, for one of them, for the
// others: the best first.
func speakersOf(best, group []int, scores []float64) []int {
	for _, i := range group {
		at := len(best)
		for at > 0 && scores[best[at-1]] < scores[i] {
			at--
		}
		if at > groupBest {
			continue
		}
		best = slices.Insert(best, at, i)
		best = best[:min(len(best), groupBest+1)]
	}
	return best
}

// components gives the texts that lead to each other, by way of those that do not
// have many beside them.
func components(others [][]int) [][]int {
	var out [][]int
	seen := make([]bool, len(others))
	for first := range others {
		var all []int
		for next := []int{first}; len(next) > 0; next = next[1:] {
			i := next[0]
			if seen[i] || len(others[i]) > manyBeside {
				continue
			}
			seen[i] = true
			all = append(all, i)
			next = append(next, others[i]...)
		}
		if len(all) > 1 {
			out = append(out, all)
		}
	}
	return out
}

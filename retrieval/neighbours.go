package retrieval

import (
	"cmp"
	"slices"
)

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
	others := make([][]int, len(scores))
	for _, p := range beside {
		others[p[0]], others[p[1]] = append(others[p[0]], p[1]), append(others[p[1]], p[0])
	}
	group := make([]float64, len(scores))
	for _, g := range append(components(others), groups...) {
		speakers := slices.SortedFunc(slices.Values(g), func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
		speakers = speakers[:min(len(speakers), groupBest+1)]
		for _, i := range g {
			var rest []float64 // the best but itself
			for _, j := range speakers {
				if j != i && len(rest) < groupBest {
					rest = append(rest, scores[j])
				}
			}
			group[i] = max(group[i], sum(rest)/groupBest)
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

func sum(all []float64) float64 {
	total := 0.0
	for _, x := range all {
		total += x
	}
	return total
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

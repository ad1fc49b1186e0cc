package check

import "brenner/claim"

// item is something out of scope as the words that tell it.
type item struct {
	weights map[string]float64 // by stem
	words   int
	total   float64
}

// commonWeight is what a word weighs that the goals or what is in scope have
// too: it tells little about what is out.
const commonWeight = 0.25

func newItems(out, wanted []string) []item {
	common := map[string]bool{}
	for _, text := range wanted {
		for _, w := range claim.Words(text) {
			common[w] = true
		}
	}
	items := make([]item, len(out))
	for i, text := range out {
		items[i].weights = map[string]float64{}
		for _, w := range claim.Words(text) {
			if _, twice := items[i].weights[w]; twice {
				continue
			}
			weight := 1.0
			if common[w] {
				weight = commonWeight
			}
			items[i].weights[w] = weight
			items[i].total += weight
			items[i].words++
		}
	}
	return items
}

// mostSaid gives the item of which a text has the greatest share of words, by
// weight. An item of several words needs two of them.
func mostSaid(items []item, text string) (best int, share float64) {
	words := claim.Words(text)
	for i, it := range items {
		said, count := 0.0, 0
		seen := map[string]bool{}
		for _, w := range words {
			if weight, ok := it.weights[w]; ok && !seen[w] {
				seen[w] = true
				said += weight
				count++
			}
		}
		if it.total > 0 && count >= min(2, it.words) && said/it.total > share {
			best, share = i, said/it.total
		}
	}
	return best, share
}

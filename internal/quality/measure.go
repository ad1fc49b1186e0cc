package quality

import "math"

// NDCG is the normalised discounted cumulative gain of the first n of a ranking,
// where every relevant text is worth the same.
func NDCG(ranked []string, relevant map[string]bool, n int) float64 {
	gain, ideal := 0.0, 0.0
	for i := range n {
		discount := 1 / math.Log2(float64(i+2))
		if i < len(ranked) && relevant[ranked[i]] {
			gain += discount
		}
		if i < len(relevant) {
			ideal += discount
		}
	}
	if ideal == 0 {
		return 0
	}
	return gain / ideal
}

// Recall is the share of the relevant texts that are among the first n of a
// ranking.
func Recall(ranked []string, relevant map[string]bool, n int) float64 {
	found := 0
	for _, id := range ranked[:min(n, len(ranked))] {
		if relevant[id] {
			found++
		}
	}
	if len(relevant) == 0 {
		return 0
	}
	return float64(found) / float64(len(relevant))
}

package retrieval

import "math"

// The constants of the score. They were chosen on the odd questions of the
// Cranfield collection and looked at on the even ones; see docs/adr/0010.
const (
	// maxSummaryWeight is how often a word of the summary or of a tag counts at most.
	maxSummaryWeight = 3
	// saturation (k1) is how soon another occurrence of a word adds little;
	// lengthShare (b) how much of the length of a text is held against it.
	saturation  = 2.5
	lengthShare = 0.75
	// LeastLength is the number of words below which no text counts as short:
	// a note of one line is not more about its words than a page is.
	LeastLength = 100
	// fewWords is how many words a text may have besides twice those of its summary,
	// and still be said again by it.
	fewWords = 3
	// maxLength and maxCount are the largest that the index tells apart.
	maxLength = math.MaxUint16
	maxCount  = math.MaxUint16
)

// unit is how many steps of the score make 1. Scores are whole numbers of steps
// inside, so that they add up to the same sum in any order, on any machine.
const unit = 1_000_000

// Statistics are what the weight of a word depends on besides the text itself.
// They are those of every indexed text of the project, whoever asks.
type Statistics struct {
	Documents int64
	Length    int64 // of all of them, in words, each counted as Length says
}

// Plus adds or, with negative numbers, takes away.
func (s Statistics) Plus(o Statistics) Statistics {
	return Statistics{s.Documents + o.Documents, s.Length + o.Length}
}

// SummaryWeight is how often a word of a summary counts: of so many words, of which
// the text, of so many, says so many itself. That of a note of one line says the line
// again, which condenses nothing; counted thrice, its words would drown the one that
// is not in it, such as who wrote it. Then it is 0: those words of it count, once,
// that the text does not have.
func SummaryWeight(summary, said, text int) int {
	if text <= 2*summary+fewWords && 5*said >= 4*summary {
		return 0
	}
	return maxSummaryWeight
}

// CountedLength is the length that a text of so many words counts with.
func CountedLength(words int) int { return min(max(words, LeastLength), maxLength) }

// Rarity says how much a word tells that so many texts have: the fewer, the
// more. It is 0 for a word that none has.
func (s Statistics) Rarity(have int64) float64 {
	if have <= 0 {
		return 0
	}
	n := float64(have)
	// Rounded, so that machines whose logarithms differ in the last digit agree.
	return math.Round(math.Log1p(max(0, float64(s.Documents)-n+0.5)/(n+0.5))*1e9) / 1e9
}

// Points is what a word of some weight, which so many texts have, adds to the
// score of a text of some length in which it counts so often: the whole rule,
// for those who need no index.
func (s Statistics) Points(weight float64, have int64, count, length int) int64 {
	factor := weight * s.Rarity(have) * unit
	return s.scale().steps(factor, uint16(min(count, maxCount)), uint16(length))
}

// Score is what a sum of points is as a score.
func Score(points int64) float64 { return float64(points) / unit }

// scale turns counts into their share of a score.
type scale struct{ constant, perWord float64 }

func (s Statistics) scale() scale {
	mean := float64(LeastLength)
	if s.Documents > 0 {
		mean = max(mean, float64(s.Length)/float64(s.Documents))
	}
	return scale{saturation * (1 - lengthShare), saturation * lengthShare / mean}
}

// impact is what a word that counts so often in a text of some length adds to
// its score, from 0 to saturation + 1. The conversions forbid fusing, so that
// every machine agrees.
func (s scale) impact(count, length uint16) float64 {
	n := float64(count)
	return n * (saturation + 1) / (n + (s.constant + float64(s.perWord*float64(length))))
}

// steps is what a word of some factor adds, in whole steps.
func (s scale) steps(factor float64, count, length uint16) int64 {
	return int64(float64(factor*s.impact(count, length)) + 0.5)
}

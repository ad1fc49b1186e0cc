package anchor

import (
	"slices"
	"strings"
	"unicode"

	"brenner/internal/lazy"
	"brenner/internal/linediff"
)

// A quotation that fits in no way we know of is laid beside the lines it seems
// to come from, and what it has there otherwise tells the cause: the same kind
// of difference everywhere is a mistake of writing, whatever tool made it.

// alignment pairs the lines of a quotation with lines of the text, in order.
type alignment struct {
	text, quoted []string
	// split is how many of the quoted lines are the anchor's; fresh is the new
	// block.
	split int
	fresh string
	// of gives for each quoted line the index of its line in the text, -1 if
	// it has none.
	of []int
}

// align finds the lines of the text that a quotation seems to come from. It
// gives none for what is too large to be compared line by line.
func align(text string, q quotation) (alignment, bool) {
	const most = 1 << 21 // pairs of lines
	a := alignment{text: linediff.Lines(text), quoted: linediff.Lines(q.whole()), split: len(linediff.Lines(q.anchor)), fresh: q.new}
	if len(a.text) == 0 || len(a.quoted) == 0 || len(a.text)*len(a.quoted) > most || len(text) > most {
		return a, false
	}
	a.of = pairLines(likeness(a.text, a.quoted), len(a.text))
	for _, j := range a.of {
		if j >= 0 {
			return a, true
		}
	}
	return a, false
}

// likeness says of each quoted line which lines of the text it is like, from 0
// to 1: by the triples of letters both have.
func likeness(text, quoted []string) []map[int]float64 {
	const (
		least  = 0.5
		blanks = 0.05 // lines with nothing to be told by pair only beside others
		short  = 4    // a line that many times shorter is no part of another
		within = 0.6  // the weight of one having all that the other has; the rest is for having nothing else
	)
	holders := map[[3]rune][]int{} // quoted lines by triple
	sizes := make([]int, len(quoted))
	for i, line := range quoted {
		for _, t := range triples(line) {
			holders[t] = append(holders[t], i)
		}
		sizes[i] = len(triples(line))
	}
	like := make([]map[int]float64, len(quoted))
	for i := range like {
		like[i] = map[int]float64{}
	}
	for j, line := range text {
		own := triples(line)
		shared := map[int]int{}
		for _, t := range own {
			for _, i := range holders[t] {
				shared[i]++
			}
		}
		for i, n := range shared { // order-free: each has a place of its own
			q := strings.TrimSpace(quoted[i])
			if strings.HasSuffix(q, strings.TrimSpace(line)) {
				like[i][j] = 1
				continue
			}
			if short*min(len(own), sizes[i]) < max(len(own), sizes[i]) || enclosing.MatchString(q) {
				continue
			}
			n = min(n, len(own), sizes[i])
			score := within*float64(n)/float64(min(len(own), sizes[i])) + (1-within)*2*float64(n)/float64(len(own)+sizes[i])
			if score >= least {
				like[i][j] = score
			}
		}
		if len(own) > 0 {
			continue
		}
		for i, q := range quoted {
			if sizes[i] == 0 && strings.TrimSpace(q) == strings.TrimSpace(line) {
				like[i][j] = blanks
			}
		}
	}
	return like
}

// enclosing is a line that looks like nothing but a frame: only the very same
// line of the text is like it.
var enclosing = lazy.NewPattern(`^(?:</?\pL[^<>]*>|[^\pL\pN\s]{3,}.*)$`)

// triples are the runs of three letters or digits of a line, whatever stands
// between them, or what there is of fewer than three.
func triples(line string) [][3]rune {
	var seen []rune
	for _, r := range line {
		if inWord(r) {
			seen = append(seen, r)
		}
	}
	if !slices.ContainsFunc(seen, unicode.IsLetter) {
		return nil
	}
	for len(seen) < 3 {
		seen = append(seen, 0)
	}
	out := make([][3]rune, 0, len(seen)-2)
	for i := 0; i+3 <= len(seen); i++ {
		out = append(out, [3]rune(seen[i:i+3]))
	}
	return out
}

// pairLines chooses pairs in the order of both sides with the greatest
// likeness. Lines of the text between two pairs cost something, many little more
// than few.
func pairLines(like []map[int]float64, lines int) []int {
	const gap, apart = 0.3, 0.001
	type cell struct {
		score float64
		quote int // the last quoted line that is paired, -1 if none
	}
	none := cell{quote: -1}
	upTo := make([]cell, lines) // the best that ends at a line of the text, so far
	for j := range upTo {
		upTo[j] = none
	}
	from := make([]map[int][2]int, len(like)) // pair before a pair
	best, bestLine := none, -1
	for i, row := range like {
		from[i] = map[int][2]int{}
		next := make(map[int]cell, len(row))
		far, farLine := none, -1
		for j := range lines {
			if j > 1 && upTo[j-2].score-gap+apart*float64(j) > far.score || far.quote < 0 && j > 1 && upTo[j-2].quote >= 0 {
				far, farLine = cell{upTo[j-2].score - gap + apart*float64(j), upTo[j-2].quote}, j-2
			}
			s, ok := row[j]
			if !ok {
				continue
			}
			made := cell{s, i}
			from[i][j] = [2]int{-1, -1}
			if j > 0 && upTo[j-1].quote >= 0 && s+upTo[j-1].score > made.score {
				made.score, from[i][j] = s+upTo[j-1].score, [2]int{upTo[j-1].quote, j - 1}
			}
			if d := far.score - apart*float64(j); far.quote >= 0 && s+d > made.score {
				made.score, from[i][j] = s+d, [2]int{far.quote, farLine}
			}
			next[j] = made
		}
		for j, c := range next { // order-free: each has a place of its own
			if c.score > upTo[j].score || upTo[j].quote < 0 {
				upTo[j] = c
			}
		}
		for j := range upTo {
			if upTo[j].quote >= 0 && upTo[j].score > best.score {
				best, bestLine = upTo[j], j
			}
		}
	}
	of := make([]int, len(like))
	for i := range of {
		of[i] = -1
	}
	for i, j := best.quote, bestLine; i >= 0; {
		of[i] = j
		i, j = from[i][j][0], from[i][j][1]
	}
	return of
}

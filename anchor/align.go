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
// gives none for what takes more effort than is left.
func align(text string, q quotation, left *effort) (alignment, bool) {
	a := alignment{text: linediff.Lines(text), quoted: linediff.Lines(q.whole()), split: len(linediff.Lines(q.anchor)), fresh: q.new}
	if len(a.text) == 0 || len(a.quoted) == 0 {
		return a, false
	}
	rows, ok := likeness(a.text, a.quoted, left)
	if !ok {
		return a, false
	}
	a.of = pairLines(rows, len(a.text))
	return a, slices.ContainsFunc(a.of, func(j int) bool { return j >= 0 })
}

// like is a line of the text that a quoted one is like, from 0 to 1.
type like struct {
	line  int
	score float64
}

// likeness says of each quoted line which lines of the text it is like, in
// order: by the triples of letters both have. It gives up when the effort is
// spent.
func likeness(text, quoted []string, left *effort) ([][]like, bool) {
	const (
		least  = 0.5
		blanks = 0.05 // lines with nothing to be told by pair only beside others
		short  = 4    // a line that many times shorter is no part of another
		within = 0.6  // the weight of one having all that the other has; the rest is for having nothing else
		touch  = 4    // what it costs to count a triple, beside a character
		keep   = 64   // and to keep a pair
	)
	if !left.spend(len(text) * len(quoted)) {
		return nil, false
	}
	holders := map[[3]rune][]int{} // quoted lines by triple
	sizes := make([]int, len(quoted))
	bare := make([]string, len(quoted))
	framing := make([]bool, len(quoted))
	for i, line := range quoted {
		own := triples(line)
		for _, t := range own {
			if at := holders[t]; len(at) == 0 || at[len(at)-1] != i {
				holders[t] = append(at, i)
			}
		}
		sizes[i], bare[i] = len(own), strings.TrimSpace(line)
		framing[i] = enclosing.MatchString(bare[i])
	}
	rows := make([][]like, len(quoted))
	shared := make([]int, len(quoted))
	var met []int
	for j, line := range text {
		own := triples(line)
		line = strings.TrimSpace(line)
		met = met[:0]
		for _, t := range own {
			if !left.spend(1 + touch*len(holders[t])) {
				return nil, false
			}
			for _, i := range holders[t] {
				if shared[i]++; shared[i] == 1 {
					met = append(met, i)
				}
			}
		}
		if !left.spend(keep * len(met)) {
			return nil, false
		}
		for _, i := range met {
			n := min(shared[i], len(own), sizes[i])
			shared[i] = 0
			if strings.HasSuffix(bare[i], line) {
				rows[i] = append(rows[i], like{j, 1})
				continue
			}
			if short*min(len(own), sizes[i]) < max(len(own), sizes[i]) || framing[i] {
				continue
			}
			score := within*float64(n)/float64(min(len(own), sizes[i])) + (1-within)*2*float64(n)/float64(len(own)+sizes[i])
			if score >= least {
				rows[i] = append(rows[i], like{j, score})
			}
		}
		if len(own) > 0 {
			continue
		}
		for i := range quoted {
			if sizes[i] == 0 && bare[i] == line {
				if !left.spend(keep) {
					return nil, false
				}
				rows[i] = append(rows[i], like{j, blanks})
			}
		}
	}
	return rows, true
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

// unpaired stands for no line; any negative number does.
const unpaired = -1

// pairLines chooses pairs in the order of both sides with the greatest
// likeness. Lines of the text between two pairs cost something, many little more
// than few.
func pairLines(rows [][]like, lines int) []int {
	const gap, apart = 0.3, 0.001
	type cell struct {
		score float64
		quote int // the last quoted line that is paired, unpaired if none
	}
	type pair struct{ quote, line int }
	none := cell{quote: unpaired}
	upTo := make([]cell, lines) // the best that ends at a line of the text, so far
	for j := range upTo {
		upTo[j] = none
	}
	from := make([][]pair, len(rows)) // the pair before each one of a row
	best, bestLine := none, unpaired
	for i, row := range rows {
		from[i] = make([]pair, len(row))
		made := make([]cell, len(row))
		far, farLine, seen := none, unpaired, 0
		for k, l := range row {
			for ; seen <= l.line; seen++ {
				if seen < 2 {
					continue
				}
				if c := upTo[seen-2]; c.score-gap+apart*float64(seen) > far.score || far.quote < 0 && c.quote >= 0 {
					far, farLine = cell{c.score - gap + apart*float64(seen), c.quote}, seen-2
				}
			}
			made[k], from[i][k] = cell{l.score, i}, pair{unpaired, unpaired}
			if l.line > 0 && upTo[l.line-1].quote >= 0 && l.score+upTo[l.line-1].score > made[k].score {
				made[k].score, from[i][k] = l.score+upTo[l.line-1].score, pair{upTo[l.line-1].quote, l.line - 1}
			}
			if d := far.score - apart*float64(l.line); far.quote >= 0 && l.score+d > made[k].score {
				made[k].score, from[i][k] = l.score+d, pair{far.quote, farLine}
			}
		}
		for k, l := range row {
			if made[k].score > upTo[l.line].score || upTo[l.line].quote < 0 {
				upTo[l.line] = made[k]
			}
		}
		for j := range upTo {
			if upTo[j].quote >= 0 && upTo[j].score > best.score {
				best, bestLine = upTo[j], j
			}
		}
	}
	of := make([]int, len(rows))
	for i := range of {
		of[i] = unpaired
	}
	for at := (pair{best.quote, bestLine}); at.quote >= 0; {
		of[at.quote] = at.line
		k, _ := slices.BinarySearchFunc(rows[at.quote], at.line, func(l like, line int) int { return l.line - line })
		at = from[at.quote][k]
	}
	return of
}

package claim

import (
	"cmp"
	"slices"
	"strings"
)

// Lexicon compares single lower-case words.
type Lexicon interface {
	// Similarity is the cosine of two words, the same in either order.
	Similarity(a, b string) float64
}

// bond is why two words are taken for each other.
type bond byte

const (
	unbound bond = iota
	sameWord
	sameMeaning // by the list of synonyms, by derivation, or by the lexicon
	opposites
)

// alignment pairs the words of two readings.
type alignment struct {
	a, b Reading
	// partner of each token of a, and of b, -1 without one; bonds by token of a.
	of, back []int
	bonds    []bond
	words    Lexicon
}

// alikeFrom is the similarity from which two words count as the same thing said
// differently. On common pairs of synonyms and of things of one kind, 0.5 parts
// the two best.
const alikeFrom = 0.5

func align(a, b Reading, words Lexicon) *alignment {
	l := &alignment{a: a, b: b, of: filled(len(a.tokens)), back: filled(len(b.tokens)), bonds: make([]bond, len(a.tokens)), words: words}
	l.pair(sameWord, func(x, y token) bool { return x.stem == y.stem })
	l.pair(sameMeaning, func(x, y token) bool {
		return kin(x.stem, y.stem) && opposed()[[2]string{x.stem, y.stem}] == notOpposite
	})
	l.pair(sameMeaning, func(x, y token) bool { return synonyms().share(x.stem, y.stem) })
	l.pair(opposites, func(x, y token) bool { return opposed()[[2]string{x.stem, y.stem}] == opposite })
	l.pair(sameMeaning, misspelt)
	l.pairByMeaning()
	return l
}

func filled(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = -1
	}
	return out
}

func (l *alignment) bind(i, j int, why bond) {
	l.of[i], l.back[j], l.bonds[i] = j, i, why
}

// pair binds content words of which something holds: each to the one whose
// place is most like its own.
func (l *alignment) pair(why bond, holds func(x, y token) bool) {
	for pi, i := range l.a.content {
		if l.of[i] >= 0 {
			continue
		}
		best, distance := -1, 0.0
		for pj, j := range l.b.content {
			if l.back[j] >= 0 || !holds(l.a.tokens[i], l.b.tokens[j]) {
				continue
			}
			d := float64(pi)/float64(len(l.a.content)) - float64(pj)/float64(len(l.b.content))
			if d = max(d, -d); best < 0 || d < distance {
				best, distance = j, d
			}
		}
		if best >= 0 {
			l.bind(i, best, why)
		}
	}
}

// pairByMeaning binds what the lexicon takes for the same, the most alike
// first. Things of one kind are not the same, however alike.
func (l *alignment) pairByMeaning() {
	if l.words == nil {
		return
	}
	type match struct {
		i, j       int
		similarity float64
	}
	var found []match
	for _, i := range l.a.content {
		for _, j := range l.b.content {
			x, y := l.a.tokens[i], l.b.tokens[j]
			if l.of[i] >= 0 || l.back[j] >= 0 || kinds().share(x.stem, y.stem) || l.names(i, j) {
				continue
			}
			if s := l.words.Similarity(x.text, y.text); s >= alikeFrom {
				found = append(found, match{i, j, s})
			}
		}
	}
	slices.SortStableFunc(found, func(x, y match) int {
		return cmp.Or(cmp.Compare(y.similarity, x.similarity), cmp.Compare(x.i, y.i), cmp.Compare(x.j, y.j))
	})
	for _, m := range found {
		if l.of[m.i] < 0 && l.back[m.j] < 0 {
			l.bind(m.i, m.j, sameMeaning)
		}
	}
}

// misspelt reports whether two long words differ in a letter or two, or one is
// the initial of the other: colour, color; S. Korea, South Korea.
func misspelt(x, y token) bool {
	a, b := x.text, y.text
	if len(a) == 1 && isUpper(x.raw) || len(b) == 1 && isUpper(y.raw) {
		return a[0] == b[0] // S. Korea
	}
	if len(a) < 6 || len(b) < 6 || a[0] != b[0] || kinds().share(x.stem, y.stem) || opposed()[[2]string{x.stem, y.stem}] != notOpposite {
		return false
	}
	most := 1
	if min(len(a), len(b)) >= 8 {
		most = 2
	}
	return editDistance(a, b, most) <= most
}

// editDistance counts letters to insert, delete, change or exchange with their
// neighbour; most+1 stands for more than most.
func editDistance(a, b string, most int) int {
	if d := len(a) - len(b); d > most || -d > most {
		return most + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// gap is a place where two texts differ: the words of one that stand where
// those of the other do, as far as they have no partner. Either may be empty.
type gap struct{ ours, theirs []int }

// gaps aligns the content words in order, along a longest common subsequence of
// partners, and gives what is left between.
func (l *alignment) gaps() []gap {
	x, y := l.a.content, l.b.content
	width := len(y) + 1
	common := make([]int, (len(x)+1)*width)
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if l.of[x[i]] == y[j] {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	var out []gap
	var g gap
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		switch {
		case i < len(x) && j < len(y) && l.of[x[i]] == y[j]:
			out, g = g.close(out), gap{}
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && common[(i+1)*width+j] >= common[i*width+j+1]:
			if l.of[x[i]] < 0 {
				g.ours = append(g.ours, x[i])
			}
			i++
		default:
			if l.back[y[j]] < 0 {
				g.theirs = append(g.theirs, y[j])
			}
			j++
		}
	}
	return g.close(out)
}

func (g gap) close(out []gap) []gap {
	if len(g.ours) > 0 || len(g.theirs) > 0 {
		out = append(out, g)
	}
	return out
}

// said gives words as they were written.
func (r Reading) said(tokens []int) string {
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = r.tokens[t].raw
	}
	return strings.Join(words, " ")
}

// Opposites reports whether two words are opposites: activates, inhibits.
func Opposites(a, b string) bool { return opposed()[[2]string{stem(a), stem(b)}] == opposite }

// Overlap reports whether one of two short phrases has all the words of the
// other, or its meaning in others.
func Overlap(a, b Reading) bool {
	l := align(a, b, nil)
	return paired(a, l.of) || paired(b, l.back)
}

// Covers reports whether two short phrases have the same words, or synonyms.
func Covers(a, b Reading) bool {
	l := align(a, b, nil)
	return len(a.content) > 0 && paired(a, l.of) && paired(b, l.back)
}

func paired(r Reading, partner []int) bool {
	return !slices.ContainsFunc(r.content, func(i int) bool { return partner[i] < 0 })
}

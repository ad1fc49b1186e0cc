package retrieval

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxCompletions is how many words a beginning stands for: those that most
	// texts have.
	maxCompletions = 32
	// maxSpellings is how many words one that no text has is read as.
	maxSpellings = 3
	// oneSlip and twoSlips are the letters that a word has at least in which
	// one slip, or two, are looked past.
	oneSlip, twoSlips = 4, 8
)

// Spelled is a word that no text has, and what it was read as.
type Spelled struct {
	Word string
	As   []string
}

// Known is a word of the index, and how many texts have it.
type Known struct {
	Word string
	Have int64
}

// Complete adds to a question the words that a beginning stands for, given those
// that begin like it.
func Complete(terms []Term, known []Known) []Term {
	known = slices.DeleteFunc(slices.Clone(known), func(k Known) bool { return k.Have <= 0 })
	slices.SortFunc(known, func(a, b Known) int { return cmp.Or(cmp.Compare(b.Have, a.Have), strings.Compare(a.Word, b.Word)) })
	out := slices.Clone(terms)
	for _, k := range known[:min(len(known), maxCompletions)] {
		out = append(out, Term{Word: k.Word, Own: 1})
	}
	return together(out)
}

// Begun gives the word of the index that the beginning of a word may already be:
// words of the index have lost their endings, so a beginning can be longer.
func Begun(prefix string) string { return stem(prefix) }

// Slips is how many letters a word may differ in from one of the index that it
// is read as: none where it is short, or has digits, which mean what they say.
func Slips(word string) int {
	letters := utf8.RuneCountInString(word)
	switch {
	case letters < oneSlip || strings.ContainsFunc(word, unicode.IsDigit):
		return 0
	case letters < twoSlips:
		return 1
	}
	return 2
}

// Respell reads a term whose word no text has as the words nearest to it in
// spelling, given all that are within as many slips as Slips allows: the nearer
// and the commoner first.
func Respell(t Term, near []Known) ([]Term, Spelled) {
	type candidate struct {
		Known
		slips int
	}
	var all []candidate
	for _, k := range near {
		if n := Distance(t.Word, k.Word, Slips(t.Word)); k.Have > 0 && n <= Slips(t.Word) {
			all = append(all, candidate{k, n})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.slips, b.slips), cmp.Compare(b.Have, a.Have), strings.Compare(a.Word, b.Word))
	})
	out := Spelled{Word: t.Word}
	var terms []Term
	for _, c := range all[:min(len(all), maxSpellings)] {
		if c.slips > all[0].slips {
			break
		}
		terms = append(terms, Term{Word: c.Word, Own: t.Own / float64(1+c.slips)})
		out.As = append(out.As, c.Word)
	}
	return terms, out
}

// Respelled puts terms for those that were read otherwise.
func Respelled(terms []Term, instead map[string][]Term) []Term {
	var out []Term
	for _, t := range terms {
		if others, read := instead[t.Word]; read {
			out = append(out, others...)
		} else {
			out = append(out, t)
		}
	}
	return together(out)
}

// Distance is how many letters have to be put in, left out, changed, or swapped
// with the next to make one word of the other; most + 1 where it is more.
func Distance(a, b string, most int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > most || len(y)-len(x) > most {
		return most + 1
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row[0] = i + 1
		least := row[0]
		for j := range y {
			n := last[j]
			if x[i] != y[j] {
				n++
			}
			n = min(n, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				n = min(n, before[j-1]+1)
			}
			row[j+1] = n
			least = min(least, n)
		}
		if least > most {
			return most + 1
		}
		before, last, row = last, row, before
	}
	return min(last[len(y)], most+1)
}

// PostingPages lists the pages that have words.
func (d *Directory) PostingPages() []int { return stretch(d.postingsFrom(), d.Pages()) }

// ReadWords gives the words of a page of postings, in order.
func ReadWords(data []byte) ([]string, error) {
	page, ok := openPage(data)
	if !ok {
		return nil, errDamaged
	}
	var out []string
	var word []byte
	c := cursor{rest: page.entries}
	for len(c.rest) > 0 {
		if word, _ = c.next(word); c.bad {
			return nil, errDamaged
		}
		out = append(out, string(word))
	}
	return out, nil
}

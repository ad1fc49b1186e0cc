// Package linediff compares two sequences: the lines of two texts, their
// words, the elements of two arrays.
//
// It is the only such comparison of the program. Compare finds a shortest way
// from one sequence to the other, as long as that is not far, and brings every
// change to one canonical place: where a run of equal lines would allow
// several, the last one, unless an earlier one meets a change on the other
// side. Two people who make the same insertion therefore make it in the same
// place, which is what a three-way merge rests on.
//
// The package is pure, and its time is bounded on any input (see maxWork).
package linediff

import (
	"iter"
	"math"
	"slices"
	"strings"
)

// Change says that old[OldLo:OldHi] became new[NewLo:NewHi]. One of the two may
// be empty, never both.
type Change struct{ OldLo, OldHi, NewLo, NewHi int }

// size is how many elements went or came.
func (c Change) size() int { return c.OldHi - c.OldLo + c.NewHi - c.NewLo }

// Lines cuts a text after each line feed; joined they give it back. Only the
// last line may lack its line feed.
func Lines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// Compare lists what changed from one sequence to the other, in order. Between
// two changes at least one element stayed.
func Compare[T comparable](before, after []T) []Change {
	return compare(nil, before, after)
}

// CompareUntil is Compare unless stop, which is asked now and then, says that
// nobody waits for it any more; then it gives up and says so.
func CompareUntil[T comparable](stop func() bool, before, after []T) (changes []Change, whole bool) {
	defer func() { whole = caught(recover()) }()
	return compare(stop, before, after), true
}

func compare[T comparable](w watch, before, after []T) []Change {
	ids := map[T]int32{}
	p := pair{number(w, len(before), slices.Values(before), ids), number(w, len(after), slices.Values(after), ids)}
	list, _ := p.compare(w, math.MaxInt)
	return list
}

// compare finds the changes, in order, until those found take so many elements;
// beyond is how many the others take.
func (p pair) compare(w watch, most int) (list []Change, beyond int) {
	p.match(w)
	w.look()
	p.settle(w)
	w.look()
	return p.changes(w, most)
}

// watch says whether to give up; nil: never.
type watch func() bool

// gaveUp is what giving up panics with, within this package.
type gaveUp struct{}

// often is how many elements are gone through between two looks.
const often = 1 << 16

func (w watch) look() {
	if w != nil && w() {
		panic(gaveUp{})
	}
}

// caught says whether something came to its end, which a panic did not.
func caught(p any) bool {
	if _, ok := p.(gaveUp); !ok && p != nil {
		panic(p)
	}
	return p == nil
}

// side is one of the two sequences: its elements as numbers, and which of them
// changed. changed has one entry more than ids, never true, so that a run may
// be looked for up to the end.
type side struct {
	ids     []int32
	changed []bool
}

type pair struct{ a, b side }

// number numbers n elements, equal ones of both sides alike.
func number[T comparable](w watch, n int, values iter.Seq[T], ids map[T]int32) side {
	s := side{ids: make([]int32, n), changed: make([]bool, n+1)}
	i := 0
	for v := range values {
		if i%often == 0 {
			w.look()
		}
		id, ok := ids[v]
		if !ok {
			id = int32(len(ids))
			ids[v] = id
		}
		s.ids[i] = id
		i++
	}
	return s
}

// changes reads the marks of both sides as a list.
func (p pair) changes(w watch, most int) (list []Change, beyond int) {
	for i, j, n := 0, 0, 0; i < len(p.a.ids) || j < len(p.b.ids); i, j, n = i+1, j+1, n+1 {
		if n%often == 0 {
			w.look()
		}
		c := Change{i, i, j, j}
		for p.a.changed[c.OldHi] {
			c.OldHi++
		}
		for p.b.changed[c.NewHi] {
			c.NewHi++
		}
		switch {
		case c.size() == 0:
		case most > 0:
			list = append(list, c)
			most -= c.size()
		default:
			beyond += c.size()
		}
		i, j = c.OldHi, c.NewHi
	}
	return list, beyond
}

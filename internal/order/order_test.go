package order_test

import (
	"cmp"
	"slices"
	"testing"

	"brenner/internal/order"

	"pgregory.net/rapid"
)

type card struct{ suit, rank, at int }

// The order is that of the standard library's stable sorting, ties included.
func TestBy_IsStableSorting(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cards := make([]card, rapid.IntRange(0, 60).Draw(rt, "n"))
		for i := range cards {
			cards[i] = card{rapid.IntRange(0, 3).Draw(rt, "suit"), rapid.IntRange(0, 5).Draw(rt, "rank"), i}
		}
		compare := func(a, b card) int { return cmp.Or(a.suit-b.suit, b.rank-a.rank) }
		want := slices.Clone(cards)
		slices.SortStableFunc(want, compare)
		if order.By(cards, compare); !slices.Equal(cards, want) {
			rt.Errorf("%v, want %v", cards, want)
		}
	})
}

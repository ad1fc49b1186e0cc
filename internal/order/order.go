// Package order puts lists of large values in order. Where package slices makes
// its sorting anew for each type and moves the values as it goes, some 10 KB of
// code a type, this sorts their places and moves each value once (ADR 215).
package order

import "slices"

// By puts a list in the order that compare says. What compares equal stays in
// the order it had.
func By[T any](list []T, compare func(a, b T) int) { copy(list, Of(list, compare)) }

// Of is the list in that order.
func Of[T any](list []T, compare func(a, b T) int) []T {
	places := sorted(len(list), func(i, j int) int { return compare(list[i], list[j]) })
	out := make([]T, len(list))
	for to, from := range places {
		out[to] = list[from]
	}
	return out
}

// sorted are the places from 0 to n in the order that compare says.
func sorted(n int, compare func(i, j int) int) []int {
	places := make([]int, n)
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, compare)
	return places
}

package brenner

import "strings"

// Nearest gives the known word that a mistyped one was probably meant to be, or
// "" if none is close enough: about one letter in three may be wrong, missing
// or too much, and one must be right. Of words equally close the first is
// given; upper and lower case are the same.
func Nearest(word string, known []string) string {
	const longest = 64 // longer ones are nobody's misspelling
	if len(word) > longest {
		return ""
	}
	best, least := "", min(len(word), len(word)/3+2)
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance counts the bytes to add, drop or change between two short words
// (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

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

// Slip gives the known word that another is but for a slip of the hand: upper and
// lower case, hyphens and underscores, one letter, or two in a long word. In a
// short one a letter may be missing or too much, not another: text is no slip
// for test. It is "" for any other word; of equals the first is given.
func Slip(word string, known []string) string {
	const short, long, longest = 6, 9, 64
	plain := func(s string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(s))
	}
	a := plain(word)
	if a == "" || len(a) > longest {
		return ""
	}
	best, least := "", 3
	for _, k := range known {
		b := plain(k)
		allowed := 1
		switch least := min(len(a), len(b)); {
		case least >= long:
			allowed = 2
		case least < 4, least < short && len(a) == len(b):
			allowed = 0
		}
		if d := distance(a, b); d <= allowed && d < least {
			best, least = k, d
		}
	}
	return best
}

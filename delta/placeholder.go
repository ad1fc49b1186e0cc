package delta

import (
	"slices"
	"strings"

	"brenner/internal/lazy"
)

// Agents leave a place for words, or say of a field that it stays as it is by
// writing so into it. Taken at their word these texts would stand in the
// document, and overwrite what was there.

// longestPlaceholder is more than any of them has.
const longestPlaceholder = 80

// placeholder says whether a text only keeps a place: "...", "TODO",
// "(unchanged)", "<observation>", "[insert condition here]". Of an outcome
// "(no change)" may well be said.
func placeholder(text string, outcome bool) bool {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > longestPlaceholder {
		return false
	}
	if strings.Trim(text, ".… ") == "" {
		return true
	}
	if open := strings.IndexByte("<[({", text[0]); open >= 0 {
		inner := strings.Trim(text, "<>[](){} ")
		if strings.ContainsAny(inner, "<>[](){}") || text[len(text)-1] != ">])}"[open] {
			return false
		}
		return !outcome && unsaid(inner, inBrackets) || text[0] == '<' && wordsOnly.MatchString(inner) || prompts.MatchString(inner) || isFieldName(fieldish(inner))
	}
	return unsaid(text, nil)
}

var (
	wordsOnly = lazy.NewPattern(`^[\p{L}_ -]+$`)
	prompts   = lazy.NewPattern(`(?i)^(?:insert|your|fill in|describe|add|enter|placeholder|todo|tbd)\b[\p{L}_ -]*$`)
)

// unsaid says whether words say nothing of their own, or are among more such.
func unsaid(words string, more []string) bool {
	same := func(w string) bool { return strings.EqualFold(w, words) }
	return slices.ContainsFunc(emptyWords, same) || slices.ContainsFunc(more, same)
}

// Words that say nothing anywhere, and those that say nothing in brackets: an
// anomaly may well be unchanged.
var (
	emptyWords = []string{"todo", "tbd", "fixme", "placeholder", "to be filled in", "same as before", "same as above", "as above", "see above", "keep as is", "leave as is"}
	inBrackets = []string{"unchanged", "no change", "no changes", "not changed", "same", "as before", "keep", "as is", "existing"}
)

func fieldish(words string) string { return strings.ReplaceAll(strings.ToLower(words), " ", "_") }

// misspelled gives the name that a word is but for a letter or two; "" if it is
// none.
func misspelled(word string, names []string) string {
	word = strings.ToLower(word)
	for _, n := range names {
		const shortest, wrong = 6, 2
		if len(n) < shortest || len(word)-len(n) > wrong || len(n)-len(word) > wrong {
			continue
		}
		same := 0
		for same < min(len(n), len(word)) && n[same] == word[same] {
			same++
		}
		rest, tail := min(len(n), len(word))-same, 0
		for tail < rest && n[len(n)-1-tail] == word[len(word)-1-tail] {
			tail++
		}
		if same+tail >= max(len(n), len(word))-wrong && word != n {
			return n
		}
	}
	return ""
}

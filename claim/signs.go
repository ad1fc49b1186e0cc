package claim

import (
	"slices"
	"strings"
	"unicode"

	"brenner/internal/lazy"
)

// Signs and words that the rules do not read, but that make two sentences say
// different things: operators and names with signs in them (== and !=, C and
// C++), the negations of other languages, and what stands behind the words that
// are read at all.

// unread finds in what two sentences differ where they are not read.
func unread(a, b Reading) []Difference {
	if d, found := denialsDiffer(a.text, b.text); found {
		return []Difference{d}
	}
	if d, found := signsDiffer(a.text, b.text); found {
		return []Difference{d}
	}
	return restDiffers(a.rest, b.rest)
}

// signs are those of a text: telling are the operators of two signs or more and
// what ends a name, as in C#; all are these and the single ones.
type signs struct{ telling, all []string }

// signLetters may be part of an operator. A star or an underscore marks print,
// and other signs are punctuation.
const signLetters = "=<>!&|+#^~@$\\[]{}"

// signsOf reads the signs of a text. Those at a number belong to it and are read
// with it.
func signsOf(text string) (out signs) {
	runes := []rune(text)
	at := func(i int) rune {
		if i < 0 || i >= len(runes) {
			return ' '
		}
		return runes[i]
	}
	for i := 0; i < len(runes); i++ {
		from := i
		for i < len(runes) && strings.ContainsRune(signLetters, runes[i]) {
			i++
		}
		run := string(runes[from:i])
		if run == "" || unicode.IsDigit(beyond(runes, from-1, -1)) || unicode.IsDigit(beyond(runes, i, 1)) {
			continue
		}
		if strings.Trim(run, "!") == "" && !(unicode.IsLetter(at(i)) && !unicode.IsLetter(at(from-1))) {
			continue // somebody calls out
		}
		named := unicode.IsLetter(at(from-1)) && !unicode.IsLetter(at(i)) && strings.Trim(run, "+#") == ""
		if named {
			run = string(unicode.ToLower(at(from-1))) + run
		}
		if named || len(run) > 1 {
			out.telling = append(out.telling, run)
		}
		out.all = append(out.all, run)
	}
	return out
}

// beyond is the next letter or sign from a place on in one direction.
func beyond(runes []rune, i, step int) rune {
	for i >= 0 && i < len(runes) && runes[i] == ' ' {
		i += step
	}
	if i < 0 || i >= len(runes) {
		return ' '
	}
	return runes[i]
}

// signsDiffer finds operators that only one sentence has, and any sign in which
// sentences of the same words differ.
func signsDiffer(a, b string) (Difference, bool) {
	ours, theirs := signsOf(a), signsOf(b)
	if len(ours.all)+len(theirs.all) == 0 {
		return Difference{}, false
	}
	x, y := slices.Sorted(slices.Values(ours.telling)), slices.Sorted(slices.Values(theirs.telling))
	if slices.Equal(x, y) {
		if x, y = ours.all, theirs.all; slices.Equal(x, y) || !slices.Equal(lowerWords(a), lowerWords(b)) {
			return Difference{}, false
		}
	}
	return Difference{Kind: Object, Ours: strings.Join(x, " "), Theirs: strings.Join(y, " ")}, true
}

// lowerWords are the words and numbers of a text.
func lowerWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// denials are words of other languages that turn a sentence round, one for each
// negation: of ne … pas the second.
var denials = lazy.NewWords(`
	nicht kein keine keinen keinem keiner keines nie niemals nichts niemand nirgends weder ohne
	pas jamais rien aucun aucune sans
	nunca jamás sin ningún ninguna ninguno nada nadie tampoco
	inte ej icke aldrig ingen inget inga ingenting varken utan
	ikke aldri intet uden uten
	niet geen nooit niets zonder
	senza nessun nessuno nessuna niente
	não nenhum nenhuma
`)

// denialsDiffer finds that one sentence is turned round in another language more
// often than the other.
func denialsDiffer(a, b string) (Difference, bool) {
	said := func(text string) (out []string) {
		for _, w := range lowerWords(text) {
			if denials.Has(w) {
				out = append(out, w)
			}
		}
		return out
	}
	ours, theirs := said(a), said(b)
	if len(ours) == len(theirs) {
		return Difference{}, false
	}
	return Difference{
		Kind: Negation, Ours: strings.Join(ours, " "), Theirs: strings.Join(theirs, " "), Opposes: (len(ours)+len(theirs))%2 == 1,
	}, true
}

// restDiffers finds that sentences go on differently behind the words that are
// read.
func restDiffers(a, b string) []Difference {
	ours, theirs := lowerWords(a), lowerWords(b)
	i := 0
	for i < min(len(ours), len(theirs)) && ours[i] == theirs[i] {
		i++
	}
	if i == len(ours) && i == len(theirs) {
		return nil
	}
	word := func(words []string) string { return strings.Join(words[i:min(i+1, len(words))], "") }
	return []Difference{{Kind: Object, Ours: word(ours), Theirs: word(theirs)}}
}

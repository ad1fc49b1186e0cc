package retrieval

import "strings"

// stem reduces an English word to its stem by Porter's algorithm ("An algorithm
// for suffix stripping", 1980, with the two rules its author added later), so
// that "connected", "connecting" and "connection" are one word. Words with
// anything but the letters a–z stay as they are.
func stem(w string) string {
	if len(w) < 3 {
		return w
	}
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return w
		}
	}
	w = plural(w)
	w = participle(w)
	if s, ok := strings.CutSuffix(w, "y"); ok && hasVowel(s) {
		w = s + "i"
	}
	w = longest(w, doubleSuffixes, 0)
	w = longest(w, derivations, 0)
	w = residue(w)
	return tidy(w)
}

// suffixRule replaces a suffix.
type suffixRule struct{ from, to string }

// Longer suffixes stand before the shorter ones they end in.
var (
	doubleSuffixes = []suffixRule{
		{"ational", "ate"},
		{"tional", "tion"},
		{"enci", "ence"},
		{"anci", "ance"},
		{"izer", "ize"},
		{"logi", "log"},
		{"bli", "ble"},
		{"alli", "al"},
		{"entli", "ent"},
		{"eli", "e"},
		{"ousli", "ous"},
		{"ization", "ize"},
		{"ation", "ate"},
		{"ator", "ate"},
		{"alism", "al"},
		{"iveness", "ive"},
		{"fulness", "ful"},
		{"ousness", "ous"},
		{"aliti", "al"},
		{"iviti", "ive"},
		{"biliti", "ble"},
	}
	derivations = []suffixRule{
		{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
	}
	residues = []suffixRule{
		{"al", ""},
		{"ance", ""},
		{"ence", ""},
		{"er", ""},
		{"ic", ""},
		{"able", ""},
		{"ible", ""},
		{"ant", ""},
		{"ement", ""},
		{"ment", ""},
		{"ent", ""},
		{"ou", ""},
		{"ism", ""},
		{"ate", ""},
		{"iti", ""},
		{"ous", ""},
		{"ive", ""},
		{"ize", ""},
	}
)

// plural is step 1a.
func plural(w string) string {
	switch {
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "ies"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ss"):
		return w
	}
	return strings.TrimSuffix(w, "s")
}

// participle is step 1b.
func participle(w string) string {
	if s, ok := strings.CutSuffix(w, "eed"); ok {
		if measure(s) > 0 {
			return s + "ee"
		}
		return w
	}
	s, ok := strings.CutSuffix(w, "ed")
	if !ok {
		s, ok = strings.CutSuffix(w, "ing")
	}
	if !ok || !hasVowel(s) {
		return w
	}
	switch {
	case strings.HasSuffix(s, "at"), strings.HasSuffix(s, "bl"), strings.HasSuffix(s, "iz"):
		return s + "e"
	case doubled(s) && !strings.ContainsRune("lsz", rune(s[len(s)-1])):
		return s[:len(s)-1]
	case measure(s) == 1 && shortEnd(s):
		return s + "e"
	}
	return s
}

// residue is step 4, where the stem that is left must be longer.
func residue(w string) string {
	s, ok := strings.CutSuffix(w, "ion")
	if ok && (strings.HasSuffix(s, "s") || strings.HasSuffix(s, "t")) && measure(s) > 1 {
		return s
	}
	return longest(w, residues, 1)
}

// longest applies the first rule whose suffix the word has, if the measure of
// what stands before it is above the bound; no other rule is tried.
func longest(w string, rules []suffixRule, above int) string {
	for _, r := range rules {
		s, ok := strings.CutSuffix(w, r.from)
		if !ok {
			continue
		}
		if measure(s) > above {
			return s + r.to
		}
		return w
	}
	return w
}

// tidy is step 5: a last e, a doubled l.
func tidy(w string) string {
	if s, ok := strings.CutSuffix(w, "e"); ok {
		if m := measure(s); m > 1 || m == 1 && !shortEnd(s) {
			w = s
		}
	}
	if strings.HasSuffix(w, "ll") && measure(w) > 1 {
		return w[:len(w)-1]
	}
	return w
}

// consonant reports whether the letter at i is one; y is, at the beginning
// and after a vowel.
func consonant(w string, i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return i == 0 || !consonant(w, i-1)
	}
	return true
}

func hasVowel(w string) bool {
	for i := range len(w) {
		if !consonant(w, i) {
			return true
		}
	}
	return false
}

// measure counts how often a vowel is followed by a consonant.
func measure(w string) int {
	n, vowel := 0, false
	for i := range len(w) {
		c := consonant(w, i)
		if c && vowel {
			n++
		}
		vowel = !c
	}
	return n
}

// doubled reports whether the word ends in a doubled consonant.
func doubled(w string) bool {
	n := len(w)
	return n > 1 && w[n-1] == w[n-2] && consonant(w, n-1)
}

// shortEnd reports whether the word ends consonant, vowel, consonant, the last
// not w, x or y.
func shortEnd(w string) bool {
	n := len(w)
	return n > 2 && consonant(w, n-3) && !consonant(w, n-2) && consonant(w, n-1) && !strings.ContainsRune("wxy", rune(w[n-1]))
}

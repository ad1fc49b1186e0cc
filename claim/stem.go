package claim

import (
	"strings"
	"unicode"

	"brenner/internal/lazy"
)

// stem strips the commonest endings, alike for words of one family and for
// British and American spelling; the result need not be a word.
func stem(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"), len(w) > 4 && strings.HasSuffix(w, "ied"):
		w = w[:len(w)-3] + "y"
	case len(w) > 5 && strings.HasSuffix(w, "ing"):
		w = undouble(w[:len(w)-3])
	case len(w) > 4 && strings.HasSuffix(w, "ed"):
		w = undouble(w[:len(w)-2])
	case len(w) > 4 && strings.HasSuffix(w, "es"):
		w = w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:len(w)-1]
	}
	if irregular, ok := irregulars()[w]; ok {
		return irregular
	}
	if len(w) > 3 {
		w = strings.TrimSuffix(w, "e")
	}
	if len(w) > 4 {
		w = american(w)
	}
	return w
}

// undouble turns "runn" into "run", but leaves "pass" and "call".
func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("sl", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}

// american gives the spelling that both sides of the ocean share here.
func american(w string) string {
	for _, ending := range [][2]string{{"is", "iz"}, {"isation", "ization"}, {"our", "or"}, {"tre", "ter"}, {"tr", "ter"}, {"ys", "yz"}, {"ell", "el"}} {
		if base, ok := strings.CutSuffix(w, ending[0]); ok && len(base) > 2 {
			return base + ending[1]
		}
	}
	return w
}

var irregulars = lazy.Value(func() map[string]string {
	return map[string]string{
		"men": "man", "women": "woman", "children": "child", "people": "person", "feet": "foot", "teeth": "tooth", "mice": "mouse",
		"ran": "run", "wrote": "writ", "written": "writ", "built": "build", "kept": "keep", "sent": "send", "held": "hold", "found": "find",
		"told": "tell", "said": "say", "took": "tak", "taken": "tak", "gave": "giv", "given": "giv", "went": "go", "gone": "go",
		"made": "mak", "knew": "know", "known": "know", "grew": "grow", "grown": "grow", "began": "begin", "begun": "begin",
		"chose": "choos", "chosen": "choos", "rose": "ris", "risen": "ris", "fell": "fall", "fallen": "fall", "broke": "break",
		"broken": "break", "spoke": "speak", "spoken": "speak", "froze": "freez", "frozen": "freez", "lost": "los", "left": "left",
		"met": "meet", "paid": "pay", "ate": "eat", "eaten": "eat", "drew": "draw", "drawn": "draw", "shown": "show", "sold": "sell",
		"bought": "buy", "thought": "think", "taught": "teach", "led": "lead", "fed": "feed", "bound": "bind", "hid": "hid",
		"grey": "gray", "metre": "meter", "litre": "liter", "metr": "meter", "litr": "liter", "indices": "index", "indexes": "index", "matrices": "matrix", "criteria": "criterion", "phenomena": "phenomenon",
		"analyses": "analysi", "hypotheses": "hypothesi", "bacteria": "bacterium", "data": "data", "media": "medium",
	}
})

// familyEndings are what derives one word from another: a document, its
// documentation.
var familyEndings = []string{
	"ization", "isation", "ation", "ition", "ment", "ness", "ability", "ibility", "ity", "able", "ible", "ally", "ial", "ian", "al", "ive",
	"ion", "ance", "ence", "ly", "ful", "ous", "iz", "at", "er", "or", "y",
}

// family is the part that words derived from one another share.
func family(stem string) string {
	for _, ending := range familyEndings {
		if base, ok := strings.CutSuffix(stem, ending); ok && len(base) >= 5 {
			return base
		}
	}
	return stem
}

// kin reports whether one word is derived from the other.
func kin(a, b string) bool {
	if len(a) < 5 || len(b) < 5 || a[:4] != b[:4] {
		return false
	}
	x, y := family(a), family(b)
	return x == y || x == b || y == a
}

// Words gives the stems of the words of a text that name something, in order.
func Words(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !lightWords.Has(w) {
			out = append(out, stem(w))
		}
	}
	return out
}

package anchor

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// oddities says what a lens makes of the characters that an author wrote.
func (l *lens) oddities(base *census, quoted, actual string) func(string) (string, bool) {
	if l.cause != CauseEscapeLevel {
		return oddities(base, quoted, actual)
	}
	// Which of them the text would escape nobody can tell.
	var escaped strings.Builder
	for _, e := range escapePattern.FindAllString(actual+quoted, -1) {
		escaped.WriteString(unescape(e) + `\`)
	}
	return func(s string) (string, bool) { return s, !strings.ContainsAny(s, escaped.String()) }
}

// oddities makes the function that rids what an author wrote of the characters
// which a quotation has and the quoted text has not: whatever put them there
// put them into the new block as well. The function is not sure where a
// character might have been meant: because the text uses it elsewhere, or
// because it is what the author writes for something that the text spells
// otherwise.
func oddities(base *census, quoted, actual string) func(string) (string, bool) {
	alien, strange := map[rune]bool{}, false
	marks, lostMarks := false, false
	ofQuoted, ofActual := censusOf(quoted), censusOf(actual)
	for _, r := range quoted {
		if ofActual.has(r) {
			continue
		}
		_, odd := plainLook(r)
		alien[r], strange = odd, strange || odd
		marks = marks || unicode.IsMark(r)
	}
	flattened := map[string]rune{} // what the author writes, and the text's own
	for _, r := range actual {
		if ofQuoted.has(r) {
			continue
		}
		if plain, odd := plainLook(r); odd && plain != "" {
			flattened[plain] = r
		}
		lostMarks = lostMarks || unicode.IsMark(r)
	}
	return func(s string) (string, bool) {
		sure := true
		out := foldRunes(s, func(r rune) (string, bool) {
			if own, ok := flattened[string(r)]; ok && prefers(base, own, r) {
				sure = false
			}
			if !alien[r] {
				if _, odd := confusables()[r]; odd && strange && !base.has(r) {
					sure = false // of the same kind, and not in the quotation
				}
				return "", false
			}
			if base.has(r) {
				sure = false
			}
			if lineBreak(r) {
				return "\n", true
			}
			return plainLook(r)
		}).text
		switch {
		case marks:
			composed := norm.NFC.String(out)
			sure = sure && (composed == out || base.normal(norm.NFC))
			out = composed
		case lostMarks:
			apart := norm.NFD.String(out)
			sure = sure && (apart == out || base.normal(norm.NFD))
			out = apart
		}
		return out, sure
	}
}

// prefers says that a text has its own character about as often as the plain
// one that an author writes for it.
func prefers(base *census, own, plain rune) bool {
	return 2*base.count(own) >= base.count(plain)
}

// cleaned takes out of a text what a text editor would not put in.
func cleaned(s string) string {
	return norm.NFC.String(foldRunes(s, plainSpace).text)
}

package retrieval

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Asked is what somebody who searches wrote, taken apart.
type Asked struct {
	// Terms are its words, those of phrases too.
	Terms []Term
	// Prefixes are the beginnings of words, written as catal*.
	Prefixes []string
	// Phrases are what stands between quotation marks: words, or one, that follow
	// each other in just this form, as Plain gives them.
	Phrases []string
	// Filters are what was written as type:memo, by key.
	Filters []Filter
	// Unread are words that look like a condition and have no known key; they are
	// among the words.
	Unread []string
	// Common is what is left of the text where all of its words are too common to be
	// looked for.
	Common string
}

// Filter is a condition besides the words.
type Filter struct{ Key, Value string }

// Ask takes apart what somebody wrote: words, "a phrase", a beginning*, and
// key:value for the keys that are known. What is none of these is words: no text
// is refused.
func Ask(text string, keys ...string) Asked {
	var a Asked
	var words strings.Builder
	quote := strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`)
	for text = quote.Replace(text); text != ""; {
		r, size := utf8.DecodeRuneInString(text)
		if unicode.IsSpace(r) {
			text = text[size:]
			continue
		}
		if r == '"' {
			var phrase string
			phrase, text = quoted(text)
			words.WriteString(phrase + " ")
			if plain := Plain(phrase); plain != "" {
				a.Phrases = append(a.Phrases, plain)
			}
			continue
		}
		if f, rest, ok := filter(text, keys); ok {
			a.Filters, text = append(a.Filters, f), rest
			continue
		}
		word := text
		if i := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '"' }); i >= 0 {
			word = text[:i]
		}
		text = text[len(word):]
		if likeFilter(word) {
			a.Unread = append(a.Unread, word)
		}
		if begun, ok := strings.CutSuffix(word, "*"); ok && begun != "" {
			// Of Tris-HC* the last word is begun, the others are whole.
			plain := Plain(begun)
			at := strings.LastIndexByte(plain, ' ') + 1
			if last := plain[at:]; last != "" {
				a.Prefixes = append(a.Prefixes, last)
			}
			word = plain[:at]
		}
		words.WriteString(word + " ")
	}
	if a.Terms = Question(words.String()); len(a.Terms) == 0 {
		a.Common = Plain(words.String())
	}
	slices.Sort(a.Prefixes)
	a.Prefixes = slices.Compact(a.Prefixes)
	return a
}

// quoted reads what stands between quotation marks; where the second is missing,
// everything.
func quoted(text string) (inside, rest string) {
	inside, rest, _ = strings.Cut(text[1:], `"`)
	return inside, rest
}

// filter reads key:value or key:"some value".
func filter(text string, keys []string) (f Filter, rest string, ok bool) {
	key, value, found := strings.Cut(text, ":")
	if !found || !slices.Contains(keys, strings.ToLower(key)) || value == "" {
		return f, "", false
	}
	if value[0] == '"' {
		f.Value, rest = quoted(value)
	} else if i := strings.IndexFunc(value, unicode.IsSpace); i >= 0 {
		f.Value, rest = value[:i], value[i:]
	} else {
		f.Value = value
	}
	f.Key = strings.ToLower(key)
	return f, rest, f.Value != ""
}

// likeFilter reports whether a word looks like a condition: letters, a colon and
// a value. TODO:, 12:30 and http://x.org do not.
func likeFilter(word string) bool {
	key, value, _ := strings.Cut(word, ":")
	first, _ := utf8.DecodeRuneInString(value)
	return key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") == "" &&
		(unicode.IsLetter(first) || unicode.IsDigit(first)) && !strings.Contains(value, ":")
}

// Empty reports that there is nothing to look for.
func (a Asked) Empty() bool { return len(a.Terms)+len(a.Prefixes) == 0 }

// Plain gives the words of a text as they stand there, in lower case and without
// accents, the commonest too, with one blank between them.
func Plain(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	inside := false
	for _, r := range undressed(text) {
		switch {
		case ideograph(r):
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteRune(r)
			inside = false
		case unicode.Is(unicode.Mn, r):
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !inside && b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteRune(unicode.ToLower(r))
			inside = true
		default:
			inside = false
		}
	}
	return b.String()
}

// ideograph reports whether a letter is a word of its own.
func ideograph(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }

// HasPhrase reports whether the words of a phrase follow each other in a text;
// both are as Plain gives them.
func HasPhrase(plain, phrase string) bool {
	return strings.Contains(" "+plain+" ", " "+phrase+" ")
}

package roster

import (
	"strings"
	"time"
	"unicode"

	"brenner"

	"golang.org/x/text/unicode/norm"
)

// maxSlug bounds the part of a session id that comes from the question.
const maxSlug = 40

// NewSessionID names a session RS-YYYYMMDD-slug after the day, in UTC, and the
// first words of its question. The same question on the same day gives the
// same id; keeping ids apart is for whoever knows which exist.
func NewSessionID(at time.Time, question string) brenner.SessionID {
	return brenner.SessionID("RS-" + at.UTC().Format("20060102") + "-" + slug(question))
}

// slug is as many whole words as fit, in lower-case ASCII; accents are dropped.
func slug(s string) string {
	words := strings.FieldsFunc(strings.ToLower(norm.NFKD.String(s)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r)
	})
	out := ""
	for _, w := range words {
		w = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, w)
		switch {
		case w == "":
			continue
		case out == "":
			out = w[:min(len(w), maxSlug)]
		case len(out)+1+len(w) > maxSlug:
			return out
		default:
			out += "-" + w
		}
	}
	if out == "" {
		return "session"
	}
	return out
}

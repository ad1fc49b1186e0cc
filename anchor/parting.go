package anchor

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner/internal/lazy"
	"brenner/internal/linediff"
)

// parting is a stretch where a quoted line and its line of the text differ.
type parting struct{ quoted, text, before, behind string }

// rewritten: the same kind of character stands otherwise, line for line.
func (a alignment) rewritten() (verdict, bool) {
	var all []parting
	_, paired := a.differing(func(i int, quoted, text string) bool {
		if a.of[i] < 0 {
			return !telling(quoted) // signs alone are like no other line
		}
		all = append(all, partings(quoted, text)...)
		return true
	})
	if !paired || len(all) == 0 || !a.gapless() {
		return verdict{}, false
	}
	cause := Cause("")
	for _, p := range all {
		c := p.cause()
		if c == "" || cause != "" && cause != c && c != CauseWhitespace && cause != CauseWhitespace {
			return verdict{}, false
		}
		if cause == "" || cause == CauseWhitespace {
			cause = c
		}
	}
	switch cause {
	case CauseEscapeLevel:
		return verdict{cause, "it is escaped otherwise than the text", "write the characters as the text has them", nil}, true
	case CauseElided:
		return verdict{cause, "it has a mask where the text goes on", "quote the text in full", nil}, true
	case CauseInvisible:
		return verdict{cause, "it differs in characters that cannot be seen", "copy the characters the text has", nil}, true
	case CauseConfusable:
		return verdict{cause, "it differs in characters that look alike or stand for one another", "copy the characters the text has", nil}, true
	}
	return verdict{CauseWhitespace, "it differs in white space only", "copy the white space the text has; old_block is compared exactly", nil}, true
}

// partings compares two lines character by character, indentation aside.
func partings(quoted, text string) []parting {
	q, t := []rune(strings.TrimLeft(quoted, " \t")), []rune(strings.TrimLeft(text, " \t"))
	var out []parting
	for _, c := range linediff.Compare(q, t) {
		out = append(out, parting{
			quoted: string(q[c.OldLo:c.OldHi]), text: string(t[c.NewLo:c.NewHi]),
			before: string(t[max(0, c.NewLo-2):c.NewLo]), behind: string(t[c.NewHi:min(len(t), c.NewHi+2)]),
		})
	}
	return out
}

// cause names what kind of difference this is, "" if it is a word that differs.
func (p parting) cause() Cause {
	bare := func(s string) string {
		return strings.Map(func(r rune) rune {
			if invisible(r) {
				return -1
			}
			return r
		}, colours.ReplaceAllString(s, ""))
	}
	space := strings.TrimSpace(p.quoted+p.text) == ""
	switch {
	case bare(p.quoted) == bare(p.text), space && strings.ContainsFunc(p.quoted+p.text, oddSpace):
		return CauseInvisible
	case space:
		return CauseWhitespace
	case mask.MatchString(p.quoted) && p.text != "":
		return CauseElided
	case p.escapes(p.quoted, p.text), p.escapes(p.text, p.quoted):
		return CauseEscapeLevel
	case standFor(p.quoted, p.text), standFor(p.text, p.quoted):
		return CauseConfusable
	}
	return ""
}

// escapeForms are the ways of writing a character as something else, or the
// part of them that is put beside it.
var escapeForms = lazy.NewPattern(`^(?:` + strings.Join([]string{
	`['"]?\\+['"]{0,2}`, `\\+(?:[0-7]{1,3}|[xuUN]\{?[0-9A-Za-z +]*\}?|[abefnrtv0]|text\w+\{?\}?|\pP|\pS)`, `\{?\\+[\pP\pS]?\}?`, // backslashes
	`&?#?\w{2,8};`, `(?:amp;)+`, `&#x?[0-9A-Fa-f]+;`, // entities
	`(?:%[0-9A-Fa-f]{2})+`, `%(?:25)*`, `25`, `=[0-9A-F]{2}`, `_x[0-9A-F]{4}_`, // addresses, mail, spreadsheets
	`(?:\^[A-Z@\[])+`, `\\?\$['"]?`, `\\?[{}]`,
}, "|") + `)$`)

// escapes says that one side writes as an escape what the other has plainly.
func (p parting) escapes(written, plain string) bool {
	if written == "" || len([]rune(plain)) > 2 || strings.ContainsFunc(plain, func(r rune) bool { return r < utf8.RuneSelf && inWord(r) }) {
		return false
	}
	beside := func(s string) bool {
		return strings.HasSuffix(p.before, s) || strings.HasPrefix(p.behind, s)
	}
	if plain == "" && strings.ContainsAny(written, `'"%$\{}&`) && beside(written) {
		return true // doubled
	}
	if plain == " " && written == "+" {
		return true
	}
	if sign, _ := utf8.DecodeLastRuneInString(p.before); plain == "" && p.before != "" && written == fmt.Sprintf("%02X", sign) {
		return true // a sign and its number: =3D, %25
	}
	return escapeForms.MatchString(written) && (plain != "" || strings.ContainsAny(written, `\&%^;`))
}

// standFor says that one side has a sign outside ASCII for one or a few
// characters of the other, or a letter or digit that is easily taken for
// another.
func standFor(odd, plain string) bool {
	const most = 4
	if odd == "" || plain == "" || utf8.RuneCountInString(odd) > most || utf8.RuneCountInString(plain) > most {
		return false
	}
	for _, group := range alikes {
		if slices.Contains(group, odd) && slices.Contains(group, plain) {
			return true
		}
	}
	ascii := func(r rune) bool { return r < utf8.RuneSelf }
	return !strings.ContainsFunc(odd, ascii) && !strings.ContainsFunc(plain, func(r rune) bool { return !ascii(r) })
}

// alikes are groups of plain characters that are mistaken for one another.
var alikes = [][]string{{"0", "O", "o"}, {"1", "l", "I", "|"}, {"'", `"`, "`", "''", "``"}, {"rn", "m"}, {"vv", "w"}, {"cl", "d"}, {"5", "S"}, {"8", "B"}}

package delta

import (
	"fmt"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner"
	"brenner/internal/lazy"

	"github.com/go-json-experiment/json/jsontext"
)

// Texts that lost something on their way are refused: a control character,
// which JSON makes of the TeX command \beta, or U+FFFD, which stands where a
// character could not be read. Nobody would notice them in the document.

// checkTexts reports INVALID_TEXT for a garbled text of a delta, with the JSON
// pointer. clean says that those of the payload were seen to be in order.
func checkTexts(d *Delta, payload string, clean bool) *brenner.Error {
	if found := findGarble(d.Rationale); found != nil {
		return found.refuse("/rationale")
	}
	if clean {
		return nil
	}
	dec := jsontext.NewDecoder(strings.NewReader(payload))
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return nil //nolint:nilerr // the payload is canonical; this is its end
		}
		if tok.Kind() != '"' {
			continue
		}
		if found := findGarble(tok.String()); found != nil {
			return found.refuse("/payload" + string(dec.StackPointer()))
		}
	}
}

// garble is a character that nobody meant.
type garble struct {
	at     int // in the text
	char   rune
	escape string // of JSON that makes it, such as \b
	tex    string // the TeX command that was probably meant, such as \beta
	entity string // of HTML, written by its number, such as &#946;
}

func (g *garble) refuse(pointer string) *brenner.Error {
	if g.entity != "" {
		return brenner.Errorf(brenner.CodeInvalidText, "the text has a character as HTML writes it (%s)", g.entity).At(pointer).
			WithHint("write the character itself: " + html.UnescapeString(g.entity))
	}
	hint := "write the text without it"
	switch {
	case g.tex != "":
		hint = fmt.Sprintf(`in JSON %s is a control character; for %s write \%s`, g.escape, g.tex, g.tex)
	case g.char == utf8.RuneError:
		hint = "something could not be read before it came here; write the character again, in UTF-8"
	case g.char == '\r':
		hint = `end lines with \n`
	}
	what := "a control character"
	if g.char == utf8.RuneError {
		what = "a replacement character"
	}
	return brenner.Errorf(brenner.CodeInvalidText, "the text has %s (U+%04X)", what, g.char).At(pointer).WithHint(hint)
}

// entities are characters that HTML writes by their number.
var entities = lazy.NewPattern(`&#(?:[0-9]{2,6}|[xX][0-9a-fA-F]{2,5});`)

// escapes are the control characters that JSON has a letter for.
var escapes = map[rune]byte{'\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// findGarble finds the first character of a text that cannot have been meant.
// Line feeds and tabs are, unless they open a TeX command.
func findGarble(text string) *garble {
	if strings.Contains(text, "&#") {
		if at := entities.FindStringIndex(text); at != nil {
			return &garble{at: at[0], entity: text[at[0]:at[1]]}
		}
	}
	if printableASCII(text) {
		return nil
	}
	for i, r := range text {
		if r >= ' ' && r != 0x7F && (r < 0x80 || r > 0x9F) && r != utf8.RuneError {
			continue
		}
		g := &garble{at: i, char: r}
		if letter, ok := escapes[r]; ok {
			g.escape = `\` + string(letter)
			g.tex = texCommand(text[:i], letter, text[i+1:])
		}
		switch {
		case g.tex != "":
			return g
		case r == '\n' || r == '\t':
		case r == '\r' && strings.HasPrefix(text[i+1:], "\n"):
		default:
			return g
		}
	}
	return nil
}

// texCommand gives the TeX command that a control character and the letters
// after it were before JSON read its backslash as an escape, "" if it was
// none. \b and \f are never meant, so any letters will do; a line that begins
// with "u" may be a line, so that \nu counts only inside a formula.
func texCommand(before string, letter byte, after string) string {
	after = after[:min(len(after), 24)] // longer than any command
	n := strings.IndexFunc(after, func(r rune) bool { return r >= utf8.RuneSelf || !unicode.IsLetter(r) })
	if n < 0 {
		n = len(after)
	}
	command := string(letter) + after[:n]
	sure, listed := texCommands()[command]
	switch {
	case n > 0 && (letter == 'b' || letter == 'f'):
	case listed && (sure || inFormula(before)):
	default:
		return ""
	}
	return `\` + command
}

// texCommands are those that begin like an escape of JSON; true if what is left
// of them is no word.
var texCommands = lazy.Value(func() map[string]bool {
	all := map[string]bool{}
	for _, c := range strings.Fields(`nabla natural neq not notin nleq ngeq nsubseteq newcommand rho right rightarrow
		rightleftharpoons rangle rceil rfloor rvert tanh tau text textbf textit textrm textsc tfrac theta thickapprox tilde times triangle`) {
		all[c] = true
	}
	for _, c := range strings.Fields(`ne neg nexists newline ni nu ref rm root tan therefore to top tt`) {
		all[c] = false
	}
	return all
})

// inFormula says whether a text ends inside a formula; of a long one the end is
// looked at.
func inFormula(before string) bool {
	before = before[max(0, len(before)-1000):]
	return strings.Count(before, "$")%2 == 1 || strings.HasSuffix(before, `\(`) || strings.HasSuffix(before, "^") || strings.HasSuffix(before, "_")
}

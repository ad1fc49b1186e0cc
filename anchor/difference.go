package anchor

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner"
)

// Difference is the first place where a quotation and the text part.
type Difference struct {
	// Line and Column, from 1 and in characters, say where in the text.
	Line   int `json:"line"`
	Column int `json:"column"`
	// TextLine and PatchLine show both lines with every character that cannot
	// be seen written out as ⟨U+XXXX⟩.
	TextLine  string `json:"text_line"`
	PatchLine string `json:"patch_line"`
	// Caret is how many characters of TextLine stand before the difference.
	Caret int `json:"caret"`
	// TextChar and PatchChar name the two characters, such as
	// "U+00A0 NO-BREAK SPACE", or say that one side ends.
	TextChar  string `json:"text_char"`
	PatchChar string `json:"patch_char"`
}

// difference compares a quotation with the text at a position. It is nil if the
// text has the quotation right there.
func difference(text string, at int, quotation string) *Difference {
	n := commonPrefix(text[at:], quotation)
	for n > 0 && n < len(quotation) && !utf8.RuneStart(quotation[n]) {
		n--
	}
	if n == len(quotation) {
		return nil
	}
	d := Difference{}
	d.Line, d.Column = position(text, at+n)
	d.TextChar, d.PatchChar = charName(text[at+n:]), charName(quotation[n:])
	lineStart := strings.LastIndexByte(text[:at+n], '\n') + 1
	shared := max(lineStart, at) // what of the line the quotation covers
	before := clipLeft(text[lineStart : at+n])
	d.Caret = utf8.RuneCountInString(visible(before))
	d.TextLine = visible(before + lineOf(text[at+n:]))
	d.PatchLine = strings.Repeat(" ", max(0, d.Caret-utf8.RuneCountInString(visible(clipLeft(text[shared:at+n]))))) +
		visible(clipLeft(text[shared:at+n])+lineOf(quotation[n:]))
	return &d
}

// lineOf gives the rest of a line with its newline, clipped.
func lineOf(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i+1]
	}
	return brenner.Clip(s, 80)
}

// clipLeft keeps the end of what stands before a difference.
func clipLeft(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[len(s)-most:], "")
}

// visible writes out every character that cannot be seen or told from another.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString("⏎")
		case r == ' ', r == '…', plain(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
	}
	return b.String()
}

func plain(r rune) bool {
	if _, odd := confusables()[r]; odd || unicode.IsMark(r) {
		return false
	}
	return unicode.IsGraphic(r) && !unicode.IsSpace(r)
}

func charName(s string) string {
	if s == "" {
		return "the end"
	}
	r, _ := utf8.DecodeRuneInString(s)
	code := fmt.Sprintf("U+%04X", r)
	if name, ok := names[r]; ok {
		return code + " " + name
	}
	if plain(r) {
		return fmt.Sprintf("%s %q", code, string(r))
	}
	if unicode.IsMark(r) {
		return code + " (combining mark)"
	}
	if base, ok := confusables()[r]; ok {
		return fmt.Sprintf("%s %q, which looks like %q", code, string(r), base)
	}
	return code
}

// String shows both lines with a caret under the first difference.
func (d Difference) String() string {
	return fmt.Sprintf("  line %d, column %d\n  text:  %s\n  patch: %s\n         %s^ the text has %s, the patch has %s",
		d.Line, d.Column, d.TextLine, d.PatchLine, strings.Repeat(" ", d.Caret), d.TextChar, d.PatchChar)
}

// String is the explanation for people.
func (x Explanation) String() string {
	if x.Outcome != "" {
		return fmt.Sprintf("the patch applies: %s\n%s", x.Outcome, warningLines(x.Warnings))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", x.Code, x.Message)
	for _, f := range x.Findings {
		fmt.Fprintf(&b, "\n%s: %s (%s)\n", f.Pointer, f.Message, f.Cause)
		if f.Difference != nil {
			b.WriteString(f.Difference.String() + "\n")
		}
		for _, p := range f.Places {
			fmt.Fprintf(&b, "  line %d, column %d", p.Line, p.Column)
			var ways []string
			if p.MatchIndex > 0 {
				ways = append(ways, fmt.Sprintf("match_index %d", p.MatchIndex))
			}
			if p.Anchor != "" {
				ways = append(ways, fmt.Sprintf("anchor %q", p.Anchor))
			}
			if len(ways) > 0 {
				b.WriteString(": " + strings.Join(ways, ", or "))
			}
			b.WriteString("\n")
		}
		if more := f.PlaceCount - len(f.Places); more > 0 {
			fmt.Fprintf(&b, "  and %d more\n", more)
		}
		if f.Hint != "" {
			fmt.Fprintf(&b, "hint: %s\n", f.Hint)
		}
	}
	switch {
	case x.Corrected == nil:
	case x.Sureness == Proved:
		fmt.Fprintf(&b, "\nproved by the result checksum, this patch does what was meant:\n%s", x.Corrected.JSON())
	default:
		fmt.Fprintf(&b, "\nlikely meant, not proved; this is what it would do:\n%s\nby this patch:\n%s", x.Diff, x.Corrected.JSON())
	}
	return b.String()
}

// warningLines lists warnings, one a line.
func warningLines(list []brenner.Diagnostic) string {
	var b strings.Builder
	for _, w := range list {
		fmt.Fprintf(&b, "warning %s: %s (at %s)\n", w.Code, w.Message, w.Pointer)
	}
	return b.String()
}

package anchor

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/lazy"

	"golang.org/x/text/unicode/norm"
)

// names of the characters that hide most often.
var names = map[rune]string{
	' ': "SPACE", '\t': "TAB", '\n': "LINE FEED", '\v': "LINE TABULATION", '\f': "FORM FEED",
	0x0085: "NEXT LINE", 0x00A0: "NO-BREAK SPACE", 0x00AD: "SOFT HYPHEN", 0x034F: "COMBINING GRAPHEME JOINER",
	0x061C: "ARABIC LETTER MARK", 0x1680: "OGHAM SPACE MARK", 0x180E: "MONGOLIAN VOWEL SEPARATOR",
	0x2000: "EN QUAD", 0x2001: "EM QUAD", 0x2002: "EN SPACE", 0x2003: "EM SPACE", 0x2007: "FIGURE SPACE",
	0x2008: "PUNCTUATION SPACE", 0x2009: "THIN SPACE", 0x200A: "HAIR SPACE", 0x200B: "ZERO WIDTH SPACE",
	0x200C: "ZERO WIDTH NON-JOINER", 0x200D: "ZERO WIDTH JOINER", 0x200E: "LEFT-TO-RIGHT MARK",
	0x200F: "RIGHT-TO-LEFT MARK", 0x2010: "HYPHEN", 0x2011: "NON-BREAKING HYPHEN", 0x2013: "EN DASH", 0x2014: "EM DASH",
	0x2018: "LEFT SINGLE QUOTATION MARK", 0x2019: "RIGHT SINGLE QUOTATION MARK",
	0x201C: "LEFT DOUBLE QUOTATION MARK", 0x201D: "RIGHT DOUBLE QUOTATION MARK",
	0x2026: "HORIZONTAL ELLIPSIS", 0x2028: "LINE SEPARATOR", 0x2029: "PARAGRAPH SEPARATOR",
	0x202F: "NARROW NO-BREAK SPACE", 0x205F: "MEDIUM MATHEMATICAL SPACE", 0x2060: "WORD JOINER",
	0x2212: "MINUS SIGN", 0x3000: "IDEOGRAPHIC SPACE", 0xFEFF: "ZERO WIDTH NO-BREAK SPACE",
	'"': "QUOTATION MARK", '\'': "APOSTROPHE", '-': "HYPHEN-MINUS", '\\': "BACKSLASH",
	0x0301: "COMBINING ACUTE ACCENT", 0x0308: "COMBINING DIAERESIS", 0x0300: "COMBINING GRAVE ACCENT",
}

// confusables maps characters to the ASCII they are taken for.
var confusables = lazy.Value(func() map[rune]string {
	m := map[rune]string{'…': "...", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬀ': "ff"}
	for _, row := range []struct{ odd, plain string }{
		{"‘’‚‛´ʼ′＇", "'"},
		{"“”„‟″＂«»", `"`},
		{"‐‑‒–—―−﹣", "-"},
		{"аᴀɑα", "a"},
		{"еｅ", "e"},
		{"оοᴏ", "o"},
		{"рρ", "p"},
		{"сϲ", "c"},
		{"хχ", "x"},
		{"уγ", "y"},
		{"іιı", "i"},
		{"ϳј", "j"},
		{"ѕ", "s"},
		{"ԁ", "d"},
		{"ν", "v"},
		{"АΑ", "A"},
		{"ВΒ", "B"},
		{"ЕΕ", "E"},
		{"КΚ", "K"},
		{"МΜ", "M"},
		{"НΗ", "H"},
		{"ОΟ", "O"},
		{"РΡ", "P"},
		{"СϹ", "C"},
		{"ТΤ", "T"},
		{"ХΧ", "X"},
		{"ІΙ", "I"},
		{"Ζ", "Z"},
		{"Ν", "N"},
		{"∗＊", "*"},
		{"⁄∕", "/"},
		{"∶꞉", ":"},
	} {
		for _, r := range row.odd {
			m[r] = row.plain
		}
	}
	for r := rune(0xFF01); r <= 0xFF5E; r++ {
		m[r] = string(r - 0xFF01 + '!')
	}
	return m
})

// invisible says that a character shows nothing and takes no room.
func invisible(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), unicode.Is(unicode.Variation_Selector, r), r == 0x2800:
		return true
	}
	return unicode.IsControl(r) && !unicode.IsSpace(r)
}

// oddSpace is white space that no keyboard gives.
func oddSpace(r rune) bool {
	return r != ' ' && r != '\t' && r != '\n' && unicode.IsSpace(r)
}

func lineBreak(r rune) bool {
	return r == 0x2028 || r == 0x2029 || r == 0x0085 || r == '\v' || r == '\f'
}

// lens is an equivalence under which quotation and text may agree.
type lens struct {
	cause Cause
	view  func(string) *folded
	// bare lenses do not see white space.
	bare bool
	// quoted views the quotation, if not in the same way as the text.
	quoted func(string) *folded
}

func (l *lens) quote(s string) *folded {
	if l.quoted != nil {
		return l.quoted(s)
	}
	return l.view(s)
}

// lenses, from the narrowest to the widest. The first that makes a quotation
// fit names the cause.
var lenses = []*lens{
	{cause: CauseNormalForm, view: foldNormal},
	{cause: CauseLineEndings, view: func(s string) *folded { return foldRunes(s, plainBreak) }},
	{cause: CauseInvisible, view: func(s string) *folded { return foldRunes(s, plainSpace) }},
	{cause: CauseConfusable, view: func(s string) *folded { return foldRunes(s, plainLook) }},
	{cause: CauseEscapeLevel, view: foldEscapes, quoted: foldNothing},
	{cause: CauseEscapeLevel, view: foldEscapes},
	{cause: CauseWhitespace, view: squeeze, bare: true},
	widest,
}

// widest sees only what can be told apart at a glance; the cause is then read
// off the first difference.
var widest = &lens{view: func(s string) *folded { return foldRunes(s, skeleton) }, bare: true}

func plainBreak(r rune) (string, bool) {
	if lineBreak(r) {
		return "\n", true
	}
	return "", false
}

func plainSpace(r rune) (string, bool) {
	switch {
	case invisible(r):
		return "", true
	case oddSpace(r):
		return " ", true
	}
	return "", false
}

func plainLook(r rune) (string, bool) {
	if to, ok := confusables()[r]; ok {
		return to, true
	}
	return plainSpace(r)
}

// skeleton keeps only what can be told apart at a glance.
func skeleton(r rune) (string, bool) {
	if unicode.IsSpace(r) || unicode.IsMark(r) {
		return "", true
	}
	if to, changed := plainLook(r); changed {
		return to, true
	}
	if r < utf8.RuneSelf {
		return "", false
	}
	s := norm.NFKD.String(string(r))
	if s == string(r) {
		return "", false
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsMark(r) || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s), true
}

// foldNormal sees the text in normal form C.
func foldNormal(s string) *folded {
	if norm.NFC.IsNormalString(s) {
		return foldNothing(s)
	}
	f := newFolder(s)
	var it norm.Iter
	it.InitString(norm.NFC, s)
	for !it.Done() {
		from := it.Pos()
		seg := it.Next()
		if width := it.Pos() - from; string(seg) == s[from:from+width] {
			f.keep(from)
		} else {
			f.put(string(seg), from, width)
		}
	}
	return f.done()
}

func foldNothing(s string) *folded {
	f := newFolder(s)
	f.keep(0)
	return f.done()
}

// foldEscapes sees backslash escapes as what they stand for.
func foldEscapes(s string) *folded {
	f := newFolder(s)
	at := 0
	for _, m := range escapePattern.FindAllStringIndex(s, -1) {
		if m[0] > at {
			f.keep(at)
		}
		f.put(unescape(s[m[0]:m[1]]), m[0], m[1]-m[0])
		at = m[1]
	}
	if at < len(s) {
		f.keep(at)
	}
	return f.done()
}

// stylised says that a character is an ASCII letter or digit in another dress,
// such as those of mathematics.
func stylised(r rune) bool {
	s := norm.NFKD.String(string(r))
	return r >= utf8.RuneSelf && len(s) == 1 && s[0] < utf8.RuneSelf
}

// guilty names the cause of a difference found through the widest lens.
func guilty(text, quotation string) Cause {
	n := commonPrefix(text, quotation)
	for n > 0 && (n < len(text) && !utf8.RuneStart(text[n]) || n < len(quotation) && !utf8.RuneStart(quotation[n])) {
		n--
	}
	var pair [2]rune
	pair[0], _ = utf8.DecodeRuneInString(text[n:])
	pair[1], _ = utf8.DecodeRuneInString(quotation[n:])
	if slices.ContainsFunc(pair[:], func(r rune) bool { return invisible(r) || oddSpace(r) }) {
		return CauseInvisible
	}
	for _, r := range pair {
		_, odd := confusables()[r]
		switch {
		case odd || stylised(r):
			return CauseConfusable
		case unicode.IsMark(r):
			return CauseNormalForm
		case unicode.IsSpace(r):
			return CauseWhitespace
		}
	}
	return CauseNormalForm
}

package anchor

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/lazy"
)

// verdict is what an alignment shows: the cause and, where the lines carry
// something in front, how to take it off.
type verdict struct {
	cause         Cause
	message, hint string
	undo          func(string) string
}

// judge names the one cause of all that a quotation has otherwise than the
// lines it comes from.
func (a alignment) judge() (verdict, bool) {
	if bare, ok := a.withoutEnds(); ok {
		if v, ok := bare.named(); ok {
			return v, true
		}
	}
	return a.named()
}

func (a alignment) named() (verdict, bool) {
	for _, try := range []func() (verdict, bool){a.literals, a.indented, a.prefixed, a.elided, a.suffixed, a.rewritten, a.framed} {
		if v, ok := try(); ok {
			return v, true
		}
	}
	return verdict{}, false
}

// aligned explains a quotation by the lines it seems to come from. What follows
// from it is never sure: only the promised result can tell.
func (x *explainer) aligned(q quotation) (repair, bool) {
	a, ok := align(x.base.s, q, &x.left)
	if !ok {
		return repair{}, false
	}
	v, ok := a.judge()
	if !ok {
		return repair{}, false
	}
	first := -1
	for _, j := range a.of {
		if first = j; j >= 0 {
			break
		}
	}
	out := repair{finding: Finding{
		Cause: v.cause, Message: v.message, Hint: v.hint,
		Difference: difference(x.base.s, len(strings.Join(a.text[:first], "")), q.whole()),
	}}
	if start, end, ok := a.block(a.split); ok && (q.anchor == "" || strings.HasSuffix(q.anchor, "\n")) {
		texts := []string{q.new}
		if v.undo != nil {
			texts = []string{v.undo(q.new), q.new}
		}
		out.edits = at(start, end, texts...)
	}
	return out, true
}

// block gives what the quoted lines from one on stand for in the text.
func (a alignment) block(from int) (start, end int, ok bool) {
	lo, hi := -1, -1
	for _, j := range a.of[from:] {
		if j < 0 {
			continue
		}
		if lo < 0 {
			lo = j
		}
		hi = j
	}
	if lo < 0 {
		return 0, 0, false
	}
	return len(strings.Join(a.text[:lo], "")), len(strings.Join(a.text[:hi+1], "")), true
}

// sameLine says that a quoted line is its line of the text, white space at
// the ends aside.
func (a alignment) sameLine(i int) bool {
	return a.of[i] >= 0 && strings.TrimSpace(a.quoted[i]) == strings.TrimSpace(a.text[a.of[i]])
}

// differing calls fn with the quoted lines that differ from their lines of the
// text, until it says no. Blank ones have nothing to differ in.
func (a alignment) differing(fn func(i int, quoted, text string) bool) (n int, all bool) {
	for i, q := range a.quoted {
		if strings.TrimSpace(q) == "" || a.sameLine(i) {
			continue
		}
		text := ""
		if a.of[i] >= 0 {
			text = a.text[a.of[i]]
		}
		if n++; !fn(i, strings.TrimRight(q, " \t\n"), strings.TrimRight(text, " \t\n")) {
			return n, false
		}
	}
	return n, n > 0
}

// gapless says that between paired lines the text has no more lines, blank ones
// aside, than the quotation has without a pair.
func (a alignment) gapless() bool {
	last, spare := -1, 0
	for i, j := range a.of {
		if j < 0 {
			if strings.TrimSpace(a.quoted[i]) != "" {
				spare++
			}
			continue
		}
		for k := last + 1; last >= 0 && k < j; k++ {
			if strings.TrimSpace(a.text[k]) != "" {
				spare--
			}
		}
		if spare < 0 {
			return false
		}
		last, spare = j, 0
	}
	return true
}

// withoutEnds takes off the sign that every line but the blank ones ends in, if
// it shows where lines end.
func (a alignment) withoutEnds() (alignment, bool) {
	tail := ""
	bare := slices.Clone(a.quoted)
	for i, q := range a.quoted {
		q = strings.TrimRight(q, "\n")
		m := endSign.FindString(q)
		switch {
		case q == "" || a.sameLine(i):
			continue
		case m == "" || tail != "" && m != tail:
			return a, false
		}
		tail = m
		bare[i] = strings.TrimSuffix(q, m) + "\n"
	}
	a.quoted = bare
	return a, tail != ""
}

var endSign = lazy.NewPattern(`(?:[$¶↵⏎␤]|<br ?/?>)$`)

// literals: every line that differs is written as a string of a program.
func (a alignment) literals() (verdict, bool) {
	n, all := a.differing(func(i int, quoted, text string) bool {
		m := literal.FindStringSubmatch(quoted)
		return m != nil && a.of[i] >= 0 && strings.TrimSpace(unescape(m[1])) == strings.TrimSpace(text)
	})
	return verdict{CauseEscapeLevel, "its lines are written as strings of a program", "send the text itself", nil}, all && n > 0
}

var literal = lazy.NewPattern("^[ \t]*[\"'`](.*?)(?:\\\\n)?[\"'`][ \t]*[,+;]?$")

// indented: where the text is indented the quotation has something that stands
// for white space.
func (a alignment) indented() (verdict, bool) {
	cause := Cause("")
	n, all := a.differing(func(i int, quoted, text string) bool {
		lead, ok := strings.CutSuffix(quoted, strings.TrimLeft(text, " \t"))
		if !ok || a.of[i] < 0 || leadingSpace(text) == "" || lead == "" || strings.TrimSpace(lead) != lead {
			return false
		}
		switch {
		case spelledSpace.MatchString(lead):
			cause = CauseEscapeLevel
		case !strings.ContainsFunc(lead, func(r rune) bool { return r < utf8.RuneSelf || inWord(r) }):
			cause = CauseConfusable
		default:
			return false
		}
		return true
	})
	return verdict{cause, "it has something written where the text has white space", "copy the white space the text has", nil}, all && n > 0
}

var spelledSpace = lazy.NewPattern(`^(?:\\t|\^I|&nbsp;|&#(?:9|32|160|x9|x20|xa0);|<tab>|%20|%09)+$`)

// prefixed: every line that differs has something in front that the text has
// not: numbers that grow, or the same signs.
func (a alignment) prefixed() (verdict, bool) {
	const longest = 200
	var prefixes, rest []string
	_, all := a.differing(func(i int, quoted, text string) bool {
		body := strings.TrimLeft(text, " \t")
		if body == "" {
			rest = append(rest, quoted)
			return true
		}
		lead, ok := strings.CutSuffix(quoted, text)
		if !ok || strings.TrimSpace(lead) == "" {
			lead, ok = strings.CutSuffix(quoted, body)
		}
		prefixes = append(prefixes, lead)
		return ok && strings.TrimSpace(lead) != "" && len(lead) <= longest
	})
	if !all || len(prefixes) == 0 || !a.gapless() {
		return verdict{}, false
	}
	undo, ok := prefixOff(prefixes)
	if !ok {
		return verdict{}, false
	}
	for _, line := range rest {
		// A line of signs alone is like no other; it must have a prefix too.
		if off := undo(line); telling(off) {
			return verdict{}, false
		}
	}
	if grows(prefixes) {
		return verdict{CauseLineNumbers, "its lines carry line numbers", "quote the text without line numbers", undo}, true
	}
	if !sign.MatchString(prefixes[0]) && telling(prefixes[0]) {
		return verdict{}, false
	}
	return verdict{CauseMarkers, "its lines carry signs in front that the text has not", "send the lines without " + quote(strings.TrimSpace(prefixes[0])) + " in front", undo}, true
}

// sign is a prefix that ends as prompts and marks do.
var sign = lazy.NewPattern(`[^\pL\pN\s][ \t]*$`)

// grows says that one of the numbers in the prefixes, counted from the front or
// from the back, is each time greater than before. The count may begin anew
// once: with the old block.
func grows(prefixes []string) bool {
	numbers := make([][]string, len(prefixes))
	for i, p := range prefixes {
		numbers[i] = digits.FindAllString(p, -1)
	}
	for k := range numbers[0] {
		front := func(all []string) int { return k }
		back := func(all []string) int { return len(all) - 1 - k }
		if growsAt(numbers, front) || growsAt(numbers, back) {
			return true
		}
	}
	return false
}

func growsAt(numbers [][]string, which func([]string) int) bool {
	last, anew := -1, 0
	for _, all := range numbers {
		k := which(all)
		if k < 0 || k >= len(all) {
			return false
		}
		n, err := strconv.Atoi(all[k])
		if n <= last {
			anew++
		}
		if err != nil || anew > 1 {
			return false
		}
		last = n
	}
	return true
}

// prefixOff makes the function that takes prefixes off the lines that have one.
// They must be made alike: the same signs, with any words and numbers between
// them; or a few that have neither.
func prefixOff(prefixes []string) (func(string) string, bool) {
	const few = 3
	kinds := map[string]bool{}
	words := false
	counted := grows(prefixes)
	for _, p := range prefixes {
		kinds[prefixPattern(p)] = true
		words = words || telling(p)
	}
	if len(kinds) > 1 && (words && !counted || len(kinds) > few) {
		return nil, false
	}
	pattern, err := regexp.Compile(`(?m)^[ \t]*(?:` + strings.Join(slices.Sorted(maps.Keys(kinds)), "|") + `)`)
	if err != nil {
		return nil, false
	}
	return func(s string) string { return pattern.ReplaceAllString(s, "") }, true
}

// prefixPattern is a prefix with any words in the place of its own. White space
// at its end may be the line's.
func prefixPattern(prefix string) string {
	var p strings.Builder
	for _, part := range prefixParts.FindAllString(strings.TrimSpace(prefix), -1) {
		switch {
		case strings.TrimSpace(part) == "":
			p.WriteString(`[ \t]+`)
		case telling(part):
			p.WriteString(`[\pL\pN_]+`)
		default:
			p.WriteString(regexp.QuoteMeta(part))
		}
	}
	if strings.TrimRight(prefix, " \t") != prefix {
		p.WriteString(`[ \t]?`)
	}
	return p.String()
}

var prefixParts = lazy.NewPattern(`[\pL\pN_]+|[ \t]+|[^\pL\pN_ \t]+`)

// suffixed: every line that differs ends in the same sign, which nobody writes
// at the end of lines.
func (a alignment) suffixed() (verdict, bool) {
	tail := ""
	n, all := a.differing(func(i int, quoted, text string) bool {
		rest, ok := strings.CutPrefix(strings.TrimLeft(quoted, " \t"), strings.TrimLeft(text, " \t"))
		rest = strings.TrimSpace(rest)
		if !ok || text == "" || rest == "" || tail != "" && rest != tail {
			return false
		}
		tail = rest
		return !telling(rest) && (rest[0] >= utf8.RuneSelf || rest == "$")
	})
	if !all || n == 0 || !a.gapless() {
		return verdict{}, false
	}
	undo := func(s string) string {
		return eachLine(s, func(line string) string {
			return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), tail) + line[len(strings.TrimSuffix(line, "\n")):]
		})
	}
	return verdict{CauseMarkers, "its lines carry a sign at the end that the text has not", "send the lines without " + quote(tail), undo}, true
}

// framed: the quotation is right, and has lines above or below anchor or old
// block that are not of the text.
func (a alignment) framed() (verdict, bool) {
	const most = 20
	own := map[string]bool{}
	for _, line := range a.text {
		own[strings.TrimSpace(line)] = true
	}
	var outside []string
	ends := map[int]bool{}
	// A line of signs alone has no pair, but may well be of the text.
	alien := func(i int) bool { return a.of[i] < 0 && !own[strings.TrimSpace(a.quoted[i])] }
	for _, part := range [][2]int{{0, a.split}, {a.split, len(a.of)}} {
		for i := part[0]; i < part[1] && alien(i); i++ {
			ends[i] = true
		}
		for i := part[1] - 1; i >= part[0] && alien(i); i-- {
			ends[i] = true
		}
	}
	fresh := nonBlank(a.fresh)
	for i, line := range a.quoted {
		switch line = strings.TrimSpace(line); {
		case line == "" || a.sameLine(i) || a.of[i] < 0 && !alien(i):
		case len(outside) < most && ends[i] && !mask.MatchString(line) && (frame.MatchString(line) || a.around(i, line, fresh)):
			outside = append(outside, line)
		default:
			return verdict{}, false
		}
	}
	if len(outside) == 0 {
		return verdict{}, false
	}
	return verdict{CauseFence, "it has lines around it that are not of the text", "send it without " + quote(strings.Join(outside, " and ")), nil}, true
}

// around says that a line stands at an end of the new block too, or is a word or
// two that the text has nowhere, where it has nothing between the lines beside.
func (a alignment) around(i int, line string, fresh []string) bool {
	if len(fresh) > 2 && slices.ContainsFunc(append(fresh[:2:2], fresh[len(fresh)-1]), func(f string) bool { return strings.TrimSpace(f) == line }) {
		return true
	}
	above, below := a.neighbours(i)
	return above >= 0 && below == above+1 && len(strings.Fields(line)) <= 2 && !slices.ContainsFunc(a.text, func(t string) bool { return strings.Contains(t, line) })
}

// frame is a line that encloses others: signs in a row, a tag, a keyword of
// beginning or end, words that announce what follows.
var frame = lazy.NewPattern(`^(?:[^\pL\pN]{2,}[^\n]*|` + // ``` --- ==== """ <<<
	`</?[\pL][^<>]*>|\[/?\pL[^\[\]]*\]|\{%[^\n]*%\}|\\(?:begin|end)\{[^\n]*|@?[<\[{(]*(?i:begin|end|start|stop|eof)\b[^\n]{0,40}|` +
	`(?i:here|this|below|above|file|path|code|output|result|snippet|excerpt|from|in)\b[^\n]*:|[\w./-]+\.\w{1,6}:?|#\+(?i:begin|end)\w*[^\n]*)$`)

// elided: where the text goes on for a while the quotation has a line, or the
// end of one, that stands for it.
func (a alignment) elided() (verdict, bool) {
	found := false
	var masked *bool // whether the text has masks of its own, when somebody asks
	for i, q := range a.quoted {
		q = strings.TrimSpace(q)
		if q == "" || a.sameLine(i) {
			continue
		}
		if a.of[i] >= 0 && brokenOff(q, strings.TrimSpace(a.text[a.of[i]])) {
			found = true
			continue
		}
		above, below := a.neighbours(i)
		if mask.MatchString(q) {
			if masked == nil {
				has := mask.MatchString(strings.Join(a.text, ""))
				masked = &has
			}
			if !*masked {
				found = true
				continue
			}
		}
		if a.of[i] >= 0 || above < 0 || below < 0 || below-above < 2 || strings.ContainsFunc(q, unicode.IsLetter) && !standIn.MatchString(q) {
			return verdict{}, false
		}
		found = true
	}
	return verdict{CauseElided, "it has something that stands for text left out", "quote the text in full, or make smaller operations around it", nil}, found
}

var dots = lazy.NewPattern(`[\[(<{]?(?:…|⋯|⋮|\.\.\.|\[[^\[\]]*(?i:more|truncat|cut|omit|char|byte)[^\[\]]*\])`)

// mask is what filters write in the place of a secret.
var mask = lazy.NewPattern(`["'=:(] ?(?:[*•●]{3,}|[xX]{4,})|[\[<({](?i:redacted|masked|hidden|secret|removed)[^\]>)}]*[\]>)}]`)

// brokenOff says that a quoted line is the beginning of one of the text and goes
// on with dots.
func brokenOff(quoted, text string) bool {
	at := dots.FindStringIndex(quoted)
	return at != nil && at[0] > 0 && !strings.HasPrefix(text, quoted[:at[1]]) && strings.HasPrefix(text, strings.TrimSpace(quoted[:at[0]]))
}

// neighbours gives the lines of the text beside a quoted line that has none.
func (a alignment) neighbours(i int) (above, below int) {
	above, below = -1, -1
	for k := i - 1; k >= 0 && above < 0; k-- {
		above = a.of[k]
	}
	for k := i + 1; k < len(a.of) && below < 0; k++ {
		below = a.of[k]
	}
	return above, below
}

// standIn are the words with which people leave something out.
var standIn = lazy.NewPattern(`(?i)\.\.|…|\b(?:left out|leave\w*|omit\w*|skip\w*|snip\w*|cut|elid\w*|truncat\w*|abbreviat\w*|abridg\w*|collaps\w*|hidden|fold\w*|unchanged|no changes?|rest|remain\w*|same|etc|and so on|more|other|existing|previous|continu\w*|as before|keep|lines?)\b`)

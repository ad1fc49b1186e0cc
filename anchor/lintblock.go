package anchor

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"brenner"
	"brenner/internal/lazy"
	"brenner/internal/linediff"
)

// leftOut is a line that stands for text its author did not write.
var leftOut = lazy.NewPattern(`(?im)^[ \t]*(?:(?://|#|--|/\*|<!--|;|%|\*)[ \t]*)?(?:\.\.\.|…|\[(?:\.\.\.|…)\])[^\n]*$|` +
	`^[ \t]*(?://|#|--|/\*|<!--|;|%)[^\n]*\b(?:rest of|remaining|existing|unchanged|previous|same as before|omitted)\b[^\n]*(?:\.\.\.|…|code|file|function|method|class|content|lines|remains?)[^\n]*$|` +
	`^[ \t]*[\[(<][ \t]*(?:snip|` + forTheRest + `)[^\n]*[\])>][ \t]*$`)

// marks: the new block carries what came with the text and is not part of it.
func (l *linter) marks(e edit) (brenner.Code, string) {
	old := l.base[e.start:e.end]
	say := func(what string) (brenner.Code, string) {
		return brenner.CodeBlockMarked, "the new block " + what
	}
	if dots := leftOut.FindString(e.text); dots != "" && !l.has(strings.TrimSpace(dots)) {
		return say(fmt.Sprintf("has %s, as if something were left out", quote(strings.TrimSpace(dots))))
	}
	if conflict.MatchString(e.text) && !l.shows(conflict) {
		return say("has the markers of a conflict that nobody has settled")
	}
	if tag := loneTag.FindString(e.text); tag != "" && !l.shows(loneTag) {
		return say(fmt.Sprintf("has %s on a line of its own, as nothing in the text", quote(strings.TrimSpace(tag))))
	}
	if link := linked.FindString(e.text); link != "" && !l.shows(linked) {
		return say(fmt.Sprintf("has %s, which a chat makes of a name", quote(link)))
	}
	if fenced(e.text) && !fenced(old) && !l.has("```") && !l.has("~~~") {
		return say("carries the fence of a code block")
	}
	if allMarked(e.text) && strings.Contains(firsts(e.text), "+") && !strings.ContainsAny(firsts(old+l.around(e)), "+") {
		return say("carries the marks of a diff")
	}
	if allQuoted(e.text) && !allQuoted(old) && !strings.Contains(firsts(l.around(e)), ">") {
		return say("carries the marks of a quotation")
	}
	if allNumbered(e.text) && (strings.Count(e.text, "\n") > 1 || strings.ContainsAny(e.text, "→│")) && !allNumbered(old) && !numberPattern.MatchString(l.around(e)) {
		return say("carries line numbers")
	}
	if escapedWhole(e.text) && !strings.Contains(old, `\n`) && (strings.Contains(old, "\n") || outsideQuotes(e.text, `\n`)) {
		return say("is escaped once more than the text")
	}
	if words := l.announces(e); words != "" {
		return say(fmt.Sprintf("has %s, as if it were an answer", quote(words)))
	}
	if !entitiesOnly(e.text) {
		return "", ""
	}
	for _, entity := range entityPattern.FindAllString(e.text, -1) {
		plain := html.UnescapeString(entity)
		if plain != entity && !l.has(entity) && l.has(plain) {
			return say("has " + entity + ", and the text has " + plain)
		}
	}
	return "", ""
}

var (
	conflict = lazy.NewPattern(`(?m)^(?:<{7}|>{7}|\|{7})(?: |$)`)
	loneTag  = lazy.NewPattern(`(?m)^[ \t]*(?:</?[\w|][^<>\n]*>|EO[FTLS]|END|HEREDOC|PATCH)[ \t]*$`)
	linked   = lazy.NewPattern(`\[[^\[\]\n]+\]\(https?://[^()\n]*\)`)
)

// outsideQuotes says that a string stands somewhere outside quotation marks.
func outsideQuotes(s, what string) bool {
	open := map[byte]bool{}
	for i := range len(s) {
		if strings.HasPrefix(s[i:], what) && !open['"'] && !open['\''] && !open['`'] {
			return true
		}
		if c := s[i]; c == '"' || c == '\'' || c == '`' {
			open[c] = !open[c]
		}
	}
	return false
}

// announces gives the first or last line of a new block that is a sentence in a
// text that hardly has any: words to whoever reads the answer.
func (l *linter) announces(e edit) string {
	fresh := nonBlank(e.text)
	if len(fresh) < 2 {
		return ""
	}
	if answering.MatchString(fresh[0]) && !l.has(strings.TrimSpace(fresh[0])) {
		return strings.TrimSpace(fresh[0])
	}
	for _, line := range []string{fresh[0], fresh[len(fresh)-1]} {
		if prose(line) && sentenceEnd.MatchString(line) && !l.reads() && !l.has(strings.TrimSpace(line)) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// answering is how assistants begin an answer.
var answering = lazy.NewPattern(`(?i)^(?:sure|certainly|of course|absolutely|okay|ok|great)[,!.] .*[:.!]\s*$|^(?:here(?:'s| is| are)|below is|i(?:'ve| have)|let me)\b[^\n]*:\s*$`)

var sentenceEnd = lazy.NewPattern(`[.:!?…][ \t]*\n?$`)

func nonBlank(s string) (out []string) {
	for _, line := range linediff.Lines(s) {
		if strings.TrimSpace(line) != "" {
			out = append(out, line)
		}
	}
	return out
}

// prose says that a line reads as a sentence or a heading: words, with nothing
// between them but what stands between words.
func prose(line string) bool {
	words := strings.Fields(line)
	if len(words) < 3 || !wordOnly.MatchString(words[0]) {
		return false
	}
	plain := 0
	for _, w := range words {
		if wordOnly.MatchString(w) {
			plain++
		}
	}
	return plain*10 >= len(words)*8
}

var wordOnly = lazy.NewPattern(`^["'(“‘]*\pL[\pL'’-]*[.,;:!?…)"'”’]*$`)

// escapedWhole says that a block is one line that ought to be several.
func escapedWhole(s string) bool {
	return !strings.Contains(strings.TrimSuffix(s, "\n"), "\n") && strings.Contains(s, `\n`)
}

// around gives the lines beside an edit.
func (l *linter) around(e edit) string {
	lo := e.start - len(before(l.base, e.start))
	hi := e.end
	if !lineStart(l.base, hi) {
		hi = min(len(l.base), hi+len(behind(l.base, hi))+1)
	}
	above := ""
	if lo > 0 {
		above = before(l.base, lo-1) + "\n"
	}
	return above + behind(l.base, hi) + "\n"
}

// breaksIndentation says that a new block is misindented, unless it is prose: how far a
// sentence stands to the right decides nothing, but in a block of code.
func (l *linter) breaksIndentation(e edit) (brenner.Code, string) {
	code, words := l.misindents(e)
	if code != "" && allProse(l.newLines(e)) && allProse(l.oldLines(e)) && !l.inFence(e.start) {
		return "", ""
	}
	return code, words
}

// listMark is what stands before the words of an entry of a list, a quotation or a heading.
var listMark = lazy.NewPattern(`^[ \t]*(?:(?:[-*+•>]|#{1,6}|\d{1,3}[.)])[ \t]+)*(?:\[[ xX]\][ \t]+)?`)

// allProse says that lines read as sentences, or as parts of them: most by themselves, and
// none has the signs of code.
func allProse(lines []string) bool {
	sentences := 0
	for _, line := range lines {
		line = strings.TrimSpace(line[len(listMark.FindString(line)):])
		if line == "" || codeSigns.MatchString(line) {
			return false
		}
		if prose(line) {
			sentences++
		}
	}
	return 2*sentences >= len(lines)
}

// codeSigns are what sentences do not have, code between backquotes aside.
var codeSigns = lazy.NewPattern(`[{};\\]$|^[})\]@$<]|:=|[=!<>]=|\w\([^)]*\)|[\w\]] = |->|=>|&&|\|\||^(?:def|class|func|if|elif|else|for|while|try|except|finally|with|return|import|from|case|end|var|let|const)\b[^.!?]*$|^[\w.-]+:(?: |$)`)

// inFence says whether a place is inside a fenced block; also when too much was looked at
// already.
func (l *linter) inFence(at int) bool {
	if l.searched > largestSearched {
		return true
	}
	l.searched += at
	open := ""
	for line := range strings.SplitSeq(l.base[:at], "\n") {
		line = strings.TrimLeft(line, " \t>")
		switch {
		case open == "" && strings.HasPrefix(line, "```"), open == "" && strings.HasPrefix(line, "~~~"):
			open = line[:3]
		case open != "" && strings.HasPrefix(line, open):
			open = ""
		}
	}
	return open != ""
}

// misindents: the new block is indented with other characters than the
// text, off its steps, or as a whole otherwise than what it replaces and what
// stands beside it.
func (l *linter) misindents(e edit) (brenner.Code, string) {
	fresh := l.newLines(e)
	if len(fresh) == 0 {
		return "", ""
	}
	say := func(format string, args ...any) (brenner.Code, string) {
		return brenner.CodeIndentationBroken, fmt.Sprintf(format, args...)
	}
	style, beside := l.whole().style, l.styleBeside(e)
	for _, line := range fresh {
		indent := leadingSpace(line)
		switch {
		case style.tabs > 2 && style.spaces == 0 && strings.HasPrefix(indent, "  "):
			return say("the new block is indented with spaces, the text with tabs")
		case style.spaces > 2 && style.tabs == 0 && strings.HasPrefix(indent, "\t"):
			return say("the new block is indented with tabs, the text with spaces")
		case style.spaces > 3 && style.tabs == 0 && style.step > 1 && len(indent)%style.step != 0:
			return say("the new block has a line indented by %d, the text goes in steps of %d", len(indent), style.step)
		case beside.tabs == 0 && beside.spaces > 1 && strings.HasPrefix(indent, "\t"):
			return say("the new block is indented with tabs, what stands beside it with spaces")
		case beside.spaces == 0 && beside.tabs > 1 && strings.HasPrefix(indent, "  "):
			return say("the new block is indented with spaces, what stands beside it with tabs")
		}
	}
	old, prev, next := l.oldLines(e), l.lineBefore(e.start), l.lineBehind(e.end)
	is, was, around := shallowest(fresh), shallowest(old), shallowest([]string{prev, next})
	if len(old) > 0 {
		around = min(around, was)
	}
	switch {
	case is < around && around < unindented:
		return say("the new block stands further left than everything beside it")
	case closer.MatchString(strings.TrimSpace(next)) && is <= width(next) && width(next) < width(prev) && leavesBlock(fresh, width(next)):
		return say("the new block stands as far left as what closes the block it stands in")
	case unindents(append([]string{prev}, fresh...)):
		return say("a line of the new block does not stand further right than the one that opens its block")
	case len(old) > 0 && next != "" && width(fresh[len(fresh)-1]) < width(next) && width(old[len(old)-1]) >= width(next) && !opens(fresh[len(fresh)-1]):
		return say("the new block ends further left than the line behind it")
	case len(old) > 0 && is > was && prev != "" && width(prev) <= was && !opens(prev) && width(next) <= was:
		return say("the new block stands further right than what it replaces")
	}
	return "", ""
}

// newLines lists the lines that begin inside an edit's new text, and the first
// one if nothing visible stands before it, indentation included.
func (l *linter) newLines(e edit) (out []string) {
	lead := before(l.base, e.start)
	for i, line := range linediff.Lines(e.text) {
		if i == 0 && strings.TrimSpace(lead) != "" {
			continue
		}
		if i == 0 {
			line = lead + line
		}
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// oldLines does the same for what the edit takes away.
func (l *linter) oldLines(e edit) []string {
	gone := edit{start: e.start, end: e.end, text: l.base[e.start:e.end]}
	if gone.text == "" {
		return nil
	}
	return l.newLines(gone)
}

// lineBefore and lineBehind give the nearest lines with anything on them.
func (l *linter) lineBefore(at int) string {
	lines := tailLines(l.base[:at-len(before(l.base, at))])
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.TrimSpace(lines[i]) != "" {
			return lines[i]
		}
	}
	return ""
}

func (l *linter) lineBehind(at int) string {
	if !lineStart(l.base, at) {
		at = min(len(l.base), at+len(behind(l.base, at))+1)
	}
	for _, line := range headLines(l.base[at:]) {
		if strings.TrimSpace(line) != "" {
			return line
		}
	}
	return ""
}

// unindented is more than any line is indented.
const unindented = 1 << 20

// shallowest is the smallest indentation of lines that have anything on them.
func shallowest(lines []string) int {
	least := unindented
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			least = min(least, width(line))
		}
	}
	return least
}

// width is how far a line is indented, a tab counting as four.
func width(line string) int {
	n := 0
	for _, r := range leadingSpace(line) {
		n++
		if r == '\t' {
			n += 3
		}
	}
	return n
}

// opener is a line that a deeper one follows in every language that has it.
var opener = lazy.NewPattern(`\{[ \t]*$|^[ \t]*(?:async |export |public |private |static )*(?:def|class|if|elif|else|for|while|try|except|finally|with|func|function)\b[^\n]*:[ \t]*$`)

// closer is a line that may stand as far left as what it closes or continues.
var closer = lazy.NewPattern(`^(?:[})\]]|(?:case|default|end|else|elif|except|finally)\b)`)

// unindents says that a line that opens a block is followed by one at its depth
// or further left, which does not close it.
func unindents(lines []string) bool {
	for i := 1; i < len(lines); i++ {
		open, line := strings.TrimSuffix(lines[i-1], "\n"), strings.TrimSpace(lines[i])
		if opener.MatchString(open) && width(lines[i]) <= width(open) && !closer.MatchString(line) {
			return true
		}
	}
	return false
}

// leavesBlock says that a line stands as far left as what closes the block
// around it, and does not close or continue anything itself.
func leavesBlock(lines []string, left int) bool {
	return slices.ContainsFunc(lines, func(line string) bool {
		return width(line) <= left && !closer.MatchString(strings.TrimSpace(line))
	})
}

// opens says that a line begins a block, so that the next one may stand
// further right.
func opens(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && strings.ContainsAny(line[len(line)-1:], "{([:,=>\\|&+-*/")
}

// style is how the lines of a text are indented.
type style struct{ tabs, spaces, step int }

// styleBeside is how the lines are indented that an edit takes away, and the
// two beside them.
func (l *linter) styleBeside(e edit) style {
	return styleOf(append(l.oldLines(e), l.lineBefore(e.start), l.lineBehind(e.end)))
}

func styleOf(lines []string) (s style) {
	for _, line := range lines {
		indent := leadingSpace(line)
		switch {
		case strings.TrimSpace(line) == "" || indent == "":
		case indent[0] == '\t':
			s.tabs++
		case len(indent) > 1:
			s.spaces++
			s.step = gcd(s.step, len(indent))
		}
	}
	return s
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

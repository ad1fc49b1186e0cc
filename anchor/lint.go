package anchor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner"
	"brenner/internal/lazy"
	"brenner/internal/linediff"
)

// lint lists what looks odd about edits that fit (P17): each does what it says,
// but may not say what its author meant. The edits are sorted and disjoint.
func lint(base string, edits []edit, result string) (found []brenner.Diagnostic) {
	const most = 20
	l := linter{base: base, left: largestLinted, asked: map[string]bool{}}
	for _, e := range edits {
		if l.left -= len(e.text) + e.end - e.start; l.left < 0 || len(found) >= most {
			break
		}
		for _, check := range []func(edit) (brenner.Code, string){
			l.repeats, l.joinsLines, l.cutsShort, l.breaksIndentation, l.marks, l.oddCharacters,
		} {
			if code, why := check(e); why != "" {
				found = append(found, warning(code, e.from.pointer(), why))
			}
		}
	}
	if strings.HasSuffix(base, "\n") && result != "" && !strings.HasSuffix(result, "\n") {
		found = append(found, warning(brenner.CodeFinalNewlineLost, "/op_groups", "the text ended with a newline and does not any more"))
	}
	if why := l.unbalances(edits); why != "" {
		found = append(found, warning(brenner.CodeBlockCutShort, "/op_groups", why))
	}
	return found[:min(len(found), most)]
}

func warning(code brenner.Code, pointer, why string) brenner.Diagnostic {
	return brenner.Diagnostic{Code: code, Severity: brenner.SeverityWarning, Message: why, Hint: brenner.Remedy(code), Pointer: pointer}
}

// What is looked at closely of one patch: characters taken away and put in, and
// how much of the text is searched for what they have.
const (
	largestLinted   = 512 << 10
	largestSearched = 256 << 20
)

// linter knows the text that edits are made to.
type linter struct {
	base  string
	lines []string // of the base, when needed
	known *known
	left  int
	// asked remembers what was searched for in the base, searched how much.
	asked    map[string]bool
	searched int
}

// has says that the text has a string; also when too much was asked already:
// what the text has itself is never odd.
func (l *linter) has(s string) bool {
	is, known := l.asked[s]
	if known || l.searched > largestSearched {
		return is || !known
	}
	l.searched += len(l.base)
	l.asked[s] = strings.Contains(l.base, s)
	return l.asked[s]
}

// shows says that a pattern is somewhere in the text.
func (l *linter) shows(p *lazy.Pattern) bool {
	is, known := l.whole().shows[p]
	if !known {
		is = p.MatchString(l.base)
		l.known.shows[p] = is
	}
	return is
}

// known is what is asked of the whole text more than once.
type known struct {
	style  style
	census *census
	shows  map[*lazy.Pattern]bool
	// fewSigns: it uses three foreign signs at most.
	fewSigns bool
	// reads: it has sentences; nil until somebody asks.
	reads *bool
}

func (l *linter) whole() *known {
	if l.known == nil {
		l.known = newKnown(l.base, l.allLines())
	}
	return l.known
}

// reads says that the text has sentences: more than one line in fifty.
func (l *linter) reads() bool {
	if k := l.whole(); k.reads != nil {
		return *k.reads
	}
	lines, sentences := 1, 0
	for _, line := range l.allLines() {
		if strings.TrimSpace(line) == "" {
			continue
		}
		lines++
		if prose(line) {
			sentences++
		}
	}
	has := 50*sentences > lines
	l.known.reads = &has
	return has
}

func newKnown(base string, lines []string) *known {
	k := &known{style: styleOf(lines), census: censusOf(base), shows: map[*lazy.Pattern]bool{}}
	signs := 0
	for r := range k.census.others { // order-free: counted
		if foreignSign(r) {
			signs++
		}
	}
	k.fewSigns = signs <= 3
	return k
}

func (l *linter) allLines() []string {
	if l.lines == nil {
		l.lines = linediff.Lines(l.base)
	}
	return l.lines
}

func lineStart(text string, at int) bool { return at == 0 || text[at-1] == '\n' }

func lineEnd(text string, at int) bool { return at == len(text) || text[at] == '\n' }

// longestLine is how much of a line is looked at; longer ones are no lines that
// anybody reads.
const longestLine = 4 << 10

// before and behind give the text of the line beside a position.
func before(text string, at int) string {
	near := text[max(0, at-longestLine):at]
	return near[strings.LastIndexByte(near, '\n')+1:]
}

func behind(text string, at int) string {
	line, _, _ := strings.Cut(text[at:min(len(text), at+longestLine)], "\n")
	return line
}

// repeats: the new block begins with what stands before it, or ends with what
// stands behind it, as when context was sent along in new_block alone.
func (l *linter) repeats(e edit) (brenner.Code, string) {
	old := l.base[e.start:e.end]
	if half := e.text[:len(e.text)/2]; strings.HasSuffix(half, "\n") && telling(half) && half+half == e.text && !strings.Contains(old, e.text) {
		return brenner.CodeLineRepeated, "the new block says everything twice"
	}
	if line := doubledLine(e.text); line != "" && doubledLine(old) == "" {
		return brenner.CodeLineRepeated, fmt.Sprintf("the new block has %s twice in a row", quote(line))
	}
	if rest, ok := strings.CutPrefix(e.text, old); ok && copyOf(old, rest) {
		return brenner.CodeLineRepeated, "the new block has the old one as it was, and a changed copy of it below"
	}
	if rest, ok := strings.CutSuffix(e.text, old); ok && copyOf(old, rest) {
		return brenner.CodeLineRepeated, "the new block has the old one as it was, and a changed copy of it above"
	}
	if lead := before(l.base, e.start); telling(lead) {
		lead = strings.TrimLeft(lead, " \t")
		if strings.HasPrefix(strings.TrimLeft(e.text, " \t"), lead) && !strings.HasPrefix(strings.TrimLeft(old, " \t"), lead) {
			return brenner.CodeLineRepeated, fmt.Sprintf("the new block begins with %s, which stands before it already", quote(lead))
		}
	}
	if !lineStart(l.base, e.start) {
		return "", ""
	}
	was, is := linediff.Lines(old), linediff.Lines(e.text)
	if k := overlap(tailLines(l.base[:e.start]), is); k > 0 && overlap(tailLines(l.base[:e.start]), was) < k {
		return brenner.CodeLineRepeated, fmt.Sprintf("the new block begins with %s, which stands before it already", quote(is[k-1]))
	}
	if !lineStart(l.base, e.end) {
		return "", ""
	}
	if k := overlap(is, headLines(l.base[e.end:])); k > 0 && overlap(was, headLines(l.base[e.end:])) < k {
		return brenner.CodeLineRepeated, fmt.Sprintf("the new block ends with %s, which stands behind it already", quote(is[len(is)-1]))
	}
	next := headLines(l.base[e.end:])
	next = next[:min(len(is), len(next))]
	for _, line := range added(old, e.text) {
		if at := slices.Index(next, line); at >= 0 && telling(line) && l.once(line) {
			return brenner.CodeLineRepeated, fmt.Sprintf("the new block adds %s, which stands just behind it already", quote(line))
		}
	}
	return "", ""
}

// doubledLine gives the first line with a word on it that follows itself.
func doubledLine(s string) string {
	lines := linediff.Lines(s)
	for i := 1; i < len(lines); i++ {
		if lines[i] == lines[i-1] && telling(lines[i]) {
			return strings.TrimSpace(lines[i])
		}
	}
	return ""
}

// copyOf says that a block of several lines is another one with changes: line
// for line most of them are alike.
func copyOf(old, block string) bool {
	const most = 200 // lines
	was, is := nonBlank(old), nonBlank(block)
	if len(was) < 2 || len(is) < 2 || len(was) > most || len(is) > most {
		return false
	}
	left := effort(16 * (len(old) + len(block)) * min(len(was), len(is)))
	rows, ok := likeness(was, is, &left)
	if !ok {
		return false
	}
	alike := 0
	for _, j := range pairLines(rows, len(was)) {
		if j >= 0 {
			alike++
		}
	}
	return 3*alike >= 2*max(len(was), len(is))
}

// once says that the base has a line exactly once.
func (l *linter) once(line string) bool {
	key := "once\n" + line
	is, known := l.asked[key]
	if known || l.searched > largestSearched {
		return is
	}
	l.searched += len(l.base)
	i := slices.Index(l.allLines(), line)
	l.asked[key] = i >= 0 && !slices.Contains(l.allLines()[i+1:], line)
	return l.asked[key]
}

// lookAround is how many lines beside an edit are looked at.
const lookAround = 12

// tailLines and headLines give the last and the first few lines of a text.
func tailLines(text string) []string {
	text = text[max(0, len(text)-lookAround*longestLine):]
	at := len(text)
	for range lookAround + 1 {
		if at = strings.LastIndexByte(text[:max(0, at)], '\n'); at < 0 {
			return linediff.Lines(text)
		}
	}
	return linediff.Lines(text[at+1:])
}

func headLines(text string) []string {
	text = text[:min(len(text), lookAround*longestLine)]
	at := 0
	for range lookAround {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return linediff.Lines(text)
		}
		at += i + 1
	}
	return linediff.Lines(text[:at])
}

// overlap is how many lines at the end of one list are those at the beginning
// of another, if one of them tells anything.
func overlap(a, b []string) int {
	for k := min(len(a), len(b)); k > 0; k-- {
		if slices.Equal(a[len(a)-k:], b[:k]) && slices.ContainsFunc(b[:k], telling) {
			return k
		}
	}
	return 0
}

// joinsLines: where a line ended none ends any more, or the other way round,
// though the author meant whole lines.
func (l *linter) joinsLines(e edit) (brenner.Code, string) {
	old := l.base[e.start:e.end]
	switch {
	case e.text == "" && strings.TrimSpace(old) != "" && !lineStart(l.base, e.end) && e.end < len(l.base) &&
		strings.TrimSpace(before(l.base, e.start)+behind(l.base, e.end)) == "":
		return brenner.CodeLinesJoined, "a line with nothing on it stays behind"
	case glued(l.base, e):
		return brenner.CodeLinesJoined, fmt.Sprintf("the new block is put onto the end of %s without a space", quote(before(l.base, e.start)))
	case l.gapes(e.text):
		return brenner.CodeLinesJoined, "the new block has several empty lines in a row, as nothing else in the text"
	case joins(l.base, e) && (old == "" || strings.TrimSpace(old) != ""):
		return brenner.CodeLinesJoined, fmt.Sprintf("%s is joined to the new block's end", quote(behind(l.base, e.end)))
	case strings.HasSuffix(e.text, "\n") && strings.TrimSpace(e.text) != "" && !lineStart(l.base, e.end):
		// The block ends a line in the middle of another.
		if old == "" && !lineStart(l.base, e.start) && lineEnd(l.base, e.end) && !strings.HasPrefix(e.text, "\n") {
			return brenner.CodeLinesJoined, fmt.Sprintf("the new block's first line is joined to %s", quote(before(l.base, e.start)))
		}
		if strings.TrimSpace(behind(l.base, e.end)) == "" && strings.TrimSpace(old) != "" && e.end < len(l.base) {
			return brenner.CodeLinesJoined, "the new block ends a line where the old block does not, which leaves an empty one behind"
		}
	}
	return "", ""
}

// gapes says that a text has more empty lines in a row, two at least, than
// there are anywhere in the base.
func (l *linter) gapes(s string) bool {
	most, n := 0, 0
	for i := range len(s) {
		if s[i] != '\n' {
			n = 0
			continue
		}
		n++
		most = max(most, n)
	}
	return most > 2 && !l.has(strings.Repeat("\n", most))
}

// glued says that an insertion of more than a word begins right behind the last
// character of a line.
func glued(text string, e edit) bool {
	if e.start != e.end || lineStart(text, e.start) || !lineEnd(text, e.end) || unicode.IsSpace(rune(text[e.start-1])) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(e.text)
	return len(splitWords(strings.TrimSpace(e.text))) > 2 && !unicode.IsSpace(first) && !strings.ContainsRune(")]},;:.!?+-*/=%&^~>", first)
}

// joins says that an edit leaves two lines as one: where it ends, a line began,
// and none begins there any more.
func joins(text string, e edit) bool {
	if e.end == len(text) || !lineStart(text, e.end) {
		return false
	}
	if e.text == "" {
		return !lineStart(text, e.start)
	}
	return e.text[len(e.text)-1] != '\n'
}

// cutsShort: the old block ends inside a word, or before something that the new
// block has again.
func (l *linter) cutsShort(e edit) (brenner.Code, string) {
	old := l.base[e.start:e.end]
	if old == e.text {
		return brenner.CodeBlockCutShort, "old and new block are the same, so that the operation changes nothing"
	}
	if old == "" {
		return "", ""
	}
	sameEnd := commonSuffix(old, e.text) > 0
	if cutsWord(l.base, e.end) && !sameEnd && e.text != "" {
		return brenner.CodeBlockCutShort, fmt.Sprintf("the old block ends inside a word, before %s", quote(behind(l.base, e.end)))
	}
	rest := strings.TrimSpace(behind(l.base, e.end))
	last := e.text[strings.LastIndexByte(strings.TrimSuffix(e.text, "\n"), '\n')+1:]
	if telling(rest) && len(rest) > 2 && strings.Contains(last, rest) && !strings.Contains(old, rest) {
		return brenner.CodeBlockCutShort, fmt.Sprintf("the new block has %s, which stays behind the old one", quote(rest))
	}
	return "", ""
}

// listMarks counts the marks of a list in a text: a letter, or a number of one or two
// digits, before a bracket that closes.
func listMarks(text string) int {
	n := 0
	for word := range strings.FieldsSeq(text) {
		mark, _, closes := strings.Cut(word, ")")
		_, err := strconv.Atoi(mark)
		if number := err == nil && len(mark) <= 2; closes && (number || len(mark) == 1 && unicode.IsLetter(rune(mark[0]))) {
			n++
		}
	}
	return n
}

// unbalances: brackets that closed all over the text do so no more.
func (l *linter) unbalances(edits []edit) string {
	for _, pair := range []string{"()", "[]", "{}"} {
		change, marks := 0, 0
		for _, e := range edits {
			change += balance(e.text, pair) - balance(l.base[e.start:e.end], pair)
			marks += listMarks(e.text) - listMarks(l.base[e.start:e.end])
		}
		if pair == "()" && change < 0 && marks > 1 && -change <= marks {
			continue // a) and b) of a list
		}
		if change != 0 && balance(l.base, pair) == 0 && strings.Contains(l.base, pair[:1]) {
			more, fewer := "opened", "closed"
			if change < 0 {
				more, fewer, change = fewer, more, -change
			}
			return fmt.Sprintf("every %s of the text was closed, and now %d more are %s than %s", pair[:1], change, more, fewer)
		}
	}
	return ""
}

func balance(s, pair string) int { return strings.Count(s, pair[:1]) - strings.Count(s, pair[1:]) }

// oddCharacters: the new block brings in what the text does not use and hardly
// anybody types.
func (l *linter) oddCharacters(e edit) (brenner.Code, string) {
	for i, r := range e.text {
		if l.whole().census.has(r) {
			continue
		}
		_, looksLike := confusables()[r]
		odd := r == utf8.RuneError || foreignSign(r) && l.whole().fewSigns && !plainSign(e.text, i, r) && !l.typography(r) || invisible(r) || oddSpace(r) || looksLike && (unicode.IsLetter(r) && mixedWord(e.text, i) || l.plainQuotes(r) && !l.typography(r))
		if odd {
			return brenner.CodeOddCharacters, "the new block has " + charName(e.text[i:]) + ", which the text does not use"
		}
	}
	return "", ""
}

// foreignSign says that a character is a sign, neither letter nor digit, that no
// keyboard of programmers has.
func foreignSign(r rune) bool {
	return r >= utf8.RuneSelf && (unicode.IsPunct(r) || unicode.IsSymbol(r))
}

// plainSign says that a sign looks like nothing else, as arrows and comparisons
// do. An arrow behind a number may be of a listing.
func plainSign(s string, at int, r rune) bool {
	numbered := r == '→' && at > 0 && '0' <= s[at-1] && s[at-1] <= '9'
	return !numbered && strings.ContainsRune("←↑→↓↔⇐⇒⇔≤≥≠≈√∞✓✗", r)
}

// typography says that a character is one by which prose is set, and that the text is
// prose.
func (l *linter) typography(r rune) bool {
	return strings.ContainsRune("…–—‘’“”„‚•·×±°§", r) && l.reads()
}

// plainQuotes says that a character is a typographic quotation mark, and the
// text has only plain ones.
func (l *linter) plainQuotes(r rune) bool {
	plain := confusables()[r]
	return (plain == `"` || plain == "'") && l.has(plain) && !l.whole().census.hasAny("“”‘’„‟‚‛")
}

// mixedWord says that the letter at a position stands in a word beside ASCII
// letters.
func mixedWord(s string, at int) bool {
	const far = 64 // bytes; longer words are no words
	ascii := func(r rune) bool { return r < 0x80 && unicode.IsLetter(r) }
	left := s[max(0, at-far):at]
	left = left[strings.LastIndexFunc(left, func(r rune) bool { return !inWord(r) })+1:]
	right := s[at:min(len(s), at+far)]
	if i := strings.IndexFunc(right, func(r rune) bool { return !inWord(r) }); i >= 0 {
		right = right[:i]
	}
	return strings.ContainsFunc(left+right, ascii)
}

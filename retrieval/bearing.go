package retrieval

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/lazy"
)

// Counted is how many texts a project has, and how many of them have each of some words.
type Counted struct {
	Texts int64
	Have  map[string]int64
}

// CountedTerms says how many texts there are, of which so many have each term.
func CountedTerms(stats Statistics, terms []Term, have []int64) Counted {
	c := Counted{Texts: stats.Documents, Have: make(map[string]int64, len(terms))}
	for i, t := range terms {
		c.Have[t.Word] = have[i]
	}
	return c
}

// Said is a text and its summary.
type Said struct{ Summary, Text string }

// Work is a piece of work, as texts are compared with it: what its words tell in a project.
type Work struct {
	words   []workWord
	at      map[string]int // of a word, its place among them
	clauses [][]int        // places of the words of each
	bar     float64        // what the words have to tell that a text shares with the work
}

// workWord is a word of a piece of work, or of what that is a part of.
type workWord struct {
	word    string
	spelled string  // as it stands there
	tells   float64 // how much it says about a text that has it; 0: nothing
	beside  float64 // the same of a word of the whole that the work is a part of
}

// How much words tell. The constants of this file were chosen by eye (docs/adr/0156), but for
// the bar, which was chosen on parts that fit nothing as well (docs/adr/0163).
const (
	// plainRarity is the rarity of a word that tells nothing: half of the texts have it.
	plainRarity = 0.7
	// rareShare is the share of the texts that have a word below which it tells no more: one
	// odd word is no sign that a text is about the work.
	rareShare = 0.02
	// supposedTexts is how many texts we suppose a project to have at least: what one of
	// three texts has is not yet common.
	supposedTexts = 20
	// besideShare is what is left of a word that only the whole has which the work is a part of.
	besideShare = 0.15
	// barShare is how much of all that the work tells a text has to share with it, as far as
	// that is no more than manyWords of the rarest words tell: who has to do many things finds
	// no text about all of them. leastBar is what is never enough, of what one such word tells.
	barShare  = 0.4
	manyWords = 5
	leastBar  = 0.2
	// clauseShare is how much of the points of a text the clause brings that it has most of.
	clauseShare = 0.35
	// leastOfBest is which part of the points of the best a text has at least.
	leastOfBest = 0.65
	// saidShare is what is left of a word once a text was chosen for it.
	saidShare = 0.8
)

// leftOver are words, by stem, that say of a piece of work only that it is what others leave.
var leftOver = lazy.Value(func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("anything else everything leftover other remainder remaining rest thing whatever whole") {
		m[stem(w)] = true
	}
	return m
})

// NewWork reads a piece of work, and what it is a part of, whose other words count
// little. Large says from 0 to 1 how much a word, in lower case, tells in the language at
// large: what few texts of a project have may still be a word that says nothing.
func NewWork(work, whole string, c Counted, large func(word string) float64) Work {
	w := Work{at: map[string]int{}}
	stats := Statistics{Documents: max(c.Texts, supposedTexts)}
	rarest := stats.Rarity(max(1, int64(rareShare*float64(c.Texts)))) - plainRarity
	told := func(word, spelled string, have int64) float64 {
		if leftOver()[word] {
			return 0
		}
		return float64(min(rarest, max(0, stats.Rarity(have)-plainRarity)) * large(spelled) * min(1, 2*Habits{}.weight(word)))
	}
	tells := func(word, spelled string) float64 { return told(word, spelled, c.Have[word]) }
	all := 0.0
	for _, clause := range pieces(work) {
		var places []int
		for spelled := range strings.FieldsSeq(Plain(clause)) {
			for _, word := range Words(spelled) {
				at, met := w.at[word]
				if !met {
					at = len(w.words)
					w.at[word] = at
					w.words = append(w.words, workWord{word: word, spelled: spelled, tells: tells(word, spelled)})
					if have, counted := c.Have[word]; counted { // one that no text has says what the work is about all the same
						all += told(word, spelled, max(1, have))
					}
				}
				if w.words[at].tells > 0 && !slices.Contains(places, at) {
					places = append(places, at)
				}
			}
		}
		w.clauses = append(w.clauses, places)
	}
	w.bar = max(leastBar*rarest, barShare*min(all, manyWords*rarest))
	for spelled := range strings.FieldsSeq(Plain(whole)) {
		for _, word := range Words(spelled) {
			if _, met := w.at[word]; !met {
				w.at[word] = len(w.words)
				w.words = append(w.words, workWord{word: word, beside: besideShare * tells(word, spelled)})
			}
		}
	}
	return w
}

// pieces cuts a text as clauses does, and at commas, brackets and slashes too.
func pieces(text string) []string {
	var out []string
	for _, c := range clauses(text) {
		out = append(out, strings.FieldsFunc(c, func(r rune) bool { return strings.ContainsRune(",()[]/", r) })...)
	}
	return out
}

// Bearing gives what of some texts bears on the work, the best first: of each that
// shares enough telling words with it the passage that shares most, or nothing where
// only the summary does. What those before it say already counts less. Find are the words
// of the work, as they stand there, that most of these texts have.
func (w Work) Bearing(texts []Said) (bearing []Passage, find []string) {
	all := make([]borne, 0, len(texts))
	best := 0.0
	for i, t := range texts {
		b := w.of(t)
		b.Text = i
		if b.tells > 0 && b.tells >= w.bar {
			all = append(all, b)
			best = max(best, b.points)
		}
	}
	all = slices.DeleteFunc(all, func(b borne) bool { return b.points < leastOfBest*best })
	find = w.common(all)
	left := slices.Repeat([]float64{1}, len(w.words))
	for len(all) > 0 {
		next, most := 0, -1.0
		for i, b := range all {
			if p := w.points(b.has, left); p > most {
				next, most = i, p
			}
		}
		b := all[next]
		all = slices.Delete(all, next, next+1)
		for at, has := range b.has {
			if has > 0 {
				left[at] *= saidShare
			}
		}
		if slices.ContainsFunc(bearing, func(p Passage) bool { return p.Words == b.Words }) {
			b.Words = "" // it was shown
		}
		bearing = append(bearing, b.Passage)
	}
	return bearing, find
}

// mostFound is how many words are given that find what bears on a piece of work.
const mostFound = 6

// common gives the words of the work that tell most of some texts together, in their order.
func (w Work) common(all []borne) []string {
	worth := make([]float64, len(w.words))
	var places []int
	for at, t := range w.words {
		for _, b := range all {
			if b.has[at] > 0 {
				worth[at] += t.tells
			}
		}
		if worth[at] > 0 {
			places = append(places, at)
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(worth[b], worth[a]) })
	places = places[:min(len(places), mostFound)]
	slices.Sort(places)
	out := make([]string, len(places))
	for i, at := range places {
		out[i] = w.words[at].spelled
	}
	return out
}

// borne is what of a text bears on a piece of work.
type borne struct {
	Passage
	has    []float64 // how much each word of the work counts in it
	points float64
	tells  float64 // what the words tell that it shares with the work, those more that its summary has
}

// points adds up what the words of a text tell of which so much counts, each as far as it
// is left: the clause that it has most of counts most.
func (w Work) points(has, left []float64) float64 {
	sum, best, beside := 0.0, 0.0, 0.0
	part := func(at int) float64 { return float64(float64(w.words[at].tells*has[at]) * left[at]) }
	for at, t := range w.words {
		sum += part(at)
		beside += float64(t.beside * has[at])
	}
	for _, c := range w.clauses {
		p := 0.0
		for _, at := range c {
			p += part(at)
		}
		best = max(best, p)
	}
	return float64(clauseShare*best) + float64((1-clauseShare)*sum) + beside
}

// What a word counts in a summary, in both the summary and the passage, and in lines that
// are no prose.
const (
	inSummary = 1
	inBoth    = 1.6
	inTable   = 0.5
	inLinks   = 0.3
)

// of chooses the passage of a text that bears most on the work.
func (w Work) of(t Said) borne {
	var a Analyzer
	summary := w.places(&a, t.Summary)
	once := slices.Repeat([]float64{1}, len(w.words))
	has := make([]float64, len(w.words))
	for _, at := range summary {
		has[at] = inSummary
	}
	out := borne{has: slices.Clone(has), points: w.points(has, once)}
	for _, p := range wholeIfShort(paragraphsOf(t.Text)) {
		shared := make([][]int, len(p.sentences))
		for i, s := range p.sentences {
			if !saysAgain(s, t.Summary) {
				shared[i] = w.places(&a, s)
			}
		}
		for from := range p.sentences {
			if len(shared[from]) == 0 {
				continue
			}
			now, size := slices.Clone(has), 0
			for to := from; to < len(p.sentences); to++ {
				if size += utf8.RuneCountInString(p.sentences[to]) + len("; "); size > passageRunes+len("; ") {
					break
				}
				for _, at := range shared[to] {
					now[at] = p.share
					if has[at] > 0 {
						now[at] = max(inSummary, float64(inBoth*p.share))
					}
				}
				if points := w.points(now, once); points > out.points {
					out.points, out.has = points, slices.Clone(now)
					out.Words = p.read(from, to)
				}
			}
		}
	}
	for at, has := range out.has {
		if has > 0 {
			out.tells += float64(w.words[at].tells * max(1, has))
		}
	}
	return out
}

// places gives which words of the work a text has.
func (w Work) places(a *Analyzer, text string) []int {
	var out []int
	for _, n := range a.Words(nil, text) {
		if at, is := w.at[a.Word(n)]; is && !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	return out
}

// saysAgain says whether a sentence is a summary once more.
func saysAgain(sentence, summary string) bool {
	return strings.Contains(Plain(summary), Plain(sentence))
}

// How many characters a passage has at most, and how many at least if what follows it in
// its paragraph has room.
const (
	passageRunes = 400
	fairRunes    = 240
)

// paragraph is what of a text can be read alone.
type paragraph struct {
	sentences []string
	share     float64 // what its words count
}

// read gives some sentences of a paragraph, and those after them that still fit.
func (p paragraph) read(from, to int) string {
	text := joined(p.sentences[from : to+1])
	for to++; to < len(p.sentences); to++ {
		longer := joined([]string{text, p.sentences[to]})
		if utf8.RuneCountInString(text) >= fairRunes || utf8.RuneCountInString(longer) > passageRunes {
			break
		}
		text = longer
	}
	return text
}

// joined puts sentences one behind the other, with a semicolon after one that does not end.
func joined(sentences []string) string {
	out := sentences[0]
	for _, s := range sentences[1:] {
		if r, _ := utf8.DecodeLastRuneInString(out); !unicode.IsPunct(r) {
			out += ";"
		}
		out += " " + s
	}
	return out
}

// wholeIfShort makes one paragraph of those of a text of prose that is no longer than a
// passage.
func wholeIfShort(all []paragraph) []paragraph {
	one := paragraph{share: 1}
	for _, p := range all {
		if p.share < 1 {
			return all
		}
		one.sentences = append(one.sentences, p.sentences...)
	}
	if len(one.sentences) == 0 {
		return nil
	}
	if one.sentences = []string{joined(one.sentences)}; utf8.RuneCountInString(one.sentences[0]) > passageRunes {
		return all
	}
	return []paragraph{one}
}

// paragraphsOf divides a text. Headings and pictures are left out; the rows of a table, the
// lines of a program and the entries of a list of links stand alone, and count less.
func paragraphsOf(text string) []paragraph {
	var out []paragraph
	var lines []string
	end := func() {
		if len(lines) > 0 {
			out = append(out, paragraph{sentencesOf(lines), 1})
		}
		lines = nil
	}
	alone := func(line string, share float64) {
		end()
		out = append(out, paragraph{sentencesOf([]string{line}), share})
	}
	fenced, listed := false, false
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.TrimSpace(line)
		entry := begins(line)
		switch {
		case strings.HasPrefix(words, "```"), strings.HasPrefix(words, "~~~"):
			end()
			fenced = !fenced
		case strings.Trim(words, "|-:=_* ") == "", !fenced && strings.HasPrefix(words, "#"), strings.HasPrefix(words, "!["):
			end()
		case strings.HasPrefix(words, "|"), fenced, strings.HasPrefix(line, "  ") && !listed && !entry, strings.HasPrefix(line, "\t") && !listed && !entry:
			alone(words, inTable)
		case entry && strings.HasPrefix(strings.TrimLeft(words, "-*0123456789.) `"), "["):
			alone(words, inLinks)
		case entry:
			end()
			words = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(words, "- "), "* "))
			fallthrough
		default:
			lines = append(lines, words)
		}
		listed = entry || listed && words != ""
	}
	end()
	return out
}

// wrapped is how many characters a line has at least that goes on in the next one.
const wrapped = 60

// sentencesOf divides the lines of a paragraph. What is longer than a passage is cut, at
// semicolons if it has some, else between words.
func sentencesOf(lines []string) []string {
	var out []string
	sentence := ""
	end := func() {
		out = append(out, cutLong(sentence)...)
		sentence = ""
	}
	for i, line := range lines {
		for line != "" {
			at := sentenceEnd(line)
			sentence = strings.TrimSpace(sentence + " " + line[:at])
			line = strings.TrimSpace(line[at:])
			if line != "" || ends(sentence) || utf8.RuneCountInString(lines[i]) < wrapped {
				end()
			}
		}
	}
	end()
	return out
}

// sentenceEnd is where the first sentence of a line ends.
func sentenceEnd(line string) int {
	for i := 0; i+2 < len(line); i++ {
		if strings.IndexByte(".?!", line[i]) >= 0 && line[i+1] == ' ' {
			if next, _ := utf8.DecodeRuneInString(strings.TrimLeft(line[i+1:], " ")); !unicode.IsLower(next) || i > 0 && line[i-1] == ' ' {
				return i + 1
			}
		}
	}
	return len(line)
}

func ends(sentence string) bool {
	return strings.HasSuffix(sentence, ".") || strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "!")
}

// cutLong divides a sentence that is longer than a passage may be.
func cutLong(sentence string) []string {
	if sentence == "" {
		return nil
	}
	var out []string
	for utf8.RuneCountInString(sentence) > passageRunes {
		most := 0 // where the character begins that does not fit any more, with room for the mark
		for n := range sentence {
			if most = n; utf8.RuneCountInString(sentence[:n]) >= passageRunes-1 {
				break
			}
		}
		at := strings.LastIndex(sentence[:most], "; ") + 1
		if at == 0 {
			at = blankBefore(sentence, most)
		}
		out = append(out, strings.TrimSpace(sentence[:at])+"…")
		sentence = strings.TrimSpace(sentence[at:])
	}
	return append(out, sentence)
}

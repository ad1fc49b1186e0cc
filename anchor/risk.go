package anchor

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner/internal/linediff"
)

// risk says why an edit that fits a text might not be meant for it, "" if it
// must be: the text it was made for is not known, and this one may have made
// the same change already, or moved what the edit relies on.
func risk(text string, e edit) string {
	switch {
	case cutsWord(text, e.start) || e.end > e.start && cutsWord(text, e.end):
		return "the operation fits only inside a word of the newer text"
	case e.end > e.start && !standsOnce(text, e):
		return "the newer text has the lines that the operation changes more than once"
	case joins(text, e):
		return "the new block would be joined to another line"
	}
	if line := doubled(text, e); line != "" {
		return fmt.Sprintf("the newer text already has %s, which the patch adds; it may have been applied before", quote(line))
	}
	return ""
}

// cutsWord says that a position lies between two characters of one word.
func cutsWord(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	return at > 0 && at < len(text) && inWord(before) && inWord(after)
}

// distinctive says that a quotation has a line to be recognised by.
func distinctive(quoted string) bool {
	const enough = 6 // visible characters
	for line := range strings.Lines(quoted) {
		if telling(line) && len(squeeze(line).text) >= enough {
			return true
		}
	}
	return false
}

// standsOnce says that the lines an edit changes have no double in the text.
func standsOnce(text string, e edit) bool {
	lo, hi := wholeLines(text, e)
	return len(find(text, text[lo:hi], 2)) < 2
}

// doubled gives a line that an edit adds although the text has it: in the
// neighbourhood, or only once. Lines without a letter or digit, such as a
// closing bracket, count only where the whole addition stands beside its place.
func doubled(text string, e edit) string {
	if repeatsHere(text, e) || repeatsLine(text, e) {
		return e.text
	}
	if seam := repeatsBeside(text, e); seam != "" {
		return seam
	}
	lo, hi := wholeLines(text, e)
	fresh := added(text[lo:hi], text[lo:e.start]+e.text+text[e.end:hi])
	if len(fresh) == 0 {
		return ""
	}
	const around = 12
	lines := linediff.Lines(text)
	place, height := strings.Count(text[:lo], "\n"), strings.Count(text[lo:hi], "\n")
	times, near := map[string]int{}, map[string]bool{}
	for i, line := range lines {
		times[line]++
		if place-around <= i && i < place+height+around {
			near[line] = true
		}
	}
	for _, line := range fresh {
		if telling(line) && (times[line] == 1 || near[line]) {
			return strings.TrimSuffix(line, "\n")
		}
	}
	return ""
}

// wholeLines widens the range of an edit to the lines it touches.
func wholeLines(text string, e edit) (lo, hi int) {
	lo = strings.LastIndexByte(text[:e.start], '\n') + 1
	hi = e.end
	if hi > lo && text[hi-1] == '\n' {
		return lo, hi
	}
	if i := strings.IndexByte(text[hi:], '\n'); i >= 0 {
		return lo, hi + i + 1
	}
	return lo, len(text)
}

// repeatsHere says that what an edit puts in stands just before or just behind
// its place already.
func repeatsHere(text string, e edit) bool {
	old := text[e.start:e.end]
	if len(e.text) <= len(old) {
		return false
	}
	grown := strings.HasPrefix(e.text, old) || strings.HasSuffix(e.text, old)
	return grown && (strings.HasPrefix(text[e.start:], e.text) || strings.HasSuffix(text[:e.end], e.text))
}

// repeatsBeside gives the words with which an edit ends, or begins, although
// they stand behind its place, or before it, already: the rest of a line that a
// patch does not quote may have made the same change.
func repeatsBeside(text string, e edit) string {
	const most = 4096
	old, rest, lead := text[e.start:e.end], text[e.end:], text[:e.start]
	first, last := strings.IndexFunc(e.text, inWord), strings.LastIndexFunc(e.text, inWord)
	if first < 0 {
		return ""
	}
	for k := min(len(e.text), len(rest), most); k >= len(e.text)-last; k-- {
		if s := e.text[len(e.text)-k:]; boundary(e.text, len(e.text)-k) && strings.HasPrefix(rest, s) && !strings.HasSuffix(old, s) {
			return s
		}
	}
	for k := min(len(e.text), len(lead), most); k > first; k-- {
		if s := e.text[:k]; boundary(e.text, k) && strings.HasSuffix(lead, s) && !strings.HasPrefix(old, s) {
			return s
		}
	}
	return ""
}

// repeatsLine says that an edit of whole lines ends with more of the line that
// follows it, or begins with more of the one before, than what it takes away:
// even an empty line may have been put there already.
func repeatsLine(text string, e edit) bool {
	was, is := linediff.Lines(text[e.start:e.end]), linediff.Lines(e.text)
	if next := headLines(text[e.end:]); lineStart(text, e.end) && len(next) > 0 && trailing(is, next[0]) > trailing(was, next[0]) {
		return true
	}
	prev := tailLines(text[:e.start])
	if !lineStart(text, e.start) || len(prev) == 0 {
		return false
	}
	slices.Reverse(was)
	slices.Reverse(is)
	return trailing(is, prev[len(prev)-1]) > trailing(was, prev[len(prev)-1])
}

// trailing counts how often a line ends a list.
func trailing(list []string, line string) (n int) {
	for n < len(list) && list[len(list)-1-n] == line {
		n++
	}
	return n
}

// added lists the lines that are in one stretch of text and not in another.
func added(before, after string) []string {
	was, is := linediff.Lines(before), linediff.Lines(after)
	var out []string
	for _, c := range linediff.Compare(was, is) {
		out = append(out, is[c.NewLo:c.NewHi]...)
	}
	return out
}

// telling says that a line has something to be recognised by.
func telling(line string) bool { return strings.ContainsFunc(line, inWord) }

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

// doubled gives a line that an edit adds although the text has it: in the
// neighbourhood, or only once. Lines without a letter or digit, such as a
// closing bracket, count only where the whole addition stands beside its place.
func doubled(text string, e edit) string {
	if repeatsHere(text, e) {
		return e.text
	}
	lines := linediff.Lines(text)
	lo, hi := wholeLines(text, e)
	place, height := strings.Count(text[:lo], "\n"), strings.Count(text[lo:hi], "\n")
	for _, line := range added(text[lo:hi], text[lo:e.start]+e.text+text[e.end:hi]) {
		found := slices.Index(lines, line)
		if found < 0 || !telling(line) {
			continue
		}
		if once := !slices.Contains(lines[found+1:], line); once || near(lines, line, place, height) {
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

// near says that a line stands within a few lines of a place and what it takes
// up.
func near(lines []string, line string, place, height int) bool {
	const around = 12
	lo, hi := max(0, place-around), min(len(lines), place+height+around)
	return slices.Contains(lines[lo:hi], line)
}

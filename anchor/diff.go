package anchor

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner"
	"brenner/internal/linediff"
)

// Diff makes a patch that turns a into b, in the smallest of its forms: edits
// trimmed to what really changes, neighbouring ones merged, or the whole text.
// Anchors are unique in a (where a repeats itself so much that none is short,
// match_index counts instead), and the patch has been applied to a and given b,
// byte for byte, before it is returned.
//
// Errors: INEXPRESSIBLE where that cannot be, because b spells line endings or
// a byte order mark otherwise or is no file at all; LIMIT_EXCEEDED.
func Diff(a, b Text, path string) (Patch, error) {
	p, _, err := DiffUntil(toTheEnd, a, b, path)
	return p, err
}

// DiffUntil is Diff unless stop, which is asked now and then, says that nobody
// waits for it any more; then it gives up and says so.
func DiffUntil(stop func() bool, a, b Text, path string) (p Patch, whole bool, err error) {
	if b.absent && !a.absent {
		return Patch{}, true, inexpressible("removing a file is not a change of its text")
	}
	edits, whole := lineEditsUntil(stop, a.s, b.s)
	if whole {
		edits, whole = refineUntil(stop, a.s, edits)
	}
	if !whole {
		return Patch{}, false, nil
	}
	p, got, err := composed(a, b, edits, path)
	if err != nil {
		return Patch{}, true, err
	}
	if why := otherSpelling(got, b); why != "" {
		return Patch{}, true, inexpressible("the texts differ in more than their canonical text: %s", why)
	}
	return p, true, nil
}

// toTheEnd is asked by what is not given up.
func toTheEnd() bool { return false }

func inexpressible(format string, args ...any) error {
	return brenner.Errorf(brenner.CodeInexpressible, format, args...).
		WithHint("patches are about canonical text, without a byte order mark and with LF; give both files one spelling, or replace the file by other means")
}

// otherSpelling says how two files of one canonical text differ, "" if not at
// all.
func otherSpelling(got, want Text) string {
	switch {
	case got.bom && !want.bom:
		return "the byte order mark goes"
	case want.bom && !got.bom:
		return "a byte order mark comes in"
	}
	lines := strings.Count(want.s, "\n")
	if lines == 0 || got.mixed == nil && want.mixed == nil && got.every == want.every {
		return ""
	}
	for i := range lines {
		if is, shall := got.endingOf(i), want.endingOf(i); is != shall {
			return fmt.Sprintf("line %d ends in %s instead of %s", i+1, shall, is)
		}
	}
	return ""
}

// lineEdits compares two texts line by line. The edits are sorted, disjoint
// and never touch.
func lineEdits(a, b string) []edit {
	edits, _ := lineEditsUntil(toTheEnd, a, b)
	return edits
}

func lineEditsUntil(stop func() bool, a, b string) (edits []edit, whole bool) {
	return tokenEdits(stop, linediff.Lines(a), linediff.Lines(b))
}

// tokenEdits compares two token sequences, which joined are the two texts.
func tokenEdits(stop func() bool, a, b []string) (edits []edit, whole bool) {
	changes, whole := linediff.CompareUntil(stop, a, b)
	edits = make([]edit, len(changes))
	at, i := 0, 0
	for n, c := range changes {
		for ; i < c.OldLo; i++ {
			at += len(a[i])
		}
		edits[n] = edit{start: at, text: strings.Join(b[c.NewLo:c.NewHi], "")}
		for ; i < c.OldHi; i++ {
			at += len(a[i])
		}
		edits[n].end = at
	}
	return edits, whole
}

// refine narrows line edits to what changes inside the lines, without cutting
// words. Very long blocks, as in files without line breaks, are compared again
// word by word.
func refine(base string, edits []edit) []edit {
	edits, _ = refineUntil(toTheEnd, base, edits)
	return edits
}

func refineUntil(stop func() bool, base string, edits []edit) (_ []edit, whole bool) {
	const long, often = 2000, 1 << 12
	out := make([]edit, 0, len(edits))
	for i, e := range edits {
		if i%often == 0 && stop() {
			return nil, false
		}
		e = trim(base, e)
		old := base[e.start:e.end]
		if min(len(old), len(e.text)) < long {
			out = append(out, e)
			continue
		}
		inner, whole := wordEdits(stop, old, e)
		if !whole {
			return nil, false
		}
		out = append(out, inner...)
	}
	return limit(base, out), true
}

// trim takes the common beginning and end off an edit, in whole words.
func trim(base string, e edit) edit {
	old := base[e.start:e.end]
	pre := commonPrefix(old, e.text)
	for pre > 0 && !wordBoundary(old, pre, e.text, pre) {
		pre--
	}
	old, text := old[pre:], e.text[pre:]
	post := commonSuffix(old, text)
	for post > 0 && !wordBoundary(old, len(old)-post, text, len(text)-post) {
		post--
	}
	e.start += pre
	e.end -= post
	e.text = text[:len(text)-post]
	return e
}

// wordBoundary says whether both strings may be cut at these places.
func wordBoundary(a string, i int, b string, j int) bool {
	return boundary(a, i) && boundary(b, j)
}

func boundary(s string, i int) bool {
	if i == 0 || i == len(s) {
		return true
	}
	if !utf8.RuneStart(s[i]) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	return !inWord(before) && !unicode.IsMark(after) || !inWord(after) && !unicode.IsMark(after)
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// wordEdits compares a long block word by word and joins edits that lie closer
// together than an anchor is worth.
func wordEdits(stop func() bool, old string, e edit) (inner []edit, whole bool) {
	const gap = 64
	inner, whole = tokenEdits(stop, splitWords(old), splitWords(e.text))
	inner = bridge(old, inner, gap)
	for i := range inner {
		inner[i].start += e.start
		inner[i].end += e.start
	}
	return inner, whole
}

func splitWords(s string) []string {
	var words []string
	for start, i := 0, 1; i <= len(s); i++ {
		if i == len(s) || boundary(s, i) {
			words = append(words, s[start:i])
			start = i
		}
	}
	return words
}

// bridge merges neighbouring edits of base that are less than gap bytes apart.
func bridge(base string, edits []edit, gap int) []edit {
	return bridgeWhere(base, edits, func(i int) bool { return edits[i].start-edits[i-1].end < gap })
}

// bridgeWhere merges each edit with the one before it where near says so.
func bridgeWhere(base string, edits []edit, near func(i int) bool) []edit {
	var out []edit
	for i := 0; i < len(edits); {
		first := i
		var text strings.Builder
		text.WriteString(edits[i].text)
		for i++; i < len(edits) && near(i); i++ {
			text.WriteString(base[edits[i-1].end:edits[i].start])
			text.WriteString(edits[i].text)
		}
		e := edits[first]
		e.end, e.text = edits[i-1].end, text.String()
		out = append(out, e)
	}
	return out
}

// limit merges edits across ever wider gaps until a patch can hold them.
func limit(base string, edits []edit) []edit {
	for gap := 16; len(edits) > brenner.MaxPatchOperations; gap *= 2 {
		edits = bridge(base, edits, gap)
	}
	return edits
}

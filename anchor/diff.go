package anchor

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner"
	"brenner/internal/linediff"
)

// Diff makes a patch that turns a into b. Its blocks are trimmed to what
// really changes, its anchors are unique in a (where a repeats itself so much
// that none is short, match_index counts instead), and it has been applied to
// a and given b before it is returned. The only error is LIMIT_EXCEEDED.
func Diff(a, b Text, path string) (Patch, error) {
	return compose(a, b, refine(a.s, lineEdits(a.s, b.s)), path)
}

// Reverse makes the patch that undoes p, given the text p applies to.
func Reverse(p Patch, base Text) (Patch, error) {
	res, err := Apply(p, base)
	if err != nil {
		return Patch{}, err
	}
	if res.Outcome == AlreadyApplied {
		return reverseFromResult(p, base)
	}
	edits, _ := resolve(p, base.s)
	return compose(res.Text, base, invert(base.s, edits), p.Path)
}

// reverseFromResult undoes a patch when only its result is at hand: every
// operation is turned around and the outcome proved by the base checksum.
func reverseFromResult(p Patch, result Text) (Patch, error) {
	unknown := brenner.Errorf(brenner.CodeBaseUnknown, "the patch cannot be undone from its result alone").
		WithHint("give the text it was made for with --base")
	q := p.clone()
	q.Base, q.Result = p.Result, p.Base
	for i := range q.Groups {
		for j, op := range q.Groups[i].Ops {
			if op.Kind == ReplaceEntireFile {
				return Patch{}, unknown
			}
			q.Groups[i].Ops[j] = Op{Kind: ReplaceBlock, Old: op.New, New: op.Old}
		}
	}
	res, err := applyHere(q, result)
	if err != nil {
		return Patch{}, unknown
	}
	edits, _ := resolve(q, result.s)
	return compose(result, res.Text, edits, p.Path)
}

// invert turns edits of base into edits of the result that undo them.
func invert(base string, edits []edit) []edit {
	out := make([]edit, len(edits))
	shift := 0
	for i, e := range edits {
		start := e.start + shift
		out[i] = edit{start: start, end: start + len(e.text), text: base[e.start:e.end]}
		shift += len(e.text) - (e.end - e.start)
	}
	return out
}

// compose writes edits of a that give b as a patch and proves it.
func compose(a, b Text, edits []edit, path string) (Patch, error) {
	for _, t := range []Text{a, b} {
		if len(t.s) > brenner.MaxPatchTextBytes {
			return Patch{}, tooLong(len(t.s))
		}
	}
	edits = normalize(edits)
	groups, ok := quoteGroups(a.s, edits)
	p := Patch{Path: path, Base: a.Sum(), Result: b.Sum(), Groups: groups}
	if !ok || size(groups) >= len(a.s)+len(b.s) && a.s != b.s || a.absent {
		p.Groups = []Group{{Anchor: Anchor{Mode: Exact}, Ops: []Op{{Kind: ReplaceEntireFile, New: b.s}}}}
	}
	res, err := Apply(p, a)
	if err != nil || res.Text.s != b.s {
		return Patch{}, fmt.Errorf("anchor: composed patch does not give its result: %w", err)
	}
	return p, nil
}

func size(groups []Group) (n int) {
	for _, g := range groups {
		n += len(g.Anchor.Text)
		for _, op := range g.Ops {
			n += len(op.Old) + len(op.New)
		}
	}
	return n
}

// normalize drops edits that change nothing and joins those that touch.
func normalize(edits []edit) []edit {
	out := make([]edit, 0, len(edits))
	for _, e := range edits {
		if e.start == e.end && e.text == "" {
			continue
		}
		if n := len(out); n > 0 && out[n-1].end == e.start {
			out[n-1].end = e.end
			out[n-1].text += e.text
			continue
		}
		out = append(out, e)
	}
	return out
}

// lineEdits compares two texts line by line. The edits are sorted, disjoint
// and never touch.
func lineEdits(a, b string) []edit { return tokenEdits(linediff.Lines(a), linediff.Lines(b)) }

// tokenEdits compares two token sequences, which joined are the two texts.
func tokenEdits(a, b []string) []edit {
	changes := linediff.Compare(a, b)
	edits := make([]edit, len(changes))
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
	return edits
}

// refine narrows line edits to what changes inside the lines, without cutting
// words. Very long blocks, as in files without line breaks, are compared again
// word by word.
func refine(base string, edits []edit) []edit {
	const long = 2000
	var out []edit
	for _, e := range edits {
		e = trim(base, e)
		old := base[e.start:e.end]
		if min(len(old), len(e.text)) < long {
			out = append(out, e)
			continue
		}
		out = append(out, wordEdits(old, e)...)
	}
	return limit(base, out)
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
func wordEdits(old string, e edit) []edit {
	const gap = 64
	inner := tokenEdits(splitWords(old), splitWords(e.text))
	inner = bridge(old, inner, gap)
	for i := range inner {
		inner[i].start += e.start
		inner[i].end += e.start
	}
	return inner
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
	var out []edit
	for _, e := range edits {
		if n := len(out); n > 0 && e.start-out[n-1].end < gap {
			last := &out[n-1]
			last.text += base[last.end:e.start] + e.text
			last.end = e.end
			continue
		}
		out = append(out, e)
	}
	return out
}

// limit joins edits across ever wider gaps until a patch can hold them.
func limit(base string, edits []edit) []edit {
	for gap := 16; len(edits) > brenner.MaxPatchOperations; gap *= 2 {
		edits = bridge(base, edits, gap)
	}
	return edits
}

// quoteGroups gives every edit an anchor; ok is false if the base repeats itself
// too much for that.
func quoteGroups(base string, edits []edit) (groups []Group, ok bool) {
	anchors, ok := chooseAnchors(base, edits)
	groups = make([]Group, len(edits))
	for i, e := range edits {
		op := Op{Kind: ReplaceBlock, Index: anchors[i].index, Old: base[e.start:e.end], New: e.text}
		if op.New == "" {
			op.Kind = DeleteBlock
		}
		groups[i] = Group{Anchor: Anchor{Text: base[anchors[i].start:e.start], Mode: Exact}, Ops: []Op{op}}
	}
	return groups, ok
}

// choice is where an edit's anchor starts, and its index if it is not unique.
type choice struct{ start, index int }

// chooseAnchors finds for every edit a short anchor that occurs once. All edits
// try their next longer candidate together, one scan of the base per round.
func chooseAnchors(base string, edits []edit) (chosen []choice, ok bool) {
	chosen = make([]choice, len(edits))
	var open []int
	for i, e := range edits {
		if e.start > 0 {
			open = append(open, i)
		}
	}
	for _, reach := range []int{1, 16, 32, 64, 128, 256, 512, 1024, 2048} {
		if len(open) == 0 {
			return chosen, true
		}
		queries := make([]*query, len(open))
		for k, i := range open {
			chosen[i].start = anchorStart(base, edits[i].start, reach)
			queries[k] = ask(base[chosen[i].start:edits[i].start], 2)
		}
		if !scan(base, queries) {
			return chosen, false
		}
		var repeated []int
		for k, i := range open {
			if len(queries[k].hits) > 1 {
				repeated = append(repeated, i)
			}
		}
		open = repeated
	}
	return chosen, countAnchors(base, edits, open, chosen)
}

// countAnchors falls back on match_index where no short anchor is unique.
func countAnchors(base string, edits []edit, open []int, chosen []choice) bool {
	byText := map[string]*query{}
	var queries []*query
	needle := func(i int) string { return base[chosen[i].start:edits[i].start] }
	for _, i := range open {
		chosen[i].start = anchorStart(base, edits[i].start, 1)
		if byText[needle(i)] == nil {
			q := ask(needle(i), all)
			byText[needle(i)] = q
			queries = append(queries, q)
		}
	}
	if !scan(base, queries) {
		return false
	}
	for _, i := range open {
		rank, _ := slices.BinarySearch(byText[needle(i)].hits, chosen[i].start)
		chosen[i].index = rank + 1
	}
	return true
}

// anchorStart is where an anchor of at least reach bytes before at begins: at
// the start of its line unless the line is very long.
func anchorStart(base string, at, reach int) int {
	const slack = 120
	start := max(0, at-reach)
	line := strings.LastIndexByte(base[:start], '\n') + 1
	if start-line <= slack {
		return line
	}
	for start > 0 && !utf8.RuneStart(base[start]) {
		start--
	}
	return start
}

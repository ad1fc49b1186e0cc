package anchor

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner"
)

// compose writes edits of a that give b as a patch and proves it.
func compose(a, b Text, edits []edit, path string) (Patch, error) {
	p, _, err := composed(a, b, edits, path)
	return p, err
}

// composed also gives the text that the patch makes of a.
func composed(a, b Text, edits []edit, path string) (Patch, Text, error) {
	for _, t := range []Text{a, b} {
		if len(t.s) > brenner.MaxPatchTextBytes {
			return Patch{}, Text{}, tooLong(len(t.s))
		}
	}
	if err := checkUTF8("/target/path", path); err != nil {
		return Patch{}, Text{}, err
	}
	p := smallest(a, b, normalize(edits), path)
	err := p.check()
	if err != nil {
		return Patch{}, Text{}, err
	}
	out, _, err := transform(p, a)
	if err != nil || out.s != b.s {
		return Patch{}, Text{}, fmt.Errorf("anchor: composed patch does not give its result: %w", err)
	}
	return p, out, nil
}

// overhead is about what an operation of its own adds to a patch besides the
// text it quotes.
const overhead = 320

// smallest picks the shortest way to write down edits. The whole text is worth
// it only if it saves more than one operation costs: a patch that quotes says
// what it changes, and can be undone from its result.
func smallest(a, b Text, edits []edit, path string) Patch {
	form := Patch{Path: path, Base: a.Sum(), Result: b.Sum()}
	whole := form
	whole.Groups = []Group{{Anchor: Anchor{Mode: Exact}, Ops: []Op{{Kind: ReplaceEntireFile, New: b.s}}}}
	if a.absent {
		return whole
	}
	edits = bridge(a.s, edits, overhead/2)
	groups, ok := quoteGroups(a.s, edits)
	if !ok {
		return whole
	}
	form.Groups = groups
	// An edit whose anchor is long may be cheaper as part of its neighbour.
	merged := bridgeWhere(a.s, edits, func(i int) bool {
		return 2*(edits[i].start-edits[i-1].end) < overhead+len(groups[i].Anchor.Text)
	})
	if len(merged) < len(edits) {
		other := form
		if other.Groups, ok = quoteGroups(a.s, merged); ok && size(other.Groups) < size(form.Groups) {
			form = other
		}
	}
	if size(form.Groups) < len(b.s) || len(form.JSON()) <= len(whole.JSON())+overhead {
		return form
	}
	return whole
}

// size estimates how long groups are when written down.
func size(groups []Group) (n int) {
	for _, g := range groups {
		n += len(g.Anchor.Text)
		for _, op := range g.Ops {
			n += overhead + len(op.Old) + len(op.New)
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
	for !utf8.RuneStart(base[start]) { // a text begins with a character
		start--
	}
	return start
}

package delta

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"brenner/internal/lazy"
)

// sweep looks through all that is no delta block for what may have been meant
// as a delta, wherever it stands.
func (x *extractor) sweep() {
	slices.SortStableFunc(x.places, func(a, b region) int { return cmp.Compare(a.from, b.from) })
	text := string(x.source)
	next := 0 // of the taken regions
	for i := 0; i < len(text); {
		for next < len(x.taken) && x.taken[next].to <= i {
			next++
		}
		end := len(text)
		if next < len(x.taken) {
			if end = x.taken[next].from; end <= i {
				i = x.taken[next].to
				continue
			}
		}
		n := strings.IndexByte(text[i:end], '{')
		if n < 0 {
			i = end
			continue
		}
		i = x.object(text, i+n, end)
	}
	x.written(text)
}

// object reads what may be a delta at a place, and gives the place to go on.
func (x *extractor) object(text string, at, end int) int {
	x.look()
	if x.steps <= 0 {
		if !x.tired {
			x.tired = true
			x.finds = append(x.finds, find{at: at, where: "the reply holds too many brackets to be looked through", advice: "send deltas in blocks named delta"})
		}
		return end
	}
	where, advice, within := x.place(text, at)
	r := looseReader{text: text[at:min(end, within)], steps: &x.steps}
	v, ok := r.value(0)
	if !ok || len(v.members) == 0 {
		if n := x.behindMarks(text[:min(end, within)], at, where, advice); n > 0 {
			return n
		}
		return x.unreadable(text[:end], at, where, advice)
	}
	if echoed(text[:at]) {
		if len(deltasIn(&v)) > 0 {
			x.ignore(at, "an example was echoed", "take out the line "+EchoMarker+" if it is meant as a contribution")
		}
		return at + r.off
	}
	if x.looseFinds(&v, r.slips, []byte(text[at:at+r.off]), at, where, advice) {
		return at + r.off
	}
	if section := itemLike(&v); section != "" {
		x.finds = append(x.finds, find{
			at: at, where: "an item of " + string(section) + " stands here, and no delta",
			advice: "send it as the payload of an ADD, or of an EDIT that names the item, in a block named delta",
		})
		return at + r.off
	}
	return at + 1 // something inside may still be one
}

// itemLike gives the section of which an object has all that an item must have,
// "" if there is none: an agent sent what it wants to stand there.
func itemLike(v *loose) Section {
	for s := range schemas {
		required := 0
		for i := range schemas[s].Fields {
			if f := &schemas[s].Fields[i]; f.Required {
				if required++; v.member(f.Name) == nil {
					required = -len(schemas[s].Fields)
				}
			}
		}
		if required > 1 {
			return schemas[s].Section
		}
	}
	return ""
}

// lineMark is what diffs, comments and listings put before every line.
var lineMark = lazy.NewPattern(`^[ \t]*(?:\+|//|#|;|--|[0-9]+[ \t]*[|:])[ \t]?`)

// maxLineMark is the longest mark before a line.
const maxLineMark = 200

// behindMarks reads a delta whose lines all begin with a mark, and gives the place
// to go on, 0 if there is none.
func (x *extractor) behindMarks(text string, at int, where, advice string) int {
	near := max(0, at-maxLineMark) // the line may be as long as the reply
	start := near + strings.LastIndexByte(text[near:at], '\n') + 1
	if start == near && near > 0 {
		return 0
	}
	if loc := lineMark.FindStringIndex(text[start:at]); loc == nil || start+loc[1] != at {
		return 0
	}
	var b strings.Builder
	to := start
	for line := range strings.Lines(text[start:]) {
		loc := lineMark.FindStringIndex(line)
		if loc == nil {
			break
		}
		b.WriteString(line[loc[1]:])
		to += len(line)
	}
	x.steps -= to - start
	r := looseReader{text: b.String(), steps: &x.steps}
	r.slip("take out what stands before each line")
	v, ok := r.value(0)
	if !ok || len(deltasIn(&v)) == 0 {
		return 0
	}
	x.looseFinds(&v, r.slips, []byte(text[start:to]), at, where, advice)
	return to
}

// echoed says whether the line before a place marks an example.
func echoed(before string) bool {
	before = strings.TrimRight(before[max(0, len(before)-200):], " \t\r\n[(`")
	return strings.HasSuffix(before, EchoMarker)
}

// unreadable names what begins like a delta and cannot be read at all, and
// gives the place to go on.
func (x *extractor) unreadable(text string, at int, where, advice string) int {
	head := text[at:min(len(text), at+1000)]
	if n := strings.Index(head, "\n\n"); n > 0 {
		head = head[:n]
	}
	if !beginsLikeDelta(head) || echoed(text[:at]) {
		return at + 1
	}
	x.finds = append(x.finds, find{at: at, raw: []byte(head), where: where, advice: advice})
	return at + len(head)
}

// beginsLikeDelta says whether an object begins by naming an operation.
func beginsLikeDelta(head string) bool {
	head = strings.ToLower(head[1:min(len(head), 300)])
	if n := strings.IndexAny(head, "{}"); n >= 0 {
		head = head[:n]
	}
	for _, name := range []string{"operation", "action", `"op"`, "'op'", "op:"} {
		_, rest, ok := strings.Cut(head, name)
		if !ok {
			continue
		}
		rest = strings.TrimLeftFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) })
		n := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) })
		if n < 0 {
			n = len(rest)
		}
		if _, ok := operationMeant(rest[:n]); ok {
			return true
		}
	}
	return false
}

// nestedPlaces is how many blocks may stand inside each other for the outermost
// to be seen.
const nestedPlaces = 8

// place names where a delta stands that is not in a block of its own, and gives
// where that place ends.
func (x *extractor) place(text string, at int) (where, advice string, end int) {
	end = len(text)
	last, _ := slices.BinarySearchFunc(x.places, at+1, func(p region, at int) int { return p.from - at })
	for i := last - 1; i >= max(0, last-nestedPlaces); i-- {
		p := x.places[i]
		if p.from > at || p.to <= at {
			continue
		}
		switch {
		case p.name == "another block":
			return "a delta block inside another block is not read", "send the block on its own", end
		case strings.HasPrefix(p.name, "a block"):
			return "a delta stands in " + p.name, "name the fence delta", p.to
		}
		return "a delta stands in " + p.name, "put it into a block named delta", end
	}
	line := text[max(0, at-1000):at]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	switch {
	case strings.Count(line, "`")%2 == 1:
		return "a delta stands in inline code", "put it into a block named delta", end
	case strings.Contains(line, "|"):
		return "a delta stands in a table", "put it into a block named delta", end
	case strings.Contains(text[max(0, at-400):at], "<!--") && !strings.Contains(text[max(0, at-400):at], "-->"):
		return "a delta stands in a comment", "put it into a block named delta", end
	}
	return "a delta stands in the text without a fence", "put it into a block named delta", end
}

// An operation written as a list or as YAML, not as JSON.
var writtenOut = lazy.NewPattern("(?im)^[ \t>*+-]*[*_`\"]*(?:operation|op|action)[*_`\"]*[ \t]*[:=][ \t]*[*_`\"]*(?:add|edit|kill)\\b")

// written reports deltas that are written out as a list of names and values,
// outside of what was found already.
func (x *extractor) written(text string) {
	known := slices.Clone(x.taken)
	for i := range x.finds {
		known = append(known, region{from: x.finds[i].at, to: x.finds[i].at + len(x.finds[i].raw)})
	}
	slices.SortFunc(known, func(a, b region) int { return cmp.Compare(a.from, b.from) })
	next, reached := 0, 0
	for _, m := range writtenOut.FindAllStringIndex(text, -1) {
		for ; next < len(known) && known[next].from <= m[0]; next++ {
			reached = max(reached, known[next].to)
		}
		if line := strings.TrimSpace(text[m[0]:m[1]]); m[0] < reached || line[0] == '"' || line[0] == '>' {
			continue
		}
		x.finds = append(x.finds, find{at: m[0], where: "a delta is written as a list, not as JSON", advice: "write it as a JSON object in a block named delta"})
	}
	x.called(text, known)
}

// A call whose arguments are the members of a delta, and elements that hold
// them, from the bracket that opens to the operation.
var (
	calledWith = lazy.NewPattern(`(?i)\b[a-z_][\w.]*\(\s*(?:[^(){}\n]{0,200},\s*)?["']?(?:operation|op|action)["']?\s*[:=]\s*["']?(?:add|edit|kill)\b`)
	inElements = lazy.NewPattern(`(?i)<(?:operation|op|action)>\s*(?:add|edit|kill)\s*<|<[a-z:_-]+ name=["'](?:operation|op|action)["']>\s*(?:add|edit|kill)\s*<|<[a-z:_-]+ (?:[^<>\n]{0,200} )?(?:operation|op|action)=["'](?:add|edit|kill)["']`)
)

// called reports deltas that are written as calls or as elements. The arguments
// of a call can be read.
func (x *extractor) called(text string, known []region) {
	free := func(at int) bool {
		i, _ := slices.BinarySearchFunc(known, at+1, func(r region, at int) int { return cmp.Compare(r.from, at) })
		return i == 0 || known[i-1].to <= at
	}
	reached := 0
	for _, m := range calledWith.FindAllStringIndex(text, -1) {
		if m[0] < reached || !free(m[0]) || echoed(text[:m[0]]) {
			continue
		}
		open := m[0] + strings.IndexByte(text[m[0]:], '(')
		r := looseReader{text: text[open:], steps: &x.steps, tuples: 1, call: true}
		r.slip("write the arguments as a JSON object")
		f := find{at: m[0], where: "a delta is written as a call, which is not JSON", advice: "write it as a JSON object in a block named delta"}
		if v, ok := r.object(0); ok {
			if all := deltasIn(&v); len(all) == 1 {
				f.meant, f.slips, f.raw = &all[0], r.slips, []byte(text[open:open+r.off])
			}
			reached = open + r.off
		}
		x.finds = append(x.finds, f)
	}
	for _, m := range inElements.FindAllStringIndex(text, -1) {
		if m[0] < reached || !free(m[0]) || echoed(text[:m[0]]) {
			continue
		}
		x.finds = append(x.finds, find{at: m[0], where: "a delta is written in elements, which is not JSON", advice: "write it as a JSON object in a block named delta"})
	}
}

package delta

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner"
	"brenner/canon"
	"brenner/internal/linediff"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// longText is the length from which on, of a text that changed, only the passages are
// written that did, if at least half of it stayed.
const longText = 200

const (
	aroundChange = 5  // words shown on each side of a change
	mostAround   = 20 // up to where its sentence begins and ends
	mostPassages = 20 // of one text
	// longestGone is how much is shown of words that are gone: their reader had them.
	longestGone = 200
)

// changedPassages gives the passages of a long text that changed, each on a line, with a few
// words around them, those that are gone as [-…-] and those that came as {+…+}, and between
// them how much is as before; other signs stand there where the text uses these. Not ok are
// short texts and those that changed for the most part: they are shown whole (D19).
func changedPassages(before, now string) (out string, ok bool) {
	return passagesWith(before, now, howMuch)
}

// passagesWith is changedPassages with other words for how much is as before.
func passagesWith(before, now string, left func(text string) string) (out string, ok bool) {
	m, ok := marksFor(before, now)
	if !ok || utf8.RuneCountInString(now) < longText || len(before) < longText {
		return "", false
	}
	old, new := cutWords(before), cutWords(now)
	changes := joinClose(linediff.Compare(trimmed(old), trimmed(new)))
	if len(changes) > mostPassages {
		return "", false
	}
	if !mostlyKept(new, changes) {
		return "", false
	}
	out = m.places(old, new, changes, left)
	return out, len(changes) > 0 && 4*len(out) < 3*len(now)
}

// ChangedRunes says how much of a text was changed: the characters of the words that went or of
// those that came in their place, whichever are more.
func ChangedRunes(before, now string) int {
	old, new := cutWords(before), cutWords(now)
	n := 0
	for _, c := range linediff.Compare(trimmed(old), trimmed(new)) {
		n += max(utf8.RuneCountInString(strings.Join(old[c.OldLo:c.OldHi], "")), utf8.RuneCountInString(strings.Join(new[c.NewLo:c.NewHi], "")))
	}
	return n
}

// mostlyKept says whether at least half of a text, cut into words, was there before.
func mostlyKept(now []string, changes []linediff.Change) bool {
	all := len(strings.Join(now, ""))
	kept := all
	for _, c := range changes {
		kept -= len(strings.Join(now[c.NewLo:c.NewHi], ""))
	}
	return 2*kept >= all
}

// places writes the places in which a text changed, with a few words around them.
func (m marks) places(old, now []string, changes []linediff.Change, left func(text string) string) string {
	var b strings.Builder
	at := 0 // of now, up to which it is written
	for i, c := range changes {
		from := max(at, beginsAt(now, c.NewLo))
		same, cut := asBefore(now[at:from], left)
		if cut && i > 0 {
			same = "\n" + same
		}
		b.WriteString(same + strings.Join(now[from:c.NewLo], ""))
		if c.NewLo > 0 && c.NewLo == len(now) && strings.TrimRightFunc(now[c.NewLo-1], unicode.IsSpace) == now[c.NewLo-1] {
			b.WriteString(" ")
		}
		b.WriteString(m.between(strings.Join(old[c.OldLo:c.OldHi], ""), strings.Join(now[c.NewLo:c.NewHi], "")))
		at = endsAt(now, c.NewHi)
		if i+1 < len(changes) {
			at = min(at, changes[i+1].NewLo)
		}
		b.WriteString(strings.Join(now[c.NewHi:at], ""))
	}
	same, _ := asBefore(now[at:], left)
	return strings.ReplaceAll(strings.TrimSpace(b.String()+same), " \n", "\n")
}

// beginsAt is from which word on what stands before a change is shown: the beginning of its
// sentence, where that is near, and some words at least.
func beginsAt(words []string, at int) int {
	for i := at; i > max(0, at-mostAround); i-- {
		if endsSentence(words[i-1]) {
			return min(i, max(0, at-aroundChange))
		}
	}
	if at <= mostAround {
		return 0
	}
	return at - aroundChange
}

// endsAt is up to which word what stands behind a change is shown, likewise.
func endsAt(words []string, at int) int {
	for i := max(at, 1); i <= min(len(words), at+mostAround); i++ {
		if endsSentence(words[i-1]) {
			return max(i, min(len(words), at+aroundChange))
		}
	}
	if at+mostAround >= len(words) {
		return len(words)
	}
	return at + aroundChange
}

func endsSentence(word string) bool {
	bare := strings.TrimRightFunc(word, unicode.IsSpace)
	return strings.Contains(word[len(bare):], "\n") || strings.HasSuffix(bare, ".") || strings.HasSuffix(bare, ";") || strings.HasSuffix(bare, "?") || strings.HasSuffix(bare, "!")
}

func leftOut(string) string { return "…" }

// longestChange is how much is shown of a text that was, and of the one in its place, on a line.
const longestChange = 160

// ChangeOf says on a line what became of a text, in quotes: where it changed, or both where
// little of it stayed.
func ChangeOf(was, now string) string {
	was, now = onOneLine(was), onOneLine(now)
	old, words := cutWords(was), cutWords(now)
	changes := joinClose(linediff.Compare(trimmed(old), trimmed(words)))
	if m, ok := marksFor(was, now); ok && mostlyKept(words, changes) {
		return `"` + brenner.ClipWords(strings.ReplaceAll(m.places(old, words, changes, leftOut), "\n", " "), 2*longestChange) + `"`
	}
	same := 0 // what both begin with says nothing of what changed
	for same < min(len(old), len(words)) && strings.TrimSpace(old[same]) == strings.TrimSpace(words[same]) {
		same++
	}
	from := func(all []string) string {
		const before = 3 // words, to know the place by
		if same <= 2*before {
			return brenner.ClipWords(strings.Join(all, ""), longestChange)
		}
		return "… " + brenner.ClipWords(strings.Join(all[same-before:], ""), longestChange)
	}
	return `"` + from(old) + `" → "` + from(words) + `"`
}

// Changed is a text as somebody is shown it who has it as it was: the passages of a long
// one that changed, or all of it.
func Changed(before, now string) string {
	if passages, shorter := changedPassages(before, now); shorter {
		return passages
	}
	return now
}

// Changing is the payload of an EDIT as somebody is shown it who has the item: of long
// texts the passages that it changes, also in cells of maps. Not ok is one that has
// none such.
func (it *Item) Changing(payload jsontext.Value) (out jsontext.Value, ok bool) {
	var fields map[string]any
	if json.Unmarshal(payload, &fields) != nil {
		return nil, false
	}
	for field, value := range fields { // order-free: each has a place of its own
		switch value := value.(type) {
		case string:
			if passages, shorter := changedPassages(it.Text(field), value); shorter {
				fields[field], ok = passages, true
			}
		case map[string]any:
			for _, p := range it.Pairs(field) {
				now, _ := value[p.Key].(string)
				if passages, shorter := changedPassages(p.Value, now); shorter {
					value[p.Key], ok = passages, true
				}
			}
		}
	}
	if !ok {
		return nil, false
	}
	out, err := canon.Marshal(fields)
	return out, err == nil
}

// marks are the signs around words that are gone and around those that came.
type marks struct{ gone, goneEnd, came, cameEnd string }

// marksFor gives the first signs that no text uses. Not ok is a text that uses them all, or
// that says itself how much of it is as before.
func marksFor(texts ...string) (marks, bool) {
	uses := func(signs ...string) bool {
		return slices.ContainsFunc(texts, func(text string) bool {
			return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(text, sign) })
		})
	}
	for _, m := range []marks{{"[-", "-]", "{+", "+}"}, {"<del>", "</del>", "<ins>", "</ins>"}, {"⟦was: ", "⟧", "⟦now: ", "⟧"}} {
		if !uses(m.gone, m.goneEnd, m.came, m.cameEnd) {
			return m, !uses(asBeforeEnd)
		}
	}
	return marks{}, false
}

const asBeforeEnd = "characters as before]"

// asBefore says how much of a text stayed as it was, and leaves a little of it as it is.
func asBefore(words []string, left func(text string) string) (said string, cut bool) {
	text := strings.Join(words, "")
	shown := strings.TrimRightFunc(text, unicode.IsSpace)
	if len(shown) <= 2*len(howMuch(shown)) {
		return text, false
	}
	return left(shown) + " ", true
}

func howMuch(text string) string {
	return "[" + strconv.Itoa(utf8.RuneCountInString(text)) + " " + asBeforeEnd
}

// between shows the words that took the place of others.
func (m marks) between(gone, came string) string {
	tail := func(s string) string { return s[len(strings.TrimRightFunc(s, unicode.IsSpace)):] }
	out, end := "", tail(gone)
	if was := strings.TrimSpace(gone); was != "" {
		out = m.gone + brenner.Clip(was, longestGone) + m.goneEnd
	}
	if is := strings.TrimSpace(came); is != "" {
		out, end = out+m.came+is+m.cameEnd, tail(came)
	}
	if end == "" {
		end = " "
	}
	return out + end
}

// joinClose joins changes with so few words between them that these are shown.
func joinClose(changes []linediff.Change) []linediff.Change {
	var out []linediff.Change
	for _, c := range changes {
		if n := len(out); n > 0 && c.NewLo-out[n-1].NewHi <= 2 {
			out[n-1].OldHi, out[n-1].NewHi = c.OldHi, c.NewHi
			continue
		}
		out = append(out, c)
	}
	return out
}

// cutWords cuts a text after each word and the white space behind it; joined they
// give it back.
func cutWords(text string) []string {
	var out []string
	from, space := 0, false
	for i, r := range text {
		is := unicode.IsSpace(r)
		if space && !is {
			out, from = append(out, text[from:i]), i
		}
		space = is
	}
	if from < len(text) {
		out = append(out, text[from:])
	}
	return out
}

func trimmed(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strings.TrimSpace(w)
	}
	return out
}

// sentText is a value of a payload in plain words: of a text that is changed in part
// the words that go and those that come.
func sentText(value string) string {
	switch {
	case value[0] == '{' && !replacementLike(value):
		cells := objectPairs(value)
		if !slices.ContainsFunc(cells, func(c pair) bool { return replacementLike(c.value) }) {
			return textOf(value)
		}
		parts := make([]string, len(cells))
		for i, c := range cells {
			parts[i] = c.name + " = " + sentText(c.value)
		}
		return strings.Join(parts, "; ")
	case !replacementLike(value):
		return textOf(value)
	}
	all, err := readReplacements(value, "")
	if err != nil {
		return textOf(value)
	}
	parts := make([]string, len(all))
	for i, r := range all {
		m, ok := marksFor(r.Old, r.New)
		if !ok {
			return textOf(value) // as it was sent
		}
		parts[i] = "…" + strings.TrimSpace(m.between(r.Old, r.New)) + "…"
	}
	return strings.Join(parts, " ")
}

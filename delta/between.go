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
const longText = 400

const (
	aroundChange = 5  // words shown on each side of a change
	mostPassages = 20 // of one text
	// longestGone is how much is shown of words that are gone: their reader had them.
	longestGone = 200
)

// changedPassages gives the passages of a long text that changed, with a few words
// around them, those that are gone as [-…-] and those that came as {+…+}, and between
// them how much is as before. Not ok are short texts, those that changed for the most
// part, and those that use these signs themselves: they are shown whole (D19).
func changedPassages(before, now string) (out string, ok bool) {
	if utf8.RuneCountInString(now) < longText || len(before) < longText || signed(before) || signed(now) {
		return "", false
	}
	old, new := cutWords(before), cutWords(now)
	changes := joinClose(linediff.Compare(trimmed(old), trimmed(new)))
	if len(changes) > mostPassages {
		return "", false
	}
	kept := len(now)
	for _, c := range changes {
		kept -= len(strings.Join(new[c.NewLo:c.NewHi], ""))
	}
	if 2*kept < len(now) {
		return "", false
	}
	var b strings.Builder
	at := 0 // of new, up to which it is written
	for i, c := range changes {
		from := max(at, c.NewLo-aroundChange)
		b.WriteString(asBefore(new[at:from]))
		b.WriteString(strings.Join(new[from:c.NewLo], ""))
		if c.NewLo > 0 && c.NewLo == len(new) && strings.TrimRightFunc(now, unicode.IsSpace) == now {
			b.WriteString(" ")
		}
		b.WriteString(between(strings.Join(old[c.OldLo:c.OldHi], ""), strings.Join(new[c.NewLo:c.NewHi], "")))
		at = min(len(new), c.NewHi+aroundChange)
		if i+1 < len(changes) {
			at = min(at, changes[i+1].NewLo)
		}
		b.WriteString(strings.Join(new[c.NewHi:at], ""))
	}
	b.WriteString(asBefore(new[at:]))
	out = strings.TrimSpace(b.String())
	return out, len(changes) > 0 && 4*len(out) < 3*len(now)
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

// signed says whether a text uses the signs by which changes are shown.
func signed(text string) bool {
	for _, sign := range []string{"[-", "-]", "{+", "+}", asBeforeEnd} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

const asBeforeEnd = "characters as before]"

// asBefore says how much of a text stayed as it was, and leaves a little of it as it is.
func asBefore(words []string) string {
	text := strings.Join(words, "")
	shown := strings.TrimRightFunc(text, unicode.IsSpace)
	said := "[" + strconv.Itoa(utf8.RuneCountInString(shown)) + " " + asBeforeEnd
	if len(shown) <= 2*len(said) {
		return text
	}
	return said + " "
}

// between shows the words that took the place of others.
func between(gone, came string) string {
	tail := func(s string) string { return s[len(strings.TrimRightFunc(s, unicode.IsSpace)):] }
	out, end := "", tail(gone)
	if was := strings.TrimSpace(gone); was != "" {
		out = "[-" + brenner.Clip(was, longestGone) + "-]"
	}
	if is := strings.TrimSpace(came); is != "" {
		out, end = out+"{+"+is+"+}", tail(came)
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
		if signed(r.Old) || signed(r.New) {
			return textOf(value) // as it was sent
		}
		parts[i] = "…" + strings.TrimSpace(between(r.Old, r.New)) + "…"
	}
	return strings.Join(parts, " ")
}

package delta

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner"
)

// Replacement is a change of a part of a text: other words in the place of some.
// In the payload of an EDIT a text may come as {"old": …, "new": …}, or as a list
// of these, which are made one after the other (D5). A merge knows whole texts
// only: Complete makes them whole where the document is at hand.
type Replacement struct{ Old, New string }

// MaxReplacements bounds the replacements in one text.
const MaxReplacements = 16

const replacementForm = `{"old": "…", "new": "…"}`

// replacementLike says whether a value in place of a text was meant as a
// replacement, or as a list of them.
func replacementLike(value string) bool {
	switch value[0] {
	case '{':
		return slices.ContainsFunc(objectPairs(value), func(p pair) bool { return p.name == "old" || p.name == "new" })
	case '[':
		elements := appendElements(nil, value)
		return len(elements) > 0 && elements[0][0] == '{' && replacementLike(elements[0])
	}
	return false
}

// Replaced gives the words that an EDIT takes out of the text of a field, part by part; none
// if it says the whole text.
func (d Delta) Replaced(field string) []string {
	for _, p := range objectPairs(string(d.Payload)) {
		if p.name != field || !replacementLike(p.value) {
			continue
		}
		all, err := readReplacements(p.value, "")
		if err != nil {
			return nil
		}
		out := make([]string, len(all))
		for i, r := range all {
			out[i] = r.Old
		}
		return out
	}
	return nil
}

// readReplacements reads a value that is replacementLike.
func readReplacements(value, pointer string) ([]Replacement, *brenner.Error) {
	if value[0] == '{' {
		r, err := readReplacement(value, pointer)
		return []Replacement{r}, err
	}
	elements := appendElements(nil, value)
	if len(elements) > MaxReplacements {
		return nil, tooMany(pointer, "replacements", MaxReplacements)
	}
	out := make([]Replacement, len(elements))
	for i, el := range elements {
		var err *brenner.Error
		if out[i], err = readReplacement(el, pointer+"/"+itoa(i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func readReplacement(value, pointer string) (Replacement, *brenner.Error) {
	form := "write " + replacementForm + ": the words as they stand, and those that take their place"
	if value[0] != '{' {
		return Replacement{}, invalid(pointer, "not "+replacementForm, form)
	}
	var r Replacement
	given := map[string]bool{}
	for _, p := range objectPairs(value) {
		switch {
		case p.name != "old" && p.name != "new":
			return r, invalid(pointer+"/"+escapePointer(p.name), "a replacement has only old and new", form)
		case p.value[0] != '"':
			return r, invalid(pointer+"/"+p.name, "not a string", form)
		}
		if given[p.name] = true; p.name == "old" {
			r.Old = unquote(p.value)
		} else {
			r.New = unquote(p.value)
		}
	}
	switch {
	case !given["old"] || !given["new"]:
		return r, invalid(pointer, "a replacement has old and new", form)
	case strings.TrimSpace(r.Old) == "":
		return r, invalid(pointer+"/old", "old is empty", "quote the words that are to be replaced; to add some, quote those beside them in old and new")
	case r.Old == r.New:
		return r, invalid(pointer+"/new", "new says what old says", form)
	}
	return r, nil
}

// replaced takes a replacement in place of a text, where that may be; not ok is
// any other value.
func (c *compiler) replaced(value, pointer string) (ok bool, err *brenner.Error) {
	switch {
	case value[0] == '"' || c.recorded || !replacementLike(value):
		return false, nil
	case c.entry.op == opAdd:
		return true, invalid(pointer, "an ADD has no text yet in which something could be replaced", "write the whole field")
	case !c.parts:
		return true, invalid(pointer, "a part of a text can be replaced only where its document is: in a session", "write the whole field")
	}
	_, err = readReplacements(value, pointer)
	return true, err
}

// apply makes a replacement in a text. Where its words do not stand there, it says
// how often they do: never, or more than once.
func (r Replacement) apply(text string) (now string, found int) {
	if found = occurrences(text, r.Old); found == 1 {
		return strings.Replace(text, r.Old, r.New, 1), 1
	}
	if found > 1 {
		return text, found
	}
	return r.applyLoosely(text)
}

// applyLoosely is apply with any white space for any other: an agent is shown texts
// with their further lines indented.
func (r Replacement) applyLoosely(text string) (now string, found int) {
	old, _ := squeezed(strings.TrimSpace(r.Old))
	all, at := squeezed(text)
	if found = occurrences(all, old); found != 1 {
		return text, found
	}
	i := strings.Index(all, old)
	from, to := at[i], at[i+len(old)-1]+1
	said := r.New
	if strings.TrimLeftFunc(r.Old, unicode.IsSpace) != r.Old {
		said = strings.TrimLeftFunc(said, unicode.IsSpace)
	}
	if strings.TrimRightFunc(r.Old, unicode.IsSpace) != r.Old {
		said = strings.TrimRightFunc(said, unicode.IsSpace)
	}
	if strings.Contains(r.Old, shownIndent) && !strings.Contains(text, shownIndent) {
		said = strings.ReplaceAll(said, shownIndent, "\n")
	}
	return text[:from] + said + text[to:], 1
}

// shownIndent is how a further line of a text begins where it is shown.
const shownIndent = "\n    "

// squeezed is a text with one space for each run of white space, and where each of
// its bytes stands in the text.
func squeezed(text string) (string, []int) {
	out, at := make([]byte, 0, len(text)), make([]int, 0, len(text))
	space := false
	for i, r := range text {
		if unicode.IsSpace(r) {
			if !space {
				out, at = append(out, ' '), append(at, i)
			}
			space = true
			continue
		}
		space = false
		_, size := utf8.DecodeRuneInString(text[i:])
		for k := range size {
			out, at = append(out, text[i+k]), append(at, i+k)
		}
	}
	return string(out), at
}

// mostCounted is how far occurrences are counted.
const mostCounted = 100

// occurrences counts how often words stand in a text, those that overlap as well.
func occurrences(text, words string) int {
	n := 0
	for from := 0; words != "" && n < mostCounted; n++ {
		i := strings.Index(text[from:], words)
		if i < 0 {
			break
		}
		from += i + 1
	}
	return n
}

// near gives the passage of a text that has most words in common with the words
// that were looked for there, with a few around it; the beginning where none has any.
func near(text, looked string) string {
	if utf8.RuneCountInString(text) <= longestNear {
		return text
	}
	words, want := wordSpans(text), map[string]int{}
	count := 0
	for _, w := range wordSpans(looked) {
		want[strings.ToLower(looked[w.from:w.to])]++
		count++
	}
	if len(words) == 0 || count == 0 {
		return brenner.Clip(text, longestNear)
	}
	wide := min(count, len(words))
	best, most, have := 0, 0, 0
	step := func(w region, sign int) {
		word := strings.ToLower(text[w.from:w.to])
		n, ok := want[word]
		if !ok {
			return
		}
		if want[word] = n - sign; sign > 0 && n > 0 || sign < 0 && n >= 0 {
			have += sign
		}
	}
	for i, w := range words {
		if step(w, 1); i >= wide {
			step(words[i-wide], -1)
		}
		if i >= wide-1 && have > most {
			best, most = i-wide+1, have
		}
	}
	const around = 12 // words
	first, last := max(0, best-around), min(len(words)-1, best+wide-1+around)
	from, to := words[first].from, words[last].to
	if first == 0 {
		from = 0
	}
	if last == len(words)-1 {
		to = len(text)
	}
	out := brenner.Clip(text[from:to], longestNear)
	if from > 0 {
		out = "…" + out
	}
	if to < len(text) && !strings.HasSuffix(out, "…") {
		out += "…"
	}
	return out
}

// longestNear is how much is shown of a text in which something was not found.
const longestNear = 400

// wordSpans are the words of a text by their places.
func wordSpans(text string) []region {
	var out []region
	from := -1
	for i, r := range text {
		switch letter := unicode.IsLetter(r) || unicode.IsDigit(r); {
		case letter && from < 0:
			from = i
		case !letter && from >= 0:
			out, from = append(out, region{from: from, to: i}), -1
		}
	}
	if from >= 0 {
		out = append(out, region{from: from, to: len(text)})
	}
	return out
}

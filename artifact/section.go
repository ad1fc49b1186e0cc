package artifact

import "strings"

// heading is a line under which a part of a text stands.
type heading struct {
	at    int    // where the line begins
	level int    // 1 to 6 as in Markdown, then lines that only begin with a number
	label string // its number, such as "4" or "4.1"; "" if it has none
}

// bareLevel is that of a line which begins with a dot and a number, and is no heading of
// Markdown.
const bareLevel = 7

// Section finds the part of a text under a number: from the line that is headed by it
// ("## .4 Lengths", "## 4. Lengths", ".4 Lengths", in a program "// ## .4 Lengths") to the next heading of its level or one
// above. Of several the first is it.
func Section(text, number string) (from, to int, found bool) {
	number = trimNumber(number)
	var level int
	for _, h := range headings(text) {
		switch {
		case found && h.level <= level:
			return from, h.at, true
		case !found && h.label == number && number != "":
			from, level, found = h.at, h.level, true
		}
	}
	return from, len(text), found
}

// SectionNumbers are those under which a text has parts, in its order.
func SectionNumbers(text string) []string {
	var out []string
	for _, h := range headings(text) {
		if h.label != "" {
			out = append(out, h.label)
		}
	}
	return out
}

// headings are the lines under which parts of a text stand; what stands in a block
// between fences is none.
func headings(text string) []heading {
	var out []heading
	fence, at := "", 0
	for line := range strings.Lines(text) {
		was := fence
		if fence = fenced(fence, line); was == "" && fence == "" {
			if h, ok := headingIn(line); ok {
				h.at = at
				out = append(out, h)
			}
		}
		at += len(line)
	}
	return out
}

// commentMarks begin a line of a program that is for its readers.
var commentMarks = []string{"//", ";;", "%", "#"}

func headingIn(line string) (heading, bool) {
	for _, mark := range commentMarks { // a numbered heading in a program is one too
		if inside, ok := strings.CutPrefix(line, mark+" "); ok && strings.HasPrefix(inside, "##") {
			if h, ok := headingIn(inside); ok && h.label != "" {
				return h, true
			}
		}
	}
	rest := strings.TrimLeft(line, "#")
	level := len(line) - len(rest)
	switch {
	case level > 6:
		return heading{}, false
	case level > 0 && !strings.HasPrefix(rest, " "):
		return heading{}, false
	case level == 0 && !strings.HasPrefix(line, "."):
		return heading{}, false
	}
	word, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	h := heading{level: level, label: trimNumber(word)}
	if level == 0 {
		h.level = bareLevel
		return h, h.label != ""
	}
	return h, true
}

// trimNumber gives a number such as .4, 4. or 4.1 as it is compared, "" if it is none.
func trimNumber(word string) string {
	word = strings.TrimPrefix(strings.TrimRight(word, ".:)"), ".")
	for part := range strings.SplitSeq(word, ".") {
		if part == "" || strings.Trim(part, "0123456789") != "" {
			return ""
		}
	}
	return word
}

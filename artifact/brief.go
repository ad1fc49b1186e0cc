package artifact

import (
	"strings"

	"brenner/canon"
	"brenner/internal/lazy"
)

var (
	listItem     = lazy.NewPattern(`^\s*(?:[-*+]|\d+[.)])\s+(.+)$`)
	briefHeading = lazy.NewPattern(`^#{1,6}\s+(.+?)\s*#*\s*$`)
)

// briefParts are the lists of a brief, by the headings they may stand under.
var briefParts = map[string]string{
	"goals": "goals", "goal": "goals", "in scope": "in_scope", "scope": "in_scope", "out of scope": "out_of_scope",
	"not in scope": "out_of_scope", "constraints": "constraints", "constraint": "constraints",
}

// BriefOf makes the JSON of a project brief from plain Markdown, and says what
// its question is. The question is the first text: the first heading, or the
// first paragraph if there is none. The lists are what stands under the headings
// Goals, In scope, Out of scope and Constraints: the items of a list there, or
// each paragraph. Other text belongs to the question.
func BriefOf(markdown string) (data []byte, question string, err error) {
	lists := map[string][]string{}
	var first string // a heading that is no part
	var words []string
	part, fresh := "", true
	for line := range strings.Lines(markdown) {
		line = strings.TrimRight(line, " \t\r\n")
		if m := briefHeading.FindStringSubmatch(line); m != nil {
			name := strings.ToLower(strings.TrimRight(m[1], ":"))
			if known, ok := briefParts[name]; ok {
				part = known
			} else if part = ""; first == "" {
				first = m[1]
			} else {
				words = append(words, m[1])
			}
			fresh = true
			continue
		}
		text := strings.TrimSpace(line)
		item := listItem.FindStringSubmatch(line)
		switch {
		case text == "":
			fresh = true
			continue
		case part == "":
			words = append(words, text)
		case item != nil:
			lists[part] = append(lists[part], item[1])
		case fresh || len(lists[part]) == 0:
			lists[part] = append(lists[part], text)
		default: // a paragraph goes on
			n := len(lists[part]) - 1
			lists[part][n] += " " + text
		}
		fresh = false
	}
	question = first
	if question == "" {
		question = strings.Join(words, " ")
	} else if len(words) > 0 {
		question += ": " + strings.Join(words, " ")
	}
	out := map[string]any{"question": question}
	for _, name := range []string{"goals", "in_scope", "out_of_scope", "constraints"} {
		if len(lists[name]) > 0 {
			out[name] = lists[name]
		}
	}
	data, err = canon.Marshal(out)
	if first != "" {
		question = first
	}
	return data, question, err
}

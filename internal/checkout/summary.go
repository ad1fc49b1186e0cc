package checkout

import (
	"strings"

	"brenner"
)

// summarise makes a summary of a text that comes without one: its first
// heading and its first paragraph, clipped to what a summary may have.
func summarise(text string) string {
	const enough = 64 << 10 // no first paragraph is further down
	text = strings.TrimPrefix(text, "\uFEFF")
	if len(text) > enough {
		text = strings.ToValidUTF8(text[:enough], "")
	}
	var heading string
	var paragraph []string
	inCode := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
			inCode = !inCode
		case inCode || rule(line):
		case strings.HasPrefix(line, "#") && len(paragraph) == 0:
			if heading == "" {
				heading = strings.TrimSpace(strings.Trim(line, "#"))
			}
			continue
		case line != "" && !strings.HasPrefix(line, "#"):
			paragraph = append(paragraph, line)
			continue
		}
		if len(paragraph) > 0 {
			break
		}
	}
	body := strings.Join(paragraph, " ")
	switch {
	case heading == "":
		return clip(body)
	case body == "":
		return clip(heading)
	}
	return clip(heading + ": " + body)
}

// rule recognises a thematic break, or the line under a heading.
func rule(line string) bool {
	return len(line) >= 3 && (strings.Trim(line, "-") == "" || strings.Trim(line, "=") == "" || strings.Trim(line, "*") == "")
}

// clip bounds a summary.
func clip(s string) string {
	return brenner.Clip(strings.Join(strings.Fields(s), " "), brenner.MaxSummaryRunes)
}

package playbook

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"brenner/canon"
)

// ExportJSONL writes one bullet a line as canonical JSON. Quotes and line
// feeds inside a string are escaped there, so no content can begin a line.
func ExportJSONL(bullets []Bullet) []byte {
	var out []byte
	for _, b := range bullets {
		out = append(append(out, canon.MustMarshal(b)...), '\n')
	}
	return out
}

// ExportMarkdown writes the live bullets as a list under one heading per
// section, one line of lesson and one of evidence each. Content is escaped and
// kept on its line, so it reads as it was written and forges nothing (B13).
func ExportMarkdown(domain Domain, bullets []Bullet) []byte {
	var out strings.Builder
	fmt.Fprintf(&out, "# Playbook: %s\n", domain)
	for _, section := range Sections {
		heading := fmt.Sprintf("\n## %s%s\n\n", strings.ToUpper(string(section[:1])), section[1:])
		for _, b := range bullets {
			if b.Section != section || !b.Live() {
				continue
			}
			out.WriteString(heading)
			heading = ""
			fmt.Fprintf(&out, "- **%s** %s\n", b.ID, escapeMarkdown(b.Content))
			fmt.Fprintf(&out, "  (%s, helpful %d, harmful %d, neutral %d, confidence %.2f, last seen %s)\n",
				b.Stage, b.Helpful, b.Harmful, b.Neutral, b.Confidence, b.LastSeenAt.UTC().Format(time.RFC3339))
		}
	}
	return []byte(out.String())
}

// escapeMarkdown makes a text stand for itself inside one line of Markdown.
// Line breaks become <br>, which no escaped content can spell; characters that
// do not print, or that reorder others on a screen, are named instead.
func escapeMarkdown(s string) string {
	var b strings.Builder
	s = lineBreaks.Replace(s)
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString("<br>")
		case r == '\t' || r == ' ':
			b.WriteByte(' ')
		case strings.ContainsRune("\\`*_[]<>&!~|$#", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, "(U+%04X)", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

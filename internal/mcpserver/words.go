package mcpserver

import (
	"fmt"
	"strings"

	"brenner"
)

// more names the call that goes on where a page ends.
func more(tool string, pairs ...any) string {
	arguments := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		arguments[pairs[i].(string)] = pairs[i+1]
	}
	return fmt.Sprintf("[goes on: %s %s]\n", tool, jsonOf(arguments))
}

// labelled is what somebody wrote behind words of ours: beside them if it is one line, else
// between fences below them.
func labelled(ours, text string) string {
	if brenner.IsOneLine(text) {
		return ours + " " + text + "\n"
	}
	return ours + "\n" + brenner.Fenced("", text)
}

// list names things in a row.
func list[T fmt.Stringer](items []T) string {
	names := make([]string, len(items))
	for i, item := range items {
		names[i] = item.String()
	}
	return strings.Join(names, ", ")
}

// findings are what did not stop a write, a line each.
func findings(all []brenner.Diagnostic) string {
	var b strings.Builder
	for _, d := range all {
		fmt.Fprintf(&b, "%s: %s: %s", d.Severity, d.Code, d.Message)
		if d.Subject != "" {
			fmt.Fprintf(&b, " (%s)", d.Subject)
		}
		if d.Hint != "" {
			fmt.Fprintf(&b, "; %s", d.Hint)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

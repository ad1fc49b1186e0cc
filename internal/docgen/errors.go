package main

import (
	"bytes"
	"fmt"
	"strings"

	"brenner"
	"brenner/internal/problem"
)

// classes in the order of their exit statuses, each with what it tells the
// caller.
var classes = []struct {
	class brenner.Class
	says  string
}{
	{brenner.ClassInternal, "our fault; the details are in the log, not on the surface"},
	{brenner.ClassUsage, "the command line was wrong"},
	{brenner.ClassInvalid, "the input was wrong; sending it again will not help"},
	{brenner.ClassNotFound, "what was named is not there"},
	{brenner.ClassConflict, "the state has moved, or forbids it"},
	{brenner.ClassGone, "it was there and was removed"},
	{brenner.ClassDenied, "the policy says no"},
	{brenner.ClassLimit, "too large, too many, too deep"},
	{brenner.ClassUnavailable, "try again later, or elsewhere"},
	{brenner.ClassCanceled, "the caller gave up"},
}

const errorsIntroduction = `# Errors

<!-- Made by internal/docgen from the registry of codes. Run make generate; do not edit. -->

Whatever goes wrong has a code, and the same code on the command line, over HTTP and over MCP. Programs match on the
code; messages may be reworded. A code stands either on the whole request, which then changed nothing, or on one item of
a result that otherwise stands (a *diagnostic*), such as one delta of many that was refused. OUTPUT_FAILED alone is said
of a request that was carried out: its answer could not be written.

The class of a code decides its exit status and its HTTP status. Both are a promise. HTTP has a status of its own for
three: 401 for UNAUTHENTICATED, 429 for RATE_LIMITED, and 412 where an If-Match header named a head that has moved.

What to do is words that hold everywhere, and actions with arguments: behind the words they stand as the command line has
them; agents get them as calls of their tools (as data in _meta), HTTP as requests, pages as links.

`

func renderErrors() []byte {
	var b bytes.Buffer
	b.WriteString(errorsIntroduction)
	b.WriteString("| class | exit | HTTP | what it tells you |\n|---|---|---|---|\n")
	for _, c := range classes {
		s := problem.Of(c.class)
		fmt.Fprintf(&b, "| [%s](#%s) | %d | %d | %s |\n", c.class, c.class, s.Exit, s.HTTP, c.says)
	}
	for _, c := range classes {
		fmt.Fprintf(&b, "\n## %s\n\n| code | what happened | what to do |\n|---|---|---|\n", c.class)
		for _, info := range brenner.Codes() {
			if info.Class == c.class {
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", info.Code, cell(info.Meaning), cell(info.Remedy+inTerminal(info.Actions)))
			}
		}
	}
	return b.Bytes()
}

// inTerminal says what a remedy is on the command line.
func inTerminal(actions []brenner.Action) string {
	var said []string
	for _, a := range actions {
		if a.Repeats() {
			said = append(said, "repeat with `"+a.Command()+"`")
		} else {
			said = append(said, "`"+a.Command()+"`")
		}
	}
	if len(said) == 0 {
		return ""
	}
	return " (" + strings.Join(said, ", ") + ")"
}

// cell keeps a text inside one cell of a Markdown table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s)
}

package roster

import "strings"

// markExamples marks every delta block of a kickoff as an example, so that a
// reply that quotes it is never compiled.
func markExamples(body string) string {
	return strings.ReplaceAll(body, "```delta\n", "```delta example\n")
}

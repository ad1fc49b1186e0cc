package archtest

import (
	"fmt"
	"strings"
	"testing"

	"brenner"
)

// The limits that docs/operations.md tells are those of limits.go.
func TestLimits_AreAsTheDocumentSays(t *testing.T) {
	rows := map[string]string{}
	for line := range strings.Lines(readFile(t, "docs/operations.md")) {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			rows[strings.TrimSpace(cells[1])] = cells[2]
		}
	}
	mib := func(n int) string { return fmt.Sprintf(" %d MiB", n>>20) }
	count := func(n int) string {
		if n < 1000 {
			return fmt.Sprintf(" %d", n)
		}
		return fmt.Sprintf(" %d,%03d", n/1000, n%1000)
	}
	// A body over HTTP counts for four times its size.
	const weight = 4
	for _, c := range []struct {
		row  string
		says []string
	}{
		{"content of one version", []string{mib(brenner.MaxContentBytes)}},
		{"summary", []string{count(brenner.MaxSummaryRunes) + " characters"}},
		{"links, tags of one version", []string{count(brenner.MaxLinks) + "," + count(brenner.MaxTags)}},
		{"deltas waiting for a compile in one session", []string{count(brenner.MaxPendingDeltas)}},
		{"insights in one batch", []string{count(brenner.MaxInsights)}},
		{"a patch, and the text it applies to", []string{mib(brenner.MaxPatchBytes), mib(brenner.MaxPatchTextBytes)}},
		{"files in one patch set", []string{count(brenner.MaxPatchSetFiles)}},
		{"one page of a listing", []string{count(brenner.MaxPage)}},
		{"request to a server", []string{
			mib(brenner.MaxRequestBytes), count(brenner.RequestRate) + " a second", count(brenner.MaxRequestsUnderWay) + " at once",
			mib(brenner.MaxBodyBytes/weight) + " in all", mib(brenner.MaxBodyBytes/weight/2) + " of one token", "a form of a page" + mib(brenner.MaxFormBytes),
		}},
		{"logins of browsers", []string{count(int(brenner.LoginLife.Hours())) + " hours", count(brenner.MaxLogins) + ",", count(brenner.MaxLoginsPerToken) + " per token"}},
		{"Markdown shown on a page", []string{mib(brenner.MaxMarkdownBytes), count(brenner.MaxMarkdownCells) + " cells", count(brenner.MaxMarkdownLinks) + " links", count(brenner.MaxMarkdownNesting) + " levels"}},
	} {
		for _, want := range c.says {
			if !strings.Contains(rows[c.row], want) {
				t.Errorf("docs/operations.md says of %q:%s, and limits.go:%s", c.row, rows[c.row], want)
			}
		}
	}
}

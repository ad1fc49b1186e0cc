package mcpserver

import (
	"strings"
	"testing"

	"brenner/api"
	"brenner/artifact"
)

// C34: where an answer has no room for all that changed in a text, it has what the text
// says now; no line stands alone that says where.
func TestBeginning_ShowsWhatIsSaidNow(t *testing.T) {
	was, is := "-"+strings.Repeat("was ", 40), "+"+strings.Repeat("is ", 40)
	diff := func(most int, lines ...string) string {
		f := artifact.FieldChange{Hunks: []artifact.Hunk{{Lines: []string{"-" + strings.Repeat("gone ", 200)}}, {Lines: lines}}}
		return beginning(api.DiffResult{Difference: artifact.Difference{Content: []artifact.FieldChange{f}}, Most: most})
	}
	got := diff(300, was, is)
	if strings.Contains(got, "was ") || strings.Contains(got, "gone ") || !strings.Contains(got, "is is") || !strings.Contains(got, "those that were removed") || strings.Count(got, "@@ -") != 1 {
		t.Error(got)
	}
	if got = diff(60, was, is); !strings.Contains(got, "@@\n+is is") || !strings.Contains(got, "[goes on, ") {
		t.Error(got)
	}
	if got = diff(60, was); !strings.Contains(got, "@@\n-gone gone") {
		t.Error(got)
	}
}

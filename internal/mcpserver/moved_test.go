package mcpserver

import (
	"strings"
	"testing"

	"brenner/api"
)

// C34: where an answer has no room for all that changed in a text, it has what the text
// says now.
func TestBeginning_ShowsWhatIsSaidNow(t *testing.T) {
	lines := "-" + strings.Repeat("was ", 40) + "\n+" + strings.Repeat("is ", 40)
	got := artifactPage{ArtifactView: api.ArtifactView{Text: strings.Repeat("x", 400)}, lines: lines}.beginning(200)
	if strings.Contains(got, "was ") || !strings.Contains(got, "is is") || !strings.Contains(got, "those that were removed") {
		t.Error(got)
	}
}

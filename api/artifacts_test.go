package api_test

import (
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
)

// Who compiled a session is not shown as if it had written it.
func TestArtifactView_SaysWhatItsCreatorDid(t *testing.T) {
	for _, c := range []struct {
		of      brenner.TypeName
		version brenner.Version
		want    string
	}{
		{artifact.TypeSessionArtifact, 3, " · compiled by Ada, "},
		{artifact.TypeSessionArtifact, 1, " · by Ada, "}, // who started it
		{"paper_note", 3, " · by Ada, "},
	} {
		var v api.ArtifactView
		v.ID, v.Type, v.Version.Version, v.Metadata.Creator = "one", c.of, c.version, "Ada"
		if got := v.Words(); !strings.Contains(got, c.want) {
			t.Errorf("%s@%d: %s", c.of, c.version, got)
		}
	}
}

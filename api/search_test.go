package api_test

import (
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
)

// C21, C35. What an agent reads of a search names the version that was found, shows
// the words, and says how far it looked.
func TestSearchResult_SaysWhatItFoundAndHowFarItLooked(t *testing.T) {
	r := api.SearchResult{
		Items: []api.SearchHit{{
			ArtifactItem: api.ArtifactItem{ID: "log", Type: "memo", Module: "m", Status: artifact.Draft, Head: 3, Canonical: 1, Summary: "Oxygen"},
			Found:        3, Draft: true, Snippet: "… at night …",
		}, {
			ArtifactItem: api.ArtifactItem{ID: "log2", Type: "memo", Module: "m", Status: artifact.Canonical, Head: 3, Canonical: 1, Summary: "Night"}, Found: 1,
		}},
		Coverage:  api.Coverage{Spelled: []api.Spelled{{Word: "nihgt", As: "night"}}, Sifted: 4096, Behind: 7, More: 3, AtLeast: true, AsText: []string{"by:Ada"}, Unsearched: []artifact.Status{artifact.Alternative, artifact.Superseded}},
		Elsewhere: []brenner.Module{"other"},
	}
	want := `no text has "nihgt"; read as "night"
log@3 · memo · draft · module m: Oxygen
  … at night …
log2@1 · memo · canonical · module m: Night
at least 3 more: a higher limit lists them
read as text: by:Ada; conditions are type:, module:, status:, tag:, author:, since:
versions that are alternative are looked at only where they are the head; the history of an artifact has the others
versions that are superseded are not looked through; the history of an artifact has them
only the best 4096 were held against the phrases and conditions; add words to find more
the index has not caught up with 7 changed artifacts
not looked into, outside your context: other
`
	if got := r.Words(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	part, ok := r.Beginning(100, 60, brenner.Action{})
	if got := part.Words(); !ok || !strings.Contains(got, "log@3") || strings.Contains(got, "log2@1") || !strings.Contains(got, "1 more were found that your context has no room for") {
		t.Errorf("%v, %s", ok, got)
	}
	if _, ok := part.Beginning(100, 60, brenner.Action{}); ok {
		t.Error("the only hit is cut")
	}
	if got := (api.SearchResult{}).Words(); !strings.HasPrefix(got, "nothing found") {
		t.Errorf("%q", got)
	}
}

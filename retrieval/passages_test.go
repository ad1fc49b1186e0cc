package retrieval

import (
	"slices"
	"strings"
	"testing"
)

// C34: of several texts the passages are given that share most with a question, in the
// order of the texts; what shares little is not, however long the text.
func TestPassages_ChoosesWhatBearsOnTheQuestion(t *testing.T) {
	weir := "## The weir\n\nOxygen falls behind the weir at night, when algae breathe and the flow is low."
	rules := "- The gauge stands below the bridge.\n- Algae, oxygen and flow are read at night.\n"
	long := strings.Repeat("The bridge was built of stone and nobody knows when it was.\n\n", 40)
	got := Passages("oxygen at night: algae and flow behind the weir", []string{long + rules + "\n" + long, long, weir + "\n\n" + long}, 4000)
	want := []Passage{{0, 80, strings.TrimSpace(rules)}, {2, 0, weir}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if got := Passages("oxygen at night: algae and flow behind the weir", []string{rules, weir}, len(weir)+10); len(got) != 1 || got[0].Text != 1 {
		t.Errorf("with room for one: %+v", got)
	}
	for _, nothing := range []string{"", "of the and", "zebra"} {
		if got := Passages(nothing, []string{rules, weir}, 4000); len(got) != 0 {
			t.Errorf("%q finds %+v", nothing, got)
		}
	}
}

// C34: no more than three passages are of one text, and a line that is endless is cut.
func TestPassages_AreFewOfATextAndNotEndless(t *testing.T) {
	many := strings.Repeat("Algae breathe oxygen at night.\n\n", 9)
	if got := Passages("algae breathe oxygen", []string{many, many}, 4000); len(got) != 6 || got[2].Text != 0 || got[3].Text != 1 {
		t.Errorf("%d: %+v", len(got), got)
	}
	endless := strings.Repeat("algae oxygen night ", 1000)
	if got := Passages("algae oxygen night", []string{endless}, 4000); len(got) != 1 || len(got[0].Words) > 1000 || !strings.HasSuffix(got[0].Words, "…") {
		t.Errorf("%+v", got)
	}
}

// A text is divided so that nothing but blank lines is lost, and no passage is larger
// than twice what one is to have.
func TestPassagesOf_LosesNothing(t *testing.T) {
	for _, text := range []string{
		"", "\n\n", "one", "# A\n\ntext\n\n# B\n- x\n- y\n", strings.Repeat("| a | b |\n", 500), strings.Repeat("word\n", 900), "# only\n# headings\n\n\n# here\n",
		strings.Repeat("- "+strings.Repeat("x ", 150)+"\n", 20),
	} {
		kept := ""
		for _, p := range passagesOf(text) {
			if kept += p.Words; len(p.Words) > 2*mostPassage {
				t.Errorf("a passage of %d bytes of %.40q", len(p.Words), text)
			}
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if squeeze(kept) != squeeze(text) {
			t.Errorf("%.60q became %.60q", text, kept)
		}
	}
}

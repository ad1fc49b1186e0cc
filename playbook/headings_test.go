package playbook

import (
	"fmt"
	"strings"
	"testing"
)

// B1: a heading that begins with the name of a section is that section, whatever else
// it says: a warning is not filed as advice. In code a backslash stays.
func TestParse_HeadingsAndCode(t *testing.T) {
	for heading, want := range map[string]Section{
		"# Harmful (avoid this)": Harmful, "# Harmful:": Harmful, " ## Harmful": Harmful, "## Neutral – facts": Neutral, "# HARMFUL": Harmful,
		"# What we learned": Helpful, "# Harmfulness": Helpful,
	} {
		got, err := Parse([]byte("- First.\n"+heading+"\n\n- Delete the journal by hand.\n"), FormatMarkdown)
		if err != nil || len(got) != 2 || got[0].Content != "First." || got[1].Section != want {
			t.Errorf("under %q: %+v, %v", heading, got, err)
		}
	}
	if _, err := Parse([]byte("## Dangerous\n- x\n"), FormatMarkdown); err == nil || !strings.Contains(err.Error(), "Dangerous") {
		t.Errorf("an unknown section: %v", err)
	}
	for in, want := range map[string]string{
		"Match `\\.` in \\*grep\\*.": "Match `\\.` in *grep*.",
		"\\`not code\\`":             "`not code`",
	} {
		got, err := Parse([]byte("- "+in+"\n"), FormatMarkdown)
		if err != nil || fmt.Sprint(got[0].Content) != want {
			t.Errorf("%s: %+v, %v", in, got, err)
		}
	}
}

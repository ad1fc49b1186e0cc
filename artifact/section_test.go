package artifact_test

import (
	"slices"
	"strings"
	"testing"

	"brenner/artifact"

	"pgregory.net/rapid"
)

const numbered = "# Figures\n\nBy hand.\n\n## .1 Rates\nten\n\n### .1.1 By night\nnine\n\n## 2. Lengths\n```\n## .3 no heading\n```\nfive\n.4 Remedies: none\n.5 Open: all\n## Rest\nend\n"

// C34: what a citation names of a text, oxygen-log@2.4, is the part under that number.
func TestSection_IsTheTextUnderANumber(t *testing.T) {
	for number, want := range map[string]string{
		"1":   "## .1 Rates\nten\n\n### .1.1 By night\nnine\n\n",
		".1":  "## .1 Rates\nten\n\n### .1.1 By night\nnine\n\n",
		"1.1": "### .1.1 By night\nnine\n\n",
		"2":   "## 2. Lengths\n```\n## .3 no heading\n```\nfive\n.4 Remedies: none\n.5 Open: all\n",
		"4":   ".4 Remedies: none\n",
		"5":   ".5 Open: all\n",
		"3":   "", "7": "", "": "", ".": "", "Rest": "",
	} {
		from, to, found := artifact.Section(numbered, number)
		if got := numbered[from:to]; found != (want != "") || found && got != want {
			t.Errorf("%q: %q, %v", number, got, found)
		}
	}
	if got := strings.Join(artifact.SectionNumbers(numbered), " "); got != "1 1.1 2 4 5" {
		t.Error(got)
	}
}

// C34: a program has its parts in comments.
func TestSection_OfAProgram(t *testing.T) {
	for _, mark := range []string{"//", "#", ";;", "%"} {
		text := "package a\n\n" + mark + " ## .1 What it is\n" + mark + " a table\nfunc a() {}\n\n" + mark + " ## 2. The rest\n" + mark + " more\n"
		from, to, found := artifact.Section(text, "1")
		if want := mark + " ## .1 What it is\n" + mark + " a table\nfunc a() {}\n\n"; mark != "#" && (!found || text[from:to] != want) {
			t.Errorf("%s: %q", mark, text[from:to])
		}
		if got := strings.Join(artifact.SectionNumbers(text), " "); got != "1 2" {
			t.Errorf("%s: %s", mark, got)
		}
	}
	if got := artifact.SectionNumbers("// .5 is half\n// # 4 of them\n//## .3\n"); len(got) > 0 {
		t.Errorf("what is no heading is: %v", got)
	}
}

// Whatever a text says, a number that it is said to have parts under finds one that begins
// with a line and ends where another does.
func TestSection_FindsWhatIsListed(t *testing.T) {
	line := rapid.SampledFrom([]string{"# a", "## .1 b", "## 2. c", "### .1.1", ".3 d", "#4", "```", "~~~", "text", "", "####### .9", ". 5", ".6", "// ## .7", "# ## 8", ";; ## .9"})
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOf(line).Draw(rt, "lines"), "\n")
		for _, number := range artifact.SectionNumbers(text) {
			from, to, found := artifact.Section(text, number)
			begins := from == 0 || text[from-1] == '\n'
			ends := to == len(text) || text[to-1] == '\n'
			if !found || !begins || !ends || from >= to || !slices.Contains(artifact.SectionNumbers(text[from:to]), number) {
				rt.Fatalf("%q of %q: %d to %d, %v", number, text, from, to, found)
			}
		}
	})
}

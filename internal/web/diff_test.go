package web

import (
	"strings"
	"testing"

	"brenner/artifact"

	"pgregory.net/rapid"
)

func TestStayed_PartsAtBlanks(t *testing.T) {
	for _, c := range []struct{ old, now, head, left, right, tail string }{
		{"fell on 11 of 14 nights", "fell on 12 of 14 nights", "fell on ", "11", "12", " of 14 nights"},
		{"on 9 August", "on 9 August again", "on 9 ", "August", "August again", ""},
		{"one night", "another night", "", "one", "another", " night"},
		{"a b", "c d", "", "a b", "c d", ""},
		{"", "new", "", "", "new", ""},
		{"a a a", "a a", "a ", "a a", "a", ""},
	} {
		head, left, right, tail := stayed(c.old, c.now)
		if head != c.head || left != c.left || right != c.right || tail != c.tail {
			t.Errorf("%q → %q: %q, %q → %q, %q", c.old, c.now, head, left, right, tail)
		}
	}
}

func TestStayed_NothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringOf(rapid.SampledFrom([]rune("ab ü")))
		old, now := line.Draw(t, "old"), line.Draw(t, "now")
		head, left, right, tail := stayed(old, now)
		if head+left+tail != old || head+right+tail != now {
			t.Fatalf("%q → %q: %q, %q → %q, %q", old, now, head, left, right, tail)
		}
	})
}

// C15: that a text ends without a line feed is shown where only one of two does, and the line
// that changed stands beside what it became.
func TestHunkRows_SayOnlyWhatChangedAtTheEnd(t *testing.T) {
	const none = `\ no newline at end`
	for name, c := range map[string]struct {
		lines []string
		kinds string
	}{
		"both without":          {[]string{"-old", none, "+new", none}, "changed"},
		"neither changed":       {[]string{"-old", "+new", " last", none}, "changed same"},
		"the first without":     {[]string{"-old", none, "+old"}, "changed note changed"},
		"the second without":    {[]string{"-old", "+old", none}, "changed note"},
		"as texts usually are":  {[]string{"-old", "+new"}, "changed"},
		"nothing before, a sum": {[]string{"+new", none}, "changed note"},
	} {
		var kinds []string
		for _, r := range hunkRows(artifact.Hunk{OldStart: 1, NewStart: 1, Lines: c.lines}) {
			kinds = append(kinds, r.Kind)
		}
		if got := strings.Join(kinds, " "); got != c.kinds {
			t.Errorf("%s: %s, want %s", name, got, c.kinds)
		}
	}
}

package brenner_test

import (
	"strings"
	"testing"
	"testing/quick"
	"unicode/utf8"

	"brenner"
)

// A clipped text is the text, or as many of its first characters as fit beside
// the ellipsis; it is compared with a count over all runes.
func TestClip_KeepsTheFirstCharacters(t *testing.T) {
	dumb := func(s string, most int) string {
		if utf8.RuneCountInString(s) <= most {
			return s
		}
		return string([]rune(s)[:most-1]) + "…"
	}
	same := func(s string, n uint8) bool {
		most := int(n%12) + 1
		return brenner.Clip(s, most) == dumb(s, most)
	}
	if err := quick.Check(same, nil); err != nil {
		t.Error(err)
	}
	for s, want := range map[string]string{"": "", "abc": "abc", "åäöå": "åäöå", "åäöåä": "åäö…", "ab\xffcd": "ab\uFFFD…"} {
		if got := brenner.Clip(s, 4); got != want {
			t.Errorf("Clip(%q, 4) = %q, want %q", s, got, want)
		}
	}
	if got := brenner.Clip(strings.Repeat("x", 1<<20), 3); got != "xx…" {
		t.Errorf("a long text is clipped to %q", got)
	}
}

// Words are not cut where they can be left off; it is never longer than Clip.
func TestClipWords_LeavesOffWholeWords(t *testing.T) {
	for s, want := range map[string]string{
		"the kickoff is long":         "the kickoff…",
		"it is the kickoff":           "it is the…",
		"the kick is long":            "the kick is…",
		"short":                       "short",
		"unbreakable" + "unbreakable": "unbreakable…",
	} {
		if got := brenner.ClipWords(s, 12); got != want {
			t.Errorf("ClipWords(%q, 12) = %q, want %q", s, got, want)
		}
	}
	bounded := func(s string, n uint8) bool {
		most := int(n%40) + 1
		got, clipped := brenner.ClipWords(s, most), brenner.Clip(s, most)
		return (got == s) == (clipped == s) && utf8.RuneCountInString(got) <= utf8.RuneCountInString(clipped) &&
			strings.HasPrefix(clipped, strings.TrimSuffix(got, "…"))
	}
	if err := quick.Check(bounded, nil); err != nil {
		t.Error(err)
	}
}

package web

import (
	"strings"
	"testing"
)

// A question of a page's length is no heading: its first sentence is, and the rest is
// a click away.
func TestHeadline_IsShort(t *testing.T) {
	long := strings.Repeat("many words of one sentence ", 20)
	for name, c := range map[string]struct{ text, want string }{
		"short":           {"Why does oxygen fall at night?", "Why does oxygen fall at night?"},
		"first sentence":  {"Why does oxygen fall at night at the weir? " + long, "Why does oxygen fall at night at the weir?"},
		"abbreviation":    {"Look at e.g. the loggers of the county at the weir. " + long, "Look at e.g. the loggers of the county at the weir."},
		"one long":        {long, strings.TrimSpace(strings.Repeat("many words of one sentence ", 5)) + " many words of one…"},
		"dots in a name":  {"Which texts does version v0.0.0 of the library in a/b.c read " + long, ""},
		"ends with a dot": {strings.Repeat("word ", 40) + "end.", ""},
	} {
		got := headline(c.text)
		if c.want != "" && got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
		if len(got) > 165 || !strings.HasPrefix(c.text, strings.TrimSuffix(got, "…")) {
			t.Errorf("%s: %q is no beginning of it", name, got)
		}
	}
}

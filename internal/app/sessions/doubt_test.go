package sessions

import (
	"strings"
	"testing"
)

// G14: whether a sentence says that what it names is dead is the same wherever the
// sentence stands, and other sentences have no say in it.
func TestSaysDead_OfItsSentence(t *testing.T) {
	for _, c := range []struct {
		sentence string
		want     bool
	}{
		{"H1", false},
		{"H1 is killed", true},
		{"Dead H1", true},
		{"as H1 was Dropped we go on", true},
		{"H1 holds", false},
		{"H1 is not a skilled guess", false},
		{"H1 " + strings.Repeat("and so on ", 6) + "is killed", false}, // too far off
		{"killed is what " + strings.Repeat("they say ", 6) + "H1 is", false},
	} {
		for _, around := range [][2]string{
			{"", ""},
			{"", "."},
			{"", "\n"},
			{"", "; it is dead"},
			{"", ". Killed"},
			{"", "\nGone, all of it."},
			{".", ""},
			{"\n", ""},
			{"It is dead; ", ""},
			{"All are killed. ", " "},
			{"Gone.\n", "\n"},
			{strings.Repeat("A word. ", 20), strings.Repeat(". A word", 20)},
		} {
			text := around[0] + c.sentence + around[1]
			from := len(around[0]) + strings.Index(c.sentence, "H1")
			if got := saysDead(text, from, from+2); got != c.want {
				t.Errorf("%q: %v, want %v", text, got, c.want)
			}
		}
	}
}

// D4: a name after a slash is of the document before it, unless that is an item too.
func TestElsewhere_IsWhatStandsAfterAnotherDocument(t *testing.T) {
	for text, want := range map[string]string{
		"H1 holds": "H1", "H1/H2 differ": "H1 H2", "RS-q/H1 was killed": "", "see docs/T1.md": "", "either T1/or T2": "T1 T2", "/H1": "H1", "é/H1": "", "RS-1/H1, H2": "H2",
	} {
		var got []string
		for _, id := range itemsIn(text, nil) {
			got = append(got, string(id))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q names %q, want %q", text, s, want)
		}
	}
}

package ledger

import (
	"strings"
	"testing"
)

// X11: what a text quotes is somebody else's words: code, what stands in quotation
// marks, what was typed. An apostrophe quotes nothing.
func TestQuotations(t *testing.T) {
	for text, quotes := range map[string]bool{
		"the log says 'NAME draft → canonical' there":        true,
		`it prints "lost NAME" and ends`:                     true,
		"see `NAME`":                                         true,
		"```\nlost NAME\n```\n":                              true,
		"> lost NAME\n":                                      true,
		"  $ brenner promote NAME\n":                         true,
		"BlueLake$ brenner promote NAME":                     true,
		"it says “lost NAME” and «x»":                        true,
		"('it's NAME')":                                      true,
		"'a' and 'NAME', both":                               true,
		"C1's measure, and NAME is BlueLake's":               false,
		"it's NAME, isn't it":                                false,
		"\"open, and NAME\nclosed\" here":                    false,
		"'a' NAME 'b'":                                       false,
		"\"a\" NAME \"b\"":                                   false,
		"agreed (NAME); 5' and 6'":                           false,
		"the agents' answers rest on NAME, the critics' too": false,
	} {
		if got := Quotations(text).Covers(strings.Index(text, "NAME")); got != quotes {
			t.Errorf("%q: %v", text, got)
		}
	}
}

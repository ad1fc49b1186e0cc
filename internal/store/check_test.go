package store

import (
	"strings"
	"testing"

	"brenner"
)

// J5: what one database could not hold, none is given.
func TestCheckText_RefusesNULAndInvalidUTF8(t *testing.T) {
	for text, ok := range map[string]bool{"": true, "naïve 細胞\t\n": true, "a\x00b": false, "\xff": false, "\xed\xa0\x80": false} {
		if err := CheckText("fine", text); (err == nil) != ok || !ok && brenner.CodeOf(err) != brenner.CodeInvalidText {
			t.Errorf("CheckText(%q) = %v", text, err)
		}
	}
}

func TestSum_ReadsOnlyLowerCaseDigests(t *testing.T) {
	good := brenner.Digest(strings.Repeat("0f", 32))
	sum, err := Sum(good)
	if err != nil || DigestOf(sum) != good {
		t.Fatalf("Sum(%s) = %x, %v", good, sum, err)
	}
	for _, d := range []brenner.Digest{"", good[1:], good + "0", brenner.Digest(strings.Repeat("0F", 32)), brenner.Digest(strings.Repeat("0g", 32))} {
		if _, err := Sum(d); brenner.CodeOf(err) != brenner.CodeInvalidID {
			t.Errorf("Sum(%q) = %v, want INVALID_ID", d, err)
		}
	}
}

package tasks

import (
	"strings"
	"testing"
)

// X11: what others do is told whole, or up to the end of a sentence.
func TestShortPart_EndsWithASentence(t *testing.T) {
	whole := strings.Repeat("The rule before the parser. ", 15)
	if got := shortPart(whole); got != strings.TrimSpace(whole) {
		t.Error(got)
	}
	if got := shortPart(whole + strings.Repeat("what it refuses ", 20)); got != strings.TrimSpace(whole)+" …" {
		t.Error(got)
	}
}

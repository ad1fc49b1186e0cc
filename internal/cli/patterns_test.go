package cli

import (
	"regexp"
	"testing"

	"brenner/internal/lazy"
)

// Patterns are compiled at first use; that they can be is seen here, where every
// package is linked.
func TestPatterns_AllCompile(t *testing.T) {
	all := lazy.Expressions()
	if len(all) < 50 {
		t.Fatalf("only %d patterns: is every package linked?", len(all))
	}
	for _, expression := range all {
		if _, err := regexp.Compile(expression); err != nil {
			t.Error(err)
		}
	}
}

package config_test

import (
	"strings"
	"testing"

	"brenner"
	"brenner/config"
)

// R5: what would take the reader of YAML time or memory that grows with the square of a file is
// refused before it does: nesting that no value may have, and directives, which no file needs.
func TestParse_YAMLIsBounded(t *testing.T) {
	for _, c := range []struct {
		name, text string
		code       brenner.Code
		message    string
	}{
		{"lists as keys", "a: " + strings.Repeat("[", 9000) + "x" + strings.Repeat("]: b", 8999) + "]\n", brenner.CodeLimitExceeded, "nested deeper"},
		{"a list in a list", strings.Repeat("- ", 100_000) + "a\n", brenner.CodeLimitExceeded, "nested deeper"},
		{"a tag's prefix", "%TAG !e! tag:" + strings.Repeat("x", 30_000) + "\n--- [" + strings.Repeat("!e!a 1, ", 3700) + "1]\n", brenner.CodeInvalidConfig, "x.yaml:1:1: a directive (%)"},
		{"behind a mark", "\ufeff%YAML 1.1\n---\na: 1\n", brenner.CodeInvalidConfig, "a directive (%)"},
		{"for another document", "a: 1\n...\n%TAG ! tag:x\n---\nb: 1\n", brenner.CodeInvalidConfig, "x.yaml:3:1: a directive (%)"},
	} {
		_, err := config.Parse("x.yaml", []byte(c.text))
		if brenner.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %.200v", c.name, err)
		}
	}
	if _, err := config.Parse("x.yaml", []byte("# %TAG is no directive here\nname: \"100 %YAML\"\n")); err != nil && strings.Contains(err.Error(), "directive") {
		t.Error(err)
	}
}

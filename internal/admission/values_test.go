package admission_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"brenner"
	"brenner/internal/admission"
)

// X10: what becomes many times its size when it is read is refused before that;
// what requests are made of is not, nor what only looks like it in a string.
func TestCheckValues_RefusesWhatBecomesLarge(t *testing.T) {
	item := `{"name":"n","create":{"id":"note","type":"paper_note","links":[` + strings.Repeat(`{"rel":"derived_from","artifact":"paper-1","version":1},`, 49) + `{"rel":"uses","artifact":"b"}],"content":{"format":"text","data":"x"}}},`
	number := strings.Repeat("0.0123,", 1<<20)
	for name, raw := range map[string]string{
		"a batch of links":   `{"items":[` + strings.Repeat(item, 999) + strings.TrimSuffix(item, ",") + `]}`,
		"a long text":        fmt.Sprintf(`{"text":%q}`, strings.Repeat(`{},\"[`, 1<<20)),
		"escaped at its end": `{"text":"` + strings.Repeat(`{},`, 1<<20) + `\\\\\""}`,
		"vectors":            `{"vector":[` + number + `1]}`,
		"a little of it":     `[` + strings.Repeat("{},", 2000) + `{}]`,
	} {
		if err := admission.CheckValues([]byte(raw)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, raw := range map[string]string{
		"objects":                `{"insights":[` + strings.Repeat("{},", 1<<20) + `{}]}`,
		"strings":                `{"tags":[` + strings.Repeat(`"",`, 1<<20) + `""]}`,
		"lists":                  `{"links":[` + strings.Repeat("[],", 1<<20) + `[]]}`,
		"after an escaped quote": `["\\\"",` + strings.Repeat("{},", 1<<20) + `{}]`,
		"after a backslash":      `["\\",` + strings.Repeat("{},", 1<<20) + `{}]`,
		"not ended":              strings.Repeat("{", 1<<20) + `"`,
		"numbers":                `{"x":[` + strings.Repeat("1e-320,", brenner.MaxSlowNumbers) + `1e309]}`,
	} {
		if err := admission.CheckValues([]byte(raw)); !errors.Is(err, brenner.CodeLimitExceeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

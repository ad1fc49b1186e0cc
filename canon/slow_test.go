package canon_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"brenner"
	"brenner/canon"

	"pgregory.net/rapid"
)

// X3: numbers that take a thousand times as long to read as others are bounded.
func TestSlowNumbers(t *testing.T) {
	for raw, want := range map[string]int{
		`0`: 0, `[]`: 0, `12345678901234567890`: 0, `-0.1e-5`: 0, `[0.1,1e21,1e-7]`: 0, `1e306`: 0, `-1e-306`: 0,
		`{"1e309":"1e309","a\\\"1e309":"\\\\"}`: 0,
		`0.` + strings.Repeat("0", 400):         0, `0e999`: 0, strings.Repeat("7", 41): 0,
		`1e309`: 1, `-1e-320`: 1, `1E+309`: 1, `[1e-310,5e-324,2.2250738585072011e-308]`: 3, `{"a":1e309,"b":[1e309]}`: 2,
		`30936143769628046915e287`: 1, `12345678901234567890e30`: 1, `25781136921866434895e-101`: 1,
		`0.` + strings.Repeat("0", 320) + `1`: 1, strings.Repeat("7", 42): 1, `1e99999999999999999999999999`: 1,
		`"not ended 1e309`: 0, `1e309"`: 1, `1e`: 0,
	} {
		n, first := canon.SlowNumbers([]byte(raw))
		if n != want {
			t.Errorf("%s: %d, want %d", raw, n, want)
		}
		if at := strings.Index(raw, "1e309"); n > 0 && at >= 0 && first != at {
			t.Errorf("%s: the first at %d, want %d", raw, first, at)
		}
	}
	ordinary := 0
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Filter(func(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }).Draw(t, "f")
		precision := rapid.IntRange(-1, 30).Draw(t, "precision")
		text := strconv.FormatFloat(f, byte(rapid.SampledFrom([]rune("efg")).Draw(t, "format")), precision, 64)
		exact, _, err := big.ParseFloat(text, 10, 3000, big.ToNearestEven)
		if err != nil || !json.Valid([]byte(text)) {
			return
		}
		mantissa, exp, _ := strings.Cut(strings.TrimPrefix(exact.Text('e', 400), "-"), "e")
		power, _ := strconv.Atoi(exp)
		digits := len(strings.TrimLeft(strings.NewReplacer(".", "", "-", "").Replace(strings.FieldsFunc(text, func(r rune) bool { return r == 'e' })[0]), "0"))
		want := 0
		if away := max(power, -power); strings.Trim(mantissa, "0.") != "" && (away >= 307 || digits > 19 && away > 40) {
			want = 1
		}
		if n, _ := canon.SlowNumbers([]byte("[1," + text + "]")); n != want {
			t.Fatalf("%s: %d, want %d", text, n, want)
		}
		ordinary += 1 - want
	})
	if ordinary == 0 {
		t.Error("no number is ordinary")
	}
	many := "[" + strings.Repeat("1e-320,", brenner.MaxSlowNumbers-1) + "1e-320]"
	if err := canon.CheckNumbers([]byte(many)); err != nil {
		t.Error(err)
	}
	if err := canon.CheckNumbers([]byte("[" + many + ",1e-320]")); !errors.Is(err, brenner.CodeLimitExceeded) || !strings.Contains(err.Error(), "take long to read") {
		t.Error(err)
	}
}

package embed

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestTokens_FollowTheFormat(t *testing.T) {
	for text, want := range map[string][]string{
		"":                        {},
		"don't DON’T o'clock'":    {"dont", "dont", "oclock"},
		"a''b 'quoted' x'":        {"a", "b", "quoted", "x"},
		"1,024 1,02,4 a,b 1, 2":   {"1024", "1024", "a", "b", "1", "2"},
		"v1.2.3 3.5. .5 1..2 e.g": {"v1.2.3", "3.5", "5", "1", "2", "e", "g"},
		"snake_case kebab-case":   {"snake", "case", "kebab", "case"},
		"1'2,3":                   {"123"},
		"٣٫٤ ١,٢":                 {"٣", "٤", "١", "٢"},
		"K İ":                     {"k", "i"},
		"x\xffy\u00adz":           {"x", "y", "z"},
		"日本語 ÀÉ":                  {"日本語", "àé"},
	} {
		if got := Builtin().Tokens(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := Builtin().Tokens(strings.Repeat("w ", 1000)); len(got) != 256 {
		t.Errorf("%d tokens kept, want 256", len(got))
	}
}

// slowTokens follows the format step by step, one pass over the text for each.
func slowTokens(text string, most int) []string {
	isToken := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 0x80 && (unicode.IsLetter(r) || unicode.Is(unicode.Nd, r))
	}
	digit := func(r rune) bool { return r >= '0' && r <= '9' }
	var rs []rune
	for _, r := range text {
		switch {
		case r == 0x2019:
			rs = append(rs, '\'')
		case r < 0x80:
			rs = append(rs, unicode.ToLower(r))
		case unicode.IsLetter(r) || unicode.Is(unicode.Nd, r):
			rs = append(rs, unicode.ToLower(r))
		default:
			rs = append(rs, ' ')
		}
	}
	remove := func(rs []rune, which rune, kind func(rune) bool) []rune {
		var out []rune
		for i, r := range rs {
			if r == which && i > 0 && i < len(rs)-1 && kind(rs[i-1]) && kind(rs[i+1]) {
				continue
			}
			out = append(out, r)
		}
		return out
	}
	rs = remove(rs, '\'', isToken)
	rs = remove(rs, ',', digit)
	var b strings.Builder
	for i, r := range rs {
		if isToken(r) || r == '.' && i > 0 && i < len(rs)-1 && digit(rs[i-1]) && digit(rs[i+1]) {
			b.WriteRune(r)
		} else {
			b.WriteByte(' ')
		}
	}
	fields := strings.Split(b.String(), " ")
	fields = slices.DeleteFunc(fields, func(s string) bool { return s == "" })
	return fields[:min(most, len(fields))]
}

func FuzzTokens(f *testing.F) {
	for _, c := range vectors {
		f.Add(c.text)
	}
	f.Add("1'2,3.4 a’b\xff İK ٣,٤ 1,,2 ''x")
	f.Fuzz(func(t *testing.T, text string) {
		got, want := Builtin().Tokens(text), slowTokens(text, 256)
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
		Builtin().Vec(text) // must not panic
	})
}

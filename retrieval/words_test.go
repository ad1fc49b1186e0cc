package retrieval

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWords_ArePlainWordsWithoutDress(t *testing.T) {
	for _, c := range []struct {
		text string
		want string
	}{
		{"", ""},
		{"  \t\n", ""},
		{"The cell and the fate of it", "cell fate"},
		{"Cell-fate, CELL_FATE; cell.fate", "cell fate cell fate cell fate"},
		{"connected connecting connections connect", "connect connect connect connect"},
		{`"cell" OR NEAR(fate*, 2) AND NOT -x ^y:`, "cell near fate 2 x y"},
		{"naïve Café ÉCOLE cafe\u0301", "naiv cafe ecol cafe"},
		{"ﬁbre x² ½", "fibr x2 1 2"},
		{"細胞の運命 abc", "細 胞 の 運 命 abc"},
		{"Клетки клетки", "клетки клетки"},
		{"p53 H3K27ac 10", "p53 h3k27ac 10"},
		{"a\x00b \xff c", "b c"},
	} {
		if got := strings.Join(Words(c.text), " "); got != c.want {
			t.Errorf("Words(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestWords_LongRunsAreCut(t *testing.T) {
	for _, w := range Words(strings.Repeat("q", 500) + " " + strings.Repeat("ю", 500)) {
		if len(w) > MaxWordBytes+utf8.UTFMax {
			t.Errorf("a word of %d bytes", len(w))
		}
	}
}

// The examples of the paper, one or two for each rule.
func TestStem_FollowsThePaper(t *testing.T) {
	for word, want := range map[string]string{
		"caresses": "caress", "ponies": "poni", "ties": "ti", "caress": "caress", "cats": "cat",
		"feed": "feed", "agreed": "agre", "plastered": "plaster", "bled": "bled", "motoring": "motor", "sing": "sing",
		"conflated": "conflat", "troubled": "troubl", "sized": "size", "hopping": "hop", "tanned": "tan",
		"falling": "fall", "hissing": "hiss", "fizzed": "fizz", "failing": "fail", "filing": "file",
		"happy": "happi", "sky": "sky", "relational": "relat", "conditional": "condit", "rational": "ration",
		"digitizer": "digit", "radically": "radic", "differently": "differ", "vietnamization": "vietnam",
		"predication": "predic", "operator": "oper", "feudalism": "feudal", "decisiveness": "decis",
		"hopefulness": "hope", "formality": "formal", "sensitivity": "sensit", "sensibility": "sensibl",
		"triplicate": "triplic", "formative": "form", "formalize": "formal", "electrical": "electr", "goodness": "good",
		"revival": "reviv", "allowance": "allow", "airliner": "airlin", "adjustable": "adjust", "replacement": "replac",
		"adoption": "adopt", "communism": "commun", "activate": "activ", "effective": "effect", "probate": "probat",
		"rate": "rate", "cease": "ceas", "controll": "control", "roll": "roll", "by": "by", "p53": "p53",
	} {
		if got := stem(word); got != want {
			t.Errorf("stem(%q) = %q, want %q", word, got, want)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("Cell-fate naïve 細胞 \x00\xff")
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range Words(text) {
			if !utf8.ValidString(w) || w == "" || len(w) > 2*MaxWordBytes || strings.ContainsAny(w, " \t\n\"'\x00") {
				t.Errorf("Words(%q) holds %q", text, w)
			}
		}
	})
}

package retrieval_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"brenner/retrieval"
)

// C21. What somebody writes into a search is taken apart into words, beginnings,
// phrases and conditions; what is none of these is words.
func TestAsk(t *testing.T) {
	for text, want := range map[string]string{
		`rate of decay`:                   `decai rate|[]|[]|[]`,
		`"rate of decay"`:                 `decai rate|[]|[rate of decay]|[]`,
		`“Rate of  Decay” x`:              `decai rate x|[]|[rate of decay]|[]`,
		`catal* Naïv*`:                    `|[catal naiv]|[]|[]`,
		`Tris-HC*`:                        `tri|[hc]|[]|[]`,
		`*`:                               `|[]|[]|[]`,
		`type:memo catalase STATE:draft`:  `catalas|[]|[]|[{type memo} {state draft}]`,
		`type:"two words" x`:              `x|[]|[]|[{type two words}]`,
		`note: type: http://x.org/type:y`: `http note org type x y|[]|[]|[]`,
		`"never closed`:                   `close|[]|[never closed]|[]`,
		`""`:                              `|[]|[]|[]`,
		`colour:red`:                      `colour red|[]|[]|[]`,
		`a"b c"d`:                         `b c|[]|[b c]|[]`,
	} {
		a := retrieval.Ask(text, "type", "state")
		var words []string
		for _, x := range a.Terms {
			words = append(words, x.Word)
		}
		if got := fmt.Sprintf("%s|%v|%v|%v", strings.Join(words, " "), a.Prefixes, a.Phrases, a.Filters); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// C21. What looks like a condition and is none is words, and is named; ordinary
// text with a colon is not.
func TestAsk_NamesWhatLooksLikeACondition(t *testing.T) {
	text := `by:Ada kind:memo doi:10.1000/x TODO: a TODO:b 12:30 http://x.org/a:b std::vector read.go:12 "by:Eve" type:memo a:`
	if got := retrieval.Ask(text, "type").Unread; !slices.Equal(got, []string{"by:Ada", "kind:memo", "doi:10.1000/x"}) {
		t.Errorf("%q", got)
	}
}

// Any text can be asked, and none makes an unreadable excerpt.
func FuzzAsk(f *testing.F) {
	f.Add(`type:memo "a b" c* d`, "A text with a b and cats.")
	f.Add("“", "é\xff細胞")
	f.Fuzz(func(t *testing.T, query, text string) {
		a := retrieval.Ask(query, "type")
		var words []string
		for _, x := range a.Terms {
			words = append(words, x.Word)
		}
		cut := retrieval.Excerpt(text, words, 40)
		for _, m := range cut.Marked {
			if !strings.Contains(text, m) {
				t.Errorf("%q is marked and does not stand in %q", m, text)
			}
		}
		if (cut.Text == "") != (len(cut.Marked) == 0) {
			t.Errorf("excerpt %q with %q", cut.Text, cut.Marked)
		}
		if plain := retrieval.Plain(text); retrieval.Plain(plain) != plain {
			t.Errorf("the plain words of %q are not plain: %q", text, plain)
		}
	})
}

// A phrase has to stand there word for word, whatever stands between the words.
func TestHasPhrase(t *testing.T) {
	plain := retrieval.Plain("The Rate — of decay, naïvely; 細胞の。")
	for phrase, want := range map[string]bool{
		"rate of decay": true, "the rate": true, "rate decay": false, "ate of": false, "of decay naively": true, "細 胞": true, "decays": false,
	} {
		if got := retrieval.HasPhrase(plain, phrase); got != want {
			t.Errorf("%q in %q: %v", phrase, plain, got)
		}
	}
}

// The excerpt shows the words, as many different ones as fit together.
func TestExcerpt(t *testing.T) {
	text := "Catalase first. " + strings.Repeat("Filler goes on and on. ", 30) + "Here catalase meets peroxide at night. " + strings.Repeat("And on it goes. ", 30)
	cut := retrieval.Excerpt(text, retrieval.Words("catalases peroxide"), 80)
	if !strings.Contains(cut.Text, "catalase meets peroxide") || !slices.Equal(cut.Marked, []string{"catalase", "peroxide"}) {
		t.Errorf("%+v", cut)
	}
	if !strings.HasPrefix(cut.Text, "… ") || !strings.HasSuffix(cut.Text, " …") || len(cut.Text) > 160 {
		t.Errorf("%q", cut.Text)
	}
	if got := retrieval.Excerpt("short\n catalase", []string{"catalas"}, 80); got.Text != "short catalase" {
		t.Errorf("%q", got.Text)
	}
	if got := retrieval.Excerpt(text, []string{"absent"}, 80); got.Text != "" {
		t.Errorf("%q", got.Text)
	}
}

// The distance is that of the plain recursion, up to where it stops counting.
func TestDistance(t *testing.T) {
	var plain func(a, b []rune) int
	plain = func(a, b []rune) int {
		if len(a) == 0 || len(b) == 0 {
			return len(a) + len(b)
		}
		n := plain(a[1:], b[1:])
		if a[0] != b[0] {
			n++
		}
		n = min(n, plain(a[1:], b)+1, plain(a, b[1:])+1)
		if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
			n = min(n, plain(a[2:], b[2:])+1)
		}
		return n
	}
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		out := make([]rune, r.IntN(7))
		for i := range out {
			out[i] = []rune("abcé")[r.IntN(4)]
		}
		return string(out)
	}
	for range 2000 {
		a, b := word(), word()
		for most := range 4 {
			if got, want := retrieval.Distance(a, b, most), min(most+1, plain([]rune(a), []rune(b))); got != want {
				t.Fatalf("%q to %q: %d, want %d of at most %d", a, b, got, want, most)
			}
		}
	}
}

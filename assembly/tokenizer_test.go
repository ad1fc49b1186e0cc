package assembly

import (
	"bytes"
	"compress/flate"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"brenner"

	"github.com/tiktoken-go/tokenizer"
	"pgregory.net/rapid"
)

// Building the tables takes time; tests share them.
var (
	o200k  = sync.OnceValue(func() *Tokenizer { return mustTokenizer(O200k) })
	cl100k = sync.OnceValue(func() *Tokenizer { return mustTokenizer(Cl100k) })
)

func mustTokenizer(e Encoding) *Tokenizer {
	t, err := NewTokenizer(e)
	if err != nil {
		panic(err)
	}
	return t
}

// published counts with the library's own pattern and merging: the reference.
func published(e Encoding, text string) int {
	codec, err := tokenizer.Get(tokenizer.Encoding(e))
	if err != nil {
		panic(err)
	}
	n, err := codec.Count(text)
	if err != nil {
		panic(err)
	}
	return n
}

// The vocabularies are those of the published encodings. BRENNER_UPDATE=1 makes
// them from the library's tables.
func TestVocabularies_AreThePublishedOnes(t *testing.T) {
	for e, size := range map[Encoding]uint{O200k: 199_998, Cl100k: 100_256} {
		codec, err := tokenizer.Get(tokenizer.Encoding(e))
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		for id := range size {
			token, err := codec.Decode([]uint{id})
			if err != nil || len(token) > longestToken {
				t.Fatal(id, token, err)
			}
			want.WriteByte(byte(len(token)))
			want.WriteString(token)
		}
		if os.Getenv("BRENNER_UPDATE") != "" {
			var file bytes.Buffer
			w, err := flate.NewWriter(&file, flate.BestCompression)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(want.Bytes()); err != nil || w.Close() != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(vocabularyFile(e), file.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		file, err := os.Open(vocabularyFile(e))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(flate.NewReader(file))
		if err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s is not what the library has (%v)", e, err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}

func checkCount(t interface{ Errorf(string, ...any) }, text string) {
	text = strings.ReplaceAll(text, del, "")
	for _, tok := range []*Tokenizer{o200k(), cl100k()} {
		if got, want := tok.Count(text), published(tok.encoding, text); got != want {
			t.Errorf("%s of %q: %d, want %d", tok.Name(), text, got, want)
		}
	}
}

// del is the one character that the library's patterns do not match, so that
// it counts nothing. The encodings have a token for it.
const del = "\x7f"

func TestTokenizer_CountsDelete(t *testing.T) {
	for _, tok := range []*Tokenizer{o200k(), cl100k()} {
		if got := tok.Count(del); got != 1 {
			t.Errorf("%s: %d, want 1", tok.Name(), got)
		}
	}
}

// tricky holds characters of every class that the patterns tell apart.
var tricky = []string{
	"a", "B", "ǅ", "ʰ", "ß", "ſ", "K", "中", "ö", "e\u0301", "\u0301", "\u200d", "١", "½", "7", "Ⅷ", "ª",
	" ", "  ", "\t", "\n", "\r\n", "\r", "\u00a0", "\u0085", "\u2028", "\u200b", "\v", "'", "'s", "'LL", "'ſ", "'re", "’s",
	"#", "/", "//", "`", "```", ".", "-", "_", "😀", "👩‍🔬", "\x00", "\u00ad", "hello", "World", "antidisestablishment", "{\"a\":1}",
}

// C20: tokens are those of o200k_base and cl100k_base, exactly.
func TestTokenizer_CountsAsTheReferenceDoes(t *testing.T) {
	for _, text := range []string{
		"", "hello world", "It's they'LL we'VE I'd", "1234567 12,345.67", "a\n\n\n  b   \n c  ", "x \t\n/ y", "###\n/a", "```go\nfunc\n```\n",
		strings.Repeat("ab", 3000), strings.Repeat("xq", 32), strings.Repeat("xq", 33), "x" + strings.Repeat("qj", 32), strings.Repeat(" ", 500), strings.Repeat("=", 700) + "\n", "naïve CafÉ ÀÉÎ中文Abc",
	} {
		checkCount(t, text)
	}
	check(t, 20, func(rt *rapid.T) { // merged otherwise than short pieces
		checkCount(rt, rapid.StringOfN(rapid.RuneFrom([]rune("aeinrst中")), shortPiece, 4*shortPiece, -1).Draw(rt, "piece"))
	})
	check(t, 20, func(rt *rapid.T) {
		checkCount(rt, strings.Join(rapid.SliceOfN(rapid.SampledFrom(tricky), 0, 12).Draw(rt, "text"), ""))
	})
	blanks := []string{" ", " ", "\n", "\n", "\t", "\r", "\r\n", "\u00a0", "\u2028", "a", "/", "`", "1"}
	check(t, 10, func(rt *rapid.T) {
		checkCount(rt, strings.Join(rapid.SliceOfN(rapid.SampledFrom(blanks), 0, 12).Draw(rt, "blanks"), ""))
	})
	check(t, 10, func(rt *rapid.T) { checkCount(rt, rapid.String().Draw(rt, "text")) })
}

// Every character falls into the same class as in the library's patterns,
// seen through what stands around it. Of the large scripts, whose characters
// are alike, some are tried.
func TestTokenizer_KnowsEveryCharacter(t *testing.T) {
	o, c := mustCodec(O200k), mustCodec(Cl100k)
	tried := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		large := unicode.In(r, unicode.Han, unicode.Hangul, unicode.Tangut, unicode.Egyptian_Hieroglyphs, unicode.Cuneiform)
		assigned := unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf)
		if string(r) == del || !assigned || large && r%100 > 0 {
			continue
		}
		tried++
		text := "a" + string(r) + "B" + string(r) + "c 1" + string(r) + "\n"
		if got, want := o200k().Count(text), mustCount(o, text); got != want {
			t.Errorf("o200k_base of %q (%U): %d, want %d", text, r, got, want)
		}
		if got, want := cl100k().Count(text), mustCount(c, text); got != want {
			t.Errorf("cl100k_base of %q (%U): %d, want %d", text, r, got, want)
		}
	}
	if tried < 10_000 {
		t.Errorf("only %d characters were tried", tried)
	}
}

func mustCodec(e Encoding) tokenizer.Codec {
	codec, err := tokenizer.Get(tokenizer.Encoding(e))
	if err != nil {
		panic(err)
	}
	return codec
}

func mustCount(c tokenizer.Codec, text string) int {
	n, err := c.Count(text)
	if err != nil {
		panic(err)
	}
	return n
}

// The assembler adds up the counts of chunks. That is exact because no piece
// crosses from a line break to a character that is neither space nor slash.
func TestTokenizer_ChunksAddUp(t *testing.T) {
	check(t, 10, func(rt *rapid.T) {
		texts := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom(tricky), 0, 8), 1, 6).Draw(rt, "chunks")
		first := rapid.SampledFrom([]string{"#", "-", "`", ",", "{", "]"})
		for _, tok := range []*Tokenizer{o200k(), cl100k()} {
			whole, sum := "", 0
			for _, pieces := range texts {
				chunk := first.Draw(rt, "first") + strings.Join(pieces, "") + "\n"
				whole += chunk
				sum += tok.Count(chunk)
			}
			if got := published(tok.encoding, whole); got != sum {
				rt.Errorf("%s of %q: %d, the chunks have %d", tok.Name(), whole, got, sum)
			}
		}
	})
}

// What is said to be apart has the sum of both counts, and where a line ends before a
// heading, a mark or a bracket it is said.
func TestTokenizer_Apart(t *testing.T) {
	check(t, 10, func(rt *rapid.T) {
		side := rapid.SliceOfN(rapid.SampledFrom(append([]string{"\n", " ", "/", "#"}, tricky...)), 1, 6)
		before, after := strings.Join(side.Draw(rt, "before"), ""), strings.Join(side.Draw(rt, "after"), "")
		for _, tok := range []*Tokenizer{o200k(), cl100k()} {
			if before == "" || after == "" || !tok.Apart(before, after) {
				continue
			}
			if got, want := tok.Count(before+after), tok.Count(before)+tok.Count(after); got != want {
				rt.Errorf("%s of %q and %q: %d together, %d apart", tok.Name(), before, after, got, want)
			}
		}
	})
	for _, c := range []struct {
		before, after string
		want          bool
	}{
		{"a line\n", "# heading", true},
		{"a line\n", "{", true},
		{"```\n", "word", true},
		{"```\n", "/path", false},
		{"a line\n", "\n", false},
		{"a line\n", "\u00a0x", false},
		{"a", "b", false},
	} {
		if got := o200k().Apart(c.before, c.after); got != c.want {
			t.Errorf("%q and %q: %v", c.before, c.after, got)
		}
	}
}

func TestTokenizer_AtLeastIsALowerBound(t *testing.T) {
	for _, tok := range []*Tokenizer{o200k(), cl100k()} {
		for _, s := range tok.ranks.slots {
			if n := s.end - s.begin; n > longestToken {
				t.Errorf("%s has a token of %d bytes", tok.Name(), n)
			}
		}
	}
}

func TestNewTokenizer_RefusesAnUnknownEncoding(t *testing.T) {
	if _, err := NewTokenizer("gpt2"); brenner.CodeOf(err) != brenner.CodeInvalidValue {
		t.Errorf("got %v", err)
	}
}

func FuzzTokenizer(f *testing.F) {
	for _, s := range tricky {
		f.Add(s + "x" + s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if utf8.ValidString(text) {
			checkCount(t, text)
		}
	})
}

package anchor

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"brenner"
)

// hostile are texts and operations that somebody sends to keep a machine busy:
// all that is compared with all must be a few, whatever stands there.
var hostile = []struct {
	name string
	make func() (base string, groups []Group)
}{
	{"a changed copy of thousands of lines", func() (string, []Group) {
		lines := strings.Repeat("some line of code here\n", 20_000)
		return "x\n" + lines, one("x\n", lines, lines+strings.ReplaceAll(lines, "here", "there"))
	}},
	{"a changed copy of as many lines as are compared", func() (string, []Group) {
		lines := strings.Repeat(strings.Repeat("ab", 2000)+"\n", 200)
		return "x\n" + lines, one("x\n", lines, lines+strings.ReplaceAll(lines, "a\n", "b\n"))
	}},
	{"signs at the end of a line", func() (string, []Group) {
		return "x\nfoo bar baz\ny\n", one("x\n", "foo bar baz"+strings.Repeat("$", 30_000)+"\n", "z\n")
	}},
	{"one letter", func() (string, []Group) {
		return strings.Repeat(strings.Repeat("a", 200)+"\n", 5000), one("q\n", strings.Repeat("a", 30_000)+"b\n", "z\n")
	}},
	{"short lines of one letter", func() (string, []Group) {
		return strings.Repeat("aaaa\n", 500_000), one("q\n", strings.Repeat("aaaa \n", 5000), "z\n")
	}},
	{"empty lines", func() (string, []Group) {
		return strings.Repeat("\n-\n", 500_000), one("q\n", strings.Repeat(" \n", 10_000), "z\n")
	}},
	{"lines of signs", func() (string, []Group) {
		return "start of it\n" + strings.Repeat("line x of text\n", 20) + "end of it\n", one("start of it\n", strings.Repeat("--\n", 9000)+"end of it\n", "z\n")
	}},
	{"words between lines", func() (string, []Group) {
		var words strings.Builder
		for i := range 3000 {
			fmt.Fprintf(&words, "w%d\n", i)
		}
		return strings.Repeat("aw", 1<<20) + "\nstart of it\nend of it\n", one("start of it\n"+words.String(), "end of it\n", "z\n")
	}},
	{"an anchor and an old block of one letter", func() (string, []Group) {
		return strings.Repeat("a", 1<<20) + "b", one(strings.Repeat("a", 15_000), strings.Repeat("a", 15_000)+"c", "z")
	}},
	{"many places that begin alike", func() (string, []Group) {
		return strings.Repeat("X"+strings.Repeat("a", 4000), 100), many(20, func(int) (string, string, string) { return "aa", "a", "b" })
	}},
	{"characters that nobody types", func() (string, []Group) {
		var odd strings.Builder
		for r := rune(0x4E00); r < 0x4E00+9000; r++ {
			odd.WriteRune(r)
		}
		return strings.Repeat(odd.String(), 200) + "tail", one("tail", "", odd.String())
	}},
	{"a word of letters that look like others", func() (string, []Group) {
		return "plain \"text\"\n", one("plain", "", strings.Repeat("аеор", 50_000))
	}},
	{"quotation marks that look like others", func() (string, []Group) {
		return strings.Repeat("plain \"text\"\n", 200_000) + "end", one("end", "", strings.Repeat("“", 100_000))
	}},
	{"line breaks written out", func() (string, []Group) {
		return "x\ny\n", one("x\n", "y\n", "\""+strings.Repeat(`\n`, 200_000))
	}},
	{"entities", func() (string, []Group) {
		return strings.Repeat("plain text\n", 1000) + "&amp;\nend", one("end", "", strings.Repeat("&amp;", 80_000))
	}},
	{"entities of every kind", func() (string, []Group) {
		var all strings.Builder
		for i := range 20_000 {
			fmt.Fprintf(&all, "&#%d;", 10_000+i)
		}
		return strings.Repeat("plain text\n", 500_000) + "end", one("end", "", all.String())
	}},
	{"lines that stand behind already, twice", func() (string, []Group) {
		return "x\n" + strings.Repeat("the line\nother\n", 200_000), one("x\n", "", strings.Repeat("new\nthe line\n", 20_000))
	}},
	{"thousands of operations on one endless line", func() (string, []Group) {
		var text strings.Builder
		for i := range 5000 {
			fmt.Fprintf(&text, "<%06d>%s", i, strings.Repeat(" {", 1000))
		}
		return text.String(), many(5000, func(i int) (string, string, string) { return fmt.Sprintf("<%06d>", i), " {", "+ 1 {" })
	}},
	{"thousands of operations that leave conflicts", func() (string, []Group) {
		var text strings.Builder
		for i := range 5000 {
			fmt.Fprintf(&text, "<%06d>\n%s\n", i, strings.Repeat("text ", 200))
		}
		return text.String() + "<<<<<<< a\n", many(5000, func(i int) (string, string, string) {
			return fmt.Sprintf("<%06d>\n", i), "", "<<<<<<< b\n... and so on\n"
		})
	}},
	{"twenty operations that fit nowhere in a long text", func() (string, []Group) {
		return strings.Repeat("the quick brown fox jumps over the lazy dog\n", 60_000), many(20, func(i int) (string, string, string) {
			return fmt.Sprintf("no such anchor %d\n", i), strings.Repeat("the quick brown fox jumped over a lazy dog\n", 500), "z\n"
		})
	}},
	{"white space otherwise, word for word", func() (string, []Group) {
		return strings.Repeat("a b\tc  d\n", 3000), one("", strings.Repeat("a  b c d \n", 3000), strings.Repeat("a  b e d \n", 300))
	}},
	{"prefixes of many words", func() (string, []Group) {
		return strings.Repeat("the line\n", 50), one("q\n", strings.Repeat(strings.Repeat("w ", 300)+"the line\n", 50), "z\n")
	}},
	{"a text too long to be looked into", func() (string, []Group) {
		return strings.Repeat("the quick brown fox\n", 1_000_000), one("the quick red fox\n", "the lazy dog\n", "z\n")
	}},
}

func one(anchor, old, fresh string) []Group {
	return many(1, func(int) (string, string, string) { return anchor, old, fresh })
}

func many(n int, fn func(i int) (anchor, old, fresh string)) (groups []Group) {
	for i := range n {
		anchor, old, fresh := fn(i)
		groups = append(groups, Group{Anchor: Anchor{Text: anchor, Mode: Exact}, Ops: []Op{{Kind: ReplaceBlock, Old: old, New: fresh}}})
	}
	return groups
}

// P11, P17, X9: whatever stands in a patch, explaining it and looking it over
// ends, and takes memory in proportion to what was sent.
func TestExplain_IsBounded(t *testing.T) {
	for _, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			text, groups := c.make()
			base := Text{s: text}
			for _, sum := range []brenner.Digest{base.Sum(), brenner.Digest(strings.Repeat("0", 64))} {
				p := Patch{Path: "f", Base: sum, Groups: groups}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				x := Explain(p, base, Elsewhere{})
				runtime.ReadMemStats(&after)
				made, sent := after.TotalAlloc-before.TotalAlloc, uint64(len(text)+p.size())
				if most := 128*sent + 256<<20; made > most {
					t.Errorf("%d bytes were sent, and %d made of them", sent, made)
				}
				if len(x.Findings) > 20 || len(x.Warnings) > 20 {
					t.Errorf("%d findings and %d warnings", len(x.Findings), len(x.Warnings))
				}
			}
		})
	}
}

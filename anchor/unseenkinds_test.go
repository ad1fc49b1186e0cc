package anchor

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"brenner/internal/linediff"

	"golang.org/x/text/unicode/norm"
)

// unseen are kinds of faults that were written down when the explainer was
// done, to see what it makes of what it was not built with; and the texts are
// others too.
var unseen = []fault{
	{"escaped twice, quotation only", onQuotation(escape), CauseEscapeLevel},
	{"quotes escaped", onStrings(func(q string) string { return strings.ReplaceAll(q, `"`, `\"`) }), CauseEscapeLevel},
	{"backslashes doubled", onStrings(func(q string) string { return strings.ReplaceAll(q, `\`, `\\`) }), CauseEscapeLevel},
	{"unicode escapes", onStrings(func(q string) string {
		return strings.Map(func(r rune) rune { return r }, regexp.MustCompile(`[^\x00-\x7f]`).ReplaceAllStringFunc(q, func(c string) string {
			if r := []rune(c)[0]; r < 0x10000 {
				return fmt.Sprintf(`\u%04x`, r)
			}
			return c
		}))
	}), CauseEscapeLevel},
	{"angle brackets as entities", onStrings(strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace), CauseEscapeLevel},
	{"percent escapes", onQuotation(url.PathEscape), CauseEscapeLevel},
	{"narrow no-break space", onQuotation(replaceOne(" ", "\u202f")), CauseInvisible},
	{"word joiner", onQuotation(middle("\u2060")), CauseInvisible},
	{"left-to-right mark", onStrings(func(q string) string { return strings.Replace(q, " ", "\u200e ", 1) }), CauseInvisible},
	{"byte order mark inside", onQuotation(middle("\ufeff")), CauseInvisible},
	{"ideographic spaces", onStrings(func(q string) string { return strings.ReplaceAll(q, " ", "\u3000") }), CauseInvisible},
	{"NFD in the quotation only", onQuotation(norm.NFD.String), CauseNormalForm},
	{"em dash", onStrings(func(q string) string { return strings.ReplaceAll(q, "--", "\u2014\u2014") }), CauseConfusable},
	{"minus sign", onQuotation(replaceOne("-", "\u2212")), CauseConfusable},
	{"fullwidth parentheses", onQuotation(strings.NewReplacer("(", "\uff08", ")", "\uff09").Replace), CauseConfusable},
	{"fullwidth colon", onStrings(func(q string) string { return strings.ReplaceAll(q, ":", "\uff1a") }), CauseConfusable},
	{"greek letters", onQuotation(replaceOne("o", "\u03bf")), CauseConfusable},
	{"backticks for quotes", onQuotation(replaceOne("'", "\u2018")), CauseConfusable},
	{"ellipsis character", onQuotation(replaceOne("...", "\u2026")), CauseConfusable},

	{"tabs to eight spaces", onStrings(func(q string) string { return strings.ReplaceAll(q, "\t", "        ") }), CauseWhitespace},
	{"two spaces to four", onStrings(func(q string) string {
		return eachLine(q, func(l string) string { return leadingSpace(strings.TrimSuffix(l, "\n")) + l })
	}), CauseWhitespace},
	{"one space deeper", onStrings(indentBy(" ")), CauseWhitespace},
	{"two levels deeper", onBlocks(indentBy("\t\t")), CauseWhitespace},
	{"anchor without indentation", func(s *scene) bool {
		g := &s.p.Groups[0]
		was := g.Anchor.Text
		g.Anchor.Text = dedent(was)
		_, misses := resolve(s.p, s.a.s)
		return g.Anchor.Text != was && len(misses) > 0
	}, CauseWhitespace},
	{"trailing tab", onQuotation(func(q string) string { return strings.Replace(q, "\n", "\t\n", 1) }), CauseWhitespace},
	{"spaces around signs", unfit(func(q string) string { return regexp.MustCompile(` ?([=,:]) ?`).ReplaceAllString(q, " $1 ") }), CauseWhitespace},
	{"spaces around signs lost", unfit(func(q string) string { return regexp.MustCompile(` ?([=,:(]) ?`).ReplaceAllString(q, "$1") }), CauseWhitespace},
	{"lines joined by spaces", unfit(func(q string) string {
		return regexp.MustCompile(`\n[ \t]*`).ReplaceAllString(strings.TrimSpace(q), " ")
	}), CauseWhitespace},
	{"wrapped at a space", unfit(func(q string) string {
		i := strings.LastIndexByte(q[:len(q)/2], ' ')
		if i < 1 || strings.TrimSpace(q[:i]) == "" {
			return q
		}
		return q[:i] + "\n" + q[i+1:]
	}), CauseWhitespace},
	{"every line break doubled", unfit(func(q string) string { return strings.ReplaceAll(q, "\n", "\n\n") }), CauseWhitespace},

	{"line numbers, 12 | ", onStrings(numbered("%d | ")), CauseLineNumbers},
	{"line numbers, [12] ", onQuotation(numbered("[%d] ")), CauseLineNumbers},
	{"line numbers, 12. ", onStrings(numbered("%d. ")), CauseLineNumbers},
	{"line numbers, Line 12: ", onQuotation(numbered("Line %d: ")), CauseLineNumbers},
	{"line numbers, 12│", onStrings(numbered("%5d│")), CauseLineNumbers},
	{"tilde fence", onBlocks(func(b string) string { return "~~~\n" + b + "~~~\n" }), CauseFence},
	{"opening fence only", onBlocks(func(b string) string { return "```go\n" + b }), CauseFence},
	{"quoted with >", onBlocks(indentBy("> ")), CauseMarkers},
	{"minus and plus with a space", func(s *scene) bool {
		op := &s.p.Groups[0].Ops[0]
		if op.Old == "" || op.New == "" {
			return false
		}
		op.Old, op.New = indentBy("- ")(op.Old), indentBy("+ ")(op.New)
		return true
	}, CauseMarkers},
	{"elided …", elide("…\n"), CauseElided},
	{"elided # ...", elide("    # ... (unchanged) ...\n"), CauseElided},
	{"elided in both blocks", func(s *scene) bool {
		for i := range s.p.Groups {
			op := &s.p.Groups[i].Ops[0]
			was, is := linediff.Lines(op.Old), linediff.Lines(op.New)
			if len(was) < 3 || len(is) != len(was) || strings.TrimSpace(was[0]) == "" || strings.TrimSpace(was[len(was)-1]) == "" {
				continue
			}
			s.b = Text{s: strings.Replace(s.b.s, op.New, is[0]+strings.Join(was[1:len(was)-1], "")+is[len(is)-1], 1)}
			op.Old, op.New = was[0]+"...\n"+was[len(was)-1], is[0]+"...\n"+is[len(is)-1]
			return true
		}
		return false
	}, CauseElided},
	{"anchor forgotten", func(s *scene) bool {
		g := &s.p.Groups[0]
		at := strings.Index(s.a.s, g.Ops[0].Old)
		if strings.TrimSpace(g.Ops[0].Old) == "" || at == 0 || len(find(s.a.s, g.Ops[0].Old, 2)) != 1 {
			return false
		}
		g.Anchor.Text, g.Ops[0].Index = "", 0
		return true
	}, CauseNotAdjacent},
	{"anchor is the old block", func(s *scene) bool {
		g := &s.p.Groups[0]
		if len(strings.TrimSpace(g.Ops[0].Old)) < 8 || len(find(s.a.s, g.Ops[0].Old, 2)) != 1 || strings.Contains(s.a.s, g.Ops[0].Old+g.Ops[0].Old) {
			return false
		}
		g.Anchor.Text, g.Ops[0].Index = g.Ops[0].Old, 0
		return true
	}, CauseOldInAnchor},
	{"letter case", onQuotation(func(q string) string { return strings.ToUpper(q) }), CauseNoSuchText},
	{"a word left out", unfit(func(q string) string {
		return regexp.MustCompile(`(\pL{3,}) \pL{3,} (\pL{3,})`).ReplaceAllString(q, "$1 $2")
	}), CauseNoSuchText},
	{"a typing mistake", onQuotation(func(q string) string { return regexp.MustCompile(`(\pL)(\pL)(\pL{3,})`).ReplaceAllString(q, "$2$1$3") }), CauseNoSuchText},

	{"new block, one line too deep", func(s *scene) bool {
		op := &s.p.Groups[0].Ops[0]
		if strings.TrimSpace(op.Old) == "" || strings.Count(op.New, "\n") != 1 || strings.Count(op.Old, "\n") != 1 || width(op.New) == 0 || !neighboursIndented(s) ||
			leadingSpace(op.Old) != leadingSpace(op.New) {
			return false
		}
		l := linter{base: s.a.s}
		at := strings.Index(s.a.s, s.quotedIn(0)) + len(s.p.Groups[0].Anchor.Text)
		op.New = leadingSpace(op.New) + op.New
		return width(l.lineBefore(at)) == width(op.Old) && width(l.lineBehind(at+len(op.Old))) == width(op.Old) && !opens(l.lineBefore(at))
	}, ""},
	{"new block with a quotation mark", onNew(func(n string) string { return indentBy("> ")(n) }), ""},
	{"new block escaped", onNew(func(n string) string {
		if strings.Count(n, "\n") < 2 {
			return n
		}
		return strings.ReplaceAll(n, "\n", `\n`)
	}), ""},
	{"anchor lines repeated", func(s *scene) bool {
		g := &s.p.Groups[0]
		if g.Ops[0].Kind != ReplaceBlock || !telling(g.Anchor.Text) || !strings.HasSuffix(g.Anchor.Text, "\n") || strings.Count(g.Anchor.Text, "\n") < 2 {
			return false
		}
		g.Ops[0].New = g.Anchor.Text + g.Ops[0].New
		return true
	}, ""},
	{"newline too many", onNew(func(n string) string { return strings.TrimSuffix(n, "\n") + "\n\n\n\n" }), ""},
}

// fromChanges stages real changes of this repository's files, with few and
// small edits.
func fromChanges(chains [][]string) func(*rand.Rand) *scene {
	type change struct {
		a     Text
		edits []edit
	}
	seen := map[[2]int]change{}
	return func(r *rand.Rand) *scene {
		which := r.IntN(len(chains))
		chain := chains[which]
		if len(chain) < 2 {
			return nil
		}
		i := r.IntN(len(chain) - 1)
		c, ok := seen[[2]int{which, i}]
		if !ok {
			c.a = Text{s: unifyNewlines(chain[i])}
			if len(c.a.s) <= 30_000 {
				c.edits = lineEdits(c.a.s, unifyNewlines(chain[i+1]))
			}
			seen[[2]int{which, i}] = c
		}
		a, edits := c.a, c.edits
		if len(a.s) > 30_000 || len(edits) == 0 || len(edits) > 40 {
			return nil
		}
		at := r.IntN(len(edits))
		edits = edits[at:min(len(edits), at+1+r.IntN(3))]
		if slices.ContainsFunc(edits, func(e edit) bool { return len(e.text)+e.end-e.start > 600 }) {
			return nil
		}
		b := a.splice(edits)
		s := &scene{a: a, b: b, other: Text{s: chains[(i+1)%len(chains)][0]}, r: r}
		s.p = Patch{Path: "notes.txt", Base: a.Sum(), Result: b.Sum(), Groups: authored(r, a.s, b.s)}
		if len(s.p.Groups) != len(edits) {
			return nil
		}
		return s
	}
}

// P11: kinds of faults that the explainer was not built with, in texts it was
// not built with.
func TestExplain_MendsKindsItWasNotBuiltWith(t *testing.T) {
	chains := history(t, 150)
	sum := faultRow{name: fmt.Sprintf("%d kinds", len(unseen))}
	for _, row := range runFaults(t, unseen, 17, tries(4, 30), fromChanges(chains)) {
		t.Log(row)
		sum.add(row)
	}
	t.Log(sum)
	sum.check(t)
}

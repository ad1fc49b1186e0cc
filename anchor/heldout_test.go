package anchor

import (
	"fmt"
	"html"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"brenner/internal/linediff"
)

// heldOut are kinds of faults that were written down after the explainer had
// been measured on all the others. What it made of them at first is in
// docs/adr/0063; what was mended since makes them no longer held out.
var heldOut = []fault{
	{"grep's path and line number", onStrings(numbered("src/notes.txt:%d:")), CauseLineNumbers},
	{"line numbers, (12)", onStrings(numbered("(%d) ")), CauseLineNumbers},
	{"line numbers, #12:", onQuotation(numbered("#%d: ")), CauseLineNumbers},
	{"line numbers, with zeros", onStrings(numbered("%04d ")), CauseLineNumbers},

	{"numeric entities", onStrings(strings.NewReplacer(`"`, "&#34;", "'", "&#39;").Replace), CauseEscapeLevel},
	{"hexadecimal escapes", onQuotation(func(q string) string { return strings.ReplaceAll(q, `"`, `\x22`) }), CauseEscapeLevel},
	{"escaped for HTML twice", onStrings(func(q string) string { return html.EscapeString(html.EscapeString(q)) }), CauseEscapeLevel},
	{"quotes doubled as in SQL", onQuotation(func(q string) string { return strings.ReplaceAll(q, "'", "''") }), CauseEscapeLevel},
	{"Markdown escapes", onStrings(strings.NewReplacer("_", `\_`, "*", `\*`).Replace), CauseEscapeLevel},

	{"colours of a terminal", onQuotation(func(q string) string { return "\x1b[32m" + q + "\x1b[0m" }), CauseInvisible},
	{"variation selector", onQuotation(middle("\ufe0f")), CauseInvisible},
	{"bidirectional isolate", onQuotation(func(q string) string { return "\u2068" + q + "\u2069" }), CauseInvisible},
	{"invisible separator", onQuotation(middle("\u2063")), CauseInvisible},
	{"figure spaces", onQuotation(func(q string) string { return strings.ReplaceAll(q, " ", "\u2007") }), CauseInvisible},

	{"non-breaking hyphen", onQuotation(replaceOne("-", "\u2011")), CauseConfusable},
	{"primes", onStrings(func(q string) string { return strings.ReplaceAll(q, "'", "\u2032") }), CauseConfusable},
	{"fullwidth letters", onQuotation(replaceOne("e", "\uff45")), CauseConfusable},
	{"mathematical letters", onQuotation(replaceOne("x", "\U0001d465")), CauseConfusable},
	{"ligatures", onQuotation(strings.NewReplacer("fi", "\ufb01", "fl", "\ufb02").Replace), CauseConfusable},
	{"cyrillic, several letters", onStrings(strings.NewReplacer("c", "\u0441", "p", "\u0440").Replace), CauseConfusable},
	{"guillemets", onStrings(func(q string) string { return strings.ReplaceAll(q, `"`, "\u00bb") }), CauseConfusable},
	{"next line characters", onQuotation(func(q string) string { return strings.ReplaceAll(q, "\n", "\u0085") }), CauseLineEndings},

	{"three spaces for a tab", onStrings(func(q string) string { return strings.ReplaceAll(q, "\t", "   ") }), CauseWhitespace},
	{"spaces halved", onStrings(func(q string) string { return strings.ReplaceAll(q, "  ", " ") }), CauseWhitespace},
	{"first line without its indentation", onStrings(func(q string) string { return strings.TrimLeft(q, " \t") }), CauseWhitespace},
	{"spaces inside brackets", unfit(strings.NewReplacer("(", "( ", ")", " )").Replace), CauseWhitespace},
	{"blank lines filled with spaces", unfit(func(q string) string { return strings.ReplaceAll(q, "\n\n", "\n    \n") }), CauseWhitespace},
	{"columns no longer aligned", onQuotation(func(q string) string { return regexp.MustCompile(`([^ \n]) {2,}`).ReplaceAllString(q, "$1 ") }), CauseWhitespace},

	{"fence with a path", onBlocks(func(b string) string { return "```python src/notes.py\n" + b + "```\n" }), CauseFence},
	{"closing fence only", onBlocks(func(b string) string { return b + "```\n" }), CauseFence},
	{"a hunk's header above the marks", func(s *scene) bool {
		op := &s.p.Groups[0].Ops[0]
		if strings.TrimSpace(op.Old) == "" || strings.TrimSpace(op.New) == "" {
			return false
		}
		op.Old, op.New = "@@ -3,4 +3,5 @@\n"+indentBy("-")(op.Old), indentBy("+")(op.New)
		return true
	}, CauseMarkers},
	{"marks in the quotation only", func(s *scene) bool {
		op := &s.p.Groups[0].Ops[0]
		if strings.Count(op.Old, "\n") < 2 {
			return false
		}
		op.Old = indentBy("-")(op.Old)
		return true
	}, CauseMarkers},
	{"elided <snip>", elide("<snip>\n"), CauseElided},
	{"elided (...)", elide("    (...)\n"), CauseElided},
	{"elided /* ... */", elide("/* ... */\n"), CauseElided},
	{"elided <!-- ... -->", elide("<!-- rest unchanged -->\n"), CauseElided},

	{"a line of the quotation left out", unfit(func(q string) string {
		lines := linediff.Lines(q)
		if len(lines) < 3 || strings.TrimSpace(lines[1]) == "" {
			return q
		}
		return strings.Join(slices.Delete(lines, 1, 2), "")
	}), CauseNoSuchText},
	{"two lines changed places", unfit(func(q string) string {
		lines := linediff.Lines(q)
		if len(lines) < 2 || strings.TrimSpace(lines[0]) == "" || strings.TrimSpace(lines[1]) == "" {
			return q
		}
		lines[0], lines[1] = lines[1], lines[0]
		return strings.Join(lines, "")
	}), CauseNoSuchText},
	{"another number", unfit(func(q string) string { return regexp.MustCompile(`\d+`).ReplaceAllString(q, "4711") }), CauseNoSuchText},
	{"a comma at the end of lines", unfit(func(q string) string { return regexp.MustCompile(`(?m)([^,\n])$`).ReplaceAllString(q, "$1,") }), CauseNoSuchText},

	{"new block twice", onNew(func(n string) string { return n + n }), ""},
	{"new block with conflict markers", onNew(func(n string) string { return "<<<<<<< HEAD\n" + n + "=======\n" + n + ">>>>>>> theirs\n" }), ""},
	{"new block with a path and numbers", onNew(func(n string) string {
		if strings.Count(n, "\n") < 2 {
			return n
		}
		return numbered("notes.txt:%d:")(n)
	}), ""},
	{"new block with entities", onNew(func(n string) string {
		if strings.Count(n, "<")+strings.Count(n, `"`) < 2 {
			return n
		}
		return html.EscapeString(n)
	}), ""},
	{"new block with a remark in brackets for the rest", onNew(func(n string) string { return n + "[rest of the file unchanged]\n" }), ""},
	{"new block in tabs among spaces", func(s *scene) bool {
		op := &s.p.Groups[0].Ops[0]
		was := op.New
		op.New = regexp.MustCompile(`(?m)^ {4}`).ReplaceAllString(was, "\t")
		return op.Kind == ReplaceBlock && op.New != was && neighboursIndented(s)
	}, ""},
	{"new block with the colours of a terminal", onNew(func(n string) string { return "\x1b[32m" + n + "\x1b[0m" }), ""},
	{"new block with typographic quotes", onNew(curly), ""},
}

// P11, P17: kinds of faults written down when everything else had been measured,
// in texts of this repository's history.
func TestExplain_HeldOutKinds(t *testing.T) {
	chains := history(t, 150)
	sum := faultRow{name: fmt.Sprintf("%d kinds", len(heldOut))}
	for _, row := range runFaults(t, heldOut, 23, tries(4, 30), fromChanges(chains)) {
		t.Log(row)
		sum.add(row)
	}
	t.Log(sum)
	sum.check(t)
}

// heldOutAgain were written down after the kinds above had been mended. Of what
// they have shown only one thing was mended: signs in an anchor that is not
// understood make a correction unsure.
var heldOutAgain = []fault{
	{"line numbers, 12) with a tab", onStrings(numbered("%d)\t")), CauseLineNumbers},
	{"line numbers, 12 - ", onStrings(numbered("%d - ")), CauseLineNumbers},
	{"line numbers, *12*", onQuotation(numbered("*%d* ")), CauseLineNumbers},
	{"quoted for a shell", onQuotation(func(q string) string { return strings.ReplaceAll(q, "'", `'\''`) }), CauseEscapeLevel},
	{"dollars escaped", onStrings(func(q string) string { return strings.ReplaceAll(q, "$", `\$`) }), CauseEscapeLevel},
	{"octal escapes", onQuotation(func(q string) string { return strings.ReplaceAll(q, `"`, `\042`) }), CauseEscapeLevel},
	{"hangul filler", onQuotation(middle("\u3164")), CauseInvisible},
	{"thin spaces", onStrings(func(q string) string { return strings.ReplaceAll(q, " ", "\u2009") }), CauseInvisible},
	{"armenian letters", onQuotation(replaceOne("o", "\u0585")), CauseConfusable},
	{"division slash", onQuotation(replaceOne("/", "\u2215")), CauseConfusable},
	{"low quotes", onQuotation(replaceOne(`"`, "\u201e")), CauseConfusable},
	{"five spaces for a tab", onStrings(func(q string) string { return strings.ReplaceAll(q, "\t", "     ") }), CauseWhitespace},
	{"last line without its indentation", onQuotation(func(q string) string {
		i := strings.LastIndexByte(strings.TrimSuffix(q, "\n"), '\n')
		return q[:i+1] + strings.TrimLeft(q[i+1:], " \t")
	}), CauseWhitespace},
	{"a space before the final newline", onStrings(func(q string) string { return strings.TrimSuffix(q, "\n") + " \n" }), CauseWhitespace},
	{"fence of four", onBlocks(func(b string) string { return "````\n" + b + "````\n" }), CauseFence},
	{"marks with a tab", onBlocks(indentBy("-\t")), CauseMarkers},
	{"elided, in words", elide("(lines left out)\n"), CauseElided},
	{"elided --8<--", elide("--8<--\n"), CauseElided},
	{"singular for plural", unfit(func(q string) string { return regexp.MustCompile(`(\pL{4,})s\b`).ReplaceAllString(q, "$1") }), CauseNoSuchText},
	{"new block upside down", onNew(func(n string) string {
		lines := linediff.Lines(n)
		if len(lines) < 3 || !strings.HasSuffix(n, "\n") {
			return n
		}
		slices.Reverse(lines)
		return strings.Join(lines, "")
	}), ""},
	{"new block with a prompt's words", onNew(func(n string) string { return "Here is the updated code:\n" + n }), ""},
	{"new block with the old one above it", func(s *scene) bool {
		op := &s.p.Groups[0].Ops[0]
		if op.Kind != ReplaceBlock || strings.TrimSpace(op.Old) == "" || strings.TrimSpace(op.New) == "" || op.Old == op.New {
			return false
		}
		op.New = op.Old + op.New
		return true
	}, ""},
}

// P11: kinds that nothing was mended with. What is proved is right; the other
// figures are for information, and in docs/adr/0063.
func TestExplain_HeldOutAgain(t *testing.T) {
	chains := history(t, 150)
	sum := faultRow{name: fmt.Sprintf("%d kinds", len(heldOutAgain))}
	for _, row := range runFaults(t, heldOutAgain, 29, tries(2, 30), fromChanges(chains)) {
		t.Log(row)
		sum.add(row)
	}
	t.Log(sum)
	if sum.provedWrong > 0 {
		t.Errorf("%d of %d proved corrections are wrong", sum.provedWrong, sum.proved)
	}
}

// P11, P17: two more lists of kinds, each written by somebody who had not seen
// the program, and run once before anything was mended; what came of it is in
// docs/adr/0086. They are no longer held out.
func TestExplain_HeldOutByOthers(t *testing.T) {
	chains := history(t, 150)
	for _, set := range []struct {
		name  string
		kinds []fault
		seed  uint64
	}{{"third", heldOutThird, 31}, {"fourth", heldOutFourth, 37}} {
		t.Run(set.name, func(t *testing.T) {
			sum := faultRow{name: fmt.Sprintf("%d kinds", len(set.kinds))}
			for _, row := range runFaults(t, set.kinds, set.seed, tries(3, 30), fromChanges(chains)) {
				t.Log(row)
				sum.add(row)
			}
			t.Log(sum)
			if sum.provedWrong > 0 {
				t.Errorf("%d of %d proved corrections are wrong", sum.provedWrong, sum.proved)
			}
			if sum.likelyWrong*100 > sum.likely*2 || sum.named*100 < sum.refused*88 || sum.silent*10 > sum.silent+sum.warned {
				t.Error(sum)
			}
		})
	}
}

// P17: real changes of this repository are hardly ever warned about.
func TestApply_WarnsOfFewRightPatches(t *testing.T) {
	stage := fromChanges(history(t, 150))
	r := rand.New(rand.NewPCG(5, 5))
	all, warned := 0, 0
	for all < tries(500, 2000) {
		s := stage(r)
		if s == nil || s.a.s == s.b.s || len(s.p.Groups) == 0 {
			continue
		}
		res, err := Apply(s.p, s.a)
		if err != nil || res.Text.s != s.b.s {
			t.Fatalf("a right patch: %v", err)
		}
		all++
		if len(res.Warnings) > 0 {
			warned++
		}
	}
	t.Logf("%d of %d right patches are warned about", warned, all)
	if warned*100 > all*5 {
		t.Errorf("%d of %d right patches are warned about", warned, all)
	}
}

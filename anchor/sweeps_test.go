package anchor

import (
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"brenner/internal/answers"
	"brenner/internal/linediff"

	"golang.org/x/text/unicode/norm"
)

// smallTexts are short texts of every style: indented by tabs, by two and by
// four, with escapes, entities, accents in both forms, typographic signs, lists,
// repetitions, with and without a newline at the end.
var smallTexts = []string{
	"package main\n\nfunc run(x int) error {\n\tif x > 0 {\n\t\treturn errBad\n\t}\n\tfor i := range x {\n\t\tprint(i, \"a\\n\")\n\t}\n\treturn nil\n}\n",
	"import os\n\ndef load(path):\n    if path:\n        return open(path)\n    return None\n\ndef save(path, text):\n    with open(path) as f:\n        f.write(text)\n    return 'it''s'\n",
	"server:\n  port: 8080\n  hosts:\n    - alpha\n    - beta\n    - gamma\n  token: \"s3cret-value\"\nclient:\n  port: 8081\n",
	"# Plan\n\nWe measure growth on Monday, and write it down.\nThe café serves “good” coffee – mostly.\n\na) first thing\nb) second thing\n\nThe end of the plan is near.\n",
	"Cafe\u0301 und Gru\u0308n\nEine Zeile mit Wörtern.\nnoch eine Zeile\nund eine dritte Zeile\nSchluss ohne Umbruch",
	"<div class=\"box\">\n  <p>Tom &amp; Jerry &lt;3</p>\n  <p>Fish &amp; Chips</p>\n  <br/>\n</div>\n",
	"\\section{Intro}\nThe path is C:\\new\\table and \\\"quoted\\\".\nprintf(\"%d\\t%s\\n\", n, s);\n\\end{document}\n",
	"setup()\nrun(1)\nsetup()\nrun(2)\nsetup()\nrun(1)\nteardown()\n",
	"const a = 1;\nconst b = 2; // ... keep\nfunction add(x, y) {\n  return x + y;\n}\n\n\nfunction sub(x, y) {\n  return x - y;\n}\nexport { add, sub };\n",
	"alpha beta gamma\n\n\n\tdelta epsilon\n    zeta eta\n\ttheta\u00a0iota\nkappa l\u200bambda\n",
}

// writing is a way in which a quotation, or a block, is written otherwise than
// the text.
type writing struct {
	name string
	fn   func(r *rand.Rand, s string) string
}

// onEach writes every line with something on it otherwise, by its number.
func onEach(fn func(i int, line string) string) func(*rand.Rand, string) string {
	return func(_ *rand.Rand, s string) string {
		i := 0
		return eachLine(s, func(line string) string {
			if strings.TrimSpace(line) == "" {
				return line
			}
			i++
			body, cut := strings.CutSuffix(line, "\n")
			body = fn(i, body)
			if cut {
				body += "\n"
			}
			return body
		})
	}
}

func always(fn func(string) string) func(*rand.Rand, string) string {
	return func(_ *rand.Rand, s string) string { return fn(s) }
}

func swapped(pairs ...string) func(*rand.Rand, string) string {
	return always(strings.NewReplacer(pairs...).Replace)
}

func around(above, below string) func(*rand.Rand, string) string {
	return always(func(s string) string {
		if s == "" {
			return s
		}
		return above + s + below
	})
}

// without takes a line out and leaves something for it.
func without(instead string) func(*rand.Rand, string) string {
	return func(r *rand.Rand, s string) string {
		lines := linediff.Lines(s)
		if len(lines) < 2 {
			return s
		}
		i := r.IntN(len(lines))
		lines[i] = instead
		return strings.Join(lines, "")
	}
}

func inPlaceOf(from, to string) func(*rand.Rand, string) string {
	return func(_ *rand.Rand, s string) string { return strings.Replace(s, from, to, 1) }
}

var writings = []writing{
	{"as it is", always(func(s string) string { return s })},
	{"numbered →", onEach(func(i int, l string) string { return fmt.Sprintf("%6d→%s", 8+i, l) })},
	{"numbered :", onEach(func(i int, l string) string { return fmt.Sprintf("%d: %s", i, l) })},
	{"numbered by path", onEach(func(i int, l string) string { return fmt.Sprintf("src/a.go:%d:%s", 98+i, l) })},
	{"numbered with zeros", onEach(func(i int, l string) string { return fmt.Sprintf("%03d %s", i, l) })},
	{"numbered oddly", onEach(func(i int, l string) string { return fmt.Sprintf("{%d} <x> %s", i, l) })},
	{"numbered twice", onEach(func(i int, l string) string { return fmt.Sprintf("%d/%d ~ %s", i, 9-i, l) })},
	{"numbered backwards", onEach(func(i int, l string) string { return fmt.Sprintf("%d| %s", 50-i, l) })},
	{"numbered huge", onEach(func(i int, l string) string { return fmt.Sprintf("%d99999999999999999999» %s", i, l) })},
	{"numbered some", onEach(func(i int, l string) string { return fmt.Sprintf("%.*s%s", 3*(i%2), fmt.Sprintf("%d:", i), l) })},
	{"with >", onEach(func(_ int, l string) string { return "> " + l })},
	{"with +", onEach(func(_ int, l string) string { return "+" + l })},
	{"with + and -", onEach(func(i int, l string) string { return "+- "[i%3:][:1] + l })},
	{"a hunk", always(func(s string) string {
		return "@@ -1,2 +1,2 @@\n" + eachLine(s, func(l string) string { return " " + l })
	})},
	{"with prompts", onEach(func(i int, l string) string { return []string{">>> ", "... "}[i%2] + l })},
	{"with a name in front", onEach(func(i int, l string) string { return "ann@host:~$ " + l })},
	{"with names in front", onEach(func(i int, l string) string { return []string{"ann", "bob"}[i%2] + "» " + l })},
	{"with words in front", onEach(func(i int, l string) string { return []string{"first", "then-", "last,"}[i%3] + " " + l })},
	{"with three kinds of signs", onEach(func(i int, l string) string { return []string{"~~ ", "## ", "|| "}[i%3] + l })},
	{"with four kinds of signs", onEach(func(i int, l string) string { return []string{"~~ ", "## ", "|| ", "%% "}[i%4] + l })},
	{"with $ at the end", onEach(func(_ int, l string) string { return l + "$" })},
	{"with ¶ at the end", onEach(func(_ int, l string) string { return l + "¶" })},
	{"with ◂ at the end", onEach(func(_ int, l string) string { return l + " ◂" })},
	{"with ;; at the end", onEach(func(_ int, l string) string { return l + ";;" })},
	{"with <br> and a number", onEach(func(i int, l string) string { return fmt.Sprintf("%d) %s<br>", i, l) })},
	{"as strings", onEach(func(_ int, l string) string { return `"` + escape(l) + `\n" +` })},
	{"as raw strings", onEach(func(_ int, l string) string { return "  '" + l + "'," })},
	{"in a fence", around("```go\n", "```\n")},
	{"in an open fence", around("~~~\n", "")},
	{"in a tag", around("<code>\n", "</code>\n")},
	{"announced", around("Here is the code:\n", "")},
	{"announced and closed", around("Sure, this is it:\n", "I hope that this helps you.\n")},
	{"under a file name", around("src/plan.py:\n", "")},
	{"in rules", around("-----\n", "=====\n")},
	{"in words", around("snippet\n", "done\n")},
	{"below dots", around("...\n", "")},
	{"in brackets", around("[code]\n", "[/code]\n")},
	{"wrapped", around(`"`, `"`)},
	{"in backticks", around("`", "`")},
	{"escaped", always(escape)},
	{"escaped breaks", always(spellNewlines)},
	{"escaped twice", always(func(s string) string { return escape(escape(s)) })},
	{"unescaped", always(unescape)},
	{"without backslashes", swapped(`\`, "")},
	{"more backslashes", swapped(`\`, `\\`)},
	{"for HTML", always(html.EscapeString)},
	{"for HTML twice", always(func(s string) string { return html.EscapeString(html.EscapeString(s)) })},
	{"from HTML", always(html.UnescapeString)},
	{"for Markdown", swapped("_", `\_`, "*", `\*`, "#", `\#`, "<", `\<`, "`", "\\`", "[", `\[`)},
	{"for Markdown in part", inPlaceOf("(", `\(`)},
	{"for an address", always(url.PathEscape)},
	{"for a form", always(url.QueryEscape)},
	{"marks doubled", swapped("'", "''")},
	{"double marks doubled", swapped(`"`, `""`)},
	{"quoted-printable", swapped("=", "=3D")},
	{"tabs for four", swapped("    ", "\t")},
	{"four for tabs", swapped("\t", "    ")},
	{"two for tabs", swapped("\t", "  ")},
	{"four for two", onEach(func(_ int, l string) string { return leadingSpace(l) + l })},
	{"two for four", onEach(func(_ int, l string) string { return l[len(leadingSpace(l))/2:] })},
	{"three deeper", onEach(func(_ int, l string) string { return "   " + l })},
	{"a tab deeper", onEach(func(_ int, l string) string { return "\t" + l })},
	{"one shallower", onEach(func(_ int, l string) string { return strings.TrimPrefix(l, " ") })},
	{"not indented", onEach(func(_ int, l string) string { return strings.TrimLeft(l, " \t") })},
	{"first line not indented", always(func(s string) string { return strings.TrimLeft(s, " \t") })},
	{"indented by →", onEach(func(_ int, l string) string {
		return strings.Repeat("→", len(leadingSpace(l))) + strings.TrimLeft(l, " \t")
	})},
	{"indented by \\t", onEach(func(_ int, l string) string {
		return strings.Repeat(`\t`, len(leadingSpace(l))) + strings.TrimLeft(l, " \t")
	})},
	{"indented by a letter", onEach(func(_ int, l string) string {
		return strings.Repeat("é", len(leadingSpace(l))) + strings.TrimLeft(l, " \t")
	})},
	{"spaces at the ends", onEach(func(_ int, l string) string { return l + "  " })},
	{"trimmed", always(strings.TrimSpace)},
	{"spaces doubled", swapped(" ", "  ")},
	{"spaces lost", swapped(" ", "")},
	{"a space lost", inPlaceOf(" ", "")},
	{"lines joined", swapped("\n", " ")},
	{"lines broken", inPlaceOf(" ", "\n")},
	{"lines broken at commas", swapped(", ", ",\n    ", "(", "(\n\t\t", " + ", "\n  + ")},
	{"empty lines lost", always(func(s string) string { return strings.ReplaceAll(s, "\n\n", "\n") })},
	{"empty lines doubled", swapped("\n\n", "\n\n\n")},
	{"an empty line more", always(func(s string) string { return s + "\n" })},
	{"an empty line before", always(func(s string) string { return "\n" + s })},
	{"the last newline lost", always(func(s string) string { return strings.TrimSuffix(s, "\n") })},
	{"no-break spaces", swapped(" ", "\u00a0")},
	{"a no-break space", inPlaceOf(" ", "\u00a0")},
	{"a zero-width space", inPlaceOf("e", "e\u200b")},
	{"a soft hyphen", inPlaceOf("r", "\u00adr")},
	{"a mark of order", always(func(s string) string { return "\ufeff" + s })},
	{"line separators", swapped("\n", "\u2028")},
	{"form feeds", swapped("\n", "\f")},
	{"curly quotes", swapped(`"`, "“", "'", "’")},
	{"plain quotes", swapped("“", `"`, "”", `"`, "–", "-")},
	{"dashes", swapped("-", "–")},
	{"a Cyrillic letter", inPlaceOf("e", "е")},
	{"Cyrillic letters", swapped("e", "е", "a", "а", "o", "о")},
	{"full width", swapped("(", "（", ")", "）", ":", "：")},
	{"mathematical letters", inPlaceOf("r", "𝑟")},
	{"composed", always(norm.NFC.String)},
	{"decomposed", always(norm.NFD.String)},
	{"accents lost", always(func(s string) string {
		return strings.Map(func(r rune) rune {
			if r > 0x2ff && r < 0x370 {
				return -1
			}
			return r
		}, norm.NFD.String(s))
	})},
	{"other accents", swapped("é", "è", "ö", "ü", "ü", "û", "\u0301", "\u0300")},
	{"quotes turned", swapped("“", "”", "”", "“", "–", "—")},
	{"coloured", onEach(func(_ int, l string) string { return "\x1b[32m" + l + "\x1b[0m" })},
	{"a zero for an O", swapped("0", "O", "o", "0")},
	{"rn for m", swapped("m", "rn")},
	{"dots for a line", without("...\n")},
	{"a note for a line", without("    # ... existing code ...\n")},
	{"words for a line", without("// rest of the function remains\n")},
	{"[snip] for a line", without("[snip]\n")},
	{"a word for a line", without("something\n")},
	{"nothing for a line", without("")},
	{"dots in a line", func(r *rand.Rand, s string) string {
		if len(s) < 12 {
			return s
		}
		i := 2 + r.IntN(len(s)-10)
		return strings.ToValidUTF8(s[:i], "") + "..." + strings.ToValidUTF8(s[i+6:], "")
	}},
	{"lines broken off", onEach(func(_ int, l string) string { return strings.ToValidUTF8(l[:len(l)*2/3], "") + "…" })},
	{"masked", swapped("s3cret-value", "*****", "8080", "<redacted>")},
	{"cut short", always(func(s string) string { return strings.ToValidUTF8(s[:len(s)*3/4], "") })},
	{"begun late", always(func(s string) string { return strings.ToValidUTF8(s[len(s)/4:], "") })},
	{"upper case", always(strings.ToUpper)},
	{"other words", swapped("return", "yield", "port", "gate", "setup", "init", "Zeile", "Linie")},
	{"a slip", func(r *rand.Rand, s string) string {
		if s == "" {
			return s
		}
		return strings.ToValidUTF8(answers.Typos[r.IntN(len(answers.Typos))].Make(r, s), "")
	}},
	{"said twice", always(func(s string) string { return s + s })},
	{"a conflict", around("<<<<<<< ours\n", "=======\n>>>>>>> theirs\n")},
	{"a link", inPlaceOf("e", "[e.py](http://e.py)")},
	{"a heredoc", around("", "EOF\n")},
}

// smallScene draws an operation on a small text, and what it would have done.
func smallScene(r *rand.Rand) (base, after string, q quotation) {
	base = smallTexts[r.IntN(len(smallTexts))]
	lines := linediff.Lines(base)
	from := r.IntN(len(lines))
	to := min(len(lines), from+r.IntN(4))
	above := max(0, from-r.IntN(3))
	q = quotation{anchor: join(lines[above:from]), old: join(lines[from:to])}
	start := len(join(lines[:from]))
	if r.IntN(4) == 0 && from < len(lines) { // within a line
		cut := len(lines[from]) / 2
		if i := strings.IndexByte(lines[from], ' '); i > 0 && r.IntN(2) == 0 {
			cut = i + 1
		}
		head := strings.ToValidUTF8(lines[from][:cut], "")
		q.anchor, start = q.anchor+head, start+len(head)
		q.old = strings.TrimPrefix(q.old, head)
	}
	switch r.IntN(7) {
	case 0:
	case 1:
		q.new = join(reworked(r, append(linediff.Lines(q.old), lines[from])))
	case 2:
		q.new = q.old + strings.Replace(q.old, "r", "rR", 1)
	case 3:
		q.new = leadingSpace(lines[from]) + "added(\"line\", (1))\n"
	case 4:
		q.new = strings.Replace(q.old, "e", "E9", 2) + leadingSpace(lines[from]) + "tail\n"
	case 5:
		q.new = strings.Replace(q.old, " ", " very ", 1)
	case 6:
		q.new = lines[r.IntN(len(lines))] + q.old
	}
	return base, base[:start] + q.new + base[start+len(q.old):], q
}

// P11, P17. What is said of an operation on a small text that is written
// otherwise, in all of it or in a part: whether it applies and with which
// warnings, why not, and what was meant.
func TestExplain_EveryWritingAsBefore(t *testing.T) {
	book := answers.New("testdata/writings.golden", 1)
	parts := [][3]bool{{true, true, true}, {true, true, false}, {true, false, false}, {false, true, false}, {false, true, true}, {false, false, true}}
	const scenes = 8
	for k, w := range writings {
		r := rand.New(rand.NewPCG(73, uint64(k)))
		for i := range scenes {
			base, after, q := smallScene(r)
			written := q
			part := parts[i%len(parts)]
			for j, s := range []*string{&written.anchor, &written.old, &written.new} {
				if part[j] {
					*s = canonicalString(w.fn(r, *s))
				}
			}
			op := Op{Kind: ReplaceBlock, Old: written.old, New: written.new}
			if op.New == "" {
				op.Kind = DeleteBlock
			}
			text := Text{s: base}
			p := Patch{Path: "f", Base: text.Sum(), Groups: []Group{{Anchor: Anchor{Text: written.anchor, Mode: []MatchMode{Exact, IgnoreWhitespace}[r.IntN(4)/3]}, Ops: []Op{op}}}}
			if lines := linediff.Lines(base); r.IntN(4) == 0 { // and another operation, that fits or is written so too
				other := quotation{anchor: lines[len(lines)-2], old: lines[len(lines)-1], new: lines[0]}
				after = strings.TrimSuffix(after, other.old) + other.new
				if r.IntN(2) == 0 {
					other.new = canonicalString(w.fn(r, other.new))
				}
				if r.IntN(2) == 0 {
					other.old = canonicalString(w.fn(r, other.old))
				}
				p.Groups = append(p.Groups, Group{Anchor: Anchor{Text: other.anchor}, Ops: []Op{{Kind: ReplaceBlock, Old: other.old, New: other.new}}})
			}
			var e Elsewhere
			switch r.IntN(8) {
			case 0, 1, 2:
				p.Result = Text{s: after}.Sum()
			case 3:
				p.Base = Text{s: base + "more\n"}.Sum()
			case 4:
				p.Groups[0].Ops[0].Index = 1 + r.IntN(2)
			case 5:
				e.Others = []Named{{"other", Text{s: strings.Replace(base, q.anchor, written.anchor, 1)}}}
			case 6:
				e.Older = []Named{{"older", Text{s: base + "more\n"}}, {"oldest", Text{s: strings.Replace(base, q.old, written.old, 1)}}}
				p.Base = e.Older[r.IntN(2)].Text.Sum()
			}
			book.Note(w.name, fmt.Sprintf("%q %s", base, p.JSON()), patchInWords(p, text, e))
			edit := Edit{Path: "f", Format: FormatEdit, hunks: []hunk{{name: "edit 1", old: written.whole(), new: written.anchor + written.new, wholeLines: i%2 == 0}}}
			book.Note(w.name, fmt.Sprintf("%q %+v", base, edit.hunks), answers.Text(edit.Explain(text, e)))
		}
	}
	book.Check(t)
}

// P11. What is made of lines that are quoted with other white space than the
// text has, beside new lines that go with the quotation, with the text or with
// neither.
func TestExplain_IndentedBlocksAsBefore(t *testing.T) {
	book := answers.New("testdata/indentedblocks.golden", 1)
	r := rand.New(rand.NewPCG(101, 101))
	for _, w := range writings {
		if !slices.Contains([]string{"tabs for four", "four for tabs", "two for tabs", "four for two", "two for four", "three deeper", "a tab deeper", "one shallower", "not indented", "first line not indented", "spaces at the ends", "empty lines lost", "an empty line before", "lines broken", "lines broken at commas", "lines joined"}, w.name) {
			continue
		}
		for i := range 16 {
			base := smallTexts[[]int{0, 1, 2, 5, 8}[i%5]]
			if i%3 == 0 { // a text that indents in two ways
				base += strings.ReplaceAll(strings.ReplaceAll(smallTexts[0], "run", "again"), "\t", "    ")
			}
			lines := linediff.Lines(base)
			at := 1 + r.IntN(len(lines)-2)
			for leadingSpace(lines[at]) == "" || leadingSpace(lines[at]) == lines[at] {
				at = 1 + r.IntN(len(lines)-2)
			}
			q := quotation{old: join(lines[at:min(len(lines), at+1+r.IntN(2))])}
			if i%2 == 0 {
				q.anchor = lines[at-1]
			}
			indent := leadingSpace(lines[at])
			added := []string{indent, indent + indent, indent[:len(indent)/2], "", indent + " "}[r.IntN(5)] + "added(1)\n"
			q.new = []string{q.old + added, added + q.old, indent + "other(2)\n" + added, strings.Replace(q.old, indent, indent+"  ", 1)}[r.IntN(4)]
			written := quotation{anchor: q.anchor, old: canonicalString(w.fn(r, q.old)), new: q.new}
			if i%4 > 1 {
				written.new = canonicalString(w.fn(r, q.new))
			}
			if i%8 > 5 {
				written.anchor = canonicalString(w.fn(r, q.anchor))
			}
			p := Patch{Path: "f", Base: Text{s: base}.Sum(), Groups: []Group{{Anchor: Anchor{Text: written.anchor}, Ops: []Op{{Kind: ReplaceBlock, Old: written.old, New: written.new}}}}}
			book.Note(w.name, fmt.Sprintf("%q %s", base, p.JSON()), patchInWords(p, Text{s: base}, Elsewhere{}))
		}
	}
	book.Check(t)
}

// P4, P5, P7, P13. Where operations fit in texts of few letters, in which
// everything stands often: with and without white space, by number, several at
// one anchor, colliding; what is said where one does not, and what is carried
// over to another such text.
func TestApply_FewLettersAsBefore(t *testing.T) {
	book := answers.New("testdata/fewletters.golden", 1)
	r := rand.New(rand.NewPCG(79, 79))
	draw := func(most int, letters ...string) string {
		var b strings.Builder
		for range r.IntN(most + 1) {
			b.WriteString(letters[r.IntN(len(letters))])
		}
		return b.String()
	}
	letters := []string{"a", "b", " ", "\n", "\n", "a\n", "ab ab\n", "\t", "é"}
	// quoted gives two stretches of a text, one behind the other as a rule.
	quoted := func(text string) (string, string) {
		runes := []rune(text)
		if len(runes) == 0 || r.IntN(6) == 0 {
			return draw(2, letters...), draw(2, letters...)
		}
		a := r.IntN(len(runes))
		b := min(len(runes), a+r.IntN(4))
		c := min(len(runes), b+r.IntN(4))
		return string(runes[a:b]), string(runes[b:c])
	}
	for i := range 900 {
		base := draw(14, letters...)
		p := Patch{Path: "f", Base: Text{s: base}.Sum()}
		for range 1 + r.IntN(2) {
			anchor, old := quoted(base)
			g := Group{Anchor: Anchor{Text: anchor, Mode: []MatchMode{Exact, IgnoreWhitespace}[r.IntN(2)]}}
			if strings.TrimSpace(g.Anchor.Text) == "" {
				g.Anchor.Text = ""
			}
			for range 1 + r.IntN(3) {
				g.Ops = append(g.Ops, Op{Kind: ReplaceBlock, Old: old, New: draw(3, letters...), Index: max(0, r.IntN(6)-3)})
				_, old = quoted(base)
				if r.IntN(2) == 0 {
					old = ""
				}
			}
			p.Groups = append(p.Groups, g)
		}
		if i%3 == 0 {
			p.Result = Text{s: draw(12, letters...)}.Sum()
		}
		book.Note(fmt.Sprintf("%d groups", len(p.Groups)), fmt.Sprintf("%q %s", base, p.JSON()), patchInWords(p, Text{s: base}, Elsewhere{}))
		p.Result = ""
		if res, err := Apply(p, Text{s: base}); err == nil { // and undone from the result alone
			p.Result = res.Text.Sum()
			back, err := Reverse(p, res.Text)
			book.Note("undone", fmt.Sprintf("%q %s", res.Text.s, p.JSON()), answers.Or(string(back.JSON()), err))
		}
		other := Text{s: draw(14, letters...)}
		if i%2 == 0 {
			other.s = strings.Replace(base, "a", "ba", 1)
		}
		from := &Text{s: base}
		if i%4 < 2 {
			from = nil
		}
		res, err := Rebase(p, other, from)
		book.Note("carried over", fmt.Sprintf("%q %q %s", base, other.s, p.JSON()), answers.Or(fmt.Sprintf("%d %d %q %s", res.Carried, res.Already, res.Result.s, res.Patch.JSON()), err))
		if d, err := Diff(Text{s: base}, other, "f"); err == nil {
			book.Note("differences", fmt.Sprintf("%q %q", base, other.s), string(d.JSON()))
		}
	}
	for _, n := range []int{3, 4, 5, 40} { // as many questions as are asked together
		lines := linediff.Lines(strings.Repeat(smallTexts[1]+smallTexts[7], 2))
		p := Patch{Path: "f", Base: Text{s: join(lines)}.Sum()}
		for i := range min(n, len(lines)-1) {
			if strings.TrimSpace(lines[i]) == "" {
				continue
			}
			p.Groups = append(p.Groups, Group{Anchor: Anchor{Text: lines[i], Mode: []MatchMode{Exact, IgnoreWhitespace}[i%2]}, Ops: []Op{{Kind: ReplaceBlock, Old: lines[i+1], New: "x\n", Index: i % 3}}})
		}
		book.Note("many questions", fmt.Sprint(n), patchInWords(p, Text{s: join(lines)}, Elsewhere{}))
	}
	book.Check(t)
}

// manyStrings are the lines of the small texts, and what becomes of them when
// they are written otherwise, cut and joined.
func manyStrings(r *rand.Rand, n int) (all []string) {
	all = []string{"", "\n", " ", "\t", "a", "\n\n", "  \n", "''", `""`, "`a`", `'a"`, "\\", `\n`, "&lt;", "%20", "a%2Fb", "%zz", `a\_b\_c`, `a\_b_c`, `\*x\*`, "…", "...", "é", "e\u0301", "\x1b[1m", "> ", "+", "1:", "01 a"}
	for _, w := range writings { // each at least once, on lines that show it
		for range 20 {
			lines := linediff.Lines(smallTexts[r.IntN(len(smallTexts))])
			i := r.IntN(len(lines))
			s := join(lines[i:min(len(lines), i+1+r.IntN(3))])
			if written := canonicalString(w.fn(r, s)); written != s {
				all = append(all, written)
				break
			}
		}
	}
	for len(all) < n {
		text := smallTexts[r.IntN(len(smallTexts))]
		lines := linediff.Lines(text)
		i := r.IntN(len(lines))
		s := join(lines[i:min(len(lines), i+1+r.IntN(3))])
		if r.IntN(3) > 0 {
			s = canonicalString(writings[r.IntN(len(writings))].fn(r, s))
		}
		if r.IntN(4) == 0 {
			s = strings.TrimSuffix(s, "\n")
		}
		all = append(all, s)
	}
	return all
}

// P11, P17. What is read off single strings, one question after the other, and
// off two of them.
func TestStrings_AreReadAsBefore(t *testing.T) {
	book := answers.New("testdata/strings.golden", 1)
	r := rand.New(rand.NewPCG(83, 83))
	list := manyStrings(r, 350)
	is := map[string]func(string) bool{
		"escaped1": escaped1, "entitiesOnly": entitiesOnly, "markdownOnly": markdownOnly, "quotesDoubled": quotesDoubled, "coloured": coloured, "hasPercent": hasPercent, "wrapped": wrapped,
		"allNumbered": allNumbered, "fenced": fenced, "allMarked": allMarked, "allQuoted": allQuoted, "escapedWhole": escapedWhole, "prose": prose, "opens": opens, "telling": telling, "distinctive": distinctive,
		"outside quotes": func(s string) bool { return outsideQuotes(s, `\n`) },
	}
	becomes := map[string]func(string) string{
		"unescape": unescape, "unescapeBreaks": unescapeBreaks, "unescapeMarkdown": unescapeMarkdown, "unescapeTwice": unescapeTwice, "unescapeURL": unescapeURL, "halveQuotes": halveQuotes, "coloursOff": coloursOff,
		"unwrap": unwrap, "numbers off": numbersOff(false), "numbers and a space off": numbersOff(true), "fenceOff": fenceOff, "marksOff": marksOff, "quoteOff": quoteOff, "firsts": firsts, "cleaned": cleaned,
		"prefixPattern": prefixPattern, "doubledLine": doubledLine, "visible": visible, "lineOf": lineOf, "clipLeft": clipLeft, "charName": charName,
		"words": func(s string) string { return fmt.Sprintf("%q", splitWords(s)) }, "nonBlank": func(s string) string { return fmt.Sprintf("%q", nonBlank(s)) },
		"triples": func(s string) string { return fmt.Sprint(triples(s)) }, "width": func(s string) string { return fmt.Sprint(width(s), listMarks(s), shallowest(linediff.Lines(s))) },
		"style": func(s string) string {
			return fmt.Sprint(styleOf(linediff.Lines(s)), unindents(linediff.Lines(s)), leavesBlock(linediff.Lines(s), 4))
		},
		"ends":  func(s string) string { return fmt.Sprintf("%q %q", tailLines(s), headLines(s)) },
		"grows": func(s string) string { return fmt.Sprint(grows(append(linediff.Lines(s), s))) },
		"prefixes off": func(s string) string {
			undo, ok := prefixOff(append(linediff.Lines(s), s))
			if !ok {
				return "none"
			}
			return undo(s) + undo("  "+s)
		},
	}
	for i, l := range lenses {
		becomes[fmt.Sprintf("lens %d", i)] = func(s string) string {
			f := l.view(s)
			out := fmt.Sprintf("%q", f.text)
			for at := 0; at <= len(s) && at < 40; at++ {
				to, kept := f.index(at)
				out += fmt.Sprint(" ", to, kept)
			}
			for at := 0; at <= len(f.text) && at < 40; at++ {
				from, ok := f.start(at)
				to, ok2 := f.end(at)
				out += fmt.Sprint(" ", from, ok, to, ok2)
			}
			return out
		}
	}
	for _, s := range list {
		for name, fn := range is { // order-free: each has a book of its own
			book.Note(name, s, fmt.Sprint(fn(s)))
		}
		for name, fn := range becomes { // order-free: each has a book of its own
			book.Note(name, s, fn(s))
		}
	}
	for range 700 {
		a, b := list[r.IntN(len(list))], list[r.IntN(len(list))]
		if r.IntN(2) == 0 {
			b = a + b
		}
		in := fmt.Sprintf("%q %q", a, b)
		book.Note("copyOf", in, fmt.Sprint(copyOf(a, b)))
		book.Note("overlap", in, fmt.Sprint(overlap(linediff.Lines(a), linediff.Lines(b))))
		book.Note("guilty", in, string(guilty(a, b)))
		book.Note("difference", in, answers.Text(difference(b, 0, a)))
		book.Note("common", in, fmt.Sprint(commonPrefix(a, b), commonSuffix(a, b)))
		book.Note("standFor", in, fmt.Sprint(standFor(strings.TrimSpace(a[:min(len(a), 3)]), strings.TrimSpace(b[:min(len(b), 3)]))))
		book.Note("brokenOff", in, fmt.Sprint(brokenOff(strings.TrimSpace(a), strings.TrimSpace(b))))
		book.Note("added", in, fmt.Sprintf("%q %q %q", added(a, b), foreignTo(a, b), unified(a, b)))
		book.Note("absorb", in, fmt.Sprint(absorb(b, len(a)%(len(b)+1), trailingSpace(a))))
		at, rest, ok := likest(a, b)
		book.Note("likest", in, fmt.Sprintf("%d %q %t", at, rest, ok))
		var parts strings.Builder
		for _, p := range partings(strings.TrimSpace(a), strings.TrimSpace(b)) {
			fmt.Fprintf(&parts, "%+v %s %t %t; ", p, p.cause(), p.escapes(a, b), p.escapes(b, a))
		}
		book.Note("partings", in, parts.String())
		start := r.IntN(len(b) + 1)
		e := edit{start: start, end: start + r.IntN(len(b)-start+1), text: a}
		book.Note("risk", fmt.Sprintf("%s %+v", in, e), fmt.Sprint(risk(b, e), doubled(b, e), joins(b, e), glued(b, e), cleanCut(b, e.start, e.end), mixedWord(b, start)))
		book.Note("lint", fmt.Sprintf("%s %+v", in, e), answers.Text(lint(b, []edit{e}, b[:e.start]+a+b[e.end:])))
		odd, sure := oddities(censusOf(smallTexts[r.IntN(len(smallTexts))]), a, b)(a + b)
		book.Note("oddities", in, fmt.Sprintf("%q %t", odd, sure))
	}
	book.Check(t)
}

// P11. What is made of an indentation, by how other lines were quoted and how
// they are.
func TestIndents_AreUndoneAsBefore(t *testing.T) {
	book := answers.New("testdata/indents.golden", 1)
	r := rand.New(rand.NewPCG(89, 89))
	some := []string{"", "", " ", "  ", "    ", "      ", "        ", "\t", "\t\t", "\t ", "   "}
	for range 3000 {
		n := indents{known: map[string]bool{some[r.IntN(len(some))]: true}, likeQuoted: max(0, r.IntN(4)-2), likeText: max(0, r.IntN(4)-2)}
		for range r.IntN(4) {
			was := some[r.IntN(len(some))]
			real := some[r.IntN(len(some))]
			switch r.IntN(5) {
			case 0:
				real = was + "  "
			case 1:
				real = strings.TrimPrefix(was, " ")
			case 2:
				real = strings.ReplaceAll(was, "\t", "    ")
			case 3:
				real = was + was
			}
			n.learn(was, real)
		}
		is := some[r.IntN(len(some))]
		a, sure := n.undo(is)
		b, sure2 := n.translate(is)
		c, deeper := n.deeper(is)
		d, shallower := n.shallower(is)
		e, other := n.otherUnit(is)
		in := fmt.Sprintf("%q %+v", is, n)
		book.Note("undone", in, fmt.Sprintf("%q %t", a, sure))
		book.Note("translated", in, fmt.Sprintf("%q %t", b, sure2))
		book.Note("by a rule", in, fmt.Sprintf("%q %t %q %t %q %t", c, deeper, d, shallower, e, other))
		s := spaces{was: n.was, real: n.real}
		f, sure3 := s.undo(is, n)
		book.Note("within a line", in, fmt.Sprintf("%q %t", f, sure3))
	}
	book.Check(t)
}

// asWritten are changes of a file in the formats of other tools, with what their
// authors get wrong: where a hunk stands, how much it quotes, its frame.
func asWritten(r *rand.Rand, base, after string) (format, text string) {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	was, is := linediff.Lines(base), linediff.Lines(after)
	unended := func(mark, line string) string {
		if strings.HasSuffix(line, "\n") {
			return mark + line
		}
		return mark + line + pick("\n\\ No newline at end of file\n", "\n")
	}
	var hunks [][2]string // what stands above, and the lines
	var quoted [][2]string
	for _, c := range linediff.Compare(was, is) {
		lo, hi := max(0, c.OldLo-r.IntN(4)), min(len(was), c.OldHi+r.IntN(4))
		var b strings.Builder
		for _, l := range was[lo:c.OldLo] {
			b.WriteString(unended(" ", l))
		}
		for _, l := range was[c.OldLo:c.OldHi] {
			b.WriteString(unended("-", l))
		}
		for _, l := range is[c.NewLo:c.NewHi] {
			b.WriteString(unended("+", l))
		}
		for _, l := range was[c.OldHi:hi] {
			b.WriteString(unended(" ", l))
		}
		above := ""
		if lo > 0 {
			above = strings.TrimSpace(was[r.IntN(lo)])
		}
		start := lo + 1 + max(0, r.IntN(5)-3)
		header := fmt.Sprintf("-%d,%d +%d,%d", start, hi-lo+max(0, r.IntN(6)-4), start, hi-lo+c.NewHi-c.NewLo-c.OldHi+c.OldLo)
		hunks = append(hunks, [2]string{pick("@@ "+header+" @@", "@@ "+header+" @@ func x", "@@ ... @@", "@@"), b.String()})
		if r.IntN(4) == 0 {
			above = pick(above, "nowhere at all", "")
		}
		hunks[len(hunks)-1][0] += "\x00" + above
		mid := join(was[lo:c.OldLo])
		quoted = append(quoted, [2]string{join(was[lo:hi]), mid + join(is[c.NewLo:c.NewHi]) + join(was[c.OldHi:hi])})
	}
	var b strings.Builder
	switch format = pick("unified", "search-replace", "apply-patch", "edit", "edit"); format {
	case "unified":
		b.WriteString(pick("", "--- a/f\n+++ b/f\n", "diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n", "--- f\t2026-01-01\n+++ f\t2026-01-02\n", "--- \"a/f\"\n+++ \"b/f\"\n", "--- /dev/null\n+++ b/f\n", "```diff\n--- f.orig\n+++ f\n", "Here it is:\n\n--- a/f\n+++ b/f\n",
			"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", "rename from f\nrename to g\n", "deleted file mode 100644\n", "Index: f\n===\n--- f\n+++ /dev/null\n"))
		for _, h := range hunks {
			header, _, _ := strings.Cut(h[0], "\x00")
			b.WriteString(header + "\n" + h[1] + pick("", "", "\n", "```\n", "-- \n2.40\n"))
		}
	case "search-replace":
		for _, q := range quoted {
			b.WriteString(pick("f\n", "", "`f`\n```\n", "**f**:\n", "I change the file as follows.\n\nf\n```py\n"))
			b.WriteString(pick("<<<<<<< SEARCH\n", "<<<<<<< SEARCH f\n", "<<<<<<< ORIGINAL\n", "<<<<< SEARCH\n") + q[0] + pick("=======\n", "=======\n", "======\n", "\n=======\n") + q[1] + pick(">>>>>>> REPLACE\n", ">>>>>>> UPDATED\n", ">>>>>>> REPLACE\n```\n", ""))
		}
	case "apply-patch":
		b.WriteString(pick("*** Begin Patch\n", "apply_patch <<'EOF'\n*** Begin Patch\n", "  *** Begin Patch  \n") + pick("*** Update File: f\n", "*** Update File: f\n", "*** Update File: f\n*** Move to: g\n", "*** Delete File: f\n"))
		for _, h := range hunks {
			_, above, _ := strings.Cut(h[0], "\x00")
			b.WriteString(pick("@@\n", "@@ "+above+"\n", "@@ "+above+" @@\n", "", "@@ "+above+"\n@@ "+above+"\n") + h[1] + pick("", "", "*** End of File\n"))
		}
		b.WriteString(pick("", "*** Add File: g\n+one\n\n+two\n", "+more\n*** End of File\n", "*** Add File: g\nbare\n") + pick("*** End Patch\n", "*** End Patch\nEOF\n", ""))
	default:
		var edits []map[string]any
		for _, q := range quoted {
			o := map[string]any{pick("old_string", "oldText", "search"): q[0], pick("new_string", "replace"): q[1]}
			if word := strings.Fields(q[0] + " x")[0]; r.IntN(3) == 0 {
				o = map[string]any{"old_str": word, "new_str": pick(word+word, "y", "", word), pick("replace_all", "other"): true}
			}
			if r.IntN(4) == 0 {
				o["expected_replacements"] = r.IntN(4)
			}
			edits = append(edits, o)
		}
		all := map[string]any{pick("file_path", "path"): "f", "edits": edits}
		if len(edits) > 0 && r.IntN(3) == 0 {
			all = edits[0]
			all["path"] = "f"
		}
		switch r.IntN(9) {
		case 0:
			all = map[string]any{"input": all}
		case 1:
			all = map[string]any{"path": "f", pick("content", "file_text"): after, pick("command", "why"): "create"}
		case 2:
			all = map[string]any{"arguments": answers.Text(all)}
		case 3:
			all = map[string]any{"path": "f", "insert_line": 3, "new_str": "x"}
		}
		return format, answers.Text(all)
	}
	return format, b.String()
}

// P16. What is made of changes in every format that fit, nearly fit or do not
// fit a text, and of what is said of each where a slip was made besides.
func TestReadEdits_EveryFrameAsBefore(t *testing.T) {
	book := answers.New("testdata/frames.golden", 1)
	r := rand.New(rand.NewPCG(97, 97))
	for i := range 700 {
		base, after, q := smallScene(r)
		if i%3 == 0 {
			after = strings.Replace(after, "r", "R", 2)
		}
		format, text := asWritten(r, base, after)
		if i%5 == 0 {
			text = strings.ToValidUTF8(answers.Typos[r.IntN(len(answers.Typos))].Make(r, text+" "), "")
		}
		c := formatCase{input: text, base: map[string]string{"f": base}}
		switch i % 7 {
		case 0:
			c.base["f"] = strings.Replace(base, q.old, writings[r.IntN(len(writings))].fn(r, q.old), 1)
		case 1:
			c.base["f"] = base + base
		case 2:
			c.base["g"] = base
		}
		book.Note(format, fmt.Sprintf("%q %s", c.base["f"], text), c.told(text))
	}
	book.Check(t)
}

// P11, P13, P17. Bounds on what is shown and how far is looked: long names and
// lines, many places, many operations, far away.
func TestExplain_EveryLengthAsBefore(t *testing.T) {
	book := answers.New("testdata/lengths.golden", 1)
	note := func(kind string, n int, p Patch, base string) {
		book.Note(kind, fmt.Sprint(n), patchInWords(p, Text{s: base}, Elsewhere{}))
	}
	one := func(base, anchor, old, fresh string) Patch {
		return Patch{Path: "f", Base: Text{s: base}.Sum(), Groups: []Group{{Anchor: Anchor{Text: anchor}, Ops: []Op{{Kind: ReplaceBlock, Old: old, New: fresh}}}}}
	}
	var lengths []int
	for n := range 26 {
		lengths = append(lengths, n)
	}
	for _, near := range []int{32, 40, 60, 64, 80, 120, 160, 200, 400} {
		lengths = append(lengths, near-1, near, near+1, near+2)
	}
	text := smallTexts[1]
	large := strings.Repeat("not a line of the text\n", largestQuotation/23+1)
	for i, p := range []Patch{
		one(text, large, "", "y\n"), one(text, "", large, "y\n"), one(text, "import os\n", large, "y\n"), one(text+large, "import os\n", large, "y\n"), one(text+large, "", large, "y\n"), one(text, "import os\n", "import os\n", "\n"+large),
		one(text+strings.TrimSuffix(large, "\n"), "it''s'\n", large, "y\n"),
	} {
		base := text
		if i == 3 || i == 4 {
			base = text + large
		} else if i == 6 {
			base = text + strings.TrimSuffix(large, "\n")
		}
		note("large quotations", i, p, base)
		p.Groups[0].Ops[0].Index = 2
		book.Note("large quotations", fmt.Sprint(i, " from elsewhere"), answers.Text(Explain(p, Text{s: base}, Elsewhere{Older: []Named{{"older", Text{s: "import os\n" + large}}}})))
	}
	for _, n := range lengths {
		x := strings.Repeat("x", n)
		note("an anchor that is not there", n, one(text, "q"+x, "", "y\n"), text)
		note("an old block that is not there", n, one(text, "import os\n", "q"+x, "y\n"), text)
		note("a difference far to the right", n, one(x+"é"+x+"\nend\n", x+"é"+x+"?\n", "end\n", "y\n"), x+"é"+x+"\nend\n")
		note("a new block that is odd", n, one(text, "import os\n", "\n", "import os\n"+x+"…\n"), text)
		note("a line that is joined", n, one("a\n"+x+"b\n", "a\n", "", "c"), "a\n"+x+"b\n")
		note("a block that is cut short", n, one("a\n"+x+"b c\n", "a\n", x, "y"), "a\n"+x+"b c\n")
		if n < 30 {
			note("lines around", n, one(text, strings.Repeat("-----\n", n)+"import os\n", "\n", "y\n"), text)
		}
		book.Note("an anchor within a line", fmt.Sprint(n), fmt.Sprint(anchorStart("ab\n"+x+"é", 3+n, 0), anchorStart("é"+x, 3+n-1, n)))
		note("signs in front", n, one(text, "~~"+x+" import os\n", "", "y\n"), text)
		far := "head\nold line\n" + strings.Repeat("filler\n", n) + "fresh line\nfresh line\n"
		p := one("head\nold line\n", "head\n", "old line\n", "fresh line\n")
		res, err := Rebase(p, Text{s: far}, nil)
		book.Note("a line that stands further on", fmt.Sprint(n), answers.Or(string(res.Patch.JSON()), err))
		high := "fresh line\nfresh line\n" + strings.Repeat("filler\n", n) + "head\nold line\n"
		res, err = Rebase(p, Text{s: high}, nil)
		book.Note("a line that stands further up", fmt.Sprint(n), answers.Or(string(res.Patch.JSON()), err))
		their := "head\n" + x + " theirs\n"
		_, err = Rebase(one("head\nold\n", "head\n", "old\n", "ours "+x+"\n"), Text{s: their}, &Text{s: "head\nold\n"})
		book.Note("a conflict", fmt.Sprint(n), answers.Text(err))
		_, err = Edit{Path: "f" + x, whole: &text, fresh: true}.Patch(Text{s: "there"})
		book.Note("a long path", fmt.Sprint(n), answers.Text(err))
		_, err = ReadEdits([]byte("--- a/f\n+++ b/f\n@@ -1 +1 @@ "+x+"\n?\n"), FormatAuto)
		book.Note("a hunk of no use", fmt.Sprint(n), answers.Text(err))
		_, err = ReadEdits([]byte("?"), Format(x))
		book.Note("a format that is none", fmt.Sprint(n), answers.Text(err))
		_, err = Parse([]byte(strings.Replace(string(one(text, x, "", "y").JSON()), `"exact"`, `"`+x+`"`, 1)))
		book.Note("a mode that is none", fmt.Sprint(n), answers.Text(err))
		if n > 66 {
			continue
		}
		many := strings.Repeat("place\n", n)
		note("many places", n, one(many, "place\n", "", "y\n"), many)
		bare := Edit{Path: "f", Format: FormatEdit, hunks: []hunk{{name: "one", old: "place\n", new: "y\n"}}}
		book.Note("many places of an edit", fmt.Sprint(n), answers.Text(bare.Explain(Text{s: many}, Elsewhere{})))
		lines, conflicted := "", "head\n"
		all := Patch{Path: "f"}
		for i := range n {
			lines += fmt.Sprintf("line %d\n", i)
			conflicted += fmt.Sprintf("line %d theirs\n", i)
			all.Groups = append(all.Groups, Group{Anchor: Anchor{Text: fmt.Sprintf("line %d\n", i)}, Ops: []Op{{Kind: ReplaceBlock, New: fmt.Sprintf("line %d\n", i)}}})
		}
		all.Base = Text{s: lines}.Sum()
		note("many odd operations", n, all, lines)
		_, err = Rebase(all, Text{s: conflicted}, &Text{s: lines})
		book.Note("many conflicts", fmt.Sprint(n), answers.Text(err))
		all.Base = Text{s: "other\n"}.Sum()
		note("many operations without a place", n, all, "other\n")
		e := Edit{Path: "f", Format: FormatUnified}
		for i := range n {
			e.hunks = append(e.hunks, hunk{name: fmt.Sprint("hunk ", i), old: fmt.Sprintf("gone %d\n", i), new: "y\n", wholeLines: true})
		}
		_, err = e.Patch(Text{s: "other\n"})
		book.Note("many hunks without a place", fmt.Sprint(n), answers.Text(err))
	}
	book.Check(t)
}

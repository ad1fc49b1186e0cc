package anchor

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"

	"brenner/internal/linediff"

	"golang.org/x/text/unicode/norm"
)

// faults are the kinds the explainer was built with.
var faults = slices.Concat(
	[]fault{
		{"escaped twice", onStrings(escape), CauseEscapeLevel},
		{"newlines written out", onStrings(func(q string) string { return strings.ReplaceAll(q, "\n", `\n`) }), CauseEscapeLevel},
		{"escaped for HTML", onStrings(html.EscapeString), CauseEscapeLevel},
		{"unescaped", onStrings(unescape), CauseEscapeLevel},

		{"no-break space", onQuotation(replaceOne(" ", "\u00a0")), CauseInvisible},
		{"no-break spaces everywhere", onStrings(func(q string) string { return strings.ReplaceAll(q, " ", "\u00a0") }), CauseInvisible},
		{"zero-width space", onQuotation(middle("\u200b")), CauseInvisible},
		{"soft hyphen", onQuotation(middle("\u00ad")), CauseInvisible},
		{"NFD", onStrings(norm.NFD.String), CauseNormalForm},
		{"typographic quotes, one", onQuotation(replaceOne(`"`, "\u201d")), CauseConfusable},
		{"typographic quotes", onStrings(curly), CauseConfusable},
		{"typographic apostrophes", onStrings(func(q string) string { return strings.ReplaceAll(q, "'", "\u2019") }), CauseConfusable},
		{"en dash", onQuotation(replaceOne("-", "\u2013")), CauseConfusable},
		{"cyrillic", onQuotation(replaceOne("a", "\u0430")), CauseConfusable},
		{"line separators", onQuotation(func(q string) string { return strings.ReplaceAll(q, "\n", "\u2028") }), CauseLineEndings},
	},
	whitespaceFaults, markFaults, placeFaults, silentFaults,
)

var whitespaceFaults = []fault{
	{"tabs to spaces", onStrings(func(q string) string { return strings.ReplaceAll(q, "\t", "    ") }), CauseWhitespace},
	{"tabs to spaces, quotation only", onQuotation(func(q string) string { return strings.ReplaceAll(q, "\t", "  ") }), CauseWhitespace},
	{"spaces to tabs", onStrings(func(q string) string { return strings.ReplaceAll(q, "    ", "\t") }), CauseWhitespace},
	{"indent lost", onQuotation(dedent), CauseWhitespace},
	{"indent lost everywhere", onStrings(dedent), CauseWhitespace},
	{"one level deeper", onStrings(indentBy("    ")), CauseWhitespace},
	{"one tab deeper", onStrings(indentBy("\t")), CauseWhitespace},
	{"one level shallower", onStrings(func(q string) string { return regexp.MustCompile(`(?m)^(?:\t|    )`).ReplaceAllString(q, "") }), CauseWhitespace},
	{"blocks one level deeper", onBlocks(indentBy("    ")), CauseWhitespace},
	{"trimmed", onStrings(strings.TrimSpace), CauseWhitespace},
	{"trailing spaces", onQuotation(func(q string) string { return regexp.MustCompile(`(?m)([^ \n])$`).ReplaceAllString(q, "$1  ") }), CauseWhitespace},
	{"two trailing spaces in the old block", func(s *scene) bool {
		op := &s.p.Groups[0].Ops[0]
		if op.Old == "" || !strings.HasSuffix(op.Old, "\n") {
			return false
		}
		op.Old = strings.TrimSuffix(op.Old, "\n") + "  \n"
		return true
	}, CauseWhitespace},
	{"runs of spaces collapsed", onStrings(func(q string) string { return regexp.MustCompile(` {2,}`).ReplaceAllString(q, " ") }), CauseWhitespace},
	{"spaces doubled", onQuotation(replaceOne(" ", "  ")), CauseWhitespace},
	{"blank lines dropped", unfit(func(q string) string { return strings.ReplaceAll(q, "\n\n", "\n") }), CauseWhitespace},
	{"blank line put in", unfit(func(q string) string { return strings.Replace(q, "\n", "\n\n", 1) }), CauseWhitespace},
	{"CRLF in strings", onStrings(func(q string) string { return strings.ReplaceAll(q, "\n", "\r\n") }), ""},
	{"CRLF checksum", func(s *scene) bool {
		s.p.Base = sumOf(Text{s: s.a.s, every: crlf})
		return true
	}, CauseLineEndings},
	{"no final newline", func(s *scene) bool {
		last := &s.p.Groups[len(s.p.Groups)-1].Ops[0]
		if !strings.HasSuffix(s.a.s, s.quotedIn(len(s.p.Groups)-1)) || last.Kind != ReplaceBlock || !strings.HasSuffix(last.New, "\n") || last.Old == "" {
			return false
		}
		s.a, s.b = Text{s: strings.TrimSuffix(s.a.s, "\n")}, Text{s: strings.TrimSuffix(s.b.s, "\n")}
		s.p.Base = s.a.Sum()
		return true
	}, CauseLineEndings},
}

var markFaults = []fault{
	{"line numbers, 100| ", onStrings(numbered("%4d| ")), CauseLineNumbers},
	{"line numbers, 2→", onStrings(numbered("%6d→")), CauseLineNumbers},
	{"line numbers, tab", onStrings(numbered("%6d\t")), CauseLineNumbers},
	{"line numbers, L2:", onStrings(numbered("L%d:")), CauseLineNumbers},
	{"line numbers, 2: ", onQuotation(numbered("%d: ")), CauseLineNumbers},
	{"fence", onBlocks(func(b string) string { return "```\n" + b + "```\n" }), CauseFence},
	{"fence with a language", onBlocks(func(b string) string { return "```python\n" + strings.TrimSuffix(b, "\n") + "\n```" }), CauseFence},
	{"diff marks", func(s *scene) bool {
		op := &s.p.Groups[0].Ops[0]
		if op.Old == "" {
			return false
		}
		op.Old, op.New = indentBy("-")(op.Old), indentBy("+")(op.New)
		return true
	}, CauseMarkers},
	{"diff marks with context", func(s *scene) bool {
		g := &s.p.Groups[0]
		if g.Ops[0].Old == "" || !lineStart(s.a.s, strings.Index(s.a.s, s.quotedIn(0))) {
			return false
		}
		g.Anchor.Text, g.Ops[0].Old, g.Ops[0].New = indentBy(" ")(g.Anchor.Text), indentBy("-")(g.Ops[0].Old), indentBy("+")(g.Ops[0].New)
		return true
	}, CauseMarkers},
	{"elided ...", elide("    ...\n"), CauseElided},
	{"elided [...]", elide("[...]\n"), CauseElided},
	{"elided // ... existing code ...", elide("// ... existing code ...\n"), CauseElided},
}

var placeFaults = []fault{
	{"stale base", func(s *scene) bool {
		s.shift()
		return true
	}, CauseStaleBase},
	{"stale base, old one at hand", func(s *scene) bool {
		s.e.Older = []Named{{"v1", s.a}}
		s.shift()
		return true
	}, CauseOlderVersion},
	{"other file", func(s *scene) bool {
		s.e.Others = []Named{{"right.txt", s.a}}
		s.a = s.other
		return true
	}, CauseOtherFile},
	{"ambiguous anchor", func(s *scene) bool {
		for i := range s.p.Groups {
			g := &s.p.Groups[i]
			for _, k := range []int{1, 2, 3, 5} {
				if len(g.Anchor.Text) <= k || g.Ops[0].Index > 0 {
					continue
				}
				short := strings.ToValidUTF8(g.Anchor.Text[len(g.Anchor.Text)-k:], "")
				if short != "" && len(find(s.a.s, short+g.Ops[0].Old, 2)) == 2 {
					g.Anchor.Text = short
					return true
				}
			}
		}
		return false
	}, CauseAmbiguous},
	{"already applied", func(s *scene) bool {
		for _, g := range s.p.Groups {
			if strings.TrimSpace(g.Ops[0].New) == "" {
				return false
			}
		}
		s.a = s.b
		s.b = Text{} // nothing is right but to refuse
		s.p.Result = ""
		return true
	}, CauseAlreadyApplied},
	{"wrong index", func(s *scene) bool {
		s.p.Groups[0].Ops[0].Index = 3
		return len(find(s.a.s, s.p.Groups[0].Anchor.Text, 3)) == 1
	}, CauseWrongIndex},
	{"old block in anchor", func(s *scene) bool {
		for i := range s.p.Groups {
			g := &s.p.Groups[i]
			if len(strings.TrimSpace(g.Ops[0].Old)) > 8 {
				g.Anchor.Text += g.Ops[0].Old
				return true
			}
		}
		return false
	}, CauseOldInAnchor},
	{"gap before old block", func(s *scene) bool {
		for i := range s.p.Groups {
			g := &s.p.Groups[i]
			lines := linediff.Lines(g.Anchor.Text)
			old := g.Ops[0].Old
			if len(lines) < 2 || len(find(s.a.s, lines[0], 2)) != 1 || strings.TrimSpace(old) == "" || len(find(s.a.s, old, 2)) != 1 ||
				strings.TrimSpace(strings.Join(lines[1:], "")) == "" {
				continue
			}
			g.Anchor.Text = lines[0]
			return true
		}
		return false
	}, CauseNotAdjacent},
	{"another word", onQuotation(func(q string) string { return regexp.MustCompile(`[a-z]{5,}`).ReplaceAllString(q, "whatever") }), CauseNoSuchText},
	{"swapped groups", func(s *scene) bool {
		slices.Reverse(s.p.Groups)
		return len(s.p.Groups) > 1
	}, ""},
	{"$ and \\ in new block", func(s *scene) bool {
		op := &s.p.Groups[0].Ops[0]
		if len(s.p.Groups) != 1 || op.Kind != ReplaceBlock || op.Old == "" {
			return false
		}
		op.New = `$& $1 \1 $$ \n ${x}` + op.New
		s.b, s.p.Result = Text{s: strings.Replace(s.a.s, s.quotedIn(0), s.p.Groups[0].Anchor.Text+op.New, 1)}, ""
		return true
	}, ""},
}

// silentFaults fit, and do something else than was meant: only a warning can
// tell (P17).
var silentFaults = []fault{
	{"old block cut short", func(s *scene) bool {
		op := &s.p.Groups[0].Ops[0]
		lines := linediff.Lines(op.Old)
		if len(lines) < 2 || op.New == "" || strings.TrimSpace(lines[len(lines)-1]) == "" {
			return false
		}
		// The last line is the same in both, as when context was quoted.
		op.New += lines[len(lines)-1]
		s.b = s.a
		op.Old = strings.Join(lines[:len(lines)-1], "")
		return len(find(s.a.s, s.quotedIn(0), 2)) == 1 && telling(lines[len(lines)-1])
	}, ""},
	{"old block cut in a word", func(s *scene) bool {
		op := &s.p.Groups[0].Ops[0]
		cut := regexp.MustCompile(`(?s)^.*\w\w`).FindString(op.Old)
		if op.New == "" || len(cut) < 3 || s.p.Groups[0].Ops[0].Kind != ReplaceBlock {
			return false
		}
		op.Old = cut[:len(cut)-1]
		s.b = s.a
		return len(find(s.a.s, s.quotedIn(0), 2)) == 1
	}, ""},
	{"anchor line repeated", func(s *scene) bool {
		g := &s.p.Groups[0]
		lines := linediff.Lines(g.Anchor.Text)
		if len(lines) == 0 || !telling(lines[len(lines)-1]) || g.Ops[0].Kind != ReplaceBlock || strings.HasPrefix(g.Ops[0].Old, lines[len(lines)-1]) {
			return false
		}
		g.Ops[0].New = lines[len(lines)-1] + g.Ops[0].New
		return true
	}, ""},
	{"next line repeated", func(s *scene) bool {
		op := &s.p.Groups[0].Ops[0]
		_, rest, _ := strings.Cut(s.a.s, s.quotedIn(0))
		next := headLines(rest)
		if op.Kind != ReplaceBlock || len(next) == 0 || !telling(next[0]) || strings.HasSuffix(op.Old, next[0]) {
			return false
		}
		op.New += next[0]
		return true
	}, ""},
	{"last newline lost", func(s *scene) bool {
		op := &s.p.Groups[0].Ops[0]
		if op.Kind != ReplaceBlock || !strings.HasSuffix(op.New, "\n") || strings.TrimSpace(op.New) == "" {
			return false
		}
		op.New = strings.TrimSuffix(op.New, "\n")
		_, rest, _ := strings.Cut(s.a.s, s.quotedIn(0))
		return rest == "" || rest[0] != '\n'
	}, ""},
	{"new block without indentation", func(s *scene) bool {
		op := &s.p.Groups[0].Ops[0]
		was := op.New
		op.New = dedent(op.New)
		return op.New != was && !strings.HasPrefix(op.New, "#") && neighboursIndented(s)
	}, ""},
	{"new block in a fence", onNew(func(n string) string { return "```\n" + n + "```\n" }), ""},
	{"new block with line numbers", onNew(func(n string) string {
		if strings.Count(n, "\n") < 2 {
			return n
		}
		return numbered("%4d\t")(n)
	}), ""},
	{"new block with plus signs", onNew(indentBy("+")), ""},
	{"new block with dots for the rest", onNew(func(n string) string { return n + "// ... rest of the code unchanged ...\n" }), ""},
	{"zero-width space in the new block", onNew(middle("\u200b")), ""},
}

// neighboursIndented says that what stands beside the first operation is
// indented.
func neighboursIndented(s *scene) bool {
	at := strings.Index(s.a.s, s.quotedIn(0)) + len(s.p.Groups[0].Anchor.Text)
	l := linter{base: s.a.s}
	prev, next := l.lineBefore(at), l.lineBehind(at+len(s.p.Groups[0].Ops[0].Old))
	return width(prev) > 0 && width(next) > 0
}

// onStrings damages anchor, old and new block alike.
func onStrings(fn func(string) string) func(*scene) bool {
	return func(s *scene) bool {
		before := s.quoted()
		for i := range s.p.Groups {
			g := &s.p.Groups[i]
			g.Anchor.Text = fn(g.Anchor.Text)
			g.Ops[0].Old, g.Ops[0].New = fn(g.Ops[0].Old), fn(g.Ops[0].New)
		}
		return s.quoted() != before && s.whole()
	}
}

// onBlocks damages old and new block, where there are such.
func onBlocks(fn func(string) string) func(*scene) bool {
	return func(s *scene) bool {
		op := &s.p.Groups[0].Ops[0]
		if strings.TrimSpace(op.Old) == "" || strings.TrimSpace(op.New) == "" {
			return false
		}
		op.Old, op.New = fn(op.Old), fn(op.New)
		return true
	}
}

// onQuotation damages what is quoted, not what is new.
func onQuotation(fn func(string) string) func(*scene) bool {
	return func(s *scene) bool {
		before := s.quoted()
		g := &s.p.Groups[0]
		if old := fn(g.Ops[0].Old); s.r.IntN(2) == 0 && old != g.Ops[0].Old && strings.TrimSpace(g.Ops[0].Old) != "" {
			g.Ops[0].Old = old
		} else if strings.TrimSpace(g.Anchor.Text) != "" {
			g.Anchor.Text = fn(g.Anchor.Text)
		}
		return s.quoted() != before && s.whole()
	}
}

// unfit damages what is quoted so that it does not fit any more: where it still
// does, it is another patch and not a faulty one.
func unfit(fn func(string) string) func(*scene) bool {
	return func(s *scene) bool {
		if !onQuotation(fn)(s) {
			return false
		}
		_, misses := resolve(s.p, s.a.s)
		return len(misses) > 0
	}
}

// onNew damages what is new, not what is quoted.
func onNew(fn func(string) string) func(*scene) bool {
	return func(s *scene) bool {
		op := &s.p.Groups[0].Ops[0]
		was := op.New
		if op.Kind != ReplaceBlock || strings.TrimSpace(was) == "" {
			return false
		}
		op.New = fn(was)
		return op.New != was
	}
}

// whole says that every operation still says something.
func (s *scene) whole() bool {
	for _, g := range s.p.Groups {
		if g.Ops[0].Kind == DeleteBlock && g.Ops[0].Old == "" {
			return false
		}
	}
	return true
}

func replaceOne(from, to string) func(string) string {
	return func(s string) string { return strings.Replace(s, from, to, 1) }
}

func middle(what string) func(string) string {
	return func(s string) string {
		runes := []rune(s)
		return string(runes[:len(runes)/2]) + what + string(runes[len(runes)/2:])
	}
}

func dedent(s string) string { return regexp.MustCompile(`(?m)^[ \t]+`).ReplaceAllString(s, "") }

func indentBy(more string) func(string) string {
	return func(s string) string {
		return eachLine(s, func(line string) string {
			if strings.TrimSpace(line) == "" {
				return line
			}
			return more + line
		})
	}
}

func numbered(format string) func(string) string {
	return func(s string) string {
		n := 99
		return eachLine(s, func(line string) string {
			n++
			return fmt.Sprintf(format, n) + line
		})
	}
}

// curly gives quotation marks their typographic forms, by turns.
func curly(s string) string {
	open := true
	return strings.Map(func(r rune) rune {
		if r != '"' {
			return r
		}
		if open = !open; open {
			return '\u201d'
		}
		return '\u201c'
	}, s)
}

// elide leaves out the middle of an old block.
func elide(dots string) func(*scene) bool {
	return func(s *scene) bool {
		for i := range s.p.Groups {
			op := &s.p.Groups[i].Ops[0]
			lines := linediff.Lines(op.Old)
			if len(lines) < 3 || strings.TrimSpace(lines[0]) == "" || strings.TrimSpace(lines[len(lines)-1]) == "" {
				continue
			}
			op.Old = lines[0] + dots + lines[len(lines)-1]
			return true
		}
		return false
	}
}

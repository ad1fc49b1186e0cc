package anchor

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// fourthLines splits s after every newline.
func fourthLines(s string) []string {
	l := strings.SplitAfter(s, "\n")
	if n := len(l); n > 0 && l[n-1] == "" {
		l = l[:n-1]
	}
	return l
}

// fourthEnd puts tail before the newline of a line.
func fourthEnd(line, tail string) string {
	body, found := strings.CutSuffix(line, "\n")
	if found {
		return body + tail + "\n"
	}
	return body + tail
}

// fourthOp damages the two blocks of the first operation in different ways.
func fourthOp(old, new func(string) string) func(*scene) bool {
	return func(s *scene) bool {
		if len(s.p.Groups) == 0 || len(s.p.Groups[0].Ops) == 0 || s.p.Groups[0].Ops[0].Old == "" {
			return false
		}
		o, n := s.p.Groups[0].Ops[0].Old, s.p.Groups[0].Ops[0].New
		o2, n2 := old(o), n
		if n != "" {
			n2 = new(n)
		}
		if o2 == o {
			return false
		}
		s.p.Groups[0].Ops[0].Old, s.p.Groups[0].Ops[0].New = o2, n2
		return true
	}
}

func fourthSame(s string) string { return s }

// fourthFrame puts lines around a block.
func fourthFrame(above, below string) func(string) string {
	return func(s string) string {
		if s == "" {
			return s
		}
		if !strings.HasSuffix(s, "\n") && below != "" {
			s += "\n"
		}
		return above + s + below
	}
}

// fourthInner replaces the line breaks within a block, not the last one.
func fourthInner(by string) func(string) string {
	return func(s string) string {
		body, found := strings.CutSuffix(s, "\n")
		body = strings.ReplaceAll(body, "\n", by)
		if found {
			body += "\n"
		}
		return body
	}
}

func fourthNotebook(s string) string {
	if strings.TrimSpace(s) == "" {
		return s
	}
	lines := fourthLines(s)
	var b strings.Builder
	for i, l := range lines {
		b.WriteString("    " + strconv.Quote(l))
		if i < len(lines)-1 {
			b.WriteString(",")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func fourthCatET(s string) string {
	return strings.NewReplacer("\t", "^I", "\n", "$\n").Replace(s)
}

func fourthRipgrep(s string) string {
	if s == "" {
		return s
	}
	lines := fourthLines(s)
	var b strings.Builder
	for i, l := range lines {
		sign := "-"
		if i == len(lines)/2 {
			sign = ":"
		}
		fmt.Fprintf(&b, "%d%s%s", 97+i, sign, l)
	}
	return b.String()
}

func fourthSpacesToTabs(s string) string {
	return eachLine(s, func(line string) string {
		rest := strings.TrimLeft(line, " ")
		n := len(line) - len(rest)
		switch {
		case n == 0 || strings.TrimSpace(rest) == "":
			return line
		case n%4 == 0:
			return strings.Repeat("\t", n/4) + rest
		case n%2 == 0:
			return strings.Repeat("\t", n/2) + rest
		}
		return line
	})
}

func fourthStripped(s string) string {
	return eachLine(s, func(line string) string {
		if strings.TrimSpace(line) == "" {
			return line
		}
		return strings.TrimLeft(line, " \t")
	})
}

func fourthNoBlankInside(s string) string {
	lines := fourthLines(s)
	var b strings.Builder
	for i, l := range lines {
		if i > 0 && i < len(lines)-1 && strings.TrimSpace(l) == "" {
			continue
		}
		b.WriteString(l)
	}
	return b.String()
}

func fourthHardBreaks(s string) string {
	return eachLine(s, func(line string) string {
		if strings.TrimSpace(line) == "" {
			return line
		}
		return fourthEnd(line, "  ")
	})
}

var fourthWord = regexp.MustCompile(`[A-Za-z]{5,}`)

func fourthHyperlink(s string) string {
	at := fourthWord.FindStringIndex(s)
	if at == nil {
		return s
	}
	return s[:at[0]] + "\x1b]8;;file:///srv/src/plan\x1b\\" + s[at[0]:at[1]] + "\x1b]8;;\x1b\\" + s[at[1]:]
}

var fourthTypography = strings.NewReplacer(
	"“", `"`, "”", `"`, "„", `"`, "‘", "'", "’", "'",
	"—", "-", "–", "-", "…", "...", "→", "->", "×", "x", "≤", "<=", "≥", ">=", "≠", "!=")

func fourthExisting(s string) string {
	lines := fourthLines(s)
	if len(lines) < 4 {
		return s
	}
	return lines[0] + leadingSpace(lines[1]) + "// ... existing code ...\n" + lines[len(lines)-1]
}

var fourthArguments = regexp.MustCompile(`\([^()\n]{4,}\)`)

func fourthDots(s string) string {
	at := fourthArguments.FindStringIndex(s)
	if at == nil {
		return s
	}
	return s[:at[0]] + "(...)" + s[at[1]:]
}

var fourthLiteral = regexp.MustCompile(`"[^"\n]{5,}"`)

func fourthMasked(s string) string {
	at := fourthLiteral.FindStringIndex(s)
	if at == nil {
		return s
	}
	return s[:at[0]] + `"[REDACTED]"` + s[at[1]:]
}

var (
	fourthTrailing = regexp.MustCompile(`[ \t]+(//|--|#) [^\n]*`)
	fourthComment  = regexp.MustCompile(`^[ \t]*(//|--|#)`)
)

func fourthUncommented(s string) string {
	lines := fourthLines(s)
	var b strings.Builder
	for i, l := range lines {
		if fourthComment.MatchString(l) {
			if i == 0 || i == len(lines)-1 {
				b.WriteString(l)
			}
			continue
		}
		b.WriteString(fourthTrailing.ReplaceAllString(l, ""))
	}
	return b.String()
}

var fourthPair = regexp.MustCompile(`\(([^(),\n]+), ([^(),\n]+)\)`)

func fourthSwapped(s string) string { return fourthPair.ReplaceAllString(s, "($2, $1)") }

var (
	fourthShort = regexp.MustCompile(`\b(err|ctx|cfg|msg|buf|idx|str|num|tmp|dir|args|src|dst|req|resp|fn|id|db|config|repo|env|max|min|len)\b`)
	fourthLong  = map[string]string{
		"err": "error", "ctx": "context", "cfg": "config", "msg": "message", "buf": "buffer",
		"idx": "index", "str": "text", "num": "number", "tmp": "temp", "dir": "directory",
		"args": "arguments", "src": "source", "dst": "destination", "req": "request",
		"resp": "response", "fn": "callback", "id": "identifier", "db": "database",
		"config": "configuration", "repo": "repository", "env": "environment",
		"max": "maximum", "min": "minimum", "len": "length",
	}
)

func fourthExpanded(s string) string {
	return fourthShort.ReplaceAllStringFunc(s, func(w string) string { return fourthLong[w] })
}

func fourthStutter(s string) string {
	lines := fourthLines(s)
	if len(lines) < 3 {
		return s
	}
	i := len(lines) / 2
	if strings.TrimSpace(lines[i]) == "" {
		return s
	}
	return strings.Join(lines[:i+1], "") + strings.Join(lines[i:], "")
}

func fourthZeroWidth(s string) string {
	at := fourthWord.FindStringIndex(s)
	if at == nil {
		return s
	}
	return s[:at[0]+3] + "\u200b" + s[at[0]+3:]
}

func fourthBrokenBytes(s string) string {
	other := strings.Map(func(r rune) rune {
		if r > 0x7f {
			return '\ufffd'
		}
		return r
	}, s)
	if other != s {
		return other
	}
	if i := strings.IndexAny(s, "'-"); i >= 0 {
		return s[:i] + "\ufffd" + s[i+1:]
	}
	return s
}

// fourthCut ends the block behind its last opening bracket that is closed again.
func fourthCut(s string) string {
	i := strings.LastIndexAny(s, "([{")
	if i <= 0 {
		return s
	}
	closing := map[byte]string{'(': ")", '[': "]", '{': "}"}[s[i]]
	if !strings.Contains(s[i:], closing) {
		return s
	}
	return s[:i+1] + "\n"
}

// fourthFollowing appends the line that follows the old block to the new one.
func fourthFollowing(s *scene) bool {
	if len(s.p.Groups) == 0 || len(s.p.Groups[0].Ops) == 0 {
		return false
	}
	g := &s.p.Groups[0]
	if g.Ops[0].Kind != ReplaceBlock || g.Ops[0].Old == "" || !strings.HasSuffix(g.Ops[0].New, "\n") {
		return false
	}
	whole := g.Anchor.Text + g.Ops[0].Old
	i := strings.Index(s.a.s, whole)
	if i < 0 {
		return false
	}
	rest := fourthLines(s.a.s[i+len(whole):])
	if len(rest) == 0 || len(strings.TrimSpace(rest[0])) < 4 || !strings.HasSuffix(rest[0], "\n") ||
		strings.HasSuffix(g.Ops[0].New, rest[0]) {
		return false
	}
	g.Ops[0].New += rest[0]
	return true
}

var heldOutFourth = []fault{
	// One level of escaping too many.
	{"slashes escaped as by PHP's JSON", onStrings(func(s string) string { return strings.ReplaceAll(s, "/", `\/`) }), CauseEscapeLevel},
	{"percent signs doubled for a format", onStrings(func(s string) string { return strings.ReplaceAll(s, "%", "%%") }), CauseEscapeLevel},
	{"braces doubled for a template", onStrings(func(s string) string { return strings.NewReplacer("{", "{{", "}", "}}").Replace(s) }), CauseEscapeLevel},
	{"tabs written as backslash t", onStrings(func(s string) string { return strings.ReplaceAll(s, "\t", `\t`) }), CauseEscapeLevel},
	{"notebook's array of source strings", onBlocks(fourthNotebook), CauseEscapeLevel},
	{"cat -ET with caret notation", func(s *scene) bool {
		if len(s.p.Groups) == 0 || len(s.p.Groups[0].Ops) == 0 || !strings.Contains(s.p.Groups[0].Ops[0].Old, "\t") {
			return false
		}
		return onStrings(fourthCatET)(s)
	}, CauseEscapeLevel},

	// Lines around the block.
	{"parameter tags of an edit tool", fourthOp(
		fourthFrame("<old_string>\n", "</old_string>\n"),
		fourthFrame("<new_string>\n", "</new_string>\n")), CauseFence},
	{"envelope of another patch format", onBlocks(fourthFrame("*** Begin Patch\n*** Update File: src/plan\n@@\n", "*** End Patch\n")), CauseFence},
	{"language label and copy button of a chat page", onBlocks(fourthFrame("bash\nCopy code\n", "")), CauseFence},

	// Signs before every line.
	{"commented out line by line", onBlocks(indentBy("// ")), CauseMarkers},
	{"signs of a diff without context", fourthOp(
		func(s string) string { return eachLine(s, func(l string) string { return "< " + l }) },
		func(s string) string { return eachLine(s, func(l string) string { return "> " + l }) }), CauseMarkers},

	// Numbers before every line.
	{"right aligned numbers with an arrow", onStrings(numbered("%6d→")), CauseLineNumbers},
	{"right aligned numbers with a tab, cat -n", onStrings(numbered("%6d\t")), CauseLineNumbers},
	{"ripgrep's context, hyphens and one colon", onStrings(fourthRipgrep), CauseLineNumbers},

	// Ordinary white space.
	{"leading spaces made tabs", onStrings(fourthSpacesToTabs), CauseWhitespace},
	{"blank lines inside dropped", unfit(fourthNoBlankInside), CauseWhitespace},
	{"two spaces at line ends, Markdown breaks", onStrings(fourthHardBreaks), CauseWhitespace},

	// What cannot be seen.
	{"byte order mark at the start", onQuotation(func(s string) string {
		if s == "" {
			return s
		}
		return "\ufeff" + s
	}), CauseInvisible},
	{"hyperlink sequence of a terminal", onStrings(fourthHyperlink), CauseInvisible},

	// What stands for something else.
	{"spaces shown as middle dots", onStrings(func(s string) string { return strings.ReplaceAll(s, " ", "·") }), CauseConfusable},
	{"typography of the file made ASCII", unfit(fourthTypography.Replace), CauseConfusable},
	{"double quotes made single", onStrings(func(s string) string { return strings.ReplaceAll(s, `"`, "'") }), CauseConfusable},

	// Other line breaks.
	{"vertical tabs of a slide's soft breaks", onStrings(fourthInner("\v")), CauseLineEndings},

	// Something for what was left out.
	{"middle replaced by existing code comment", fourthOp(fourthExisting, fourthSame), CauseElided},
	{"arguments of a call as three dots", onQuotation(fourthDots), CauseElided},
	{"literal masked by a secret filter", onQuotation(fourthMasked), CauseElided},

	// Other words.
	{"comments left out of the quotation", unfit(fourthUncommented), CauseNoSuchText},
	{"two arguments exchanged", unfit(fourthSwapped), CauseNoSuchText},
	{"abbreviations written out", onQuotation(fourthExpanded), CauseNoSuchText},
	{"a line stuttered", unfit(fourthStutter), CauseNoSuchText},

	// Accepted, but suspicious.
	{"new: plus signs left before the lines", onNew(func(s string) string {
		return eachLine(s, func(l string) string { return "+" + l })
	}), ""},
	{"new: Markdown fence kept", onNew(fourthFrame("```\n", "```\n")), ""},
	{"new: zero-width space within a word", onNew(fourthZeroWidth), ""},
	{"new: replacement character", onNew(fourthBrokenBytes), ""},
	{"new: following line written again", fourthFollowing, ""},
	{"new: cut off behind an open bracket", onNew(fourthCut), ""},
	{"new: indentation lost on every line", onNew(fourthStripped), ""},
	{"new: EOF of a here-document left", onNew(fourthFrame("", "EOF\n")), ""},
	{"new: tail of the tool call's JSON", onNew(fourthFrame("", "\"}]}\n")), ""},
}

package anchor

import (
	"fmt"
	"hash/crc32"
	"regexp"
	"strings"
)

// thirdAlike damages anchor, old and new alike, but only where the quotation itself has something to damage.
func thirdAlike(fn func(string) string) func(*scene) bool {
	return func(s *scene) bool {
		if len(s.p.Groups) == 0 || len(s.p.Groups[0].Ops) == 0 {
			return false
		}
		g := s.p.Groups[0]
		if fn(g.Anchor.Text) == g.Anchor.Text && fn(g.Ops[0].Old) == g.Ops[0].Old {
			return false
		}
		return onStrings(fn)(s)
	}
}

func thirdLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if n := len(lines); n > 0 && lines[n-1] == "" {
		lines = lines[:n-1]
	}
	return lines
}

func thirdIndent(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

func thirdPerLine(fn func(i int, line string) string) func(string) string {
	return func(s string) string {
		var b strings.Builder
		for i, line := range thirdLines(s) {
			b.WriteString(fn(i, line))
		}
		return b.String()
	}
}

// thirdFramed puts lines around a text.
func thirdFramed(before, after string) func(string) string {
	return func(s string) string {
		if strings.TrimSpace(s) == "" {
			return s
		}
		if !strings.HasSuffix(s, "\n") {
			s += "\n"
		}
		return before + s + after
	}
}

// thirdBetween puts a line between the lines of a text, or behind its only one.
func thirdBetween(what string) func(string) string {
	return func(s string) string {
		if strings.TrimSpace(s) == "" || !strings.HasSuffix(s, "\n") {
			return s
		}
		lines := thirdLines(s)
		at := (len(lines) + 1) / 2
		return strings.Join(lines[:at], "") + what + strings.Join(lines[at:], "")
	}
}

// thirdInstead replaces all lines but the first and the last.
func thirdInstead(what string) func(string) string {
	return func(s string) string {
		lines := thirdLines(s)
		if len(lines) < 3 || strings.TrimSpace(strings.Join(lines[1:len(lines)-1], "")) == "" {
			return s
		}
		return lines[0] + what + lines[len(lines)-1]
	}
}

// thirdFold folds the first run of lines indented more deeply than the line before, as an editor shows it.
func thirdFold(s string) string {
	lines := thirdLines(s)
	for i := 0; i+1 < len(lines); i++ {
		if strings.TrimSpace(lines[i]) == "" || !strings.HasSuffix(lines[i], "\n") {
			continue
		}
		j := i + 1
		for j < len(lines) && strings.TrimSpace(lines[j]) != "" && len(thirdIndent(lines[j])) > len(thirdIndent(lines[i])) {
			j++
		}
		if j > i+1 {
			return strings.Join(lines[:i], "") + strings.TrimRight(lines[i], "\r\n") + "⋯\n" + strings.Join(lines[j:], "")
		}
	}
	return s
}

var (
	thirdAlignment = regexp.MustCompile(`(\S) {2,}(\S)`)
	thirdSnake     = regexp.MustCompile(`[a-z]_[a-z]`)
	thirdCamel     = regexp.MustCompile(`[a-z][A-Z]`)
	thirdLongWord  = regexp.MustCompile(`[A-Za-z]{8,}`)
	thirdAnyWord   = regexp.MustCompile(`[A-Za-z]{3,}`)
	thirdFileName  = regexp.MustCompile(`\b[a-z]+\.[A-Za-z]{2,}\b`)

	thirdDecompose = strings.NewReplacer(
		"ä", "a\u0308", "ö", "o\u0308", "ü", "u\u0308", "Ä", "A\u0308", "Ö", "O\u0308", "Ü", "U\u0308",
		"\u00e9", "e\u0301", "\u00e8", "e\u0300", "\u00ea", "e\u0302", "\u00eb", "e\u0308", "\u00e1", "a\u0301", "\u00e0", "a\u0300",
		"\u00e7", "c\u0327", "\u00f1", "n\u0303", "\u00ef", "i\u0308", "\u00f3", "o\u0301", "\u00f8", "\u00f8", "\u00e5", "a\u030a", "\u00c9", "E\u0301")
	thirdCompose = strings.NewReplacer(
		"a\u0308", "\u00e4", "o\u0308", "\u00f6", "u\u0308", "\u00fc", "A\u0308", "\u00c4", "O\u0308", "\u00d6", "U\u0308", "\u00dc",
		"e\u0301", "\u00e9", "e\u0300", "\u00e8", "e\u0302", "\u00ea", "a\u0301", "\u00e1", "a\u0300", "\u00e0",
		"c\u0327", "\u00e7", "n\u0303", "\u00f1", "i\u0308", "\u00ef", "o\u0301", "\u00f3", "a\u030a", "\u00e5", "E\u0301", "\u00c9")
)

func thirdRecased(s string) string {
	if thirdSnake.MatchString(s) {
		return thirdSnake.ReplaceAllStringFunc(s, func(m string) string { return m[:1] + strings.ToUpper(m[2:]) })
	}
	return thirdCamel.ReplaceAllStringFunc(s, func(m string) string { return m[:1] + "_" + strings.ToLower(m[1:]) })
}

func thirdWrapped(width int) func(string) string {
	return thirdPerLine(func(_ int, line string) string {
		out := ""
		for len(line) > width {
			body := len(thirdIndent(line))
			at := strings.LastIndex(line[:width], " ")
			if at <= body {
				break
			}
			out += line[:at] + "\n"
			line = line[at+1:]
		}
		return out + line
	})
}

func thirdCut(s string) string {
	return thirdPerLine(func(_ int, line string) string {
		r := []rune(strings.TrimRight(line, "\r\n"))
		if len(r) < 42 {
			return line
		}
		return fmt.Sprintf("%s… [%d more chars]\n", string(r[:30]), len(r)-30)
	})(s)
}

func thirdFirstMatch(re *regexp.Regexp, s string, fn func(string) string) string {
	at := re.FindStringIndex(s)
	if at == nil {
		return s
	}
	return s[:at[0]] + fn(s[at[0]:at[1]]) + s[at[1]:]
}

var heldOutThird = []fault{
	// Numbering.
	{"grep -n with the file name", thirdAlike(numbered("./internal/core/plan.go:%d:")), CauseLineNumbers},
	{"git blame gutter", thirdAlike(numbered("3f9c1e0a (Dana Ruiz 2024-03-11 09:14:52 +0100 %d) ")), CauseLineNumbers},
	{"viewer with line number and line hash", thirdAlike(thirdPerLine(func(i int, line string) string {
		return fmt.Sprintf("%d#%02x|%s", 41+i, crc32.ChecksumIEEE([]byte(line))&0xff, line)
	})), CauseLineNumbers},

	// Escaping.
	{"JSON encoder safe for HTML", thirdAlike(strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "'", `\u0027`).Replace), CauseEscapeLevel},
	{"single quote leaving a shell word", thirdAlike(func(s string) string { return strings.ReplaceAll(s, "'", `'\''`) }), CauseEscapeLevel},
	{"double quotes doubled as in CSV", thirdAlike(func(s string) string { return strings.ReplaceAll(s, `"`, `""`) }), CauseEscapeLevel},
	{"quoted-printable mail", thirdAlike(func(s string) string { return strings.ReplaceAll(s, "=", "=3D") }), CauseEscapeLevel},
	{"TeX specials escaped", thirdAlike(strings.NewReplacer("_", `\_`, "%", `\%`, "#", `\#`, "&", `\&`, "$", `\$`).Replace), CauseEscapeLevel},
	{"escapes in string literals interpreted", thirdAlike(strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\"`, `"`).Replace), CauseEscapeLevel},

	// Line separators.
	{"NEL from a mainframe conversion", thirdAlike(func(s string) string { return strings.ReplaceAll(s, "\n", "\u0085") }), CauseLineEndings},
	{"text mode twice, CR CR LF", thirdAlike(func(s string) string {
		return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\r\n")
	}), CauseLineEndings},

	// White space.
	{"hard wrapped by a narrow pane", thirdAlike(thirdWrapped(38)), CauseWhitespace},
	{"double spaced by a paragraph paste", unfit(func(s string) string {
		lines := thirdLines(s)
		if len(lines) < 2 {
			return s
		}
		return strings.Join(lines, "\n")
	}), CauseWhitespace},
	{"column alignment collapsed by HTML", unfit(func(s string) string { return thirdAlignment.ReplaceAllString(s, "$1 $2") }), CauseWhitespace},

	// Invisible.
	{"grep --color around a hit", thirdAlike(func(s string) string {
		return thirdFirstMatch(thirdAnyWord, s, func(w string) string { return "\x1b[01;31m\x1b[K" + w + "\x1b[m\x1b[K" })
	}), CauseInvisible},
	{"soft hyphens in long words", thirdAlike(func(s string) string {
		return thirdLongWord.ReplaceAllStringFunc(s, func(w string) string { return w[:4] + "\u00ad" + w[4:] })
	}), CauseInvisible},
	{"em spaces as indentation from a PDF", thirdAlike(thirdPerLine(func(_ int, line string) string {
		in := thirdIndent(line)
		return strings.NewReplacer(" ", "\u2003", "\t", "\u2003").Replace(in) + line[len(in):]
	})), CauseInvisible},

	// Look-alikes.
	{"full-width punctuation of an input method", thirdAlike(strings.NewReplacer("(", "（", ")", "）", ",", "，", ":", "：", ";", "；", "!", "！").Replace), CauseConfusable},
	{"ligatures of a programming font as characters", thirdAlike(strings.NewReplacer("->", "→", "=>", "⇒", "!=", "≠", "<=", "≤", ">=", "≥", ":=", "≔", "<-", "←").Replace), CauseConfusable},
	{"screenshot read with 1 for l", unfit(func(s string) string { return strings.Replace(s, "l", "1", 1) }), CauseConfusable},

	// Normal form.
	{"accents the other way round", thirdAlike(func(s string) string {
		if d := thirdDecompose.Replace(s); d != s {
			return d
		}
		return thirdCompose.Replace(s)
	}), CauseNormalForm},

	// Frames.
	{"search and replace conflict frame", unfit(thirdFramed("<<<<<<< SEARCH\n", "=======\n")), CauseFence},
	{"element with a path attribute", thirdAlike(thirdFramed("<snippet path=\"plan.go\" kind=\"original\">\n", "</snippet>\n")), CauseFence},
	{"here-document around the block", thirdAlike(thirdFramed("cat <<'PATCH'\n", "PATCH\n")), CauseFence},

	// Signs before lines.
	{"Python prompts and continuations", thirdAlike(thirdPerLine(func(_ int, line string) string {
		if thirdIndent(line) != "" || strings.TrimSpace(line) == "" {
			return "... " + line
		}
		return ">>> " + line
	})), CauseMarkers},
	{"gutter of a terminal panel", thirdAlike(thirdPerLine(func(_ int, line string) string { return "│ " + line })), CauseMarkers},
	{"every line a bullet", thirdAlike(thirdPerLine(func(_ int, line string) string {
		if strings.TrimSpace(line) == "" {
			return line
		}
		return "• " + line
	})), CauseMarkers},

	// Text left out.
	{"hunk header between two ends", unfit(thirdInstead("@@ -48,9 +48,9 @@\n")), CauseElided},
	{"block folded by the editor", unfit(thirdFold), CauseElided},
	{"long lines cut by the tool", unfit(thirdCut), CauseElided},

	// Recalled wrongly.
	{"identifiers in the other case style", unfit(thirdRecased), CauseNoSuchText},
	{"two lines swapped", unfit(func(s string) string {
		lines := thirdLines(s)
		for i := 0; i+1 < len(lines); i++ {
			x, y := strings.TrimSpace(lines[i]), strings.TrimSpace(lines[i+1])
			if x != "" && y != "" && x != y && strings.HasSuffix(lines[i+1], "\n") {
				lines[i], lines[i+1] = lines[i+1], lines[i]
				return strings.Join(lines, "")
			}
		}
		return s
	}), CauseNoSuchText},
	{"a middle line forgotten", unfit(func(s string) string {
		lines := thirdLines(s)
		for i := 1; i+1 < len(lines); i++ {
			if len(strings.TrimSpace(lines[i])) > 3 {
				return strings.Join(lines[:i], "") + strings.Join(lines[i+1:], "")
			}
		}
		return s
	}), CauseNoSuchText},

	// Only the new block: accepted, but to be warned about.
	{"new: note that the rest stays", onNew(thirdBetween("// [remaining lines are the same as in the original]\n")), ""},
	{"new: closing element left behind", onNew(thirdFramed("", "</new_code>\n")), ""},
	{"new: sentence of the chat before the code", onNew(thirdFramed("Sure! Here is the updated version of the block:\n", "")), ""},
	{"new: numbers with arrows", onNew(func(s string) string {
		if strings.TrimSpace(s) == "" {
			return s
		}
		return numbered("%6d→")(s)
	}), ""},
	{"new: half of a merge conflict", onNew(thirdBetween("=======\n>>>>>>> feature/retry-queue\n")), ""},
	{"new: line breaks written as backslash n", onNew(func(s string) string {
		t := strings.TrimSuffix(s, "\n")
		if !strings.Contains(t, "\n") {
			return s
		}
		return strings.ReplaceAll(t, "\n", `\n`) + "\n"
	}), ""},
	{"new: entities of HTML", onNew(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace), ""},
	{"new: special token of the model", onNew(thirdFramed("", "<|im_end|>\n")), ""},
	{"new: citation mark of a chat", onNew(func(s string) string {
		if strings.TrimSpace(s) == "" {
			return s
		}
		return strings.TrimRight(s, "\r\n") + "【7†source】\n"
	}), ""},
	{"new: UTF-8 quotes read as Windows-1252", onNew(strings.NewReplacer(`"`, "â€œ", "'", "â€™").Replace), ""},
	{"new: file name made a link", onNew(func(s string) string {
		return thirdFirstMatch(thirdFileName, s, func(w string) string { return "[" + w + "](http://" + w + ")" })
	}), ""},
	{"new: CR LF in a file of LF", onNew(func(s string) string {
		if strings.Contains(s, "\r") {
			return s
		}
		return strings.ReplaceAll(s, "\n", "\r\n")
	}), ""},
}

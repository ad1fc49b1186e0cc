package web

import (
	"regexp"
	"strings"
	"testing"

	"brenner"
)

// allowed is every tag that Markdown of strangers may become.
var allowed = regexp.MustCompile(`^</?(?:p|h[3-6]|ul|ol|li|em|strong|del|code|pre|blockquote|hr|br|table|thead|tbody|tr|th|td|a)(?:\s[^<>]*)?/?>$`)

var (
	tag       = regexp.MustCompile(`<[^>]*>`)
	attribute = regexp.MustCompile(`\s([a-zA-Z-]+)=`)
	target    = regexp.MustCompile(`href="([^"]*)"`)
)

// harmless says what is dangerous about a piece of HTML, "" if nothing is.
func harmless(html string) string {
	for _, comment := range []string{"<!-- raw HTML omitted -->"} {
		html = strings.ReplaceAll(html, comment, "")
	}
	for _, t := range tag.FindAllString(html, -1) {
		if !allowed.MatchString(t) {
			return "tag " + t
		}
		for _, a := range attribute.FindAllStringSubmatch(t, -1) {
			switch a[1] {
			case "href", "rel", "title", "align", "start", "class":
			default:
				return "attribute " + t
			}
		}
		if m := target.FindStringSubmatch(t); m != nil &&
			!strings.HasPrefix(m[1], "https://") && !strings.HasPrefix(m[1], "http://") && !strings.HasPrefix(m[1], "mailto:") {
			return "link " + t
		}
	}
	return ""
}

func TestMarkdown_LetsNothingDangerousThrough(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"# One\n\n### Three", "<h3>One</h3>\n<h5>Three</h5>\n"},
		{"<script>alert(1)</script>", "<!-- raw HTML omitted -->\n"},
		{"a <b onclick=x()>b</b>", "<p>a <!-- raw HTML omitted -->b<!-- raw HTML omitted --></p>\n"},
		{"[x](javascript:alert(1))", "<p>x</p>\n"},
		{"[x](JaVaScRiPt:alert(1))", "<p>x</p>\n"},
		{"[x](\tjava\nscript:alert(1))", "<p>[x](\tjava\nscript:alert(1))</p>\n"},
		{"[x](&#106;avascript:alert(1))", "<p>x</p>\n"},
		{"[x](data:text/html;base64,PHA+)", "<p>x</p>\n"},
		{"[x](//example.org)", "<p>x</p>\n"},
		{"[x](/logout)", "<p>x</p>\n"},
		{"[**x** y](/logout) z", "<p><strong>x</strong> y z</p>\n"},
		{"[x](https://example.org/a?b=c&d)", `<p><a href="https://example.org/a?b=c&amp;d" rel="noopener noreferrer nofollow">x</a></p>` + "\n"},
		{"[x](mailto:ada@example.org)", `<p><a href="mailto:ada@example.org" rel="noopener noreferrer nofollow">x</a></p>` + "\n"},
		{"![alt](https://example.org/p.png)", `<p><a href="https://example.org/p.png" rel="noopener noreferrer nofollow">alt</a></p>` + "\n"},
		{"![](https://example.org/p.png)", `<p><a href="https://example.org/p.png" rel="noopener noreferrer nofollow">image</a></p>` + "\n"},
		{"![alt](data:image/svg+xml,<svg/onload=x()>)", "<p>alt</p>\n"},
		{"![alt](data:image/png;base64,AA==)", "<p>alt</p>\n"},
		{"<javascript:alert(1)>", "<p>javascript:alert(1)</p>\n"},
		{"<https://example.org>", `<p><a href="https://example.org" rel="noopener noreferrer nofollow">https://example.org</a></p>` + "\n"},
		{"|a|\n|-:|\n|1|", "<table>\n<thead>\n<tr>\n<th align=\"right\">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align=\"right\">1</td>\n</tr>\n</tbody>\n</table>\n"},
		{"[![a](https://a.example/i.png)](javascript:x)", `<p><a href="https://a.example/i.png" rel="noopener noreferrer nofollow">a</a></p>` + "\n"},
	} {
		got := string(markdown(c.source))
		if got != c.want {
			t.Errorf("%q becomes\n%q, want\n%q", c.source, got, c.want)
		}
		if why := harmless(got); why != "" {
			t.Errorf("%q: %s", c.source, why)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"[a](javascript:b)", "<svg/onload=a>", "![a](b \"c\")", "[a]: javascript:b\n[a]", "<a@b.c>", "`<b>`", "```<script>\n</script>\n```", "|a|\n|:-:|\n|<i>|"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if why := harmless(string(markdown(source))); why != "" {
			t.Errorf("%q: %s", source, why)
		}
	})
}

// X3: a text of a few kilobytes becomes no more HTML than a page may have; where
// rendering stops the page says so, and what is shown is harmless.
func TestMarkdown_RenderingIsBoundedAndSaysWhereItStops(t *testing.T) {
	wide := strings.Repeat("|a", 2000) + "\n" + strings.Repeat("|-", 2000) + "\n"
	many := "|a|b|\n|-|-|\n" + strings.Repeat("|1|2|\n", 9000)
	for name, source := range map[string]string{
		"a wide head and short rows":  wide + strings.Repeat("a\n", 20_000),
		"a false delimiter before it": "x\n- -\n" + wide + strings.Repeat("a\n", 20_000),
		"tables that add up":          many + "\n" + many + "\n" + many,
		"in a quote":                  "> " + strings.ReplaceAll(strings.TrimSpace(wide)+strings.Repeat("\na", 20_000), "\n", "\n> "),
		"deep quotes":                 strings.Repeat(">", 30_000) + "\n" + strings.Repeat("a\n", 10_000),
		"deep lists":                  strings.Repeat("- ", 15_000) + "a\n",
		"numbered lists":              strings.Repeat("1. ", 10_000) + "a\n",
		"lists that step in":          stairs(300),
		"links":                       strings.Repeat("[a](https://example.org) ", 2500),
		"addresses":                   strings.Repeat("<https://example.org> ", 2500),
		"a long address, used often":  "[a]: https://example.org/" + strings.Repeat("x", 30_000) + "\n\n" + strings.Repeat("[a] ", 1500),
		"brackets":                    strings.Repeat("[", 60_000),
		"a long text":                 strings.Repeat("word ", 1<<19),
		"a long text of wide letters": strings.Repeat("\u00e9\u4e16", 1<<19),
		// What follows took the parser seconds, at a megabyte the first one 50.
		"escaped backticks":          strings.Repeat("> \\``\n", 20_000),
		"openers before a long tail": strings.Repeat("[a](<b", 2000) + strings.Repeat("x", 200_000),
		"tildes":                     "a" + strings.Repeat("~", 60_000),
		"a label of many lines":      "[" + strings.Repeat("a\n", 20_000),
		"definitions":                strings.Repeat("[a]:b\n", 20_000),
		"a heading":                  "# " + strings.Repeat("*a_ ", 20_000),
		"an underlined heading":      strings.Repeat("*a_\n", 20_000) + "===\n",
		"a list kept open":           strings.Repeat("- ", 40) + "a\n" + strings.Repeat("\n", 40_000),
		"no table after all":         "x\n- | -\n" + strings.Repeat("*a_ | b\n", 20_000),
		"escaped bars":               strings.Repeat("a|b\n-|-\n"+strings.Repeat("`\\|`\n", 20)+"\n", 60),
	} {
		got := string(markdown(source))
		if !strings.HasSuffix(got, stopped) {
			t.Errorf("%s: %d bytes, and nothing says that rendering stopped", name, len(got))
		}
		if len(got) > brenner.MaxMarkdownOutput+len(stopped) {
			t.Errorf("%s: %d bytes became %d", name, len(source), len(got))
		}
		if n := strings.Count(got, "<td") + strings.Count(got, "<th"); n > brenner.MaxMarkdownCells+strings.Count(got, "<thead") {
			t.Errorf("%s: %d cells", name, n)
		}
		if why := harmless(strings.TrimSuffix(got, stopped)); why != "" {
			t.Errorf("%s: %s", name, why)
		}
	}
	for name, source := range map[string]string{
		"a table":       many,
		"art":           strings.Repeat(" ", 200) + "|---\n",
		"a rule":        strings.Repeat("-", 500) + "\n\n" + strings.Repeat("* ", 3) + "\n",
		"stepped lists": stairs(30),
		"a long line":   strings.Repeat("1.5 - 2 > 1 ", 5000),
		"a quote":       strings.Repeat("> ", 20) + "a\n",
		"many paragraphs": strings.Repeat("This is *prose* with [its](https://example.org) marks, `code` and some more words, "+
			"as they are written.\n\n", 1500),
		"a long list":        strings.Repeat("- an item with *marks* and `code`\n  - and one below\n", 5000),
		"a table with marks": "|a|b|\n|-|-|\n" + strings.Repeat("|*one* `x`|[two] _three_|\n", 5000),
		"a long listing":     "```\n" + strings.Repeat("a[i] = *b // `c`\n", 5000) + "```\n",
	} {
		if got := string(markdown(source)); strings.Contains(got, stopped) || got == "" {
			t.Errorf("%s: rendering stopped", name)
		}
	}
}

// stairs is a list in a list in a list.
func stairs(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String()
}

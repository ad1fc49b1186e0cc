package web

import (
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/assembly"

	"github.com/go-json-experiment/json/jsontext"
)

// functions are what templates may call.
var functions = template.FuncMap{
	"asset":    assetPath,
	"markdown": markdown,
	"value":    value,
	"ref":      refLink,
	"path":     pathLinks,
	"badge":    badge,
	"hint":     hint,
	"sentence": sentence,
	"words":    func(s any) string { return strings.ReplaceAll(fmt.Sprint(s), "_", " ") },
	"join":     func(sep string, list []string) string { return strings.Join(list, sep) },
	"plural":   plural,
	"add":      func(a, b int) int { return a + b },
	"short":    short,
	"decimal":  func(f float64) string { return fmt.Sprintf("%.2f", f) },
	"bar":      tokenBar,
	"clip":     clip,
	"escape":   url.PathEscape,
	"has":      slices.Contains[[]string],
	"dict":     dict,
	"against":  api.AgainstWords,
	"plain":    plain,
	"one":      func(i int) int { return i + 1 }, // people count from one
	"number":   number,
	"texts":    func(s ...string) []string { return s },
	"list":     func(n ...int64) []int64 { return n },
	"headline": headline,
}

// headline is a text as the heading of a page: itself, or its first sentence, or what
// fits about two lines. The template "heading" shows the whole when asked to.
func headline(text string) string {
	const least, most = 30, 160 // a first sentence that is shorter may be an abbreviation
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	text = strings.Join(strings.Fields(text), " ")
	for i := range text {
		if i >= least && i < most && strings.IndexByte(".?!", text[i]) >= 0 && text[i+1] == ' ' {
			return text[:i+1]
		}
	}
	return brenner.ClipWords(text, most)
}

// dict makes a map of names and values, for a template that takes several.
func dict(pairs ...any) (map[string]any, error) {
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("%v is not a name", pairs[i])
		}
		m[name] = pairs[i+1]
	}
	return m, nil
}

// When writes an instant so that it can be read, with the exact one on hover.
func (s *shown) When(t time.Time) template.HTML {
	if t.IsZero() {
		return "never"
	}
	exact := t.UTC().Format(time.RFC3339Nano)
	return template.HTML(`<time datetime="` + exact + `" title="` + exact + `">` + readable(t, s.Project.Now) + `</time>`)
}

// Instant writes an instant that is kept as a text, as agents gave it.
func (s *shown) Instant(text string) template.HTML {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return template.HTML(template.HTMLEscapeString(text))
	}
	return s.When(t)
}

// readable says how long ago or how far ahead something is, or for what is
// far away, the day.
func readable(t, now time.Time) string {
	ago := now.Sub(t)
	words := "%s ago"
	if ago < 0 {
		ago, words = -ago, "in %s"
	}
	switch {
	case now.IsZero() || ago >= 7*24*time.Hour:
		return t.UTC().Format("2 Jan 2006")
	case ago < time.Minute:
		return "just now"
	case ago < time.Hour:
		return fmt.Sprintf(words, plural(int(ago.Minutes()), "minute"))
	case ago < 48*time.Hour:
		return fmt.Sprintf(words, plural(int(ago.Hours()), "hour"))
	}
	return fmt.Sprintf(words, plural(int(ago.Hours()/24), "day"))
}

// plural counts a noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.ContainsAny(stem[len(stem)-1:], "aeo") { // replies, but days
		noun = stem + "ie"
	}
	return thousands(int64(n)) + " " + noun + "s"
}

// thousands groups the digits of a number with narrow blanks.
func thousands(n int64) string {
	digits := fmt.Sprint(n)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && d != '-' && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteRune('\u202f')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// number writes a whole number of any type.
func number(n any) (string, error) {
	switch n := n.(type) {
	case int:
		return thousands(int64(n)), nil
	case int64:
		return thousands(n), nil
	}
	return "", fmt.Errorf("%v is not a whole number", n)
}

// short is the beginning of a digest.
func short(s any) string {
	text := fmt.Sprint(s)
	return text[:min(12, len(text))]
}

// clip shortens a text to n characters; templates pass the text last.
func clip(n int, text string) string { return brenner.Clip(text, n) }

// artifactPath is the address of a version, or of the one in force.
func artifactPath(r brenner.Ref) string { return "/artifacts/" + url.PathEscape(r.String()) }

// refLink links a version.
func refLink(r brenner.Ref) template.HTML {
	return template.HTML(`<a class="ref" href="` + template.HTMLEscapeString(artifactPath(r)) + `">` + template.HTMLEscapeString(r.String()) + `</a>`)
}

// pathLinks links the versions of a path, from what is stale to what moved.
func pathLinks(path []brenner.Ref) template.HTML {
	var parts []string
	for _, r := range path {
		parts = append(parts, string(refLink(r)))
	}
	return template.HTML(strings.Join(parts, ` <span aria-label="rests on">→</span> `))
}

// sentence makes a sentence of words that begin in lower case and have no end,
// as messages and hints do.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	text = capital(text)
	if strings.ContainsAny(text[len(text)-1:], ".?!:") {
		return text
	}
	return text + "."
}

// capital begins a text with a capital letter.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// hint shows advice, in which what one types stands between backquotes.
func hint(text string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		part = template.HTMLEscapeString(part)
		if i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		b.WriteString(part)
	}
	return template.HTML(b.String())
}

// badge shows a state as a word in a frame; the class only adds colour.
func badge(state any) template.HTML {
	s := fmt.Sprint(state)
	return template.HTML(`<span class="badge is-` + template.HTMLEscapeString(strings.ToLower(s)) + `">` +
		template.HTMLEscapeString(strings.ReplaceAll(s, "_", " ")) + `</span>`)
}

// tokenBar draws how a budget divides over the parts of a context.
func tokenBar(c assembly.Context) template.HTML {
	if c.Budget.Size <= 0 {
		return ""
	}
	const width = 1000.0
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="tokens" viewBox="0 0 %g 24" preserveAspectRatio="none" role="img" aria-label="%d of %d %s used">`,
		width, c.Used, c.Budget.Size, template.HTMLEscapeString(string(c.Budget.Unit)))
	fmt.Fprintf(&b, `<rect class="empty" width="%g" height="24"/>`, width)
	x := 0.0
	for i, p := range c.Parts {
		w := width * float64(p.Tokens) / float64(c.Budget.Size)
		fmt.Fprintf(&b, `<rect class="part-%d" x="%.1f" width="%.1f" height="24"><title>%s: %d</title></rect>`,
			i%6, x, w, template.HTMLEscapeString(string(p.Section)), p.Tokens)
		x += w
	}
	reserve := width * float64(c.Budget.Reserve) / float64(c.Budget.Size)
	fmt.Fprintf(&b, `<rect class="reserve" x="%.1f" width="%.1f" height="24"><title>kept for later reads: %d</title></rect></svg>`,
		width-reserve, reserve, c.Budget.Reserve)
	return template.HTML(b.String())
}

// value writes a JSON value as lists that people can read.
func value(raw jsontext.Value) template.HTML {
	var b strings.Builder
	d := jsontext.NewDecoder(strings.NewReader(string(raw)))
	if err := writeValue(&b, d); err != nil {
		return template.HTML("<pre>" + template.HTMLEscapeString(string(raw)) + "</pre>")
	}
	return template.HTML(b.String())
}

func writeValue(b *strings.Builder, d *jsontext.Decoder) error {
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	switch token.Kind() {
	case '{':
		return writeObject(b, d)
	case '[':
		return writeArray(b, d)
	}
	text := token.String()
	if token.Kind() == '"' && strings.ContainsRune(text, '\n') {
		b.WriteString(`<div class="prose">` + string(markdown(text)) + `</div>`)
		return nil
	}
	b.WriteString(template.HTMLEscapeString(text))
	return nil
}

func writeObject(b *strings.Builder, d *jsontext.Decoder) error {
	if d.PeekKind() == '}' {
		b.WriteString(`<span class="quiet">empty</span>`)
		_, err := d.ReadToken()
		return err
	}
	b.WriteString(`<dl>`)
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		b.WriteString(`<div><dt>` + template.HTMLEscapeString(strings.ReplaceAll(name.String(), "_", " ")) + `</dt><dd>`)
		if err := writeValue(b, d); err != nil {
			return err
		}
		b.WriteString(`</dd></div>`)
	}
	b.WriteString(`</dl>`)
	_, err := d.ReadToken()
	return err
}

func writeArray(b *strings.Builder, d *jsontext.Decoder) error {
	if d.PeekKind() == ']' {
		b.WriteString(`<span class="quiet">none</span>`)
		_, err := d.ReadToken()
		return err
	}
	b.WriteString(`<ul>`)
	for d.PeekKind() != ']' {
		b.WriteString(`<li>`)
		if err := writeValue(b, d); err != nil {
			return err
		}
		b.WriteString(`</li>`)
	}
	b.WriteString(`</ul>`)
	_, err := d.ReadToken()
	return err
}

// statuses lists the statuses for a choice.
func statuses() []string {
	var out []string
	for _, s := range artifact.Statuses() {
		out = append(out, string(s))
	}
	return out
}

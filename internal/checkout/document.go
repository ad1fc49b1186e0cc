package checkout

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/lazy"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Document is a version of an artifact as a file has it. In a file that a
// person wrote any of the fields may be empty.
type Document struct {
	ID      brenner.ArtifactID
	Type    brenner.TypeName
	Module  brenner.Module
	Version brenner.Version
	Status  artifact.Status
	Summary string
	Tags    []string
	Links   []artifact.Link
	SHA256  brenner.Digest
	Format  artifact.Format
	// Content is the text byte for byte, or the JSON in canonical form.
	Content string
}

// documentOf makes the document of a version. What the version took the place
// of is said by that version alone: the next one, made of this file, must not
// say it again.
func documentOf(v artifact.Version) (Document, error) {
	d := Document{
		ID: v.ID, Type: v.Type, Module: v.Module, Version: v.Version, Status: v.Status,
		Summary: v.Summary, Tags: v.Metadata.Tags, SHA256: v.SHA256, Format: v.Format, Content: string(v.Content),
	}
	d.Links = lasting(v.Links)
	if v.Format == artifact.Text {
		if err := json.Unmarshal(v.Content, &d.Content); err != nil {
			return Document{}, err
		}
	}
	return d, nil
}

// lasting are the links that the next version of an artifact keeps.
func lasting(links []artifact.Link) []artifact.Link {
	var out []artifact.Link
	for _, l := range links {
		if l.Rel != artifact.Supersedes {
			out = append(out, l)
		}
	}
	return out
}

const (
	fence     = "---"
	openJSON  = "```json"
	closeJSON = "```"
)

// Markdown writes the document. Parse reads it back byte for byte.
func (d Document) Markdown() []byte {
	var b bytes.Buffer
	b.WriteString(fence + "\n")
	fmt.Fprintf(&b, "id: %s\n", scalar(string(d.ID)))
	fmt.Fprintf(&b, "type: %s\n", scalar(string(d.Type)))
	fmt.Fprintf(&b, "module: %s\n", scalar(string(d.Module)))
	fmt.Fprintf(&b, "version: %d\n", d.Version)
	fmt.Fprintf(&b, "status: %s\n", scalar(string(d.Status)))
	fmt.Fprintf(&b, "summary: %s\n", quote(d.Summary))
	writeList(&b, "tags", len(d.Tags), func(i int) string { return quote(d.Tags[i]) })
	writeList(&b, "links", len(d.Links), func(i int) string {
		return quote(string(d.Links[i].Rel) + ":" + d.Links[i].To().String())
	})
	fmt.Fprintf(&b, "content_sha256: %s\n", quote(string(d.SHA256)))
	fmt.Fprintf(&b, "format: %s\n", scalar(string(d.Format)))
	b.WriteString(fence + "\n\n")
	if d.Format == artifact.JSON {
		b.WriteString(openJSON + "\n" + pretty(d.Content) + "\n" + closeJSON + "\n")
		return b.Bytes()
	}
	b.WriteString(d.Content)
	return b.Bytes()
}

func writeList(b *bytes.Buffer, key string, n int, item func(i int) string) {
	if n == 0 {
		fmt.Fprintf(b, "%s: []\n", key)
		return
	}
	fmt.Fprintf(b, "%s:\n", key)
	for i := range n {
		fmt.Fprintf(b, "  - %s\n", item(i))
	}
}

// pretty indents JSON, unless deep nesting would make a large file of it. No
// line of it can be taken for the end of the block: inside JSON a line never
// starts with a back quote.
func pretty(canonical string) string {
	v := jsontext.Value(canonical)
	if v.Indent(jsontext.WithIndent("  ")) != nil || len(v) > 4*len(canonical)+1024 {
		return canonical
	}
	return string(v)
}

// word matches text that YAML reads as text, but for the words in notText.
var word = lazy.NewPattern(`^[a-z][a-z0-9_-]*$`)

// notText are words that one YAML or another takes for something else.
var notText = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"}

// scalar writes a word without quotes where that is safe.
func scalar(s string) string {
	if word.MatchString(s) && !slices.Contains(notText, s) {
		return s
	}
	return quote(s)
}

// quote writes a double-quoted YAML scalar on one line.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != utf8.RuneError && r != '\uFEFF':
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Parse reads a document. A file without front matter is all content, in the
// usual format, as is one that does not say its format. It reports
// INVALID_FRONT_MATTER, INVALID_JSON, INVALID_TEXT, INVALID_ID, INVALID_VALUE
// or LIMIT_EXCEEDED.
func Parse(src []byte, usual artifact.Format) (Document, error) {
	matter, body, err := split(src)
	if err != nil {
		return Document{}, err
	}
	var d Document
	if matter != nil {
		if d, err = parseMatter(matter); err != nil {
			return Document{}, err
		}
	}
	if d.Format == "" {
		d.Format = usual
	}
	if d.Format == artifact.JSON {
		if body, err = unfence(body); err != nil {
			return Document{}, err
		}
	}
	content, err := artifact.NewContent(d.Format, body)
	if err != nil {
		return Document{}, err
	}
	d.Content = string(content.Data)
	return d, nil
}

// unfence gives what stands in a block of JSON. Without one the whole text is
// the JSON.
func unfence(body []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(body), []byte(openJSON))
	if !ok {
		return body, nil
	}
	inner, ok := bytes.CutSuffix(rest, []byte("\n"+closeJSON))
	if !ok {
		return nil, brenner.Errorf(brenner.CodeInvalidJSON, "the block of JSON does not end, or text follows it").
			WithHint("the content of a JSON artifact is one block that starts with " + openJSON + " and ends with " + closeJSON)
	}
	return inner, nil
}

// digest is the digest of the content as the project keeps it.
func (d Document) digest() brenner.Digest { return canon.Sum([]byte(d.Content)) }

package checkout

import (
	"bytes"
	"strings"
	"testing"

	"brenner"
	"brenner/artifact"
	"brenner/canon"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// X6: a file says what the version says, byte for byte, whatever is in it.
func TestDocument_ComesBackByteForByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDocument(t)
		got, err := Parse(d.Markdown(), artifact.Text)
		if err != nil {
			t.Fatalf("%v\n%s", err, d.Markdown())
		}
		if diff := cmp.Diff(d, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s\n%s", diff, d.Markdown())
		}
		if !bytes.Equal(got.Markdown(), d.Markdown()) {
			t.Fatal("the second writing differs from the first")
		}
	})
}

// awkward are texts that YAML or Markdown could take for something else.
var awkward = []string{
	"", "\n", "---", "---\n", "\n---\n", "```", "```json\n{}\n```", "\ufeffx", "a: b", "- x", "# x", "x #y", "&a", "*a", "!t", "| x", "> x",
	"'", `"`, `\`, "\\n", "%", "@", "`", "null", "true", "yes", "1e3", "0123", "~", "\u0085", "\u2028", "\u2029", "\u00a0", "\u0007", "\x7f", "\r", "\r\n",
	" leading", "trailing ", "😀", "é", "e\u0301", "\ufffd", "\ufffe", "a\tb", "{a}", "[a", "a, b", "<<", "? x", "\U000e0001",
}

func drawText(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(awkward), rapid.StringOfN(
		rapid.Rune().Filter(func(r rune) bool { return r != 0 }), 0, 8, -1)), 0, 5).Draw(t, label), "")
}

func drawDocument(t *rapid.T) Document {
	id := func(label string) brenner.ArtifactID {
		return brenner.ArtifactID(rapid.OneOf(rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9._-]{0,12}`),
			rapid.SampledFrom([]string{"null", "true", "1e3", "0x1F", "007", "no", "2024", "1_000", "12.5"})).Draw(t, label))
	}
	word := rapid.OneOf(rapid.StringMatching(`[a-z][a-z0-9_]{0,8}`), rapid.SampledFrom([]string{"null", "true", "no", "y"}))
	d := Document{
		ID: id("id"), Type: brenner.TypeName(word.Draw(t, "type")), Module: brenner.Module(word.Draw(t, "module")),
		Version: brenner.Version(rapid.IntRange(1, 1e6).Draw(t, "version")),
		Status:  rapid.SampledFrom(artifact.Statuses()).Draw(t, "status"),
		Summary: drawText(t, "summary"), Format: artifact.Text, Content: drawText(t, "content"),
	}
	for range rapid.IntRange(0, 3).Draw(t, "tags") {
		d.Tags = append(d.Tags, drawText(t, "tag"))
	}
	for range rapid.IntRange(0, 3).Draw(t, "links") {
		d.Links = append(d.Links, artifact.Link{
			Rel: rapid.SampledFrom(artifact.Relations()).Draw(t, "rel"), Artifact: id("to"), Version: brenner.Version(rapid.IntRange(1, 99).Draw(t, "v")),
		})
	}
	if rapid.Bool().Draw(t, "json") {
		d.Format, d.Content = artifact.JSON, string(canon.MustMarshal(drawValue(t, 3)))
	}
	d.SHA256 = d.digest()
	return d
}

func drawValue(t *rapid.T, depth int) any {
	switch n := rapid.IntRange(0, 5).Draw(t, "kind"); {
	case n == 0 && depth > 0:
		out := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "members") {
			out[drawText(t, "key")] = drawValue(t, depth-1)
		}
		return out
	case n == 1 && depth > 0:
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			out = append(out, drawValue(t, depth-1))
		}
		return out
	case n == 2:
		return rapid.Float64Range(-1e21, 1e21).Draw(t, "number")
	case n == 3:
		return nil
	}
	return drawText(t, "string")
}

func TestDocument_DeeplyNestedJSONMakesNoHugeFile(t *testing.T) {
	deep := strings.Repeat("[", 60) + strings.TrimSuffix(strings.Repeat("1,", 10000), ",") + strings.Repeat("]", 60)
	d := Document{ID: "a", Type: "t", Module: "m", Version: 1, Status: artifact.Draft, Format: artifact.JSON, Content: deep}
	d.SHA256 = d.digest()
	if n := len(d.Markdown()); n > 2*len(deep) {
		t.Errorf("%d bytes of JSON became a file of %d", len(deep), n)
	}
	if got, err := Parse(d.Markdown(), artifact.Text); err != nil || got.Content != deep {
		t.Errorf("it does not come back: %v", err)
	}
}

// X6: what people write is read as they mean it.
func TestParse_TakesFrontMatterAsPeopleWriteIt(t *testing.T) {
	src := "---\r\nsummary: >-\r\n  two\r\n  lines\r\ntags: [a, 'b c']\r\nlinks:\r\n- cites:smith@2\r\n- \"depends_on: jones\"\r\n---\r\ntext\r\n"
	got, err := Parse([]byte(src), artifact.Text)
	want := Document{
		Summary: "two lines", Tags: []string{"a", "b c"}, Format: artifact.Text, Content: "text\r\n",
		Links: []artifact.Link{{Rel: artifact.Cites, Artifact: "smith", Version: 2}, {Rel: artifact.DependsOn, Artifact: "jones"}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if got, err := Parse([]byte("no front matter\n---\n"), artifact.Text); err != nil || got.Content != "no front matter\n---\n" {
		t.Errorf("got %q, %v", got.Content, err)
	}
	if got, err := Parse([]byte("---\n---\n\n\nx"), artifact.Text); err != nil || got.Content != "\nx" {
		t.Errorf("got %q, %v", got.Content, err)
	}
	if got, err := Parse([]byte("---\nformat: json\n---\n {\"b\": 1, \"a\": 2}\n"), artifact.Text); err != nil || got.Content != `{"a":2,"b":1}` {
		t.Errorf("got %q, %v", got.Content, err)
	}
}

// hostile is front matter that must be refused.
var hostile = []struct {
	why, src string
	code     brenner.Code
	message  string
}{
	{"alias bomb", "---\nsummary: &a [x, x]\ntags: [*a, *a, *a]\n---\n", brenner.CodeInvalidFrontMatter, "front matter:2:10: an anchor"},
	{"merge key", "---\n<<: {id: x}\n---\n", brenner.CodeInvalidFrontMatter, "a merge key"},
	{"tag", "---\nsummary: !!binary aGk=\n---\n", brenner.CodeInvalidFrontMatter, "a tag"},
	{"deep nesting", "---\nsummary: " + strings.Repeat("[", 100_000) + "\n---\n", brenner.CodeLimitExceeded, ""},
	{"too large", "---\nsummary: " + strings.Repeat("x\n  ", brenner.MaxFrontMatterBytes/4) + "\n---\n", brenner.CodeLimitExceeded, ""},
	{"no end", "---\nsummary: x\n", brenner.CodeInvalidFrontMatter, "does not end"},
	{"unknown field", "---\nsumary: x\n---\n", brenner.CodeInvalidFrontMatter, "unknown field"},
	{"duplicate key", "---\nid: a\nid: b\n---\n", brenner.CodeInvalidFrontMatter, ""},
	{"not a mapping", "---\n- a\n---\n", brenner.CodeInvalidFrontMatter, ""},
	{"number for text", "---\nid: 12\n---\n", brenner.CodeInvalidFrontMatter, "number"},
	{"two documents", "---\nid: a\n...\nid: b\n---\n", brenner.CodeInvalidFrontMatter, ""},
	{"traversal in id", "---\nid: ../../etc/passwd\n---\n", brenner.CodeInvalidID, ""},
	{"traversal in module", "---\nmodule: ../x\n---\n", brenner.CodeInvalidID, ""},
	{"path in type", "---\ntype: a/b\n---\n", brenner.CodeInvalidID, ""},
	{"NUL in id", "---\nid: \"a\\0b\"\n---\n", brenner.CodeInvalidFrontMatter, ""},
	{"raw NUL", "---\nsummary: a\x00b\n---\n", brenner.CodeInvalidText, ""},
	{"invalid UTF-8", "---\nsummary: \xff\n---\n", brenner.CodeInvalidText, ""},
	{"bad link", "---\nlinks: [smith]\n---\n", brenner.CodeInvalidFrontMatter, "not a link"},
	{"link to a path", "---\nlinks: [\"cites:../x\"]\n---\n", brenner.CodeInvalidID, ""},
	{"unknown format", "---\nformat: xml\n---\n", brenner.CodeInvalidValue, ""},
	{"broken JSON", "---\nformat: json\n---\n```json\n{\n```\n", brenner.CodeInvalidJSON, ""},
	{"text behind JSON", "---\nformat: json\n---\n```json\n{}\n```\nmore\n", brenner.CodeInvalidJSON, ""},
	{"binary content", "\x89PNG\x00", brenner.CodeInvalidText, ""},
}

// X6: hostile files are refused with a code.
func TestParse_RefusesHostileFiles(t *testing.T) {
	for _, c := range hostile {
		_, err := Parse([]byte(c.src), artifact.Text)
		if brenner.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: got %v, want %s", c.why, err, c.code)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range hostile {
		if len(c.src) < 1000 {
			f.Add([]byte(c.src))
		}
	}
	f.Add(Document{ID: "a", Summary: "s", Tags: []string{"t"}, Format: artifact.JSON, Content: "{}"}.Markdown())
	f.Fuzz(func(t *testing.T, src []byte) {
		d, err := Parse(src, artifact.Text)
		if err != nil {
			if brenner.CodeOf(err) == brenner.CodeInternal {
				t.Fatalf("an error without a code: %v", err)
			}
			return
		}
		again, err := Parse(d.Markdown(), artifact.Text)
		if err != nil && d.ID != "" && d.Type != "" && d.Module != "" && d.Version >= 0 {
			t.Fatalf("%v\n%s", err, d.Markdown())
		}
		if err == nil && again.Content != d.Content {
			t.Fatalf("content %q became %q", d.Content, again.Content)
		}
	})
}

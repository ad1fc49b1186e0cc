package checkout

import (
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"brenner"
	"brenner/artifact"
	"brenner/canon"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"
)

// known are the fields of our own front matter.
var known = []string{"id", "type", "module", "version", "status", "summary", "tags", "links", "content_sha256", "format"}

// parseForeign reads a text that may come from another program. If its front
// matter is all ours it is read as such; otherwise the text is taken whole, so
// that nothing in it is lost, and only the summary and the tags are looked at.
func parseForeign(src []byte) (Document, error) {
	matter, _, err := split(src)
	if err != nil || matter == nil {
		return Document{Format: artifact.Text, Content: string(src)}, err
	}
	raw, err := readYAML(matter)
	if err != nil {
		return Document{}, err
	}
	var fields map[string]jsontext.Value
	if err := canon.Unmarshal(raw, &fields); err != nil {
		return Document{}, asMatter(err)
	}
	foreign := slices.ContainsFunc(slices.Sorted(maps.Keys(fields)), func(key string) bool { return !slices.Contains(known, key) })
	if !foreign {
		return Parse(src, artifact.Text)
	}
	d := Document{Format: artifact.Text, Content: string(src), Tags: foreignTags(fields["tags"])}
	if json.Unmarshal(fields["summary"], &d.Summary) != nil {
		d.Summary = ""
	}
	if d.Summary == "" {
		_, body, _ := split(src)
		d.Summary = summarise(string(body))
	}
	return d, nil
}

// foreignTags takes tags as other programs write them: a list, or words with
// commas between them, perhaps with a hash before each.
func foreignTags(v jsontext.Value) []string {
	var words []string
	var line string
	if json.Unmarshal(v, &words) != nil {
		if json.Unmarshal(v, &line) != nil {
			return nil
		}
		words = strings.Split(line, ",")
	}
	var out []string
	for _, w := range words {
		w = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(w), "#"))
		if w != "" && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// summariseJSON takes the summary or the title of JSON content, or its
// beginning.
func summariseJSON(canonical []byte) string {
	var fields map[string]jsontext.Value
	if json.Unmarshal(canonical, &fields) == nil {
		for _, key := range []string{"summary", "title", "name"} {
			var s string
			if json.Unmarshal(fields[key], &s) == nil && strings.TrimSpace(s) != "" {
				return clip(s)
			}
		}
	}
	return clip(strings.ToValidUTF8(string(canonical[:min(len(canonical), 4*brenner.MaxSummaryRunes)]), ""))
}

// slug makes an id of a path: 2024/Größe der Zelle.md becomes
// 2024-grosse-der-zelle.
func slug(rel string) brenner.ArtifactID {
	const most = 100
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.TrimSuffix(rel, path.Ext(rel))) {
		switch r = unicode.ToLower(r); {
		case r == 'ß':
			b.WriteString("ss")
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)), r == '.', r == '_':
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= most {
			break
		}
	}
	id := strings.Trim(b.String(), "-._")
	if id == "" {
		return brenner.ArtifactID("note-" + canon.Sum([]byte(rel))[:8])
	}
	return brenner.ArtifactID(id)
}

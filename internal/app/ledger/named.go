package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/lazy"
	"brenner/internal/store"
	"brenner/policy"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// namedVersion is a version as texts name it.
var namedVersion = lazy.NewPattern(`[A-Za-z0-9][A-Za-z0-9._-]{0,127}@[0-9]{1,6}`)

// How much of a text is looked through for versions it names, and how many are
// looked up.
const (
	lookedThrough = 64 << 10
	mostNamed     = 20
	mostKnown     = 200 // of the newest artifacts, that a name may be a slip for
)

// NamedVersions says which versions a text names that are not there, or that a
// newer one has taken the place of. What the caller may not read is passed over,
// as is what the text is a version of. Of several versions of an artifact the newest
// counts: who names that knows of it. Names that are of no artifact at all are
// said together: they may be of something else (elsewhere).
func NamedVersions(c *kernel.Call, text string, but brenner.ArtifactID) ([]brenner.Diagnostic, error) {
	var out []brenner.Diagnostic
	var seen []string
	var there []brenner.Ref
	var unknown []unknownName
	var outside []brenner.ArtifactID
	text = text[:min(len(text), lookedThrough)]
	quoted := Quotations(text)
	for _, at := range namedVersion.FindAllStringIndex(text, 4*mostNamed) {
		name := text[at[0]:at[1]]
		ref, err := brenner.ParseRef(name)
		if err == nil && (quoted.Covers(at[0]) || inPath(text, at[0], at[1])) {
			outside = append(outside, ref.Artifact)
		}
		if err != nil || ref.Artifact == but || slices.Contains(seen, name) || len(seen) == mostNamed {
			continue
		}
		seen = append(seen, name)
		d := brenner.Diagnostic{Code: brenner.CodeDanglingReference, Severity: brenner.SeverityWarning, Subject: name}
		a, err := c.Reader.Artifact(c.Ctx, ref.Artifact)
		if err == nil && ref.Version <= a.Latest {
			there = append(there, ref)
		}
		switch {
		case brenner.CodeOf(err) == brenner.CodeNotFound:
			unknown = append(unknown, unknownName{ref: ref, alone: standsAlone(text, at[0], at[1]) || isLink(text, at[0], at[1])})
			continue
		case err != nil:
			return nil, err
		case !c.May(policy.Read, a.Type, a.Module):
			continue
		case ref.Version > a.Latest && quoted.Covers(at[0]) && !inBackticks(text, at[0], at[1]):
			continue // with other words around it, it is what something else printed
		case ref.Version > a.Latest:
			d.Message = fmt.Sprintf("%s is named, and %s is at version %d", name, ref.Artifact, a.Latest)
		case ref.Version < a.Head:
			knows, err := knowsHead(c, a)
			if err != nil {
				return nil, err
			}
			if knows {
				continue
			}
			d.Code, d.Message = brenner.CodeReferenceMoved, fmt.Sprintf("%s is named, and %s is at version %d by now", name, ref.Artifact, a.Head)
		default:
			continue
		}
		out = append(out, d)
	}
	out = slices.DeleteFunc(out, func(d brenner.Diagnostic) bool {
		return d.Code == brenner.CodeReferenceMoved && slices.ContainsFunc(there, func(ref brenner.Ref) bool { return isLater(ref, d.Subject) })
	})
	names, err := doubtful(c, unknown, outside)
	if err != nil {
		return nil, err
	}
	if len(names) > 0 {
		out = append(out, brenner.Diagnostic{
			Code: brenner.CodeDanglingReference, Severity: brenner.SeverityWarning, Subject: names[0],
			Message: fmt.Sprintf("named, and not an artifact here: %s", kernel.FirstFew(names)),
		})
	}
	return out, nil
}

// isLater says whether a version is a later one of the same artifact than one that is named.
func isLater(ref brenner.Ref, than string) bool {
	named, err := brenner.ParseRef(than)
	return err == nil && ref.Artifact == named.Artifact && ref.Version > named.Version
}

// VersionsIn are the versions that a text names, as it names them.
func VersionsIn(text string) []string {
	return namedVersion.FindAllString(text[:min(len(text), lookedThrough)], -1)
}

// inBackticks says whether nothing but a name stands between two backticks, as versions are
// cited.
func inBackticks(text string, from, to int) bool {
	return strings.HasSuffix(text[:from], "`") && strings.HasPrefix(text[to:], "`")
}

// knowsHead says whether the caller wrote the head of an artifact itself, or was given it from
// end to end: it need not be told that there is one, and names an earlier version as that.
func knowsHead(c *kernel.Call, a store.Artifact) (bool, error) {
	head, err := c.Version(c.Ctx, brenner.Ref{Artifact: a.ID, Version: a.Head})
	if err != nil || head.Creator == c.Who.Name {
		return err == nil, err
	}
	through, err := c.Newest()
	return through != nil && through.Entire(a.ID) >= a.Head, err
}

// unknownName is a version of no artifact that a text names.
type unknownName struct {
	ref   brenner.Ref
	alone bool // it is all that a line or a value says, or stands between [[ and ]]: nothing but a reference
}

// doubtful are those of the names that are of no artifact which were meant to be of one.
// Prose speaks of other projects as well, such as one that was made to try something: a
// name in it is doubted only as a slip for an artifact there is. What a text quotes or has
// in a path is not of this project, wherever else it stands in it.
func doubtful(c *kernel.Call, all []unknownName, outside []brenner.ArtifactID) ([]string, error) {
	var out, known []string
	for _, n := range all {
		id := n.ref.Artifact
		if slices.Contains(outside, id) {
			continue
		}
		if !n.alone {
			if known == nil {
				rows, err := c.Reader.Artifacts(c.Ctx, store.ArtifactQuery{Recent: true, Limit: mostKnown})
				if err != nil {
					return nil, err
				}
				for _, a := range rows {
					known = append(known, string(a.ID))
				}
			}
			if brenner.Slip(string(id), known) == "" {
				continue
			}
		}
		out = append(out, n.ref.String())
	}
	return out, nil
}

// isLink says whether what stands between two places of a text is a link: [[name@2]].
func isLink(text string, from, to int) bool {
	return strings.HasSuffix(text[:from], "[[") && strings.HasPrefix(text[to:], "]]")
}

// standsAlone says whether what stands between two places of a text is all of its line,
// but for what separates it from others.
func standsAlone(text string, from, to int) bool {
	start := strings.LastIndexByte(text[:from], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[to:], '\n'); i >= 0 {
		end = to + i
	}
	line := namedVersion.ReplaceAllString(text[start:end], "")
	return strings.Trim(line, " \t-*,;.()[]") == ""
}

// label is a place in a text as it is called at its own beginning, by a capital and a
// number: items of sessions are called so too.
var label = lazy.NewPattern(`(?m)^\W{0,4}([A-Z]{1,2}[0-9]{1,4})(?:\b[ .:)\]]|$)`)

// mostCited is how many of the versions that a text names are looked through for labels.
const mostCited = 4

// LabelsIn are the labels of places in the versions that a text names, as far as the
// caller may read them.
func LabelsIn(c *kernel.Call, text string) (map[string]bool, error) {
	out, looked := map[string]bool{}, map[brenner.Ref]bool{}
	for _, name := range namedVersion.FindAllString(text, mostNamed) {
		ref, err := brenner.ParseRef(name)
		if err != nil || looked[ref] || len(looked) == mostCited {
			continue
		}
		looked[ref] = true
		a, err := c.Reader.Artifact(c.Ctx, ref.Artifact)
		if brenner.CodeOf(err) == brenner.CodeNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		if a.Type == artifact.TypeSessionArtifact || ref.Version > a.Latest || !c.May(policy.Read, a.Type, a.Module) {
			continue
		}
		v, err := c.Version(c.Ctx, ref)
		if err != nil {
			return nil, err
		}
		content, err := ContentOf(c, v)
		if brenner.CodeOf(err) == brenner.CodeRedacted {
			continue
		}
		if err != nil {
			return nil, err
		}
		said := string(content.Data)
		if content.Format == artifact.JSON {
			said = Said(content.Data)
		}
		for _, m := range label.FindAllStringSubmatch(said[:min(len(said), lookedThrough)], -1) {
			if content.Format == artifact.Text || strings.TrimSpace(m[0]) != m[1] { // a field of its own may name an item
				out[m[1]] = true
			}
		}
	}
	return out, nil
}

// Spans are pieces of a text.
type Spans [][2]int

// Covers says whether a place of the text is in one of them.
func (s Spans) Covers(at int) bool {
	return slices.ContainsFunc(s, func(span [2]int) bool { return span[0] <= at && at < span[1] })
}

// quotation is what stands between quotation marks in one line. A straight mark opens
// after a blank or a bracket and closes before what may follow a word, so that an
// apostrophe is none; quotedLine is a line that quotes, or that was typed behind a prompt.
var (
	quotation  = lazy.NewPattern(`(?m)(?:^|[\s(\[{=:,;/])("[^"\n]+"|'[^\s'](?:[^'\n]|'\w)*'|“[^”\n]+”|„[^“”\n]+[“”]|‘[^’\n]+’|«[^»\n]+»)(?:$|[^\w'"])`)
	quotedLine = lazy.NewPattern(`(?m)^ *(?:> ?|[A-Za-z]*[$%] ).*$`)
)

// Quotations are the pieces of a text that are words of others: code, what stands in
// quotation marks, lines that are marked as quoted or as typed.
func Quotations(text string) Spans {
	out := codeIn(text)
	for from := 0; ; { // what closes one may stand before the next
		m := quotation.Regexp().FindStringSubmatchIndex(text[from:])
		if m == nil {
			break
		}
		out = append(out, [2]int{from + m[2], from + m[3]})
		from += m[3]
	}
	for _, m := range quotedLine.FindAllStringIndex(text, -1) {
		out = append(out, [2]int{m[0], m[1]})
	}
	return out
}

// codeIn gives the pieces of a text that stand between backquotes: as many of them
// before as behind.
func codeIn(text string) Spans {
	var out Spans
	run := func(from int) int {
		n := 0
		for from+n < len(text) && text[from+n] == '`' {
			n++
		}
		return n
	}
	for i := 0; i < len(text); i++ {
		n := run(i)
		if n == 0 {
			continue
		}
		from := i + n
		for j := from; j < len(text); j++ {
			if m := run(j); m == n {
				out, i = append(out, [2]int{from, j}), j+m-1
				break
			} else if m > 0 {
				j += m - 1
			}
		}
		i = max(i, from-1)
	}
	return out
}

// inPath says whether what stands between two places of a text is a piece of a path,
// of an address or of a version of three numbers, such as actions/checkout@4 or
// left-pad@1.3.0.
func inPath(text string, from, to int) bool {
	return insidePath(text, from, to) || strings.HasPrefix(text[to:], "/")
}

// insidePath is inPath where a place may follow, as in log@2/F3.
func insidePath(text string, from, to int) bool {
	if from > 0 && strings.IndexByte(`/\@`, text[from-1]) >= 0 {
		return true
	}
	rest := text[to:]
	return strings.HasPrefix(rest, "@") || len(rest) > 1 && rest[0] == '.' && '0' <= rest[1] && rest[1] <= '9'
}

// Cited are the versions that a text cites by their names, of each artifact the newest: a
// text that tells what took the place of what rests on that.
func Cited(text string) []brenner.Ref {
	var out []brenner.Ref
	for _, at := range namedVersion.FindAllStringIndex(text, -1) {
		ref, err := brenner.ParseRef(text[at[0]:at[1]])
		if err != nil || insidePath(text, at[0], at[1]) {
			continue
		}
		same := slices.IndexFunc(out, func(o brenner.Ref) bool { return o.Artifact == ref.Artifact })
		if same < 0 {
			out = append(out, ref)
		} else if out[same].Version < ref.Version {
			out[same] = ref
		}
	}
	return out
}

// Said is all that a JSON value says, a line for each key and text. A key that has
// null it does not name.
func Said(raw jsontext.Value) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return ""
	}
	var b strings.Builder
	var write func(any)
	write = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, el := range v {
				write(el)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if v[key] != nil {
					b.WriteString(key + "\n")
					write(v[key])
				}
			}
		}
	}
	write(value)
	return b.String()
}

// withDoubts adds to what a write came to which versions an agent's text names
// that are not there, or have been replaced.
func withDoubts(ch *kernel.Change, body *api.Body) func(api.WriteResult, error) (api.WriteResult, error) {
	return func(res api.WriteResult, err error) (api.WriteResult, error) {
		if err != nil || body == nil || ch.Person() {
			return res, err
		}
		text := body.Data
		if body.Format == artifact.JSON {
			text = Said(jsontext.Value(text))
		}
		found, err := NamedVersions(ch.Call, text, res.Ref.Artifact)
		found = slices.DeleteFunc(found, func(d brenner.Diagnostic) bool { // a link says so
			return slices.ContainsFunc(res.Warnings, func(w brenner.Diagnostic) bool { return w.Code == d.Code && w.Subject == d.Subject })
		})
		res.Warnings = slices.Concat(res.Warnings, found)
		return res, err
	}
}

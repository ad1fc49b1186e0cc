package ledger

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/lazy"
	"brenner/policy"
)

// namedVersion is a version as texts name it.
var namedVersion = lazy.NewPattern(`[A-Za-z0-9][A-Za-z0-9._-]{0,127}@[0-9]{1,6}`)

// How much of a text is looked through for versions it names, and how many are
// looked up.
const (
	lookedThrough = 64 << 10
	mostNamed     = 20
)

// NamedVersions says which versions a text names that are not there, or that a
// newer one has taken the place of. What the caller may not read is passed over,
// as is what the text is a version of. Names that are of no artifact at all are
// said together: they may be of something else, as in code and paths they are.
func NamedVersions(c *kernel.Call, text string, but brenner.ArtifactID) ([]brenner.Diagnostic, error) {
	var out []brenner.Diagnostic
	var seen, unknown []string
	text = text[:min(len(text), lookedThrough)]
	code := codeIn(text)
	for _, at := range namedVersion.FindAllStringIndex(text, 4*mostNamed) {
		name := text[at[0]:at[1]]
		ref, err := brenner.ParseRef(name)
		if err != nil || ref.Artifact == but || slices.Contains(seen, name) || len(seen) == mostNamed {
			continue
		}
		seen = append(seen, name)
		d := brenner.Diagnostic{Code: brenner.CodeDanglingReference, Severity: brenner.SeverityWarning, Subject: name}
		a, err := c.Reader.Artifact(c.Ctx, ref.Artifact)
		switch {
		case brenner.CodeOf(err) == brenner.CodeNotFound:
			if !code.covers(at[0]) && !inPath(text, at[0], at[1]) {
				unknown = append(unknown, name)
			}
			continue
		case err != nil:
			return nil, err
		case !c.May(policy.Read, a.Type, a.Module):
			continue
		case ref.Version > a.Latest:
			d.Message = fmt.Sprintf("%s is named, and %s is at version %d", name, ref.Artifact, a.Latest)
		case ref.Version < a.Head:
			d.Code, d.Message = brenner.CodeReferenceMoved, fmt.Sprintf("%s is named, and %s is at version %d by now", name, ref.Artifact, a.Head)
		default:
			continue
		}
		out = append(out, d)
	}
	if len(unknown) > 0 {
		out = append(out, brenner.Diagnostic{
			Code: brenner.CodeDanglingReference, Severity: brenner.SeverityWarning, Subject: unknown[0],
			Message: fmt.Sprintf("named, and not an artifact here: %s", kernel.FirstFew(unknown)),
		})
	}
	return out, nil
}

// spans are pieces of a text, in order.
type spans [][2]int

func (s spans) covers(at int) bool {
	return slices.ContainsFunc(s, func(span [2]int) bool { return span[0] <= at && at < span[1] })
}

// codeIn gives the pieces of a text that stand between backquotes: as many of them
// before as behind.
func codeIn(text string) spans {
	var out spans
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
	if from > 0 && strings.IndexByte(`/\@`, text[from-1]) >= 0 {
		return true
	}
	rest := text[to:]
	return len(rest) > 0 && (rest[0] == '/' || rest[0] == '@') || len(rest) > 1 && rest[0] == '.' && '0' <= rest[1] && rest[1] <= '9'
}

// withDoubts adds to what a write came to which versions an agent's text names
// that are not there, or have been replaced.
func withDoubts(ch *kernel.Change, body *api.Body) func(api.WriteResult, error) (api.WriteResult, error) {
	return func(res api.WriteResult, err error) (api.WriteResult, error) {
		if err != nil || body == nil || ch.Person() {
			return res, err
		}
		found, err := NamedVersions(ch.Call, body.Data, res.Ref.Artifact)
		res.Warnings = slices.Concat(res.Warnings, found)
		return res, err
	}
}

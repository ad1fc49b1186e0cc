package ledger

import (
	"fmt"
	"slices"

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
// said together: they may be of something else.
func NamedVersions(c *kernel.Call, text string, but brenner.ArtifactID) ([]brenner.Diagnostic, error) {
	var out []brenner.Diagnostic
	var seen, unknown []string
	for _, name := range namedVersion.FindAllString(text[:min(len(text), lookedThrough)], 4*mostNamed) {
		ref, err := brenner.ParseRef(name)
		if err != nil || ref.Artifact == but || slices.Contains(seen, name) || len(seen) == mostNamed {
			continue
		}
		seen = append(seen, name)
		d := brenner.Diagnostic{Code: brenner.CodeDanglingReference, Severity: brenner.SeverityWarning, Subject: name}
		a, err := c.Reader.Artifact(c.Ctx, ref.Artifact)
		switch {
		case brenner.CodeOf(err) == brenner.CodeNotFound:
			unknown = append(unknown, name)
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

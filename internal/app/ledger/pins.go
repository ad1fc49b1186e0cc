package ledger

import (
	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/policy"
)

// PinsAt is how the artifacts of some versions stand now.
func PinsAt(c *kernel.Call, refs []brenner.Ref) ([]api.Pin, error) {
	artifacts, err := ArtifactsOf(c, refs)
	out := make([]api.Pin, len(refs))
	for i, ref := range refs {
		a := artifacts[ref.Artifact]
		out[i] = api.Pin{Ref: ref, Canonical: a.Canonical, Head: a.Head}
	}
	return out, err
}

// PinOf fixes an input at the version that is in force now.
func PinOf(c *kernel.Call, ref brenner.Ref) (api.Pin, error) {
	a, err := FindArtifact(c, ref.Artifact, policy.Read)
	if err != nil {
		return api.Pin{}, err
	}
	v, err := InForce(c, a, ref.Version)
	return api.Pin{Ref: v.Ref(), Canonical: a.Canonical, Head: a.Head}, err
}

// Reading is a version that a context showed, as it stood then.
type Reading struct {
	api.Pin
	Invocation string
}

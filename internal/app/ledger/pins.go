package ledger

import (
	"brenner"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/policy"
)

// Pin is a version as its artifact stood when it was fixed. It is part of
// records and of the state of tasks and contexts.
type Pin struct {
	Ref brenner.Ref `json:"ref"`
	// Canonical and Head are those of the artifact at that time.
	Canonical brenner.Version `json:"canonical,omitzero"`
	Head      brenner.Version `json:"head"`
}

// PinsAt is how the artifacts of some versions stand now.
func PinsAt(c *kernel.Call, refs []brenner.Ref) ([]Pin, error) {
	artifacts, err := ArtifactsOf(c, refs)
	out := make([]Pin, len(refs))
	for i, ref := range refs {
		a := artifacts[ref.Artifact]
		out[i] = Pin{Ref: ref, Canonical: a.Canonical, Head: a.Head}
	}
	return out, err
}

// PinOf fixes an input at the version that is in force now.
func PinOf(c *kernel.Call, ref brenner.Ref) (Pin, error) {
	a, err := FindArtifact(c, ref.Artifact, policy.Read)
	if err != nil {
		return Pin{}, err
	}
	v, err := InForce(c, a, ref.Version)
	return Pin{Ref: v.Ref(), Canonical: a.Canonical, Head: a.Head}, err
}

// Reading is a version that a context showed, as it stood then.
type Reading struct {
	Pin
	Invocation string
	Summary    bool // and no more of it
}

// SessionMove is what others changed in the document of a session.
type SessionMove struct {
	Others  bool           // changed anything
	Names   bool           // what rests on it names items of it
	Changed []delta.ItemID // of these
}

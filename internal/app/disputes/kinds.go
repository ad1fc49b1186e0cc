package disputes

import (
	"brenner"
	"brenner/automation"
	"brenner/internal/app/kernel"
)

// Kinds are the kinds of record of this room.
func Kinds() []kernel.AnyKind {
	return []kernel.AnyKind{
		kindPatchFailed,
		kindStalemateMoved,
		kindStalemateRaised,
	}
}

var (
	kindPatchFailed     = kernel.Kind[patchFailed]{Name: "patch.failed", Apply: applyPatchFailed}
	kindStalemateMoved  = kernel.Kind[stalemateMoved]{Name: "stalemate.moved", Apply: applyStalemateMoved, Stores: func(p stalemateMoved) []brenner.Digest { return p.Evidence }, Of: func(p stalemateMoved) brenner.Ref { return p.Ref }, Texts: []string{"/reason"}}
	kindStalemateRaised = kernel.Kind[stalemateRaised]{Name: "stalemate.raised", Apply: applyStalemateRaised, Stores: func(p stalemateRaised) []brenner.Digest { return p.Evidence }, Of: func(p stalemateRaised) brenner.Ref { return p.Ref }, Events: raisedEvents}
)

func raisedEvents(p stalemateRaised) []automation.Event {
	return []automation.Event{{On: automation.StalemateRaised, Subject: p.Ref.String(), Ref: p.Ref}}
}

package firings

import (
	"brenner/internal/app/kernel"
)

// Kinds are the kinds of record of this room.
func Kinds() []kernel.AnyKind {
	return []kernel.AnyKind{
		kindFired, kindLooked, kindPaused, kindResumed, kindSettled,
		kernel.ConfigApplied.Follower(applyConfigured),
	}
}

var (
	kindFired   = kernel.Kind[fired]{Name: "automation.fired", Apply: applyFired, Texts: []string{"/why", "/message"}}
	kindLooked  = kernel.Kind[looked]{Name: "automation.looked", Apply: applyLooked}
	kindPaused  = kernel.Kind[paused]{Name: "automation.paused", Apply: applyPaused, Texts: []string{"/reason"}}
	kindResumed = kernel.Kind[paused]{Name: "automation.resumed", Apply: applyResumed, Texts: []string{"/reason"}}
	kindSettled = kernel.Kind[settled]{Name: "automation.settled", Apply: applySettled}
)

package runs

import "brenner/internal/app/kernel"

// Kinds are the kinds of record of this room.
func Kinds() []kernel.AnyKind {
	return []kernel.AnyKind{
		kindRunEnded, kindRunRenewed, kindRunStarted, kindRunStopAsked, kernel.ActorPut.Follower(applyRegistration),
	}
}

var (
	kindRunEnded     = kernel.Kind[runEnded]{Name: "run.ended", Apply: applyRunEnded, Stores: storedByEnd, Events: endedEvents, Texts: []string{"/end/said", "/end/message", "/end/notes/*"}}
	kindRunRenewed   = kernel.Kind[runRenewed]{Name: "run.renewed", Apply: applyRunRenewed}
	kindRunStarted   = kernel.Kind[runStarted]{Name: "run.started", Apply: applyRunStarted}
	kindRunStopAsked = kernel.Kind[runStopAsked]{Name: "run.stop_asked", Apply: applyRunStopAsked, Texts: []string{"/reason"}}
)

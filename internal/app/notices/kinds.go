package notices

import "brenner/internal/app/kernel"

// Kinds lists the kinds of records of the room.
func Kinds() []kernel.AnyKind { return []kernel.AnyKind{kindQueued, kindTried} }

var (
	kindQueued = kernel.Kind[queued]{Name: "notice.queued", Apply: applyQueued}
	kindTried  = kernel.Kind[tried]{Name: "notice.tried", Apply: applyTried, Texts: []string{"/why"}}
)

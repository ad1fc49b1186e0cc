package ledger

import (
	"brenner"
	"brenner/internal/app/kernel"
)

// Kinds are the kinds of record of this room.
func Kinds() []kernel.AnyKind {
	return []kernel.AnyKind{
		ContentRedacted,
		LinkAdded,
		StatusDecided,
		VersionWritten,
	}
}

// The kinds of record of the ledger, which other rooms may write and follow.
var (
	ContentRedacted = kernel.Kind[Redacted]{Name: "content.redacted", Apply: applyRedacted, Governs: true}
	LinkAdded       = kernel.Kind[Linked]{Name: "link.added", Apply: applyLinked}
	StatusDecided   = kernel.Kind[Decided]{Name: "status.decided", Apply: applyDecided, Governs: true}
	VersionWritten  = kernel.Kind[Written]{Name: "version.written", Apply: applyWritten, Stores: func(p Written) []brenner.Digest { return []brenner.Digest{p.Content} }}
)

package contexts

import (
	"brenner"
	"brenner/internal/app/kernel"
)

// Kinds are the kinds of record of this room.
func Kinds() []kernel.AnyKind {
	return []kernel.AnyKind{
		kindContextAssembled,
		kindContextRead,
		kernel.Every(applyWrite),
	}
}

var (
	kindContextAssembled = kernel.Kind[invocation]{Name: "context.assembled", Apply: applyContextAssembled, Stores: func(p invocation) []brenner.Digest { return []brenner.Digest{p.Record} }, Texts: []string{"/question", "/later/*/what"}}
	kindContextRead      = kernel.Kind[contextRead]{Name: "context.read", Apply: applyContextRead, Texts: []string{"/what"}}
)

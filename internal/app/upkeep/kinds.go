package upkeep

import (
	"brenner/internal/app/kernel"
)

// Kinds are the kinds of record of this room.
func Kinds() []kernel.AnyKind {
	return []kernel.AnyKind{
		kindConsolidationDone,
	}
}

var kindConsolidationDone = kernel.Kind[consolidationDone]{Name: "consolidation.done", Apply: applyConsolidationDone}

package history

import "brenner/internal/app/kernel"

// Kinds are the kinds of record of this room.
func Kinds() []kernel.AnyKind { return []kernel.AnyKind{kindHistoryAccepted} }

var kindHistoryAccepted = kernel.Kind[historyAccepted]{Name: "history.accepted"}

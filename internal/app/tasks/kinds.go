package tasks

import (
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
)

// Kinds are the kinds of record of this room.
func Kinds() []kernel.AnyKind {
	return []kernel.AnyKind{
		kindTaskCanceled,
		kindTaskClaimed,
		kindTaskCompleted,
		kindTaskOpened,
		kindTaskReleased,
		ledger.VersionWritten.Follower(applyOutput),
	}
}

var (
	kindTaskCanceled  = kernel.Kind[taskCanceled]{Name: "task.canceled", Apply: applyTaskCanceled}
	kindTaskClaimed   = kernel.Kind[taskClaimed]{Name: "task.claimed", Apply: applyTaskClaimed}
	kindTaskCompleted = kernel.Kind[taskCompleted]{Name: "task.completed", Apply: applyTaskCompleted}
	kindTaskOpened    = kernel.Kind[taskOpened]{Name: "task.opened", Apply: applyTaskOpened}
	kindTaskReleased  = kernel.Kind[taskReleased]{Name: "task.released", Apply: applyTaskReleased}
)

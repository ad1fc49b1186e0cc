package tasks

import (
	"brenner/automation"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
)

// Kinds are the kinds of record of this room.
func Kinds() []kernel.AnyKind {
	return []kernel.AnyKind{
		kindTaskCanceled,
		kindTaskClaimed,
		kindTaskCompleted,
		kindTaskDoing,
		kindTaskOpened,
		kindTaskReleased,
		ledger.VersionWritten.Follower(applyOutput),
	}
}

var (
	kindTaskCanceled  = kernel.Kind[taskCanceled]{Name: "task.canceled", Apply: applyTaskCanceled, Texts: []string{"/reason"}}
	kindTaskClaimed   = kernel.Kind[taskClaimed]{Name: "task.claimed", Apply: applyTaskClaimed}
	kindTaskCompleted = kernel.Kind[taskCompleted]{Name: "task.completed", Apply: applyTaskCompleted, Events: completedEvents, Texts: []string{"/note"}}
	kindTaskDoing     = kernel.Kind[taskDoing]{Name: "task.doing", Apply: applyTaskDoing, Texts: []string{"/title", "/hold", "/wants"}}
	kindTaskOpened    = kernel.Kind[taskOpened]{Name: "task.opened", Apply: applyTaskOpened, Texts: []string{"/title", "/spec", "/runs/test", "/parts/*/part"}}
	kindTaskReleased  = kernel.Kind[taskReleased]{Name: "task.released", Apply: applyTaskReleased, Texts: []string{"/note"}}
)

// completedEvents is what a completed task means for automation: it is done, and
// what it made is handed in.
func completedEvents(p taskCompleted) []automation.Event {
	events := []automation.Event{{On: automation.TaskDone, Subject: p.ID, Task: p.ID}}
	for _, ref := range p.Outputs {
		events = append(events, automation.Event{On: automation.HandedIn, Subject: ref.String(), Ref: ref, Task: p.ID})
	}
	return events
}

package app_test

import (
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/automation"
	"brenner/internal/store/memory"
)

// A4, C19: a fork opens a task, and the task is closed by the system, with the
// record that settled it, once the fork is gone: by a decision or by a version
// that joins both. What somebody is at stays.
func TestAutomation_ASettledForkClosesItsTask(t *testing.T) {
	for name, settle := range map[string]func(l *loop, id brenner.ArtifactID){
		"by a decision": func(l *loop, id brenner.ArtifactID) {
			l.promote(brenner.Ref{Artifact: id, Version: 3})
			_, err := l.PI().Deprecate(l.Context(), api.DecisionRequest{Ref: brenner.Ref{Artifact: id, Version: 2}, Reason: "the other holds"})
			l.must(err)
		},
		"by a version of both": func(l *loop, id brenner.ArtifactID) {
			l.write("ada", id, "paper_note", "growth", "both", artifact.Link{Rel: artifact.Supersedes, Artifact: id, Version: 2})
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLoop(t, memory.New(), loopConfig)
			fork := causes[automation.Forked].do
			fork(l, 0)
			fork(l, 1)
			l.rest()
			open := l.tasks()
			zero, one := open["Resolve the fork of note-0"], open["Resolve the fork of note-1"]
			if zero.ID == "" || one.ID == "" || zero.Creator != "system" {
				t.Fatalf("open are %v", open)
			}
			settle(l, "note-0")
			l.rest()
			if still := l.tasks(); still[zero.Title].ID != "" || still[one.Title].ID != one.ID {
				t.Errorf("open are %v", still)
			}
			got, err := l.PI().Task(l.Context(), api.TaskRequest{ID: zero.ID})
			l.must(err)
			if got.State != api.TaskCanceled || !strings.HasPrefix(got.Note, "the fork is gone (record ") {
				t.Errorf("it is %s: %s", got.State, got.Note)
			}
			fired := l.firings("forks")
			if !slices.ContainsFunc(fired, func(f api.Firing) bool {
				return f.Event.On == automation.ForkSettled && f.Subject == "note-0" && f.Why == got.Note
			}) {
				t.Errorf("fired %+v", fired)
			}
			// a task that somebody is at is left to that one
			_, err = l.As("Ivy").ClaimTask(l.Context(), api.ClaimTaskRequest{ID: one.ID})
			l.must(err)
			settle(l, "note-1")
			l.rest()
			if l.tasks()[one.Title].State != api.TaskClaimed {
				t.Errorf("the claimed task is gone: %v", l.tasks())
			}
			if l.rest() != 0 {
				t.Error("it does not rest")
			}
		})
	}
}

package app_test

import (
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/internal/store/memory"
)

// A4, N5: a task to renew what is stale is closed by the system, with the record that did
// it, once nothing that it names is stale any more; not before the last of it is. What
// somebody is at stays.
func TestAutomation_WhatWasConfirmedNeedsNoUpdate(t *testing.T) {
	l := newLoop(t, memory.New(), loopConfig)
	note := l.write("Hugo", "oxygen", "paper_note", "growth", "twelve per cent")
	l.promote(note)
	for _, id := range []brenner.ArtifactID{"model-a", "model-b"} {
		l.promote(l.write("Hugo", id, "model_spec", "growth", "rests on oxygen", dependsOn(note)))
	}
	l.promote(l.write("Ivy", "memo", "integrated_memo", "growth", "what stands", dependsOn(note)))
	l.promote(l.write("Hugo", "oxygen", "paper_note", "growth", "twenty per cent"))
	l.rest()
	ids := map[brenner.Role]string{}
	for _, f := range l.firings("update") {
		task, err := l.PI().Task(t.Context(), api.TaskRequest{ID: f.Tasks[0]})
		l.must(err)
		ids[task.Role] = task.ID
	}
	confirm := func(id brenner.ArtifactID) {
		t.Helper()
		_, err := l.PI().Decide(t.Context(), api.DecideRequest{Decision: api.DecideStillHolds, Refs: []brenner.Ref{{Artifact: id, Version: 1}}, Reason: "looked at"})
		l.must(err)
		l.rest()
	}
	state := func(role brenner.Role) api.TaskInfo {
		t.Helper()
		task, err := l.PI().Task(t.Context(), api.TaskRequest{ID: ids[role]})
		l.must(err)
		return task
	}
	confirm("model-a")
	if got := state("hypothesis_generator"); got.State != api.TaskOpen {
		t.Fatalf("model-b is stale still, and the task is %s: %s", got.State, got.Note)
	}
	confirm("model-b")
	got := state("hypothesis_generator")
	if got.State != api.TaskCanceled || !strings.HasPrefix(got.Note, "nothing that it is to renew is stale any more (record ") {
		t.Errorf("it is %s: %s", got.State, got.Note)
	}
	if !slices.ContainsFunc(l.firings("update"), func(f api.Firing) bool { return f.Why == got.Note && len(f.Tasks) == 0 }) {
		t.Errorf("fired %+v", l.firings("update"))
	}
	if got := state("integrator"); got.State != api.TaskOpen {
		t.Errorf("the memo is stale still, and the task is %s: %s", got.State, got.Note)
	}
	_, err := l.As("Ivy").ClaimTask(t.Context(), api.ClaimTaskRequest{ID: ids["integrator"]})
	l.must(err)
	confirm("memo")
	if got := state("integrator"); got.State != api.TaskClaimed {
		t.Errorf("somebody is at it, and it is %s: %s", got.State, got.Note)
	}
	if l.rest() != 0 {
		t.Error("it does not rest")
	}
	// When it moves again, it is stale again.
	l.promote(l.write("Hugo", "oxygen", "paper_note", "growth", "thirty per cent"))
	l.rest()
	if open := l.tasks()["Update what rests on oxygen"]; open.ID == "" || open.ID == ids["hypothesis_generator"] {
		t.Errorf("open are %v", l.tasks())
	}
}

// N3: a request for changes is closed, with why, once the version it is about or one that
// came of it is promoted, or is taken out of use; a demotion leaves it.
func TestDecide_ChangesOfWhatIsDecidedAreNotAskedForAnyMore(t *testing.T) {
	ref := func(id brenner.ArtifactID, v brenner.Version) brenner.Ref {
		return brenner.Ref{Artifact: id, Version: v}
	}
	for name, c := range map[string]struct {
		decide func(l *loop) error
		note   string
	}{
		"promoted after all": {func(l *loop) error {
			_, err := l.PI().Promote(l.Context(), api.PromoteRequest{Ref: ref("plan", 1), Reason: "it will do"})
			return err
		}, "changes of plan@1 are not asked for any more: plan@1 was promoted"},
		"what came of it was promoted": {func(l *loop) error {
			l.write("Hugo", "plan", "paper_note", "growth", "second")
			l.write("Hugo", "plan", "paper_note", "growth", "third")
			_, err := l.PI().Decide(l.Context(), api.DecideRequest{Decision: api.DecidePromote, Refs: []brenner.Ref{ref("plan", 3)}, Reason: "better"})
			return err
		}, "changes of plan@1 are not asked for any more: plan@3 was promoted"},
		"out of use": {func(l *loop) error {
			_, err := l.PI().Deprecate(l.Context(), api.DecisionRequest{Ref: ref("plan", 1), Reason: "of no use"})
			return err
		}, "changes of plan@1 are not asked for any more: plan@1 was deprecated"},
		"another was promoted": {func(l *loop) error {
			l.promote(l.write("Hugo", "other", "paper_note", "growth", "first"))
			return nil
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLoop(t, memory.New(), loopConfig)
			l.write("Hugo", "plan", "paper_note", "growth", "first")
			back, err := l.PI().RequestChanges(t.Context(), api.RequestChangesRequest{Ref: ref("plan", 1), Reason: "say which"})
			l.must(err)
			l.must(c.decide(l))
			got, err := l.PI().Task(t.Context(), api.TaskRequest{ID: back.Task.ID})
			l.must(err)
			if canceled := got.State == api.TaskCanceled; canceled != (c.note != "") || got.Note != c.note {
				t.Errorf("it is %s: %s", got.State, got.Note)
			}
		})
	}
}

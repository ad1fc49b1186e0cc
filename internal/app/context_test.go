package app_test

import (
	"context"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/assembly"
	"brenner/internal/store"
	"brenner/internal/store/memory"
)

// interrupted lets something happen just before the next write.
type interrupted struct {
	store.Store
	before func()
}

func (s *interrupted) Write(ctx context.Context, fn func(store.Tx) error) error {
	if before := s.before; before != nil {
		s.before = nil
		before()
	}
	return s.Store.Write(ctx, fn)
}

// worldWithNote is a project with a canonical note and a hypothesis generator
// who holds a task.
func worldWithNote(t *testing.T) (world, *interrupted, api.TaskInfo) {
	t.Helper()
	s := &interrupted{Store: memory.New()}
	w := newWorld(t, s)
	ctx, pi := t.Context(), w.PI()
	if _, err := pi.AddAgent(ctx, api.AddAgentRequest{Name: "Ben", Role: "hypothesis_generator"}); err != nil {
		t.Fatal(err)
	}
	if _, err := pi.CreateArtifact(ctx, api.CreateArtifactRequest{
		ID: "note", Type: "paper_note", Module: "lineage", Summary: "clones",
		Content: api.Body{Format: artifact.Text, Data: strings.Repeat("clones ", 20_000)}, // too long for a context to grow to it
	}); err != nil {
		t.Fatal(err)
	}
	promote(t, w)
	task, err := pi.NewTask(ctx, api.NewTaskRequest{Title: "clones", Spec: "which", Role: "hypothesis_generator", Modules: []brenner.Module{"lineage"}})
	if err != nil {
		t.Fatal(err)
	}
	if task, err = w.As("Ben").ClaimTask(ctx, api.ClaimTaskRequest{ID: task.ID}); err != nil {
		t.Fatal(err)
	}
	return w, s, task
}

func promote(t *testing.T, w world) {
	t.Helper()
	if _, err := w.PI().Promote(t.Context(), api.PromoteRequest{Ref: brenner.Ref{Artifact: "note"}, Reason: "read"}); err != nil {
		t.Fatal(err)
	}
}

// C17, C30: a context is made on a snapshot, and what moves before it is
// recorded has moved for its reader.
func TestAssemble_WhatMovesBeforeTheRecordHasMoved(t *testing.T) {
	w, s, task := worldWithNote(t)
	s.before = func() {
		summary := "clones, counted again"
		if _, err := w.PI().UpdateArtifact(t.Context(), api.UpdateArtifactRequest{ID: "note", Summary: &summary}); err != nil {
			t.Error(err)
		}
		promote(t, w)
	}
	made, err := w.As("Ben").AssembleContext(t.Context(), api.ContextRequest{Task: task.ID})
	if err != nil || len(made.Record.Items) != 1 || made.Record.Items[0].Ref.Version != 1 {
		t.Fatalf("%v shows %+v", err, made.Record.Items)
	}
	done, err := w.As("Ben").CompleteTask(t.Context(), api.CompleteTaskRequest{ID: task.ID})
	// It was shown as a summary only: that is said, and marks nothing.
	if err != nil || len(done.Moved) != 0 || len(done.Summaries) != 1 || done.Summaries[0].Through != made.Invocation {
		t.Errorf("%v, moved: %+v, summaries: %+v", err, done.Moved, done.Summaries)
	}
}

// C34: who goes on with a task is not given again what its context has shown; for
// another task it is, though that goes on from the same context.
func TestAssemble_GoesOnForTheSameTask(t *testing.T) {
	w, _, task := worldWithNote(t)
	ben := w.As("Ben")
	other, err := w.PI().NewTask(t.Context(), api.NewTaskRequest{Title: "clones", Spec: "how many", Role: "hypothesis_generator", Modules: []brenner.Module{"lineage"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ben.ClaimTask(t.Context(), api.ClaimTaskRequest{ID: other.ID}); err != nil {
		t.Fatal(err)
	}
	shown := func(task, after string) (assembly.Variant, string) {
		t.Helper()
		made, err := ben.AssembleContext(t.Context(), api.ContextRequest{Task: task, After: after})
		if err != nil || len(made.Record.Items) != 1 {
			t.Fatalf("%v shows %+v", err, made.Record.Items)
		}
		return made.Record.Items[0].Variant, made.Invocation
	}
	first, context := shown(task.ID, "")
	again, _ := shown(task.ID, context)
	elsewhere, _ := shown(other.ID, context)
	if first != assembly.Summary || again != assembly.Named || elsewhere != assembly.Summary {
		t.Errorf("at first %s, again %s, for another task %s", first, again, elsewhere)
	}
}

// C20, C34: of a budget that begins anew everything is left, and nothing is selected for it; it is
// for what the one before was for, is recorded as such, and what that gave is not given again.
func TestAssemble_ABudgetBeginsAnew(t *testing.T) {
	w, _, task := worldWithNote(t)
	ben := w.As("Ben")
	if _, err := ben.AssembleContext(t.Context(), api.ContextRequest{Task: task.ID, Renew: true}); brenner.CodeOf(err) != brenner.CodeInvalidValue {
		t.Errorf("of no earlier one: %v", err)
	}
	if _, err := ben.AssembleContext(t.Context(), api.ContextRequest{Task: task.ID, After: "ctx-99", Renew: true}); brenner.CodeOf(err) != brenner.CodeNotFound {
		t.Errorf("of one that is not there: %v", err)
	}
	first, err := ben.AssembleContext(t.Context(), api.ContextRequest{Task: task.ID})
	if err != nil {
		t.Fatal(err)
	}
	note := api.ArtifactRequest{Ref: brenner.Ref{Artifact: "note"}, Size: 1000}
	if v, err := ben.Artifact(t.Context(), note); err != nil || v.Repeated {
		t.Fatalf("%v, repeated: %v", err, v.Repeated)
	}
	anew, err := ben.AssembleContext(t.Context(), api.ContextRequest{Task: task.ID, After: first.Invocation, Renew: true})
	if err != nil || len(anew.Record.Items) != 0 || anew.Left <= first.Left {
		t.Fatalf("%v: %d left after %d, with %v", err, anew.Left, first.Left, anew.Record.Items)
	}
	if v, err := ben.Artifact(t.Context(), note); err != nil || !v.Repeated {
		t.Errorf("%v: what was given is given again", err)
	}
	info, err := w.PI().Invocation(t.Context(), api.InvocationRequest{ID: anew.Invocation})
	if err != nil || info.Task != task.ID {
		t.Errorf("%v: it is recorded for %q", err, info.Task)
	}

	asked, err := ben.AssembleContext(t.Context(), api.ContextRequest{Question: "clones"})
	if err != nil {
		t.Fatal(err)
	}
	if anew, err = ben.AssembleContext(t.Context(), api.ContextRequest{After: asked.Invocation, Renew: true}); err != nil {
		t.Fatal(err)
	}
	if info, err = w.PI().Invocation(t.Context(), api.InvocationRequest{ID: anew.Invocation}); err != nil || info.Question != "clones" {
		t.Errorf("%v: it is recorded for %q", err, info.Question)
	}
}

// C8: whoever loses the task or the role before the record does not get the
// context.
func TestAssemble_IsDecidedWhenItIsRecorded(t *testing.T) {
	w, s, task := worldWithNote(t)
	s.before = func() {
		if _, err := w.PI().CancelTask(t.Context(), api.CancelTaskRequest{ID: task.ID, Reason: "done elsewhere"}); err != nil {
			t.Error(err)
		}
	}
	_, err := w.As("Ben").AssembleContext(t.Context(), api.ContextRequest{Task: task.ID})
	if brenner.CodeOf(err) != brenner.CodeTaskClosed {
		t.Errorf("for a canceled task: %v", err)
	}
	s.before = func() {
		if _, err := w.PI().AddAgent(t.Context(), api.AddAgentRequest{Name: "Ben", Role: "adversarial_critic", Update: true}); err != nil {
			t.Error(err)
		}
	}
	made, err := w.As("Ben").AssembleContext(t.Context(), api.ContextRequest{Question: "clones"})
	if err != nil {
		t.Fatal(err)
	}
	info, err := w.PI().Invocation(t.Context(), api.InvocationRequest{ID: made.Invocation})
	if err != nil || info.Role != "adversarial_critic" || !strings.HasPrefix(made.Text, "# Context for Ben, adversarial_critic\n") {
		t.Errorf("%v: recorded for a %s:\n%s", err, info.Role, made.Text)
	}
}

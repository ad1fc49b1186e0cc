package mcpserver_test

import (
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/roster"
)

// C11, N3: whoever reads a version is told what was decided about it and why, what it changed
// and why, what takes its place and what was objected to it, in a line each.
func TestArtifactGet_SaysWhatWasDecidedAndWhy(t *testing.T) {
	w := newWorld(t)
	pi := w.local("ada")
	if _, err := pi.AddAgent(t.Context(), api.AddAgentRequest{Name: "BlueLake", Role: roster.HypothesisGenerator}); err != nil {
		t.Fatal(err)
	}
	blue := &player{t: t, name: "BlueLake", session: w.session("BlueLake")}
	blue.call("context_assemble", arguments{"question": "oxygen", "modules": []any{"lineage"}})
	note := func(id brenner.ArtifactID, links ...artifact.Link) {
		t.Helper()
		if _, err := pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: id, Type: artifact.TypePaperNote, Module: "lineage", Summary: "What " + string(id) + " says.", Links: links,
			Content: api.Body{Format: artifact.Text, Data: "It says so of " + string(id)},
		}); err != nil {
			t.Fatal(err)
		}
	}
	get := func(ref string) string { return blue.callFor("artifact_get", arguments{"ref": ref, "again": true}) }
	note("first")
	blue.mustNot(get("first"), "decision of", "superseded by", "change (data)")

	content := api.Body{Format: artifact.Text, Data: "It says less"}
	if _, err := pi.UpdateArtifact(t.Context(), api.UpdateArtifactRequest{ID: "first", Parent: 1, Content: &content, SummaryHolds: true, Change: &artifact.Change{What: "a claim was dropped", Why: "two of three\ncould not be repeated"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := pi.Promote(t.Context(), api.PromoteRequest{Ref: brenner.Ref{Artifact: "first", Version: 2}, Reason: "the third repetition came out the same"}); err != nil {
		t.Fatal(err)
	}
	blue.must(get("first@2"), "\ncanonical by a decision of ada, 2020-03-14 15:09 (data): the third repetition came out the same\n",
		"\nchange (data): a claim was dropped; why: two of three could not be repeated\n")
	if _, err := pi.Demote(t.Context(), api.DecisionRequest{Ref: brenner.Ref{Artifact: "first", Version: 2}, Reason: strings.Repeat("too early ", 100)}); err != nil {
		t.Fatal(err)
	}
	words := get("first@2")
	blue.must(words, "\ndraft by a decision of ada, 2020-03-14 15:09 (data): too early too early")
	blue.mustNot(words, "came out the same", strings.Repeat("too early ", 40))

	note("second", artifact.Link{Rel: artifact.Supersedes, Artifact: "first", Version: 2})
	back, err := pi.RequestChanges(t.Context(), api.RequestChangesRequest{Ref: brenner.Ref{Artifact: "first", Version: 2}, Reason: "the units are missing"})
	if err != nil {
		t.Fatal(err)
	}
	blue.must(get("first@2"), "\nsuperseded by second@1 (data): What second says.\n", "\ncriticised in "+back.Critique.String()+" (data): Changes requested in first@2: the units are missing\n")
	blue.must(blue.callFor("context_assemble", arguments{"question": "what does first say?", "modules": []any{"lineage"}}), "superseded by second@1")
	if _, err := pi.Deprecate(t.Context(), api.DecisionRequest{Ref: brenner.Ref{Artifact: "second"}, Reason: "it was a mistake"}); err != nil {
		t.Fatal(err)
	}
	blue.mustNot(get("first@2"), "superseded by")
	blue.must(get("second@1"), "\ndeprecated by a decision of ada, 2020-03-14 15:09 (data): it was a mistake\n")
}

// C36: of a task that is over its reader is told what was said with that, or why it was canceled.
func TestArtifactGet_SaysWhatWasSaidAtTheEndOfATask(t *testing.T) {
	w := newWorld(t)
	pi := w.local("ada")
	if _, err := pi.AddAgent(t.Context(), api.AddAgentRequest{Name: "BlueLake", Role: roster.HypothesisGenerator}); err != nil {
		t.Fatal(err)
	}
	blue := &player{t: t, name: "BlueLake", session: w.session("BlueLake")}
	blue.call("context_assemble", arguments{"question": "oxygen", "modules": []any{"lineage"}})
	open := func(title string) string {
		made, err := pi.NewTask(t.Context(), api.NewTaskRequest{Title: title, Spec: "Do it", Role: roster.HypothesisGenerator, Modules: []brenner.Module{"lineage"}})
		if err != nil {
			t.Fatal(err)
		}
		return made.ID
	}
	dropped, done := open("Count the herons"), open("Weigh the eels")
	if _, err := pi.CancelTask(t.Context(), api.CancelTaskRequest{ID: dropped, Reason: "the weir is closed"}); err != nil {
		t.Fatal(err)
	}
	blue.call("task_claim", arguments{"id": done})
	blue.call("task_complete", arguments{"id": done, "note": "there were none"})
	blue.must(blue.callFor("artifact_get", arguments{"ref": dropped}), "why it was canceled (data): the weir is closed\n")
	blue.must(blue.callFor("artifact_get", arguments{"ref": done}), "what was said with it (data): there were none\n")
}

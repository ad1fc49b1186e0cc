package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/roster"
)

// C21: which version of an artifact a search shows does not depend on how many hits are asked
// for, and what is not listed is counted.
func TestSearch_ShowsTheSameWhateverTheLimit(t *testing.T) {
	w := newWorld(t)
	pi := w.local("ada")
	if _, err := pi.AddAgent(t.Context(), api.AddAgentRequest{Name: "BlueLake", Role: roster.HypothesisGenerator}); err != nil {
		t.Fatal(err)
	}
	write := func(id brenner.ArtifactID, text string) {
		t.Helper()
		if _, err := pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: id, Type: artifact.TypePaperNote, Module: "lineage", Summary: "Note " + string(id), Content: api.Body{Format: artifact.Text, Data: text},
		}); err != nil {
			t.Fatal(err)
		}
	}
	write("long", "One eel was seen. "+strings.Repeat("Nobody knows the bridge. ", 200))
	if _, err := pi.Promote(t.Context(), api.PromoteRequest{Ref: brenner.Ref{Artifact: "long", Version: 1}, Reason: "read"}); err != nil {
		t.Fatal(err)
	}
	draft := api.Body{Format: artifact.Text, Data: "Eel, mill, spring, trap: the mill traps the eel in spring."}
	if _, err := pi.UpdateArtifact(t.Context(), api.UpdateArtifactRequest{ID: "long", Content: &draft, SummaryHolds: true, Change: &artifact.Change{What: "more", Why: "seen"}}); err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		write(brenner.ArtifactID(fmt.Sprintf("short-%d", i)), "In spring the eel comes to the mill and to the trap.")
	}
	blue := &player{t: t, name: "BlueLake", session: w.session("BlueLake")}
	blue.call("context_assemble", arguments{"question": "oxygen", "modules": []any{"lineage"}})
	for _, limit := range []int{1, 2, 13} {
		words := blue.callFor("artifact_search", arguments{"text": "eel mill spring trap", "limit": limit})
		blue.must(words, "long@1 · paper_note · canonical")
		blue.mustNot(words, "long@2 ·")
		if more := "more: a higher limit lists them"; strings.Contains(words, more) != (limit < 13) {
			t.Errorf("of %d:\n%s", limit, words)
		}
	}
	blue.must(blue.callFor("artifact_search", arguments{"text": "eel mill spring trap", "statuses": []any{"draft"}}), "long@2 · paper_note · draft")
}

// C3, C34: hits that a context has no room for are counted, and the others given.
func TestSearch_GivesTheHitsThatFit(t *testing.T) {
	blue := library(t, "BlueLake", "PurpleMountain")[0]
	blue.told(api.MessageKickoff)
	for _, matter := range []string{"parser", "disk", "network", "cache", "scheduler", "journal", "printer", "linker"} {
		for n := range 6 {
			words := blue.callFor("artifact_search", arguments{"text": fmt.Sprintf("start %s machine %d", matter, n), "limit": 48})
			if strings.Contains(words, "that your context has no room for") {
				blue.must(words, matter+"-")
				return
			}
		}
	}
	t.Error("the context holds everything")
}

// Who asks for a task or a lesson that is not there is not sent to a search, which has
// neither; of a task of another role it is said that what it asks is not told.
func TestArtifactGet_NamesWhereTasksAndLessonsAre(t *testing.T) {
	w := newWorld(t)
	pi := w.local("ada")
	if _, err := pi.AddAgent(t.Context(), api.AddAgentRequest{Name: "BlueLake", Role: roster.HypothesisGenerator}); err != nil {
		t.Fatal(err)
	}
	blue := &player{t: t, name: "BlueLake", session: w.session("BlueLake")}
	blue.call("context_assemble", arguments{"question": "oxygen", "modules": []any{"lineage"}})
	_, words, err := answered[map[string]any](t.Context(), blue.session, "artifact_get", arguments{"ref": "task-999"})
	if brenner.CodeOf(err) != brenner.CodeNotFound {
		t.Errorf("of a task that is not there: %v", err)
	}
	blue.must(words, "status {}")
	blue.mustNot(words, "artifact_search")
	made, err := pi.NewTask(t.Context(), api.NewTaskRequest{Title: "Weigh the eels", Spec: "All", Role: roster.TestDesigner, Modules: []brenner.Module{"lineage"}})
	if err != nil {
		t.Fatal(err)
	}
	words = blue.callFor("artifact_get", arguments{"ref": made.ID})
	blue.must(words, "(what it asks is told to its role)")
	blue.mustNot(words, "Weigh")
}

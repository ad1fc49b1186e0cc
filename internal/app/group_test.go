package app_test

import (
	"errors"
	"path/filepath"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/store/sqlite"
)

// C7: writes that share a commit share what is known of actors and policies,
// but none acts under what another of them has taken away before it.
func TestGroup_NoneActsUnderWhatAnotherOfItChanged(t *testing.T) {
	inner, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "p.db"), sqlite.Options{Create: true})
	must(t, err)
	shared := &sharing{Store: inner}
	w := newWorld(t, shared)
	_, err = w.PI().AddAgent(t.Context(), api.AddAgentRequest{Name: "Fox", Role: "adversarial_critic"})
	must(t, err)
	critique := func(id brenner.ArtifactID) error {
		_, err := w.As("Fox").CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: id, Type: artifact.TypeCritique, Module: "lineage", Summary: "It proves nothing",
			Content: api.Body{Format: artifact.JSON, Data: `{"finding": "There was no control."}`},
		})
		return err
	}
	shared.then = func() {
		if err := critique("c-1"); err != nil {
			t.Errorf("as critic: %v", err)
		}
		if _, err := w.PI().AddAgent(t.Context(), api.AddAgentRequest{Name: "Fox", Role: "writer", Update: true}); err != nil {
			t.Error(err)
		}
		if err := critique("c-2"); brenner.CodeOf(err) != brenner.CodeWriteDenied {
			t.Errorf("as writer, in the same group: %v", err)
		}
	}
	if _, err := w.PI().Learn(t.Context(), helpful("Label every tube.")); !errors.Is(err, errDisk) {
		t.Fatal(err)
	}
	// The group was lost, and with it the change: Fox is a critic as before.
	must(t, critique("c-3"))
}

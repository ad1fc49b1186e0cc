package mcpserver_test

import (
	"testing"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/roster"
	"brenner/stalemate"
)

// S5, X11: an arbiter that has only the tools gives a verdict; a party cannot,
// and what is no verdict is refused with where.
func TestVerdict_OverTools(t *testing.T) {
	w := newWorld(t)
	pi := w.local("ada")
	for name, role := range inOrder(map[brenner.ActorName]brenner.Role{"BlueLake": roster.HypothesisGenerator, "GreenValley": roster.AdversarialCritic, "OldOwl": "arbiter"}) {
		if _, err := pi.AddAgent(t.Context(), api.AddAgentRequest{Name: name, Role: role}); err != nil {
			t.Fatal(err)
		}
	}
	raised, err := called[map[string]any](t.Context(), w.session("GreenValley"), "stalemate_raise", map[string]any{
		"summary": "twice or thrice", "arbitration_request": "which?", "module": "lineage",
		"hypotheses":   []any{map[string]any{"author": "GreenValley", "statement": "twice", "justification": "j"}, map[string]any{"author": "BlueLake"}},
		"alternatives": []any{map[string]any{"statement": "never", "justification": "l"}},
		"evidence":     []any{map[string]any{"kind": "error_log", "content": "the count was 3"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	id := raised["id"].(string)
	_, err = called[map[string]any](t.Context(), w.session("BlueLake"), "stalemate_reply", map[string]any{"id": id, "statement": "thrice", "justification": "it was 3"})
	if err != nil {
		t.Fatal(err)
	}
	view, err := pi.Stalemate(t.Context(), api.StalemateRequest{ID: brenner.ArtifactID(id)})
	if err != nil {
		t.Fatal(err)
	}
	v := stalemate.Verdict{
		Outcome: stalemate.HypothesisUpheld, RootCause: "the count was 3", Explanation: []string{"the log says so"},
		Remedy: "write thrice", Verification: "count again",
	}
	for _, h := range view.Stalemate.All() {
		f := stalemate.Finding{Hypothesis: h.ID, Ruling: stalemate.Refuted, Reason: "the log says 3", Evidence: []string{"e1"}}
		if h.Author == "BlueLake" {
			f.Ruling = stalemate.Upheld
		}
		v.Findings = append(v.Findings, f)
	}
	give := func(as brenner.ActorName, verdict string) (map[string]any, error) {
		return called[map[string]any](t.Context(), w.session(as), "stalemate_reply", map[string]any{"id": id, "step": "verdict", "verdict": verdict})
	}
	if _, err := give("OldOwl", "thrice it is"); brenner.CodeOf(err) != brenner.CodeInvalidVerdict {
		t.Errorf("prose: %v", err)
	}
	if _, err := give("GreenValley", string(canon.MustMarshal(v))); brenner.CodeOf(err) != brenner.CodeArbiterIsParty {
		t.Errorf("a party: %v", err)
	}
	got, err := give("OldOwl", string(canon.MustMarshal(v)))
	if err != nil || got["state"] != string(stalemate.Decided) {
		t.Errorf("%v, %v", got, err)
	}
}

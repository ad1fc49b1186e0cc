package app_test

import (
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app"
	"brenner/internal/store/memory"
	"brenner/roster"
)

// A6.a: nobody approves what it wrote: of a session's document those wrote it whose deltas it
// holds, not who compiled them; of what was harvested from it who wrote the item; of any
// other version also whoever wrote one on the way to it.
func TestApprove_NotByWhoWrote(t *testing.T) {
	a := app.New(memory.New(), app.Options{})
	ctx := t.Context()
	if _, err := a.Init(ctx, api.InitRequest{Name: "Four eyes", PI: "ada", Config: &api.ConfigFile{Name: ".brennerrc", Data: `
modules: [main]
approvals:
  session_artifact: {count: 1, roles: [hypothesis_generator, adversarial_critic]}
  model_spec: {count: 1, roles: [hypothesis_generator, adversarial_critic]}
`}}); err != nil {
		t.Fatal(err)
	}
	pi := a.As(app.Identity{Name: "ada", Auth: app.AuthOwner})
	as := func(name brenner.ActorName) api.Service { return a.As(app.Identity{Name: name, Auth: app.AuthAs}) }
	for name, role := range map[brenner.ActorName]brenner.Role{"Red": roster.HypothesisGenerator, "Blue": roster.HypothesisGenerator, "Green": roster.AdversarialCritic} {
		if _, err := pi.AddAgent(ctx, api.AddAgentRequest{Name: name, Role: role}); err != nil {
			t.Fatal(err)
		}
	}
	may := func(name brenner.ActorName, ref brenner.Ref) brenner.Code {
		t.Helper()
		_, err := as(name).Approve(ctx, api.ApproveRequest{Ref: ref})
		return brenner.CodeOf(err)
	}
	promote := func(ref brenner.Ref) {
		t.Helper()
		if _, err := pi.Promote(ctx, api.PromoteRequest{Ref: ref, Reason: "r", Override: true}); err != nil {
			t.Fatal(err)
		}
	}
	started, err := pi.StartSession(ctx, api.StartSessionRequest{ID: "RS-eyes", Question: "Who wrote it?", Roster: roster.Roster{Entries: []roster.Entry{
		{AgentName: "Red", Role: roster.HypothesisGenerator, Program: roster.ClaudeCode}, {AgentName: "Green", Role: roster.AdversarialCritic, Program: roster.ClaudeCode},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	id := started.Session.ID
	if _, err := as("Red").SubmitDeltas(ctx, api.SubmitDeltasRequest{Session: id, Text: "```delta\n" +
		`{"operation":"ADD","target_id":null,"section":"hypothesis_slate","payload":{"claim":"c","mechanism":"m"}}` + "\n```\n"}); err != nil {
		t.Fatal(err)
	}
	if _, err := as("Green").SubmitDeltas(ctx, api.SubmitDeltasRequest{Session: id, Nothing: true, Text: "nothing to add"}); err != nil { // the last: it compiles
		t.Fatal(err)
	}
	doc := brenner.Ref{Artifact: brenner.ArtifactID(id), Version: 2}
	waiting := api.WaitingRequest{Kinds: []api.WaitKind{api.WaitApproval}}
	if list, err := as("Green").Waiting(ctx, waiting); err != nil || len(list.Items) != 1 || list.Items[0].Subject != doc.String() {
		t.Errorf("in the inbox of who is asked: %+v, %v", list.Items, err)
	}
	if list, err := as("Red").Waiting(ctx, waiting); err != nil || len(list.Items) != 0 {
		t.Errorf("in the inbox of who wrote it: %+v, %v", list.Items, err)
	}
	if _, err := pi.Waiting(ctx, waiting); brenner.CodeOf(err) != brenner.CodeInvalidValue {
		t.Errorf("the approvals of who leads: %v", err)
	}
	if code := may("Red", doc); code != brenner.CodeApprovalDenied {
		t.Errorf("who wrote all of a document: %q", code)
	}
	if code := may("Green", doc); code != "" {
		t.Errorf("who only compiled it: %q", code)
	}
	promote(doc)
	a.AutomateAfterWrite(ctx)
	item := brenner.Ref{Artifact: brenner.ArtifactID(id) + "-H1", Version: 1}
	if code := may("Red", item); code != brenner.CodeApprovalDenied {
		t.Errorf("who wrote the item that was harvested: %q", code)
	}
	if code := may("Green", item); code != "" {
		t.Errorf("who wrote another: %q", code)
	}

	// Versions on the way count until one was in force.
	write := func(name brenner.ActorName, parent brenner.Version, text string) brenner.Ref {
		t.Helper()
		if _, err := as(name).AssembleContext(ctx, api.ContextRequest{Question: "q", Modules: []brenner.Module{"main"}}); err != nil {
			t.Fatal(err)
		}
		body := api.Body{Format: artifact.Text, Data: text}
		if parent == 0 {
			out, err := as(name).CreateArtifact(ctx, api.CreateArtifactRequest{ID: "rate", Type: artifact.TypeModelSpec, Module: "main", Summary: "the rate", Content: body})
			if err != nil {
				t.Fatal(err)
			}
			return out.Ref
		}
		out, err := as(name).UpdateArtifact(ctx, api.UpdateArtifactRequest{ID: "rate", Parent: parent, Content: &body, SummaryHolds: true, Change: &artifact.Change{What: "w", Why: "y"}})
		if err != nil {
			t.Fatal(err)
		}
		return out.Ref
	}
	write("Red", 0, "the rate is two")
	second := write("Blue", 1, "The rate is two.")
	for _, name := range []brenner.ActorName{"Red", "Blue"} {
		if code := may(name, second); code != brenner.CodeApprovalDenied {
			t.Errorf("%s, who wrote a part: %q", name, code)
		}
	}
	if code := may("Green", second); code != "" {
		t.Errorf("somebody else: %q", code)
	}
	promote(second)
	if code := may("Red", write("Blue", 2, "The rate is three.")); code != "" {
		t.Errorf("who wrote only what was in force before: %q", code)
	}
}

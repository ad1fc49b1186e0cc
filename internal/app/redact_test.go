package app_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app"
	"brenner/internal/store/memory"
	"brenner/stalemate"
)

// J7: a policy whose content is redacted fails closed for its role, and the
// project goes on. Before, every command failed from then on.
func TestRedact_APolicyFailsClosedAndTheProjectGoesOn(t *testing.T) {
	for name, spare := range map[string]bool{"its only version": false, "with a version before it": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, failingOften(t))
			pi := w.PI()
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			for agent, role := range inOrder(map[brenner.ActorName]brenner.Role{"RedSky": "integrator", "GreyStone": "writer"}) {
				_, err := pi.AddAgent(t.Context(), api.AddAgentRequest{Name: agent, Role: role})
				must(err)
			}
			policy := func(acts string) api.Body {
				return api.Body{Format: artifact.JSON, Data: `{"role":"integrator","read":["*"],"write":["*"],"promote":[],"acts":[` + acts + `]}`}
			}
			made, err := pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
				ID: "rules", Type: artifact.TypeRolePolicy, Module: "project", Summary: "what integrators may do", Content: policy(`"status"`),
			})
			must(err)
			ref := made.Ref
			if spare {
				next := policy(`"status","mail"`)
				res, err := pi.UpdateArtifact(t.Context(), api.UpdateArtifactRequest{
					ID: "rules", Content: &next, SummaryHolds: true, Change: &artifact.Change{What: "mail", Why: "they write"},
				})
				must(err)
				ref = res.Ref
			}
			_, err = pi.Promote(t.Context(), api.PromoteRequest{Ref: ref, Reason: "agreed"})
			must(err)
			if _, err := w.As("RedSky").Status(t.Context()); err != nil {
				t.Fatal(err)
			}
			tried, err := pi.Redact(t.Context(), api.RedactRequest{Ref: ref, DryRun: true})
			must(err)
			if others := slices.Contains(tried.Closes, "writer"); !slices.Contains(tried.Closes, "integrator") || others == spare || slices.Contains(tried.Closes, brenner.PI) {
				t.Errorf("it is said that it closes %v", tried.Closes)
			}
			_, err = pi.Redact(t.Context(), api.RedactRequest{Ref: ref, Reason: "it named a person"})
			must(err)
			if _, err := pi.Status(t.Context()); err != nil {
				t.Errorf("the PI: %v", err)
			}
			if _, err := w.As("RedSky").Status(t.Context()); brenner.ClassOf(brenner.CodeOf(err)) != brenner.ClassDenied {
				t.Errorf("the role whose policy is gone: %v", err)
			}
			_, err = w.As("GreyStone").Status(t.Context())
			if denied := brenner.ClassOf(brenner.CodeOf(err)) == brenner.ClassDenied; denied == spare {
				t.Errorf("another role: %v", err)
			}
		})
	}
}

// J7, X2: what a context or a message shows is not kept for an idempotency key:
// a repeat gets it anew, by the rights of then, and an export made after a
// redaction does not have it.
func TestRedact_StoredResultsHaveNoneOfIt(t *testing.T) {
	const secret = "ZANZIBAR-17"
	w := newWorld(t, failingOften(t))
	pi := w.PI()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := pi.AddAgent(t.Context(), api.AddAgentRequest{Name: "RedSky", Role: "integrator"})
	must(err)
	made, err := pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "leaky", Type: artifact.TypeIntegratedMemo, Module: "lineage", Summary: "a memo", Content: api.Body{Format: artifact.Text, Data: "# Memo\n\nThe word is " + secret + ".\n"},
	})
	must(err)
	_, err = pi.Promote(t.Context(), api.PromoteRequest{Ref: made.Ref, Reason: "agreed"})
	must(err)
	agent := w.As("RedSky")
	ask := api.ContextRequest{Write: api.Write{Key: "k1"}, Question: "What is the word?", Modules: []brenner.Module{"lineage"}}
	first, err := agent.AssembleContext(t.Context(), ask)
	must(err)
	if !strings.Contains(first.Text, secret) {
		t.Fatalf("the context does not show it:\n%s", first.Text)
	}
	again, err := agent.AssembleContext(t.Context(), ask)
	must(err)
	if again.Invocation != first.Invocation || again.Text != first.Text {
		t.Errorf("the repeat is %s and not %s, or says something else", again.Invocation, first.Invocation)
	}
	_, err = pi.Redact(t.Context(), api.RedactRequest{Ref: made.Ref, Reason: "it must go"})
	must(err)
	after, err := agent.AssembleContext(t.Context(), ask)
	if err != nil || strings.Contains(after.Text, secret) || after.Text == "" {
		t.Errorf("after the redaction a repeat says %q, %v", after.Text, err)
	}
	var export bytes.Buffer
	_, err = pi.Export(t.Context(), &export)
	must(err)
	if strings.Contains(export.String(), secret) {
		t.Error("an export made later has it")
	}
	_, err = pi.AddAgent(t.Context(), api.AddAgentRequest{Name: "GreyStone", Role: "writer"})
	must(err)
	_, err = pi.AddAgent(t.Context(), api.AddAgentRequest{Name: "RedSky", Role: "runner", For: []brenner.ActorName{"GreyStone"}, Update: true})
	must(err)
	if late, err := agent.AssembleContext(t.Context(), ask); err == nil {
		t.Errorf("a repeat after the rights were lost says %q", late.Text)
	}
}

// J7: before a content goes, every version that has its bytes is listed, with
// what rests on them; that others lose it too has to be said. An agent that
// copies a text and has its copy redacted takes nothing along.
func TestRedact_ListsWhoElseHasTheBytesAndAsks(t *testing.T) {
	w := newWorld(t, failingOften(t))
	pi := w.PI()
	body := api.Body{Format: artifact.Text, Data: "the same bytes"}
	for _, id := range []brenner.ArtifactID{"original", "copy"} {
		if _, err := pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{ID: id, Type: "paper_note", Module: "lineage", Summary: "s", Content: body}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "user", Type: "paper_note", Module: "lineage", Summary: "u", Content: api.Body{Format: artifact.Text, Data: "rests"},
		Links: []artifact.Link{{Rel: artifact.DependsOn, Artifact: "original", Version: 1}},
	}); err != nil {
		t.Fatal(err)
	}
	ref := brenner.Ref{Artifact: "copy", Version: 1}
	_, err := pi.Redact(t.Context(), api.RedactRequest{Ref: ref, Reason: "mine"})
	if !errors.Is(err, brenner.CodeRedactsMore) || !strings.Contains(err.Error(), "original@1") {
		t.Errorf("redacting the copy says %v", err)
	}
	if _, err := pi.Artifact(t.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: "original"}}); err != nil {
		t.Errorf("the original: %v", err)
	}
	out, err := pi.Redact(t.Context(), api.RedactRequest{Ref: ref, DryRun: true})
	if err != nil || len(out.Versions) != 2 || out.Resting != 1 || len(out.Rest) != 1 || out.Rest[0].Artifact != "user" || out.Seq != 0 {
		t.Errorf("a dry run says %+v, %v", out, err)
	}
	if out, err = pi.Redact(t.Context(), api.RedactRequest{Ref: ref, Reason: "both", Everywhere: true}); err != nil || len(out.Versions) != 2 {
		t.Errorf("everywhere: %+v, %v", out, err)
	}
	if _, err := pi.Artifact(t.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: "original"}}); !errors.Is(err, brenner.CodeRedacted) {
		t.Errorf("the original: %v", err)
	}
}

// J7, J3: what was redacted, a content or a text of a record, cannot be written again,
// whatever it would be this time; the refusal leaves nothing behind, and the project
// verifies and can be exported and imported. Before, such a write was answered as done:
// its words were lost, and where they were a text the journal could not be replayed.
func TestRedact_WhatIsGoneCannotBeWrittenAgain(t *testing.T) {
	w := newWorld(t, failingOften(t))
	pi, ctx := w.PI(), t.Context()
	create := func(id brenner.ArtifactID, summary, text string) error {
		_, err := pi.CreateArtifact(ctx, api.CreateArtifactRequest{
			ID: id, Type: "paper_note", Module: "lineage", Summary: summary, Content: api.Body{Format: artifact.Text, Data: text},
		})
		return err
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(create("a", "one", "Ask Maria."))
	must(create("b", "Ask Otto.", "two"))
	_, err := pi.Redact(ctx, api.RedactRequest{Ref: brenner.Ref{Artifact: "a", Version: 1}, Reason: "a name"})
	must(err)
	_, err = pi.Redact(ctx, api.RedactRequest{Ref: brenner.Ref{Artifact: "b", Version: 1}, Member: "summary", Reason: "a name"})
	must(err)
	before, err := pi.Verify(ctx, api.VerifyRequest{})
	must(err)
	for _, gone := range []string{"Ask Maria.", "Ask Otto."} {
		for what, err := range inOrder(map[string]error{
			"content": create("c", "three", gone),
			"summary": create("c", gone, "three"),
			"task": func() error {
				_, err := pi.NewTask(ctx, api.NewTaskRequest{Title: gone, Spec: "s", Role: "integrator", Modules: []brenner.Module{"lineage"}})
				return err
			}(),
		}) {
			if !errors.Is(err, brenner.CodeRedacted) {
				t.Errorf("%q as a %s: %v", gone, what, err)
			}
		}
	}
	if after, err := pi.Verify(ctx, api.VerifyRequest{}); err != nil || !after.OK || after.Size != before.Size {
		t.Errorf("verify: %+v, %v; before %+v", after, err, before)
	}
	var out bytes.Buffer
	_, err = pi.Export(ctx, &out)
	must(err)
	target := app.New(memory.New(), app.Options{})
	if _, err := target.Import(ctx, &out, nil); err != nil {
		t.Errorf("import: %v", err)
	}
}

// J7, D7: a reply that is redacted before it was compiled takes its deltas along: no
// compile takes them in, and their words are nowhere any more.
func TestRedact_AReplyThatWaitsIsNotCompiled(t *testing.T) {
	const secret = "ZANZIBAR-17"
	d := newBureau(t, nil)
	d.start("")
	say := func(agent brenner.ActorName, claim string) brenner.Ref {
		sub, err := d.As(agent).SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-1", Text: block(`{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"` + claim + `","mechanism":"m"}}`)})
		d.must(err)
		return sub.Log
	}
	log := say("BlueLake", secret)
	say("BlueLake", "gradients decide")
	tried, err := d.PI().Redact(t.Context(), api.RedactRequest{Ref: log, DryRun: true})
	d.must(err)
	if len(tried.Also) != 1 {
		t.Errorf("a dry run says that %v go too", tried.Also)
	}
	_, err = d.PI().Redact(t.Context(), api.RedactRequest{Ref: log, Reason: "it must go"})
	d.must(err)
	res := d.compile()
	states := map[brenner.Code]int{}
	for _, o := range res.Outcomes {
		states[o.Code]++
	}
	if states[brenner.CodeRedacted] != 1 || len(res.Outcomes) != 2 || !res.Changed {
		t.Errorf("the compile says %+v", res.Outcomes)
	}
	var export bytes.Buffer
	_, err = d.PI().Export(t.Context(), &export)
	d.must(err)
	if strings.Contains(export.String(), secret) {
		t.Error("an export still has it")
	}
	if v, err := d.PI().Verify(t.Context(), api.VerifyRequest{Deep: true}); err != nil || !v.OK {
		t.Errorf("verify: %+v, %v", v, err)
	}
}

// J7: a session whose document was redacted says how it goes on, and does: from the
// version before, once that one is out of use.
func TestRedact_ASessionGoesOnWithoutItsDocument(t *testing.T) {
	d := newBureau(t, nil)
	d.start("")
	say := func(claim string) {
		_, err := d.As("BlueLake").SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-1", Text: block(`{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"` + claim + `","mechanism":"m"}}`)})
		d.must(err)
	}
	say("one")
	d.compile()
	say("two")
	gone := d.compile().Ref
	_, err := d.PI().Redact(t.Context(), api.RedactRequest{Ref: gone, Reason: "it must go"})
	d.must(err)
	_, err = d.As("BlueLake").SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-1", Text: block(`{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"three","mechanism":"m"}}`)})
	var refused *brenner.Error
	if !errors.As(err, &refused) || refused.Code != brenner.CodeRedacted || len(refused.Actions) != 1 || refused.Actions[0].Name != "artifact.deprecate" {
		t.Fatalf("a reply is answered with %v", err)
	}
	_, err = d.PI().Deprecate(t.Context(), api.DecisionRequest{Ref: gone, Reason: "redacted"})
	d.must(err)
	say("three")
	res := d.compile()
	if res.Base.Version != gone.Version-1 || res.Ref.Version != gone.Version+1 {
		t.Errorf("it went on from %s to %s", res.Base, res.Ref)
	}
	doc, err := d.PI().Artifact(t.Context(), api.ArtifactRequest{Ref: res.Ref})
	d.must(err)
	if !strings.Contains(string(doc.Content), "one") || strings.Contains(string(doc.Content), "two") || !strings.Contains(string(doc.Content), "three") {
		t.Errorf("the document says %s", string(doc.Content))
	}
	if v, err := d.PI().Verify(t.Context(), api.VerifyRequest{Deep: true}); err != nil || !v.OK {
		t.Errorf("verify: %+v, %v", v, err)
	}
}

// J6, J7: the evidence of a stalemate goes with it, unless it is the content of something
// else; what was redacted cannot be promoted; and no reason says what is to go.
func TestRedact_NothingOfItStaysInUse(t *testing.T) {
	w := newWorld(t, failingOften(t))
	pi := w.PI()
	const secret, shared = "the key is 5f3a-9910", "a plan that others have too"
	write := func(id brenner.ArtifactID, text string) brenner.Ref {
		t.Helper()
		res, err := pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: id, Type: "paper_note", Module: "lineage", Summary: "s", Content: api.Body{Format: artifact.Text, Data: text},
		})
		if err != nil {
			t.Fatal(err)
		}
		return res.Ref
	}
	plan, leak := write("plan", shared), write("leak", "xyzzy")
	if _, err := pi.AddAgent(t.Context(), api.AddAgentRequest{Name: "RedSky", Role: "writer"}); err != nil {
		t.Fatal(err)
	}
	raised, err := pi.RaiseStalemate(t.Context(), api.RaiseStalemateRequest{Stalemate: stalemate.Stalemate{
		Summary: "it cannot be changed", Target: "plan.md", Request: "say why", Expected: "it is changed",
		Hypotheses: []stalemate.Hypothesis{
			{ID: "h1", Author: "ada", Statement: "the file", Justification: "it is old"},
			{ID: "h2", Author: "RedSky"},
		},
		Alternatives: []stalemate.Hypothesis{{ID: "h3", Statement: "something else", Justification: "who knows"}},
		Evidence: []stalemate.Evidence{
			{ID: "e1", Kind: stalemate.KindErrorLog, Description: "the log", Content: secret},
			{ID: "e2", Kind: stalemate.KindErrorLog, Description: "the text", Content: shared},
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range []string{"xyzzy", "somebody wrote: xyzzy"} {
		if _, err := pi.Redact(t.Context(), api.RedactRequest{Ref: leak, Reason: reason}); !errors.Is(err, brenner.CodeInvalidValue) {
			t.Errorf("%q: %v", reason, err)
		}
	}
	if _, err := pi.Redact(t.Context(), api.RedactRequest{Ref: leak, Reason: "a password"}); err != nil {
		t.Error(err)
	}
	gone, err := pi.Redact(t.Context(), api.RedactRequest{Ref: raised.Ref, Reason: "a key"})
	if err != nil || len(gone.Also) != 1 {
		t.Errorf("with it go %+v, %v", gone, err)
	}
	var export bytes.Buffer
	if _, err := pi.Export(t.Context(), &export); err != nil || strings.Contains(export.String(), secret) {
		t.Errorf("an export still has it, %v", err)
	}
	if v, err := pi.Artifact(t.Context(), api.ArtifactRequest{Ref: plan}); err != nil || !strings.Contains(string(v.Content), shared) {
		t.Errorf("what others have: %v", err)
	}
	_, err = pi.Promote(t.Context(), api.PromoteRequest{Ref: raised.Ref, Reason: "it stands"})
	if !errors.Is(err, brenner.CodeRedacted) {
		t.Errorf("promoted with %v", err)
	}
	if v, err := pi.Verify(t.Context(), api.VerifyRequest{Deep: true}); err != nil || !v.OK {
		t.Errorf("verify: %+v, %v", v, err)
	}
}

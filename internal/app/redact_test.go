package app_test

import (
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/store/memory"
)

// J7: a policy whose content is redacted fails closed for its role, and the
// project goes on. Before, every command failed from then on.
func TestRedact_APolicyFailsClosedAndTheProjectGoesOn(t *testing.T) {
	for name, spare := range map[string]bool{"its only version": false, "with a version before it": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, memory.New())
			pi := w.PI()
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			for agent, role := range map[brenner.ActorName]brenner.Role{"RedSky": "integrator", "GreyStone": "writer"} {
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

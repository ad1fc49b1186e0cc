package app_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/store/memory"
	"brenner/policy"
)

// minimal is the least content of each type that only takes JSON.
var minimal = map[brenner.TypeName]string{
	artifact.TypeAssumption:      `{"statement":"markers are stable"}`,
	artifact.TypeCodeChange:      `{"base":"0000000000000000000000000000000000000001","branch":"b","commit":"0000000000000000000000000000000000000002","files":[],"diff":""}`,
	artifact.TypeContextView:     `{"role":"writer","types":[{"type":"critique"}]}`,
	artifact.TypeCritique:        `{"finding":"too few clones"}`,
	artifact.TypeProjectBrief:    `{"question":"What decides fate?"}`,
	artifact.TypeRolePolicy:      `{"role":"guest"}`,
	artifact.TypeRoster:          `{"entries":[{"agentName":"BlueLake","role":"test_designer"}]}`,
	artifact.TypeSessionArtifact: `{}`,
	artifact.TypeStalemate:       `{}`,
	artifact.TypeTask:            `{"title":"count"}`,
	artifact.TypeVerdict:         `{}`,
}

func body(t brenner.TypeName) api.Body {
	if data, ok := minimal[t]; ok {
		return api.Body{Format: artifact.JSON, Data: data}
	}
	return api.Body{Format: artifact.Text, Data: "text of a " + string(t)}
}

// C7, C8: for every role and type, what the service allows is what the policy
// table says, for every use case that is about a type.
func TestDenial_IsThePolicyTableOverTheService(t *testing.T) {
	skipShort(t)
	w := newWorld(t, memory.New())
	ctx, pi := t.Context(), w.PI()
	types := slices.DeleteFunc(slices.Clone(artifact.Builtin()), func(t artifact.Type) bool { return t.Record }) // nobody writes those
	for _, typ := range types {
		_, err := pi.CreateArtifact(ctx, api.CreateArtifactRequest{
			ID: brenner.ArtifactID(typ.Name), Type: typ.Name, Module: "lineage", Summary: "a " + string(typ.Name), Content: body(typ.Name),
		})
		if err != nil {
			t.Fatalf("%s: %v", typ.Name, err)
		}
	}
	policies := map[brenner.Role]policy.Policy{}
	cases := 0
	for _, p := range policy.Builtin() {
		policies[p.Role] = p
	}
	for _, p := range policy.Builtin() {
		if p.Role == brenner.PI {
			continue // only a person can have it
		}
		name := brenner.ActorName("Agent-" + string(p.Role))
		req := api.AddAgentRequest{Name: name, Role: p.Role}
		if p.Role == policy.Runner {
			req.For = []brenner.ActorName{"Agent-writer"}
		}
		if _, err := pi.AddAgent(ctx, req); err != nil {
			t.Fatal(err)
		}
		svc := w.As(name)
		if !slices.Contains(p.Acts, policy.ContextAssemble) { // and so reads nothing: a runner
			_, err := svc.AssembleContext(ctx, api.ContextRequest{Question: "q", Modules: []brenner.Module{"lineage"}})
			if !errors.Is(err, brenner.CodeReadDenied) {
				t.Errorf("%s assembles a context: %v", name, err)
			}
			continue
		}
		for _, typ := range types {
			ref := brenner.Ref{Artifact: brenner.ArtifactID(typ.Name), Version: 1}
			if _, err := svc.AssembleContext(ctx, api.ContextRequest{Question: "q", Modules: []brenner.Module{"lineage"}}); err != nil {
				t.Fatal(err) // a fresh budget for each type
			}
			for _, use := range typeUses(svc, ref, typ.Name) {
				want := policy.Decide(policies, policy.Request{
					Actor: name, Role: p.Role, Action: use.action, Type: typ.Name, Module: "lineage",
				})
				err := use.try(ctx)
				code := brenner.CodeOf(err)
				denied := code == brenner.CodeReadDenied || code == brenner.CodeWriteDenied
				if denied == want.Allowed || (denied && code != want.Code) || code == brenner.CodeInternal {
					t.Errorf("%s %s %s: %v, the table says %+v", p.Role, use.name, typ.Name, err, want)
				}
				cases++
			}
		}
	}
	if cases < 6*17*8 {
		t.Errorf("only %d cases", cases)
	}
}

type use struct {
	name   string
	action policy.Action
	try    func(ctx context.Context) error
}

// typeUses are the use cases that are about one artifact of a type.
func typeUses(svc api.Service, ref brenner.Ref, typ brenner.TypeName) []use {
	decision := api.DecisionRequest{Ref: ref, Reason: "because"}
	n := 0
	return []use{
		{"artifact", policy.Read, func(ctx context.Context) error {
			_, err := svc.Artifact(ctx, api.ArtifactRequest{Ref: ref})
			return err
		}},
		{"history", policy.Read, func(ctx context.Context) error {
			_, err := svc.History(ctx, api.HistoryRequest{ID: ref.Artifact})
			return err
		}},
		{"diff", policy.Read, func(ctx context.Context) error {
			_, err := svc.Diff(ctx, api.DiffRequest{From: ref, To: ref})
			return err
		}},
		{"lineage", policy.Read, func(ctx context.Context) error {
			_, err := svc.Lineage(ctx, api.LineageRequest{Ref: ref})
			return err
		}},
		{"list", policy.Read, func(ctx context.Context) error {
			_, err := svc.Artifacts(ctx, api.ListArtifactsRequest{Types: []brenner.TypeName{typ}})
			return err
		}},
		{"search", policy.Read, func(ctx context.Context) error {
			_, err := svc.SearchArtifacts(ctx, api.SearchArtifactsRequest{Text: "text", Types: []brenner.TypeName{typ}})
			return err
		}},
		{"create", policy.Write, func(ctx context.Context) error {
			n++
			_, err := svc.CreateArtifact(ctx, api.CreateArtifactRequest{Type: typ, Module: "lineage", Summary: fmt.Sprint("mine ", n), Content: body(typ)})
			return err
		}},
		{"update", policy.Write, func(ctx context.Context) error {
			summary := "mine"
			_, err := svc.UpdateArtifact(ctx, api.UpdateArtifactRequest{ID: ref.Artifact, Summary: &summary, Change: &artifact.Change{What: "w", Why: "y"}})
			return err
		}},
		{"promote", policy.Promote, func(ctx context.Context) error {
			_, err := svc.Promote(ctx, api.PromoteRequest{Ref: ref, Reason: "because"})
			return err
		}},
		{"demote", policy.Demote, func(ctx context.Context) error {
			_, err := svc.Demote(ctx, decision)
			return err
		}},
		{"deprecate", policy.Deprecate, func(ctx context.Context) error {
			_, err := svc.Deprecate(ctx, decision)
			return err
		}},
	}
}

// C7: every use case there is asks the policy. A role that may do nothing gets
// nothing from any of them, and none fails for not having asked.
func TestDenial_EveryUseCaseAsks(t *testing.T) {
	skipShort(t)
	w := newWorld(t, memory.New())
	ctx, pi := t.Context(), w.PI()
	_, err := pi.CreateArtifact(ctx, api.CreateArtifactRequest{
		ID: "guest", Type: artifact.TypeRolePolicy, Module: "project", Summary: "a guest may do nothing", Content: body(artifact.TypeRolePolicy),
	})
	if err == nil {
		_, err = pi.Promote(ctx, api.PromoteRequest{Ref: brenner.Ref{Artifact: "guest"}, Reason: "a guest"})
	}
	if err == nil {
		_, err = pi.AddAgent(ctx, api.AddAgentRequest{Name: "Guest", Role: "guest"})
	}
	if err != nil {
		t.Fatal(err)
	}
	guest := reflect.ValueOf(w.As("Guest"))
	service := reflect.TypeFor[api.Service]()
	if service.NumMethod() < 40 {
		t.Fatalf("only %d use cases", service.NumMethod())
	}
	for i := range service.NumMethod() {
		m := service.Method(i)
		in := []reflect.Value{reflect.ValueOf(ctx)}
		for j := 1; j < m.Type.NumIn(); j++ {
			if m.Type.In(j) == reflect.TypeFor[io.Writer]() {
				in = append(in, reflect.ValueOf(io.Discard))
				continue
			}
			in = append(in, reflect.Zero(m.Type.In(j)))
		}
		out := guest.MethodByName(m.Name).Call(in)
		err, _ := out[len(out)-1].Interface().(error)
		if err == nil {
			t.Errorf("%s gave a guest something", m.Name)
		}
		if code := brenner.CodeOf(err); code == brenner.CodeInternal || strings.Contains(fmt.Sprint(err), "asked no policy") {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}

package app_test

import (
	"context"
	"path/filepath"
	"reflect"
	"testing"

	"brenner"
	"brenner/anchor"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/pgtest"
	"brenner/internal/store"
	"brenner/internal/store/postgres"
	"brenner/internal/store/sqlite"

	"github.com/go-json-experiment/json/jsontext"
)

// trial is one use case as a dry run of somebody.
type trial struct {
	method string
	as     brenner.ActorName // "": the PI
	req    any
}

const protocol = "Feed the cells.\nCount them.\nWrite it down.\n"

// trials has every use case that can be tried, on the project of newTrials.
func trials(t *testing.T) []trial {
	t.Helper()
	ref := func(id brenner.ArtifactID, v brenner.Version) brenner.Ref {
		return brenner.Ref{Artifact: id, Version: v}
	}
	note := noteOf("a", "one\n")
	batch := api.BatchRequest{Items: []api.BatchItem{
		{Name: "a.md", Create: &note},
		{Name: "b.md", Create: &api.CreateArtifactRequest{
			ID: "b", Type: artifact.TypePaperNote, Module: "lineage", Summary: "b", Content: api.Body{Format: artifact.Text, Data: "rests on a\n"}, Review: true,
			Links: []artifact.Link{{Rel: artifact.DerivedFrom, Artifact: "a", Version: 1}},
		}},
		{Name: "plan.md", Update: &api.UpdateArtifactRequest{
			ID: "plan", SummaryHolds: true, Change: &artifact.Change{What: "all", Why: "to see"}, Content: &api.Body{Format: artifact.Text, Data: "another\n"},
		}},
	}}
	patch := api.ApplyPatchRequest{Ref: ref("plan", 1), SummaryHolds: true, Change: &artifact.Change{What: "words", Why: "to see"}, Patch: patchOf(t, protocol, "Feed the cells.\nCount them twice.\nWrite it down.\n")}
	reply := api.SubmitDeltasRequest{Session: "RS-1", Text: block(`{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"a","mechanism":"m"},"rationale":"first"}`)}
	return []trial{
		{"Promote", "", api.PromoteRequest{Ref: ref("plan", 1)}},
		{"Demote", "", api.DecisionRequest{Ref: ref("done", 1)}},
		{"Deprecate", "", api.DecisionRequest{Ref: ref("plan", 1)}},
		{"Decide", "", api.DecideRequest{Decision: api.DecidePromote, Refs: []brenner.Ref{ref("plan", 1)}}},
		{"RequestChanges", "", api.RequestChangesRequest{Ref: ref("plan", 1), Reason: "say which"}},
		{"WriteBatch", "", batch},
		{"WriteBatch", "GreenValley", api.BatchRequest{Items: []api.BatchItem{{Name: "c.json", Create: &api.CreateArtifactRequest{
			ID: "c", Type: artifact.TypeCritique, Module: "lineage", Summary: "It proves nothing", Content: api.Body{Format: artifact.JSON, Data: `{"finding": "There was no control."}`},
		}}}}},
		{"ApplyPatch", "", patch},
		{"Learn", "", helpful("Label every tube.")},
		{"StartSession", "", api.StartSessionRequest{ID: "RS-2", Question: "Why?", Roster: trio}},
		{"SubmitDeltas", "BlueLake", reply},
		{"Redact", "", api.RedactRequest{Ref: ref("plan", 1), Reason: "a name"}},
		{"CheckAlignment", "", api.CheckRequest{}},
		{"CheckAssumptions", "", api.CheckRequest{}},
	}
}

func noteOf(id brenner.ArtifactID, text string) api.CreateArtifactRequest {
	return api.CreateArtifactRequest{
		ID: id, Type: artifact.TypePaperNote, Module: "lineage", Summary: "about " + string(id), Content: api.Body{Format: artifact.Text, Data: text},
	}
}

func patchOf(t *testing.T, from, to string) jsontext.Value {
	t.Helper()
	before, err := anchor.Canonical([]byte(from))
	must(t, err)
	after, err := anchor.Canonical([]byte(to))
	must(t, err)
	p, err := anchor.Diff(before, after, "")
	must(t, err)
	return p.JSON()
}

// newTrials makes a project in which everything can be tried.
func newTrials(t *testing.T, s store.Store) world {
	t.Helper()
	w := newWorld(t, s)
	pi := w.PI()
	for name, role := range map[brenner.ActorName]brenner.Role{"BlueLake": "hypothesis_generator", "PurpleMountain": "test_designer", "GreenValley": "adversarial_critic"} {
		_, err := pi.AddAgent(t.Context(), api.AddAgentRequest{Name: name, Role: role})
		must(t, err)
	}
	brief := api.CreateArtifactRequest{ID: "brief", Type: artifact.TypeProjectBrief, Summary: "what decides fate", Content: api.Body{Format: artifact.JSON, Data: `{"question":"What decides fate?"}`}}
	for _, made := range []api.CreateArtifactRequest{noteOf("plan", protocol), noteOf("done", protocol), brief} {
		_, err := pi.CreateArtifact(t.Context(), made)
		must(t, err)
	}
	for _, id := range []brenner.ArtifactID{"done", "brief"} {
		_, err := pi.Promote(t.Context(), api.PromoteRequest{Ref: brenner.Ref{Artifact: id, Version: 1}, Reason: "it holds"})
		must(t, err)
	}
	_, err := pi.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-1", Question: "Why?", Roster: trio, Compile: api.CompileManual})
	must(t, err)
	return w
}

// X9, N3: a dry run waits for no writer and leaves nothing, whichever use case it
// is of: while somebody else writes, each of them answers. The use cases are
// those whose request has a DryRun, so that none is forgotten.
func TestDryRun_WaitsForNoWriter(t *testing.T) {
	for name, open := range map[string]func(t *testing.T, address string) store.Store{
		"SQLite": func(t *testing.T, address string) store.Store {
			t.Helper()
			s, err := sqlite.Open(t.Context(), address, sqlite.Options{Create: true})
			must(t, err)
			return s
		},
		"PostgreSQL": func(t *testing.T, address string) store.Store {
			t.Helper()
			s, err := postgres.Open(t.Context(), address, postgres.Options{Create: true})
			must(t, err)
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			address := filepath.Join(t.TempDir(), "p.db")
			if name == "PostgreSQL" {
				address = pgtest.Open(t) + "&project=trials"
			}
			w := newTrials(t, open(t, address))
			before := sizeOf(t, w.PI())
			other := open(t, address)
			defer func() { _ = other.Close() }()
			release := holdWriting(t, other)
			defer release()
			for _, r := range trials(t) {
				svc := w.PI()
				if r.as != "" {
					svc = w.As(r.as)
				}
				if out, err := dry(t, svc, r); err != nil {
					t.Errorf("%s, tried while another writes: %v", r.method, err)
				} else if f := out.FieldByName("DryRun"); f.IsValid() && !f.Bool() {
					t.Errorf("%s does not say that it was only tried", r.method)
				}
			}
			if after := sizeOf(t, w.PI()); after != before {
				t.Errorf("the journal has grown from %d to %d", before, after)
			}
		})
	}
}

// N3: no use case that can be tried is missing above, and the kernel knows each
// of their requests as one that may only try.
func TestDryRun_EveryUseCaseThatCanBeTriedIsTried(t *testing.T) {
	rows := map[string]bool{}
	for _, r := range trials(t) {
		rows[r.method] = true
	}
	found := 0
	service := reflect.TypeFor[api.Service]()
	for i := range service.NumMethod() {
		m := service.Method(i)
		for j := range m.Type.NumIn() {
			req := m.Type.In(j)
			if req.Kind() != reflect.Struct {
				continue
			}
			if _, can := req.FieldByName("DryRun"); !can {
				continue
			}
			found++
			if !rows[m.Name] {
				t.Errorf("%s can be tried and stands in no row", m.Name)
			}
			v := reflect.New(req).Elem()
			v.FieldByName("DryRun").SetBool(true)
			if tried, ok := v.Interface().(api.Tried); !ok || !tried.IsDryRun() {
				t.Errorf("%s is no api.Tried", req)
			}
		}
	}
	if found != len(rows) || found < 13 {
		t.Errorf("%d use cases can be tried, %d rows try them", found, len(rows))
	}
}

// holdWriting begins a write and keeps it going until it is released.
func holdWriting(t *testing.T, s store.Store) (release func()) {
	t.Helper()
	begun, end, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- s.Write(context.Background(), func(tx store.Tx) error {
			if err := tx.PutVectors(context.Background(), "held", map[string][]float32{"a": {1}}); err != nil {
				return err
			}
			close(begun)
			<-end
			return nil
		})
	}()
	select {
	case <-begun:
	case err := <-done:
		t.Fatalf("the write did not begin: %v", err)
	}
	return func() {
		close(end)
		if err := <-done; err != nil {
			t.Errorf("the write that was held: %v", err)
		}
	}
}

// dry calls a use case by its name, as a dry run.
func dry(t *testing.T, svc api.Service, r trial) (reflect.Value, error) {
	t.Helper()
	req := reflect.New(reflect.TypeOf(r.req)).Elem()
	req.Set(reflect.ValueOf(r.req))
	req.FieldByName("DryRun").SetBool(true)
	out := reflect.ValueOf(svc).MethodByName(r.method).Call([]reflect.Value{reflect.ValueOf(t.Context()), req})
	err, _ := out[1].Interface().(error)
	return out[0], err
}

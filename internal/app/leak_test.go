package app_test

import (
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/anchor"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/app"
	"brenner/internal/store/memory"
	"brenner/playbook"
	"brenner/roster"
	"brenner/stalemate"

	"github.com/go-json-experiment/json/jsontext"
)

// marker is a word of every text that some reader must not see; what follows it
// says which text that is.
const marker = "zyxmarker"

// leakConfig has roles that may do every act and read: nothing; everything of
// one module; everything, but through a context of one module.
const leakConfig = `
modules: [lineage, gradient]
policies:
  blind: {read: [], write: ["*"], promote: ["*"], acts: [ACTS]}
  integrator: {read: ["*"], write: ["*"], promote: ["*"], acts: [ACTS], modules: [lineage, project]}
  writer: {read: ["*"], write: ["*"], promote: ["*"], acts: [ACTS]}
`

const leakActs = "session, delta, conflict, task_create, task_work, playbook_learn, playbook_feedback, playbook_review, " +
	"stalemate_raise, stalemate_verdict, mail, context_assemble, context_preview, status"

// vault is a project in which everything of the module gradient carries a
// marker, and the names of it.
type vault struct {
	world
	names []string // of everything there is, to be asked about
}

func newVault(t *testing.T) vault {
	t.Helper()
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	a := app.New(s, app.Options{})
	config := &api.ConfigFile{Name: ".brennerrc", Data: strings.ReplaceAll(leakConfig, "ACTS", leakActs)}
	if _, err := a.Init(t.Context(), api.InitRequest{Name: "Vault", PI: "ada", Config: config}); err != nil {
		t.Fatal(err)
	}
	v := vault{world: world{a, "ada"}}
	v.fill(t)
	return v
}

func (v *vault) fill(t *testing.T) {
	ctx, pi := t.Context(), v.PI()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, role := range map[brenner.ActorName]brenner.Role{"blind": "blind", "narrow": "integrator", "scoped": "writer"} {
		_, err := pi.AddAgent(ctx, api.AddAgentRequest{Name: name, Role: role})
		must(err)
	}
	text := func(what string) api.Body {
		return api.Body{Format: artifact.Text, Data: "# About\n\nThe gradient is " + marker + "-" + what + " and cells do not divide.\n"}
	}
	for _, typ := range []brenner.TypeName{"paper_note", "integrated_memo", "assumption_ledger"} {
		body := text(string(typ))
		res, err := pi.CreateArtifact(ctx, api.CreateArtifactRequest{
			ID: brenner.ArtifactID("secret-" + typ), Type: typ, Module: "gradient", Summary: marker + "-summary of " + string(typ), Content: body, Tags: []string{marker + "-tag"},
		})
		if errors.Is(err, brenner.CodeSchemaViolation) || errors.Is(err, brenner.CodeInvalidValue) || errors.Is(err, brenner.CodeUnknownType) {
			continue // of another form
		}
		must(err)
		second := text(string(typ) + "-second")
		for range 2 { // the second makes a fork
			_, err = pi.UpdateArtifact(ctx, api.UpdateArtifactRequest{
				ID: res.Ref.Artifact, Parent: 1, Content: &second, SummaryHolds: true, Change: &artifact.Change{What: marker + "-what", Why: marker + "-why"},
			})
			must(err)
			second = text(string(typ) + "-third")
		}
		_, err = pi.Promote(ctx, api.PromoteRequest{Ref: brenner.Ref{Artifact: res.Ref.Artifact, Version: 2}, Reason: marker + "-reason"})
		must(err)
		v.names = append(v.names, string(res.Ref.Artifact))
	}
	task, err := pi.NewTask(ctx, api.NewTaskRequest{Title: marker + "-title", Spec: marker + "-spec", Role: "test_designer", Modules: []brenner.Module{"gradient"}})
	must(err)
	team := roster.Roster{Entries: []roster.Entry{{AgentName: "BlueLake", Role: roster.HypothesisGenerator}}}
	session, err := pi.StartSession(ctx, api.StartSessionRequest{ID: "RS-1", Question: marker + "-question", Module: "gradient", Roster: team})
	must(err)
	reply := "```delta\n" + `{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"` + marker + `-name","claim":"` + marker + `-claim","mechanism":"x"}}` + "\n```\n"
	sub, err := pi.SubmitDeltas(ctx, api.SubmitDeltasRequest{Session: session.Session.ID, From: "BlueLake", Text: reply})
	must(err)
	_, err = pi.CompileSession(ctx, api.CompileSessionRequest{ID: session.Session.ID})
	must(err)
	dispute, err := pi.RaiseStalemate(ctx, api.RaiseStalemateRequest{Module: "gradient", Stalemate: stalemate.Stalemate{
		Summary: marker + "-dispute", Request: marker + "-request", Expected: marker + "-expected",
		Hypotheses: []stalemate.Hypothesis{
			{Author: "BlueLake"}, {Statement: marker + "-h2", Justification: marker + "-j2", Author: "ada"},
		},
		Alternatives: []stalemate.Hypothesis{{Statement: "both are wrong", Justification: "it happens"}},
		Evidence:     []stalemate.Evidence{{Kind: "error_log", Description: "x", Content: marker + "-evidence"}},
	}})
	must(err)
	lesson, err := pi.Learn(ctx, api.LearnRequest{Insights: []api.Insight{{Section: playbook.Helpful, Content: marker + "-lesson is to be kept"}}})
	must(err)
	for _, m := range session.Deliveries {
		v.names = append(v.names, m.Message)
	}
	v.names = append(v.names, task.ID, string(session.Session.ID), string(dispute.ID), string(lesson.Outcomes[0].Bullet), lesson.Outcomes[0].Record,
		string(sub.Log.Artifact), "default", "ada", "BlueLake", "gradient", marker)
}

// requests makes requests of a type: every text in it is a name of the vault,
// one after the other; flags are off and on.
func (v *vault) requests(t reflect.Type) []reflect.Value {
	var out []reflect.Value
	for _, name := range v.names {
		for _, on := range []bool{false, true} {
			req := reflect.New(t).Elem()
			v.fillIn(req, name, on)
			out = append(out, req)
		}
	}
	return out
}

func (v *vault) fillIn(to reflect.Value, name string, on bool) {
	switch to.Interface().(type) {
	case brenner.Ref:
		to.Set(reflect.ValueOf(brenner.Ref{Artifact: brenner.ArtifactID(name), Version: 1}))
		return
	case api.Write, api.Page:
		return
	case api.DiffRequest:
		id := brenner.ArtifactID(name)
		to.Set(reflect.ValueOf(api.DiffRequest{From: brenner.Ref{Artifact: id, Version: 1}, To: brenner.Ref{Artifact: id, Version: 2}}))
		return
	case api.ApplyPatchRequest:
		to.Set(reflect.ValueOf(api.ApplyPatchRequest{Ref: brenner.Ref{Artifact: brenner.ArtifactID(name)}, Patch: guess(), DryRun: true, SummaryHolds: true, Rebase: on}))
		return
	case api.ExplainPatchRequest:
		to.Set(reflect.ValueOf(api.ExplainPatchRequest{Ref: brenner.Ref{Artifact: brenner.ArtifactID(name)}, Patch: guess()}))
		return
	case api.ListTasksRequest, api.ListArtifactsRequest, api.ListStalematesRequest, api.ListBulletsRequest:
		if !on {
			return // all
		}
	}
	switch to.Kind() {
	case reflect.String:
		to.SetString(name)
	case reflect.Bool:
		to.SetBool(on)
	case reflect.Struct:
		for i := range to.NumField() {
			if f := to.Field(i); f.CanSet() && to.Type().Field(i).Name != "Statuses" {
				v.fillIn(f, name, on)
			}
		}
	case reflect.Pointer:
		if on {
			to.Set(reflect.New(to.Type().Elem()))
			v.fillIn(to.Elem(), name, on)
		}
	}
}

// guess is a patch that knows the beginning of the secret texts and asks, by being
// refused, what stands behind it.
func guess() jsontext.Value {
	var texts [2]anchor.Text
	for i, word := range []string{"guessed", "changed"} {
		var err error
		if texts[i], err = anchor.Canonical([]byte("# About\n\nThe gradient is " + word + " and cells do not divide.\n")); err != nil {
			panic(err)
		}
	}
	p, err := anchor.Diff(texts[0], texts[1], "")
	if err != nil {
		panic(err)
	}
	return p.JSON()
}

// exempt are methods that no agent may call (C1), which other tests show, and
// those that stream.
var exempt = []string{"Export", "Verify", "Replay", "Records", "Checkpoint", "Redact", "ExportPlaybook"}

// C33: whatever an agent asks for, in whatever way, no word of what it may not
// read comes back: not in answers, not in refusals, not in what it searched for.
func TestLeak_NoPathGivesAwayWhatItsReaderMayNotSee(t *testing.T) {
	if testing.Short() {
		t.Skip("one caller at a time: nothing for the race detector")
	}
	for _, agent := range []struct {
		name    brenner.ActorName
		context bool
		may     []string // marked texts that this reader may see: those of no module
	}{
		{"blind", false, nil},
		{"narrow", true, []string{"lesson"}},
		{"scoped", true, []string{"lesson"}},
	} {
		t.Run(string(agent.name), func(t *testing.T) {
			v := newVault(t)
			svc := v.As(agent.name)
			renew := func() {
				if !agent.context {
					return
				}
				if _, err := svc.AssembleContext(t.Context(), api.ContextRequest{Question: "What divides?", Modules: []brenner.Module{"lineage"}}); err != nil {
					t.Fatal(err)
				}
			}
			renew()
			service := reflect.TypeFor[api.Service]()
			calls, found := 0, map[string]bool{}
			for _, m := range readsFirst(service) {
				if slices.Contains(exempt, m.Name) || m.Type.NumIn() > 1 && m.Type.In(1) == reflect.TypeFor[io.Writer]() {
					continue
				}
				in := []reflect.Value{{}}
				if m.Type.NumIn() > 1 {
					in = v.requests(m.Type.In(1))
				}
				for n, req := range in {
					if n%10 == 0 {
						renew()
					}
					answer, asked := call(t.Context(), svc, m.Name, req)
					calls++
					if said := leaks(answer, asked, agent.may); said != "" && !found[m.Name+said] {
						found[m.Name+said] = true
						t.Errorf("%s(%.150s) says %s:\n%.600s", m.Name, asked, said, answer)
					}
				}
			}
			t.Logf("%d calls of %d methods", calls, service.NumMethod()-len(exempt))
		})
	}
}

// readsFirst lists the methods of a service: those that write come last, because
// they change what the others would find.
func readsFirst(service reflect.Type) []reflect.Method {
	var reads, writes []reflect.Method
	for i := range service.NumMethod() {
		m := service.Method(i)
		if m.Type.NumIn() > 1 && m.Type.In(1).Implements(reflect.TypeFor[interface{ IdempotencyKey() string }]()) {
			writes = append(writes, m)
		} else {
			reads = append(reads, m)
		}
	}
	return append(reads, writes...)
}

// call asks the service and gives everything it says, and what was asked.
func call(ctx context.Context, svc api.Service, method string, req reflect.Value) (answer, asked string) {
	in := []reflect.Value{reflect.ValueOf(ctx)}
	if req.IsValid() {
		in = append(in, req)
		asked = string(canon.MustMarshal(req.Interface()))
	}
	out := reflect.ValueOf(svc).MethodByName(method).Call(in)
	err, _ := out[len(out)-1].Interface().(error)
	var said *brenner.Error
	if errors.As(err, &said) {
		return string(canon.MustMarshal(said)) + err.Error(), asked
	}
	if err != nil {
		return err.Error(), asked
	}
	return string(canon.MustMarshal(out[0].Interface())), asked
}

// leaks names the marked texts that an answer has and a reader may not see. The
// marker alone is what the test itself asks with.
func leaks(answer, asked string, may []string) string {
	var found []string
	for _, part := range strings.Split(answer, marker+"-")[1:] {
		word := strings.FieldsFunc(part, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9') })
		if len(word) > 0 && !slices.Contains(may, word[0]) && !slices.Contains(found, word[0]) && !strings.Contains(asked, marker+"-"+word[0]) {
			found = append(found, word[0])
		}
	}
	return strings.Join(found, ", ")
}

// C33: a search finds nothing in what the reader may not read: a hit would say
// which words stand there.
func TestLeak_NoSearchMatchesWordsOfWhatIsDenied(t *testing.T) {
	v := newVault(t)
	for _, agent := range []brenner.ActorName{"narrow", "scoped"} {
		svc := v.As(agent)
		if _, err := svc.AssembleContext(t.Context(), api.ContextRequest{Question: "What divides?", Modules: []brenner.Module{"lineage"}}); err != nil {
			t.Fatal(err)
		}
		for _, modules := range [][]brenner.Module{nil, {"gradient"}, {"lineage", "gradient"}} {
			found, err := svc.SearchArtifacts(t.Context(), api.SearchArtifactsRequest{Text: marker, Modules: modules})
			if err != nil || len(found.Items) > 0 {
				t.Errorf("%s in %v: found %+v, %v", agent, modules, found.Items, err)
			}
			list, err := svc.Artifacts(t.Context(), api.ListArtifactsRequest{Tag: marker + "-tag", Modules: modules})
			if err != nil || len(list.Items) > 0 {
				t.Errorf("%s in %v: listed %+v, %v", agent, modules, list.Items, err)
			}
		}
	}
}

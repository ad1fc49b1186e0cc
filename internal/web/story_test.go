package web_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"brenner"
	"brenner/artifact"
	"brenner/internal/api"
	"brenner/internal/app"
	"brenner/internal/httpapi"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/internal/store/sqlite"
	"brenner/internal/web"
	"brenner/roster"
	"brenner/stalemate"
)

// world is a served project.
type world struct {
	testing.TB
	app     *app.App
	server  *httpapi.Server
	address string
}

// backend is an application as the server asks it.
type backend struct{ *app.App }

func (b backend) Authenticate(ctx context.Context, token string) (httpapi.Caller, error) {
	who, err := b.App.Authenticate(ctx, token)
	return b.caller(who), err
}

func (b backend) Owner(ctx context.Context) (httpapi.Caller, error) {
	name, err := b.App.Owner(ctx)
	return b.caller(app.Identity{Name: name, Auth: app.AuthLogin}), err
}

func (b backend) caller(who app.Identity) httpapi.Caller {
	return httpapi.Caller{Service: b.As(who), Name: who.Name, Auth: who.Auth}
}

const config = `
modules: [hydrology, biology]
`

// newWorld serves an empty project.
func newWorld(t testing.TB) *world {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "project.db"), sqlite.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	a := app.New(s, app.Options{
		Keys:    app.Keyring{Dir: t.TempDir()},
		Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil },
	})
	if _, err := a.Init(t.Context(), api.InitRequest{
		Name: "The Lärr in August", PI: "ada", Config: &api.ConfigFile{Name: ".brennerrc", Data: config},
	}); err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, app: a}
	w.server = httpapi.New(httpapi.Options{
		Backend: backend{a}, Login: true, Rate: 1_000_000, Burst: 1_000_000,
		Pages: func(v httpapi.Visitors) http.Handler {
			return web.New(web.Options{Service: v.Who, Wait: v.Wait, Log: slog.New(slog.NewTextHandler(testWriter{t}, nil))})
		},
	})
	hs := httptest.NewServer(w.server)
	t.Cleanup(hs.Close)
	t.Cleanup(hs.CloseClientConnections) // open feeds end first
	w.address = hs.URL
	return w
}

// testWriter lets a fault that a page does not show fail the test.
type testWriter struct{ testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.Errorf("logged: %s", p)
	return len(p), nil
}

func (w *world) pi() api.Service { return w.app.As(app.Identity{Name: "ada", Auth: app.AuthOwner}) }

func (w *world) as(name brenner.ActorName) api.Service {
	return w.app.As(app.Identity{Name: name, Auth: app.AuthAs})
}

// must gives a result or ends the test.
func must[T any](w *world) func(T, error) T {
	return func(v T, err error) T {
		w.Helper()
		if err != nil {
			w.Fatal(err)
		}
		return v
	}
}

func ref(id brenner.ArtifactID, v brenner.Version) brenner.Ref {
	return brenner.Ref{Artifact: id, Version: v}
}

func (w *world) promote(r brenner.Ref, reason string) {
	w.Helper()
	must[api.DecisionResult](w)(w.pi().Promote(w.Context(), api.PromoteRequest{Ref: r, Reason: reason}))
}

func (w *world) create(as api.Service, req api.CreateArtifactRequest) brenner.Ref {
	w.Helper()
	return must[api.WriteResult](w)(as.CreateArtifact(w.Context(), req)).Ref
}

func jsonBody(s string) api.Body { return api.Body{Format: artifact.JSON, Data: s} }
func textBody(s string) api.Body { return api.Body{Format: artifact.Text, Data: s} }

// hostile is a text that tries everything.
const hostile = "# A note <script>alert('heading')</script>\n\n" +
	"<script>document.title = 'owned'</script>\n\n" +
	"<img src=x onerror=\"document.title='owned'\">\n\n" +
	"<svg onload=\"document.title='owned'\"><a href=\"javascript:alert(1)\">svg</a></svg>\n\n" +
	"[click me](javascript:document.title='owned') and [data](data:text/html,<script>alert(1)</script>) and [here](/logout) and [good](https://example.org/paper)\n\n" +
	"![tracker](https://example.org/pixel.png \"x\") ![inline](data:image/svg+xml;base64,PHN2Zy8+)\n\n" +
	"<javascript:alert(1)> <https://example.org/auto>\n\n" +
	"| a | b |\n|:--|--:|\n| 1 | <b onmouseover=alert(1)>2</b> |\n\n" +
	"[ref]: javascript:alert(2)\n\n[ref]\n"

// tell plays the story of the demo, so that every page has something to show.
func (w *world) tell() told {
	w.Helper()
	ctx, pi := w.Context(), w.pi()
	w.create(pi, api.CreateArtifactRequest{
		ID: "brief", Type: "project_brief", Summary: "Why does the Lärr lose its oxygen every August?",
		Content: jsonBody(`{"question":"Why does the Lärr lose its oxygen every August, and what would prevent it?","goals":["tell night respiration from low flow"],"in_scope":["oxygen, flow, temperature"],"out_of_scope":["fish stocking"],"constraints":["public gauges only"]}`),
	})
	w.promote(ref("brief", 1), "agreed with the county")
	for name, role := range map[brenner.ActorName]brenner.Role{
		"BlueLake": "hypothesis_generator", "PurpleMountain": "test_designer", "GreenValley": "adversarial_critic",
		"RedSky": "integrator", "GreyStone": "writer", "WhiteFox": "distiller",
	} {
		must[api.AgentInfo](w)(pi.AddAgent(ctx, api.AddAgentRequest{Name: name, Role: role}))
	}
	w.create(pi, api.CreateArtifactRequest{
		ID: "oxygen-log", Type: "analysis_result", Module: "biology", Tags: []string{"oxygen"},
		Summary: "Oxygen at the weir falls below 2 mg/l on 11 of 14 August nights",
		Content: jsonBody(`{"method":"optical logger","data":{"nights_below_2":11,"nights":14},"result":"below 2 mg/l on 11 of 14 nights"}`),
	})
	w.promote(ref("oxygen-log", 1), "checked against titration")
	w.create(pi, api.CreateArtifactRequest{
		ID: "memo-biology", Type: "integrated_memo", Module: "biology", Summary: "Respiration, not mixing, sets the minimum",
		Content: textBody("# What we know\n\nMinima at 05:00 and recovery by 09:00 point at *night respiration*.\n\n- oxygen falls at night\n- it recovers after sunrise\n"),
		Links:   []artifact.Link{{Rel: artifact.DependsOn, Artifact: "oxygen-log", Version: 1}},
	})
	w.promote(ref("memo-biology", 1), "fits the logger")
	w.create(w.pi(), api.CreateArtifactRequest{ID: "hostile", Type: "paper_note", Module: "biology", Summary: "A note <script>alert('summary')</script>", Content: textBody(hostile)})

	t := must[api.TaskInfo](w)(pi.NewTask(ctx, api.NewTaskRequest{
		Title: "Draft the results section", Spec: "One paragraph: **when** does oxygen crash, and how far?", Role: "writer",
		Modules: []brenner.Module{"biology"}, Inputs: []brenner.Ref{ref("oxygen-log", 1)},
	}))
	writer := w.as("GreyStone")
	must[api.TaskInfo](w)(writer.ClaimTask(ctx, api.ClaimTaskRequest{ID: t.ID}))
	seen := must[api.ContextResult](w)(writer.AssembleContext(ctx, api.ContextRequest{Task: t.ID}))
	w.create(writer, api.CreateArtifactRequest{
		ID: "results", Type: "manuscript_section", Module: "biology", Task: t.ID, Summary: "Results: oxygen crashes on 11 of 14 nights",
		Content: textBody("Oxygen fell below 2 mg/l on 11 of 14 nights."),
		Links:   []artifact.Link{{Rel: artifact.DependsOn, Artifact: "oxygen-log", Version: 1}},
	})
	summary := "Oxygen at the weir falls below 2 mg/l on 12 of 14 August nights"
	must[api.WriteResult](w)(pi.UpdateArtifact(ctx, api.UpdateArtifactRequest{
		ID: "oxygen-log", Summary: &summary, Change: &artifact.Change{What: "one more night", Why: "the clock was an hour off"},
		Content: &api.Body{Format: artifact.JSON, Data: `{"method":"optical logger, clock corrected","data":{"nights_below_2":12,"nights":14},"result":"below 2 mg/l on 12 of 14 nights"}`},
	}))
	w.promote(ref("oxygen-log", 2), "corrected log")
	must[api.TaskInfo](w)(writer.CompleteTask(ctx, api.CompleteTaskRequest{ID: t.ID}))
	for i, text := range []string{"Minima at 05:00 on 12 of 14 nights.", "Night respiration, made worse by low flow."} {
		must[api.WriteResult](w)(w.as([]brenner.ActorName{"ada", "RedSky"}[i]).UpdateArtifact(ctx, api.UpdateArtifactRequest{
			ID: "memo-biology", Parent: 1, Summary: &text, Content: &api.Body{Format: artifact.Text, Data: "# What we know\n\n" + text + "\n"},
			Change: &artifact.Change{What: "counts", Why: "corrected log"},
		}))
	}
	sure, unsure := 0.9, 0.4
	must[api.LearnResult](w)(pi.Learn(ctx, api.LearnRequest{Insights: []api.Insight{
		{Section: "helpful", Content: "Check the clock of every logger before reading its minima", Confidence: &sure},
		{Section: "harmful", Content: "Averaging over the night hides the crash", Confidence: &unsure},
		{Section: "neutral", Content: "Trout leave the reach when the gauge reads 0.3", Confidence: &unsure},
	}}))
	info := must[api.StalemateInfo](w)(w.as("BlueLake").RaiseStalemate(ctx, api.RaiseStalemateRequest{Stalemate: stalemate.Stalemate{
		Summary: "the two loggers disagree about 9 August", Target: "oxygen-log@2", Request: "say which logger is right", Expected: "both show the same minimum",
		Hypotheses: []stalemate.Hypothesis{
			{Author: "BlueLake", Statement: "the upper logger drifted", Justification: "it was not calibrated in July"},
			{Author: "PurpleMountain", Statement: "the clocks differ by an hour", Justification: "the curves match when shifted"},
		},
		Alternatives: []stalemate.Hypothesis{{Statement: "one was out of the water", Justification: "the gauge fell that night"}},
		Attempts:     []stalemate.Attempt{{Actor: "BlueLake", Action: "compared the raw files", Outcome: "they differ by 60 minutes"}},
		Evidence:     []stalemate.Evidence{{Kind: "error_log", Content: "upper: minimum 04:00\nlower: minimum 05:00"}},
	}}))
	return told{task: t.ID, invocation: seen.Invocation, dispute: info.ID, session: w.meet()}
}

// told names what the story made.
type told struct {
	task, invocation string
	dispute          brenner.ArtifactID
	session          brenner.SessionID
}

// meet plays a session: three agents answer, one hypothesis is killed, and two
// agents disagree about another at the same instant; that is not yet compiled.
func (w *world) meet() brenner.SessionID {
	w.Helper()
	ctx := w.Context()
	started := must[api.SessionStart](w)(w.pi().StartSession(ctx, api.StartSessionRequest{
		Question: "What sets the nightly minimum?", Module: "biology",
		Roster: roster.Roster{Entries: []roster.Entry{
			{AgentName: "BlueLake", Role: roster.HypothesisGenerator}, {AgentName: "PurpleMountain", Role: roster.TestDesigner}, {AgentName: "GreenValley", Role: roster.AdversarialCritic},
		}},
	}))
	id := started.Session.ID
	submit := func(who brenner.ActorName, deltas ...string) {
		w.Helper()
		text := ""
		for _, d := range deltas {
			text += "```delta\n" + d + "\n```\n"
		}
		must[api.Submission](w)(w.as(who).SubmitDeltas(ctx, api.SubmitDeltasRequest{Session: id, Text: text}))
	}
	submit("BlueLake",
		`{"operation":"ADD","target_id":null,"section":"hypothesis_slate","timestamp":"2026-08-10T10:00:00Z","payload":{"name":"Respiration","claim":"algae respire at night","mechanism":"no light, no oxygen"}}`,
		`{"operation":"ADD","target_id":null,"section":"hypothesis_slate","timestamp":"2026-08-10T10:01:00Z","payload":{"name":"Sewage","claim":"the plant discharges at night","mechanism":"oxygen demand"}}`)
	must[api.CompileResult](w)(w.pi().CompileSession(ctx, api.CompileSessionRequest{ID: id}))
	submit("PurpleMountain",
		`{"operation":"ADD","target_id":null,"section":"predictions_table","payload":{"condition":"a cloudy day","predictions":{"H1":"lower minimum","H2":"no change"}}}`,
		`{"operation":"ADD","target_id":null,"section":"discriminative_tests","payload":{"name":"Cover the weir","procedure":"shade it for a day","discriminates":"H1 vs H2","expected_outcomes":{"H1":"crash","H2":"none"},"score":{"likelihood_ratio":2,"cost":1,"speed":3,"ambiguity":2}}}`,
		`{"operation":"EDIT","target_id":"H1","section":"hypothesis_slate","timestamp":"2026-08-10T12:00:00Z","payload":{"claim":"algae and bacteria respire at night"}}`)
	submit("GreenValley",
		`{"operation":"KILL","target_id":"H2","section":"hypothesis_slate","rationale":"the plant is shut in August","payload":{"reason":"the plant is shut in August"}}`,
		`{"operation":"EDIT","target_id":"H1","section":"hypothesis_slate","timestamp":"2026-08-10T12:00:00Z","payload":{"claim":"the sediment respires at night"}}`)
	return id
}

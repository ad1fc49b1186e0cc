package app_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app"
	"brenner/internal/mail"
	"brenner/internal/mail/mailtest"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/roster"
)

var trio = roster.Roster{Entries: []roster.Entry{
	{AgentName: "BlueLake", Role: roster.HypothesisGenerator, Program: "codex-cli"},
	{AgentName: "PurpleMountain", Role: roster.TestDesigner},
	{AgentName: "GreenValley", Role: roster.AdversarialCritic},
}}

// bureau is a project with a clock of its own and, perhaps, a mail server.
type bureau struct {
	*testing.T
	world
	now time.Time
}

func newBureau(t *testing.T, open func(mail.Options) (mail.Transport, error)) *bureau {
	t.Helper()
	return newBureauOn(t, failingOften(t), open)
}

func newBureauOn(t *testing.T, s store.Store, open func(mail.Options) (mail.Transport, error)) *bureau {
	t.Helper()
	d := &bureau{T: t, now: time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC)}
	a := app.New(s, app.Options{
		Clock:   func() time.Time { return d.now },
		Keys:    app.Keyring{Dir: t.TempDir()},
		Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil },
		Mail:    open,
	})
	if _, err := a.Init(t.Context(), api.InitRequest{Name: "Cell fate", PI: "ada"}); err != nil {
		t.Fatal(err)
	}
	d.world = world{app: a, pi: "ada", in: newTranscript()}
	if _, fails := s.(*failing); fails {
		d.in.keepAfter(t, s, d)
	}
	return d
}

func (d *bureau) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func (d *bureau) start(transport api.Transport) api.SessionStart {
	d.Helper()
	together := roster.Roster{Mode: roster.Unified, Entries: trio.Entries}
	res, err := d.PI().StartSession(d.Context(), api.StartSessionRequest{
		ID: "RS-1", Question: "Why?", Roster: together, Transport: transport, Compile: api.CompileManual,
	})
	d.must(err)
	return res
}

func (d *bureau) submit(as brenner.ActorName, text string) {
	d.Helper()
	_, err := d.As(as).SubmitDeltas(d.Context(), api.SubmitDeltasRequest{Session: "RS-1", Text: text})
	d.must(err)
}

func (d *bureau) compile() api.CompileResult {
	d.Helper()
	res, err := d.PI().CompileSession(d.Context(), api.CompileSessionRequest{ID: "RS-1"})
	d.must(err)
	return res
}

func block(json string) string { return "```delta\n" + json + "\n```\n" }

// R10, D11: the same messages give the same bytes, whatever the order in which
// they arrive and however late.
func TestSession_SameMessagesGiveTheSameBytes(t *testing.T) {
	replies := []struct {
		agent brenner.ActorName
		text  string
	}{
		{"BlueLake", block(`[{"operation":"ADD","section":"hypothesis_slate","timestamp":"2026-01-02T09:00:10Z","provisional_id":"H-A","payload":{"claim":"a","mechanism":"m"},"rationale":"first"},
{"operation":"ADD","section":"hypothesis_slate","timestamp":"2026-01-02T09:00:10Z","payload":{"claim":"b","mechanism":"m"}}]`)},
		{"PurpleMountain", block(`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","timestamp":"2026-01-02T09:00:20Z","payload":{"name":"x"},"rationale":"second"}`)},
		{"GreenValley", block(`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","timestamp":"2026-01-02T09:00:20Z","payload":{"name":"y"}}`) +
			block(`{"operation":"KILL","section":"hypothesis_slate","target_id":"H2","timestamp":"2026-01-02T09:00:30Z"}`)},
	}
	var want api.CompileResult
	for i, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		d := newBureau(t, nil)
		d.start("")
		for _, n := range order {
			d.now = d.now.Add(time.Duration(1+n+i) * time.Minute)
			d.submit(replies[n].agent, replies[n].text)
		}
		got := d.compile()
		if i == 0 {
			want = got
			if got.Conflicts != 1 || !got.Changed {
				t.Fatalf("compiled %+v", got)
			}
		}
		if got.SHA256 != want.SHA256 || got.Summary != want.Summary || *got.Change != *want.Change {
			t.Errorf("order %v: %s %q %+v\nwant %s %q %+v", order, got.SHA256, got.Summary, *got.Change, want.SHA256, want.Summary, *want.Change)
		}
	}
}

// X3: a session's queue is bounded; the compile makes room.
func TestSession_QueueIsBounded(t *testing.T) {
	skipShort(t)
	d := newBureauOn(t, memory.New(), nil)
	d.start("")
	one := `{"operation":"KILL","section":"hypothesis_slate","target_id":"H1"}`
	many := func(n int) string { return "[" + strings.Repeat(one+",", n-1) + one + "]" }
	d.submit("BlueLake", many(brenner.MaxPendingDeltas-1))
	_, err := d.As("GreenValley").SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-1", Text: many(2)})
	if brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Fatalf("got %v", err)
	}
	if res := d.compile(); len(res.Outcomes) != brenner.MaxPendingDeltas-1 || res.Changed {
		t.Errorf("compiled %d", len(res.Outcomes))
	}
	// Nobody is told ten thousand times.
	inbox, err := d.As("BlueLake").Inbox(t.Context(), api.InboxRequest{})
	d.must(err)
	told, err := d.As("BlueLake").ReadMessage(t.Context(), api.MessageRequest{ID: inbox.Messages[0].ID})
	d.must(err)
	if n := strings.Count(told.Text, "INVALID_TARGET"); n != 200 || !strings.Contains(told.Text, "and 9799 more: {{do session.show id=RS-1}}") {
		t.Errorf("told %d times:\n%.300s", n, told.Text)
	}
	d.submit("GreenValley", many(2))
}

// R8: without a mail server the session stands and says what is missing.
func TestSession_AgentMailWithoutAServer(t *testing.T) {
	d := newBureau(t, nil)
	res := d.start(api.TransportAgentMail)
	for _, x := range res.Deliveries {
		if x.State != api.Failed || x.Error.Code != brenner.CodeMailUnavailable {
			t.Errorf("delivery %+v", x)
		}
	}
	if len(res.Session.Outbox) != 3 || res.Session.Outbox[0].Attempts != 1 {
		t.Errorf("outbox %+v", res.Session.Outbox)
	}
	if _, err := d.PI().FetchReplies(t.Context(), api.FetchRepliesRequest{ID: "RS-1"}); brenner.CodeOf(err) != brenner.CodeMailUnavailable {
		t.Errorf("got %v", err)
	}
}

// postOffice is a bureau with an Agent Mail server.
func postOffice(t *testing.T, s *mailtest.Server, timeout time.Duration) *bureau {
	t.Helper()
	o := s.Start(nil)
	t.Cleanup(s.Close)
	return newBureau(t, func(asked mail.Options) (mail.Transport, error) {
		asked.URL, asked.Token, asked.Timeout = o.URL, o.Token, timeout
		return mail.NewAgentMail(asked)
	})
}

// R8: the server kept a message and its answer was lost. Resend finds it there
// and nothing arrives twice; a repeated start does not either (X2).
func TestSession_NothingArrivesTwice(t *testing.T) {
	s := &mailtest.Server{Slow: make(chan struct{})}
	d := postOffice(t, s, 3*time.Second) // what answers at all answers in that, on a slow machine too
	req := api.StartSessionRequest{Write: api.Write{Key: "once"}, ID: "RS-1", Roster: trio, Transport: api.TransportAgentMail}
	res, err := d.PI().StartSession(t.Context(), req)
	d.must(err)
	if res.Deliveries[0].Error == nil || len(s.Posts()) != 1 {
		t.Fatalf("deliveries %+v, %d posts", res.Deliveries, len(s.Posts()))
	}
	s.Hurry()
	again, err := d.PI().StartSession(t.Context(), req)
	d.must(err)
	for i, x := range again.Deliveries {
		if x.State != api.Delivered || x.Message != res.Deliveries[i].Message {
			t.Errorf("delivery %+v", x)
		}
	}
	if posts := s.Posts(); len(posts) != 3 || len(again.Session.Outbox) != 0 {
		t.Errorf("%d messages arrived, outbox %+v", len(posts), again.Session.Outbox)
	}
}

// R8: the names that a server gave are kept for every later session, ours too.
func TestSession_KeepsTheNamesAServerGave(t *testing.T) {
	s := &mailtest.Server{Rename: map[string]string{"BlueLake": "GreenCastle", "Brenner": "RedCat"}}
	d := postOffice(t, s, 0)
	if got := d.start(api.TransportAgentMail).Deliveries[0]; got.As != "GreenCastle" {
		t.Errorf("delivery %+v", got)
	}
	s.Rename["BlueLake"], s.Rename["Brenner"] = "Other", "Stranger"
	res, err := d.PI().StartSession(t.Context(), api.StartSessionRequest{ID: "RS-2", Roster: trio, Transport: api.TransportAgentMail})
	d.must(err)
	if res.Deliveries[0].As != "GreenCastle" {
		t.Errorf("delivery %+v", res.Deliveries[0])
	}
	for _, p := range s.Posts() {
		if p.From != "RedCat" || p.To[0] == "Other" {
			t.Errorf("sent from %s to %s", p.From, p.To)
		}
	}
	if p := s.Projects(); len(p) == 0 || !strings.HasPrefix(p[0], "/p-") {
		t.Errorf("projects %q", p)
	}
}

// R8: replies over Agent Mail are taken once, in the agent's name, at the time
// they were written if that is past (D11); a bad one keeps no other back.
func TestSession_TakesRepliesFromAgentMail(t *testing.T) {
	s := &mailtest.Server{}
	d := postOffice(t, s, 0)
	later := d.now
	d.now = later.Add(-6 * time.Hour) // before the server's clock
	d.start(api.TransportAgentMail)
	d.now = later
	add := block(`{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"c","mechanism":"m"}}`)
	s.Reply("BlueLake", "RS-1", "Re: KICKOFF", add)
	s.Reply("GreenValley", "RS-1", "Re: KICKOFF", "  ")
	s.Reply("Nobody", "RS-1", "INFO", add)
	s.Reply("PurpleMountain", "RS-1", "Re: KICKOFF", "Nothing to add.")
	fetch := func() api.FetchResult {
		t.Helper()
		res, err := d.PI().FetchReplies(t.Context(), api.FetchRepliesRequest{ID: "RS-1"})
		d.must(err)
		return res
	}
	got := fetch()
	if len(got.Replies) != 2 || got.Replies[0].Agent != "BlueLake" || got.Replies[0].Message != "mail-4" || len(got.Replies[0].Deltas) != 1 {
		t.Errorf("replies %+v", got.Replies)
	}
	if len(got.Refused) != 1 || got.Refused[0].Code != brenner.CodeInvalidValue || fmt.Sprint(got.Strangers) != "[Nobody]" {
		t.Errorf("refused %+v, strangers %v", got.Refused, got.Strangers)
	}
	if again := fetch(); len(again.Replies) != 0 {
		t.Errorf("taken twice: %+v", again.Replies)
	}
	if res := d.compile(); !res.Changed {
		t.Errorf("compiled %+v", res)
	}
	show, err := d.PI().Session(t.Context(), api.SessionRequest{ID: "RS-1", Full: true})
	d.must(err)
	if !strings.Contains(string(show.Content), `"at":"2026-01-02T03:04:04Z"`) {
		t.Errorf("the reply was written at 03:04:04: %s", show.Content)
	}
	st, err := d.PI().SessionStatus(t.Context(), api.SessionStatusRequest{ID: "RS-1"})
	d.must(err)
	if st.Recipients[0].AckedAt.IsZero() || st.State != api.SessionUnusable { // GreenValley sent nothing, PurpleMountain nothing of use
		t.Errorf("status %+v", st)
	}
}

// X4: who stops waiting for the mail server loses nothing.
func TestSession_StoppedWhileSending(t *testing.T) {
	s := &mailtest.Server{Slow: make(chan struct{})}
	d := postOffice(t, s, 0)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for len(s.Posts()) == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	_, err := d.PI().StartSession(ctx, api.StartSessionRequest{ID: "RS-1", Roster: trio, Transport: api.TransportAgentMail})
	if brenner.CodeOf(err) != brenner.CodeCanceled && !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	s.Hurry()
	res, err := d.PI().ResendSession(t.Context(), api.ResendSessionRequest{ID: "RS-1"})
	d.must(err)
	if len(res.Deliveries) != 3 || len(s.Posts()) != 3 {
		t.Errorf("deliveries %+v, %d posts", res.Deliveries, len(s.Posts()))
	}
}

// R8: killed between recording and sending. What was not tried waits in the
// outbox, the status says so, and resend sends it.
func TestSession_KilledBeforeSending(t *testing.T) {
	s := &mailtest.Server{}
	o := s.Start(nil)
	t.Cleanup(s.Close)
	dying := true
	d := newBureau(t, func(asked mail.Options) (mail.Transport, error) {
		if dying {
			panic("killed")
		}
		asked.URL = o.URL
		return mail.NewAgentMail(asked)
	})
	func() {
		defer func() { _ = recover() }()
		d.start(api.TransportAgentMail)
	}()
	status := func() api.SessionStatus {
		t.Helper()
		st, err := d.PI().SessionStatus(t.Context(), api.SessionStatusRequest{ID: "RS-1"})
		d.must(err)
		return st
	}
	if st := status(); st.Recipients[0].Delivery != api.Queued || len(st.Next) != 1 || st.Next[0].Name != "session.resend" || st.Next[0].Args["id"] != "RS-1" {
		t.Errorf("status %+v", st)
	}
	dying = false
	_, err := d.PI().ResendSession(t.Context(), api.ResendSessionRequest{ID: "RS-1"})
	d.must(err)
	if st := status(); st.Recipients[0].Delivery != api.Delivered || len(s.Posts()) != 3 {
		t.Errorf("status %+v, %d posts", st, len(s.Posts()))
	}
}

// D27: a session that compiles when everybody has answered goes on when most have and
// nobody has for a while; whoever contributes may see to that, and nobody else. Who had
// not answered is told so, holds up nothing any more, and is compiled when it answers.
func TestSession_GoesOnWithoutTheLast(t *testing.T) {
	adds := func(section, payload string) string {
		return "```delta\n" + `{"operation":"ADD","target_id":null,"section":"` + section + `","payload":` + payload + "}\n```\n"
	}
	claim := func(text string) string { return adds("hypothesis_slate", `{"claim":"`+text+`","mechanism":"m"}`) }
	attack := adds("adversarial_critique", `{"name":"n","attack":"a"}`)
	begin := func(t *testing.T, team []roster.Entry) *bureau {
		d := newBureau(t, nil)
		_, err := d.PI().StartSession(t.Context(), api.StartSessionRequest{
			ID: "RS-1", Question: "Why?", Roster: roster.Roster{Mode: roster.Unified, Entries: team}, Compile: api.CompileAnswered,
		})
		d.must(err)
		return d
	}
	due := func(d *bureau, by brenner.ActorName) (api.CompileResult, error) {
		return d.As(by).CompileSession(d.Context(), api.CompileSessionRequest{ID: "RS-1", Due: true})
	}
	at := func(d *bureau) time.Time {
		st, err := d.PI().SessionStatus(d.Context(), api.SessionStatusRequest{ID: "RS-1"})
		d.must(err)
		return st.CompileAt
	}
	t.Run("most have answered", func(t *testing.T) {
		d := begin(t, trio.Entries)
		began := d.now
		d.submit("BlueLake", claim("lineage"))
		if got := at(d); !got.IsZero() {
			t.Errorf("one of three has answered, and it goes on at %s", got)
		}
		d.now = began.Add(time.Minute)
		d.submit("GreenValley", attack)
		if got := at(d); !got.Equal(d.now.Add(roster.Patience)) {
			t.Errorf("two of three have answered, and it goes on at %s", got)
		}
		d.now = began.Add(time.Minute + roster.Patience - time.Second)
		if res, err := due(d, "BlueLake"); err != nil || res.Changed {
			t.Errorf("before its time: %+v, %v", res, err)
		}
		d.now = d.now.Add(time.Second)
		_, err := d.PI().AddAgent(t.Context(), api.AddAgentRequest{Name: "GreyStone", Role: "integrator"})
		d.must(err)
		if _, err := due(d, "GreyStone"); !errors.Is(err, brenner.CodeWriteDenied) {
			t.Errorf("who takes no part: %v", err)
		}
		if _, err := d.As("BlueLake").CompileSession(t.Context(), api.CompileSessionRequest{ID: "RS-1"}); !errors.Is(err, brenner.CodeWriteDenied) {
			t.Errorf("by hand: %v", err)
		}
		res, err := due(d, "GreenValley")
		if err != nil || res.Ref.Version != 2 || len(res.Outcomes) != 2 {
			t.Fatalf("%+v, %v", res, err)
		}
		if res, err := due(d, "GreenValley"); err != nil || res.Changed {
			t.Errorf("once more: %+v, %v", res, err)
		}
		shown, err := d.PI().Session(t.Context(), api.SessionRequest{ID: "RS-1"})
		d.must(err)
		if r := shown.Recipients[1]; !r.Waiting || !r.Late || shown.Recipients[0].Late {
			t.Errorf("recipients %+v", shown.Recipients)
		}
		// What comes afterwards waits for nobody, and an answer is one like any other.
		d.submit("BlueLake", claim("gradient"))
		d.submit("PurpleMountain", claim("contact"))
		shown, err = d.PI().Session(t.Context(), api.SessionRequest{ID: "RS-1"})
		d.must(err)
		if r := shown.Recipients[1]; shown.Compiles != 3 || r.Waiting || r.Late {
			t.Errorf("compiled %d times, recipients %+v", shown.Compiles, shown.Recipients)
		}
		// Who is asked again is waited for again.
		_, err = d.PI().NudgeSession(t.Context(), api.NudgeSessionRequest{ID: "RS-1", To: []brenner.ActorName{"PurpleMountain"}})
		d.must(err)
		d.submit("BlueLake", claim("noise"))
		if got := at(d); !got.Equal(d.now.Add(roster.Patience)) {
			t.Errorf("asked again, and it goes on at %s", got)
		}
		report, err := d.PI().Verify(t.Context(), api.VerifyRequest{})
		d.must(err)
		if !report.OK {
			t.Errorf("verified: %+v", report)
		}
	})
	t.Run("what those hand in again moves nothing", func(t *testing.T) { // D27, ADR 205
		d := begin(t, trio.Entries)
		d.submit("BlueLake", claim("lineage"))
		d.now = d.now.Add(time.Minute)
		d.submit("GreenValley", attack)
		want := d.now.Add(roster.Patience)
		for _, text := range []string{claim("gradient"), claim("contact")} {
			d.now = d.now.Add(90 * time.Second)
			d.submit("BlueLake", text)
			if got := at(d); !got.Equal(want) {
				t.Errorf("handed in again at %s: it goes on at %s, not %s", d.now, got, want)
			}
		}
		d.now = want
		if res, err := due(d, "GreenValley"); err != nil || len(res.Outcomes) != 4 {
			t.Fatalf("%+v, %v", res, err)
		}
		// What comes after a compile counts anew.
		_, err := d.PI().NudgeSession(t.Context(), api.NudgeSessionRequest{ID: "RS-1", To: []brenner.ActorName{"PurpleMountain"}})
		d.must(err)
		d.now = d.now.Add(time.Hour)
		d.submit("BlueLake", claim("noise"))
		if got := at(d); !got.Equal(d.now.Add(roster.Patience)) {
			t.Errorf("after a compile it goes on at %s", got)
		}
		report, err := d.PI().Verify(t.Context(), api.VerifyRequest{})
		d.must(err)
		if !report.OK {
			t.Errorf("verified: %+v", report)
		}
	})
	t.Run("nobody has a hypothesis yet", func(t *testing.T) {
		d := begin(t, trio.Entries)
		d.submit("PurpleMountain", attack)
		d.submit("GreenValley", attack)
		if got := at(d); !got.IsZero() {
			t.Errorf("it goes on at %s, about nothing", got)
		}
	})
	t.Run("one of two", func(t *testing.T) {
		d := begin(t, trio.Entries[:2])
		d.submit("BlueLake", claim("lineage"))
		if got := at(d); !got.IsZero() {
			t.Errorf("it goes on at %s, with one answer", got)
		}
	})
}

// C26: the document of a session rests on the versions that its items give as their
// evidence, and is stale when one of them moves; an item that was killed, or that names a
// newer one beside it, rests on it no more.
func TestSession_RestsOnTheEvidenceThatItsItemsName(t *testing.T) {
	d := newBureauOn(t, memory.New(), nil)
	d.start("")
	write := func(id brenner.ArtifactID) {
		_, err := d.PI().CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: id, Type: artifact.TypeAnalysisResult, Module: "main", Summary: "what " + string(id) + " showed",
			Content: api.Body{Format: artifact.JSON, Data: `{"result":"f"}`},
		})
		d.must(err)
		_, err = d.PI().Promote(t.Context(), api.PromoteRequest{Ref: brenner.Ref{Artifact: id}, Reason: "checked"})
		d.must(err)
	}
	memo := brenner.Ref{Artifact: "memo", Version: 1}
	for _, id := range []brenner.ArtifactID{"run-log", "clone-log", "dead-log", "asked-log", "said-log", "seen-log"} {
		write(id)
	}
	d.submit("BlueLake", block(`[{"operation":"EDIT","section":"research_thread","target_id":"RT","payload":{"statement":"why does asked-log@1 differ?","answer":"it does not, by said-log@1/F2 (nobody has none-log@1)"},"rationale":"r"},
{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"a","mechanism":"m","anchors":["clone-log@1","inference","https://host/x/seen-log@1"]}},
{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"b","mechanism":"m","anchors":["dead-log@1"]}},
{"operation":"ADD","section":"discriminative_tests","payload":{"name":"n","procedure":"p","discriminates":"H1 from H2","expected_outcomes":{"H1":"x","H2":"y"},"last_run":{"by":"BlueLake","result":"run-log@1"}}}]`))
	d.compile()
	d.submit("BlueLake", block(`{"operation":"KILL","section":"hypothesis_slate","target_id":"H2","payload":{"reason":"no"}}`))
	res := d.compile()

	cites := func(ref brenner.Ref) string {
		got, err := d.PI().Artifact(t.Context(), api.ArtifactRequest{Ref: ref, Brief: true})
		d.must(err)
		var out []string
		for _, l := range got.Links {
			if l.Rel == artifact.Cites {
				out = append(out, brenner.Ref{Artifact: l.Artifact, Version: l.Version}.String())
			}
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	if got, want := cites(res.Ref), "clone-log@1 run-log@1 said-log@1"; got != want {
		t.Errorf("it cites %s, want %s", got, want)
	}
	stale := func() string {
		list, err := d.PI().Stale(t.Context(), api.StaleRequest{})
		d.must(err)
		var out []string
		for _, s := range list.Items {
			out = append(out, fmt.Sprint(s.Path))
		}
		return strings.Join(out, " ")
	}
	if got := stale(); got != "" {
		t.Errorf("stale before anything moved: %s", got)
	}
	_, err := d.PI().CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: memo.Artifact, Type: artifact.TypePaperNote, Module: "main", Summary: "on the run", Content: api.Body{Format: artifact.Text, Data: "it ran"},
		Links: []artifact.Link{{Rel: artifact.DependsOn, Artifact: "run-log", Version: 1}},
	})
	d.must(err)
	_, err = d.PI().UpdateArtifact(t.Context(), api.UpdateArtifactRequest{
		ID: "run-log", Summary: new("run again"), Content: &api.Body{Format: artifact.JSON, Data: `{"result":"g"}`}, Change: &artifact.Change{What: "w", Why: "w"},
	})
	d.must(err)
	_, err = d.PI().Promote(t.Context(), api.PromoteRequest{Ref: brenner.Ref{Artifact: "run-log", Version: 2}, Reason: "checked"})
	d.must(err)
	if got, want := stale(), fmt.Sprintf("[%s run-log@1] [memo@1 run-log@1]", res.Ref); got != want {
		t.Errorf("stale %s, want %s", got, want)
	}
	// It is confirmed like the rest of what rests on what moved (ADR 196).
	made, err := d.PI().Decide(t.Context(), api.DecideRequest{Decision: api.DecideStillHolds, Filter: &api.DecisionFilter{Moved: "run-log"}, Reason: "as before"})
	d.must(err)
	if len(made.Decisions) != 2 || made.Decisions[0].Ref != res.Ref || made.Decisions[1].Ref != memo || stale() != "" {
		t.Errorf("confirmed %+v, stale %s", made.Decisions, stale())
	}
	_, err = d.PI().Decide(t.Context(), api.DecideRequest{Decision: api.DecideStillHolds, Filter: &api.DecisionFilter{Moved: "run-log"}, Reason: "as before"})
	if brenner.CodeOf(err) != brenner.CodeNotFound {
		t.Errorf("confirmed twice: %v", err)
	}
	d.submit("BlueLake", block(`{"operation":"EDIT","section":"discriminative_tests","target_id":"T1","payload":{"last_run":{"by":"BlueLake","result":"run-log@2, in the place of run-log@1"}}}`))
	res = d.compile()
	if got, want := cites(res.Ref), "clone-log@1 run-log@2 said-log@1"; got != want || stale() != "" {
		t.Errorf("it cites %s, want %s; stale %s", got, want, stale())
	}
}

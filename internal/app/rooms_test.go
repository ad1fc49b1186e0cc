package app_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/artifact"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/answers"
	"brenner/internal/app"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/policy"
)

// roomStories go where the stories of apitest do not: what agents are told whose
// context has gone by, what is asked of the journal and of what happens by itself,
// the borders of what may be said, and what comes when a lease, a budget or a day
// has ended. What is answered is kept.
var roomStories = map[string]func(t *testing.T, w notedWorld){
	"agents take turns in a session through their contexts": tellTurns,
	"the journal is read, checked and redacted":             tellJournal,
	"what happens by itself is listed and settled":          tellAutomation,
	"who is who, with which tokens and prompts":             tellAccess,
	"runs that are lost, stopped, spent and told about":     tellRuns,
	"tasks that nobody does, and words about them":          tellTasks,
	"reviews with many words":                               tellReviews,
	"who is told elsewhere of what waits":                   tellNotices,
}

// What is answered there, and what is stored afterwards, is what it was before.
func TestRooms_AnswerAsBefore(t *testing.T) {
	skipRace(t)
	for name, story := range roomStories {
		t.Run(name, func(t *testing.T) {
			s := memory.New()
			w := openNoted(t, s)
			w.in.look = func() (store.Store, time.Time) { return memory.Fork(s), w.pass(0) }
			tellRoom(t, w, story)
			w.in.look = nil
			told := w.survey()
			w.in.state(t, s)
			w.in.keep(t, "testdata/rooms.golden", name, told)
			w.in.begin()
			told = w.vary(name, 1)
			w.in.state(t, s)
			w.in.keep(t, "testdata/otherwise.golden", name, told)
			w.midway(t, name)
		})
	}
}

// N1: the same on a store that fails at every place once.
func TestRooms_OnMemoryThatFails(t *testing.T) {
	skipShort(t)
	for name, story := range roomStories {
		t.Run(name, func(t *testing.T) {
			w := openNoted(t, failingOften(t))
			tellRoom(t, w, story)
			_ = w.survey()
		})
	}
}

func tellRoom(t *testing.T, w notedWorld, story func(*testing.T, notedWorld)) {
	t.Helper()
	for _, name := range slices.Sorted(func(yield func(brenner.ActorName) bool) {
		for name := range apitest.Agents {
			if !yield(name) {
				return
			}
		}
	}) {
		if _, err := w.PI().AddAgent(t.Context(), api.AddAgentRequest{Name: name, Role: apitest.Agents[name]}); err != nil {
			t.Fatal(err)
		}
	}
	story(t, w)
}

// say notes what no use case answers.
func (w notedWorld) say(what string, v any, err error) {
	w.in.mu.Lock()
	defer w.in.mu.Unlock()
	fmt.Fprintf(&w.in.text, "%s: %s, %s\n", what, answers.Text(v), answers.Text(err))
}

func tellTurns(t *testing.T, w notedWorld) {
	ctx, pi := t.Context(), w.PI()
	blue, purple, green := w.As("BlueLake"), w.As("PurpleMountain"), w.As("GreenValley")
	const id = brenner.SessionID("RS-1")
	context := func(s api.Service, after string) string {
		res, _ := s.AssembleContext(ctx, api.ContextRequest{Session: id, Question: "What decides the fate of a cell?", Modules: []brenner.Module{"lineage"}, After: after})
		return res.Invocation
	}
	send := func(s api.Service, deltas ...string) {
		text := ""
		for _, d := range deltas {
			text += block(d)
		}
		_, _ = s.SubmitDeltas(ctx, api.SubmitDeltasRequest{Session: id, Text: text, DryRun: true})
		_, _ = s.SubmitDeltas(ctx, api.SubmitDeltasRequest{Session: id, Text: text})
	}
	compile := func() { _, _ = pi.CompileSession(ctx, api.CompileSessionRequest{ID: id}) }
	look := func(s api.Service) {
		for _, req := range []api.SessionRequest{
			{Unseen: true},
			{Brief: true},
			{Since: 1},
			{Items: []delta.ItemID{"H1", "T1"}},
			{Sections: []delta.Section{delta.HypothesisSlate}},
			{},
			{Again: true},
			{Version: 2},
			{Offset: 100},
			{Full: true},
		} {
			req.ID = id
			_, _ = s.Session(ctx, req)
		}
	}
	_, _ = pi.StartSession(ctx, api.StartSessionRequest{ID: id, Question: "What decides the fate of a cell?", Roster: trio, Compile: api.CompileManual})
	for _, s := range []api.Service{blue, purple, green} {
		if list, err := s.Inbox(ctx, api.InboxRequest{}); err == nil {
			for _, m := range list.Messages {
				_, _ = s.ReadMessage(ctx, api.MessageRequest{ID: m.ID})
				_, _ = s.AckMessage(ctx, api.MessageRequest{ID: m.ID})
			}
		}
	}
	first := context(blue, "")
	context(purple, "")
	context(green, "")
	send(blue,
		`{"operation":"ADD","section":"hypothesis_slate","provisional_id":"H-A","payload":{"claim":"it counts its divisions","mechanism":"a clock"}}`,
		`{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"its neighbours tell it","mechanism":"a gradient"}}`)
	send(purple,
		`{"operation":"ADD","section":"discriminative_tests","provisional_id":"T-A","payload":{"name":"move it","procedure":"move a cell","discriminates":"H1 from H2","expected_outcomes":{"H1":"keeps its fate","H2":"changes it"},"potency_check":"it lives"}}`)
	look(green)
	compile()
	look(blue)
	second := context(blue, first)
	context(purple, "")
	send(green,
		`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"mechanism":"a clock that H2 can stop"},"rationale":"seen in T1"}`,
		`{"operation":"KILL","section":"hypothesis_slate","target_id":"H2","rationale":"no gradient was found"}`)
	send(purple,
		`{"operation":"EDIT","section":"discriminative_tests","target_id":"T1","payload":{"status":"was run"}}`,
		`{"operation":"ADD","section":"discriminative_tests","payload":{"name":"stop it","procedure":"stop H1","discriminates":"H1","expected_outcomes":{"H1":"no fate"},"status":"done","last_run":{"by":"me","result":""}}}`)
	compile()
	send(blue,
		`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"it counts, whatever H2 and T1 say, see H9"}}`,
		`{"operation":"EDIT","section":"discriminative_tests","target_id":"T1","payload":{"actual_outcomes":{"H1":"kept it"},"last_run":"by me"}}`,
		`{"operation":"ADD","section":"anomaly_register","payload":{"name":"odd","observation":"T1 and T1 and H2","conflicts_with":["H1","H2"]}}`)
	look(purple)
	send(blue, `{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"it counts after all, as T1 says"}}`)
	send(purple, `{"operation":"EDIT","section":"discriminative_tests","target_id":"T1","payload":{"actual_outcomes":{"H1":"kept it"}}}`)
	compile()
	send(purple,
		`{"operation":"EDIT","section":"discriminative_tests","target_id":"T1","payload":{"expected_outcomes":{"H1":"loses its fate","H2":"changes it"}}}`,
		`{"operation":"EDIT","section":"discriminative_tests","target_id":"T1","payload":{"status":"confirmed"}}`,
		`{"operation":"EDIT","section":"discriminative_tests","target_id":"T2","payload":{"status":"ran","last_run":"see note@3"}}`,
		`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"replaced by the designer"}}`)
	context(green, "")
	look(green)
	send(green, `{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","rationale":"T1 was foretold later"}`)
	compile()
	context(blue, second)
	look(blue)
	look(pi)
	send(blue, `{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"H1 was right","mechanism":"H1"}}`)
	_, _ = blue.SubmitDeltas(ctx, api.SubmitDeltasRequest{Text: "I have nothing to add to H1.", Nothing: true})
	_, _ = pi.NudgeSession(ctx, api.NudgeSessionRequest{ID: id})
	for _, state := range []api.MessageState{api.MessageAll, api.MessageRead, api.MessageAcked} {
		_, _ = blue.Inbox(ctx, api.InboxRequest{States: []api.MessageState{state}})
	}
	compile()
	_, _ = pi.CloseSession(ctx, api.CloseSessionRequest{ID: id, Reason: "all was said"})
	if list, err := blue.Inbox(ctx, api.InboxRequest{}); err == nil && len(list.Messages) > 0 {
		_, _ = blue.ReplyMessage(ctx, api.ReplyMessageRequest{ID: list.Messages[0].ID, Text: "too late"})
	}
	_, _ = pi.Verify(ctx, api.VerifyRequest{Deep: true})
}

func tellJournal(t *testing.T, w notedWorld) {
	ctx, pi := t.Context(), w.PI()
	secret := "Jane Roe of the third ward was the donor"
	note := func(id brenner.ArtifactID, text string) {
		_, _ = pi.CreateArtifact(ctx, api.CreateArtifactRequest{
			ID: id, Type: "paper_note", Module: "lineage", Summary: "about " + string(id), Content: api.Body{Format: artifact.Text, Data: text},
		})
	}
	note("one", secret)
	note("two", "it is said that "+secret+", and more")
	note("three", secret)
	signed, _ := pi.Checkpoint(ctx)
	summary := "about the donor: " + secret
	_, _ = pi.UpdateArtifact(ctx, api.UpdateArtifactRequest{ID: "two", Parent: 1, Summary: &summary})
	later, _ := pi.Checkpoint(ctx)
	for _, req := range []api.RecordsRequest{
		{Limit: 3},
		{Limit: 3, Newest: true},
		{Kind: "version.written", Limit: 1},
		{About: "two"},
		{Text: "THIRD ward"},
		{Actor: "ada", After: 2, Before: 5},
		{After: -1},
		{Before: -1},
		{Limit: -1},
		{Cursor: "?"},
		{Text: "\x00"},
	} {
		res, _ := pi.Records(ctx, req)
		for range 3 {
			if res.Cursor == "" {
				break
			}
			req.Cursor = res.Cursor
			res, _ = pi.Records(ctx, req)
		}
	}
	for _, req := range []api.VerifyRequest{
		{Deep: true, Checkpoints: []string{later.Note, signed.Note}},
		{Quick: true},
		{Accept: true},
		{Checkpoints: []string{"no note"}},
		{Checkpoints: []string{signed.Note}, PublicKey: "another"},
		{Checkpoints: []string{signed.Note}, PublicKey: signed.PublicKey},
	} {
		_, _ = pi.Verify(ctx, req)
	}
	one := brenner.Ref{Artifact: "one", Version: 1}
	for _, req := range []api.RedactRequest{
		{Ref: brenner.Ref{Artifact: "one"}},
		{Ref: one, Member: "summary"},
		{Ref: one, Member: "no such"},
		{Record: 1},
		{Record: 99999},
		{Record: 3, Member: "note"},
		{Record: 9},
		{Ref: one},
		{Ref: one, Everywhere: true, Also: []brenner.Digest{"short"}},
		{Ref: one, Everywhere: true, Also: make([]brenner.Digest, brenner.MaxBatchItems+1)},
		{Digest: canon.Sum([]byte("nothing"))},
		{Digest: "short"},
		{Ref: one, Digest: canon.Sum([]byte("both"))},
		{Ref: brenner.Ref{Artifact: "two", Version: 2}, Member: "summary"},
	} {
		req.Reason, req.DryRun = "a name is in it", true
		_, _ = pi.Redact(ctx, req)
	}
	_, _ = pi.Redact(ctx, api.RedactRequest{Ref: one, Everywhere: true, Reason: "\x00"})
	_, _ = pi.Redact(ctx, api.RedactRequest{Ref: one, Everywhere: true})
	_, _ = pi.Redact(ctx, api.RedactRequest{Ref: one, Everywhere: true, Reason: "a name is in it"})
	_, _ = pi.Redact(ctx, api.RedactRequest{Ref: one, Everywhere: true, Reason: "again"})
	_, _ = pi.Redact(ctx, api.RedactRequest{Ref: brenner.Ref{Artifact: "two", Version: 2}, Member: "summary", Reason: "a name is in it"})
	_, _ = pi.Replay(ctx, api.ReplayRequest{Progress: func(string, int64, int64) {}})
	_, _ = pi.Verify(ctx, api.VerifyRequest{Deep: true, Checkpoints: []string{signed.Note, later.Note}, Progress: func(string, int64, int64) {}})

	var out bytes.Buffer
	_, _ = pi.Export(ctx, &out)
	lines := strings.SplitAfter(strings.TrimSpace(out.String()), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, `"record"`) })
	for _, c := range []struct {
		name string
		text string
	}{
		{"whole", strings.Join(lines, "")},
		{"without an artifact", strings.Join(slices.Delete(slices.Clone(lines), at, at+1), "")},
		{"no digest", lines[0] + `{"blob":{"data":"","sha256":"short"}}` + "\n"},
		{"no record", lines[0] + `{"record":{"seq":"one"}}` + "\n"},
		{"a record of no kind", lines[0] + strings.Replace(lines[at], `"kind":"project.created"`, `"kind":"project.cremated"`, 1)},
		{"nothing", ""},
	} {
		from := strings.NewReader(c.text)
		s := &failing{Store: memory.New(), t: t, seen: map[[depth]uintptr]bool{}, before: func() { from.Reset(c.text) }}
		got, err := app.New(s, app.Options{}).Import(ctx, from, func(string, int64, int64) {})
		w.say("import of "+c.name, got, err)
	}
	bare := app.New(memory.New(), app.Options{})
	w.say("ready", nil, bare.Ready(ctx))
	begin(t, bare)
	w.say("ready", nil, bare.Ready(ctx))
	_, err := bare.As(app.Identity{Name: "ada", Auth: app.AuthOwner}).Checkpoint(ctx)
	w.say("checkpoint without a place for keys", nil, err)
	w.say("wait", nil, w.app.Wait(ctx, 0))
	ended, end := context.WithCancel(ctx)
	end()
	w.say("wait in vain", nil, w.app.Wait(ended, 1<<40))
}

func tellAutomation(t *testing.T, w notedWorld) {
	ctx, pi := t.Context(), w.PI()
	for _, acts := range [][]policy.Action{{policy.Admin}, {policy.Read}, {policy.Admin, policy.Read}} {
		for _, who := range []app.Identity{{Name: "ada", Auth: app.AuthOwner}, {Name: "GreyStone", Auth: app.AuthAs}, {Name: "nobody", Auth: app.AuthAs}} {
			w.say(fmt.Sprint("may ", who.Name), acts, w.app.May(ctx, who, acts))
		}
	}
	has, err := w.app.HasTokens(ctx)
	w.say("tokens", has, err)
	_, _ = pi.IssueToken(ctx, api.IssueTokenRequest{Actor: "GreyStone"})
	has, err = w.app.HasTokens(ctx)
	w.say("tokens", has, err)
	_, _ = pi.RevokeToken(ctx, api.RevokeTokenRequest{Actor: "GreyStone"})
	has, err = w.app.HasTokens(ctx)
	w.say("tokens", has, err)
	_, _ = pi.RevokeToken(ctx, api.RevokeTokenRequest{Actor: "GreyStone"})

	for _, req := range []api.SettleNoticesRequest{{}, {Seqs: []int64{7}}} {
		_, _ = pi.SettleNotices(ctx, req)
	}
	_, _ = pi.ApplyConfig(ctx, api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: apitest.Config + `automation:
  - {name: tell, on: written, do: {act: notify, title: Look.}}
  - {name: tidy, on: every 6h, do: {act: consolidate}}
`}})
	_, _ = pi.AutomationRules(ctx)
	for i := range 3 {
		_, _ = pi.CreateArtifact(ctx, api.CreateArtifactRequest{
			ID: brenner.ArtifactID(fmt.Sprint("note-", i)), Type: "paper_note", Module: "lineage", Summary: "s", Content: api.Body{Format: artifact.Text, Data: "t"},
		})
	}
	d, err := w.app.Automation().Instants(ctx)
	w.say("instants", d.String(), err)
	w.app.AutomateAfterWrite(ctx)
	w.app.AutomateAfterWrite(ctx)
	fired, _ := pi.Firings(ctx, api.FiringsRequest{})
	_, _ = pi.Waiting(ctx, api.WaitingRequest{})
	if len(fired.Firings) > 0 {
		_, _ = pi.SettleNotices(ctx, api.SettleNoticesRequest{Seqs: []int64{fired.Firings[0].Seq}})
	}
	_, _ = pi.Waiting(ctx, api.WaitingRequest{})
	_, _ = pi.SettleNotices(ctx, api.SettleNoticesRequest{})
	_, _ = pi.SettleNotices(ctx, api.SettleNoticesRequest{})
	_, _ = pi.Waiting(ctx, api.WaitingRequest{})
	for _, req := range []api.TestAutomationRequest{{}, {Seq: -1}, {Seq: 1}, {Seq: 1 << 40}} {
		_, _ = pi.TestAutomation(ctx, req)
	}
	_, _ = pi.PauseAutomation(ctx, api.PauseAutomationRequest{Reason: strings.Repeat("x", brenner.MaxNoteRunes+1)})
	_, _ = pi.PauseAutomation(ctx, api.PauseAutomationRequest{Reason: "we look first"})
	_, _ = pi.ResumeAutomation(ctx, api.PauseAutomationRequest{})
}

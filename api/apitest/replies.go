package apitest

import (
	"reflect"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/delta"
	"brenner/roster"
)

func replyCases() []testCase {
	return []testCase{
		{"a reply is attributed, its deltas queued, its prose kept", func(s *scene) { // D20, C2
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			text := "I think lineage decides, because of the clones.\n\n" + adds("lineage")
			got := blue.submits(id, text)
			if len(got.Deltas) != 1 || got.Deltas[0].State != "pending" || got.Agent != "BlueLake" || got.Duplicate || got.Deltas[0].DeltaID != got.Message+"#1" {
				s.Errorf("got %+v", got)
			}
			log := s.pi.reads(got.Log)
			if log.Type != "raw_log" || log.Module != "project" || !strings.Contains(string(log.Content), "I think lineage decides") {
				s.Errorf("the log is %+v", log)
			}
			_, err := s.reader("BlueLake").Artifact(s.ctx, api.ArtifactRequest{Ref: got.Log})
			s.must(err) // its own words are no secret to it
			for _, who := range []brenner.ActorName{"GreenValley", "RedSky"} {
				_, err := s.reader(who).Artifact(s.ctx, api.ArtifactRequest{Ref: got.Log})
				s.refused(err, brenner.CodeReadDenied)
			}
		}},
		{"the same reply again changes nothing", func(s *scene) { // R9, D8
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			first := blue.submits(id, adds("lineage"))
			s.unchanged(func() {
				again := blue.submits(id, adds("lineage"))
				if !again.Duplicate || again.Message != first.Message || again.Log != first.Log || len(again.Deltas) != 1 {
					s.Errorf("got %+v", again)
				}
				_, err := s.pi.SubmitDeltas(s.ctx, api.SubmitDeltasRequest{Session: id, From: "BlueLake", Text: adds("lineage")})
				s.must(err)
			})
			if s.agent("GreenValley").submits(id, adds("lineage")).Duplicate {
				s.Error("another agent's reply counts as the first")
			}
		}},
		{"an agent speaks for itself, the PI for any contributor", func(s *scene) { // D7
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			s.unchanged(func() {
				_, err := blue.SubmitDeltas(s.ctx, api.SubmitDeltasRequest{Session: id, From: "GreenValley", Text: adds("x")})
				s.refused(err, brenner.CodeWriteDenied)
				_, err = s.agent("RedSky").SubmitDeltas(s.ctx, api.SubmitDeltasRequest{Session: id, Text: adds("x")})
				s.refused(err, brenner.CodeUnknownAgent)
				_, err = s.pi.SubmitDeltas(s.ctx, api.SubmitDeltasRequest{Session: id, From: "Nobody", Text: adds("x")})
				s.refused(err, brenner.CodeUnknownAgent)
			})
			forged := `{"operation":"KILL","target_id":"H1","section":"hypothesis_slate","agent":"GreenValley"}`
			got := blue.submits(id, block(forged)+block(strings.Replace(forged, "GreenValley", "BlueLake", 1)))
			if len(got.Deltas) != 2 || got.Deltas[0].Code != brenner.CodeUnknownAgent || got.Deltas[1].Code != brenner.CodeInvalidTarget {
				s.Errorf("got %+v", got.Deltas)
			}
			_, err := s.pi.SubmitDeltas(s.ctx, api.SubmitDeltasRequest{Session: id, From: "GreenValley", Text: adds("gradient")})
			s.must(err)
			s.pi.submits(id, adds("the PI's own"))
			res := s.pi.compiles(id)
			if got := statuses(res.Outcomes); got != "applied, applied, applied, rejected UNKNOWN_AGENT" {
				s.Errorf("outcomes: %s", got)
			}
		}},
		{"a bad reply is refused whole and leaves no trace", func(s *scene) { // D20
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			s.unchanged(func() {
				for text, code := range inOrder(map[string]brenner.Code{
					"\n": brenner.CodeInvalidValue, "a\x00b": brenner.CodeInvalidText, "\xff": brenner.CodeInvalidText,
					strings.Repeat("x", brenner.MaxReplyBytes+1): brenner.CodeLimitExceeded,
				}) {
					_, err := blue.SubmitDeltas(s.ctx, api.SubmitDeltasRequest{Session: id, Text: text})
					s.refused(err, code)
				}
				_, err := blue.SubmitDeltas(s.ctx, api.SubmitDeltasRequest{Session: "RS-0", Text: adds("x")})
				s.refused(err, brenner.CodeNotFound)
			})
		}},
		{"the roster's role counts inside its session", func(s *scene) { // C8
			grey := s.agent("GreyStone") // a writer, who may not send deltas
			one, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{
				Roster: roster.Roster{Entries: []roster.Entry{{AgentName: "GreyStone", Role: roster.HypothesisGenerator}}},
			})
			s.must(err)
			got := grey.submits("", adds("x")) // the only session it is asked in
			if got.Session != one.Session.ID {
				s.Errorf("got %+v", got)
			}
		}},
		{"an unnamed session is the one that waits for the agent", func(s *scene) {
			blue := s.agent("BlueLake")
			_, err := blue.SubmitDeltas(s.ctx, api.SubmitDeltasRequest{Text: adds("x")})
			s.refused(err, brenner.CodeNotFound)
			one, two := s.pi.starts().ID, s.pi.starts().ID
			_, err = blue.SubmitDeltas(s.ctx, api.SubmitDeltasRequest{Text: adds("x")})
			e := s.refused(err, brenner.CodeInvalidValue)
			if !strings.Contains(e.Hint, string(one)+", "+string(two)) {
				s.Errorf("the hint is %q", e.Hint)
			}
			blue.submits(one, adds("x"))
			if got := blue.submits("", adds("y")); got.Session != two {
				s.Errorf("it went to %s", got.Session)
			}
		}},
		{"kickoff examples are never contributions", func(s *scene) { // R9
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			got := blue.submits(id, blue.readsMail(blue.inbox()[0].ID))
			if len(got.Deltas) != 0 || len(got.Ignored) == 0 || len(got.Misses) != 0 {
				s.Errorf("an echoed kickoff gave %+v", got)
			}
			if res := s.pi.compiles(id); res.Changed {
				s.Error("an example was compiled")
			}
		}},
		{"diagnose says why a reply gave no delta, with a corrected block", func(s *scene) { // R10, D20
			id := s.pi.starts().ID
			blue, purple := s.agent("BlueLake"), s.agent("PurpleMountain")
			blue.submits(id, "```json\n{\"operation\":\"ADD\",\"target_id\":null,\"section\":\"hypotheses\",\"payload\":{\"statement\":\"c\",\"mechanism\":\"m\"}}\n```\n")
			purple.submits(id, "I agree with everyone.")
			d, err := s.pi.DiagnoseSession(s.ctx, api.DiagnoseSessionRequest{ID: id})
			s.must(err)
			if len(d.Replies) != 2 || !slices.Equal(d.Silent, []brenner.ActorName{"GreenValley"}) || d.Replies[0].Via != "submit" {
				s.Fatalf("got %+v", d)
			}
			fixed := d.Replies[0].Misses[0].Corrected
			if !strings.Contains(fixed, `"section": "hypothesis_slate"`) || !strings.Contains(fixed, `"claim": "c"`) || d.Replies[0].Explanation == "" {
				s.Errorf("corrected: %s", fixed)
			}
			if !strings.Contains(d.Replies[1].Explanation, "no delta block") {
				s.Errorf("explained: %s", d.Replies[1].Explanation)
			}
			// What it prints can be sent as it is.
			blue.submits(id, fixed)
			if res := s.pi.compiles(id); statuses(res.Outcomes) != "applied" {
				s.Errorf("outcomes %+v", res.Outcomes)
			}
			// An agent sees its own replies and nobody else's (C2).
			mine, err := blue.DiagnoseSession(s.ctx, api.DiagnoseSessionRequest{ID: id})
			s.must(err)
			if len(mine.Replies) != 2 || mine.Replies[1].Deltas[0].State != "applied" || mine.Replies[1].Deltas[0].Item != "H1" || len(mine.Silent) != 0 {
				s.Errorf("BlueLake sees %+v", mine)
			}
			_, err = blue.DiagnoseSession(s.ctx, api.DiagnoseSessionRequest{ID: id, From: "PurpleMountain"})
			s.refused(err, brenner.CodeWriteDenied)
		}},
	}
}

func mailCases() []testCase {
	return []testCase{
		{"only messages of the system reach an agent, and only its own", func(s *scene) { // C2
			id := s.pi.starts().ID
			blue, green := s.agent("BlueLake"), s.agent("GreenValley")
			kickoff := blue.inbox()[0]
			if kickoff.Kind != api.MessageKickoff || kickoff.State != api.MessageUnread || kickoff.Session != id {
				s.Errorf("the first message is %+v", kickoff)
			}
			_, err := blue.ReplyMessage(s.ctx, api.ReplyMessageRequest{ID: kickoff.ID, Text: "My secret thought.\n\n" + adds("lineage")})
			s.must(err)
			s.pi.compiles(id)
			_, err = s.pi.NudgeSession(s.ctx, api.NudgeSessionRequest{ID: id})
			s.must(err)
			var kinds []api.MessageKind
			for _, m := range green.inbox() {
				kinds = append(kinds, m.Kind)
				if text := green.readsMail(m.ID); strings.Contains(text, "secret thought") {
					s.Errorf("%s carries an agent's prose: %s", m.ID, text)
				}
			}
			if !slices.Equal(kinds, []api.MessageKind{api.MessageKickoff, api.MessageCompiled, api.MessageNudge}) {
				s.Errorf("GreenValley got %v", kinds)
			}
			s.unchanged(func() {
				_, err := green.ReadMessage(s.ctx, api.MessageRequest{ID: kickoff.ID})
				s.refused(err, brenner.CodeNotFound)
				_, err = s.pi.AckMessage(s.ctx, api.MessageRequest{ID: kickoff.ID})
				s.refused(err, brenner.CodeNotFound)
				_, err = green.ReplyMessage(s.ctx, api.ReplyMessageRequest{ID: kickoff.ID, Text: adds("x")})
				s.refused(err, brenner.CodeNotFound)
				_, err = green.Inbox(s.ctx, api.InboxRequest{States: []api.MessageState{"lost"}})
				s.refused(err, brenner.CodeInvalidValue)
			})
		}},
		{"a message is unread, read, acknowledged, each once", func(s *scene) { // R8
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			kickoff := blue.inbox()[0]
			blue.readsMail(kickoff.ID)
			s.unchanged(func() { blue.readsMail(kickoff.ID) })
			if st := s.pi.status(id).Recipients[0]; !st.AckedAt.IsZero() || st.AskedAt.IsZero() || st.Delivery != api.Delivered {
				s.Errorf("status %+v", st)
			}
			got, err := blue.AckMessage(s.ctx, api.MessageRequest{ID: kickoff.ID})
			s.must(err)
			if got.State != api.MessageAcked || got.AckedAt.IsZero() || got.ReadAt.IsZero() {
				s.Errorf("acknowledged %+v", got)
			}
			s.unchanged(func() {
				_, err := blue.AckMessage(s.ctx, api.MessageRequest{ID: kickoff.ID})
				s.must(err)
			})
			if s.pi.status(id).Recipients[0].AckedAt.IsZero() {
				s.Error("the status does not know")
			}
			left, err := blue.Inbox(s.ctx, api.InboxRequest{})
			s.must(err)
			if len(left.Messages) != 0 {
				s.Errorf("the inbox still shows %+v", left.Messages)
			}
		}},
		{"an inbox comes in pages", func(s *scene) {
			for range 3 {
				s.pi.starts()
			}
			blue := s.agent("BlueLake")
			page, err := blue.Inbox(s.ctx, api.InboxRequest{Page: api.Page{Limit: 2}})
			s.must(err)
			rest, err := blue.Inbox(s.ctx, api.InboxRequest{Page: api.Page{Limit: 2, Cursor: page.Cursor}})
			s.must(err)
			if len(page.Messages) != 2 || len(rest.Messages) != 1 || rest.Cursor != "" || page.Messages[0].ID == rest.Messages[0].ID {
				s.Errorf("pages %+v and %+v", page, rest)
			}
		}},
		{"status tells who was asked and who has answered", func(s *scene) { // R10
			id := s.pi.starts().ID
			blue, purple, green := s.agent("BlueLake"), s.agent("PurpleMountain"), s.agent("GreenValley")
			_, err := blue.ReplyMessage(s.ctx, api.ReplyMessageRequest{ID: blue.inbox()[0].ID, Text: adds("lineage")})
			s.must(err)
			purple.submits(id, block(`{"operation":"ADD","section":"discriminative_tests","payload":{"name":"Graft","procedure":"move","discriminates":"H1 from H2","expected_outcomes":{"H1":"old","H2":"new"}}}`))
			st := s.pi.status(id)
			if st.State != api.SessionWaiting || st.Deltas["pending"] != 2 || st.Recipients[0].Pending != 1 || st.Recipients[0].AckedAt.IsZero() ||
				st.Recipients[0].Waiting || st.Recipients[1].Waiting || st.Recipients[1].AckedAt.IsZero() || !st.Recipients[2].Waiting {
				s.Errorf("status %+v", st)
			}
			want := []brenner.Action{brenner.Do("session.nudge", "id", string(id)), brenner.Do("session.compile", "id", string(id))}
			if !reflect.DeepEqual(st.Next, want) {
				s.Errorf("next %q", st.Next)
			}
			// A nudge goes to whoever has not answered, or to those named; what
			// it asks for is waited for.
			res, err := s.pi.NudgeSession(s.ctx, api.NudgeSessionRequest{ID: id})
			s.must(err)
			if len(res.Deliveries) != 1 || res.Deliveries[0].To != "GreenValley" {
				s.Errorf("nudged %+v", res.Deliveries)
			}
			green.submits(id, adds("gradient"))
			if st = s.pi.status(id); st.State != api.SessionComplete {
				s.Errorf("status %+v", st)
			}
			s.pi.compiles(id)
			if st = s.pi.status(id); st.State != api.SessionComplete || st.Deltas["applied"] != 3 || st.Recipients[0].Compiled != 1 || st.Recipients[0].Pending != 0 || st.Compiles != 1 {
				s.Errorf("status %+v", st)
			}
			s.unchanged(func() { // nobody is waited for
				res, err := s.pi.NudgeSession(s.ctx, api.NudgeSessionRequest{ID: id})
				s.must(err)
				if len(res.Deliveries) != 0 {
					s.Errorf("nudged %+v", res.Deliveries)
				}
				_, err = s.pi.NudgeSession(s.ctx, api.NudgeSessionRequest{ID: id, To: []brenner.ActorName{"RedSky"}})
				s.refused(err, brenner.CodeNotFound)
			})
			_, err = s.pi.NudgeSession(s.ctx, api.NudgeSessionRequest{ID: id, To: []brenner.ActorName{"GreenValley"}, Note: "Attack H1."})
			s.must(err)
			if st = s.pi.status(id); st.State != api.SessionWaiting {
				s.Errorf("status %+v", st)
			}
			last := green.inbox()
			if text := green.readsMail(last[len(last)-1].ID); !strings.Contains(text, "> Attack H1.") {
				s.Errorf("the nudge says %s", text)
			}
		}},
		{"a closed session waits for nobody and takes no reply until somebody is asked again", func(s *scene) { // N1, R8
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			blue.submits(id, adds("lineage"))
			s.unchanged(func() {
				_, err := s.pi.CloseSession(s.ctx, api.CloseSessionRequest{ID: id, Reason: " "})
				s.refused(err, brenner.CodeReasonRequired)
				_, err = blue.CloseSession(s.ctx, api.CloseSessionRequest{ID: id, Reason: "enough"})
				s.refused(err, brenner.CodeWriteDenied)
			})
			closed, err := s.pi.CloseSession(s.ctx, api.CloseSessionRequest{ID: id, Reason: "the data came"})
			s.must(err)
			if st := s.pi.status(id); closed.Closed.IsZero() || closed.ClosedFor != "the data came" || st.State != api.SessionClosed || len(st.Next) != 0 {
				s.Errorf("closed %+v, status %+v", closed, st)
			}
			if list, err := s.pi.Waiting(s.ctx, api.WaitingRequest{Kinds: []api.WaitKind{api.WaitCompile, api.WaitResend}}); err != nil || list.Total != 0 {
				s.Errorf("still waits: %+v, %v", list.Items, err)
			}
			s.unchanged(func() {
				_, err = blue.SubmitDeltas(s.ctx, api.SubmitDeltasRequest{Session: id, Text: adds("gradient")})
				s.refused(err, brenner.CodeSessionClosed)
				_, err = s.pi.CloseSession(s.ctx, api.CloseSessionRequest{ID: id, Reason: "again"})
				s.refused(err, brenner.CodeSessionClosed)
				_, err = s.pi.FetchReplies(s.ctx, api.FetchRepliesRequest{ID: id})
				s.refused(err, brenner.CodeSessionClosed)
			})
			res, err := s.pi.NudgeSession(s.ctx, api.NudgeSessionRequest{ID: id})
			s.must(err)
			if st := s.pi.status(id); len(res.Deliveries) != 3 || st.State != api.SessionWaiting {
				s.Errorf("asked again: %+v, status %+v", res.Deliveries, st)
			}
			blue.submits(id, adds("gradient"))
		}},
		{"a reply without a usable delta is no answer", func(s *scene) { // D20, R10
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			object := `{"operation":"ADD","section":"discriminative_tests","payload":{"name":"n","procedure":"p","discriminates":"H1","expected_outcomes":{"H1":"up","H2":"down"},"potency_check":{"control":"early cells change"}}}`
			for reply, says := range inOrder(map[string]string{
				"I agree with everyone.":           "there is no fenced block named delta in it",
				"I propose `" + object + "` here.": `"potency_check": "control: early cells change"`,
				block(object):                      "(at /payload/potency_check)",
				block(`{"operation":"ADD","section":"hypothesis_slate","payload":{"mechanism":"m"}}`): "(at /payload/claim)",
			}) {
				got := blue.submits(id, reply)
				if !got.Unusable || got.Bounce == "" || got.Duplicate {
					s.Errorf("%s: %+v", reply, got)
				}
				for _, d := range got.Deltas {
					if d.State != "refused" || d.Code == "" || d.Pointer == "" {
						s.Errorf("%s: %+v", reply, d)
					}
				}
				if text := blue.readsMail(got.Bounce); !strings.Contains(text, says) {
					s.Errorf("%s came back as\n%s\nwant %s", reply, text, says)
				}
				st := s.pi.status(id)
				if r := st.Recipients[0]; st.State != api.SessionUnusable || !r.Waiting || r.Unusable != got.Message || !r.AnsweredAt.IsZero() || st.Deltas["pending"] != 0 {
					s.Errorf("%s: status %+v", reply, st)
				}
				if !slices.ContainsFunc(st.Next, func(a brenner.Action) bool { return a.Name == "session.diagnose" && a.Args["id"] == string(id) }) {
					s.Errorf("next %q", st.Next)
				}
			}
			d, err := blue.DiagnoseSession(s.ctx, api.DiagnoseSessionRequest{ID: id})
			s.must(err)
			for _, r := range d.Replies {
				if !r.Unusable || r.Explanation == "" {
					s.Errorf("diagnosed %+v", r)
				}
			}
			// The same reply again is the same; a usable one is an answer.
			if again := blue.submits(id, "I agree with everyone."); !again.Duplicate || !again.Unusable {
				s.Errorf("again: %+v", again)
			}
			if got := blue.submits(id, adds("lineage")); got.Unusable || got.Bounce != "" {
				s.Errorf("got %+v", got)
			}
			if st := s.pi.status(id); st.State != api.SessionWaiting || st.Recipients[0].Waiting || st.Recipients[0].Unusable != "" {
				s.Errorf("status %+v", st)
			}
		}},
		{"a role writes the sections that its policy names, and is told which", func(s *scene) { // D25
			started, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{Roster: team})
			s.must(err)
			id := started.Session.ID
			purple, green := s.agent("PurpleMountain"), s.agent("GreenValley")
			kickoff := purple.readsMail(purple.inbox()[0].ID)
			if !strings.Contains(kickoff, "Of `hypothesis_slate` you may KILL items.") {
				s.Errorf("the kickoff says %s", kickoff)
			}
			rewrites := block(`{"operation":"EDIT","target_id":"RT","section":"research_thread","payload":{"statement":"mine"},"rationale":"r"}`)
			assumes := block(`{"operation":"ADD","section":"assumption_ledger","payload":{"name":"n","statement":"s"}}`)
			kills := block(`{"operation":"KILL","target_id":"H1","section":"hypothesis_slate","payload":{"reason":"refuted"}}`)
			tried, err := purple.SubmitDeltas(s.ctx, api.SubmitDeltasRequest{Session: id, Text: rewrites, DryRun: true})
			s.must(err)
			if !tried.Unusable || tried.Deltas[0].Code != brenner.CodeWriteDenied {
				s.Errorf("a dry run says %+v", tried.Deltas)
			}
			got := purple.submits(id, rewrites+assumes+kills)
			if got.Deltas[0].Code != brenner.CodeWriteDenied || got.Deltas[0].Pointer != "/section" || got.Deltas[1].Code != "" || got.Deltas[2].Code != brenner.CodeInvalidTarget {
				s.Errorf("got %+v", got.Deltas)
			}
			// Whoever hands it in, the author's role counts.
			ingested, err := s.pi.SubmitDeltas(s.ctx, api.SubmitDeltasRequest{Session: id, From: "GreenValley", Text: adds("mine")})
			s.must(err)
			if !ingested.Unusable || ingested.Deltas[0].Code != brenner.CodeWriteDenied {
				s.Errorf("got %+v", ingested)
			}
			if text := green.readsMail(ingested.Bounce); !strings.Contains(text, "WRITE_DENIED") {
				s.Errorf("the bounce says %s", text)
			}
			s.agent("BlueLake").submits(id, adds("lineage")) // what was foretold of the kill no longer holds
			s.pi.submits(id, rewrites)                       // the PI writes everything
			res := s.pi.compiles(id)
			if got := statuses(res.Outcomes); strings.Count(got, "applied") != 4 || strings.Count(got, "rejected WRITE_DENIED") != 1 {
				s.Errorf("outcomes %s", got)
			}
		}},
		{"a session is compiled when everybody has answered, unless it says otherwise", func(s *scene) { // D27
			together := roster.Roster{Mode: roster.Unified, Entries: team.Entries}
			began := func(mode api.CompileMode) brenner.SessionID {
				res, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{Roster: together, Compile: mode})
				s.must(err)
				return res.Session.ID
			}
			blue, purple, green := s.agent("BlueLake"), s.agent("PurpleMountain"), s.agent("GreenValley")
			id := began(api.CompileAnswered) // answered is the default
			if st := s.pi.status(id); st.Compile != api.CompileAnswered || !st.CompileAt.IsZero() {
				s.Errorf("status %+v", st)
			}
			blue.submits(id, adds("lineage"))
			// What waits is seen by those who contribute, as proposals.
			view, err := s.pi.Session(s.ctx, api.SessionRequest{ID: id})
			s.must(err)
			if len(view.Proposals) != 1 || view.Proposals[0].Agent != "BlueLake" || view.Proposals[0].Operation != delta.Add || !strings.Contains(string(view.Proposals[0].Payload), "lineage") {
				s.Errorf("proposals %+v", view.Proposals)
			}
			purple.submits(id, "nothing to add") // no answer, so nobody is done
			if got := green.submits(id, adds("gradient")); got.Compiled.Version != 0 {
				s.Errorf("compiled too early: %+v", got)
			}
			got := purple.submits(id, adds("contact"))
			if got.Compiled.Version != 2 || got.Deltas[0].State != "applied" || got.Deltas[0].Item == "" {
				s.Errorf("not compiled: %+v", got)
			}
			if st := s.pi.status(id); st.Compiles != 1 || st.Deltas["applied"] != 3 || st.State != api.SessionComplete {
				s.Errorf("status %+v", st)
			}
			last := blue.inbox()
			if m := last[len(last)-1]; m.Kind != api.MessageCompiled {
				s.Errorf("nobody told BlueLake: %+v", m)
			}
			// By hand.
			id = began(api.CompileManual)
			for _, p := range []*player{blue, purple, green} {
				if got := p.submits(id, adds("x")); got.Compiled.Version != 0 {
					s.Errorf("compiled by itself: %+v", got)
				}
			}
			// After a time: the next who comes finds it due.
			id = began("1ns")
			blue.submits(id, adds("lineage"))
			if st := s.pi.status(id); st.CompileAt.IsZero() {
				s.Errorf("status %+v", st)
			}
			if got := green.submits(id, adds("gradient")); got.Compiled.Version != 2 {
				s.Errorf("not compiled after its time: %+v", got)
			}
			_, err = s.pi.StartSession(s.ctx, api.StartSessionRequest{Roster: together, Compile: "soon"})
			s.refused(err, brenner.CodeInvalidValue)
		}},
		{"near misses are taken as mended by who leads, or if the session says so", func(s *scene) { // D20
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			half := adds("lineage") + "\nand `{'operation': 'ADD', 'section': 'hypotheses', 'payload': {'claim': 'gradient', 'mechanism': 'm'}}`\n"
			s.unchanged(func() {
				_, err := blue.SubmitDeltas(s.ctx, api.SubmitDeltasRequest{Session: id, Text: half, AcceptMended: true})
				s.refused(err, brenner.CodeWriteDenied)
			})
			if got := blue.submits(id, half); len(got.Deltas) != 1 || len(got.Misses) != 1 || len(got.Accepted) != 0 {
				s.Errorf("got %+v", got)
			}
			mended := api.SubmitDeltasRequest{Session: id, From: "BlueLake", Text: half, AcceptMended: true}
			got, err := s.pi.SubmitDeltas(s.ctx, mended)
			s.must(err)
			if got.Duplicate || len(got.Deltas) != 1 || len(got.Accepted) != 1 || got.Deltas[0].Section != delta.HypothesisSlate {
				s.Errorf("mended: %+v", got)
			}
			if got, err = s.pi.SubmitDeltas(s.ctx, mended); err != nil || !got.Duplicate { // nothing is taken twice
				s.Errorf("again: %+v, %v", got, err)
			}
			if res := s.pi.compiles(id); statuses(res.Outcomes) != "applied, applied" {
				s.Errorf("outcomes %+v", res.Outcomes)
			}
			lenient, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{Roster: team, AcceptMended: true})
			s.must(err)
			if got := blue.submits(lenient.Session.ID, half); len(got.Deltas) != 2 || len(got.Accepted) != 1 || got.Unusable {
				s.Errorf("in a lenient session: %+v", got)
			}
		}},
		{"the compiled message names the field and gives a mended block", func(s *scene) { // D7, D20
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			blue.submits(id, adds("lineage")+block(`{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":{"text":"position"},"mechanism":"m"}}`))
			s.pi.compiles(id)
			last := blue.inbox()
			text := blue.readsMail(last[len(last)-1].ID)
			if !strings.Contains(text, "INVALID_DELTA") || !strings.Contains(text, "(at /payload/claim)") || !strings.Contains(text, "```delta\n") {
				s.Errorf("the message says %s", text)
			}
		}},
		{"an agent reads the session artifact through its context", func(s *scene) { // C3, C34
			id := s.pi.starts().ID
			_, err := s.agent("BlueLake").Session(s.ctx, api.SessionRequest{ID: id})
			s.refused(err, brenner.CodeContextRequired)
			blue := s.reader("BlueLake")
			got, err := blue.Session(s.ctx, api.SessionRequest{ID: id})
			s.must(err)
			if got.Markdown != "" || !got.Repeated { // the context showed it
				s.Errorf("it shows %s", got.Markdown)
			}
			got, err = blue.Session(s.ctx, api.SessionRequest{ID: id, Again: true})
			s.must(err)
			if !strings.Contains(got.Markdown, "What decides cell fate?") {
				s.Errorf("it shows %s", got.Markdown)
			}
		}},
		{"what is delivered is not sent again", func(s *scene) { // R8
			id := s.pi.starts().ID
			s.unchanged(func() {
				res, err := s.pi.ResendSession(s.ctx, api.ResendSessionRequest{ID: id})
				s.must(err)
				if len(res.Deliveries) != 0 {
					s.Errorf("sent again: %+v", res.Deliveries)
				}
				_, err = s.pi.FetchReplies(s.ctx, api.FetchRepliesRequest{ID: id})
				s.refused(err, brenner.CodeStatusConflict)
			})
		}},
		{"a session's own artifact is written by deltas alone", func(s *scene) { // D18
			id := brenner.ArtifactID(s.pi.starts().ID)
			s.unchanged(func() {
				summary := "mine"
				_, err := s.pi.UpdateArtifact(s.ctx, api.UpdateArtifactRequest{ID: id, Summary: &summary, Content: &api.Body{Format: artifact.JSON, Data: "{}"}})
				s.refused(err, brenner.CodeStatusConflict)
			})
			s.pi.promotes(ref(id, 1)) // deciding about it is something else
		}},
	}
}

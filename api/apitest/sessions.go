package apitest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/delta"
	"brenner/roster"
)

// team is the seed's roster.
var team = roster.Roster{Entries: []roster.Entry{
	{AgentName: "BlueLake", Role: roster.HypothesisGenerator, Program: "codex-cli", Model: "GPT-5.2"},
	{AgentName: "PurpleMountain", Role: roster.TestDesigner, Program: "claude-code", Model: "Opus 4.5"},
	{AgentName: "GreenValley", Role: roster.AdversarialCritic, Program: "gemini-cli", Model: "Gemini 3"},
}}

// starts starts a session of the seed's team about cell fate, in which everybody
// writes everything and the PI compiles.
func (p *player) starts() api.SessionInfo {
	p.Helper()
	together := roster.Roster{Mode: roster.Unified, Entries: team.Entries}
	res, err := p.StartSession(p.ctx, api.StartSessionRequest{Question: "What decides cell fate?", Roster: together, Compile: api.CompileManual})
	p.must(err)
	return res.Session
}

// submits hands in a reply.
func (p *player) submits(session brenner.SessionID, text string) api.Submission {
	p.Helper()
	res, err := p.SubmitDeltas(p.ctx, api.SubmitDeltasRequest{Session: session, Text: text})
	p.must(err)
	return res
}

// compiles compiles a session.
func (p *player) compiles(session brenner.SessionID) api.CompileResult {
	p.Helper()
	res, err := p.CompileSession(p.ctx, api.CompileSessionRequest{ID: session})
	p.must(err)
	return res
}

// status asks where a session stands.
func (p *player) status(session brenner.SessionID) api.SessionStatus {
	p.Helper()
	res, err := p.SessionStatus(p.ctx, api.SessionStatusRequest{ID: session})
	p.must(err)
	return res
}

// inbox lists every message of the player, whatever its state.
func (p *player) inbox() []api.MessageInfo {
	p.Helper()
	res, err := p.Inbox(p.ctx, api.InboxRequest{States: []api.MessageState{api.MessageUnread, api.MessageRead, api.MessageAcked}})
	p.must(err)
	return res.Messages
}

// opens a message and gives its text.
func (p *player) readsMail(id string) string {
	p.Helper()
	m, err := p.ReadMessage(p.ctx, api.MessageRequest{ID: id})
	p.must(err)
	return m.Text
}

// block fences a delta.
func block(json string) string { return "```delta\n" + json + "\n```\n" }

// adds is an ADD of a hypothesis.
func adds(claim string) string {
	return block(fmt.Sprintf(`{"operation":"ADD","target_id":null,"section":"hypothesis_slate","rationale":"it explains the clones",
"payload":{"name":%q,"claim":%q,"mechanism":"inherited factors"}}`, claim, claim))
}

// edits is an EDIT of a field of H1 at an instant.
func edits(field, value, at string) string {
	return block(fmt.Sprintf(`{"operation":"EDIT","target_id":"H1","section":"hypothesis_slate","timestamp":%q,"payload":{%q:%q}}`, at, field, value))
}

// statuses lists what became of deltas.
func statuses(outcomes []delta.Outcome) string {
	out := make([]string, len(outcomes))
	for i, o := range outcomes {
		out[i] = strings.TrimSuffix(fmt.Sprintf("%s %s", o.Status, o.Code), " ")
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func sessionCases() []testCase {
	return slices.Concat(startCases(), replyCases(), compileCases(), partCases(), mailCases())
}

func startCases() []testCase {
	return []testCase{
		{"the history of a session is for persons, and an agent is led to its document", func(s *scene) { // X11, C34
			blue := s.agent("BlueLake")
			team := roster.Roster{Entries: []roster.Entry{{AgentName: "BlueLake", Role: roster.HypothesisGenerator}}}
			started, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{Question: "Why?", Module: "lineage", Roster: team})
			s.must(err)
			id := started.Session.ID
			_, err = blue.AssembleContext(s.ctx, api.ContextRequest{Session: id})
			s.must(err)
			_, err = blue.Session(s.ctx, api.SessionRequest{ID: id, Full: true})
			s.refused(err, brenner.CodeReadDenied)
			var e *brenner.Error
			if !errors.As(err, &e) || len(e.Actions) != 1 || e.Actions[0].Name != "session.show" || e.Actions[0].Args["id"] != string(id) {
				s.Fatalf("%+v", e)
			}
			_, err = blue.Session(s.ctx, api.SessionRequest{ID: brenner.SessionID(e.Actions[0].Args["id"])})
			s.must(err)
			whole, err := s.pi.Session(s.ctx, api.SessionRequest{ID: id, Full: true})
			s.must(err)
			if len(whole.Content) == 0 {
				s.Error("the PI gets no history")
			}
		}},
		{"a session starts with an artifact and one kickoff for each recipient", func(s *scene) { // R7, R11
			res, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{
				Question: "What decides cell fate?", Context: "Begin with the clones.", Roster: roster.Roster{
					Name: "Default 3-Agent Setup", Entries: append(slices.Clone(team.Entries), roster.Entry{AgentName: "Newcomer", Role: roster.TestDesigner}),
				},
			})
			s.must(err)
			id := res.Session.ID
			if day := "RS-" + res.Session.Created.Format("20060102"); string(id) != day+"-what-decides-cell-fate" {
				s.Errorf("the session is called %s", id)
			}
			if !slices.Equal(res.Registered, []brenner.ActorName{"Newcomer"}) {
				s.Errorf("registered %v", res.Registered)
			}
			if got := s.agent("Newcomer").inbox(); len(got) != 1 { // an actor from now on
				s.Errorf("the newcomer has %d messages", len(got))
			}
			for i, d := range res.Deliveries {
				if d.State != api.Delivered || d.To != res.Session.Recipients[i].Name {
					s.Errorf("delivery %+v", d)
				}
			}
			if len(res.Starts) != 4 || !strings.HasPrefix(res.Starts[0].Command, "BRENNER_AGENT=BlueLake codex '") {
				s.Errorf("start commands %+v", res.Starts)
			}
			// The roster stands in every body as the seed writes it, and the
			// prompt is that of the role.
			for name, prompt := range inOrder(map[brenner.ActorName]string{
				"BlueLake": "# Role: hypothesis generator", "PurpleMountain": "# Role: test designer", "GreenValley": "# Role: adversarial critic",
			}) {
				agent := s.agent(name)
				text := agent.readsMail(agent.inbox()[0].ID)
				for _, want := range []string{
					"## Session Configuration\n\n**Roster Mode**: role_separated\n**Roster Name**: Default 3-Agent Setup\n\n| Agent | Role | Program | Model |\n",
					"| BlueLake | hypothesis_generator | codex-cli | GPT-5.2 |\n", "> What decides cell fate?", "> Begin with the clones.", prompt,
				} {
					if !strings.Contains(text, want) {
						s.Errorf("the kickoff of %s lacks %q", name, want)
					}
				}
			}
			v, err := s.pi.Session(s.ctx, api.SessionRequest{ID: id, Full: true})
			s.must(err)
			for _, want := range []string{
				`"roster":{"entries":[{"agentName":"BlueLake","model":"GPT-5.2","program":"codex-cli","role":"hypothesis_generator"}`,
				`"session_id":"` + string(id) + `"`, `"fields":{"statement":"What decides cell fate?"}`,
			} {
				if !strings.Contains(string(v.Content), want) {
					s.Errorf("the artifact lacks %s: %s", want, v.Content)
				}
			}
			if v.Ref != ref(brenner.ArtifactID(id), 1) || v.Status != artifact.Draft || v.ThreadEmpty {
				s.Errorf("the artifact is %s %s", v.Ref, v.Status)
			}
		}},
		{"in unified mode all get one prompt", func(s *scene) { // R2
			unified := roster.Roster{Mode: roster.Unified, Entries: team.Entries[:2]}
			_, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{Question: "Why?", Roster: unified})
			s.must(err)
			blue, purple := s.agent("BlueLake"), s.agent("PurpleMountain")
			one := blue.readsMail(blue.inbox()[0].ID)
			two := purple.readsMail(purple.inbox()[0].ID)
			if strings.ReplaceAll(one, "BlueLake", "X") == one || strings.Contains(one, "# Role: hypothesis generator") ||
				strings.Count(one, "\n") != strings.Count(two, "\n") {
				s.Errorf("the prompts differ:\n%s\n%s", one, two)
			}
		}},
		{"a blank question starts nothing; none leaves the thread empty", func(s *scene) { // R3
			s.unchanged(func() {
				_, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{Question: " \n", Roster: team})
				s.refused(err, brenner.CodeInvalidValue)
			})
			started, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{Roster: team})
			s.must(err)
			if !started.Session.ThreadEmpty {
				s.Errorf("started %+v", started.Session)
			}
		}},
		{"what is wrong with a roster is said all at once, and nothing happens", func(s *scene) { // R3
			req := api.StartSessionRequest{
				To: []brenner.ActorName{"BlueLake", "PurpleMountain", "GreenValley"},
				Roster: roster.Roster{Entries: []roster.Entry{
					{AgentName: "BlueLake", Role: "researcher"},
					{AgentName: "PurpleMountain", Role: roster.TestDesigner},
					{AgentName: "PurpleMountain", Role: roster.TestDesigner},
				}},
			}
			s.unchanged(func() {
				_, err := s.pi.StartSession(s.ctx, req)
				e := s.refused(err, brenner.CodeInvalidRoster)
				var got []string
				for _, d := range e.Diagnostics {
					got = append(got, d.Message)
				}
				want := []string{"Invalid role for BlueLake: researcher", "Duplicate agent in roster: PurpleMountain", "Missing roster entry for recipient: GreenValley"}
				if !slices.Equal(got, want) {
					s.Errorf("found %q, want %q", got, want)
				}
			})
			if got := s.agent("BlueLake").inbox(); len(got) != 0 {
				s.Errorf("something was sent: %+v", got)
			}
		}},
		{"duplicate roles and extra entries are fine", func(s *scene) { // R3
			entries := append(slices.Clone(team.Entries), roster.Entry{AgentName: "RedSky", Role: roster.HypothesisGenerator})
			res, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{
				To: []brenner.ActorName{"RedSky", "BlueLake"}, Roster: roster.Roster{Entries: entries},
			})
			s.must(err)
			if len(res.Deliveries) != 2 || len(s.agent("GreenValley").inbox()) != 0 {
				s.Errorf("deliveries %+v", res.Deliveries)
			}
		}},
		{"flags go before environment, request, configuration and preset", func(s *scene) { // R4, C4
			_, err := s.pi.ApplyConfig(s.ctx, api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: Config + `
roster:
  mode: unified
  entries: [{agentName: A, role: test_designer}, {agentName: B, role: test_designer}, {agentName: C, role: test_designer}, {agentName: D, role: test_designer}]
`}})
			s.must(err)
			as := func(role brenner.Role, names ...brenner.ActorName) roster.Roster {
				var r roster.Roster
				for _, n := range names {
					r.Entries = append(r.Entries, roster.Entry{AgentName: n, Role: role})
				}
				return r
			}
			_, err = s.pi.StartSession(s.ctx, api.StartSessionRequest{
				To: []brenner.ActorName{"A", "B", "C", "D", "E"}, Preset: "five", DryRun: true,
				Flags:       []api.RosterPart{{Name: "--agent-role", Roster: as(roster.AdversarialCritic, "A")}},
				Environment: []api.RosterPart{{Name: "BRENNER_ROSTER_JSON", Roster: as(roster.HypothesisGenerator, "A", "B")}},
				Roster:      as(roster.AdversarialCritic, "A", "B", "C"),
			})
			s.refused(err, brenner.CodeInvalidRoster) // no preset of that name
			req := api.StartSessionRequest{
				To: []brenner.ActorName{"A", "B", "C"}, Preset: "default-3-agent", DryRun: true,
				Flags:       []api.RosterPart{{Name: "--agent-role", Roster: as(roster.AdversarialCritic, "A")}},
				Environment: []api.RosterPart{{Name: "BRENNER_ROSTER_JSON", Roster: as(roster.HypothesisGenerator, "A", "B")}},
				Roster:      as(roster.AdversarialCritic, "A", "B", "C"),
			}
			res, err := s.pi.StartSession(s.ctx, req)
			s.must(err)
			var got []string
			for _, e := range res.Session.Roster.Entries {
				got = append(got, string(e.AgentName)+" "+string(e.Role))
			}
			want := "A adversarial_critic, B hypothesis_generator, C adversarial_critic, D test_designer"
			if strings.Join(got, ", ") != want || res.Session.Roster.Mode != roster.Unified || res.Session.Roster.Name != "Default 3-Agent Setup" {
				s.Errorf("resolved %+v", res.Session.Roster)
			}
		}},
		{"a project's own presets are offered before the built-in ones", func(s *scene) { // R4
			before, err := s.pi.Rosters(s.ctx)
			s.must(err)
			if len(before.Presets) != 1 || before.Presets[0].ID != "default-3-agent" || before.Default != "" || len(before.Roster.Entries) != 0 {
				s.Errorf("a project without a roster offers %+v", before)
			}
			_, err = s.pi.ApplyConfig(s.ctx, api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: Config + `
roster:
  entries: [{agentName: A, role: test_designer}]
  defaultPreset: pair
  presets:
    - {id: pair, name: A pair, entries: [{role: test_designer}, {role: adversarial_critic}]}
`}})
			s.must(err)
			got, err := s.pi.Rosters(s.ctx)
			s.must(err)
			if len(got.Presets) != 2 || got.Presets[0].ID != "pair" || got.Presets[1].ID != "default-3-agent" || got.Default != "pair" ||
				len(got.Roster.Entries) != 1 || got.Roster.Entries[0].AgentName != "A" {
				s.Errorf("the project offers %+v", got)
			}
		}},
		{"a dry run changes nothing", func(s *scene) { // R7
			s.unchanged(func() {
				res, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{
					Question: "Why?", To: []brenner.ActorName{"BlueLake", "Newcomer", "GreenValley"}, Preset: "default-3-agent", DryRun: true,
				})
				s.must(err)
				if len(res.Messages) != 3 || len(res.Starts) != 3 || len(res.Deliveries) != 0 || !slices.Equal(res.Registered, []brenner.ActorName{"Newcomer"}) {
					s.Errorf("the plan is %+v", res)
				}
			})
		}},
		{"without a question the thread starts empty and status says so", func(s *scene) { // R7
			res, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{Roster: team})
			s.must(err)
			id := res.Session.ID
			if !s.pi.status(id).ThreadEmpty || !strings.HasSuffix(string(id), "-session") {
				s.Errorf("%s: %+v", id, s.pi.status(id))
			}
			counts := func(want int) {
				res, err := s.pi.Artifact(s.ctx, api.ArtifactRequest{Ref: brenner.Ref{Artifact: brenner.ArtifactID(id)}})
				s.must(err)
				doc, err := delta.ReadArtifact(res.Content)
				s.must(err)
				if int(res.Version.Version) != want || doc.Version() != want { // both count alike
					s.Errorf("version %d of the ledger, %d of the session, want %d", res.Version.Version, doc.Version(), want)
				}
			}
			counts(1)
			s.agent("BlueLake").submits(id, block(`{"operation":"EDIT","target_id":"RT","section":"research_thread","rationale":"we need one","payload":{"statement":"Why do clones differ?"}}`))
			s.pi.compiles(id)
			counts(2)
			if s.pi.status(id).ThreadEmpty {
				s.Error("the thread is still empty")
			}
		}},
		{"a name is found for every session", func(s *scene) { // R7
			one, two := s.pi.starts(), s.pi.starts()
			if two.ID != one.ID+"-2" {
				s.Errorf("%s, then %s", one.ID, two.ID)
			}
			s.pi.creates(note("taken", "text"))
			s.unchanged(func() {
				_, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{ID: "taken", Roster: team})
				s.refused(err, brenner.CodeAlreadyExists)
				_, err = s.pi.StartSession(s.ctx, api.StartSessionRequest{ID: "no good", Roster: team})
				s.refused(err, brenner.CodeInvalidID)
				_, err = s.pi.StartSession(s.ctx, api.StartSessionRequest{Question: strings.Repeat("x", brenner.MaxQuestionRunes+1), Roster: team})
				s.refused(err, brenner.CodeLimitExceeded)
				_, err = s.pi.StartSession(s.ctx, api.StartSessionRequest{Context: strings.Repeat("x", brenner.MaxSessionTextBytes+1), Roster: team})
				s.refused(err, brenner.CodeLimitExceeded)
				_, err = s.pi.StartSession(s.ctx, api.StartSessionRequest{Question: "a\x00b", Roster: team})
				s.refused(err, brenner.CodeInvalidText)
				_, err = s.pi.StartSession(s.ctx, api.StartSessionRequest{Roster: team, Module: "nowhere"})
				s.refused(err, brenner.CodeUnknownModule)
				_, err = s.pi.StartSession(s.ctx, api.StartSessionRequest{Roster: team, Transport: "pigeon"})
				s.refused(err, brenner.CodeInvalidValue)
			})
			res, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{ID: "RS-20251230-cell-fate", Roster: team, Module: "lineage"})
			s.must(err)
			if res.Session.Module != "lineage" || one.Module != "project" {
				s.Errorf("modules %s and %s", res.Session.Module, one.Module)
			}
		}},
		{"without a roster roles are guessed, with a warning", func(s *scene) { // R2
			res, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{To: []brenner.ActorName{"CodexOne", "ClaudeTwo"}})
			s.must(err)
			if len(res.Warnings) != 1 || res.Warnings[0].Code != brenner.CodeHeuristicRoster || res.Session.Recipients[1].Role != roster.TestDesigner {
				s.Errorf("got %+v", res)
			}
			s.unchanged(func() {
				_, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{To: []brenner.ActorName{"BlueLake", "GrayOwl"}})
				e := s.refused(err, brenner.CodeInvalidRoster)
				for _, name := range []string{"BlueLake", "GrayOwl"} {
					if !slices.ContainsFunc(e.Diagnostics, func(d brenner.Diagnostic) bool { return d.Message == "Missing roster entry for recipient: "+name }) {
						s.Errorf("said %+v", e.Diagnostics)
					}
				}
			})
			known, err := s.pi.StartSession(s.ctx, api.StartSessionRequest{To: []brenner.ActorName{"BlueLake"}})
			s.must(err)
			if len(known.Warnings) > 0 || known.Session.Roster.Mode != roster.RoleSeparated || known.Session.Recipients[0].Role != roster.HypothesisGenerator {
				s.Errorf("by the role it has: %+v", known)
			}
		}},
		{"a repeated start starts nothing twice", func(s *scene) { // X2
			req := api.StartSessionRequest{Write: api.Write{Key: "once"}, Question: "Why?", Roster: team}
			one, err := s.pi.StartSession(s.ctx, req)
			s.must(err)
			s.unchanged(func() {
				two, err := s.pi.StartSession(s.ctx, req)
				s.must(err)
				if two.Session.ID != one.Session.ID || !slices.EqualFunc(one.Deliveries, two.Deliveries, func(a, b api.Delivery) bool { return a.Message == b.Message }) {
					s.Errorf("first %+v, then %+v", one, two)
				}
			})
		}},
		{"only who leads starts and compiles", func(s *scene) { // C8
			id := s.pi.starts().ID
			blue := s.agent("BlueLake")
			s.unchanged(func() {
				_, err := blue.StartSession(s.ctx, api.StartSessionRequest{Roster: team})
				s.refused(err, brenner.CodeWriteDenied)
				_, err = blue.CompileSession(s.ctx, api.CompileSessionRequest{ID: id})
				s.refused(err, brenner.CodeWriteDenied)
				_, err = blue.NudgeSession(s.ctx, api.NudgeSessionRequest{ID: id})
				s.refused(err, brenner.CodeWriteDenied)
				_, err = blue.ResendSession(s.ctx, api.ResendSessionRequest{ID: id})
				s.refused(err, brenner.CodeWriteDenied)
				_, err = blue.Conflicts(s.ctx, api.ListConflictsRequest{})
				s.refused(err, brenner.CodeWriteDenied)
				_, err = s.pi.CompileSession(s.ctx, api.CompileSessionRequest{ID: "RS-0"})
				s.refused(err, brenner.CodeNotFound)
			})
			if blue.status(id).State != api.SessionWaiting { // agents see the status
				s.Error("not waiting")
			}
		}},
		{"a policy can let an agent lead sessions", func(s *scene) { // C7
			s.pi.creates(api.CreateArtifactRequest{
				ID: "policy", Type: "role_policy", Module: "project", Summary: "integrators lead sessions",
				Content: api.Body{Format: artifact.JSON, Data: `{"role":"integrator","read":["session_artifact"],"write":["session_artifact"],"promote":[],"acts":["session","status"]}`},
			})
			s.pi.promotes(ref("policy", 1))
			red := s.agent("RedSky")
			id := red.starts().ID
			s.agent("BlueLake").submits(id, adds("lineage"))
			if res := red.compiles(id); !res.Changed {
				s.Errorf("compiled %+v", res)
			}
			s.unchanged(func() { // C36: it gives nobody a role, least of all itself
				_, err := red.StartSession(s.ctx, api.StartSessionRequest{Question: "Who am I?", Roster: roster.Roster{
					Mode: roster.RoleSeparated, Entries: []roster.Entry{{AgentName: "RedSky", Role: "hypothesis_generator"}},
				}})
				s.refused(err, brenner.CodeWriteDenied)
			})
		}},
		{"sessions are listed, the newest first, in pages", func(s *scene) {
			one, two, three := s.pi.starts().ID, s.pi.starts().ID, s.pi.starts().ID
			page, err := s.pi.Sessions(s.ctx, api.ListSessionsRequest{Page: api.Page{Limit: 2}})
			s.must(err)
			rest, err := s.agent("BlueLake").Sessions(s.ctx, api.ListSessionsRequest{Page: api.Page{Limit: 2, Cursor: page.Cursor}})
			s.must(err)
			var got []brenner.SessionID
			for _, i := range append(page.Sessions, rest.Sessions...) {
				got = append(got, i.ID)
			}
			if !slices.Equal(got, []brenner.SessionID{three, two, one}) || rest.Cursor != "" {
				s.Errorf("listed %v", got)
			}
			oldest, err := s.pi.Sessions(s.ctx, api.ListSessionsRequest{Page: api.Page{Limit: 1}, Oldest: true})
			s.must(err)
			if oldest.Sessions[0].ID != one || oldest.Total != 3 {
				s.Errorf("the oldest of %d is %s, not %s", oldest.Total, oldest.Sessions[0].ID, one)
			}
		}},
	}
}

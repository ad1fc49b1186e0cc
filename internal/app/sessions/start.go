package sessions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/policy"
	"brenner/roster"

	"github.com/go-json-experiment/json/jsontext"
)

// StartSession implements api.Sessions.
func (s *Service) StartSession(ctx context.Context, req api.StartSessionRequest) (api.SessionStart, error) {
	if req.DryRun {
		return kernel.View(ctx, s.caller, leading("start"), func(c *kernel.Call) (api.SessionStart, error) {
			p, err := planSession(c, req)
			if err != nil {
				return api.SessionStart{}, err
			}
			out := p.start()
			out.Messages = p.messages
			return out, nil
		})
	}
	again := true
	started, err := kernel.Write(ctx, s.caller, "session.start", req, leading("start"), func(ch *kernel.Change) (sessionBegun, error) {
		again = false
		p, err := planSession(ch.Call, req)
		if err != nil {
			return sessionBegun{}, err
		}
		return s.startSession(ch, p)
	})
	if err != nil {
		return api.SessionStart{}, err
	}
	out := started.Start
	if out.Deliveries, err = s.deliver(ctx, out.Session.ID, started.Sent, again); err != nil {
		return api.SessionStart{}, err
	}
	out.Session, err = kernel.View(ctx, s.caller, leading(out.Session.ID), func(c *kernel.Call) (api.SessionInfo, error) { return findSession(c, out.Session.ID) })
	return out, err
}

// sessionBegun is a session whose messages are recorded and not yet delivered.
type sessionBegun struct {
	Start api.SessionStart `json:"start"`
	Sent  []sent           `json:"sent"`
}

// sessionPlan is a session that can be started: everything was checked, and
// nothing was changed.
type sessionPlan struct {
	info     api.SessionInfo
	kickoff  roster.Kickoff
	messages []roster.Message
	register []kernel.Actor
	warnings []brenner.Diagnostic
}

// planSession settles the roster and composes the kickoffs (R3: every error
// before anything is created or sent).
func planSession(c *kernel.Call, req api.StartSessionRequest) (sessionPlan, error) {
	if req.Question != "" && brenner.SaysNothing(req.Question) { // no question is one's choice, a blank one a slip
		return sessionPlan{}, brenner.Errorf(brenner.CodeInvalidValue, "the question asks nothing").At("/question").
			WithHint("say what the agents are to find out, or leave it out")
	}
	if err := checkSessionText("question", req.Question); err != nil {
		return sessionPlan{}, err
	}
	if err := checkSessionText("context", req.Context); err != nil {
		return sessionPlan{}, err
	}
	sources, err := rosterSources(c, req)
	if err != nil {
		return sessionPlan{}, err
	}
	res, err := roster.Resolve(sources)
	if err != nil {
		return sessionPlan{}, err
	}
	p := sessionPlan{warnings: res.Warnings}
	p.info = api.SessionInfo{
		Question: req.Question, Roster: res.Roster, Transport: req.Transport, Creator: c.Who.Name, Created: c.Now,
		Recipients: []api.Recipient{}, Outbox: []api.Unsent{}, ThreadEmpty: strings.TrimSpace(req.Question) == "", AcceptMended: req.AcceptMended,
		Compile:      cmp.Or(req.Compile, c.Config.Compile, api.CompileAnswered),
		Contributors: res.Roster.Names(),
	}
	if !slices.Contains(p.info.Contributors, c.Who.Name) {
		p.info.Contributors = append(p.info.Contributors, c.Who.Name)
	}
	switch req.Transport {
	case "":
		p.info.Transport = api.TransportMailbox
	case api.TransportMailbox, api.TransportAgentMail:
	default:
		return sessionPlan{}, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a transport", req.Transport).
			At("/transport").WithHint("transports: mailbox, agent_mail")
	}
	if err := p.info.Compile.Check(); err != nil {
		return sessionPlan{}, err
	}
	if p.info.Module, err = sessionModule(c, req.Module); err != nil {
		return sessionPlan{}, err
	}
	if p.info.ID, err = sessionID(c, req); err != nil {
		return sessionPlan{}, err
	}
	p.info.Artifact = sessionRef(p.info.ID, 1)
	p.kickoff = roster.Kickoff{
		Session: p.info.ID, Question: req.Question, Context: req.Context, Roster: res.Roster,
		Recipients: res.Recipients, Prompts: c.Config.PromptTexts(), Sections: sectionsOf(c, res.Roster), Writes: writesOf(c, res.Roster), Forms: formsOf(c),
		Module: p.info.Module, Compile: p.info.Compile,
	}
	p.info.Concludes = p.kickoff.Concludes()
	if p.messages, err = p.kickoff.Compose(); err != nil {
		return sessionPlan{}, err
	}
	for _, name := range res.Recipients {
		e, _ := res.Roster.Entry(name)
		p.info.Recipients = append(p.info.Recipients, api.Recipient{Name: name, Role: e.Role})
	}
	p.register, err = unknownAgents(c, res.Roster)
	return p, err
}

// sectionsOf gives the sections that the policies in force let each role of a
// roster write (D25).
func sectionsOf(c *kernel.Call, team roster.Roster) map[brenner.Role][]string {
	out := map[brenner.Role][]string{}
	for _, e := range team.Entries {
		out[e.Role] = nil
		for _, s := range c.Policies[e.Role].Sections {
			out[e.Role] = append(out[e.Role], string(s))
		}
	}
	return out
}

// writesOf gives the types of artifact that the policies in force let each role
// of a roster write.
func writesOf(c *kernel.Call, team roster.Roster) map[brenner.Role][]brenner.TypeName {
	out := map[brenner.Role][]brenner.TypeName{}
	for _, e := range team.Entries {
		out[e.Role] = c.Policies[e.Role].Write
	}
	return out
}

// formsOf says how content of each type in force is written.
func formsOf(c *kernel.Call) map[brenner.TypeName]string {
	out := map[brenner.TypeName]string{}
	for _, t := range c.Types.Types() {
		out[t.Name] = t.Brief()
	}
	return out
}

// Rosters implements api.Sessions.
func (s *Service) Rosters(ctx context.Context) (api.RosterChoices, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "rosters"), func(c *kernel.Call) (api.RosterChoices, error) {
		own := c.Config.Roster
		return api.RosterChoices{Roster: own.Roster, Presets: roster.Presets(own.Presets), Default: own.DefaultPreset}, nil
	})
}

// rosterSources adds to what the caller states what the project says: the
// configuration in force, not a file that happens to be there (C4), and the roles of
// the agents that are named.
func rosterSources(c *kernel.Call, req api.StartSessionRequest) (roster.Sources, error) {
	s := roster.Sources{
		To: req.To, ProjectName: c.File, Project: c.Config.Roster, PresetFlag: req.Preset, PresetEnv: req.PresetEnv,
		Session: []roster.Part{{Name: "request", Roster: req.Roster}},
	}
	for _, p := range req.Flags {
		s.Flags = append(s.Flags, roster.Part(p))
	}
	for _, p := range req.Environment {
		s.Environment = append(s.Environment, roster.Part(p))
	}
	for _, name := range req.To {
		a, err := c.Actor(c.Ctx, name)
		if brenner.CodeOf(err) == brenner.CodeNotFound {
			continue
		}
		if err != nil {
			return s, err
		}
		if a.Kind == kernel.Agent && a.Active {
			s.Standing = append(s.Standing, roster.Entry{AgentName: a.Name, Role: a.Role})
		}
	}
	return s, nil
}

func checkSessionText(what, text string) error {
	if err := kernel.CheckText(text); err != nil {
		return err
	}
	if len(text) > brenner.MaxSessionTextBytes {
		return brenner.Errorf(brenner.CodeLimitExceeded, "the %s has more than %d bytes", what, brenner.MaxSessionTextBytes).
			At("/" + what).WithHint("put long material into an artifact")
	}
	return nil
}

// sessionModule is where a session's artifact goes: a session about several
// modules belongs to the project.
func sessionModule(c *kernel.Call, asked brenner.Module) (brenner.Module, error) {
	if asked == "" && len(c.Modules) > 1 {
		return kernel.ProjectModule, nil
	}
	t, err := c.Types.Lookup(artifact.TypeSessionArtifact)
	if err != nil {
		return "", err
	}
	return c.ModuleFor(asked, t)
}

// sessionID is the id asked for, or the next free one of the day and question.
func sessionID(c *kernel.Call, req api.StartSessionRequest) (brenner.SessionID, error) {
	free := func(id brenner.SessionID) (bool, error) {
		_, err := c.Reader.Artifact(c.Ctx, brenner.ArtifactID(id))
		if brenner.CodeOf(err) == brenner.CodeNotFound {
			return true, nil
		}
		return false, err
	}
	if req.ID != "" {
		if err := req.ID.Check(); err != nil {
			return "", err
		}
		ok, err := free(req.ID)
		if err == nil && !ok {
			err = brenner.Errorf(brenner.CodeAlreadyExists, "there is a session or an artifact %q already", req.ID).
				WithHint("choose another id, or leave it out")
		}
		return req.ID, err
	}
	first := roster.NewSessionID(c.Now, req.Question)
	id := first
	for n := 2; ; n++ {
		ok, err := free(id)
		if ok || err != nil {
			return id, err
		}
		id = brenner.SessionID(fmt.Sprintf("%s-%d", first, n))
	}
}

// unknownAgents lists the actors that the roster names and the project does
// not have. Their standing role is the one they play first.
func unknownAgents(c *kernel.Call, r roster.Roster) ([]kernel.Actor, error) {
	var out []kernel.Actor
	for _, e := range r.Entries {
		known, err := c.Actor(c.Ctx, e.AgentName)
		if err == nil && !c.Person() && known.Role != e.Role { // C36: a person may say otherwise
			return nil, brenner.Errorf(brenner.CodeWriteDenied, "%s is %s: an agent that starts a session gives nobody another role", e.AgentName, known.Role).
				WithHint("name it in its own role, or have the PI start the session")
		}
		if brenner.CodeOf(err) == brenner.CodeNotFound {
			out = append(out, kernel.Actor{Name: e.AgentName, Kind: kernel.Agent, Role: e.Role, Note: "registered by a session", Active: true})
		} else if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// start is the result as far as it is known before anything is written.
func (p sessionPlan) start() api.SessionStart {
	out := api.SessionStart{
		Session: p.info, Registered: []brenner.ActorName{}, Deliveries: []api.Delivery{},
		Starts: p.kickoff.Starts(), Warnings: kernel.OrEmpty(p.warnings),
	}
	for _, a := range p.register {
		out.Registered = append(out.Registered, a.Name)
	}
	return out
}

// startSession writes what was planned: actors, session, artifact, messages.
func (r *Room) startSession(ch *kernel.Change, p sessionPlan) (sessionBegun, error) {
	for _, a := range p.register {
		if _, err := kernel.ActorPut.Append(ch, a); err != nil {
			return sessionBegun{}, err
		}
	}
	started := sessionStarted{
		ID: p.info.ID, Question: p.info.Question, Module: p.info.Module, Roster: p.info.Roster,
		Recipients: recipientNames(p.info), Contributors: p.info.Contributors, Transport: p.info.Transport,
		AcceptMended: p.info.AcceptMended, Compile: p.info.Compile, Concludes: p.info.Concludes,
	}
	doc, entry, err := openingArtifact(started, ch.Who.Name, ch.Now, false)
	if err != nil {
		return sessionBegun{}, err
	}
	if entry != nil {
		if started.Thread, err = ch.PutBlob(canon.MustMarshal(entry)); err != nil {
			return sessionBegun{}, err
		}
	}
	if _, err := kindSessionStarted.Append(ch, started); err != nil {
		return sessionBegun{}, err
	}
	content, err := canon.Marshal(doc)
	if err != nil {
		return sessionBegun{}, err
	}
	_, err = r.Ledger.Create(ch, api.CreateArtifactRequest{
		ID: p.info.Artifact.Artifact, Type: artifact.TypeSessionArtifact, Module: p.info.Module,
		Summary: delta.Summary(doc), Content: api.Body{Format: artifact.JSON, Data: string(content)},
	})
	if err != nil {
		return sessionBegun{}, err
	}
	out := sessionBegun{Start: p.start(), Sent: []sent{}}
	for _, m := range p.messages {
		id, err := sendMessage(ch, messageSent{
			To: m.To, Kind: api.MessageKickoff, Session: p.info.ID, Subject: m.Subject, Transport: p.info.Transport,
		}, m.Body)
		if err != nil {
			return sessionBegun{}, err
		}
		out.Sent = append(out.Sent, sent{To: m.To, ID: id})
	}
	return out, nil
}

// openingArtifact is version 1 of a session's artifact: empty, or with the
// question as the statement of the research thread, put there by a delta of
// whoever started the session. recorded says that this was done before.
func openingArtifact(p sessionStarted, by brenner.ActorName, at time.Time, recorded bool) (*delta.Artifact, *queuedEntry, error) {
	team, err := canon.Marshal(p.Roster)
	if err != nil {
		return nil, nil, err
	}
	doc, err := delta.New(p.ID, p.Question, team, at)
	if err != nil {
		return nil, nil, err
	}
	if strings.TrimSpace(p.Question) == "" {
		return doc.Opened(), nil, nil
	}
	payload, err := canon.Marshal(map[string]string{"statement": p.Question})
	if err != nil {
		return nil, nil, err
	}
	entry := &queuedEntry{
		Message: "start", Received: at,
		Delta: delta.Delta{
			DeltaID: "start", Timestamp: delta.FormatInstant(at), Agent: by, Operation: delta.Edit, TargetID: "RT", Section: delta.ResearchThread,
			Payload: jsontext.Value(payload), Rationale: "the question the session was started with", Seq: 1,
		},
	}
	res := delta.Merge(doc, []delta.Entry{entry.entry()}, delta.Options{Contributors: p.Contributors, Recorded: recorded})
	if res.Recorded() == 0 {
		return nil, nil, brenner.Errorf(res.Outcomes[0].Code, "the question cannot open the thread: %s", res.Outcomes[0].Message)
	}
	return res.Artifact, entry, nil
}

// entry is the delta as a merge takes it.
func (q queuedEntry) entry() delta.Entry {
	return delta.Entry{Delta: q.Delta, Message: q.Message, Received: q.Received, Sent: q.Sent, Invalid: q.Invalid, Corrected: q.Corrected}
}

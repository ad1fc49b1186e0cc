package app

import (
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
	"brenner/policy"
	"brenner/roster"

	"github.com/go-json-experiment/json/jsontext"
)

// StartSession implements api.Sessions.
func (s *service) StartSession(ctx context.Context, req api.StartSessionRequest) (api.SessionStart, error) {
	if req.DryRun {
		return view(ctx, s, func(c *call) (api.SessionStart, error) {
			p, err := c.planSession(req)
			if err != nil {
				return api.SessionStart{}, err
			}
			out := p.start()
			out.Messages = p.messages
			return out, nil
		})
	}
	again := true
	started, err := write(ctx, s, "session.start", req.Write, req, func(ch *change) (sessionBegun, error) {
		again = false
		p, err := ch.planSession(req)
		if err != nil {
			return sessionBegun{}, err
		}
		return ch.startSession(p)
	})
	if err != nil {
		return api.SessionStart{}, err
	}
	out := started.Start
	if out.Deliveries, err = s.deliver(ctx, out.Session.ID, started.Sent, again); err != nil {
		return api.SessionStart{}, err
	}
	out.Session, err = view(ctx, s, func(c *call) (api.SessionInfo, error) { return c.lead(out.Session.ID) })
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
	register []actorPut
	warnings []brenner.Diagnostic
}

// planSession settles the roster and composes the kickoffs (R3: every error
// before anything is created or sent).
func (c *call) planSession(req api.StartSessionRequest) (sessionPlan, error) {
	if err := c.allow(policy.Session, "", "", "start"); err != nil {
		return sessionPlan{}, err
	}
	if err := checkSessionText("question", req.Question); err != nil {
		return sessionPlan{}, err
	}
	if err := checkSessionText("context", req.Context); err != nil {
		return sessionPlan{}, err
	}
	res, err := roster.Resolve(c.rosterSources(req))
	if err != nil {
		return sessionPlan{}, err
	}
	p := sessionPlan{warnings: res.Warnings}
	p.info = api.SessionInfo{
		Question: req.Question, Roster: res.Roster, Transport: req.Transport, Creator: c.actor.Name, Created: c.now,
		Recipients: []api.Recipient{}, Outbox: []api.Unsent{}, ThreadEmpty: strings.TrimSpace(req.Question) == "",
		Contributors: res.Roster.Names(),
	}
	if !slices.Contains(p.info.Contributors, c.actor.Name) {
		p.info.Contributors = append(p.info.Contributors, c.actor.Name)
	}
	switch req.Transport {
	case "":
		p.info.Transport = api.TransportMailbox
	case api.TransportMailbox, api.TransportAgentMail:
	default:
		return sessionPlan{}, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a transport", req.Transport).
			At("/transport").WithHint("transports: mailbox, agent_mail")
	}
	if p.info.Module, err = c.sessionModule(req.Module); err != nil {
		return sessionPlan{}, err
	}
	if p.info.ID, err = c.sessionID(req); err != nil {
		return sessionPlan{}, err
	}
	p.info.Artifact = sessionRef(p.info.ID, 1)
	p.kickoff = roster.Kickoff{
		Session: p.info.ID, Question: req.Question, Context: req.Context, Roster: res.Roster,
		Recipients: res.Recipients, Prompts: c.config.PromptTexts(),
	}
	if p.messages, err = p.kickoff.Compose(); err != nil {
		return sessionPlan{}, err
	}
	for _, name := range res.Recipients {
		e, _ := res.Roster.Entry(name)
		p.info.Recipients = append(p.info.Recipients, api.Recipient{Name: name, Role: e.Role})
	}
	p.register, err = c.unknownAgents(res.Roster)
	return p, err
}

// Rosters implements api.Sessions.
func (s *service) Rosters(ctx context.Context) (api.RosterChoices, error) {
	return view(ctx, s, func(c *call) (api.RosterChoices, error) {
		if err := c.allow(policy.Status, "", "", "rosters"); err != nil {
			return api.RosterChoices{}, err
		}
		own := c.config.Roster
		return api.RosterChoices{Roster: own.Roster, Presets: roster.Presets(own.Presets), Default: own.DefaultPreset}, nil
	})
}

// rosterSources adds to what the caller states what the project says: the
// configuration in force, not a file that happens to be there (C4).
func (c *call) rosterSources(req api.StartSessionRequest) roster.Sources {
	s := roster.Sources{
		To: req.To, ProjectName: c.file, Project: c.config.Roster, PresetFlag: req.Preset, PresetEnv: req.PresetEnv,
		Session: []roster.Part{{Name: "request", Roster: req.Roster}},
	}
	for _, p := range req.Flags {
		s.Flags = append(s.Flags, roster.Part(p))
	}
	for _, p := range req.Environment {
		s.Environment = append(s.Environment, roster.Part(p))
	}
	return s
}

func checkSessionText(what, text string) error {
	if err := checkText(text); err != nil {
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
func (c *call) sessionModule(asked brenner.Module) (brenner.Module, error) {
	if asked == "" && len(c.modules) > 1 {
		return projectModule, nil
	}
	t, err := c.types.Lookup(artifact.TypeSessionArtifact)
	if err != nil {
		return "", err
	}
	return c.module(asked, t)
}

// sessionID is the id asked for, or the next free one of the day and question.
func (c *call) sessionID(req api.StartSessionRequest) (brenner.SessionID, error) {
	free := func(id brenner.SessionID) (bool, error) {
		_, err := c.Reader.Artifact(c.ctx, brenner.ArtifactID(id))
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
	first := roster.NewSessionID(c.now, req.Question)
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
func (c *call) unknownAgents(r roster.Roster) ([]actorPut, error) {
	var out []actorPut
	for _, e := range r.Entries {
		_, err := c.Actor(c.ctx, e.AgentName)
		if brenner.CodeOf(err) == brenner.CodeNotFound {
			out = append(out, actorPut{Name: e.AgentName, Kind: kindAgent, Role: e.Role, Note: "registered by a session", Active: true})
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
		Starts: p.kickoff.Starts(), Warnings: orEmpty(p.warnings),
	}
	for _, a := range p.register {
		out.Registered = append(out.Registered, a.Name)
	}
	return out
}

// startSession writes what was planned: actors, session, artifact, messages.
func (ch *change) startSession(p sessionPlan) (sessionBegun, error) {
	for _, a := range p.register {
		if _, err := ch.append(kindActorPut, a); err != nil {
			return sessionBegun{}, err
		}
	}
	started := sessionStarted{
		ID: p.info.ID, Question: p.info.Question, Module: p.info.Module, Roster: p.info.Roster,
		Recipients: recipients(p.info), Contributors: p.info.Contributors, Transport: p.info.Transport,
	}
	doc, entry, err := openingArtifact(started, ch.actor.Name, ch.now)
	if err != nil {
		return sessionBegun{}, err
	}
	if entry != nil {
		if started.Thread, err = ch.blob(canon.MustMarshal(entry)); err != nil {
			return sessionBegun{}, err
		}
	}
	if _, err := ch.append(kindSessionStarted, started); err != nil {
		return sessionBegun{}, err
	}
	content, err := canon.Marshal(doc)
	if err != nil {
		return sessionBegun{}, err
	}
	_, err = ch.create(api.CreateArtifactRequest{
		ID: p.info.Artifact.Artifact, Type: artifact.TypeSessionArtifact, Module: p.info.Module,
		Summary: delta.Summary(doc), Content: api.Body{Format: artifact.JSON, Data: string(content)},
	})
	if err != nil {
		return sessionBegun{}, err
	}
	out := sessionBegun{Start: p.start(), Sent: []sent{}}
	for _, m := range p.messages {
		id, err := ch.send(messageSent{
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
// whoever started the session.
func openingArtifact(p sessionStarted, by brenner.ActorName, at time.Time) (*delta.Artifact, *queuedEntry, error) {
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
	res := delta.Merge(doc, []delta.Entry{entry.entry()}, delta.Options{Contributors: p.Contributors})
	if res.Recorded() == 0 {
		return nil, nil, brenner.Errorf(res.Outcomes[0].Code, "the question cannot open the thread: %s", res.Outcomes[0].Message)
	}
	return res.Artifact, entry, nil
}

// entry is the delta as a merge takes it.
func (q queuedEntry) entry() delta.Entry {
	return delta.Entry{Delta: q.Delta, Message: q.Message, Received: q.Received, Invalid: q.Invalid}
}

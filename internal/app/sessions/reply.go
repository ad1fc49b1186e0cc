package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/policy"
	"brenner/roster"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// SubmitDeltas implements api.Sessions.
func (s *Service) SubmitDeltas(ctx context.Context, req api.SubmitDeltasRequest) (api.Submission, error) {
	in := &incoming{agent: s.caller.Name, via: viaSubmit, text: req.Text, mend: req.AcceptMended, nothing: req.Nothing}
	guard := contributing(in, func(*kernel.Call) (brenner.SessionID, error) { return req.Session, nil })
	if req.From != "" && req.From != s.caller.Name {
		if req.Doing != "" {
			return api.Submission{}, brenner.Errorf(brenner.CodeInvalidValue, "what comes next is said by who does it").At("/doing")
		}
		in.agent, in.via = req.From, viaIngest
		guard = kernel.To(policy.Session, "ingest for "+string(req.From)).Then(func(c *kernel.Call) (err error) {
			in.session, err = sessionOf(c, req.Session, in.agent)
			return err
		})
	} else if in.mend {
		guard = kernel.All(kernel.To(policy.Session, "accept mended deltas"), guard)
	}
	if req.DryRun {
		sub, err := kernel.View(ctx, s.caller, guard, func(c *kernel.Call) (api.Submission, error) { return tryReply(c, *in) })
		if err != nil {
			return sub, err
		}
		return s.quote(ctx, sub)
	}
	sub, err := s.receive(ctx, "delta.submit", req, guard, in, func(ch *kernel.Change, in incoming) (api.Submission, error) {
		sub, err := s.receiveReply(ch, in)
		if err != nil || in.via != viaSubmit || sub.Unusable || sub.Duplicate && req.Doing == "" {
			return sub, err
		}
		sub.Doing, err = s.Doing(ch, in.session.ID, in.session.Module, req.Doing)
		return sub, err
	})
	return sub, s.tellAgents(ctx, err, sub)
}

// receive runs a use case that takes a reply, and what follows from it.
func (s *Service) receive(ctx context.Context, name string, req kernel.Keyed, guard kernel.Guard, in *incoming, take func(*kernel.Change, incoming) (api.Submission, error)) (api.Submission, error) {
	sub, err := s.keep(ctx, name, req, guard, in, take)
	if err != nil {
		return sub, err
	}
	if sub, err = s.lookAhead(ctx, sub); err != nil {
		return sub, err
	}
	return s.quote(ctx, sub)
}

// quote gives the author of a reply what its edits replaced, where it may read it
// and was not shown it.
func (s *Service) quote(ctx context.Context, sub api.Submission) (api.Submission, error) {
	if !slices.ContainsFunc(sub.Deltas, func(d api.SubmittedDelta) bool { return len(d.Replaces)+len(d.Says) > 0 }) {
		return sub, nil
	}
	_, err := kernel.Write(ctx, s.caller, "context.read", api.Write{}, kernel.Settled("the reply; this is the price of what it replaced"), func(ch *kernel.Change) (bool, error) {
		info, err := findSession(ch.Call, sub.Session)
		if err != nil {
			return false, err
		}
		if err := quoteSaid(ch, info, &sub); err != nil {
			return false, err
		}
		return true, quoteReplaced(ch, info, &sub)
	})
	return sub, err
}

// keep takes a reply in. A long one is read while others write (X9).
func (s *Service) keep(ctx context.Context, name string, req kernel.Keyed, guard kernel.Guard, in *incoming, take func(*kernel.Change, incoming) (api.Submission, error)) (api.Submission, error) {
	if len(in.text) < brenner.LargeContentBytes {
		return kernel.Write(ctx, s.caller, name, req, guard, func(ch *kernel.Change) (api.Submission, error) { return take(ch, *in) })
	}
	plan := kernel.Plan[*readReply]{
		Make: func(c *kernel.Call) (*readReply, error) {
			if err := checkContributor(c, *in); err != nil {
				return nil, err
			}
			if err := c.Extracts(len(in.text)); err != nil {
				return nil, err
			}
			if err := c.Date(); err != nil {
				return nil, err
			}
			return in.begin(c.Now).read(c.Gone, c.Now, mendNone)
		},
		// A text says the same later.
		Holds: func(*kernel.Call, *readReply) (bool, error) { return true, nil },
	}
	return kernel.WritePlan(ctx, s.caller, name, req, guard, plan, func(ch *kernel.Change, read *readReply) (api.Submission, error) {
		whole := *in
		whole.ready = read
		return take(ch, whole)
	})
}

// readReply is a reply as it was read: its deltas, and when it was written.
type readReply struct {
	delta.Extraction
	stamp string
}

// begin names a reply and says when it was written, where that is not known: the
// same reply again has the same name, for it follows from its text.
func (in incoming) begin(now time.Time) incoming {
	if in.message == "" {
		said := in.text
		if in.nothing { // the same words answer the next round as well
			r, _ := recipientOf(in.session, in.agent)
			said = "nothing to add\n" + r.Ask + "\n" + said
			if len(in.text) < brenner.LargeContentBytes { // and another version; a long reply is named before it is taken
				said = fmt.Sprintf("%s\n%d", said, in.session.Artifact.Version)
			}
		}
		sum := canon.Sum([]byte(string(in.session.ID) + "\n" + string(in.agent) + "\n" + said))
		in.message = "reply-" + string(sum)[:16]
	}
	if in.written.IsZero() || in.written.After(now) {
		in.written = now
	}
	return in
}

// read extracts the deltas of a reply, unless that was done.
func (in incoming) read(gone func() bool, now time.Time, mend mending) (*readReply, error) {
	if in.ready != nil && mend == mendNone {
		own := *in.ready // it may be used again
		return &own, nil
	}
	stamp := delta.FormatInstant(in.written)
	x, err := extractReply(gone, in.text, in.message, in.agent, stamp, now, mend)
	return &readReply{x, stamp}, err
}

// contributing is to hand in a reply of one's own, in the role that the roster
// of the session gives (C8). It loads the session that the reply is for.
func contributing(in *incoming, named func(*kernel.Call) (brenner.SessionID, error)) kernel.Guard {
	return kernel.On(func(c *kernel.Call) (kernel.Act, error) {
		id, err := named(c)
		if err != nil {
			return kernel.Act{}, err
		}
		if in.session, err = sessionOf(c, id, in.agent); err != nil {
			return kernel.Act{}, err
		}
		c.Who.Role = roleIn(in.session.Roster, c.Who)
		return kernel.Act{Action: policy.Delta, Target: string(in.session.ID)}, nil
	})
}

// sessionOf finds the session a reply is for: the one named, or else the only
// one in which the agent is waited for, or the only one it contributes to.
func sessionOf(c *kernel.Call, id brenner.SessionID, agent brenner.ActorName) (api.SessionInfo, error) {
	if id != "" {
		info, err := findSession(c, id)
		if err == nil {
			err = stillOpen(info)
		}
		return info, err
	}
	var asked, known []api.SessionInfo
	err := sessions.Each(c.Ctx, c.Reader, kernel.Query{}, func(row kernel.Row[session]) (bool, error) {
		info := row.Value.info()
		if slices.Contains(info.Contributors, agent) && info.Closed.IsZero() {
			known = append(known, info)
		}
		if r, ok := recipientOf(info, agent); ok && r.Waiting {
			asked = append(asked, info)
		}
		return true, nil
	})
	switch {
	case err != nil:
		return api.SessionInfo{}, err
	case len(asked) == 1:
		return asked[0], nil
	case len(asked) == 0 && len(known) == 1:
		return known[0], nil
	case len(known) == 0:
		return api.SessionInfo{}, brenner.Errorf(brenner.CodeNotFound, "%s contributes to no session", agent).
			WithHint("the PI starts sessions").Try(brenner.Do("session.start"))
	}
	ids := make([]brenner.SessionID, len(known))
	for i, k := range known {
		ids[i] = k.ID
	}
	return api.SessionInfo{}, brenner.Errorf(brenner.CodeInvalidValue, "%s contributes to several sessions", agent).
		At("/session").WithHint("name one: " + kernel.Join(ids))
}

// incoming is a reply on its way in.
type incoming struct {
	session api.SessionInfo
	agent   brenner.ActorName
	via     string
	text    string
	mend    bool // take near misses as mended
	nothing bool // its author has nothing to add
	settles bool // it does nothing but settle critiques, and sign the answer
	// message and written are known of a reply that came over a mail server.
	message string
	written time.Time
	// ready is the reply as it was read before the transaction, if it was.
	ready *readReply
}

// receiveReply keeps a reply and queues its deltas. The same reply again changes
// nothing: its id follows from its text.
func (r *Room) receiveReply(ch *kernel.Change, in incoming) (api.Submission, error) {
	if err := checkContributor(ch.Call, in); err != nil {
		return api.Submission{}, err
	}
	if strings.TrimSpace(in.text) == "" {
		return api.Submission{}, brenner.Errorf(brenner.CodeInvalidValue, "the reply is empty").At("/text")
	}
	in = in.begin(ch.Now)
	old, mend, err := in.earlier(ch)
	if err != nil {
		return api.Submission{}, err
	}
	if old != nil && mend == mendNone {
		message, err := in.saysAgain(ch.Call, *old)
		if err != nil {
			return api.Submission{}, err
		}
		if message == "" {
			return r.handInAgain(ch, in, *old)
		}
		in.message, in.ready, old = message, nil, nil
		if in.session.AcceptMended {
			mend = mendAll
		}
	}
	x, err := in.read(ch.Gone, ch.Now, mend)
	if err != nil {
		return api.Submission{}, err
	}
	if err := keepToSections(ch.Call, in, &x.Extraction); err != nil {
		return api.Submission{}, err
	}
	over, err := keepUnseen(ch.Call, in, &x.Extraction)
	if err != nil {
		return api.Submission{}, err
	}
	x, parts, err := in.complete(ch.Call, x)
	if err != nil {
		return api.Submission{}, err
	}
	if old != nil && len(x.Entries) == 0 {
		return reportRepeated(ch.Call, *old) // nothing in it could be mended
	}
	if in, err = in.checkNothing(x.Extraction); err != nil {
		return api.Submission{}, err
	}
	if err := checkRoom(ch.Call, in.session, x.Entries); err != nil {
		return api.Submission{}, err
	}
	sign, err := in.signed(ch.Call, x.Entries, parts)
	if err != nil {
		return api.Submission{}, err
	}
	rec := replyReceived{
		Session: in.session.ID, Message: in.message, Agent: in.agent, Via: in.via, Stamp: x.stamp,
		Unusable: x.Usable() == 0 && !in.nothing, Nothing: in.nothing, Signs: sign.of, Unseen: sign.unseen, Unsigns: sign.back, Mended: mend,
	}
	if old != nil {
		rec.Log = old.Log
	} else if rec.Log, err = r.keepLog(ch, in, len(x.Entries)); err != nil {
		return api.Submission{}, err
	}
	out, err := r.queue(ch, in, rec, x, parts, over)
	sign.say(&out)
	return out, err
}

// queue queues the deltas of a reply, and does what follows from it.
func (r *Room) queue(ch *kernel.Change, in incoming, rec replyReceived, x *readReply, parts replacedParts, over unseen) (api.Submission, error) {
	rec.Deltas = []queuedDelta{}
	for _, e := range x.Entries {
		q, err := queueDelta(ch, e)
		if err != nil {
			return api.Submission{}, err
		}
		rec.Deltas = append(rec.Deltas, q)
	}
	if r, asked := recipientOf(in.session, in.agent); asked {
		rec.Again = rec.answers() && !r.Waiting && r.Pending > 0
	}
	if _, err := kindReplyReceived.Append(ch, rec); err != nil {
		return api.Submission{}, err
	}
	out := submissionOf(rec, x.Extraction)
	parts.report(&out, false)
	over.report(&out, x.Entries)
	if err := doubt(ch.Call, in.session, &out, x.Entries); err != nil {
		return api.Submission{}, err
	}
	var err error
	if rec.Unusable {
		if out.Bounce, err = bounce(ch, in, out); err != nil {
			return api.Submission{}, err
		}
	}
	if err := acknowledgeAsk(ch, in); err != nil || rec.Unusable {
		return out, err
	}
	if err := acknowledgeBounces(ch, in); err != nil {
		return out, err
	}
	// Who hands a reply in reads what became of it in the answer.
	reader := brenner.ActorName("")
	if in.via == viaSubmit {
		reader = in.agent
	}
	done, err := r.compileIfDue(ch, in.session, reader)
	if err != nil || done.Result.Ref.Version == 0 {
		return out, err
	}
	out.Compiled = done.Result.Ref
	for i, d := range out.Deltas {
		if out.Deltas[i], err = deltaReport(ch.Call, reply{replyReceived: rec}, i); err != nil {
			return out, err
		}
		out.Deltas[i].Provisional, out.Deltas[i].Says, out.Deltas[i].Corrected = d.Provisional, d.Says, d.Corrected
		id := deltaID(rec.Session, rec.Message, i+1)
		out.Deltas[i].Warnings, out.Deltas[i].Replaces = slices.Concat(done.about[id], d.Warnings), done.replaced[id]
		if d := out.Deltas[i]; d.Operation == delta.Add && d.Section == delta.HypothesisSlate && d.State == string(delta.Applied) {
			out.Hypotheses = done.hypotheses
		}
	}
	return out, nil
}

// checkNothing refuses a reply that says both that it adds nothing and what. One that settles
// critiques besides is an answer like any other.
func (in incoming) checkNothing(x delta.Extraction) (incoming, error) {
	if len(x.Entries)+len(x.Misses) == 0 {
		return in, nil
	}
	in.settles = settling(x)
	if !in.nothing || in.settles {
		in.nothing = false
		return in, nil
	}
	return in, brenner.Errorf(brenner.CodeInvalidValue, "the reply has deltas, and says that it adds nothing").At("/nothing").
		WithHint("leave nothing out to hand them in; or say in plain words why there is nothing to add")
}

// earlier finds the reply if it was handed in before, and says what to do with
// its near misses. A reply that was kept as it was sent may be handed in again
// to have them taken as mended: that is a message of its own, which takes
// nothing twice.
func (in *incoming) earlier(ch *kernel.Change) (*reply, mending, error) {
	find := func() (*reply, error) {
		old, err := replies.Find(ch.Ctx, ch.Reader, replyID(in.session.ID, in.message))
		if errors.Is(err, brenner.CodeNotFound) {
			return nil, nil
		}
		return &old, err
	}
	old, err := find()
	accept := in.mend || in.session.AcceptMended
	switch {
	case err != nil:
		return nil, mendNone, err
	case old == nil && accept:
		return nil, mendAll, nil
	case old == nil || !in.mend || old.Mended != mendNone:
		return old, mendNone, nil
	}
	first := old
	in.message += "+mended"
	if old, err = find(); old != nil || err != nil {
		return old, mendNone, err
	}
	return first, mendOnly, nil
}

// keepToSections refuses the deltas to sections that the author's role does not
// write (D25). Whoever hands them in, the author's role counts; without a
// division of labour everybody writes everything.
func keepToSections(c *kernel.Call, in incoming, x *delta.Extraction) error {
	if err := keepCritiques(c, in, x); err != nil || in.session.Roster.Mode == roster.Unified {
		return err
	}
	roles := rolesIn{call: c, session: in.session}
	x.Entries = slices.Clone(x.Entries) // what was read ahead may be used again
	for i := range x.Entries {
		e := &x.Entries[i]
		if e.Invalid != nil {
			continue
		}
		role, d := roles.decide(in.agent, e.Delta.Operation, e.Delta.Section)
		beyond, runs := beyondOwnRun(e.Delta, in.agent)
		if d.Allowed || (observes(e.Delta) || runs && beyond == "") && roles.measures(in.agent) || answers(e.Delta) && roles.mayAnswer(in.agent, e.Delta) {
			continue
		}
		hint, at := "leave it to the role that writes the section", "/section"
		if answers(e.Delta) && in.session.Concludes != "" {
			e.Invalid = brenner.Errorf(brenner.CodeWriteDenied, "%s says the answer; others replace at most %d characters of it at once, in parts", in.session.Concludes, brenner.MaxCorrectionRunes).
				At("/payload/answer").WithHint(fmt.Sprintf("send the words that are wrong as {\"answer\":{\"old\":\"…\",\"new\":\"…\"}}, several as a list of those; for more leave a note; once %s has done nothing for %.0f minutes, who takes part may say all of it",
				in.session.Concludes, roster.Patience.Minutes()))
			continue
		}
		if alone := setByMeasuring[e.Delta.Section]; alone != "" && e.Delta.Operation == delta.Edit && roles.measures(in.agent) {
			hint = "send " + alone + "; leave the rest to the role that writes the section"
			if runs {
				at = beyond
			}
		}
		e.Invalid = brenner.Errorf(brenner.CodeWriteDenied, "%s to %s is not for %s: %s", e.Delta.Operation, e.Delta.Section, role, d.Reason).
			At(at).WithHint(hint)
	}
	return roles.failed
}

// keepCritiques refuses the KILL of a critique by an agent whose work it attacks: as
// with its status, that it is over is for others to say. An answer is its to give.
func keepCritiques(c *kernel.Call, in incoming, x *delta.Extraction) error {
	kills := func(e delta.Entry) bool {
		return e.Invalid == nil && e.Delta.Operation == delta.Kill && e.Delta.Section == delta.AdversarialCritique
	}
	if !slices.ContainsFunc(x.Entries, kills) {
		return nil
	}
	author, err := c.Actor(c.Ctx, in.agent)
	if brenner.CodeOf(err) == brenner.CodeNotFound || err == nil && author.Kind == kernel.Person {
		return nil
	}
	if err != nil {
		return err
	}
	doc, err := documentIn(c, brenner.Ref{Artifact: brenner.ArtifactID(in.session.ID)})
	if err != nil || doc == nil {
		return err
	}
	against := map[string]delta.Critique{}
	for _, k := range delta.Critiques(doc, delta.Beside{}) {
		if slices.Contains(k.Against, in.agent) {
			against[string(k.Item)] = k
		}
	}
	x.Entries = slices.Clone(x.Entries) // what was read ahead may be used again
	for i := range x.Entries {
		e := &x.Entries[i]
		k, own := against[string(e.Delta.TargetID)]
		if !own || !kills(*e) {
			continue
		}
		e.Invalid = brenner.Errorf(brenner.CodeWriteDenied, "%s attacks %s, which you wrote: that it is over is for %s or another to say", k.Item, kernel.Join(k.Of), k.Critic).
			At("/target_id").WithHint("answer it: change what it attacks, or say in its current_status how it is met; its critic settles it")
	}
	return nil
}

// observes says whether a delta tells of a prediction what was observed, and nothing else.
func observes(d delta.Delta) bool { return editsAlone(d, delta.PredictionsTable, "observed") }

// answers says whether a delta says what the answer of its session is, and nothing else.
func answers(d delta.Delta) bool { return editsAlone(d, delta.ResearchThread, "answer") }

// editsAlone says whether a delta changes one field in a section, and nothing else.
func editsAlone(d delta.Delta, section delta.Section, field string) bool {
	var payload map[string]jsontext.Value
	if d.Operation != delta.Edit || d.Section != section || json.Unmarshal(d.Payload, &payload) != nil {
		return false
	}
	_, has := payload[field]
	return has && len(payload) == 1
}

// setByMeasuring says what whoever measures may set in sections that its role does not write.
var setByMeasuring = map[delta.Section]string{
	delta.PredictionsTable:    "observed alone, which whoever measures may set",
	delta.DiscriminativeTests: "last_run, actual_outcomes and status alone, which whoever ran the test itself may set",
}

// beyondOwnRun says of a delta that tells of a test that its author runs it, or what came out
// when it ran it, where it says more than that; "" if it does not (ADR 191).
func beyondOwnRun(d delta.Delta, author brenner.ActorName) (at string, runs bool) {
	var payload map[string]jsontext.Value
	if says := d.Runs().State; d.Operation != delta.Edit || says != delta.TestRun && says != delta.TestRunning || json.Unmarshal(d.Payload, &payload) != nil {
		return "", false
	}
	for _, name := range slices.Sorted(maps.Keys(payload)) {
		if name != "last_run" && name != "actual_outcomes" && name != "status" {
			return string(jsontext.Pointer("/payload").AppendToken(name)), true
		}
	}
	var ran struct {
		By string `json:"by"`
	}
	switch {
	case payload["last_run"].Kind() != '{':
		return "", true
	case json.Unmarshal(payload["last_run"], &ran) != nil:
		return "/payload/last_run", true
	case ran.By != "" && !strings.EqualFold(strings.TrimSpace(ran.By), string(author)):
		return "/payload/last_run/by", true
	}
	return "", true
}

// rolesIn is what those who take part in a session may do to its document (D25).
type rolesIn struct {
	call    *kernel.Call
	session api.SessionInfo
	actors  map[brenner.ActorName]store.Actor
	failed  error // the first that could not be read
}

// decide says in which role somebody takes part, and whether that may do something to a
// section.
func (r *rolesIn) decide(who brenner.ActorName, op delta.Operation, section delta.Section) (brenner.Role, policy.Decision) {
	actor, known := r.actors[who]
	if !known && r.failed == nil {
		if actor, r.failed = r.call.Actor(r.call.Ctx, who); r.failed == nil {
			if r.actors == nil {
				r.actors = map[brenner.ActorName]store.Actor{}
			}
			r.actors[who] = actor
		}
	}
	role := roleIn(r.session.Roster, actor)
	return role, policy.Decide(r.call.Policies, policy.Request{
		Actor: who, Person: actor.Kind == kernel.Person, Role: role, Action: policy.Delta, Section: section, Operation: op, Target: string(section),
	})
}

// measures says whether somebody contributes to the document, and writes results (ADR 178).
func (r *rolesIn) measures(who brenner.ActorName) bool {
	role, d := r.decide(who, "", "")
	if !d.Allowed || r.failed != nil {
		return false
	}
	return policy.Decide(r.call.Policies, policy.Request{
		Actor: who, Person: r.actors[who].Kind == kernel.Person, Role: role, Action: policy.Write, Type: artifact.TypeAnalysisResult,
		Module: r.session.Module, Target: string(r.session.ID),
	}).Allowed
}

// corrects says whether a delta that says the answer replaces no more than some words of it.
func corrects(d delta.Delta) bool {
	old := d.Replaced("answer")
	return len(old) > 0 && utf8.RuneCountInString(strings.Join(old, "")) <= brenner.MaxCorrectionRunes
}

// mayAnswer says whether somebody contributes to the document, and either only corrects words
// of the answer (ADR 217) or says it because whoever does is away (ADR 216).
func (r *rolesIn) mayAnswer(who brenner.ActorName, says delta.Delta) bool {
	_, d := r.decide(who, "", "")
	if !d.Allowed || r.failed != nil {
		return false
	}
	if corrects(says) {
		return true
	}
	var free bool
	free, r.failed = answerFree(r.call, r.session)
	return free
}

// may is decide, for whom nothing is divided as well.
func (r *rolesIn) may(who brenner.ActorName, op delta.Operation, section delta.Section) bool {
	if r.session.Roster.Mode == roster.Unified {
		return true
	}
	_, d := r.decide(who, op, section)
	return d.Allowed
}

// bounce writes to an agent that its reply could not be used, and how to mend
// it. Who was not asked is only told in the answer.
func bounce(ch *kernel.Change, in incoming, sub api.Submission) (string, error) {
	if _, asked := recipientOf(in.session, in.agent); !asked {
		return "", nil
	}
	return sendMessage(ch, messageSent{
		To: in.agent, Kind: api.MessageBounce, Session: in.session.ID, Transport: in.session.Transport,
		Subject: "QUESTION: " + string(in.session.ID) + " could not use your reply",
	}, bounceText(in.session, sub))
}

// tellAgents delivers what taking in replies wrote to agents, unless taking them
// in went wrong.
func (s *Service) tellAgents(ctx context.Context, err error, replies ...api.Submission) error {
	wrote := func(sub api.Submission) bool { return sub.Bounce != "" || sub.Compiled.Version > 0 }
	if err != nil || !slices.ContainsFunc(replies, wrote) {
		return err
	}
	id := replies[0].Session
	info, err := kernel.View(ctx, s.caller, kernel.Settled("taking in the reply"), func(c *kernel.Call) (api.SessionInfo, error) {
		return findSession(c, id)
	})
	if err != nil {
		return err
	}
	var messages []sent
	for _, u := range info.Outbox {
		if u.Attempts == 0 {
			messages = append(messages, sent{To: u.To, ID: u.ID})
		}
	}
	_, err = s.deliver(ctx, id, messages, true)
	return err
}

// acknowledgeAsk acknowledges what asked for the reply, however it came.
func acknowledgeAsk(ch *kernel.Change, in incoming) error {
	r, ok := recipientOf(in.session, in.agent)
	if !ok || r.Ask == "" {
		return nil
	}
	m, err := messages.Find(ch.Ctx, ch.Reader, r.Ask)
	if err != nil || m.State == api.MessageAcked {
		return err
	}
	_, err = kindMessageAcked.Append(ch, messageAcked{ID: r.Ask})
	return err
}

// acknowledgeBounces acknowledges what says of earlier replies that they could not be used,
// and was not read: what is wrong with them is mended by now, or given up.
func acknowledgeBounces(ch *kernel.Change, in incoming) error {
	var mended []string
	unread := kernel.Query{Group: string(in.agent), States: []string{string(api.MessageUnread)}, Newest: true}
	err := messages.Each(ch.Ctx, ch.Reader, unread, func(row kernel.Row[message]) (bool, error) {
		if row.Value.Kind == api.MessageBounce && row.Value.Session == in.session.ID {
			mended = append(mended, row.Value.ID)
		}
		return true, nil
	})
	for _, id := range mended {
		if err == nil {
			_, err = kindMessageAcked.Append(ch, messageAcked{ID: id})
		}
	}
	return err
}

// checkContributor refuses a reply of somebody the session does not know (D7). The
// PI may always contribute.
func checkContributor(c *kernel.Call, in incoming) error {
	if slices.Contains(in.session.Contributors, in.agent) {
		return nil
	}
	if in.agent == c.Who.Name && c.Leads() {
		return nil
	}
	return brenner.Errorf(brenner.CodeUnknownAgent, "%s is not a registered contributor of %s", in.agent, in.session.ID).
		WithHint(fmt.Sprintf("only %s were asked, and nobody is added to a session; write it as an artifact of the module, or whoever leads it starts another session that asks %s too",
			kernel.Join(in.session.Contributors), in.agent))
}

// extractReply reads the deltas of a reply. One that cannot be merged, because
// it is unreadable or speaks for somebody else (D7), keeps its place with the
// reason.
func extractReply(gone func() bool, text, message string, agent brenner.ActorName, stamp string, received time.Time, mend mending) (delta.Extraction, error) {
	if len(text) > brenner.MaxReplyBytes {
		return delta.Extraction{}, brenner.Errorf(brenner.CodeLimitExceeded, "the reply has more than %d bytes", brenner.MaxReplyBytes).
			WithHint("send long material as artifacts, deltas in short replies")
	}
	env := delta.Envelope{Message: message, Agent: agent, Timestamp: stamp, Received: received, Parts: true}
	x, err := readBelow(gone, text, env)
	if err != nil {
		return x, err
	}
	x = mend.of(x)
	for i := range x.Entries {
		e := &x.Entries[i]
		if e.Invalid == nil && e.Delta.Agent != agent {
			e.Invalid = brenner.Errorf(brenner.CodeUnknownAgent, "the delta names %s as its agent, but %s sent it", e.Delta.Agent, agent).
				At("/agent").WithHint("leave agent out, or write your own name")
		}
		if e.Invalid != nil {
			seq := cmp.Or(e.Delta.Seq, i+1)
			e.Delta = delta.Delta{DeltaID: shownID(e.Delta.DeltaID, message, seq), Agent: agent, Seq: seq}
		}
	}
	return x, nil
}

// shownID names a delta that cannot be merged: as its agent does, if that can
// be shown.
func shownID(id, message string, n int) string {
	if id == "" || len(id) > brenner.MaxDeltaIDBytes || strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Sprintf("%s#%d", message, n)
	}
	return id
}

// checkRoom keeps the queue of a session to what one compile can take.
func checkRoom(c *kernel.Call, info api.SessionInfo, more []delta.Entry) error {
	waiting, err := glanceAt(c, info)
	if err != nil {
		return err
	}
	deltas, bytes := waiting.size()
	if deltas+len(more) > brenner.MaxPendingDeltas {
		return brenner.Errorf(brenner.CodeLimitExceeded, "%s would have more than %d deltas waiting", info.ID, brenner.MaxPendingDeltas).
			WithHint("they have to be compiled first").Try(brenner.Do("session.compile", "id", string(info.ID)))
	}
	return checkFits(c, info, bytes, more)
}

// keepLog keeps a reply as it was written, for the distiller (C2).
func (r *Room) keepLog(ch *kernel.Change, in incoming, deltas int) (brenner.Ref, error) {
	res, err := r.Ledger.Create(ch, api.CreateArtifactRequest{
		Type: artifact.TypeRawLog, Module: in.session.Module,
		Summary: fmt.Sprintf("reply of %s in %s, deltas: %d", in.agent, in.session.ID, deltas),
		Content: api.Body{Format: artifact.Text, Data: in.text},
	})
	return res.Ref, err
}

// queueDelta stores a delta until the compile.
func queueDelta(ch *kernel.Change, e delta.Entry) (queuedDelta, error) {
	raw, _, err := queuedBytes(e)
	if err != nil {
		return queuedDelta{}, err
	}
	digest, err := ch.PutBlob(raw)
	return queuedDelta{
		Digest: digest, DeltaID: e.Delta.DeltaID, Operation: e.Delta.Operation, Section: e.Delta.Section, Target: e.Delta.TargetID, Bytes: len(raw),
	}, err
}

// queuedBytes is a delta as it is stored.
func queuedBytes(e delta.Entry) ([]byte, brenner.Digest, error) {
	raw, err := canon.Marshal(queuedEntry{Delta: e.Delta, Message: e.Message, Received: e.Received, Sent: e.Sent, Invalid: e.Invalid, Corrected: e.Corrected})
	return raw, canon.Sum(raw), err
}

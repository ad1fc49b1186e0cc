package sessions

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/policy"
)

// CompileSession implements api.Sessions.
func (s *Service) CompileSession(ctx context.Context, req api.CompileSessionRequest) (api.CompileResult, error) {
	guard := leading(req.ID)
	if req.Due {
		guard = seeing(req.ID)
	}
	return s.compile(ctx, "session.compile", req, guard, req.ID, func(c *kernel.Call) (merge, error) {
		info, err := findSession(c, req.ID)
		if err != nil {
			return merge{}, err
		}
		if req.Due {
			return s.planDue(c, info)
		}
		queue, err := pendingDeltas(c, info)
		if err != nil {
			return merge{}, err
		}
		return s.planMerge(c, info, queue, info.Contributors, nil)
	})
}

// seeing is to see to it that what is due by itself is done: that is no decision, and
// whoever contributes to the session may wait for it.
func seeing(id brenner.SessionID) kernel.Guard {
	return kernel.Either(func(c *kernel.Call) (bool, error) {
		info, err := findSession(c, id)
		yes := err == nil && slices.Contains(info.Contributors, c.Who.Name)
		if yes {
			c.Settle()
		}
		return yes, err
	}, leading(id))
}

// planDue merges what waits if its time has come, else nothing.
func (r *Room) planDue(c *kernel.Call, info api.SessionInfo) (merge, error) {
	due, err := r.compileAt(c, info)
	if err != nil {
		return merge{}, err
	}
	var queue []pendingDelta
	if due.by(c.Now) {
		if queue, err = pendingDeltas(c, info); err != nil {
			return merge{}, err
		}
	}
	m, err := r.planMerge(c, info, queue, info.Contributors, nil)
	m.late, m.record.Without = !m.round(), due.without
	return m, err
}

// compileIfDue compiles what waits if the session says that it is time (D27),
// Whoever's reply made it due is who the journal names, and the reader of the
// answer.
func (r *Room) compileIfDue(ch *kernel.Change, before api.SessionInfo, reader brenner.ActorName) (compiled, error) {
	if !compilesItself(before) {
		return compiled{}, nil
	}
	info, err := findSession(ch.Call, before.ID)
	if err != nil {
		return compiled{}, err
	}
	due, err := r.compileAt(ch.Call, info)
	if err != nil || !due.by(ch.Now) {
		return compiled{}, err
	}
	return r.compilePending(ch, info, reader, due.without)
}

// compilePending compiles what waits, for some without waiting any more. The reader is
// told in the answer to its call, not by message.
func (r *Room) compilePending(ch *kernel.Change, info api.SessionInfo, reader brenner.ActorName, without []brenner.ActorName) (compiled, error) {
	queue, err := pendingDeltas(ch.Call, info)
	if err != nil || len(queue) == 0 {
		return compiled{}, err
	}
	m, err := r.planMerge(ch.Call, info, queue, info.Contributors, nil)
	if err != nil {
		return compiled{}, err
	}
	m.late, m.reader, m.record.Without = !m.round(), reader, without
	return m.carryOut(ch)
}

// dueTime is when what waits is compiled by itself: never if at is zero; and for whose
// answers it does not wait then.
type dueTime struct {
	at      time.Time
	without []brenner.ActorName
}

// by says whether the time has come.
func (d dueTime) by(now time.Time) bool { return !d.at.IsZero() && !d.at.After(now) }

// compilesItself says whether a session is ever compiled without a person.
func compilesItself(info api.SessionInfo) bool {
	_, timed := info.Compile.After()
	return timed || info.Compile == api.CompileAnswered
}

// compileAt gives when what waits is compiled: an instant that has passed if nobody is
// waited for; none if that is for a person to say, nothing waits, or what happens by
// itself is paused (A7).
func (r *Room) compileAt(c *kernel.Call, info api.SessionInfo) (dueTime, error) {
	if !compilesItself(info) {
		return dueTime{}, nil
	}
	after, timed := info.Compile.After()
	rows, err := deltas.List(c.Ctx, c.Reader, kernel.Query{Group: string(info.ID), States: []string{deltaPending}}, 1)
	if err != nil || len(rows) == 0 {
		return dueTime{}, err
	}
	if paused, err := r.Paused(c); err != nil || paused {
		return dueTime{}, err
	}
	oldest, err := replies.Find(c.Ctx, c.Reader, replyID(info.ID, rows[0].Value.Message))
	if err != nil {
		return dueTime{}, err
	}
	awaited := info.Awaited()
	switch {
	case len(awaited) == 0:
		return dueTime{at: oldest.At}, nil
	case timed:
		return dueTime{at: oldest.At.Add(after)}, nil
	}
	begun, err := hasHypotheses(c, info)
	if err != nil || !begun {
		return dueTime{}, err // what was said so far is about nothing yet
	}
	return dueTime{at: info.GoesOn(), without: awaited}, nil
}

// hasHypotheses says whether a session has a hypothesis, in its document or among what
// waits.
func hasHypotheses(c *kernel.Call, info api.SessionInfo) (found bool, err error) {
	if info.GoesOn().IsZero() {
		return false, nil // nobody asks then
	}
	err = deltas.Each(c.Ctx, c.Reader, kernel.Query{Group: string(info.ID), States: []string{deltaPending}}, func(row kernel.Row[deltaState]) (bool, error) {
		found = row.Value.Section == delta.HypothesisSlate && row.Value.Operation == delta.Add
		return !found, nil
	})
	if err != nil || found || info.Compiles == 0 {
		return found, err
	}
	_, doc, err := sessionArtifact(c, info.ID, 0)
	return err == nil && doc.Live(delta.HypothesisSlate) > 0, err
}

// compiled is a compile whose messages are recorded and not yet delivered.
type compiled struct {
	Result api.CompileResult `json:"result"`
	Sent   []sent            `json:"sent"`

	about    map[string][]brenner.Diagnostic // what their authors should hear of deltas, by their ids
	replaced map[string][]api.Replaced
	// hypotheses is how many are alive, if some were added.
	hypotheses int
}

// compile runs a use case that compiles, and then tells the agents. The merge
// is made while others write (X9).
func (s *Service) compile(ctx context.Context, name string, req kernel.Keyed, guard kernel.Guard, id brenner.SessionID, plan func(*kernel.Call) (merge, error)) (api.CompileResult, error) {
	again := true
	p := kernel.Plan[merge]{Make: plan, Holds: func(c *kernel.Call, m merge) (bool, error) { return m.holds(c) }}
	done, err := kernel.WritePlan(ctx, s.caller, name, req, guard, p, func(ch *kernel.Change, m merge) (compiled, error) {
		again = false
		return m.carryOut(ch)
	})
	if err != nil {
		return api.CompileResult{}, err
	}
	out := done.Result
	if len(done.Sent) == 0 {
		return out, nil
	}
	out.Deliveries, err = s.deliver(ctx, id, done.Sent, again)
	return out, err
}

// pendingDelta is a delta that waits for the compile.
type pendingDelta struct {
	id     string
	digest brenner.Digest
	entry  delta.Entry
	// message is the reply that brought it, and log that as it was written, once it is asked for.
	message string
	log     brenner.Ref
	place   kernel.Place
	full    bool // it is left out: the document has no room for it
}

// pendingDeltas loads everything queued, in an order that does not depend on
// when it arrived.
func pendingDeltas(c *kernel.Call, info api.SessionInfo) ([]pendingDelta, error) {
	w, err := waitingIn(c, info)
	if err != nil || w.pending == 0 {
		return nil, err // what waits goes on waiting until something new has come
	}
	out := make([]pendingDelta, len(w.queue))
	for i, q := range w.queue {
		out[i] = q.pendingDelta
	}
	return out, readLogs(c, info.ID, out)
}

// readLogs reads which replies brought deltas that wait.
func readLogs(c *kernel.Call, id brenner.SessionID, queue []pendingDelta) error {
	logs, first := map[string]brenner.Ref{}, int64(math.MaxInt64)
	for _, q := range queue {
		logs[q.message] = brenner.Ref{}
		first = min(first, q.place.Order>>placeBits)
	}
	left := len(logs)
	err := replies.Each(c.Ctx, c.Reader, kernel.Query{Group: string(id), After: kernel.Place{Order: first - 1, ID: " "}}, func(row kernel.Row[reply]) (bool, error) {
		if _, asked := logs[row.Value.Message]; asked {
			logs[row.Value.Message] = row.Value.Log
			left--
		}
		return left > 0, nil
	})
	for i := range queue {
		queue[i].log = logs[queue[i].message]
	}
	return err
}

// queueOf is what the next compile of a session takes.
func queueOf(id brenner.SessionID) kernel.Query {
	return kernel.Query{Group: string(id), States: []string{deltaPending, deltaWaiting}}
}

// readQueued reads a delta back as it was queued. One that was redacted is
// refused by the merge, and the rest goes on.
func readQueued(ctx context.Context, r store.Reader, digest brenner.Digest) (delta.Entry, error) {
	raw, err := r.Blob(ctx, digest)
	if brenner.CodeOf(err) == brenner.CodeRedacted {
		return delta.Entry{Invalid: brenner.Errorf(brenner.CodeRedacted, "the delta was redacted")}, nil
	}
	if err != nil {
		return delta.Entry{}, err
	}
	var q queuedEntry
	err = canon.Unmarshal(raw, &q)
	return q.entry(), err
}

// merge is a compile as it was planned: what the deltas that wait make of the
// head of a session's artifact.
type merge struct {
	room     *Room
	info     api.SessionInfo
	queue    []pendingDelta
	head     store.Version
	record   sessionCompiled
	result   delta.Result
	content  []byte             // of the document that comes of it
	draft    *artifact.Proposal // nil: nothing was recorded (D18)
	settled  *delta.Entry       // the delta that settles a conflict, not queued yet
	settings *kernel.Settings
	at       int64
	base     *delta.Artifact
	look     outlook
	beside   beside
	// critiques are those of the result, and open those of them that are, once it is told.
	critiques []delta.Critique
	open      map[delta.ItemID]delta.Critique
	// late says that nobody was asked since the last compile: then only those are
	// told whom it concerns, and the reader in the answer to its call.
	late   bool
	reader brenner.ActorName
}

// round reports whether somebody was asked since the version that the merge is
// made on.
func (m merge) round() bool {
	return slices.ContainsFunc(m.info.Recipients, func(r api.Recipient) bool { return !r.AskedAt.Before(m.head.Created) })
}

// planMerge merges deltas into the head of a session's artifact; settled is the
// one that settles a conflict, if that is what it is for.
func (r *Room) planMerge(c *kernel.Call, info api.SessionInfo, queue []pendingDelta, contributors []brenner.ActorName, settled *delta.Entry) (merge, error) {
	m := merge{room: r, info: info, queue: queue, settled: settled, settings: c.Settings, at: c.Position}
	head, base, given, err := mergeBase(c, info.ID)
	if m.head = head; err != nil || len(queue) == 0 {
		return m, err
	}
	m.record = sessionCompiled{
		Session: info.ID, Base: head.Version, Rules: delta.Rules, Started: info.Created, Priority: c.Config.Priority, Contributors: contributors, Given: given,
	}
	m.base = base
	if err := m.mergeWhatFits(); err != nil {
		return m, err
	}
	roles := rolesIn{call: c, session: info}
	wants := r.wantsIn(c, info.ID, base)
	m.look = outlook{base: base, now: m.result.Artifact, queue: make([]*queued, len(m.queue))}
	for i, q := range m.queue {
		m.look.queue[i] = &queued{pendingDelta: q, outcome: m.result.Outcomes[i]}
	}
	m.beside = lookBeside(m.look, entriesOf(m.queue), m.result, roles.may, wants.changed)
	m.beside.asks(base, m.result.Artifact, info)
	if err := cmp.Or(roles.failed, wants.failed); err != nil {
		return m, err
	}
	m.record.judge(m.result)
	if m.record.Question, err = m.rephrased(c); err != nil {
		return m, err
	}
	for i, q := range m.queue {
		m.record.Deltas = append(m.record.Deltas, compiledDelta{ID: q.id, Digest: q.digest, Outcome: m.result.Outcomes[i], Full: q.full})
	}
	if m.result.Recorded() > 0 {
		m.draft, err = m.propose(c)
	}
	return m, err
}

// propose makes the merged artifact a draft on the head. It is derived from the
// replies it was compiled from, and cites the evidence that its items name.
func (m *merge) propose(c *kernel.Call) (*artifact.Proposal, error) {
	typ, err := c.Types.Lookup(artifact.TypeSessionArtifact)
	if err != nil {
		return nil, err
	}
	cited, err := m.citing(c)
	if err != nil {
		return nil, err
	}
	links := slices.Concat(derivedFrom(m.result, m.queue), cited)
	p := &artifact.Proposal{Type: typ, Tags: m.head.Tags, Links: links[:min(len(links), brenner.MaxLinks)]}
	if p.Content, err = artifact.NewContent(artifact.JSON, m.content); err != nil {
		return nil, err
	}
	p.Summary, p.Change = delta.Summary(m.result.Artifact), &artifact.Change{}
	p.Change.What, p.Change.Why = delta.ChangeNote(entriesOf(m.queue), m.result)
	p.Change.What += m.overwritten()
	prev := artifact.Prev{Summary: m.head.Summary, Content: m.head.Content, Version: m.head.Version}
	const holds = true // it was made from this content, also where it reads as before
	if err := artifact.CheckUpdate(prev, *p, holds); err != nil {
		return nil, err
	}
	return p, c.Validate(typ.Name, p.Content)
}

// holds reports whether a merge still stands: nobody else has compiled, nothing
// was redacted or taken out of use, and the rules are the same. Deltas that came
// meanwhile wait for the next compile.
func (m merge) holds(c *kernel.Call) (bool, error) {
	now, err := findSession(c, m.info.ID)
	if err != nil {
		return false, err
	}
	redacted, err := c.FindRecords(c.Ctx, store.RecordQuery{Kind: ledger.ContentRedacted.Name, After: m.at, Limit: 1})
	if err != nil {
		return false, err
	}
	a, err := c.Reader.Artifact(c.Ctx, m.head.Artifact)
	same := now.Compiles == m.info.Compiles && now.Artifact == m.info.Artifact && a.Head == m.head.Version
	return m.settings == c.Settings && len(m.queue) > 0 && same && len(redacted) == 0, err
}

// carryOut writes what came of a merge: a draft if anything was recorded, the
// outcomes in any case.
func (m merge) carryOut(ch *kernel.Change) (compiled, error) {
	out := compiled{Sent: []sent{}, Result: api.CompileResult{
		Session: m.info.ID, Base: m.head.Ref(), Ref: m.head.Ref(), SHA256: m.head.Content,
		Outcomes: []delta.Outcome{}, Warnings: []brenner.Diagnostic{}, Conflicts: m.info.Conflicts, Deliveries: []api.Delivery{},
	}}
	if len(m.queue) == 0 {
		return out, nil
	}
	if m.settled != nil {
		if err := queueSettled(ch, m.info.ID, *m.settled); err != nil {
			return compiled{}, err
		}
	}
	out.Result.Outcomes, out.Result.Warnings = m.outcomes(), kernel.OrEmpty(m.result.Warnings)
	if m.draft != nil {
		if err := m.writeDraft(ch, &out.Result); err != nil {
			return compiled{}, err
		}
		m.record.Version = out.Result.Ref.Version
	}
	if _, err := kindSessionCompiled.Append(ch, m.record); err != nil {
		return compiled{}, err
	}
	out.Result.Conflicts = m.record.Conflicts
	out.about, out.replaced = map[string][]brenner.Diagnostic{}, map[string][]api.Replaced{}
	for i, q := range m.queue {
		if addsHypothesis(m.result.Outcomes[i]) {
			out.hypotheses = m.result.Artifact.Live(delta.HypothesisSlate)
		}
		out.replaced[q.id] = m.replaced(i)
		if about := m.beside.of(m.result.About[i], i); about != nil {
			out.about[q.id] = about
		}
	}
	var err error
	out.Sent, err = m.tell(ch, out.Result)
	return out, err
}

// writeDraft writes the merged artifact.
func (m merge) writeDraft(ch *kernel.Change, out *api.CompileResult) error {
	// Who may compile, or whose reply makes a compile due, was asked before.
	a, err := ch.Reader.Artifact(ch.Ctx, m.head.Artifact)
	if err != nil {
		return err
	}
	written, err := ledger.WriteVersion(ch, *m.draft, ledger.Written{
		ID: a.ID, Type: a.Type, Module: a.Module, Version: a.Latest + 1, Parent: m.head.Version,
		Status: artifact.Draft, Head: a.Latest + 1,
	})
	out.Changed, out.Ref, out.SHA256, out.Summary, out.Change = true, written.Ref, written.SHA256, m.draft.Summary, m.draft.Change
	return err
}

func entriesOf[T interface{ read() delta.Entry }](queue []T) []delta.Entry {
	out := make([]delta.Entry, len(queue))
	for i, q := range queue {
		out[i] = q.read()
	}
	return out
}

func (q pendingDelta) read() delta.Entry { return q.entry }

// options are the rules a compile runs under.
func (p *sessionCompiled) options() delta.Options {
	return delta.Options{Priority: p.Priority, Contributors: p.Contributors, NotBefore: p.Started}
}

// judge notes what the artifact is like afterwards.
func (p *sessionCompiled) judge(res delta.Result) {
	p.Conflicts = len(res.Artifact.Conflicts())
	thread := res.Artifact.Items(delta.ResearchThread)
	p.ThreadEmpty = len(thread) == 0 || thread[0].Text("statement") == ""
	p.Concluded = conclusionOf(res.Artifact) != ""
}

// rephrased is what the session asks now, if a person has put it in other words: "" if
// it asks what it asked. What an agent makes of the question is its proposal.
func (m *merge) rephrased(c *kernel.Call) (string, error) {
	thread, ok := m.result.Artifact.Item("RT")
	if !ok {
		return "", nil
	}
	text, writes := thread.Text("statement"), thread.History("statement")
	if len(writes) == 0 || text == delta.Unsettled || text == m.info.Question || strings.TrimSpace(text) == "" {
		return "", nil
	}
	author, err := c.Actor(c.Ctx, writes[len(writes)-1].Agent)
	if brenner.CodeOf(err) == brenner.CodeNotFound || err == nil && author.Kind != kernel.Person {
		return "", nil
	}
	return brenner.Clip(text, brenner.MaxQuestionRunes), err
}

// derivedFrom links a version to the replies whose deltas it records, as many
// as a version may have links.
func derivedFrom(res delta.Result, queue []pendingDelta) []artifact.Link {
	var out []artifact.Link
	for i, q := range queue {
		l := artifact.Link{Rel: artifact.DerivedFrom, Artifact: q.log.Artifact, Version: q.log.Version}
		if q.log.Version > 0 && res.Outcomes[i].Recorded() && !slices.Contains(out, l) && len(out) < brenner.MaxLinks {
			out = append(out, l)
		}
	}
	return out
}

// citing links a version to what its items give as their evidence: when that moves, the
// document is stale (C26). As with critiques, what is in another module is passed over, of
// which not all who read the document may know.
func (m *merge) citing(c *kernel.Call) ([]artifact.Link, error) {
	var out []artifact.Link
	looked := map[brenner.Ref]bool{}
	confirmed, err := m.confirmed(c)
	if err != nil {
		return nil, err
	}
	for _, said := range m.result.Artifact.Evidence() {
		for _, ref := range ledger.Cited(said) {
			if ref.Artifact == m.head.Artifact || looked[ref] || len(looked) == brenner.MaxLinks {
				continue
			}
			looked[ref] = true
			a, err := c.Reader.Artifact(c.Ctx, ref.Artifact)
			switch {
			case brenner.CodeOf(err) == brenner.CodeNotFound:
			case err != nil:
				return nil, err
			case ref.Version <= a.Latest && (a.Module == m.info.Module || a.Module == kernel.ProjectModule):
				l := artifact.Link{Rel: artifact.Cites, Artifact: ref.Artifact, Version: max(ref.Version, confirmed[ref])}
				if !slices.Contains(out, l) {
					out = append(out, l)
				}
			}
		}
	}
	return out, nil
}

// confirmed are the versions that stand in the place of those which the head's items
// name: somebody has confirmed that they hold for these too.
func (m *merge) confirmed(c *kernel.Call) (map[brenner.Ref]brenner.Version, error) {
	links, err := ledger.LinksOf(c, m.head.Ref())
	if err != nil {
		return nil, err
	}
	cites := map[brenner.ArtifactID][]brenner.Version{}
	for _, l := range links {
		if l.Rel == artifact.Cites {
			cites[l.Artifact] = append(cites[l.Artifact], l.Version)
		}
	}
	out := map[brenner.Ref]brenner.Version{}
	for _, said := range m.base.Evidence() {
		for _, ref := range ledger.Cited(said) {
			if now := cites[ref.Artifact]; len(now) > 0 && !slices.Contains(now, ref.Version) {
				out[ref] = slices.Max(now)
			}
		}
	}
	return out, nil
}

// Conflicts implements api.Sessions.
func (s *Service) Conflicts(ctx context.Context, req api.ListConflictsRequest) (api.ConflictList, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Conflict, "list"), func(c *kernel.Call) (api.ConflictList, error) {
		out := api.ConflictList{Conflicts: []api.SessionConflict{}}
		if req.Session != "" {
			info, err := findSession(c, req.Session)
			if err != nil {
				return out, err
			}
			return out, addConflicts(c, &out, info)
		}
		next, err := sessions.Page(ctx, c.Reader, kernel.Query{Newest: true}, req.Page, func(row kernel.Row[session]) error {
			return addConflicts(c, &out, row.Value.info())
		})
		out.Next = next
		return out, err
	})
}

func addConflicts(c *kernel.Call, out *api.ConflictList, info api.SessionInfo) error {
	if info.Conflicts == 0 {
		return nil
	}
	if err := c.Allow(policy.Read, artifact.TypeSessionArtifact, info.Module, string(info.ID)); err != nil {
		return err
	}
	row, doc, err := sessionArtifact(c, info.ID, 0)
	if err != nil {
		return err
	}
	for _, k := range doc.Conflicts() {
		out.Conflicts = append(out.Conflicts, api.SessionConflict{Session: info.ID, Ref: row.Ref(), Conflict: k})
	}
	return nil
}

// ResolveConflict implements api.Sessions.
func (s *Service) ResolveConflict(ctx context.Context, req api.ResolveConflictRequest) (api.CompileResult, error) {
	return s.compile(ctx, "conflict.resolve", req, kernel.To(policy.Conflict, string(req.Session)), req.Session, func(c *kernel.Call) (merge, error) {
		info, err := findSession(c, req.Session)
		if err != nil {
			return merge{}, err
		}
		e, err := resolution(c, info, req)
		if err != nil {
			return merge{}, err
		}
		_, digest, err := queuedBytes(e)
		if err != nil {
			return merge{}, err
		}
		who := info.Contributors
		if !slices.Contains(who, c.Who.Name) {
			who = append(slices.Clone(who), c.Who.Name)
		}
		q := pendingDelta{id: deltaID(info.ID, e.Message, 1), digest: digest, entry: e}
		return s.planMerge(c, info, []pendingDelta{q}, who, &e)
	})
}

// resolution is the delta that settles a conflict.
func resolution(c *kernel.Call, info api.SessionInfo, req api.ResolveConflictRequest) (delta.Entry, error) {
	if brenner.SaysNothing(req.Reason) {
		return delta.Entry{}, brenner.Errorf(brenner.CodeReasonRequired, "settling a conflict must be given a reason")
	}
	_, doc, err := sessionArtifact(c, info.ID, 0)
	if err != nil {
		return delta.Entry{}, err
	}
	name := fmt.Sprintf("resolve-%d", c.Position+1)
	e, err := doc.Resolve(delta.Resolution{
		Item: req.Item, Field: req.Field, Take: req.Take, Value: req.Value,
		By: c.Who.Name, Now: c.Now, DeltaID: name, Rationale: req.Reason,
	})
	e.Message, e.Delta.Seq = name, 1
	return e, err
}

// queueSettled queues the delta that settles a conflict.
func queueSettled(ch *kernel.Change, id brenner.SessionID, e delta.Entry) error {
	q, err := queueDelta(ch, e)
	if err != nil {
		return err
	}
	_, err = kindReplyReceived.Append(ch, replyReceived{
		Session: id, Message: e.Message, Agent: ch.Who.Name, Via: viaResolve, Stamp: e.Delta.Timestamp, Deltas: []queuedDelta{q},
	})
	return err
}

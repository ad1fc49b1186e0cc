package sessions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

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
	return s.compile(ctx, "session.compile", req, leading(req.ID), req.ID, func(ch *kernel.Change) (compiled, error) {
		info, err := findSession(ch.Call, req.ID)
		if err != nil {
			return compiled{}, err
		}
		queue, err := pendingDeltas(ch, info.ID)
		if err != nil {
			return compiled{}, err
		}
		return compileSession(ch, info, queue, info.Contributors)
	})
}

// compiled is a compile whose messages are recorded and not yet delivered.
type compiled struct {
	Result api.CompileResult `json:"result"`
	Sent   []sent            `json:"sent"`
}

// compile runs a use case that compiles, and then tells the agents.
func (s *Service) compile(ctx context.Context, name string, req kernel.Keyed, guard kernel.Guard, id brenner.SessionID, fn func(*kernel.Change) (compiled, error)) (api.CompileResult, error) {
	again := true
	done, err := kernel.Write(ctx, s.caller, name, req, guard, func(ch *kernel.Change) (compiled, error) {
		again = false
		return fn(ch)
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
	log    brenner.Ref
}

// pendingDeltas loads everything queued, in an order that does not depend on
// when it arrived.
func pendingDeltas(ch *kernel.Change, id brenner.SessionID) ([]pendingDelta, error) {
	counts, err := deltas.Count(ch.Ctx, ch.Reader, string(id))
	if err != nil || counts[deltaPending] == 0 {
		return nil, err // what waits goes on waiting until something new has come
	}
	var out []pendingDelta
	logs := map[string]brenner.Ref{}
	q := kernel.Query{Group: string(id), States: []string{deltaPending, deltaWaiting}}
	err = deltas.Each(ch.Ctx, ch.Reader, q, func(row kernel.Row[deltaState]) (bool, error) {
		d := row.Value
		if _, ok := logs[d.Message]; !ok {
			r, err := replies.Find(ch.Ctx, ch.Reader, replyID(id, d.Message))
			if err != nil {
				return false, err
			}
			logs[d.Message] = r.Log
		}
		e, err := readQueued(ch.Ctx, ch.Reader, d.Digest)
		out = append(out, pendingDelta{id: row.ID, digest: d.Digest, entry: e, log: logs[d.Message]})
		return true, err
	})
	slices.SortFunc(out, func(a, b pendingDelta) int {
		return cmp.Or(strings.Compare(a.entry.Message, b.entry.Message), cmp.Compare(a.entry.Delta.Seq, b.entry.Delta.Seq), strings.Compare(a.id, b.id))
	})
	return out, err
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

// compileSession merges deltas into the head of a session's artifact, and
// writes what came of it: a draft if anything was recorded (D18), the outcomes
// in any case.
func compileSession(ch *kernel.Change, info api.SessionInfo, queue []pendingDelta, contributors []brenner.ActorName) (compiled, error) {
	head, base, err := sessionArtifact(ch.Call, info.ID, 0)
	if err != nil {
		return compiled{}, err
	}
	out := compiled{Sent: []sent{}, Result: api.CompileResult{
		Session: info.ID, Base: head.Ref(), Ref: head.Ref(), SHA256: head.Content,
		Outcomes: []delta.Outcome{}, Warnings: []brenner.Diagnostic{}, Conflicts: info.Conflicts, Deliveries: []api.Delivery{},
	}}
	if len(queue) == 0 {
		return out, nil
	}
	rec := sessionCompiled{Session: info.ID, Base: head.Version, Rules: delta.Rules, Started: info.Created, Priority: ch.Config.Priority, Contributors: contributors}
	res := delta.Merge(base, entriesOf(queue), rec.options())
	out.Result.Outcomes, out.Result.Warnings = res.Outcomes, kernel.OrEmpty(res.Warnings)
	if res.Recorded() > 0 {
		if err := writeCompiled(ch, &out.Result, head, res, queue); err != nil {
			return compiled{}, err
		}
		rec.Version = out.Result.Ref.Version
	}
	rec.judge(res)
	for i, q := range queue {
		rec.Deltas = append(rec.Deltas, compiledDelta{ID: q.id, Digest: q.digest, Outcome: res.Outcomes[i]})
	}
	if _, err := kindSessionCompiled.Append(ch, rec); err != nil {
		return compiled{}, err
	}
	out.Result.Conflicts = rec.Conflicts
	out.Sent, err = tellCompiled(ch, info, out.Result)
	return out, err
}

func entriesOf(queue []pendingDelta) []delta.Entry {
	out := make([]delta.Entry, len(queue))
	for i, q := range queue {
		out[i] = q.entry
	}
	return out
}

// options are the rules a compile runs under.
func (p *sessionCompiled) options() delta.Options {
	return delta.Options{Priority: p.Priority, Contributors: p.Contributors, NotBefore: p.Started}
}

// judge notes what the artifact is like afterwards.
func (p *sessionCompiled) judge(res delta.Result) {
	p.Conflicts = len(res.Artifact.Conflicts())
	thread := res.Artifact.Items(delta.ResearchThread)
	p.ThreadEmpty = len(thread) == 0 || thread[0].Text("statement") == ""
}

// writeCompiled writes the merged artifact as a draft on the head. It is
// derived from the replies it was compiled from.
func writeCompiled(ch *kernel.Change, out *api.CompileResult, head store.Version, res delta.Result, queue []pendingDelta) error {
	a, err := ledger.FindArtifact(ch.Call, head.Artifact, policy.Write)
	if err != nil {
		return err
	}
	typ, err := ch.Types.Lookup(a.Type)
	if err != nil {
		return err
	}
	raw, err := canon.Marshal(res.Artifact)
	if err != nil {
		return err
	}
	p := artifact.Proposal{Type: typ, Tags: head.Tags, Links: derivedFrom(res, queue)}
	if p.Content, err = artifact.NewContent(artifact.JSON, raw); err != nil {
		return err
	}
	next := ledger.Written{
		ID: a.ID, Type: a.Type, Module: a.Module, Version: a.Latest + 1, Parent: head.Version,
		Status: artifact.Draft, Head: a.Latest + 1,
	}
	p.Summary, p.Change = delta.Summary(res.Artifact), &artifact.Change{}
	p.Change.What, p.Change.Why = delta.ChangeNote(entriesOf(queue), res)
	prev := artifact.Prev{Summary: head.Summary, Content: head.Content, Version: head.Version}
	if err := artifact.CheckUpdate(prev, p, false); err != nil {
		return err
	}
	written, err := ledger.WriteVersion(ch, p, next)
	out.Changed, out.Ref, out.SHA256, out.Summary, out.Change = true, written.Ref, written.SHA256, p.Summary, p.Change
	return err
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

// tellCompiled writes to every recipient what became of the session and of its
// own deltas.
func tellCompiled(ch *kernel.Change, info api.SessionInfo, res api.CompileResult) ([]sent, error) {
	out := []sent{}
	for _, r := range info.Recipients {
		id, err := sendMessage(ch, messageSent{
			To: r.Name, Kind: api.MessageCompiled, Session: info.ID, Transport: info.Transport,
			Subject: fmt.Sprintf("COMPILED: %s is at version %d", info.ID, res.Ref.Version),
		}, compiledText(info, r, res))
		if err != nil {
			return nil, err
		}
		out = append(out, sent{To: r.Name, ID: id})
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
	return s.compile(ctx, "conflict.resolve", req, kernel.To(policy.Conflict, string(req.Session)), req.Session, func(ch *kernel.Change) (compiled, error) {
		info, err := findSession(ch.Call, req.Session)
		if err != nil {
			return compiled{}, err
		}
		q, err := queueResolution(ch, info, req)
		if err != nil {
			return compiled{}, err
		}
		who := info.Contributors
		if !slices.Contains(who, ch.Who.Name) {
			who = append(slices.Clone(who), ch.Who.Name)
		}
		return compileSession(ch, info, []pendingDelta{q}, who)
	})
}

// queueResolution queues the delta that settles a conflict.
func queueResolution(ch *kernel.Change, info api.SessionInfo, req api.ResolveConflictRequest) (pendingDelta, error) {
	if strings.TrimSpace(req.Reason) == "" {
		return pendingDelta{}, brenner.Errorf(brenner.CodeReasonRequired, "settling a conflict must be given a reason")
	}
	_, doc, err := sessionArtifact(ch.Call, info.ID, 0)
	if err != nil {
		return pendingDelta{}, err
	}
	name := fmt.Sprintf("resolve-%d", ch.NextSeq())
	e, err := doc.Resolve(delta.Resolution{
		Item: req.Item, Field: req.Field, Take: req.Take, Value: req.Value,
		By: ch.Who.Name, Now: ch.Now, DeltaID: name, Rationale: req.Reason,
	})
	if err != nil {
		return pendingDelta{}, err
	}
	e.Message, e.Delta.Seq = name, 1
	q, err := queueDelta(ch, e)
	if err != nil {
		return pendingDelta{}, err
	}
	_, err = kindReplyReceived.Append(ch, replyReceived{
		Session: info.ID, Message: name, Agent: ch.Who.Name, Via: viaResolve, Stamp: e.Delta.Timestamp, Deltas: []queuedDelta{q},
	})
	return pendingDelta{id: deltaID(info.ID, name, 1), digest: q.Digest, entry: e}, err
}

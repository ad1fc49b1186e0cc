package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/journal"
	"brenner/internal/order"
	"brenner/internal/store"
	"brenner/policy"
	"brenner/roster"

	"github.com/go-json-experiment/json/jsontext"
)

// sessionStarted says that a session was started, and all that version 1 of
// its artifact rests on.
type sessionStarted struct {
	ID           brenner.SessionID   `json:"id"`
	Question     string              `json:"question"`
	Module       brenner.Module      `json:"module"`
	Roster       roster.Roster       `json:"roster"`
	Recipients   []brenner.ActorName `json:"recipients"`
	Contributors []brenner.ActorName `json:"contributors"`
	Transport    api.Transport       `json:"transport"`
	// AcceptMended says that near misses in replies are taken as mended (D20).
	AcceptMended bool `json:"accept_mended,omitzero"`
	// Compile says when replies are compiled; sessions of older builds say nothing
	// and are compiled by hand (D27).
	Compile api.CompileMode `json:"compile,omitzero"`
	// Concludes is who says in the end what the answer is.
	Concludes brenner.ActorName `json:"concludes,omitzero"`
	// Thread is the delta that put the question, if there is one.
	Thread brenner.Digest `json:"thread,omitzero"`
}

func applySessionStarted(ctx context.Context, tx store.Tx, rec journal.Record, p sessionStarted) error {
	s := session{
		ID: p.ID, Question: p.Question, Module: p.Module, Artifact: sessionRef(p.ID, 1), Roster: p.Roster,
		Transport: p.Transport, Recipients: []recipient{}, Contributors: p.Contributors,
		Creator: rec.Actor, Created: rec.At, ThreadEmpty: p.Thread == "", AcceptMended: p.AcceptMended, Compile: p.Compile, Outbox: []unsent{},
		Concludes: p.Concludes,
	}
	for _, name := range p.Recipients {
		e, _ := p.Roster.Entry(name)
		s.Recipients = append(s.Recipients, recipient{Name: name, Role: e.Role})
	}
	return sessions.Put(ctx, tx, rec.Seq, s)
}

// sessionRef names a version of a session's artifact, which has the session's
// id.
func sessionRef(id brenner.SessionID, v brenner.Version) brenner.Ref {
	return brenner.Ref{Artifact: brenner.ArtifactID(id), Version: v}
}

// replyReceived says that a reply came, and which deltas it holds.
type replyReceived struct {
	Session brenner.SessionID `json:"session"`
	// Message is the id of the reply, unique in the session.
	Message string            `json:"message"`
	Agent   brenner.ActorName `json:"agent"`
	Via     string            `json:"via"`
	// Log is the reply as it was written; a decision of the PI has none.
	Log brenner.Ref `json:"log,omitzero"`
	// Stamp is the instant that deltas without one got.
	Stamp  string        `json:"stamp"`
	Deltas []queuedDelta `json:"deltas"`
	// Unusable says that no delta of it can be used; then none is queued.
	Unusable bool `json:"unusable,omitzero"`
	// Nothing says that its author has nothing to add, which is an answer.
	Nothing bool `json:"nothing,omitzero"`
	// Again says that an answer of its author to what it was asked waits already.
	Again bool `json:"again,omitzero"`
	// Signs is the answer that it stands behind, by its digest.
	Signs brenner.Digest `json:"signs,omitzero"`
	// Unseen says that it would, and its author was not shown what the answer says.
	Unseen bool `json:"unseen,omitzero"`
	// Unsigns says that its author no longer stands behind what it signed.
	Unsigns bool `json:"unsigns,omitzero"`
	// Mended says which near misses were taken as mended.
	Mended mending `json:"mended,omitzero"`
}

// mending says what is done with near misses.
type mending string

const (
	mendNone mending = ""
	mendAll  mending = "all"
	mendOnly mending = "only" // nothing but them: the rest was taken before
)

func (m mending) of(x delta.Extraction) delta.Extraction {
	switch m {
	case mendAll:
		return x.AcceptMended()
	case mendOnly:
		return x.OnlyMended()
	}
	return x
}

// How a reply came.
const (
	viaMail      = "mail"       // an answer to a message
	viaSubmit    = "submit"     // handed in by the agent
	viaIngest    = "ingest"     // handed in by the PI
	viaAgentMail = "agent_mail" // fetched from the server
	viaResolve   = "resolve"    // no reply: the PI settled a conflict
)

// queuedDelta is a delta in the queue; the digest is that of its queuedEntry.
type queuedDelta struct {
	Digest    brenner.Digest  `json:"digest"`
	DeltaID   string          `json:"delta_id"`
	Operation delta.Operation `json:"operation,omitzero"`
	Section   delta.Section   `json:"section,omitzero"`
	Target    delta.Target    `json:"target_id,omitzero"`
	// Bytes is how large its queuedEntry is, 0 before that was kept.
	Bytes int `json:"bytes,omitzero"`
}

// queuedEntry is a delta as it is stored until and after the compile: with the
// instant it was received at, which caps its own (D11).
type queuedEntry struct {
	Delta    delta.Delta `json:"delta"`
	Message  string      `json:"message"`
	Received time.Time   `json:"received_at"`
	// Sent is the payload as it was sent, where it replaced parts of texts.
	Sent    jsontext.Value `json:"sent,omitzero"`
	Invalid *brenner.Error `json:"invalid,omitzero"`
	// Corrected is a block that would be accepted instead of an invalid one.
	Corrected string `json:"corrected,omitzero"`
}

func storedByStart(p sessionStarted) []brenner.Digest {
	if p.Thread == "" {
		return nil
	}
	return []brenner.Digest{p.Thread}
}

// answers reports whether it answers what its author was asked.
func (p replyReceived) answers() bool { return !p.Unusable && p.Via != viaResolve }

// first is when the first of the answers came that wait with this one, if it is not the first.
func (p replyReceived) first(r recipient) time.Time {
	if !p.Again {
		return time.Time{}
	}
	return cmp.Or(r.FirstAt, r.AnsweredAt)
}

func storedByReply(p replyReceived) []brenner.Digest {
	out := make([]brenner.Digest, len(p.Deltas))
	for i, d := range p.Deltas {
		out[i] = d.Digest
	}
	return out
}

// placeBits are the bits of a delta's order that say its place in the reply; those above
// are the position of the record that brought it.
const placeBits = 20

func applyReplyReceived(ctx context.Context, tx store.Tx, rec journal.Record, p replyReceived) error {
	if err := replies.Put(ctx, tx, rec.Seq, reply{replyReceived: p, At: rec.At}); err != nil {
		return err
	}
	queued := p.Deltas
	if p.Unusable {
		queued = nil
	}
	for i, q := range queued {
		d := deltaState{queuedDelta: q, Session: p.Session, Message: p.Message, Agent: p.Agent}
		// Deltas are listed as they came: by reply, then by place in it.
		place := kernel.Row[deltaState]{ID: deltaID(p.Session, p.Message, i+1), Order: rec.Seq<<placeBits | int64(i+1)}
		if err := deltas.Replace(ctx, tx, rec.Seq, place, d); err != nil {
			return err
		}
	}
	return changeSession(ctx, tx, rec.Seq, p.Session, func(s *session) {
		if !slices.Contains(s.Contributors, p.Agent) {
			s.Contributors = append(s.Contributors, p.Agent)
		}
		s.changeRecipient(p.Agent, func(r *recipient) {
			r.Pending += len(queued)
			switch {
			case p.Via == viaResolve:
			case p.Unusable:
				r.Replies++
				r.Unusable = p.Message
			default:
				r.Replies++
				r.FirstAt = p.first(*r)
				r.AnsweredAt, r.Waiting, r.Late, r.Unusable, r.Nothing = rec.At, false, false, "", p.Nothing
			}
		})
	})
}

// sessionCompiled says what a compile made of deltas: everything needed to
// make it again.
type sessionCompiled struct {
	Session brenner.SessionID `json:"session"`
	Base    brenner.Version   `json:"base"`
	// Version is the one that came of it, 0 if nothing was recorded.
	Version brenner.Version `json:"version"`
	// Rules is the edition of the merge's rules, 0 before there were editions.
	Rules int `json:"rules,omitzero"`
	// Started is when the session began, which bounds what deltas say (D11).
	Started      time.Time           `json:"started,omitzero"`
	Priority     []brenner.ActorName `json:"priority,omitzero"`
	Contributors []brenner.ActorName `json:"contributors"`
	Deltas       []compiledDelta     `json:"deltas"`
	Conflicts    int                 `json:"conflicts"`
	ThreadEmpty  bool                `json:"thread_empty"`
	// Question is what the session asks since, where a person has put it in other
	// words; "" leaves it as it was.
	Question string `json:"question,omitzero"`
	// Concluded says that the thread has an answer.
	Concluded bool `json:"concluded,omitzero"`
	// Given are the highest ids of items that versions out of use gave, where the base
	// does not go on from them; they are not given again (D4).
	Given []delta.ItemID `json:"given,omitzero"`
	// Without are those for whose answers it did not wait any more.
	Without []brenner.ActorName `json:"without,omitzero"`
}

type compiledDelta struct {
	ID      string         `json:"id"`
	Digest  brenner.Digest `json:"digest"`
	Outcome delta.Outcome  `json:"outcome"`
	// Full says that it was left out: the document had no room for it.
	Full bool `json:"full,omitzero"`
}

func applySessionCompiled(ctx context.Context, tx store.Tx, rec journal.Record, p sessionCompiled) error {
	done := map[brenner.ActorName]int{}
	for _, c := range p.Deltas {
		d, err := deltas.Change(ctx, tx, rec.Seq, c.ID, func(d *deltaState) { d.Outcome = &c.Outcome })
		if err != nil {
			return err
		}
		if c.Outcome.Status != delta.Waiting {
			done[d.Agent]++
		}
	}
	return changeSession(ctx, tx, rec.Seq, p.Session, func(s *session) {
		s.Compiles++
		s.Conflicts, s.ThreadEmpty, s.Concluded = p.Conflicts, p.ThreadEmpty, p.Concluded
		s.Question = cmp.Or(p.Question, s.Question)
		if p.Version != 0 {
			s.Artifact.Version = p.Version
		}
		for i := range s.Recipients {
			r := &s.Recipients[i]
			r.Pending -= done[r.Name]
			r.Compiled += done[r.Name]
			r.Late = r.Late || slices.Contains(p.Without, r.Name)
		}
	})
}

// leading is to do what only who leads sessions may do.
func leading(id brenner.SessionID) kernel.Guard { return kernel.To(policy.Session, string(id)) }

// sessionArtifact reads a version of a session's artifact; version 0 is the
// head.
func sessionArtifact(c *kernel.Call, id brenner.SessionID, v brenner.Version) (store.Version, *delta.Artifact, error) {
	a, err := c.Reader.Artifact(c.Ctx, brenner.ArtifactID(id))
	if err != nil {
		return store.Version{}, nil, err
	}
	if v == 0 {
		v = a.Head
	}
	row, err := ledger.InForce(c, a, v)
	if err != nil {
		return store.Version{}, nil, err
	}
	known, err := recall(c)
	if err != nil {
		return store.Version{}, nil, err
	}
	if doc := known.document(row.Content); doc != nil {
		return row, doc, nil
	}
	if err := c.Compares(row.Size); err != nil {
		return store.Version{}, nil, err
	}
	content, err := ledger.ContentOf(c, row)
	if v == a.Head && errors.Is(err, brenner.CodeRedacted) {
		return store.Version{}, nil, goneDocument(row)
	}
	if err != nil {
		return store.Version{}, nil, err
	}
	doc, err := delta.ReadArtifact(content.Data)
	if err == nil {
		known.keep(c, row, doc)
	}
	return row, doc, err
}

// documentIn is the document of a session in a version of its artifact; nil of what is no
// such artifact, or was redacted.
func documentIn(c *kernel.Call, ref brenner.Ref) (*delta.Artifact, error) {
	id := brenner.SessionID(ref.Artifact)
	if is, err := sessions.Has(c.Ctx, c.Reader, string(id)); err != nil || !is {
		return nil, err
	}
	_, doc, err := sessionArtifact(c, id, ref.Version)
	if brenner.CodeOf(err) == brenner.CodeRedacted {
		return nil, nil
	}
	return doc, err
}

// Wrote lists who wrote what a version of a session's document holds beyond an earlier
// one, if that is not 0; with an item only who wrote that. Of what was redacted nobody knows.
func (r *Room) Wrote(c *kernel.Call, ref brenner.Ref, since brenner.Version, item delta.ItemID) ([]brenner.ActorName, error) {
	doc, err := documentIn(c, ref)
	if err != nil || doc == nil {
		return nil, err
	}
	if it, ok := doc.Item(item); ok && item != "" {
		return it.Authors(), nil
	}
	base := new(delta.Artifact)
	if since != 0 {
		if _, base, err = sessionArtifact(c, brenner.SessionID(ref.Artifact), since); brenner.CodeOf(err) == brenner.CodeRedacted {
			base, err = new(delta.Artifact), nil
		}
	}
	if err != nil {
		return nil, err
	}
	return delta.ContributorsSince(base, doc), nil
}

// critiquesIn are the critiques of a version of a session's document, and that; none of
// what is no such document, or was redacted.
func (r *Room) critiquesIn(c *kernel.Call, ref brenner.Ref) ([]delta.Critique, *delta.Artifact, error) {
	doc, err := documentIn(c, ref)
	if err != nil || doc == nil {
		return nil, nil, err
	}
	info, err := findSession(c, brenner.SessionID(ref.Artifact))
	if err != nil {
		return nil, nil, err
	}
	all, err := r.critiques(c, info, doc)
	return all, doc, err
}

// reading is the order in which critiques are read by who decides on an answer.
var reading = map[delta.Bearing]int{delta.BearsOnThread: 0, delta.BearsOnGround: 1, "": 2}

// Doubted lists the critiques in a version of a session's document that are open, or
// against the thread and not settled: those that are to be read with the answer first.
func (r *Room) Doubted(c *kernel.Call, ref brenner.Ref) ([]api.ReviewFinding, error) {
	all, doc, err := r.critiquesIn(c, ref)
	order.By(all, func(a, b delta.Critique) int { return cmp.Compare(reading[a.Bears], reading[b.Bears]) })
	var out []api.ReviewFinding
	for _, critique := range all {
		if critique.State != delta.CritiqueOpen && !critique.BesideAnswer() {
			continue
		}
		it, _ := doc.Item(critique.Item)
		_, at := it.LastChange()
		said := cmp.Or(it.Text("name"), it.Text("attack"))
		out = append(out, api.ReviewFinding{
			Kind: api.FindingItem, Ref: ref, Item: critique.Item, State: critique.State, Bears: critique.Bears,
			Summary: brenner.Clip(said, brenner.MaxSummaryRunes), Creator: critique.Critic, At: at,
		})
	}
	return out, err
}

// Lacking says what nobody has done so far in the session of a document; nothing of what
// is no such document, or was redacted.
func (r *Room) Lacking(c *kernel.Call, ref brenner.Ref) ([]string, error) {
	doc, err := documentIn(c, ref)
	if err != nil || doc == nil {
		return nil, err
	}
	info, err := findSession(c, brenner.SessionID(ref.Artifact))
	return info.Lacks(), err
}

// Warnings is what the protocol asks of a version of a session's document and it
// has not (D21); nothing of what is no such document, or was redacted. Conflicts and
// open critiques are told apart.
func (r *Room) Warnings(c *kernel.Call, ref brenner.Ref) ([]brenner.Diagnostic, error) {
	doc, err := documentIn(c, ref)
	if err != nil || doc == nil {
		return nil, err
	}
	return slices.DeleteFunc(delta.Lint(doc), func(d brenner.Diagnostic) bool { return d.Severity != brenner.SeverityWarning }), nil
}

// AgainstAnswer says which critiques are to be read with the answer in a version of a
// session's document, a line each.
func (r *Room) AgainstAnswer(c *kernel.Call, ref brenner.Ref) (string, error) {
	all, doc, err := r.critiquesIn(c, ref)
	if err != nil || doc == nil {
		return "", err
	}
	return api.AnswerWords(all, doc.AnswerKilled(), ""), nil
}

// goneDocument says how a session goes on whose document was redacted: from the
// newest version before that one, once it is out of use.
func goneDocument(head store.Version) error {
	e := brenner.Errorf(brenner.CodeRedacted, "the document of %s was redacted with %s, on which the session goes on", head.Artifact, head.Ref())
	if head.Parent == 0 {
		return e.WithHint("there is none before it: close the session and start another").Try(brenner.Do("session.close", "id", string(head.Artifact), "reason", "…"))
	}
	return e.WithHint("a person takes that version out of use; the session goes on from the one before it, and what is missing there is handed in again").
		Try(brenner.Do("artifact.deprecate", "ref", head.Ref().String(), "reason", "…"))
}

// Document is what a version of a session's artifact says.
func (r *Room) Document(c *kernel.Call, ref brenner.Ref) (*delta.Artifact, error) {
	_, doc, err := sessionArtifact(c, brenner.SessionID(ref.Artifact), ref.Version)
	return doc, err
}

// OnlyByDeltas refuses to overwrite the artifact of a session: it follows from
// its deltas and nothing else.
func (r *Room) OnlyByDeltas(c *kernel.Call, id brenner.ArtifactID) error {
	is, err := sessions.Has(c.Ctx, c.Reader, string(id))
	if err != nil || !is {
		return err
	}
	return brenner.Errorf(brenner.CodeStatusConflict, "%s is the artifact of a session: only deltas change it", id).
		WithHint("where what it rests on has moved, EDIT the items that cite it").
		Try(brenner.Do("delta.submit", "session", string(id)).Asking("file"))
}

// RosterRole is the role that a session's roster gives the caller.
func (r *Room) RosterRole(c *kernel.Call, id brenner.SessionID) (brenner.Role, error) {
	s, err := findSession(c, id)
	return roleIn(s.Roster, c.Who), err
}

// TakesPart says whether the caller was asked in a session.
func (r *Room) TakesPart(c *kernel.Call, id brenner.SessionID) (bool, error) {
	s, err := findSession(c, id)
	return slices.ContainsFunc(s.Recipients, func(r api.Recipient) bool { return r.Name == c.Who.Name }), err
}

// OpenModule is the module of a session that is not closed.
func (r *Room) OpenModule(c *kernel.Call, id brenner.SessionID) (brenner.Module, error) {
	s, err := findSession(c, id)
	if err == nil {
		err = stillOpen(s)
	}
	return s.Module, err
}

// NamedIn lists those who take part in a session that a text names.
func (r *Room) NamedIn(c *kernel.Call, id brenner.SessionID, text string) ([]brenner.ActorName, error) {
	info, err := findSession(c, id)
	var out []brenner.ActorName
	for _, r := range info.Recipients {
		if strings.Contains(text, string(r.Name)) && namesAgent(text, r.Name) {
			out = append(out, r.Name)
		}
	}
	return out, err
}

// Killed lists which items of a session are dead. Who may not read the document is told
// nothing.
func (r *Room) Killed(c *kernel.Call, id brenner.SessionID, items []delta.ItemID) ([]delta.Dead, error) {
	info, err := findSession(c, id)
	if err != nil || !c.May(policy.Read, artifact.TypeSessionArtifact, info.Module) {
		return nil, err
	}
	_, doc, err := sessionArtifact(c, id, 0)
	if err != nil {
		return nil, err
	}
	var out []delta.Dead
	for _, item := range items {
		if d, dead := doc.Dead(item); dead {
			out = append(out, d)
		}
	}
	return out, nil
}

// WrittenBy lists who wrote items of a session, in order, and the version that
// says so. What is only proposed is named as its author does, or by the id that it is
// going to have, and comes back under its author's name for it. Who may not read the
// document is not told.
func (r *Room) WrittenBy(c *kernel.Call, id brenner.SessionID, items []delta.ItemID) (brenner.Ref, []delta.ItemID, []roster.Entry, error) {
	info, err := findSession(c, id)
	if err == nil {
		err = c.Allow(policy.Read, artifact.TypeSessionArtifact, info.Module, string(id))
	}
	if err != nil {
		return brenner.Ref{}, nil, nil, err
	}
	row, doc, err := sessionArtifact(c, id, 0)
	if err != nil {
		return brenner.Ref{}, nil, nil, err
	}
	var waiting []api.Proposal
	if slices.ContainsFunc(items, func(item delta.ItemID) bool { _, ok := doc.Item(item); return !ok }) {
		if waiting, _, err = proposals(c, info, api.SessionRequest{ID: id}, doc); err != nil {
			return row.Ref(), nil, nil, err
		}
	}
	var out []roster.Entry
	named := slices.Clone(items)
	for i, item := range items {
		var authors []brenner.ActorName
		if it, ok := doc.Item(item); ok {
			authors = authorsOf(doc, it)
		} else if p, ok := proposedAs(waiting, item); ok {
			authors, named[i] = []brenner.ActorName{p.Agent}, cmp.Or(delta.ItemID(p.Provisional), item)
		} else {
			return row.Ref(), nil, nil, brenner.Errorf(brenner.CodeNotFound, "%s has no item %q", row.Ref(), item).
				At(fmt.Sprintf("/items/%d", i)).Try(brenner.Do("session.show", "id", string(id)))
		}
		for _, name := range authors {
			who, err := c.Actor(c.Ctx, name)
			if err != nil {
				return row.Ref(), nil, nil, err
			}
			if !slices.ContainsFunc(out, func(e roster.Entry) bool { return e.AgentName == name }) {
				out = append(out, roster.Entry{AgentName: name, Role: roleIn(info.Roster, who)})
			}
		}
	}
	return row.Ref(), named, out, nil
}

// authorsOf are those who are asked about an item: of the thread who wrote its answer, if
// anybody has, since who put the question knows no more of that.
func authorsOf(doc *delta.Artifact, it *delta.Item) []brenner.ActorName {
	if it.Section() == delta.ResearchThread {
		if _, field := doc.Answer(); field != "" {
			if writes := it.History(field); len(writes) > 0 {
				return []brenner.ActorName{writes[len(writes)-1].Agent}
			}
		}
	}
	return it.Authors()
}

// proposedAs finds what is proposed to be added by the name that its author gave it, with
// or without the author's, or by the id that it is going to have.
func proposedAs(all []api.Proposal, item delta.ItemID) (api.Proposal, bool) {
	i := slices.IndexFunc(all, func(p api.Proposal) bool {
		own := delta.ItemID(p.Provisional)
		return p.Operation == delta.Add && (p.Item == item || own != "" && (own == item || delta.ItemID(p.Agent)+":"+own == item))
	})
	if i < 0 {
		return api.Proposal{}, false
	}
	return all[i], true
}

// roleIn is the role that a roster gives an actor: its standing one if it names
// none.
func roleIn(team roster.Roster, who store.Actor) brenner.Role {
	if e, ok := team.Entry(who.Name); ok {
		return e.Role
	}
	return who.Role
}

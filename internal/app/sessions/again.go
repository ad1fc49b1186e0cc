package sessions

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/journal"
	"brenner/internal/store"

	"github.com/go-json-experiment/json/jsontext"
)

// A person may take the newest version of a session's document out of use; the session
// goes on from the one before it. What only that version had is in no document then: it
// is named when the decision is taken, it can be handed in again, and the ids that its
// items had are given to no others (ADR 0148).

// mergeBase is the head of a session's artifact as the next compile goes on from it, and
// the ids it must not give.
func mergeBase(c *kernel.Call, id brenner.SessionID) (store.Version, *delta.Artifact, []delta.ItemID, error) {
	head, doc, err := sessionArtifact(c, id, 0)
	if err != nil {
		return head, doc, nil, err
	}
	a, err := c.Reader.Artifact(c.Ctx, head.Artifact)
	if err != nil || head.Version == a.Latest {
		return head, doc, nil, err
	}
	var given []delta.ItemID
	err = deltas.Each(c.Ctx, c.Reader, kernel.Query{Group: string(id)}, func(row kernel.Row[deltaState]) (bool, error) {
		if o := row.Value.Outcome; o != nil && o.Operation == delta.Add && o.Recorded() {
			given = append(given, o.Item)
		}
		return true, nil
	})
	doc, given = doc.Reserving(given)
	return head, doc, given, err
}

// handInAgain takes in once more what a reply brought and no document has since a version
// was taken out of use: a message of its own, which takes nothing twice. Without such a
// loss nothing changes.
func (r *Room) handInAgain(ch *kernel.Change, in incoming, first reply) (api.Submission, error) {
	last, times, err := lastTime(ch.Call, first)
	if err != nil {
		return api.Submission{}, err
	}
	var lost []delta.Entry
	if in.via != viaAgentMail { // a server gives all it has, again and again
		if lost, err = lostOf(ch.Call, last); err != nil {
			return api.Submission{}, err
		}
	}
	if len(lost) == 0 {
		return reportRepeated(ch.Call, last)
	}
	rec := replyReceived{
		Session: last.Session, Message: again(first.Message, times+1), Agent: last.Agent, Via: in.via, Log: last.Log, Stamp: last.Stamp, Mended: last.Mended,
	}
	for i := range lost {
		lost[i].Message = rec.Message
	}
	x, parts, err := in.complete(ch.Call, &readReply{Extraction: delta.Extraction{Entries: lost}, stamp: last.Stamp})
	if err != nil {
		return api.Submission{}, err
	}
	if err := checkRoom(ch.Call, in.session, x.Entries); err != nil {
		return api.Submission{}, err
	}
	return r.queue(ch, in, rec, x, parts, unseen{})
}

// saysAgain names a reply anew whose text was handed in before and that is meant again. ""
// of any other, such as one whose answer was lost.
func (in incoming) saysAgain(c *kernel.Call, first reply) (string, error) {
	if in.via == viaAgentMail {
		return "", nil
	}
	last, times, err := lastTime(c, first)
	if err != nil {
		return "", err
	}
	meant := in.editsAgain
	switch {
	case in.nothing:
		meant = in.signsAgain
	case last.Unusable:
		meant = in.mayByNow
	}
	if is, err := meant(c, last); err != nil || !is {
		return "", err
	}
	return again(first.Message, times+1), nil
}

// signsAgain says whether who takes its signature back, or signs anew, said the other since; or
// would sign what it had not been shown.
func (in incoming) signsAgain(c *kernel.Call, last reply) (bool, error) {
	var said reply // the newest of its author that signs, or takes that back
	err := replies.Each(c.Ctx, c.Reader, kernel.Query{Group: string(last.Session)}, func(row kernel.Row[reply]) (bool, error) {
		if p := row.Value; p.Agent == in.agent && (p.Signs != "" || p.Unsigns) {
			said = p
		}
		return true, nil
	})
	return last.Unseen || last.Signs != "" && said.Unsigns || last.Unsigns && said.Signs != "", err
}

// mayByNow says whether a reply that says the answer, which it was not for its author to say,
// may say it now.
func (in incoming) mayByNow(c *kernel.Call, _ reply) (bool, error) {
	x, err := in.read(c.Gone, c.Now, mendNone)
	if err != nil || !slices.ContainsFunc(x.Entries, func(e delta.Entry) bool { return e.Invalid == nil && answers(e.Delta) }) {
		return false, err
	}
	err = keepToSections(c, in, &x.Extraction)
	return err == nil && x.Usable() > 0, err
}

// editsAgain says whether the author of a reply has said something else since, it does nothing
// but edit, and some of what it says does not stand any more.
func (in incoming) editsAgain(c *kernel.Call, last reply) (bool, error) {
	later := false
	err := replies.Each(c.Ctx, c.Reader, kernel.Query{Group: string(last.Session)}, func(row kernel.Row[reply]) (bool, error) {
		later = row.Value.Agent == in.agent && row.Value.Message != last.Message && row.Value.At.After(last.At) && len(row.Value.Deltas) > 0
		return !later, nil
	})
	if err != nil || !later {
		return false, err
	}
	w, err := waitingIn(c, in.session)
	if err != nil {
		return false, err
	}
	doc, gone := w.ahead.Artifact(), false
	for _, q := range last.Deltas {
		e, err := readQueued(c.Ctx, c.Reader, q.Digest)
		if err != nil || e.Invalid != nil || e.Delta.Operation != delta.Edit {
			return false, err
		}
		gone = gone || !standsIn(doc, e.Delta)
	}
	return gone, nil
}

// standsIn says whether a document says what an EDIT says, as far as that is texts.
func standsIn(doc *delta.Artifact, d delta.Delta) bool {
	it, ok := doc.Item(delta.ItemID(d.TargetID))
	var fields map[string]jsontext.Value
	if !ok || canon.Unmarshal(d.Payload, &fields) != nil {
		return true // nobody knows
	}
	for name, value := range fields {
		var cells map[string]jsontext.Value
		switch value.Kind() {
		case '"':
			if it.Text(name) != textOf(value) {
				return false
			}
		case '{':
			if canon.Unmarshal(value, &cells) != nil {
				continue
			}
			for _, p := range it.Pairs(name) {
				if now, has := cells[p.Key]; has && now.Kind() == '"' && textOf(now) != p.Value {
					return false
				}
			}
		}
	}
	return true
}

// again names a reply that is handed in once more.
func again(message string, times int) string { return fmt.Sprintf("%s+again%d", message, times) }

// lastTime finds a reply as it was handed in last, and how often that was after the
// first time.
func lastTime(c *kernel.Call, first reply) (reply, int, error) {
	for last, n := first, 1; ; n++ {
		next, err := replies.Find(c.Ctx, c.Reader, replyID(first.Session, again(first.Message, n)))
		if errors.Is(err, brenner.CodeNotFound) {
			return last, n - 1, nil
		}
		if err != nil {
			return last, n, err
		}
		last = next
	}
}

// lostOf lists the deltas of a reply that were recorded and that the document has no
// more. What was redacted stays away.
func lostOf(c *kernel.Call, r reply) ([]delta.Entry, error) {
	var lost []delta.Entry
	var doc *delta.Artifact
	for i, q := range r.Deltas {
		if r.Unusable {
			break
		}
		row, err := deltas.Row(c.Ctx, c.Reader, deltaID(r.Session, r.Message, i+1))
		if err != nil {
			return nil, err
		}
		if row.Value.Outcome == nil || !row.Value.Outcome.Recorded() {
			continue
		}
		if doc == nil {
			if _, doc, err = sessionArtifact(c, r.Session, 0); err != nil {
				return nil, err
			}
		}
		if doc.Records(r.Message, q.DeltaID) {
			continue
		}
		e, err := readQueued(c.Ctx, c.Reader, q.Digest)
		if err != nil {
			return nil, err
		}
		if e.Invalid != nil {
			continue
		}
		if len(e.Sent) > 0 { // it replaces parts of texts, as they are now
			e.Delta.Payload, e.Sent = e.Sent, nil
		}
		lost = append(lost, e)
	}
	return lost, nil
}

// Lost lists the replies of which something was recorded that no document has any more
// once a version is the head of a session's artifact.
func (r *Room) Lost(c *kernel.Call, head brenner.Ref) ([]api.LostReply, error) {
	id := brenner.SessionID(head.Artifact)
	if is, err := sessions.Has(c.Ctx, c.Reader, string(id)); err != nil || !is {
		return nil, err
	}
	_, doc, err := sessionArtifact(c, id, head.Version)
	if brenner.CodeOf(err) == brenner.CodeRedacted {
		return nil, nil // who goes on from it is told
	}
	if err != nil {
		return nil, err
	}
	var out []api.LostReply
	messages := map[string]int{} // places in out
	err = deltas.Each(c.Ctx, c.Reader, kernel.Query{Group: string(id)}, func(row kernel.Row[deltaState]) (bool, error) {
		d := row.Value
		if d.Outcome == nil || !d.Outcome.Recorded() || doc.Records(d.Message, d.DeltaID) {
			return true, nil
		}
		if at, known := messages[d.Message]; known {
			out[at].Deltas++
			return true, nil
		}
		first, err := replies.Find(c.Ctx, c.Reader, replyID(id, d.Message))
		if err != nil || first.Via == viaResolve {
			return err == nil, err
		}
		messages[d.Message] = len(out)
		out = append(out, api.LostReply{Message: d.Message, Agent: d.Agent, Log: first.Log, Deltas: 1})
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	// What was handed in again counts as that.
	out = slices.DeleteFunc(out, func(l api.LostReply) bool {
		_, times, failed := lastTime(c, reply{replyReceived: replyReceived{Session: id, Message: l.Message}})
		err = errors.Join(err, failed)
		return times > 0
	})
	return out, err
}

// Standing is how a session stands with a version of its document as the head.
func (r *Room) Standing(c *kernel.Call, head brenner.Ref) (*ledger.SessionStanding, error) {
	id := brenner.SessionID(head.Artifact)
	if is, err := sessions.Has(c.Ctx, c.Reader, string(id)); err != nil || !is {
		return nil, err
	}
	_, doc, err := sessionArtifact(c, id, head.Version)
	if brenner.CodeOf(err) == brenner.CodeRedacted {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var like sessionCompiled
	like.judge(delta.Result{Artifact: doc})
	return &ledger.SessionStanding{Conflicts: like.Conflicts, ThreadEmpty: like.ThreadEmpty, Concluded: like.Concluded}, nil
}

// applyTakenBack has a session stand as the version does that it goes on from.
func applyTakenBack(ctx context.Context, tx store.Tx, rec journal.Record, p ledger.Decided) error {
	if p.Session == nil {
		return nil
	}
	return changeSession(ctx, tx, rec.Seq, brenner.SessionID(p.Ref.Artifact), func(s *session) {
		s.Conflicts, s.ThreadEmpty, s.Concluded = p.Session.Conflicts, p.Session.ThreadEmpty, p.Session.Concluded
		s.Artifact.Version = p.Head
	})
}

package sessions

import (
	"regexp"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/automation"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/policy"
)

// Kinds are the kinds of record of this room.
func Kinds() []kernel.AnyKind {
	return []kernel.AnyKind{
		kindMessageAcked,
		kindMessageRead,
		kindMessageSent,
		kindMessageTried,
		kindReplyReceived,
		kindSessionClosed,
		kindSessionCompiled,
		kindSessionStarted,
		ledger.StatusDecided.Follower(applyTakenBack),
	}
}

var (
	kindMessageAcked    = kernel.Kind[messageAcked]{Name: "message.acked", Apply: applyMessageAcked}
	kindMessageRead     = kernel.Kind[messageRead]{Name: "message.read", Apply: applyMessageRead}
	kindMessageSent     = kernel.Kind[messageSent]{Name: "message.sent", Apply: applyMessageSent, Stores: func(p messageSent) []brenner.Digest { return []brenner.Digest{p.Body} }, Texts: []string{"/subject"}}
	kindMessageTried    = kernel.Kind[messageTried]{Name: "message.tried", Apply: applyMessageTried, Texts: []string{"/message"}}
	kindReplyReceived   = kernel.Kind[replyReceived]{Name: "reply.received", Apply: applyReplyReceived, Stores: storedByReply, Of: func(p replyReceived) brenner.Ref { return p.Log }, Events: replyEvents}
	kindSessionClosed   = kernel.Kind[sessionClosed]{Name: "session.closed", Apply: applySessionClosed, Texts: []string{"/reason"}}
	kindSessionCompiled = kernel.Kind[sessionCompiled]{Name: "session.compiled", Apply: applySessionCompiled, Events: compiledEvents, Texts: []string{"/question", "/deltas/*/outcome/message", "/deltas/*/outcome/hint"}}
	kindSessionStarted  = kernel.Kind[sessionStarted]{Name: "session.started", Apply: applySessionStarted, Stores: storedByStart, Texts: []string{"/question", "/roster/name", "/roster/entries/*/notes"}}
)

// replyEvents is what a reply may mean for automation: whether everybody has
// answered by it is seen when the event is looked at.
func replyEvents(p replyReceived) []automation.Event {
	if !p.answers() {
		return nil
	}
	return []automation.Event{{On: automation.SessionAnswered, Subject: string(p.Session)}}
}

func compiledEvents(p sessionCompiled) []automation.Event {
	return []automation.Event{{On: automation.SessionCompiled, Subject: string(p.Session)}}
}

// ModuleOf is the module of a session.
func (r *Room) ModuleOf(c *kernel.Call, id brenner.SessionID) (brenner.Module, error) {
	s, err := sessions.Find(c.Ctx, c.Reader, string(id))
	return s.Module, err
}

// Answered reports whether everybody who was asked in a session had answered by
// a record, whatever has happened since.
func (r *Room) Answered(c *kernel.Call, id brenner.SessionID, by int64) (bool, error) {
	s, err := sessions.Find(c.Ctx, c.Reader, string(id))
	if err != nil {
		return false, err
	}
	asked := map[brenner.ActorName]int64{} // last
	for _, to := range s.Recipients {
		err := messages.Each(c.Ctx, c.Reader, kernel.Query{Group: string(to.Name)}, func(row kernel.Row[message]) (bool, error) {
			if row.Order <= by && row.Value.Session == id && row.Value.Kind.Asks() {
				asked[to.Name] = row.Order
			}
			return row.Order < by, nil
		})
		if err != nil {
			return false, err
		}
	}
	err = replies.Each(c.Ctx, c.Reader, kernel.Query{Group: string(id)}, func(row kernel.Row[reply]) (bool, error) {
		if agent := row.Value.Agent; row.Order <= by && row.Order > asked[agent] && row.Value.answers() {
			delete(asked, agent)
		}
		return row.Order < by, nil
	})
	return len(asked) == 0, err
}

// mostLookedThrough bounds how much of a text is looked through for the items that it names.
const mostLookedThrough = 1 << 18

// MovedUnder says what others than the caller changed in a session's artifact from one
// version to another, of that which texts name: what they name by its id, or by the name
// that it was proposed under. That a critique has come further changes nothing that it says,
// and what only the later version has was known to who names it. Of what was redacted
// nobody knows what it changed.
func (r *Room) MovedUnder(c *kernel.Call, id brenner.SessionID, from, to brenner.Version, texts []string) (ledger.SessionMove, error) {
	earlier, err := documentIn(c, sessionRef(id, from))
	if err != nil {
		return ledger.SessionMove{}, err
	}
	later, err := documentIn(c, sessionRef(id, to))
	if err != nil {
		return ledger.SessionMove{}, err
	}
	if earlier == nil || later == nil {
		return ledger.SessionMove{Others: true}, nil
	}
	own := func(a brenner.ActorName) bool { return a == c.Who.Name }
	out := ledger.SessionMove{Others: len(slices.DeleteFunc(delta.ContributorsSince(earlier, later), own)) > 0}
	var named []delta.ItemID
	prefix := regexp.MustCompile(`\b` + regexp.QuoteMeta(string(id)) + `(?:@[0-9]{1,6})?/`)
	for _, text := range texts {
		text = prefix.ReplaceAllString(text[:min(len(text), mostLookedThrough)], "")
		named = append(named, itemsIn(text, later.NamesIn(text))...)
	}
	slices.Sort(named)
	for _, item := range slices.Compact(named) {
		it, ok := later.Item(item)
		if !ok {
			continue
		}
		out.Names = true
		if _, was := earlier.Item(item); was && len(slices.DeleteFunc(it.AuthorsSince(earlier), own)) > 0 && !onlyItsState(earlier, later, item) {
			out.Changed = append(out.Changed, item)
		}
	}
	return out, nil
}

// ChangedSince lists which items of a session were changed after a version, and by
// whom. Who may not read the document is told nothing; nor does anybody know it of
// a version that was redacted.
func (r *Room) ChangedSince(c *kernel.Call, id brenner.SessionID, from brenner.Version, items []delta.ItemID) ([]api.ItemChange, error) {
	info, err := findSession(c, id)
	if err != nil || !c.May(policy.Read, artifact.TypeSessionArtifact, info.Module) {
		return nil, err
	}
	_, earlier, err := sessionArtifact(c, id, from)
	if brenner.CodeOf(err) == brenner.CodeRedacted {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	_, now, err := sessionArtifact(c, id, 0)
	if err != nil {
		return nil, err
	}
	var out []api.ItemChange
	for _, item := range items {
		if it, ok := now.Item(item); ok {
			for _, agent := range it.AuthorsSince(earlier) {
				out = append(out, api.ItemChange{Item: item, Agent: agent})
			}
		}
	}
	return out, nil
}

// Pending reports whether a session has deltas that wait to be compiled.
func (r *Room) Pending(c *kernel.Call, id brenner.SessionID) (bool, error) {
	counts, err := deltas.Count(c.Ctx, c.Reader, string(id))
	return counts[deltaPending] > 0, err
}

// CompileNow compiles what waits in a session.
func (r *Room) CompileNow(ch *kernel.Change, id brenner.SessionID) (brenner.Ref, error) {
	info, err := findSession(ch.Call, id)
	if err != nil {
		return brenner.Ref{}, err
	}
	done, err := r.compilePending(ch, info, "", nil)
	return done.Result.Ref, err
}

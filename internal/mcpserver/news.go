package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/lazy"
)

// proposed is what an agent proposed or changed in a session.
type proposed struct {
	Session brenner.SessionID `json:"session"`
	Agent   brenner.ActorName `json:"agent"`
	Items   []delta.ItemID    `json:"items"`
	// Version is that of the document if it has the items already, Known the one
	// that the reader was shown.
	Version brenner.Version `json:"version,omitzero"`
	Known   brenner.Version `json:"known,omitzero"`

	concerns bool // something of what is new in the session concerns the reader, or all does
}

// ownSessions are sessions that the reader was asked in, the newest first: some of them, and
// before others those that wait for its answer.
func ownSessions(s api.Service, ctx context.Context) (api.SessionList, error) {
	return s.Sessions(ctx, api.ListSessionsRequest{Page: api.Page{Limit: 20}, Own: true})
}

// proposedTo lists what others have proposed or changed in the newest sessions
// that the reader takes part in and it was not given yet.
func proposedTo(s api.Service, ctx context.Context) ([]proposed, error) {
	list, err := ownSessions(s, ctx)
	if err != nil {
		return nil, err
	}
	return proposedIn(s, ctx, list.Sessions)
}

func proposedIn(s api.Service, ctx context.Context, all []api.SessionInfo) ([]proposed, error) {
	me, err := s.Project(ctx)
	if err != nil {
		return nil, err
	}
	var out []proposed
	for _, info := range all {
		mine, others := false, info.Artifact.Version > 1
		for _, r := range info.Recipients {
			mine = mine || r.Name == me.Actor
			others = others || (r.Name != me.Actor && r.Pending > 0)
		}
		if !mine || !others {
			continue
		}
		v, err := s.Session(ctx, api.SessionRequest{ID: info.ID, Unseen: true, Unasked: true})
		switch code := brenner.CodeOf(err); {
		case code == brenner.CodeRedacted, brenner.ClassOf(code) == brenner.ClassDenied, brenner.ClassOf(code) == brenner.ClassLimit:
			continue // it could not read them now
		}
		if err != nil {
			return nil, err
		}
		concerns := v.Concerns || worksOnAll(info, me.Actor)
		for _, c := range v.Changed {
			out = withItem(out, proposed{Session: info.ID, Agent: c.Agent, Version: v.Ref.Version, Known: v.Known, concerns: concerns}, c.Item)
		}
		for _, p := range v.Proposals {
			out = withItem(out, proposed{Session: info.ID, Agent: p.Agent, Known: v.Known, concerns: concerns}, cmp.Or(p.Item, delta.ItemID(p.Target)))
		}
	}
	return out, nil
}

// worksOnAll says that somebody needs whatever is new in a session: it has yet to answer, or
// to say what the answer is.
func worksOnAll(info api.SessionInfo, me brenner.ActorName) bool {
	return info.Concludes == me && !info.Concluded ||
		slices.ContainsFunc(info.Recipients, func(r api.Recipient) bool { return r.Name == me && r.Waiting })
}

// withItem adds an item to what an agent proposed or changed.
func withItem(all []proposed, p proposed, item delta.ItemID) []proposed {
	i := slices.IndexFunc(all, func(o proposed) bool { return o.Session == p.Session && o.Agent == p.Agent && o.Version == p.Version })
	if i < 0 {
		p.Items = []delta.ItemID{item}
		return append(all, p)
	}
	if !slices.Contains(all[i].Items, item) {
		all[i].Items = append(all[i].Items, item)
	}
	return all
}

// said is who did what, in a few words.
func (p proposed) said() string {
	if p.Version > 0 {
		return fmt.Sprintf("%s changed %s in %s, now at version %d", p.Agent, listed(p.Items), p.Session, p.Version)
	}
	return fmt.Sprintf("%s proposed %s in %s, not compiled yet", p.Agent, listed(p.Items), p.Session)
}

// words are a line of it; what is not shown with it names the call.
func (p proposed) words(shown bool) string {
	if shown {
		return p.said() + ":\n"
	}
	return fmt.Sprintf("%s: session_show %s\n", p.said(), jsonOf(sessionRequest{Session: p.Session, Items: p.Items}))
}

// writtenFor announces what others wrote beside the open sessions that the reader
// takes part in, each version once. What cannot be read now is left for later.
func writtenFor(s api.Service, ctx context.Context) []api.WrittenVersion {
	list, err := ownSessions(s, ctx)
	if err != nil {
		return nil
	}
	me, err := s.Project(ctx)
	if err != nil {
		return nil
	}
	var out []api.WrittenVersion
	for _, info := range list.Sessions {
		if !info.Closed.IsZero() || !takesPart(info, me.Actor) || len(info.Recipients) < 2 {
			continue
		}
		if v, err := s.Session(ctx, api.SessionRequest{ID: info.ID, Written: true, Unasked: true}); err == nil {
			out = append(out, v.Written...)
		}
	}
	return out
}

// announced says what others wrote: the words are theirs.
func announced(all []api.WrittenVersion) string {
	parts := make([]string, len(all))
	for i, w := range all {
		parts[i] = w.Words()
		if earlier := w.Ref.Version - 1; earlier > 0 {
			parts[i] += fmt.Sprintf(" (what changed: artifact_get %s)", jsonOf(map[string]any{"ref": w.Ref.Artifact, "since": earlier}))
		}
	}
	return "written (data): " + strings.Join(parts, "; ")
}

// askedOf says of the answer to a reading what others ask of the reader and it has not
// read, a line each: who is asked hears of it with its next call, whatever that is. Notes, by
// which nothing is asked, are named where they may be about what was read.
func askedOf(s api.Service, ctx context.Context, notes bool) string {
	list, err := unreadOf(s, ctx, api.Page{Limit: pageOfMail})
	if err != nil {
		return "" // what was asked for is read
	}
	tasks := slices.DeleteFunc(list.Messages, func(m api.MessageInfo) bool { return m.Kind != api.MessageTask || !notes && isNote(s, ctx, m) })
	var b strings.Builder
	for _, m := range tasks[:min(len(tasks), mostAsked)] {
		fmt.Fprintf(&b, "unread: %s: inbox {}\n", inLine(m.Subject))
	}
	if more := len(tasks) - mostAsked; more > 0 {
		least := ""
		if list.Cursor != "" {
			least = "at least "
		}
		fmt.Fprintf(&b, "unread: and %s%d more\n", least, more)
	}
	return b.String()
}

// isNote says whether a message tells of a note, by which nothing is asked.
func isNote(s api.Service, ctx context.Context, m api.MessageInfo) bool {
	if m.Task == "" {
		return false
	}
	t, err := s.Task(ctx, api.TaskRequest{ID: m.Task})
	return err == nil && t.Kind == api.TaskNote
}

// mostAsked is how many unread messages stand below the answer to a reading.
const mostAsked = 3

const nothingNew = "meanwhile: nothing new of others\n"

// mostMeanwhile is how many characters of what others did come with the answer to a write,
// besides what is said around a document; the rest is named, with the call that shows it.
const mostMeanwhile = 5000

// meanwhile says what has come while the reader worked, with its text, so that nobody
// need look; it says so too if that is nothing. What asks for an answer is named only:
// it is read when there is time for it.
func meanwhile(s api.Service, ctx context.Context) string {
	news, _ := meanwhileBut(s, ctx, "", nil)
	return news
}

// meanwhileBut is meanwhile in the answer to what somebody wrote, and what changed of the
// versions that it names, where warnings say so: that is read after all that may matter more,
// and what it shows is announced no more. What became of deltas for a session that is
// answered stands there already.
func meanwhileBut(s api.Service, ctx context.Context, answered brenner.SessionID, named []brenner.Diagnostic) (news, moved string) {
	list, err := unreadOf(s, ctx, api.Page{Limit: pageOfMail})
	if err != nil {
		return "", movedTexts(s, ctx, named).words
	}
	asks := slices.DeleteFunc(slices.Clone(list.Messages), func(m api.MessageInfo) bool { return !m.Kind.Asks() })
	r := inboxResult{MessageList: list, fresh: true}
	r.Messages = slices.DeleteFunc(r.Messages, func(m api.MessageInfo) bool { return m.Kind.Asks() })
	failed := r.read(s, ctx, inboxRequest{}, mostMeanwhile+aroundRunes, mostMeanwhile)
	r.written = writtenFor(s, ctx)
	changes := movedTexts(s, ctx, named)
	r.written = slices.DeleteFunc(r.written, func(w api.WrittenVersion) bool { return slices.Contains(changes.shown, w.Ref) })
	for i, l := range r.letters {
		if l.Kind == api.MessageCompiled && l.Session == answered {
			r.letters[i].text = withoutVersion(withoutOwn(l.text), answered)
		}
	}
	var b strings.Builder
	for _, m := range asks {
		fmt.Fprintf(&b, "%s: inbox {}\n", inLine(m.Subject))
	}
	if failed != nil {
		b.WriteString("more has come: inbox {}\n")
	}
	if !r.nothing() || len(r.Messages) > 0 {
		b.WriteString(r.Words())
	}
	b.WriteString(othersDo(s, ctx))
	if b.Len() == 0 {
		return nothingNew, changes.words
	}
	return "meanwhile:\n" + b.String(), changes.words
}

// atVersion is how the message of a compile begins.
var atVersion = lazy.NewPattern(`^is at version [0-9]+: `)

// withoutVersion is what a compile tells without the version that it made: the answer that it
// comes with names a later one.
func withoutVersion(text string, id brenner.SessionID) string {
	rest, begins := strings.CutPrefix(text, string(id)+" ")
	if !begins || !atVersion.MatchString(rest) {
		return text
	}
	return string(id) + ": " + atVersion.ReplaceAllString(rest, "")
}

// withoutOwn is what a compile tells without what became of the reader's own deltas: a
// list under a heading of its own.
func withoutOwn(text string) string {
	before, rest, found := strings.Cut(text, api.OwnOutcomes+"\n\n")
	if !found {
		return text
	}
	_, after, _ := strings.Cut(rest, "\n\n")
	return strings.TrimRight(before+after, "\n") + "\n"
}

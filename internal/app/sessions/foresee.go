package sessions

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/app/kernel"
)

// tryReply says what would happen to a reply, and keeps nothing.
func tryReply(c *kernel.Call, in incoming) (api.Submission, error) {
	if err := checkContributor(c, in); err != nil {
		return api.Submission{}, err
	}
	if err := c.Date(); err != nil {
		return api.Submission{}, err
	}
	in = in.begin(c.Now)
	mend := mendNone
	if in.mend || in.session.AcceptMended {
		mend = mendAll
	}
	if err := c.Extracts(len(in.text)); err != nil {
		return api.Submission{}, err
	}
	x, err := in.read(c.Gone, c.Now, mend)
	if err != nil {
		return api.Submission{}, err
	}
	if err := keepToSections(c, in, &x.Extraction); err != nil {
		return api.Submission{}, err
	}
	over, err := keepUnseen(c, in, &x.Extraction)
	if err != nil {
		return api.Submission{}, err
	}
	x, parts, err := in.complete(c, x)
	if err != nil {
		return api.Submission{}, err
	}
	if in, err = in.checkNothing(x.Extraction); err != nil {
		return api.Submission{}, err
	}
	if err := checkRoom(c, in.session, x.Entries); err != nil {
		return api.Submission{}, err
	}
	rec := replyReceived{
		Session: in.session.ID, Message: in.message, Agent: in.agent, Unusable: x.Usable() == 0 && !in.nothing, Nothing: in.nothing,
	}
	for _, e := range x.Entries {
		rec.Deltas = append(rec.Deltas, queuedDelta{
			DeltaID: e.Delta.DeltaID, Operation: e.Delta.Operation, Section: e.Delta.Section, Target: e.Delta.TargetID,
		})
	}
	sign, err := in.signed(c, x.Entries, parts)
	if err != nil {
		return api.Submission{}, err
	}
	out := submissionOf(rec, x.Extraction)
	out.DryRun = true
	sign.say(&out)
	parts.report(&out, true)
	over.report(&out, x.Entries)
	w, err := waitingIn(c, in.session)
	if err != nil {
		return api.Submission{}, err
	}
	if err := foretell(c, in.session, &out, w.on.head, w.tried(c, in.session, x.Entries)); err != nil {
		return out, err
	}
	return out, doubt(c, in.session, &out, x.Entries)
}

// tried is what waits with the deltas of a reply that is only tried, for its author.
func (w *waiting) tried(c *kernel.Call, info api.SessionInfo, entries []delta.Entry) outlook {
	rules := optionsOf(c, info)
	behind := make([]*queued, len(entries))
	for i, e := range entries {
		behind[i] = &queued{pendingDelta: pendingDelta{entry: e}, names: namesIn(e.Delta.Rationale)}
	}
	look := outlook{base: w.base, own: map[int]*queued{}, asked: []int{}, standing: w.standing}
	known := len(entries) == 0
	if w.pending > 0 { // else what waits goes on waiting
		look.queue = w.queue
		if len(entries) > 0 {
			from, to := w.of(entries[0].Message)
			known = from < to
		}
	}
	if !known && w.pending > 0 {
		if next, res, ok := w.ahead.With(entries); ok {
			look.now = next.Artifact()
			for i, q := range behind {
				q.outcome, q.about = res.Outcomes[i], res.About[i]
				look.own[len(look.queue)+i] = q
				look.asked = append(look.asked, len(look.queue)+i)
			}
			look.exact = func() []*queued { return mergedAnew(w.base, slices.Concat(w.queue, behind), rules).queue }
			return look
		}
	}
	all := mergedAnew(w.base, slices.Concat(look.queue, behind), rules)
	look.queue, look.now = all.queue, all.ahead.Artifact()
	for i, q := range look.queue {
		if len(entries) > 0 && q.entry.Message == entries[0].Message {
			look.asked = append(look.asked, i)
		}
	}
	return look
}

// textOf is a value as a text, or as its JSON.
func textOf(value jsontext.Value) string {
	var text string
	if value.Kind() == '"' && canon.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// foretell adds to what is said of a reply what the next compile would make of its deltas if
// nothing else came.
func foretell(c *kernel.Call, info api.SessionInfo, out *api.Submission, head brenner.Version, look outlook) error {
	out.Waiting, out.ByItself = stillAsked(info, out.Agent), info.ByItself()
	roles := rolesIn{call: c, session: info}
	none := func(brenner.ActorName, delta.ItemID) bool { return false } // nobody is told before it is compiled
	beside := besideAll(roles.may, none)
	beside.authors(look)
	for n, i := range look.asked[:min(len(look.asked), len(out.Deltas))] {
		q := look.at(i)
		d, o := &out.Deltas[n], seen(look.now, q.entry, q.outcome)
		d.Warnings = slices.Concat(beside.of(q.about, i), beside.stays[i], d.Warnings)
		d.Will, d.Item, d.Provisional = o.Status, o.Item, q.entry.Delta.ProvisionalID
		if o.Code != "" || o.Status == delta.Skipped {
			d.Code, d.Message, d.Hint, d.Pointer = o.Code, o.Message, o.Hint, o.Pointer
		}
		d.Replaces = replacedBy(look.now, q.entry, o)
		datedIn(d.Replaces, look, head)
		if addsHypothesis(o) {
			out.Hypotheses = look.now.Live(delta.HypothesisSlate)
		}
	}
	return roles.failed
}

// addsHypothesis says whether a delta adds a hypothesis.
func addsHypothesis(o delta.Outcome) bool {
	return o.Operation == delta.Add && o.Status == delta.Applied && strings.HasPrefix(string(o.Item), "H")
}

// replacedBy lists the texts of others in whose place an edit shows.
func replacedBy(a *delta.Artifact, e delta.Entry, o delta.Outcome) []api.Replaced {
	item, ok := a.Item(o.Item)
	if !ok || o.Status != delta.Applied || e.Delta.Operation != delta.Edit {
		return nil
	}
	var fields map[string]jsontext.Value
	if canon.Unmarshal(e.Delta.Payload, &fields) != nil {
		return nil
	}
	var out []api.Replaced
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if k := fields[field].Kind(); k == '[' || k == '{' || e.PartialIn(field) {
			continue // these are added to, key by key, or changed in part
		}
		writes := item.History(field)
		own := slices.IndexFunc(writes, func(w delta.Write) bool { return w.DeltaID == e.Delta.DeltaID && w.Message == e.Message })
		if own > 0 && writes[own-1].Agent != e.Delta.Agent {
			before := writes[own-1]
			out = append(out, api.Replaced{Field: field, Agent: before.Agent, At: before.At, DeltaID: before.DeltaID, Text: brenner.Clip(textOf(before.Value), mostReplaced)})
		}
	}
	for _, was := range e.Cells(item) {
		out = append(out, api.Replaced{Field: was.Field, Agent: was.By, At: was.At, DeltaID: was.DeltaID, Text: brenner.Clip(was.Text, mostReplaced)})
	}
	return out
}

// datedIn says of texts whose place others take in which version they stand: the head, unless
// they wait for the next.
func datedIn(all []api.Replaced, look outlook, head brenner.Version) {
	for i, r := range all {
		if !look.proposes(r.Agent, r.DeltaID) {
			all[i].Version = head
		}
	}
}

// replaced lists the texts of others whose place a delta of a merge takes.
func (m *merge) replaced(place int) []api.Replaced {
	out := replacedBy(m.result.Artifact, m.queue[place].entry, m.result.Outcomes[place])
	datedIn(out, m.look, m.head.Version)
	return out
}

// overwritten says whose texts later edits of others replaced without a conflict,
// the first few of them: nobody else tells the person who reads the change (D18).
func (m *merge) overwritten() string {
	if m.settled != nil {
		return "" // the person chose
	}
	var said []string
	for i, q := range m.queue {
		o := m.result.Outcomes[i]
		for _, r := range replacedBy(m.result.Artifact, q.entry, o) {
			said = append(said, fmt.Sprintf("%s.%s: %s's text replaced by %s's", o.Item, r.Field, r.Agent, q.entry.Delta.Agent))
		}
	}
	slices.Sort(said)
	said = slices.Compact(said)
	const most = 5
	if more := len(said) - most; more > 1 {
		said = append(said[:most], fmt.Sprintf("and %d more", more))
	}
	if len(said) == 0 {
		return ""
	}
	return "; " + strings.Join(said, "; ")
}

// stillAsked are those who have not answered, besides one who does just now.
func stillAsked(info api.SessionInfo, but brenner.ActorName) []brenner.ActorName {
	var out []brenner.ActorName
	for _, r := range info.Recipients {
		if r.Waiting && !r.Late && r.Name != but {
			out = append(out, r.Name)
		}
	}
	return out
}

// lookAhead adds to a reply that was taken what the next compile would make of
// its deltas. A reply that completed the session was compiled already.
func (s *Service) lookAhead(ctx context.Context, sub api.Submission) (api.Submission, error) {
	if sub.Duplicate || sub.Unusable || sub.Compiled.Version > 0 {
		return sub, nil
	}
	return kernel.View(ctx, s.caller, kernel.Settled("the reply; this is what follows"), func(c *kernel.Call) (api.Submission, error) {
		info, err := findSession(c, sub.Session)
		if err != nil {
			return sub, err
		}
		w, err := waitingIn(c, info)
		if err != nil {
			return sub, err
		}
		out := sub
		if w.pending == 0 {
			out.Waiting, out.ByItself = stillAsked(info, sub.Agent), info.ByItself()
			return out, nil
		}
		out.Deltas = slices.Clone(sub.Deltas)
		look := w.asked(c, info, sub.Message)
		return out, foretell(c, info, &out, w.on.head, look)
	})
}

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
	sign, err := in.signed(c)
	if err != nil {
		return api.Submission{}, err
	}
	out := submissionOf(rec, x.Extraction)
	out.DryRun = true
	sign.say(&out)
	parts.report(&out, true)
	over.report(&out, x.Entries)
	queue, err := pendingDeltas(c, in.session.ID)
	if err != nil {
		return api.Submission{}, err
	}
	if err := foresee(c, in.session, &out, append(entriesOf(queue), x.Entries...)); err != nil {
		return out, err
	}
	return out, doubt(c, in.session, &out, x.Entries)
}

// textOf is a value as a text, or as its JSON.
func textOf(value jsontext.Value) string {
	var text string
	if value.Kind() == '"' && canon.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// foresee adds to what is said of a reply what the next compile would make of
// its deltas if nothing else came.
func foresee(c *kernel.Call, info api.SessionInfo, out *api.Submission, queue []delta.Entry) error {
	out.Waiting, out.ByItself = stillAsked(info, out.Agent), info.ByItself()
	head, base, _, err := mergeBase(c, info.ID)
	if err != nil {
		return err
	}
	rules := sessionCompiled{Started: info.Created, Priority: c.Config.Priority, Contributors: info.Contributors}
	return foretell(c, info, out, queue, head.Version, base, delta.Merge(base, queue, rules.options()))
}

// foretell puts what became, or would become, of the deltas of a reply beside them.
// The deltas of one reply stand in the queue as they stand in the reply.
func foretell(c *kernel.Call, info api.SessionInfo, out *api.Submission, queue []delta.Entry, head brenner.Version, base *delta.Artifact, res delta.Result) error {
	roles := rolesIn{call: c, session: info}
	none := func(brenner.ActorName, delta.ItemID) bool { return false } // nobody is told before it is compiled
	n, beside := 0, lookBeside(base, queue, res, roles.may, func(place int) bool { return queue[place].Message == out.Message }, none)
	for i, e := range queue {
		if e.Message != out.Message || n == len(out.Deltas) {
			continue
		}
		d, o := &out.Deltas[n], seen(res.Artifact, e, res.Outcomes[i])
		n++
		d.Warnings = slices.Concat(beside.of(res, i), beside.stays[i], d.Warnings)
		d.Will, d.Item, d.Provisional = o.Status, o.Item, e.Delta.ProvisionalID
		if o.Code != "" || o.Status == delta.Skipped {
			d.Code, d.Message, d.Hint, d.Pointer = o.Code, o.Message, o.Hint, o.Pointer
		}
		d.Replaces = replacedBy(res.Artifact, e, o)
		datedIn(d.Replaces, queue, head)
		if addsHypothesis(o) {
			out.Hypotheses = liveHypotheses(res.Artifact)
		}
	}
	return roles.failed
}

// addsHypothesis says whether a delta adds a hypothesis.
func addsHypothesis(o delta.Outcome) bool {
	return o.Operation == delta.Add && o.Status == delta.Applied && strings.HasPrefix(string(o.Item), "H")
}

// liveHypotheses counts the hypotheses that nobody has killed.
func liveHypotheses(a *delta.Artifact) int {
	return len(slices.DeleteFunc(a.Items(delta.HypothesisSlate), func(it *delta.Item) bool { return it.Killed() != nil }))
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
func datedIn(all []api.Replaced, queue []delta.Entry, head brenner.Version) {
	for i, r := range all {
		if !proposed(queue, r.Agent, r.DeltaID) {
			all[i].Version = head
		}
	}
}

// proposed says whether a delta is among those that wait to be compiled.
func proposed(queue []delta.Entry, agent brenner.ActorName, id string) bool {
	return slices.ContainsFunc(queue, func(e delta.Entry) bool { return e.Delta.Agent == agent && e.Delta.DeltaID == id })
}

// replaced lists the texts of others whose place a delta of a merge takes.
func (m *merge) replaced(place int) []api.Replaced {
	out := replacedBy(m.result.Artifact, m.queue[place].entry, m.result.Outcomes[place])
	if len(out) > 0 {
		datedIn(out, entriesOf(m.queue), m.head.Version)
	}
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
		queue, err := pendingDeltas(c, sub.Session)
		if err != nil {
			return sub, err
		}
		out := sub
		if len(queue) == 0 {
			out.Waiting, out.ByItself = stillAsked(info, sub.Agent), info.ByItself()
			return out, nil
		}
		out.Deltas = slices.Clone(sub.Deltas)
		err = foresee(c, info, &out, entriesOf(queue))
		return out, err
	})
}

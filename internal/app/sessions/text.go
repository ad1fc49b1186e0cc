package sessions

import (
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

// compiledText tells an agent who changed what, and what became of its own
// deltas.
func (m merge) compiledText(r api.Recipient, res api.CompileResult) string {
	var b strings.Builder
	id := string(m.info.ID)
	if res.Changed {
		fmt.Fprintf(&b, "%s is at version %d: %s.\n", id, res.Ref.Version, whoDid(res.Outcomes))
	} else {
		fmt.Fprintf(&b, "%s stays at version %d: nothing of what was sent could be recorded.\n", id, res.Ref.Version)
	}
	own := slices.DeleteFunc(ownOutcomes(res.Outcomes, r.Name), m.mended)
	if len(own) > 0 {
		b.WriteString("\n" + api.OwnOutcomes + "\n\n")
	}
	names := slices.DeleteFunc(m.names(), func(n delta.Named) bool { return n.Agent == r.Name }) // its own are said with its deltas
	var applied []string
	for i, n := range own {
		if i == mostOutcomes && len(own) > i+1 {
			fmt.Fprintf(&b, "- and %d more: %s\n", len(own)-i, brenner.Do("session.show", "id", id).Mark())
			break
		}
		if m.plain(res.Outcomes[n], n) {
			applied = append(applied, became(res.Outcomes[n], m.queue[n].entry.Delta.ProvisionalID))
			continue
		}
		b.WriteString(outcomeLine(res.Outcomes[n], m.queue[n].entry.Delta.ProvisionalID))
		b.WriteString(m.stands(res.Outcomes[n]))
		for _, w := range m.beside.of(m.result.About[n], n) {
			fmt.Fprintf(&b, "  %s: %s; %s\n", w.Code, w.Message, w.Hint)
		}
		if block := m.queue[n].entry.Corrected; block != "" {
			b.WriteString("  A block that would be read:\n\n" + block + "\n")
		}
	}
	if len(applied) > 0 {
		fmt.Fprintf(&b, "- %d applied: %s\n", len(applied), counted(applied))
	}
	for _, note := range m.beside.notes[r.Name] {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	if len(names) > 0 {
		fmt.Fprintf(&b, "\n"+api.NamesWritten+"%s.\n", api.NameWords(names))
	}
	if res.Conflicts > 0 {
		fmt.Fprintf(&b, "\n%s for the PI.\n", brenner.Plural(res.Conflicts, "field is in conflict and waits", "fields are in conflict and wait"))
	}
	b.WriteString(m.concludeText(r, res))
	b.WriteString(m.critiqueText(r.Name, res.Ref.Version))
	if others := slices.DeleteFunc(slices.Clone(m.record.Without), func(n brenner.ActorName) bool { return n == r.Name }); len(others) > 0 {
		fmt.Fprintf(&b, "\n"+api.StillAtWork+"%s; the session does not wait for that any more, and compiles it when it comes. Go on with what is here.\n", kernel.Join(others))
	}
	next := api.MoreToSay
	switch {
	case r.Late || slices.Contains(m.record.Without, r.Name):
		next = api.OwnAnswer + " is as welcome as before, and compiled when it comes; the others go on"
	case r.Waiting:
		next = api.OwnAnswer + " is still waited for"
	}
	fmt.Fprintf(&b, "\n"+api.ReadWhatChanged+"%s\n%s: %s\n",
		brenner.Do("session.show", "id", id, "since", fmt.Sprint(res.Base.Version)).Mark(), next,
		brenner.Do("delta.submit", "file", "FILE", "session", id).Mark())
	return b.String()
}

// critiqueText says how many critiques are open, which of them are so again by this
// merge, and which ask something of an agent.
func (m merge) critiqueText(name brenner.ActorName, version brenner.Version) string {
	var again []string
	for _, c := range m.critiques {
		if c.State != delta.CritiqueOpen || !slices.Contains(c.Against, name) || len(again) == mostOutcomes {
			continue
		}
		if critic, ok := m.pressed(c); ok {
			again = append(again, fmt.Sprintf("%s is open again: %s changed it in version %d.\n", c.Item, critic, version))
		}
	}
	return api.CritiquesFor(m.critiques, name, m.info.ID, again...)
}

// pressed names the critic of a critique that is open again by this merge.
func (m merge) pressed(c delta.Critique) (critic brenner.ActorName, ok bool) {
	it, _ := m.result.Artifact.Item(c.Item)
	critic = it.Authors()[0]
	return critic, c.Again && slices.ContainsFunc(m.result.Outcomes, func(o delta.Outcome) bool { return o.Item == c.Item && o.Agent == critic && o.Recorded() })
}

// goOn says how to read on: what has changed belongs into a new context, with a
// budget of its own.
func goOn(id brenner.SessionID) string {
	return fmt.Sprintf("\nBegin with a new context: %s\nThen read the document: %s\n",
		brenner.Do("context.assemble", "session", string(id)).Mark(), brenner.Do("session.show", "id", string(id)).Mark())
}

// mostOutcomes bounds the deltas that one message lists.
const mostOutcomes = 200

// ownOutcomes are the places of those of an agent's deltas, what was not applied
// first.
func ownOutcomes(all []delta.Outcome, agent brenner.ActorName) []int {
	var trouble, applied []int
	for i := range all {
		switch o := &all[i]; {
		case o.Agent != agent:
		case o.Status == delta.Applied:
			applied = append(applied, i)
		default:
			trouble = append(trouble, i)
		}
	}
	return append(trouble, applied...)
}

// mended says whether a delta was refused, and its author has since sent another that was
// applied and does what that meant to: then nothing is left to be told of it.
func (m merge) mended(n int) bool {
	refused, o := m.queue[n].entry.Delta, m.result.Outcomes[n]
	if o.Status != delta.Rejected || refused.Operation == "" {
		return false
	}
	left := fieldsOf(refused)
	for i, other := range m.result.Outcomes {
		d := m.queue[i].entry.Delta
		if other.Agent != o.Agent || other.Status != delta.Applied || d.Operation != refused.Operation || d.Section != refused.Section ||
			m.queue[i].entry.Received.Before(m.queue[n].entry.Received) {
			continue
		}
		switch {
		case d.Operation == delta.Add && d.ProvisionalID != "" && d.ProvisionalID == refused.ProvisionalID:
			return true
		case d.Operation == delta.Add || d.TargetID != refused.TargetID && delta.Target(other.Item) != refused.TargetID:
		case d.Operation == delta.Kill:
			return true
		default:
			written := fieldsOf(d)
			left = slices.DeleteFunc(left, func(f string) bool { return slices.Contains(written, f) })
			if len(left) == 0 {
				return true
			}
		}
	}
	return false
}

// fieldsOf names the members of a delta's payload.
func fieldsOf(d delta.Delta) []string {
	var payload map[string]jsontext.Value
	if canon.Unmarshal(d.Payload, &payload) != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(payload))
}

// names are the provisional ids that became items by this compile, of everybody:
// prose may use them.
func (m merge) names() []delta.Named {
	var out []delta.Named
	for i, o := range m.result.Outcomes {
		name := m.queue[i].entry.Delta.ProvisionalID
		if name != "" && o.Operation == delta.Add && o.Recorded() && len(out) < mostOutcomes {
			out = append(out, delta.Named{Name: name, Agent: o.Agent, Item: o.Item})
		}
	}
	return out
}

// stands names the call that reads what an item says instead of what a delta
// said.
func (m merge) stands(o delta.Outcome) string {
	if o.Status == delta.Applied || o.Operation == delta.Add {
		return ""
	}
	if _, ok := m.result.Artifact.Item(o.Item); !ok {
		return ""
	}
	return fmt.Sprintf("  What it says now: %s\n", brenner.Do("session.show", "id", string(m.info.ID), "item", string(o.Item)).Mark())
}

// plain says that nothing is to be said of a delta but that it was applied.
func (m merge) plain(o delta.Outcome, n int) bool {
	return o.Status == delta.Applied && o.Code == "" && o.Hint == "" && len(m.beside.of(m.result.About[n], n)) == 0 && m.queue[n].entry.Corrected == ""
}

// became names the item of a delta, and what its author called it.
func became(o delta.Outcome, name string) string {
	if name != "" {
		return fmt.Sprintf("%s is %s", name, o.Item)
	}
	return string(o.Item)
}

// counted names each item once, with how many deltas it took if those are several.
func counted(names []string) string {
	var out []string
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		n := 0
		for _, other := range names[i:] {
			if other == name {
				n++
			}
		}
		if n > 1 {
			name += fmt.Sprintf(" by %d of them", n)
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

func outcomeLine(o delta.Outcome, name string) string {
	out := fmt.Sprintf("- %s: %s", o.DeltaID, o.Status)
	switch {
	case o.Item != "" && name != "":
		out += fmt.Sprintf(", %s is %s", name, o.Item)
	case o.Item != "":
		out += ", " + string(o.Item)
	}
	if o.Code != "" {
		out += fmt.Sprintf(" %s: %s", o.Code, o.Message)
	}
	if o.Pointer != "" {
		out += fmt.Sprintf(" (at %s)", o.Pointer)
	}
	if o.Hint != "" {
		out += "; " + o.Hint
	}
	return out + "\n"
}

// bounceText says to an agent why its reply is no answer.
func bounceText(info api.SessionInfo, sub api.Submission) string {
	waits := ""
	if r, _ := recipientOf(info, sub.Agent); r.Waiting {
		waits = fmt.Sprintf(", so %s still waits for your answer", info.ID)
	}
	return fmt.Sprintf("Your reply %s in %s holds no delta that can be used%s. What is wrong:\n\n%s"+
		"\nSend your whole contribution again as fenced blocks named delta, each holding one JSON object. Nothing of the reply was applied.\n",
		sub.Message, info.ID, waits, sub.Trouble())
}

// nudgeText asks again.
func nudgeText(info api.SessionInfo, r api.Recipient, note string) string {
	var b strings.Builder
	if r.Replies == 0 {
		fmt.Fprintf(&b, "%s, you were asked in %s as %s and have not answered yet.\n", r.Name, info.ID, r.Role)
	} else {
		fmt.Fprintf(&b, "%s, in %s something more is asked of you as %s.\n", r.Name, info.ID, r.Role)
	}
	if n := strings.TrimSpace(note); n != "" {
		b.WriteString("\n")
		for line := range strings.SplitSeq(n, "\n") {
			b.WriteString(strings.TrimRight("> "+line, " ") + "\n")
		}
	}
	fmt.Fprintf(&b, "\nThe session artifact is at version %d.\n%sAnswer as your kickoff says: %s\n", info.Artifact.Version, goOn(info.ID),
		brenner.Do("delta.submit", "file", "FILE", "session", string(info.ID)).Mark())
	return b.String()
}

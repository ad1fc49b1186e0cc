package sessions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/app/kernel"
)

// tell writes to those whom a compile concerns what became of the session and of
// their own deltas: one message each. After a round that is everybody who takes
// part. A reply that comes by itself afterwards concerns those whose items it
// changed, and those whose deltas had waited for it; the others have been told
// that the session goes on, and see what is new when they look.
func (m merge) tell(ch *kernel.Change, res api.CompileResult) ([]sent, error) {
	out := []sent{}
	var err error
	if m.critiques, err = m.room.critiques(ch.Call, m.info, m.result.Artifact); err != nil {
		return nil, err
	}
	m.open = map[delta.ItemID]delta.Critique{}
	for _, c := range m.critiques {
		if c.State == delta.CritiqueOpen {
			m.open[c.Item] = c
		}
	}
	for _, r := range m.info.Recipients {
		if m.late && (r.Name == m.reader || !m.concerns(r.Name)) {
			continue
		}
		id, err := sendMessage(ch, messageSent{
			To: r.Name, Kind: api.MessageCompiled, Session: m.info.ID, Transport: m.info.Transport,
			Subject: fmt.Sprintf("COMPILED: %s is at version %d: %s", m.info.ID, res.Ref.Version, brenner.Clip(whoDid(res.Outcomes), 120)),
		}, m.compiledText(r, res))
		if err != nil {
			return nil, err
		}
		out = append(out, sent{To: r.Name, ID: id})
	}
	return out, nil
}

// concerns reports whether a merge takes in deltas of an agent, or changes what
// it wrote, or touches it otherwise.
func (m merge) concerns(agent brenner.ActorName) bool {
	if len(m.beside.notes[agent]) > 0 {
		return true
	}
	for i, o := range m.result.Outcomes {
		if o.Agent == agent && o.Status != delta.Waiting {
			return true
		}
		if !m.result.Outcomes[i].Recorded() {
			continue
		}
		if m.attacks(o, agent) {
			return true
		}
		if o.Operation == delta.Add {
			continue
		}
		if it, ok := m.base.Item(o.Item); ok && slices.Contains(it.Authors(), agent) {
			return true
		}
	}
	return false
}

// attacks says whether a delta of another is of an open critique of what an agent wrote.
func (m merge) attacks(o delta.Outcome, agent brenner.ActorName) bool {
	c, open := m.open[o.Item]
	return open && o.Agent != agent && slices.Contains(c.Against, agent)
}

// whoDid says who changed what: one agent after the other, with what it added,
// edited and killed.
func whoDid(outcomes []delta.Outcome) string {
	type act struct {
		agent     brenner.ActorName
		operation delta.Operation
	}
	done := map[act][]string{}
	var order []act
	for i := range outcomes {
		o := &outcomes[i]
		if !o.Recorded() {
			continue
		}
		a := act{o.Agent, o.Operation}
		if done[a] == nil {
			order = append(order, a)
		}
		if !slices.Contains(done[a], string(o.Item)) {
			done[a] = append(done[a], string(o.Item))
		}
	}
	verbs := map[delta.Operation]string{delta.Add: "added", delta.Edit: "edited", delta.Kill: "killed"}
	slices.SortStableFunc(order, func(a, b act) int {
		return cmp.Or(cmp.Compare(a.agent, b.agent), cmp.Compare(a.operation, b.operation))
	})
	var parts []string
	for i, a := range order {
		who := string(a.agent) + " "
		if i > 0 && order[i-1].agent == a.agent {
			who = ""
		}
		parts = append(parts, who+verbs[a.operation]+" "+strings.Join(done[a], ", "))
	}
	return strings.Join(parts, "; ")
}

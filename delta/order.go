package delta

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"brenner"
)

// rankOf gives the rank of an agent, 0 the highest; unlisted agents rank last
// and equal.
func rankOf(priority []brenner.ActorName, agent brenner.ActorName) int32 {
	if i := slices.Index(priority, agent); i >= 0 {
		return int32(i)
	}
	return int32(len(priority))
}

// compare is the one total order of deltas (D3): instant, operation, agent
// priority, agent, seq, delta id, content hash, message.
//
// The agent of higher priority always prevails: among kills and adds the first
// counts, so it stands first; among edits the last counts, so it stands last.
func compare(a, b *entry) int {
	if c := compareRank(a, b); c != 0 {
		return c
	}
	if c := strings.Compare(string(a.agent), string(b.agent)); c != 0 {
		return c
	}
	if c := cmp.Compare(a.seq, b.seq); c != 0 {
		return c
	}
	if c := strings.Compare(a.id, b.id); c != 0 {
		return c
	}
	if c := strings.Compare(string(a.digest()), string(b.digest())); c != 0 {
		return c
	}
	return strings.Compare(a.message, b.message)
}

// compareRank is the part of the order that decides between two values of a
// field (D10): what it leaves equal may be a conflict.
func compareRank(a, b *entry) int {
	switch {
	case a.second != b.second:
		return cmp.Compare(a.second, b.second)
	case a.nanos != b.nanos:
		return cmp.Compare(a.nanos, b.nanos)
	case a.op != b.op:
		return cmp.Compare(a.op, b.op)
	case a.op == opEdit:
		return cmp.Compare(b.rank, a.rank)
	}
	return cmp.Compare(a.rank, b.rank)
}

// digest is the content hash of the delta.
func (e *entry) digest() brenner.Digest {
	if e.hash != nil {
		return *e.hash
	}
	sent := e.sent()
	return sent.digest()
}

// digest is that of a delta of this merge, which may be asked for it often. It is
// kept only until the merge returns: afterwards entries are shared, and what was
// rejected has left no trace in them.
func (m *merge) digest(e *entry) brenner.Digest {
	if e.hash == nil {
		hash := e.digest()
		e.hash, m.hashed = &hash, append(m.hashed, e)
	}
	return *e.hash
}

// turn is where a delta stands in the order, as far as that is known before it
// is read: all but its content hash. It is all numbers, so that deltas are
// sorted without being looked at.
type turn struct {
	second int64
	rest   uint64 // nanosecond, operation, rank
	id     uint64 // the beginning of its delta id
	seq    int
	agent  int32  // place among the agents of the merge
	index  int32  // in the deltas as given
	hash   uint32 // of its identity
	timed  bool   // its timestamp is one
	moved  bool   // it counts at another instant than it says
}

func (t *turn) at() time.Time { return time.Unix(t.second, int64(t.rest>>nanosAt)).UTC() }

// How a turn packs what decides between deltas of one second: from the top 30
// bits of nanoseconds, 2 of the operation, 32 of the rank.
const (
	nanosAt = 34
	opAt    = 32
)

// turns puts the deltas into order.
func (m *merge) turns(deltas []Entry) []turn {
	all := make([]turn, len(deltas))
	for i := range deltas {
		if i%fetched == 0 {
			m.fetchTexts(deltas[i:min(i+fetched, len(deltas))])
		}
		d := &deltas[i].Delta
		said, timed := parseInstant(d.Timestamp)
		at := effective(said, deltas[i].Received, m.opts.NotBefore)
		agent := m.agent(d.Agent)
		if d.ProvisionalID != "" {
			m.provisional++
		}
		op, rank := opOf(d.Operation), uint32(m.agents[agent].rank)
		if op == opEdit {
			rank = ^rank
		}
		all[i] = turn{
			second: at.Unix(), rest: uint64(at.Nanosecond())<<nanosAt | uint64(op)<<opAt | uint64(rank), id: beginning(d.DeltaID),
			seq: d.Seq, agent: agent, index: int32(i), hash: identity{deltas[i].Message, d.DeltaID}.hash(), timed: timed, moved: !at.Equal(said),
		}
	}
	m.nameAgents()
	slices.SortFunc(all, func(a, b turn) int {
		if c := m.compareTurns(deltas, &a, &b); c != 0 {
			return c
		}
		return cmp.Compare(a.index, b.index)
	})
	return all
}

// compareTurns is compare as far as the id.
func (m *merge) compareTurns(deltas []Entry, a, b *turn) int {
	switch {
	case a.second != b.second:
		return cmp.Compare(a.second, b.second)
	case a.rest != b.rest:
		return cmp.Compare(a.rest, b.rest)
	case a.agent != b.agent:
		return cmp.Compare(m.agents[a.agent].place, m.agents[b.agent].place)
	case a.seq != b.seq:
		return cmp.Compare(a.seq, b.seq)
	case a.id != b.id:
		return cmp.Compare(a.id, b.id)
	}
	return strings.Compare(deltas[a.index].Delta.DeltaID, deltas[b.index].Delta.DeltaID)
}

// contributor is an agent with deltas in a merge.
type contributor struct {
	name            brenner.ActorName
	rank            int32
	place           int32 // among the agents by name
	named, admitted bool  // its name is one; it may contribute
	recorded        bool  // a delta of it was
}

// agent gives the place of an agent in agents.
func (m *merge) agent(name brenner.ActorName) int32 {
	i, known := m.agentAt[name]
	if !known {
		i = int32(len(m.agents))
		m.agentAt[name] = i
		c := contributor{name: name, rank: int32(len(m.priority)), named: name.Check() == nil}
		if rank, listed := m.ranks[name]; listed {
			c.rank = rank
		}
		_, c.admitted = m.allowed[name]
		m.agents = append(m.agents, c)
	}
	return i
}

// nameAgents notes how the names of the agents sort.
func (m *merge) nameAgents() {
	byName := make([]int32, len(m.agents))
	for i := range byName {
		byName[i] = int32(i)
	}
	slices.SortFunc(byName, func(a, b int32) int { return strings.Compare(string(m.agents[a].name), string(m.agents[b].name)) })
	for place, i := range byName {
		m.agents[i].place = int32(place)
	}
}

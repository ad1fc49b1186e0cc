package delta

import (
	"cmp"
	"slices"
	"strings"

	"brenner"
)

// opRank orders operations at one instant: a kill frees its place before an
// add takes it, and an edit can meet an item added at that instant.
func opRank(op Operation) int {
	switch op {
	case Kill:
		return 0
	case Add:
		return 1
	}
	return 2
}

// rankOf gives the rank of an agent, 0 the highest; unlisted agents rank last
// and equal.
func rankOf(priority []brenner.ActorName, agent brenner.ActorName) int {
	if i := slices.Index(priority, agent); i >= 0 {
		return i
	}
	return len(priority)
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
	if c := strings.Compare(string(a.delta.Agent), string(b.delta.Agent)); c != 0 {
		return c
	}
	if c := cmp.Compare(a.delta.Seq, b.delta.Seq); c != 0 {
		return c
	}
	if c := strings.Compare(a.delta.DeltaID, b.delta.DeltaID); c != 0 {
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
	if c := a.at.Compare(b.at); c != 0 {
		return c
	}
	if c := opRank(a.delta.Operation) - opRank(b.delta.Operation); c != 0 {
		return c
	}
	if a.delta.Operation == Edit {
		return b.rank - a.rank
	}
	return a.rank - b.rank
}

// digest is the content hash of the delta. It is remembered only while the
// entry belongs to one merge; afterwards entries are shared and not written.
func (e *entry) digest() brenner.Digest {
	if e.hash != "" {
		return e.hash
	}
	sent := e.sent()
	hash := sent.digest()
	if e.fresh {
		e.hash = hash
	}
	return hash
}

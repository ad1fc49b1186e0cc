package delta

import (
	"maps"
	"time"

	"brenner"
)

// Ahead is what deltas that wait make of an artifact: Merge of all of them, to which others
// can be added as they come without merging all of them again. It is immutable.
//
// That gives the same because a merge goes through its deltas in their order, and those that
// come later stand behind all others in it: nothing that was decided before them is decided
// otherwise, but for what waits for an item that they add and for what keeps the last third
// alternative alive. Where that may be touched everything is merged anew.
type Ahead struct {
	base *Artifact
	opts Options
	now  *Artifact

	count  int
	latest time.Time // the instant of the last delta, whatever became of it
	// What some deltas wait for: provisional ids, whoever gave them, and items by their ids.
	names map[string]struct{}
	slots map[slot]struct{}
	// unheard are messages of which nothing was recorded.
	unheard map[string]struct{}
	// lost says that a third alternative was killed by these deltas, and spared that one was
	// kept from that.
	lost, spared bool
}

// LookAhead merges deltas into an artifact as Merge does, so that others can be added.
func LookAhead(base *Artifact, deltas []Entry, opts Options) (*Ahead, Result) {
	m := merged(base, deltas, opts)
	h := (&Ahead{base: m.given, opts: opts}).after(m)
	res := m.result()
	h.now = res.Artifact
	h.unhear(deltas)
	return h, res
}

// Artifact is what all the deltas make of the base.
func (h *Ahead) Artifact() *Artifact { return h.now }

// With adds deltas, which come in messages of their own: it gives what Merge of
// the base with all of them gives, of the outcomes and of what their authors should hear those of
// the deltas that are added, and of the warnings what these add. It says no where that takes a
// merge of all.
func (h *Ahead) With(more []Entry) (*Ahead, Result, bool) {
	if !h.goesOn(more) {
		return nil, Result{}, false
	}
	m := merged(h.now, more, h.opts)
	if m.spared != nil || !m.behind(h.latest) || m.frees(h) {
		return nil, Result{}, false
	}
	next := h.after(m)
	res := m.result()
	if next.now = res.Artifact; next.now != h.now { // it is one merge
		next.now.meta.Version = h.base.meta.Version + 1
	}
	next.unhear(more)
	if next.lost && next.now.sections[atHypotheses].special == 0 {
		return nil, Result{}, false
	}
	return next, res, true
}

// goesOn says whether deltas may be added as far as that is known before they are read.
func (h *Ahead) goesOn(more []Entry) bool {
	if h.count+len(more) > brenner.MaxDeltas {
		return false
	}
	for i := range more {
		seen, _ := h.now.messages.get(more[i].Message)
		_, unheard := h.unheard[more[i].Message]
		if seen || unheard || more[i].Message == "" || h.spared && sectionIndex(more[i].Delta.Section) == atHypotheses {
			return false
		}
	}
	return true
}

// unhear notes the messages of which nothing was recorded.
func (h *Ahead) unhear(more []Entry) {
	unheard := map[string]struct{}{}
	for i := range more {
		if seen, _ := h.now.messages.get(more[i].Message); !seen {
			unheard[more[i].Message] = struct{}{}
		}
	}
	h.unheard = joinedSets(h.unheard, unheard)
}

// behind says whether all deltas of a merge count as of later than an instant.
func (m *merge) behind(latest time.Time) bool {
	return len(m.work) == 0 || m.work[0].entry.at().After(latest)
}

// frees says whether a merge brings what other deltas wait for, or changes what is said of
// those that do.
func (m *merge) frees(h *Ahead) bool {
	if len(h.names)+len(h.slots) == 0 {
		return false
	}
	for i := range m.work {
		w := &m.work[i]
		if !w.adds || w.number == 0 {
			continue
		}
		if _, waited := h.names[w.entry.provisional]; waited {
			return true
		}
		if _, waited := h.slots[slot{w.entry.section, w.number}]; waited {
			return true
		}
	}
	return false
}

// after is what is known once a merge was folded.
func (h *Ahead) after(m *merge) *Ahead {
	next := *h
	next.count += len(m.deltas)
	if n := len(m.work); n > 0 {
		next.latest = m.work[n-1].entry.at()
	}
	next.spared = h.spared || m.spared != nil
	names, slots := map[string]struct{}{}, map[slot]struct{}{}
	for i := range m.work {
		w := &m.work[i]
		switch {
		case w.waits:
			n, _ := scoped(w.entry.agent, w.entry.awaited())
			names[n.id] = struct{}{}
		case w.status == targetless:
			slots[slot{w.entry.section, w.entry.number}] = struct{}{}
		}
	}
	next.names, next.slots = joinedSets(h.names, names), joinedSets(h.slots, slots)
	s := &m.sections[atHypotheses]
	if s.anyKill() {
		for _, d := range s.drafts() {
			if d.item == nil {
				d.item = m.build(d)
			}
			next.lost = next.lost || d.kill > 0 && d.item.meets
		}
	}
	return &next
}

// joinedSets is what two sets have; what is the same as before is not copied.
func joinedSets[K comparable](old, more map[K]struct{}) map[K]struct{} {
	if len(more) == 0 {
		return old
	}
	out := maps.Clone(old)
	if out == nil {
		return more
	}
	maps.Copy(out, more)
	return out
}

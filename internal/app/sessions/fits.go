package sessions

import (
	"cmp"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/app/kernel"
)

// The document of a session is the content of one version, and as large as that may
// be (X3). A reply that would make it larger is refused when it is handed in; where
// more than fits waits nevertheless, the compile leaves out what came last, so that
// a session always goes on.

// growth is by how many bytes a delta makes a document larger, as a rule at most: the
// document has what was sent, and what shows of it.
func growth(bytes int) int { return 2*bytes + 512 }

// noRoom is why a delta is left out.
func noRoom() *brenner.Error {
	return brenner.Errorf(brenner.CodeLimitExceeded, "the document of the session would have more than %d bytes with it", brenner.MaxContentBytes).
		WithHint("write long texts as artifacts and name them in short deltas; a document that is full is gone on from in a new session")
}

// checkFits refuses deltas with which the document of a session would be too large.
// What waits is merged only where that may be; waiting is by how much that makes it larger.
func checkFits(c *kernel.Call, info api.SessionInfo, waiting int, more []delta.Entry) error {
	if len(more) == 0 {
		return nil
	}
	head, err := c.Reader.Version(c.Ctx, info.Artifact)
	if err != nil {
		return err
	}
	size := int(head.Size) + waiting
	for _, e := range more {
		raw, _, err := queuedBytes(e)
		if err != nil {
			return err
		}
		size += growth(len(raw))
	}
	if size <= brenner.MaxContentBytes {
		return nil
	}
	return checkFitsExactly(c, info, more)
}

// checkFitsExactly is checkFits without estimates.
func checkFitsExactly(c *kernel.Call, info api.SessionInfo, more []delta.Entry) error {
	w, err := waitingIn(c, info)
	if err != nil {
		return err
	}
	queue := w.queue
	res := delta.Merge(w.base, append(entriesOf(queue), more...), optionsOf(c, info))
	raw, err := canon.Marshal(res.Artifact)
	if err != nil || len(raw) <= brenner.MaxContentBytes {
		return err
	}
	full := brenner.Errorf(brenner.CodeLimitExceeded, "the document of %s would have %d bytes with this reply, more than %d", info.ID, len(raw), brenner.MaxContentBytes).
		WithHint(noRoom().Hint)
	if len(queue) > 0 {
		full = full.Try(brenner.Do("session.compile", "id", string(info.ID)))
	}
	return full
}

// mergeWhatFits merges what waits into the base, without the deltas that the document
// has no room for. One that settles a conflict is refused instead.
func (m *merge) mergeWhatFits() (err error) {
	for free := brenner.MaxContentBytes - int(m.head.Size); ; free /= 2 {
		m.result = delta.Merge(m.base, entriesOf(m.queue), m.record.options())
		if m.result.Recorded() == 0 {
			return nil
		}
		if m.content, err = canon.Marshal(m.result.Artifact); err != nil || len(m.content) <= brenner.MaxContentBytes {
			return err
		}
		if m.settled != nil {
			return noRoom()
		}
		if err := m.leaveOut(free); err != nil {
			return err
		}
	}
}

// leaveOut keeps out of a merge what makes the document larger than there are bytes
// free, of the deltas as they came.
func (m *merge) leaveOut(free int) error {
	m.queue = slices.Clone(m.queue)
	came := make([]*pendingDelta, len(m.queue))
	for i := range m.queue {
		came[i] = &m.queue[i]
	}
	slices.SortStableFunc(came, func(a, b *pendingDelta) int {
		return cmp.Or(a.entry.Received.Compare(b.entry.Received), strings.Compare(a.entry.Message, b.entry.Message), cmp.Compare(a.entry.Delta.Seq, b.entry.Delta.Seq))
	})
	for _, q := range came {
		if q.entry.Invalid != nil {
			continue
		}
		raw, _, err := queuedBytes(q.entry)
		if err != nil {
			return err
		}
		if more := growth(len(raw)); more <= free {
			free -= more
		} else {
			q.full, q.entry.Invalid = true, noRoom()
		}
	}
	return nil
}

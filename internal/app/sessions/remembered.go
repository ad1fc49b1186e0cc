package sessions

import (
	"slices"
	"strings"
	"sync"

	"brenner"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
)

// remembered is what a process remembers of sessions from one call to the next: documents by
// their contents, and what waits in a session with what it makes of the document. It is exact:
// a content says the same for ever, and what came to a session since is read and added. What
// making the tables anew or a redaction ends is forgotten with the generation of the store. What
// a change reads it leaves to nobody, for it may never come to be.
//
// The zero remembered is empty; it is safe for concurrent use.
type remembered struct {
	mu         sync.Mutex
	generation int64
	documents  halves[brenner.Digest, *delta.Artifact]
	sessions   halves[brenner.SessionID, *standing]
}

const (
	// halfDocuments bounds each half of the documents, in bytes of their contents; one read
	// takes some ten times that.
	halfDocuments = 4 << 20
	// halfSessions bounds each half of what waits, in bytes by estimate.
	halfSessions = 32 << 20
	// queuedSize is what a delta that waits takes besides what was sent.
	queuedSize = 2 << 10
)

// halves are kept in two halves: when one is full, what was not asked for since it was last
// full goes.
type halves[K comparable, V any] struct {
	now, before map[K]held[V]
	size        int
}

type held[V any] struct {
	value V
	size  int
}

func (h *halves[K, V]) get(key K, most int) (V, bool) {
	if found, ok := h.now[key]; ok {
		return found.value, true
	}
	found, ok := h.before[key]
	if ok {
		h.put(key, found.value, found.size, most)
	}
	return found.value, ok
}

func (h *halves[K, V]) put(key K, value V, size, most int) {
	h.size -= h.now[key].size
	if h.now == nil || h.size+size > most {
		h.now, h.before, h.size = map[K]held[V]{}, h.now, 0
	}
	h.now[key] = held[V]{value, size}
	h.size += size
}

// generationKey is that of the generation that a call sees.
type generationKey struct{}

// recall gives what is remembered as a call may use it, nil if it may not.
func recall(c *kernel.Call) (*remembered, error) {
	generation, err := kernel.Once(c, generationKey{}, func() (int64, error) { return c.Generation(c.Ctx) })
	if err != nil {
		return nil, err
	}
	r := kernel.Kept[remembered](c)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.generation < generation && !writes(c) {
		r.generation = generation
		r.documents, r.sessions = halves[brenner.Digest, *delta.Artifact]{}, halves[brenner.SessionID, *standing]{}
	}
	if r.generation != generation {
		return nil, nil
	}
	return r, nil
}

// writes says whether a call is part of a change.
func writes(c *kernel.Call) bool {
	_, yes := c.Reader.(store.Tx)
	return yes
}

// document gives a document that is remembered by its content, nil if it is not.
func (r *remembered) document(content brenner.Digest) *delta.Artifact {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	doc, _ := r.documents.get(content, halfDocuments)
	return doc
}

// keep remembers a document that was read at a generation.
func (r *remembered) keep(c *kernel.Call, row store.Version, doc *delta.Artifact) {
	if r == nil || writes(c) || row.Size > halfDocuments {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.documents.put(row.Content, doc, int(row.Size), halfDocuments)
}

// standing gives what is remembered of what waits in a session, nil if nothing may be.
func (r *remembered) standing(id brenner.SessionID, begin bool) *standing {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.sessions.get(id, halfSessions)
	if !ok && begin {
		s = &standing{}
		r.sessions.put(id, s, 0, halfSessions)
	}
	return s
}

// weigh says how much is remembered of a session by now.
func (r *remembered) weigh(id brenner.SessionID, s *standing, size int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.sessions.get(id, halfSessions); ok && known == s {
		r.sessions.put(id, s, size, halfSessions)
	}
}

// standing is what waits in a session as calls saw it of late, the last at the end.
type standing struct {
	mu     sync.Mutex
	seen   []*waiting
	said   map[*delta.Item]*said // of items that others were compared with
	before map[*delta.Item]*said
}

const (
	// mostSeen is how many of what calls saw are kept: a call sees what another has seen
	// after it.
	mostSeen = 4
	// halfSaid bounds half of what is kept of items.
	halfSaid = 2 * mostCompared
	// saidSize is what one of them takes.
	saidSize = 10 << 10
)

// seenAt is at for who does not hold the lock.
func (s *standing) seenAt(position int64, on ground) *waiting {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at(position, on)
}

// extend notes that nothing came to what was seen up to a position; the lock is held.
func (s *standing) extend(w *waiting, position int64) {
	if i := slices.Index(s.seen, w); i >= 0 && w.upto < position {
		longer := *w
		longer.upto = position
		s.seen[i] = &longer
	}
}

// at gives what was last seen of a session that holds as well where a call stands, nil if
// nothing does; the lock is held.
func (s *standing) at(position int64, on ground) *waiting {
	for _, w := range slices.Backward(s.seen) {
		if w.from <= position && w.on == on {
			return w
		}
	}
	return nil
}

// add keeps what a call saw; the lock is held.
func (s *standing) add(w *waiting) {
	at := len(s.seen)
	for at > 0 && s.seen[at-1].from > w.from {
		at--
	}
	s.seen = slices.Insert(s.seen, at, w)
	if len(s.seen) > mostSeen {
		s.seen = slices.Delete(s.seen, 0, len(s.seen)-mostSeen)
	}
}

// of reads an item to compare it with others; an item never changes.
func (s *standing) of(it *delta.Item) *said {
	if s == nil {
		return saidBy(it)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.said[it]; ok {
		return known
	}
	known, ok := s.before[it]
	if !ok {
		known = saidBy(it)
	}
	if s.said == nil || len(s.said) >= halfSaid {
		s.said, s.before = map[*delta.Item]*said{}, s.said
	}
	s.said[it] = known
	return known
}

// ground is what the deltas of a session are merged into, and by which rules: while that is
// the same, what waits only grows.
type ground struct {
	compiles     int
	head, latest brenner.Version
	content      brenner.Digest
	settings     *kernel.Settings
	contributors string
}

// joinedNames are names as part of a key.
func joinedNames(names []brenner.ActorName) string {
	return strings.Join(kernel.Strings(names), "\x00")
}

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

// queued is a delta that waits, with what the deltas that wait make of it. It never changes.
type queued struct {
	pendingDelta
	fresh   bool // it came since the last compile
	bytes   int
	outcome delta.Outcome
	about   []brenner.Diagnostic
	names   []string // words of its rationale that may be names of items
}

// waiting is what waits in a session, and what it makes of the document.
type waiting struct {
	on   ground
	base *delta.Artifact
	// from and upto are positions of the journal between which nothing else came.
	from, upto int64
	last       kernel.Place // of what came last
	queue      []*queued    // in an order that does not depend on when it came
	pending    int          // how many of them came since the last compile
	bytes      int          // by how much the document may grow by them
	ahead      *delta.Ahead
	came       []*queued // what came last, in the order of the queue
	standing   *standing // what is remembered besides; nil: nothing
}

// options are the rules by which what waits in a session is merged.
func optionsOf(c *kernel.Call, info api.SessionInfo) delta.Options {
	rules := sessionCompiled{Started: info.Created, Priority: c.Config.Priority, Contributors: info.Contributors}
	return rules.options()
}

// compareQueued orders what waits.
func compareQueued(a, b *queued) int {
	return cmp.Or(strings.Compare(a.entry.Message, b.entry.Message), cmp.Compare(a.entry.Delta.Seq, b.entry.Delta.Seq), strings.Compare(a.id, b.id))
}

// glance is what waits in a session without a look into what came last.
type glance struct {
	*waiting                          // as it was seen before
	standing *standing                // nil: nothing is remembered
	recall   *remembered              // likewise
	rows     []kernel.Row[deltaState] // what came since
	on       ground
	info     api.SessionInfo
}

// glanceAt looks at what waits in a session.
func glanceAt(c *kernel.Call, info api.SessionInfo) (glance, error) {
	g := glance{info: info}
	a, err := c.Reader.Artifact(c.Ctx, brenner.ArtifactID(info.ID))
	if err != nil {
		return g, err
	}
	row, err := c.Reader.Version(c.Ctx, brenner.Ref{Artifact: a.ID, Version: a.Head})
	if err != nil {
		return g, err
	}
	g.on = ground{
		compiles: info.Compiles, head: a.Head, latest: a.Latest, content: row.Content, settings: c.Settings,
		contributors: joinedNames(info.Contributors),
	}
	if g.recall, err = recall(c); err != nil {
		return g, err
	}
	if g.standing = g.recall.standing(info.ID, !writes(c)); g.standing != nil {
		g.waiting = g.standing.seenAt(c.Position, g.on)
	}
	if g.waiting != nil && g.upto >= c.Position && !writes(c) {
		return g, nil
	}
	q := queueOf(info.ID)
	if g.waiting != nil {
		q.After = g.last
	}
	err = deltas.Each(c.Ctx, c.Reader, q, func(row kernel.Row[deltaState]) (bool, error) {
		g.rows = append(g.rows, row)
		return true, nil
	})
	return g, err
}

// size is by how many bytes the document may grow by what waits, and how much that is.
func (g glance) size() (deltas, bytes int) {
	if g.waiting != nil {
		deltas, bytes = len(g.queue), g.bytes
	}
	for _, row := range g.rows {
		bytes += growth(cmp.Or(row.Value.Bytes, brenner.MaxDeltaBytes))
	}
	return deltas + len(g.rows), bytes
}

// waitingIn is what waits in a session, and what it makes of the document. A call that changes
// nothing leaves it to others.
func waitingIn(c *kernel.Call, info api.SessionInfo) (*waiting, error) {
	g, err := glanceAt(c, info)
	if err != nil {
		return nil, err
	}
	if g.standing == nil || writes(c) {
		return g.look(c)
	}
	g.standing.mu.Lock()
	defer g.standing.mu.Unlock()
	if now := g.standing.at(c.Position, g.on); now != nil && (g.waiting == nil || now.from > g.from) { // another call has looked meanwhile
		g.waiting = now
		g.rows = slices.DeleteFunc(g.rows, func(row kernel.Row[deltaState]) bool { return comparePlaces(row.Place(), now.last) <= 0 })
	}
	if g.waiting != nil && len(g.rows) == 0 {
		g.standing.extend(g.waiting, c.Position)
		return g.waiting, nil
	}
	w, err := g.look(c)
	if err == nil {
		g.standing.add(w)
		g.recall.weigh(info.ID, g.standing, w.bytes+queuedSize*len(w.queue)+saidSize*(len(g.standing.said)+len(g.standing.before)))
	}
	return w, err
}

func comparePlaces(a, b kernel.Place) int {
	return cmp.Or(cmp.Compare(a.Order, b.Order), strings.Compare(a.ID, b.ID))
}

// look reads what came last and adds it to what waited before.
func (g glance) look(c *kernel.Call) (*waiting, error) {
	w := &waiting{on: g.on, from: c.Position, upto: c.Position, standing: g.standing}
	if g.waiting != nil {
		*w = *g.waiting
		w.from, w.upto = c.Position, c.Position
		if len(g.rows) == 0 {
			return w, nil
		}
	} else {
		var err error
		if _, w.base, _, err = mergeBase(c, g.info.ID); err != nil {
			return nil, err
		}
	}
	came, err := readRows(c, g.rows)
	if err != nil {
		return nil, err
	}
	for _, q := range came {
		if w.bytes += growth(cmp.Or(q.bytes, brenner.MaxDeltaBytes)); q.fresh {
			w.pending++
		}
	}
	if n := len(g.rows); n > 0 {
		w.last = g.rows[n-1].Place()
	}
	slices.SortFunc(came, compareQueued)
	w.add(came, optionsOf(c, g.info))
	return w, nil
}

// add merges what came, in its order, with what waited before.
func (w *waiting) add(came []*queued, opts delta.Options) {
	w.queue = mergedQueue(w.queue, came)
	if w.ahead != nil {
		if next, res, ok := w.ahead.With(entriesOf(came)); ok {
			w.ahead, w.came = next, came
			for i, q := range came {
				q.outcome, q.about = res.Outcomes[i], res.About[i]
			}
			return
		}
	}
	anew := mergedAnew(w.base, w.queue, opts)
	w.ahead, w.queue, w.came = anew.ahead, anew.queue, anew.queue
}

// mergedQueue are two queues in their order.
func mergedQueue(queue, came []*queued) []*queued {
	out := make([]*queued, 0, len(queue)+len(came))
	for _, q := range came {
		n, _ := slices.BinarySearchFunc(queue, q, compareQueued)
		out = append(append(out, queue[:n]...), q)
		queue = queue[n:]
	}
	return append(out, queue...)
}

// readRows reads deltas that wait, with their contents in one question.
func readRows(c *kernel.Call, rows []kernel.Row[deltaState]) ([]*queued, error) {
	all, out := make([]queued, len(rows)), make([]*queued, len(rows))
	digests := make([]brenner.Digest, len(rows))
	for i, row := range rows {
		digests[i] = row.Value.Digest
	}
	contents := make(map[brenner.Digest][]byte, len(rows))
	err := c.Blobs(c.Ctx, digests, brenner.LargeContentBytes, func(d brenner.Digest, data []byte) error {
		contents[d] = data
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, row := range rows {
		q := &all[i]
		*q = queued{pendingDelta: pendingDelta{id: row.ID, digest: row.Value.Digest, message: row.Value.Message, place: row.Place()}, fresh: row.State == deltaPending, bytes: row.Value.Bytes}
		if raw, ok := contents[row.Value.Digest]; ok {
			var stored queuedEntry
			err = canon.Unmarshal(raw, &stored)
			q.entry = stored.entry()
		} else {
			q.entry, err = readQueued(c.Ctx, c.Reader, row.Value.Digest)
		}
		if err != nil {
			return nil, err
		}
		q.names = namesIn(q.entry.Delta.Rationale)
		out[i] = q
	}
	return out, nil
}

// of gives the places of the deltas of a message that waits: from one to before another.
func (w *waiting) of(message string) (from, to int) {
	from, _ = slices.BinarySearchFunc(w.queue, message, func(q *queued, m string) int { return strings.Compare(q.entry.Message, m) })
	for to = from; to < len(w.queue) && w.queue[to].entry.Message == message; to++ {
	}
	return from, to
}

// asked is what waits for who handed in one of the messages: what becomes of its deltas as it
// stands.
func (w *waiting) asked(c *kernel.Call, info api.SessionInfo, message string) outlook {
	from, to := w.of(message)
	look := outlook{base: w.base, now: w.ahead.Artifact(), queue: w.queue, asked: []int{}, own: map[int]*queued{}, standing: w.standing, exact: func() []*queued { return w.all(optionsOf(c, info)) }}
	for i := from; i < to; i++ {
		look.asked = append(look.asked, i)
	}
	if from == to {
		return look
	}
	if _, last := slices.BinarySearchFunc(w.came, w.queue[from], compareQueued); last {
		return look // what became of it was found out with what came last
	}
	again := w.since(w.queue[from].place, optionsOf(c, info))
	for i := from; i < to; i++ {
		n, _ := slices.BinarySearchFunc(again, w.queue[i], compareQueued)
		look.own[i] = again[n]
	}
	return look
}

// since gives what has come since some delta, with what became of it by now.
func (w *waiting) since(place kernel.Place, opts delta.Options) []*queued {
	if w.standing != nil {
		w.standing.mu.Lock()
		defer w.standing.mu.Unlock()
		for _, earlier := range slices.Backward(w.standing.seen) {
			if earlier.on != w.on || comparePlaces(earlier.last, place) >= 0 || comparePlaces(earlier.last, w.last) >= 0 {
				continue
			}
			then := *earlier
			var came []*queued
			for _, q := range w.queue {
				if comparePlaces(q.place, earlier.last) > 0 {
					again := *q
					came = append(came, &again)
				}
			}
			then.add(came, opts)
			return then.came
		}
	}
	return w.all(opts)
}

// waitingBefore is waitingIn without the deltas of a message.
func waitingBefore(c *kernel.Call, info api.SessionInfo, message string) (*waiting, error) {
	g, err := glanceAt(c, info)
	if err != nil {
		return nil, err
	}
	g.rows = slices.DeleteFunc(g.rows, func(row kernel.Row[deltaState]) bool { return row.Value.Message == message })
	w, err := g.look(c)
	if err != nil {
		return nil, err
	}
	if from, to := w.of(message); from < to {
		w = mergedAnew(w.base, slices.Concat(w.queue[:from], w.queue[to:]), optionsOf(c, info))
	}
	return w, nil
}

// all gives all that waits with what became of it by now.
func (w *waiting) all(opts delta.Options) []*queued { return mergedAnew(w.base, w.queue, opts).queue }

// mergedAnew is what deltas make of a document, all of them in one merge.
func mergedAnew(base *delta.Artifact, queue []*queued, opts delta.Options) *waiting {
	w := &waiting{base: base, queue: make([]*queued, len(queue))}
	for i, q := range queue {
		again := *q // others still have it as it was
		w.queue[i] = &again
	}
	var res delta.Result
	w.ahead, res = delta.LookAhead(base, entriesOf(w.queue), opts)
	for i, q := range w.queue {
		q.outcome, q.about = res.Outcomes[i], res.About[i]
	}
	return w
}

package contexts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"brenner"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/order"
	"brenner/internal/store"
)

// shelf remembers the rows of artifacts that contexts have met: another context reads
// those that are new to it, and those that changed since. It is exact, not merely recent:
// whatever changes an artifact's row sets its Seq to the position of the record that
// changed it, so that the changes up to a position are those of a stretch of Seqs, and a
// row whose Seq a snapshot has is that of the snapshot. Only making the tables anew, or
// taking something out of them, ends that: then everything is forgotten.
//
// The zero shelf is empty; it is safe for concurrent use.
type shelf struct {
	mu         sync.Mutex
	generation int64 // see store.Ranking
	position   int64 // of the journal, up to which the changes are known
	// Rows are in two halves: when one is full, what was not asked for since it was last
	// full goes.
	rows, before map[brenner.ArtifactID]*shelved
	size         int // of rows, in bytes
	emptied      int // how often everything was forgotten
	newest       map[string]*newest
	// era is another when something changed on which very many versions rest: whether they
	// are stale is found out anew (see told.since).
	era uint32
	// tagged has, of tags that few have, who had them when it was asked. Who has got one
	// since is not among them: then the tag is forgotten. Who has lost it may be.
	tagged map[string][]brenner.ArtifactID
	common map[string]string // types, modules, names of actors, each once

	counted []store.Kind // how many artifacts there are of each kind
	at      int64        // the position at which they were counted
}

const (
	// halfShelf bounds each half, in bytes by estimate.
	halfShelf = 32 << 20
	// rowSize is what a row takes besides its texts.
	rowSize = 400
	// maxFollowed is how many changed artifacts are read to go on; where there are more,
	// everything is forgotten.
	maxFollowed = 500
	// maxCommon is how many texts are kept once for all rows that have them.
	maxCommon = 4096
	// maxNewest is how many lists of the newest there are, then they are forgotten.
	maxNewest = 64
	// maxSteps is how many links far it is looked for what rests on a changed artifact.
	maxSteps = 16
	// maxTagged is of how many tags it is remembered who has them, then it is forgotten of
	// all.
	maxTagged = 1 << 10
)

// shelved is the row of an artifact, which is never changed, and what was found out
// about its versions.
type shelved struct {
	store.Artifact
	versions []told
}

// told is what was found out about a version.
type told struct {
	version brenner.Version
	origin
	joined
	joins bool   // joined is known
	comes bool   // origin is known
	hub   bool   // more than manyLinked links reach it, and will for ever
	stale bool   // see since
	since uint32 // the era in which it was found whether the version is stale, 0 if never
}

// origin is where a version comes from, and which content it has: what never changes.
type origin struct {
	creator brenner.ActorName
	task    string
	format  artifact.Format
	content [32]byte // its digest, without a text that the collector would follow
}

// joined are the links from and to a version. Those from it change with the row of its
// artifact, those to it with that of another.
type joined struct{ up, down []store.Link }

// newest is what changed last of some types in some modules.
type newest struct {
	types   []brenner.TypeName
	modules []brenner.Module
	most    int
	rows    []*store.Artifact
}

// reading is a shelf as a call sees it, or none: then everything is read.
type reading struct {
	*kernel.Call
	shelf *shelf
}

// open brings the shelf to where a call stands in the journal.
func (s *shelf) open(c *kernel.Call, generation int64) (reading, error) {
	plain := reading{Call: c}
	if _, writes := c.Reader.(store.Tx); writes {
		return plain, nil // what it sees may never come to be
	}
	for {
		s.mu.Lock()
		if s.generation < generation || s.rows == nil {
			s.forget(generation, c.Position)
		}
		known, from := s.generation == generation, s.position
		s.mu.Unlock()
		switch {
		case !known: // the snapshot is older
			return plain, nil
		case from >= c.Position:
			return reading{c, s}, nil
		}
		changed, err := c.Reader.Artifacts(c.Ctx, store.ArtifactQuery{Recent: true, ChangedAfter: from, Limit: maxFollowed + 1})
		if err != nil {
			return plain, err
		}
		links, above, enough, err := linksOf(c, changed)
		if err != nil {
			return plain, err
		}
		s.mu.Lock()
		if s.generation == generation && s.position == from {
			if enough {
				s.follow(changed, links, above, c.Position)
			} else {
				s.forget(generation, c.Position)
			}
		}
		s.mu.Unlock()
	}
}

// kinds says how many artifacts there are of each kind. Only a new artifact changes that,
// so that where none has changed they are not counted again.
func (s *shelf) kinds(c *kernel.Call) ([]store.Kind, error) {
	if _, writes := c.Reader.(store.Tx); writes {
		return c.Kinds(c.Ctx)
	}
	s.mu.Lock()
	counted, at := s.counted, s.at
	s.mu.Unlock()
	if counted != nil && at <= c.Position {
		changed, err := c.Reader.Artifacts(c.Ctx, store.ArtifactQuery{Recent: true, ChangedAfter: at, Limit: 1})
		if err != nil || len(changed) == 0 {
			return counted, err
		}
	}
	kinds, err := c.Kinds(c.Ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.Position > s.at || s.counted == nil {
		s.counted, s.at = kinds, c.Position
	}
	return kinds, nil
}

func (s *shelf) forget(generation, position int64) {
	s.generation, s.position, s.emptied = generation, position, s.emptied+1
	s.rows, s.before, s.size, s.newest, s.common = map[brenner.ArtifactID]*shelved{}, nil, 0, map[string]*newest{}, map[string]string{}
	s.era, s.tagged = 1, map[string][]brenner.ArtifactID{}
}

// resting are versions that rest on some, or so many that they were not looked for.
type resting struct {
	refs []brenner.Ref
	many bool
}

// linksOf gives the links from every version of some artifacts, and what rests on one of them,
// where these are not too many to go on from.
func linksOf(c *kernel.Call, changed []store.Artifact) (links []store.Link, above resting, enough bool, err error) {
	if len(changed) == 0 {
		return nil, above, true, nil
	}
	var refs []brenner.Ref
	for _, a := range changed {
		if len(refs)+int(a.Latest) > maxFollowed {
			return nil, above, false, nil
		}
		for v := brenner.Version(1); v <= a.Latest; v++ {
			refs = append(refs, brenner.Ref{Artifact: a.ID, Version: v})
		}
	}
	if links, err = c.LinksFrom(c.Ctx, refs); err != nil {
		return nil, above, false, err
	}
	above, err = restingOn(c, refs)
	return links, above, true, err
}

// restingOn follows links to what rests on some versions, directly or through others.
func restingOn(c *kernel.Call, refs []brenner.Ref) (out resting, err error) {
	met := make(map[brenner.Ref]bool, len(refs))
	for _, ref := range refs {
		met[ref] = true
	}
	for steps := 0; len(refs) > 0; steps++ {
		links, err := c.LinksTo(c.Ctx, refs, ledger.Carrying...)
		if err != nil {
			return resting{}, err
		}
		refs = nil
		for _, l := range links {
			if !met[l.From] {
				met[l.From] = true
				refs = append(refs, l.From)
			}
		}
		if len(refs) > 0 && (steps == maxSteps || len(met) > 2*maxFollowed) {
			return resting{many: true}, nil
		}
		out.refs = append(out.refs, refs...)
	}
	return out, nil
}

// follow takes in what changed, the last change first, with all links from it, and what
// rests on it; the lock is held.
func (s *shelf) follow(changed []store.Artifact, links []store.Link, above resting, to int64) {
	s.position = to
	if len(changed) == 0 {
		return
	}
	if above.many {
		s.era++
	}
	for _, ref := range above.refs {
		if t := s.told(ref); t != nil {
			t.since = 0
		}
	}
	for _, a := range changed {
		for _, tag := range a.Tags {
			delete(s.tagged, tag)
		}
	}
	rows := make(map[brenner.ArtifactID]*store.Artifact, len(changed))
	for _, a := range changed {
		e := &shelved{Artifact: a}
		if old := s.find(a.ID); old != nil {
			for _, t := range old.versions {
				e.versions = append(e.versions, told{version: t.version, origin: t.origin, comes: t.comes, hub: t.hub})
			}
			s.put(e)
		}
		rows[a.ID] = &e.Artifact
	}
	for _, l := range links {
		if t := s.told(l.To); t != nil {
			t.joined, t.joins = joined{}, false
		}
	}
	for _, n := range s.newest {
		n.follow(changed, rows)
	}
}

// follow puts what changed before the rest: nothing else has moved.
func (n *newest) follow(changed []store.Artifact, rows map[brenner.ArtifactID]*store.Artifact) {
	var list []*store.Artifact
	for _, a := range changed {
		if slices.Contains(n.types, a.Type) && slices.Contains(n.modules, a.Module) {
			list = append(list, rows[a.ID])
		}
	}
	if len(list) == 0 {
		return
	}
	for _, a := range n.rows {
		if rows[a.ID] == nil {
			list = append(list, a)
		}
	}
	n.rows = list[:min(len(list), n.most)]
}

// find gives what is remembered of an artifact; the lock is held.
func (s *shelf) find(id brenner.ArtifactID) *shelved {
	if e := s.rows[id]; e != nil {
		return e
	}
	e := s.before[id]
	if e == nil {
		return nil
	}
	// It leaves those behind that it was read with.
	own := &s.pack([]store.Artifact{e.Artifact})[0]
	own.versions = append(own.versions, e.versions...)
	s.put(own)
	return own
}

// pack makes entries of rows, which stay for long and are many: so that the collector has
// few objects to follow, those that were read together stand together, and so do their
// texts; the lock is held.
func (s *shelf) pack(rows []store.Artifact) []shelved {
	out, versions := make([]shelved, len(rows)), make([]told, len(rows))
	var b strings.Builder
	size := 0
	for _, a := range rows {
		size += len(a.ID) + len(a.Summary)
	}
	b.Grow(size)
	for _, a := range rows {
		b.WriteString(string(a.ID))
		b.WriteString(a.Summary)
	}
	text := b.String()
	cut := func(n int) (part string) {
		part, text = text[:n], text[n:]
		return part
	}
	for i, a := range rows {
		a.ID = brenner.ArtifactID(cut(len(a.ID)))
		a.Summary = cut(len(a.Summary))
		a.Type, a.Module = brenner.TypeName(s.once(string(a.Type))), brenner.Module(s.once(string(a.Module)))
		a.Creator, a.HeadStatus = brenner.ActorName(s.once(string(a.Creator))), artifact.Status(s.once(string(a.HeadStatus)))
		out[i] = shelved{Artifact: a, versions: versions[i : i : i+1]}
	}
	return out
}

// once gives a text that many rows have, as the first of them had it; the lock is held.
func (s *shelf) once(text string) string {
	if known, ok := s.common[text]; ok {
		return known
	}
	if s.common == nil || len(s.common) >= maxCommon {
		s.common = map[string]string{}
	}
	s.common[text] = text
	return text
}

// put remembers a row; the lock is held.
func (s *shelf) put(e *shelved) {
	size := rowSize + len(e.ID) + len(e.Summary)
	for _, tag := range e.Tags {
		size += len(tag)
	}
	if s.size+size > halfShelf {
		s.rows, s.before, s.size = map[brenner.ArtifactID]*shelved{}, s.rows, 0
	}
	if s.rows[e.ID] == nil {
		s.size += size
	}
	s.rows[e.ID] = e
}

// current reports whether what is read by a call may be remembered; the lock is held.
func (r reading) current() bool { return r.shelf.position == r.Position }

// artifacts gives the rows of those of some artifacts that there are. They are not to be
// changed.
func (r reading) artifacts(ids []brenner.ArtifactID) (map[brenner.ArtifactID]*store.Artifact, error) {
	out := make(map[brenner.ArtifactID]*store.Artifact, len(ids))
	missing := ids
	if r.shelf != nil {
		missing = nil
		r.shelf.mu.Lock()
		for _, id := range ids {
			if e := r.shelf.find(id); e != nil && e.Seq <= r.Position {
				out[id] = &e.Artifact
			} else {
				missing = append(missing, id)
			}
		}
		r.shelf.mu.Unlock()
	}
	if len(missing) == 0 {
		return out, nil
	}
	rows, err := r.Reader.Artifacts(r.Ctx, store.ArtifactQuery{IDs: missing})
	if err != nil {
		return nil, err
	}
	if r.shelf == nil {
		for i := range rows {
			out[rows[i].ID] = &rows[i]
		}
		return out, nil
	}
	r.shelf.mu.Lock()
	defer r.shelf.mu.Unlock()
	fresh := r.shelf.pack(rows)
	for i := range fresh {
		out[fresh[i].ID] = &fresh[i].Artifact
		if r.current() {
			r.shelf.put(&fresh[i])
		}
	}
	return out, nil
}

// keep remembers rows that the call has read, and reports whether there is room for more
// before the first of them would go.
func (r reading) keep(rows []store.Artifact) (more bool) {
	if r.shelf == nil {
		return false
	}
	r.shelf.mu.Lock()
	defer r.shelf.mu.Unlock()
	if !r.current() {
		return true // others have read further: the rows may not be the newest
	}
	fresh := r.shelf.pack(rows)
	for i := range fresh {
		if r.shelf.rows[fresh[i].ID] == nil && r.shelf.before[fresh[i].ID] == nil {
			r.shelf.put(&fresh[i])
		}
	}
	return r.shelf.before == nil || r.shelf.size < halfShelf*9/10
}

// timesEmptied is how often everything was forgotten.
func (s *shelf) timesEmptied() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emptied
}

// newest lists what changed last of some types in some modules. The rows are not to be
// changed.
func (r reading) newest(types []brenner.TypeName, modules []brenner.Module, most int) ([]*store.Artifact, error) {
	key := fmt.Sprintf("%d %q %q", most, types, modules)
	if r.shelf != nil {
		r.shelf.mu.Lock()
		n := r.shelf.newest[key]
		known := n != nil && r.current()
		var rows []*store.Artifact
		if known {
			rows = n.rows
		}
		r.shelf.mu.Unlock()
		if known {
			return rows, nil
		}
	}
	rows, err := r.Reader.Artifacts(r.Ctx, store.ArtifactQuery{Types: types, Modules: modules, Recent: true, Limit: most})
	if err != nil {
		return nil, err
	}
	out := make([]*store.Artifact, len(rows))
	for i := range rows {
		out[i] = &rows[i]
	}
	if r.shelf != nil && len(types) > 0 && len(modules) > 0 { // none of them are all
		r.shelf.mu.Lock()
		defer r.shelf.mu.Unlock()
		if r.current() {
			if len(r.shelf.newest) >= maxNewest {
				clear(r.shelf.newest)
			}
			r.shelf.newest[key] = &newest{types, modules, most, out}
		}
	}
	return out, nil
}

// stale gives those of some versions that are stale, in order.
func (r reading) stale(refs []brenner.Ref) ([]brenner.Ref, error) {
	var out []brenner.Ref
	missing := r.untold(refs, func(ref brenner.Ref, t *told) bool {
		known := t.since == r.shelf.era
		if known && t.stale {
			out = append(out, ref)
		}
		return known
	})
	if len(missing) > 0 {
		found, err := r.Stale(r.Ctx, missing, ledger.Carrying, brenner.MaxWalk)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
		r.learn(missing, func(ref brenner.Ref, t *told) {
			_, t.stale = slices.BinarySearchFunc(found, ref, brenner.Ref.Compare)
			t.since = r.shelf.era
		})
	}
	slices.SortFunc(out, brenner.Ref.Compare)
	return out, nil
}

// tagged gives, of those of some tags that no more than manyTagged artifacts have, who has
// them, in the order of the tags. The rows are not to be changed.
func (r reading) tagged(tags []string) ([][]*store.Artifact, error) {
	known := map[string][]brenner.ArtifactID{}
	missing := tags
	if r.shelf != nil {
		missing = nil
		r.shelf.mu.Lock()
		current := r.current()
		for _, tag := range tags {
			if ids, there := r.shelf.tagged[tag]; there && current {
				known[tag] = ids
			} else {
				missing = append(missing, tag)
			}
		}
		r.shelf.mu.Unlock()
	}
	if err := r.askTagged(missing, known); err != nil {
		return nil, err
	}
	var all []brenner.ArtifactID
	for _, ids := range known {
		all = append(all, ids...)
	}
	rows, err := r.artifacts(all)
	if err != nil {
		return nil, err
	}
	var out [][]*store.Artifact
	for _, tag := range slices.Sorted(maps.Keys(known)) {
		var group []*store.Artifact
		for _, id := range known[tag] {
			if a := rows[id]; a != nil && slices.Contains(a.Tags, tag) {
				group = append(group, a)
			}
		}
		out = append(out, group)
	}
	return out, nil
}

// askTagged adds to what is known of tags who has those of some that few have.
func (r reading) askTagged(tags []string, known map[string][]brenner.ArtifactID) error {
	if len(tags) == 0 {
		return nil
	}
	rare, err := r.RareTags(r.Ctx, tags, manyTagged)
	if err != nil || len(rare) == 0 {
		return err
	}
	rows, err := r.Tagged(r.Ctx, store.TagQuery{Tags: rare})
	if err != nil {
		return err
	}
	for _, tag := range rare {
		known[tag] = nil
		for _, a := range rows {
			if slices.Contains(a.Tags, tag) {
				known[tag] = append(known[tag], brenner.ArtifactID(strings.Clone(string(a.ID)))) // not with the text of its row
			}
		}
	}
	r.keep(rows)
	if r.shelf == nil {
		return nil
	}
	r.shelf.mu.Lock()
	defer r.shelf.mu.Unlock()
	if r.current() {
		if len(r.shelf.tagged)+len(rare) > maxTagged {
			clear(r.shelf.tagged)
		}
		for _, tag := range rare {
			r.shelf.tagged[tag] = known[tag]
		}
	}
	return nil
}

// told gives what is remembered of a version; the lock is held.
func (s *shelf) told(ref brenner.Ref) *told {
	e := s.find(ref.Artifact)
	if e == nil {
		return nil
	}
	i := slices.IndexFunc(e.versions, func(t told) bool { return t.version == ref.Version })
	if i < 0 {
		return nil
	}
	return &e.versions[i]
}

const (
	// maxTold is of how many versions of an artifact something is remembered.
	maxTold = 4
	// maxJoined is how many links of a version are remembered; one that has more is asked
	// for again.
	maxJoined = 16
	// manyLinked is how many links reach a version at most of which they say what belongs
	// to it.
	manyLinked = 256
)

// tell gives where something is remembered of a version, or nil; the lock is held.
func (s *shelf) tell(ref brenner.Ref) *told {
	if t := s.told(ref); t != nil {
		return t
	}
	e := s.find(ref.Artifact)
	if e == nil {
		return nil
	}
	e.versions = append(e.versions[max(0, len(e.versions)+1-maxTold):], told{version: ref.Version})
	return &e.versions[len(e.versions)-1]
}

// origins says where those of some versions that there are come from.
func (r reading) origins(refs []brenner.Ref) (map[brenner.Ref]origin, error) {
	out := make(map[brenner.Ref]origin, len(refs))
	missing := r.untold(refs, func(ref brenner.Ref, t *told) bool {
		if t.comes {
			out[ref] = t.origin
		}
		return t.comes
	})
	if len(missing) == 0 {
		return out, nil
	}
	versions, err := r.VersionsOf(r.Ctx, missing)
	if err != nil {
		return nil, err
	}
	for _, v := range versions {
		content, err := store.Sum(v.Content)
		if err != nil {
			return nil, err
		}
		out[v.Ref()] = origin{v.Creator, v.Task, v.Format, content}
	}
	r.learn(missing, func(ref brenner.Ref, t *told) {
		t.origin, t.comes = out[ref]
		t.creator = brenner.ActorName(r.shelf.once(string(t.creator)))
		t.task, t.format = r.shelf.once(t.task), artifact.Format(r.shelf.once(string(t.format)))
	})
	return out, nil
}

// content loads what a version says. Where its origin is known, its row is not read.
func (r reading) content(ref brenner.Ref) (artifact.Content, error) {
	v := store.Version{Artifact: ref.Artifact, Version: ref.Version}
	unknown := r.untold([]brenner.Ref{ref}, func(_ brenner.Ref, t *told) bool {
		v.Format, v.Content = t.format, store.DigestOf(t.content)
		return t.comes
	})
	if len(unknown) > 0 {
		var err error
		if v, err = r.Version(r.Ctx, ref); err != nil {
			return artifact.Content{}, err
		}
	}
	return ledger.ContentOf(r.Call, v)
}

// links gives the links from and to some versions, in order of from, rel, to, and the
// hubs among the versions: those that more than manyLinked links reach, which are not given.
func (r reading) links(refs []brenner.Ref) (up, down []store.Link, hubs []brenner.Ref, err error) {
	missing := r.untold(refs, func(ref brenner.Ref, t *told) bool {
		if t.joins {
			up, down = append(up, t.up...), append(down, t.down...)
		}
		if t.hub {
			hubs = append(hubs, ref)
		}
		return t.joins
	})
	if len(missing) > 0 {
		from, err := r.LinksFrom(r.Ctx, missing)
		if err != nil {
			return nil, nil, nil, err
		}
		unsure := missing
		if len(hubs) > 0 {
			unsure = slices.DeleteFunc(slices.Clone(missing), func(ref brenner.Ref) bool { return slices.Contains(hubs, ref) })
		}
		to, err := r.LinksTo(r.Ctx, unsure)
		if err != nil {
			return nil, nil, nil, err
		}
		found := map[brenner.Ref]joined{}
		for _, l := range from {
			j := found[l.From]
			j.up = append(j.up, l)
			found[l.From] = j
		}
		for _, l := range to {
			j := found[l.To]
			j.down = append(j.down, l)
			found[l.To] = j
		}
		many := slices.DeleteFunc(slices.Clone(unsure), func(ref brenner.Ref) bool { return len(found[ref].down) <= manyLinked })
		if len(many) > 0 {
			to = slices.DeleteFunc(to, func(l store.Link) bool { return slices.Contains(many, l.To) })
			hubs = append(hubs, many...)
		}
		up, down = append(up, from...), append(down, to...)
		r.learn(missing, func(ref brenner.Ref, t *told) {
			j := found[ref]
			if t.hub = t.hub || len(j.down) > manyLinked; t.hub {
				j.down = nil
			}
			if len(j.up)+len(j.down) <= maxJoined {
				t.joined, t.joins = j, true
			}
		})
	}
	order.By(up, compareLinks)
	order.By(down, compareLinks)
	return slices.Compact(up), slices.Compact(down), hubs, nil
}

func compareLinks(a, b store.Link) int {
	if by := a.From.Compare(b.From); by != 0 { // as it mostly is
		return by
	}
	return cmp.Or(cmp.Compare(a.Rel, b.Rel), a.To.Compare(b.To))
}

// untold lists those of some versions that are not remembered, or of which what is
// remembered does not do.
func (r reading) untold(refs []brenner.Ref, does func(brenner.Ref, *told) bool) (missing []brenner.Ref) {
	if r.shelf == nil {
		return refs
	}
	r.shelf.mu.Lock()
	defer r.shelf.mu.Unlock()
	for _, ref := range refs {
		if t := r.shelf.told(ref); t == nil || !r.current() || !does(ref, t) {
			missing = append(missing, ref)
		}
	}
	return missing
}

// learn remembers something of some versions of artifacts that are on the shelf.
func (r reading) learn(refs []brenner.Ref, what func(brenner.Ref, *told)) {
	if r.shelf == nil {
		return
	}
	r.shelf.mu.Lock()
	defer r.shelf.mu.Unlock()
	for _, ref := range refs {
		if t := r.shelf.tell(ref); t != nil && r.current() {
			what(ref, t)
		}
	}
}

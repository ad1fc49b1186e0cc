package delta

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"brenner"
)

// Options say under what rules a merge runs.
type Options struct {
	// Priority decides between simultaneous deltas, highest first; nil keeps
	// the list the artifact was merged with before.
	Priority []brenner.ActorName
	// Contributors are the agents that may contribute; nil means any.
	Contributors []brenner.ActorName
}

// Result is what a merge gives back.
type Result struct {
	// Artifact is the base itself if nothing was recorded.
	Artifact *Artifact `json:"artifact"`
	// Outcomes has one row for each delta, in the order they were given.
	Outcomes []Outcome `json:"outcomes"`
	// Warnings are findings that stop nothing, in an order that does not
	// depend on how the deltas were given.
	Warnings []brenner.Diagnostic `json:"warnings"`
}

// Recorded counts the deltas that were recorded.
func (r *Result) Recorded() int {
	n := 0
	for i := range r.Outcomes {
		if r.Outcomes[i].Recorded() {
			n++
		}
	}
	return n
}

// Merge folds deltas into an artifact; a nil base is an empty one. It never
// fails: a delta that breaks a rule is rejected alone, with a coded outcome.
//
// The result does not depend on the order of the deltas, only on the set of
// them (D3). Neither base nor deltas are changed.
func Merge(base *Artifact, deltas []Entry, opts Options) Result {
	if base == nil {
		base = &Artifact{meta: Metadata{Contributors: []brenner.ActorName{}}}
	}
	m := &merge{given: base, base: base, opts: opts, priority: base.meta.Priority, outcomes: make([]Outcome, len(deltas))}
	if given := onlyNames(opts.Priority); opts.Priority != nil && !slices.Equal(given, m.priority) {
		m.priority = given
		m.base = base.reranked(m.priority)
	}
	m.view.names = m.lookup
	m.admit(deltas)
	m.sort()
	m.unique()
	m.fold()
	for m.spareThirdAlternative() {
		m.fold()
	}
	return m.result()
}

// onlyNames drops from a list what can be no agent, and repetitions.
func onlyNames(list []brenner.ActorName) []brenner.ActorName {
	var names []brenner.ActorName
	for _, n := range list {
		if n.Check() == nil && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// merge is the state of one merge.
type merge struct {
	given    *Artifact // as the caller gave it
	base     *Artifact // the same under this merge's priority list
	opts     Options
	priority []brenner.ActorName
	outcomes []Outcome

	work     []work // deltas that passed every static check, in D3 order
	copies   []copyOf
	warnings map[*entry][]brenner.Diagnostic

	view viewer

	spared int // how often a third alternative was

	// What follows is made anew by each fold.
	sections [sectionCount]folding
	names    map[name]ItemID
	waiting  map[name][]int // work that names an item not there yet; agent "" for assigned ids
}

// work is one delta in a merge.
type work struct {
	index   int   // in the deltas as given
	second  int64 // of its instant
	entry   *entry
	outcome *Outcome
	struck  bool           // a KILL that would take the last third alternative
	draft   *draft         // the item it changes, set by fold
	fault   *brenner.Error // why fold rejected it
}

// copyOf is a second copy of a delta in the same merge: it shares the fate of
// the first.
type copyOf struct{ outcome, first *Outcome }

// folding is a section during a fold.
type folding struct {
	first   int // number of the first item added by this merge
	added   []*draft
	touched map[int]*draft // items of the base that change
	live    int
}

// draft is an item during a fold.
type draft struct {
	id              ItemID
	section, number int
	base            *Item // nil if added by this merge
	edits, kills    []int // work, in D3 order
	refreshed       bool  // it used a provisional id that is bound now
	item            *Item // what build made
	judge           *judge
}

// admit makes the checks that need no artifact.
func (m *merge) admit(deltas []Entry) {
	allowed := map[brenner.ActorName]bool{}
	for _, c := range m.opts.Contributors {
		allowed[c] = true
	}
	m.warnings = map[*entry][]brenner.Diagnostic{}
	m.work = make([]work, 0, len(deltas))
	for _, i := range byInstant(deltas) {
		in, out := &deltas[i], &m.outcomes[i]
		*out = Outcome{DeltaID: in.Delta.DeltaID, MessageID: in.Message, Agent: in.Delta.Agent, Operation: in.Delta.Operation}
		e, warnings, err := m.check(in, len(deltas), allowed)
		if err != nil {
			out.reject(err)
			continue
		}
		e.message, e.rank, e.fresh = in.Message, rankOf(m.priority, in.Delta.Agent), true
		if len(warnings) > 0 {
			m.warnings[e] = warnings
		}
		m.work = append(m.work, work{index: i, second: e.at.Unix(), entry: e, outcome: out})
	}
}

// byInstant gives the places of the deltas roughly in the order in which they
// will be folded. It decides nothing: what is visited in order is allocated in
// order, and the passes to come run through memory instead of about it.
func byInstant(deltas []Entry) []int {
	seconds := make([]int64, len(deltas))
	order := make([]int, len(deltas))
	for i := range deltas {
		order[i] = i
		if t, ok := parseInstant(deltas[i].Delta.Timestamp); ok {
			seconds[i] = t.Unix()
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(seconds[a], seconds[b]) })
	return order
}

func (m *merge) check(in *Entry, count int, allowed map[brenner.ActorName]bool) (*entry, []brenner.Diagnostic, *brenner.Error) {
	if count > brenner.MaxDeltas {
		return nil, nil, brenner.Errorf(brenner.CodeLimitExceeded, "more than %d deltas in one merge", brenner.MaxDeltas).
			WithHint("merge them in several batches")
	}
	if in.Invalid != nil {
		return nil, nil, in.Invalid
	}
	if in.Message != "" && !plain(in.Message) {
		return nil, nil, invalid("", "the message id is too long or has characters that do not show", "")
	}
	e, warnings, err := compile(in.Delta, in.Received)
	if err != nil {
		return nil, nil, err
	}
	if m.opts.Contributors != nil && !allowed[in.Delta.Agent] {
		return nil, nil, brenner.Errorf(brenner.CodeUnknownAgent, "%s is not a registered contributor", in.Delta.Agent).
			At("/agent").WithHint("register the agent, or correct its name")
	}
	return e, warnings, nil
}

// sort puts the deltas into D3 order; copies of one delta stay as given. Most
// are told apart by their instant, which is at hand without following a
// pointer.
func (m *merge) sort() {
	slices.SortFunc(m.work, func(a, b work) int {
		if a.second != b.second {
			return cmp.Compare(a.second, b.second)
		}
		if c := compare(a.entry, b.entry); c != 0 {
			return c
		}
		return a.index - b.index
	})
}

// unique sets aside what was recorded before and, of several deltas with one
// identity, all but the first in order (D8).
func (m *merge) unique() {
	seen := make(map[identity]int, len(m.work)) // place in kept
	kept := m.work[:0]
	for _, w := range m.work {
		id := w.entry.identity()
		if old, ok := m.base.recorded.get(id); ok {
			w.repeat(old)
			continue
		}
		i, ok := seen[id]
		if !ok {
			seen[id] = len(kept)
			kept = append(kept, w)
			continue
		}
		if w.repeat(kept[i].entry); w.outcome.Status == Duplicate {
			m.copies = append(m.copies, copyOf{w.outcome, kept[i].outcome})
		}
	}
	m.work = kept
}

func (e *entry) identity() identity { return identity{e.message, e.delta.DeltaID} }

// repeat judges a delta whose identity was used before.
func (w *work) repeat(first *entry) {
	if w.entry.digest() == first.digest() {
		w.outcome.Status, w.outcome.Item = Duplicate, first.item
		return
	}
	w.outcome.reject(brenner.Errorf(brenner.CodeDeltaIDReused, "delta_id %q was used for another delta", clip(w.entry.delta.DeltaID)).
		At("/delta_id").WithHint("give the delta an id of its own"))
}

// fold applies the deltas in order.
func (m *merge) fold() {
	for s := range m.sections {
		b := &m.base.sections[s]
		m.sections[s] = folding{first: b.highest + 1, touched: map[int]*draft{}, live: b.live}
	}
	m.names = map[name]ItemID{}
	m.waiting = map[name][]int{}
	for i := range m.work {
		w := &m.work[i]
		if w.draft, w.fault = nil, nil; w.struck {
			continue
		}
		if w.entry.delta.Operation == Add {
			m.add(i)
			continue
		}
		m.change(i)
	}
	for _, left := range m.waiting { // order-free: each delta gets its own outcome
		for _, i := range left {
			m.work[i].fault = badTarget(strconv.Quote(clip(string(m.work[i].entry.delta.TargetID)))+" does not exist",
				"name an existing item, or the provisional_id of an item this agent adds")
		}
	}
}

// add gives an ADD its id and applies what waited for it.
func (m *merge) add(i int) {
	w := &m.work[i]
	e, section := w.entry, w.entry.target.section
	s := &m.sections[section]
	if limit := schemas[section].Limit; limit > 0 && s.live >= limit {
		w.fault = brenner.Errorf(brenner.CodeSectionLimitExceeded, "%s holds %d live items already", e.delta.Section, limit).
			At("/section").WithHint("kill a superseded item first")
		return
	}
	bound := name{e.delta.Agent, e.delta.ProvisionalID}
	if id, taken := m.lookup(bound.agent, bound.id); bound.id != "" && taken {
		w.fault = badValue("/provisional_id", "provisional_id was used by this agent for "+string(id),
			"use a new name for a new item")
		return
	}
	number := s.first + len(s.added)
	d := &draft{id: itemID(section, number), section: section, number: number, edits: []int{i}}
	s.added = append(s.added, d)
	s.live++
	w.draft = d
	waited := m.take(name{"", string(d.id)})
	if bound.id != "" {
		m.names[bound] = d.id
		waited = append(waited, m.take(bound)...)
		slices.Sort(waited)
	}
	for _, j := range waited {
		m.change(j)
	}
}

// take removes and gives the deltas that wait for a name.
func (m *merge) take(n name) []int {
	waited := m.waiting[n]
	delete(m.waiting, n)
	return waited
}

// lookup finds what a provisional id is bound to.
func (m *merge) lookup(agent brenner.ActorName, id string) (ItemID, bool) {
	n := name{agent, id}
	if bound, ok := m.names[n]; ok {
		return bound, true
	}
	return m.base.names.get(n)
}

// change applies an EDIT or KILL to its item, or makes it wait for one.
func (m *merge) change(i int) {
	w := &m.work[i]
	t := w.entry.target
	if t.provisional != "" {
		id, ok := m.lookup(w.entry.delta.Agent, t.provisional)
		if !ok {
			m.wait(name{w.entry.delta.Agent, t.provisional}, i)
			return
		}
		section, number, _ := parseItemID(string(id))
		if section != t.section {
			w.fault = badTarget(t.provisional+" is "+string(id)+", which is not in "+string(w.entry.delta.Section),
				"write section "+string(schemas[section].Section))
			return
		}
		t.number = number
	}
	d := m.draft(t.section, t.number)
	if d == nil {
		m.wait(name{"", string(itemID(t.section, t.number))}, i)
		return
	}
	w.draft = d
	if w.entry.delta.Operation == Edit || t.cell != "" {
		d.edits = append(d.edits, i)
		return
	}
	if len(d.kills) == 0 && (d.base == nil || d.base.live()) {
		m.sections[d.section].live--
	}
	d.kills = append(d.kills, i)
}

func (m *merge) wait(n name, i int) { m.waiting[n] = append(m.waiting[n], i) }

// draft finds the item of a number, nil if there is none. The research thread
// is always there.
func (m *merge) draft(section, number int) *draft {
	s := &m.sections[section]
	if i := number - s.first; section != atThread && i >= 0 {
		if i < len(s.added) {
			return s.added[i]
		}
		return nil
	}
	if d, ok := s.touched[number]; ok {
		return d
	}
	base := m.base.sections[section].find(number)
	if base == nil && section != atThread {
		return nil
	}
	d := &draft{id: itemID(section, number), section: section, number: number, base: base}
	s.touched[number] = d
	return d
}

// drafts lists the items of a section that change, by number.
func (s *folding) drafts() []*draft {
	all := make([]*draft, 0, len(s.touched)+len(s.added))
	for _, n := range slices.Sorted(maps.Keys(s.touched)) {
		all = append(all, s.touched[n])
	}
	return append(all, s.added...)
}

// build makes the item of a draft: its deltas in order, without the edits that
// came after its death, and what they show.
func (m *merge) build(d *draft) *Item {
	it := &Item{id: d.id, section: d.section, number: d.number}
	if d.base != nil {
		it.log, it.kills = d.base.log, d.base.kills
	}
	edits := d.edits
	if len(d.kills) > 0 {
		first := m.work[d.kills[0]].entry
		if len(it.kills) == 0 || compare(first, it.kills[0]) < 0 {
			it.kills = slices.Concat([]*entry{first}, it.kills)
		}
	}
	if len(it.kills) > 0 {
		edits = slices.DeleteFunc(slices.Clone(edits), func(i int) bool { return it.hides(m.work[i].entry) })
	}
	it.log = m.insert(it.log, edits)
	m.view.show(it)
	return it
}

// insert merges new deltas into an ordered list that is shared with the base.
func (m *merge) insert(old []*entry, fresh []int) []*entry {
	if len(fresh) == 0 {
		return old
	}
	all := make([]*entry, 0, len(old)+len(fresh))
	all = append(all, old...)
	for _, i := range fresh {
		all = append(all, m.work[i].entry)
	}
	slices.SortFunc(all, compareInItem)
	return all
}

// compareInItem orders the deltas of one item: its ADD first, for what is
// older than it counts as just after it (D11), then as they come.
func compareInItem(a, b *entry) int {
	if addA, addB := a.delta.Operation == Add, b.delta.Operation == Add; addA != addB {
		if addA {
			return -1
		}
		return 1
	}
	return compare(a, b)
}

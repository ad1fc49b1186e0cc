package delta_test

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"brenner"
	"brenner/canon"
	"brenner/delta"

	"github.com/go-json-experiment/json"
)

// The oracle is a second merge, written straight from the rules and as dumb as
// can be: no indexes, no sharing, everything searched and computed anew. It
// shares with the package only the static checks (delta.Check).

type oracleDelta struct {
	delta.Delta
	message string
	at      time.Time
	payload map[string]any
	sortKey string // of D3, once computed
	content string
	said    string // the content without id and place, at the instant it counts
}

type oracleItem struct {
	section delta.Section
	number  int
	log     []*oracleDelta // recorded ADD and EDITs, no order
	kills   []*oracleDelta // recorded, no order
}

type oracleState struct {
	items    []*oracleItem
	priority []brenner.ActorName
	version  int
}

type oracleOutcome struct {
	status delta.Status
	code   brenner.Code
	item   string
}

// key writes D3 as one string that sorts.
func (s *oracleState) key(d *oracleDelta) string {
	if d.sortKey == "" {
		d.sortKey = s.makeKey(d)
	}
	return d.sortKey
}

func (s *oracleState) makeKey(d *oracleDelta) string {
	op := map[delta.Operation]string{delta.Kill: "0", delta.Add: "1", delta.Edit: "2"}[d.Operation]
	rank := slices.Index(s.priority, d.Agent)
	if rank < 0 {
		rank = len(s.priority)
	}
	if d.Operation == delta.Edit {
		rank = 900 - rank // the higher priority writes last
	}
	return fmt.Sprintf("%s|%s|%03d|%-20s|%03d|%-20s|%s|%s", d.at.Format("2006-01-02T15:04:05.000000000"), op, rank,
		d.Agent, d.Seq, d.DeltaID, canon.Sum([]byte(d.content)), d.message)
}

func (s *oracleState) before(a, b *oracleDelta) bool { return s.key(a) < s.key(b) }

func (it *oracleItem) id() string {
	if it.section == delta.ResearchThread {
		return "RT"
	}
	return prefixOf(it.section) + fmt.Sprint(it.number)
}

var prefixes = func() map[delta.Section]string {
	m := map[delta.Section]string{}
	for _, schema := range delta.Schemas() {
		m[schema.Section] = schema.Prefix
	}
	return m
}()

func prefixOf(s delta.Section) string { return prefixes[s] }

func (s *oracleState) clone() *oracleState {
	c := &oracleState{priority: s.priority, version: s.version}
	for _, it := range s.items {
		c.items = append(c.items, &oracleItem{it.section, it.number, slices.Clone(it.log), slices.Clone(it.kills)})
	}
	return c
}

// merge is Merge.
func (s *oracleState) merge(batch []delta.Entry, opts delta.Options) (*oracleState, []oracleOutcome) {
	outcomes := make([]oracleOutcome, len(batch))
	var work []*oracleDelta
	place := map[*oracleDelta]int{}
	for i, e := range batch {
		if _, err := delta.Check(e.Delta); err != nil {
			outcomes[i] = oracleOutcome{status: delta.Rejected, code: brenner.CodeOf(err)}
			continue
		}
		d := readOracle(e, opts)
		work = append(work, d)
		place[d] = i
	}
	sort.SliceStable(work, func(i, j int) bool { return s.before(work[i], work[j]) })

	// D8: recorded before, or a second copy in this merge.
	var fresh []*oracleDelta
	copies := map[*oracleDelta]*oracleDelta{}
next:
	for _, d := range work {
		for _, old := range s.recorded() {
			if old.message == d.message && old.DeltaID == d.DeltaID {
				outcomes[place[d]] = oracleOutcome{status: delta.Duplicate}
				if old.content != d.content {
					outcomes[place[d]] = oracleOutcome{status: delta.Rejected, code: brenner.CodeDeltaIDReused}
				}
				continue next
			}
		}
		for _, old := range fresh {
			if old.message == d.message && old.content == d.content {
				copies[d] = old
				continue next
			}
		}
		fresh = append(fresh, d)
	}

	// D14: fold; while no third alternative lives, spare the one killed last.
	spared := map[string]bool{}
	f := s.fold(fresh, spared)
	for f.next.lastKilledThird(s, f.where) != nil {
		spared[f.next.lastKilledThird(s, f.where).id()] = true
		f = s.fold(fresh, spared)
	}
	var repeated []*oracleDelta
	for _, d := range fresh {
		out := &outcomes[place[d]]
		switch {
		case f.waits[d]:
			*out = oracleOutcome{status: delta.Waiting, code: brenner.CodeTargetAwaited}
		case f.faults[d] != "":
			*out = oracleOutcome{status: delta.Rejected, code: f.faults[d]}
		case f.repeats[d] != nil:
			repeated = append(repeated, d)
		default:
			it := f.where[d]
			out.item = it.id()
			out.status, out.code = f.next.judge(it, d)
		}
	}
	share := func(d, first *oracleDelta) {
		o := oracleOutcome{status: delta.Duplicate}
		if i, ours := place[first]; ours {
			if o = outcomes[i]; o.status == delta.Applied || o.status == delta.Superseded || o.status == delta.Conflicted {
				o.status = delta.Duplicate
			}
		}
		outcomes[place[d]] = o
	}
	for _, d := range repeated {
		share(d, f.repeats[d])
	}
	for d, first := range copies {
		share(d, first)
	}
	// What was skipped is not recorded.
	recorded := 0
	for _, it := range f.next.items {
		drop := func(d *oracleDelta) bool {
			i, ours := place[d]
			return ours && outcomes[i].status == delta.Skipped
		}
		it.log = slices.DeleteFunc(it.log, drop)
		it.kills = slices.DeleteFunc(it.kills, drop)
		for _, d := range slices.Concat(it.log, it.kills) {
			if _, ours := place[d]; ours {
				recorded++
			}
		}
	}
	if recorded == 0 {
		return s, outcomes
	}
	f.next.version++
	return f.next, outcomes
}

// readOracle reads a delta and finds the instant at which it counts (D11).
func readOracle(e delta.Entry, opts delta.Options) *oracleDelta {
	d := &oracleDelta{Delta: e.Delta, message: e.Message, content: string(canon.MustMarshal(e.Delta))}
	d.at, _ = time.Parse(time.RFC3339Nano, strings.ToUpper(e.Delta.Timestamp))
	if !e.Received.IsZero() {
		if d.at.Before(opts.NotBefore) || e.Received.Before(d.at) {
			d.at = e.Received
		}
	}
	d.at = d.at.UTC()
	if len(e.Delta.Payload) > 0 {
		if err := json.Unmarshal(e.Delta.Payload, &d.payload); err != nil {
			panic(err)
		}
	}
	said := e.Delta
	said.DeltaID, said.Seq, said.Timestamp = "", 0, delta.FormatInstant(d.at)
	d.said = string(canon.MustMarshal(said))
	return d
}

func (s *oracleState) recorded() []*oracleDelta {
	var all []*oracleDelta
	for _, it := range s.items {
		all = append(all, it.log...)
		all = append(all, it.kills...)
	}
	return all
}

// oracleFold is what a fold gives.
type oracleFold struct {
	next    *oracleState
	where   map[*oracleDelta]*oracleItem
	faults  map[*oracleDelta]brenner.Code
	waits   map[*oracleDelta]bool
	repeats map[*oracleDelta]*oracleDelta
}

// fold applies deltas in order. One that names an item not there yet is tried
// again after every ADD.
func (s *oracleState) fold(work []*oracleDelta, spared map[string]bool) oracleFold {
	f := oracleFold{s.clone(), map[*oracleDelta]*oracleItem{}, map[*oracleDelta]brenner.Code{}, map[*oracleDelta]bool{}, map[*oracleDelta]*oracleDelta{}}
	next := f.next
	var admitted, waiting []*oracleDelta
	// D8: what says the same in its message, or has the id of what was admitted.
	shut := func(d *oracleDelta) bool {
		for _, old := range slices.Concat(s.recorded(), admitted) {
			if d.message != "" && old.message == d.message && old.said == d.said {
				f.repeats[d] = old
				return true
			}
		}
		for _, old := range admitted {
			if old.message == d.message && old.DeltaID == d.DeltaID {
				f.faults[d] = brenner.CodeDeltaIDReused
				return true
			}
		}
		return false
	}
	apply := func(d *oracleDelta) bool {
		if shut(d) {
			return true
		}
		it, code := next.target(d)
		if code != "" {
			f.faults[d] = code
			return true
		}
		if it == nil {
			return false
		}
		kills := d.Operation == delta.Kill && !strings.Contains(string(d.TargetID), ".")
		if kills && spared[it.id()] {
			f.faults[d] = brenner.CodeNoThirdAlternative
			return true
		}
		f.where[d] = it
		if !slices.ContainsFunc(it.kills, func(k *oracleDelta) bool { return s.before(k, d) }) {
			admitted = append(admitted, d)
		}
		if kills {
			it.kills = append(it.kills, d)
		} else {
			it.log = append(it.log, d)
		}
		return true
	}
	for _, d := range work {
		if d.Operation != delta.Add {
			if !apply(d) {
				waiting = append(waiting, d)
			}
			continue
		}
		if shut(d) {
			continue
		}
		highest, live := 0, 0
		for _, it := range next.items {
			if it.section == d.Section {
				highest = max(highest, it.number)
				if len(it.kills) == 0 {
					live++
				}
			}
		}
		if d.Section == delta.HypothesisSlate && live >= 6 {
			f.faults[d] = brenner.CodeSectionLimitExceeded
			continue
		}
		if d.ProvisionalID != "" && next.bound(d.Agent, d.ProvisionalID) != nil {
			f.faults[d] = brenner.CodeDeltaIDReused
			continue
		}
		it := &oracleItem{section: d.Section, number: highest + 1, log: []*oracleDelta{d}}
		next.items = append(next.items, it)
		f.where[d] = it
		admitted = append(admitted, d)
		waiting = slices.DeleteFunc(waiting, func(d *oracleDelta) bool {
			// Whether it is shut out is asked when its item is there, not before.
			if it, code := next.target(d); it == nil && code == "" {
				return false
			}
			return apply(d)
		})
	}
	for _, d := range waiting {
		if shut(d) {
			continue
		}
		if row, _, _ := strings.Cut(string(d.TargetID), "."); strings.Contains(row, "new-") {
			f.waits[d] = true // D4
		} else {
			f.faults[d] = brenner.CodeInvalidTarget
		}
	}
	return f
}

func (s *oracleState) bound(agent brenner.ActorName, name string) *oracleItem {
	if owner, theirs, foreign := strings.Cut(name, ":"); foreign { // AGENT:NAME (D4)
		agent, name = brenner.ActorName(owner), theirs
	}
	for _, it := range s.items {
		for _, d := range it.log {
			if d.Operation == delta.Add && d.Agent == agent && d.ProvisionalID == name {
				return it
			}
		}
	}
	return nil
}

func (s *oracleState) byID(id string) *oracleItem {
	for _, it := range s.items {
		if it.id() == id {
			return it
		}
	}
	return nil
}

func (s *oracleState) target(d *oracleDelta) (*oracleItem, brenner.Code) {
	if d.Section == delta.ResearchThread {
		if it := s.byID("RT"); it != nil {
			return it, ""
		}
		it := &oracleItem{section: delta.ResearchThread, number: 1}
		s.items = append(s.items, it)
		return it, ""
	}
	row, _, _ := strings.Cut(string(d.TargetID), ".")
	if strings.Contains(row, "new-") {
		it := s.bound(d.Agent, row)
		if it != nil && it.section != d.Section {
			return nil, brenner.CodeInvalidTarget
		}
		return it, ""
	}
	return s.byID(row), ""
}

func (s *oracleState) killOf(it *oracleItem) *oracleDelta {
	var first *oracleDelta
	for _, k := range it.kills {
		if first == nil || s.before(k, first) {
			first = k
		}
	}
	return first
}

// visible lists the writes that show: the ADD, then the edits before death.
func (s *oracleState) visible(it *oracleItem) []*oracleDelta {
	log := slices.Clone(it.log)
	kill := s.killOf(it)
	if kill != nil {
		log = slices.DeleteFunc(log, func(d *oracleDelta) bool { return d.Operation != delta.Add && s.before(kill, d) })
	}
	sort.Slice(log, func(i, j int) bool {
		if a, b := log[i].Operation == delta.Add, log[j].Operation == delta.Add; a != b {
			return a
		}
		return s.before(log[i], log[j])
	})
	return log
}

var (
	oracleLists = []string{"anchors", "labels", "conflicts_with"}
	oracleMaps  = []string{"predictions", "expected_outcomes", "actual_outcomes", "score"}
)

func (s *oracleState) resolve(d *oracleDelta, key string) string {
	if strings.Contains(key, "new-") {
		if it := s.bound(d.Agent, key); it != nil {
			return it.id()
		}
	}
	return key
}

// oracleWrite is one value for one slot: a field, or field.key.
type oracleWrite struct {
	d      *oracleDelta
	slot   string
	value  string
	killed bool
}

func (s *oracleState) writes(it *oracleItem) []oracleWrite {
	var all []oracleWrite
	for _, d := range s.visible(it) {
		if row, key, ok := strings.Cut(string(d.TargetID), "."); ok && row != "" {
			slot := "predictions." + s.resolve(d, key)
			if d.Operation == delta.Kill {
				all = append(all, oracleWrite{d, slot, "", true})
			} else {
				all = append(all, oracleWrite{d, slot, string(canon.MustMarshal(d.payload["outcome"])), false})
			}
			continue
		}
		for name, v := range d.payload {
			switch {
			case name == "replace" || strings.HasSuffix(name, "_replace") || slices.Contains(oracleLists, name):
			case slices.Contains(oracleMaps, name):
				for key, value := range v.(map[string]any) {
					all = append(all, oracleWrite{d, name + "." + s.resolve(d, key), string(canon.MustMarshal(value)), false})
				}
			default:
				all = append(all, oracleWrite{d, name, string(canon.MustMarshal(v)), false})
			}
		}
	}
	return all
}

// winners gives the writes of a slot between which nothing decides (D10).
func (s *oracleState) winners(all []oracleWrite, slot string) []oracleWrite {
	var of []oracleWrite
	for _, w := range all {
		if w.slot == slot {
			of = append(of, w)
		}
	}
	group := func(w oracleWrite) string { // instant, operation and rank; an ADD below all
		if w.d.Operation == delta.Add {
			return ""
		}
		return strings.Join(strings.Split(s.key(w.d), "|")[:3], "|")
	}
	best := ""
	for _, w := range of {
		best = max(best, group(w))
	}
	of = slices.DeleteFunc(of, func(w oracleWrite) bool { return group(w) != best })
	kept := slices.DeleteFunc(slices.Clone(of), func(w oracleWrite) bool {
		return slices.ContainsFunc(of, func(o oracleWrite) bool {
			return o.d.Agent == w.d.Agent && o.d.message == w.d.message && o.d.Seq > w.d.Seq
		})
	})
	return kept
}

// list gives the elements of a list field, by the definition of D5.
func (s *oracleState) list(it *oracleItem, field string) (list []string, written bool) {
	log := s.visible(it)
	elements := func(d *oracleDelta) []string {
		var out []string
		if v, ok := d.payload[field].([]any); ok {
			for _, el := range v {
				text := el.(string)
				if field == "conflicts_with" {
					text = s.resolve(d, text)
				}
				out = append(out, text)
			}
		}
		return out
	}
	replaces := func(d *oracleDelta) bool {
		_, has := d.payload[field]
		return has && d.Operation == delta.Edit && (d.payload["replace"] == true || d.payload[field+"_replace"] == true)
	}
	type placed struct {
		text      string
		at, inner int
	}
	var present []placed
	for i, d := range log {
		if _, has := d.payload[field]; has && (replaces(d) || len(elements(d)) > 0) {
			written = true
		}
		for j, v := range elements(d) {
			if slices.ContainsFunc(present, func(p placed) bool { return p.text == v }) {
				continue
			}
			latestAdd, latestLacking := -1, -1
			for k, o := range log {
				if slices.Contains(elements(o), v) {
					latestAdd = k
				} else if replaces(o) {
					latestLacking = k
				}
			}
			if latestAdd > latestLacking && i > latestLacking {
				present = append(present, placed{v, i, j})
			}
		}
	}
	slices.SortStableFunc(present, func(a, b placed) int { return cmp.Or(a.at-b.at, a.inner-b.inner) })
	list = []string{}
	for _, p := range present {
		list = append(list, p.text)
	}
	return list, written
}

func (s *oracleState) isThird(it *oracleItem) bool {
	r := s.show(it)
	return r.Fields["third_alternative"] == "true" || strings.Contains(strings.ToLower(r.Fields["name"]), "third alternative") ||
		slices.ContainsFunc(r.Lists["labels"], func(l string) bool { return strings.EqualFold(l, "third alternative") })
}

// lastKilledThird finds, if no third alternative lives, the one that this merge
// killed last; a kill older than its ADD counts as just after it (D14, D11).
func (s *oracleState) lastKilledThird(base *oracleState, where map[*oracleDelta]*oracleItem) *oracleItem {
	var last *oracleItem
	lastAt := ""
	for _, it := range s.items {
		if it.section != delta.HypothesisSlate || !s.isThird(it) {
			continue
		}
		kill := s.killOf(it)
		if kill == nil {
			return nil
		}
		if old := base.byID(it.id()); old != nil && len(old.kills) > 0 || where[kill] == nil {
			continue
		}
		at := s.key(kill)
		for _, d := range it.log {
			if d.Operation == delta.Add {
				at = max(at, s.key(d))
			}
		}
		if at > lastAt {
			last, lastAt = it, at
		}
	}
	return last
}

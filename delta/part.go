package delta

import (
	"slices"
	"strings"
	"time"

	"brenner"
)

// Part chooses what of an artifact is shown; the zero value chooses all.
type Part struct {
	Sections []Section // none: every section
	Items    []ItemID  // none: every item of the sections
	// Since leaves out the items that this earlier version shows alike; nil:
	// none is left out.
	Since *Artifact
}

// Sections lists the ids of the sections in their order.
func Sections() []Section {
	out := make([]Section, len(schemas))
	for i := range schemas {
		out[i] = schemas[i].Section
	}
	return out
}

// RenderPart writes the chosen items as Render does, without the front matter,
// each followed by who wrote it. A section without a chosen item is left out,
// unless it was asked for by name.
func RenderPart(a *Artifact, p Part) string {
	r := &renderer{artifact: a}
	for s := range schemas {
		named := slices.Contains(p.Sections, schemas[s].Section)
		if len(p.Sections) > 0 && !named {
			continue
		}
		list := a.sections[s].shown(s)
		instead := emptySection(s)
		switch {
		case len(list) > 0 && p.Since != nil:
			instead = "Unchanged"
		case len(list) > 0:
			instead = "None of those asked for"
		}
		list = slices.DeleteFunc(list, func(it *Item) bool { return !p.takes(a, it) })
		if len(list) == 0 && !named {
			continue
		}
		r.line("## " + itoa(s+1) + ". " + schemas[s].Title)
		r.part(s, list, instead)
		r.line("")
	}
	return r.out.String()
}

// part writes the chosen items of a section, or what to say instead if there
// are none.
func (r *renderer) part(s int, list []*Item, instead string) {
	if len(list) == 0 {
		r.line("")
		r.line(instead)
		return
	}
	rest := list
	if s == atPredictions {
		rest = r.table(list)
	}
	for _, it := range rest {
		r.line("")
		r.item(it)
	}
	r.line("")
	for _, it := range list {
		r.line(string(it.ID()) + " by " + joinAuthors(it.Authors()))
	}
}

// takes reports whether an item is chosen.
func (p *Part) takes(a *Artifact, it *Item) bool {
	if len(p.Items) > 0 && !slices.Contains(p.Items, it.ID()) {
		return false
	}
	if p.Since == nil {
		return true
	}
	before, ok := p.Since.Item(it.ID())
	return !ok || shownAlone(p.Since, before) != shownAlone(a, it)
}

// shownAlone is an item as it is shown by itself.
func shownAlone(a *Artifact, it *Item) string {
	r := &renderer{artifact: a}
	r.item(it)
	return r.out.String()
}

// Authors lists who wrote an item: who added it first, then who changed or
// killed it, in order.
func (it *Item) Authors() []brenner.ActorName {
	var out []brenner.ActorName
	for _, e := range slices.Concat(it.log, it.kills) {
		if !slices.Contains(out, e.agent) {
			out = append(out, e.agent)
		}
	}
	return out
}

// WroteAfter says whether somebody added or changed an item after an instant.
func (it *Item) WroteAfter(who brenner.ActorName, instant time.Time) bool {
	return slices.ContainsFunc(it.log, func(e *entry) bool { return e.agent == who && e.at().After(instant) })
}

// LastChange is the delta that an item took last, with why its author sent it, and its
// effective instant: of one that was killed, the KILL that counts.
func (it *Item) LastChange() (Delta, time.Time) {
	last := it.log[len(it.log)-1]
	if !it.live() {
		last = it.kills[0]
	}
	return last.sent(), last.at()
}

// Sole is the delta that an item is all of; not ok if it took several, or if the
// item was killed.
func (it *Item) Sole() (d Delta, ok bool) {
	if len(it.log) != 1 || len(it.kills) > 0 {
		return Delta{}, false
	}
	return it.log[0].sent(), true
}

// DeltasSince are the deltas that an item took beyond an earlier version of its artifact,
// all of them beyond none. Not ok if they do not tell what it says now: if two agents
// edited one field, if a field is in conflict or does not say what the last edit of it
// said, or if several killed it.
func (it *Item) DeltasSince(from *Artifact) (out []Delta, ok bool) {
	type place struct {
		field uint8
		key   string
	}
	type by struct {
		agent brenner.ActorName
		wrote *write
	}
	last := map[place]by{}
	for _, e := range slices.Concat(it.log, it.kills) {
		if from != nil {
			if _, known := from.recorded.lookup(e.identity()); known {
				continue
			}
		}
		out = append(out, e.sent())
		if e.op == opAdd {
			continue // whatever edits it comes after it
		}
		for i := range e.writes {
			w := &e.writes[i]
			at := place{w.field, w.key}
			if before, twice := last[at]; twice && before.agent != e.agent {
				return nil, false
			}
			last[at] = by{e.agent, w}
		}
	}
	for _, b := range last { // order-free: any that does not say so decides
		if !it.says(b.wrote) {
			return nil, false
		}
	}
	return out, len(it.kills) < 2 && !it.contended
}

// Knowing gives the artifact with one item as somebody knows it who has an earlier version,
// nil for none, and was shown some deltas since: what else became of it, Changes tells from
// there. Not ok if that is all of the item or does not begin with its ADD, or if those deltas
// do not tell what it said.
func (a *Artifact) Knowing(id ItemID, from *Artifact, shown func(Delta) bool) (*Artifact, bool) {
	it, ok := a.Item(id)
	if !ok {
		return nil, false
	}
	known := func(e *entry) bool {
		if from != nil {
			if _, had := from.recorded.lookup(e.identity()); had {
				return true
			}
		}
		return shown(e.sent())
	}
	before := &Item{id: it.id, section: it.section, number: it.number}
	recorded := newRoll[identity](len(it.log) + len(it.kills))
	take := func(list []*entry) (out []*entry) {
		for _, e := range list {
			if known(e) {
				out = append(out, e)
				recorded.enter(e)
			}
		}
		return out
	}
	before.log, before.kills = take(it.log), take(it.kills)
	if len(before.log) == 0 || before.log[0] != it.log[0] || len(before.log)+len(before.kills) == len(it.log)+len(it.kills) {
		return nil, false
	}
	view := viewer{names: a.lookup}
	view.show(before)
	if _, told := before.DeltasSince(from); !told {
		return nil, false
	}
	out := *a
	section := &out.sections[it.section]
	list := section.list.edit()
	at, _ := list.search(it.number)
	list.set(at, before)
	section.list, out.recorded = list.sequence, rolls[identity]{lower: recorded}
	return &out, true
}

// says says whether a text, or a key of a map, says what was written there. Lists take
// what is added to them.
func (it *Item) says(w *write) bool {
	if w.mode != set {
		return true
	}
	i := slices.IndexFunc(it.fields, func(f shown) bool { return f.field == w.field && (w.field != unknownField || f.name() == w.key) })
	if i < 0 || w.field == unknownField || w.key == "" {
		return i >= 0 && it.fields[i].value == w.value
	}
	f := &it.fields[i]
	return f.parts != nil && slices.ContainsFunc(f.parts.cells, func(c cell) bool { return c.key == w.key && c.value == w.value && c.dropped == nil })
}

func joinAuthors(names []brenner.ActorName) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = escape(string(n))
	}
	return strings.Join(out, ", ")
}

// AuthorsSince lists who wrote what an item says beyond an earlier version of its
// artifact.
func (it *Item) AuthorsSince(from *Artifact) []brenner.ActorName {
	var out []brenner.ActorName
	for _, e := range slices.Concat(it.log, it.kills) {
		if _, known := from.recorded.lookup(e.identity()); !known && !slices.Contains(out, e.agent) {
			out = append(out, e.agent)
		}
	}
	return out
}

// ContributorsSince lists who wrote what a later version of an artifact holds
// beyond an earlier one, in the order of their items.
func ContributorsSince(from, to *Artifact) []brenner.ActorName {
	var out []brenner.ActorName
	for s := range to.sections {
		for _, it := range to.sections[s].list.all() {
			if from.sections[s].find(it.number) == it {
				continue
			}
			for _, e := range slices.Concat(it.log, it.kills) {
				if _, known := from.recorded.lookup(e.identity()); !known && !slices.Contains(out, e.agent) {
					out = append(out, e.agent)
				}
			}
		}
	}
	return out
}

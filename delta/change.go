package delta

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Changes gives the chosen items that an earlier version, p.Since, shows
// otherwise: a new one as Passages does, of the others the fields that say
// something else now, of a long text only the part that does, and beside a short
// one what it said before.
func Changes(a *Artifact, p Part) []Passage {
	return p.passages(a, func(it *Item) Passage {
		before, ok := p.Since.Item(it.ID())
		if !ok {
			return passageOf(a, it, false)
		}
		c := changeWriter{now: plainWriter{artifact: a, item: it}, before: plainWriter{artifact: p.Since, item: before}}
		return c.passage()
	})
}

// longestBefore is how long a value may be to be shown beside the one that took
// its place.
const longestBefore = 200

// changeWriter writes what became of one item.
type changeWriter struct {
	now, before plainWriter
	inPart      bool // of some text only what changed is written
}

func (c *changeWriter) passage() Passage {
	it, old := c.now.item, c.before.item
	by := it.AuthorsSince(c.before.artifact)
	said := ""
	if len(by) > 0 {
		said = " · changed by " + joinPlain(by)
	}
	title := c.now.heading(said)
	name := nameField(it.section)
	c.was(it.Text(name), old.Text(name))
	if f := it.field(name); f != nil {
		c.now.candidates("", f.rival())
	}
	if death := it.Killed(); death != nil {
		c.now.line("Killed by", string(death.By))
		c.now.line("Reason", reasonOf(death))
	}
	now, before := shownFields(it), shownFields(old)
	main := mainField[it.section]
	for i := range it.fields {
		if f := &it.fields[i]; leads(it, f) {
			c.field(f, before[f.name()])
		}
	}
	c.field(now[main], before[main])
	if !it.live() && !old.live() {
		return Passage{Section: it.Section(), Item: it.ID(), Title: title, Text: c.now.out.String(), InPart: c.inPart}
	}
	for i := range it.fields {
		if n := it.fields[i].name(); n != main && n != name && !leads(it, &it.fields[i]) {
			c.field(now[n], before[n])
		}
	}
	for i := range old.fields {
		if n := old.fields[i].name(); n != main && n != name && now[n] == nil {
			c.field(nil, before[n])
		}
	}
	return Passage{Section: it.Section(), Item: it.ID(), Title: title, Text: c.now.out.String(), InPart: c.inPart}
}

// shownFields are the fields of an item by their names.
func shownFields(it *Item) map[string]*shown {
	out := make(map[string]*shown, len(it.fields))
	for i := range it.fields {
		out[it.fields[i].name()] = &it.fields[i]
	}
	return out
}

// field writes what became of one field, nothing if it says what it said.
func (c *changeWriter) field(f, old *shown) {
	text := c.now.alone(f)
	if text == c.before.alone(old) {
		return
	}
	if text == "" {
		said := "says nothing any more"
		if c.before.label(old) == unread {
			said = alsoName(old.name()) + " " + said
		}
		c.now.line(c.before.label(old), said)
		return
	}
	kind := c.now.item.kind(f)
	switch {
	case old == nil || f.rival() != nil:
		c.now.out.WriteString(text)
	case kind == KindList:
		c.list(f)
	case kind == KindOutcomes || kind == KindScore:
		c.cells(f, old)
	default:
		before := c.before.named(old.text())
		if part, ok := changedPassages(before, c.now.named(f.text())); ok && kind != KindReferences {
			if c.now.label(f) == unread {
				part = alsoName(f.name()) + " = " + part
			}
			c.now.line(c.now.label(f), part)
			c.inPart = true
			return
		}
		c.now.out.WriteString(text)
		if kind != KindReferences {
			c.was("", before)
		}
	}
}

// list names what came to a list and what left it.
func (c *changeWriter) list(f *shown) {
	now, old := c.now.item.List(f.name()), c.before.item.List(f.name())
	var parts []string
	if more := beyond(now, old); len(more) > 0 {
		parts = append(parts, "now also "+strings.Join(more, ", "))
	}
	if less := beyond(old, now); len(less) > 0 {
		parts = append(parts, "no longer "+strings.Join(less, ", "))
	}
	if len(parts) == 0 {
		parts = now // in another order
	}
	c.now.line(c.now.label(f), strings.Join(parts, "; "))
}

// beyond lists what one list has and another has not.
func beyond(list, other []string) []string {
	has := make(map[string]bool, len(other))
	for _, s := range other {
		has[s] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return has[s] })
}

// cells writes the cells of a map that say something else now, but for those of which only
// their hypothesis was killed: nobody changed them.
func (c *changeWriter) cells(f, old *shown) {
	before, now := c.before.cellTexts(old), c.now.cellTexts(f)
	stood, stands := valuesOf(before), valuesOf(now)
	var parts, was []string
	for _, p := range now {
		value, had := stood[p.Key]
		if had && value == p.Value {
			continue
		}
		if f.name() == "predictions" && p.Value == notApplicable(value) {
			continue // the hypothesis was killed, which is told of that
		}
		if part, ok := changedPassages(value, p.Value); ok {
			parts, c.inPart = append(parts, p.Key+" = "+part), true
			continue
		}
		parts = append(parts, p.Key+" = "+p.Value)
		if value != "" {
			was = append(was, p.Key+" = "+value)
		}
	}
	for _, p := range before {
		if _, has := stands[p.Key]; !has {
			parts = append(parts, p.Key+" is gone")
		}
	}
	text := strings.Join(parts, "; ")
	if f.name() == "score" {
		text += c.now.total()
	}
	c.now.line(c.now.label(f), text)
	c.was("", strings.Join(was, "; "))
	for i := range f.cells() {
		cell := &f.cells()[i]
		c.now.candidates(cell.key+" = ", cell.rival)
	}
}

func valuesOf(pairs []Pair) map[string]string {
	out := make(map[string]string, len(pairs))
	for _, p := range pairs {
		out[p.Key] = p.Value
	}
	return out
}

// was writes what stood where something else stands now, if it is short.
func (c *changeWriter) was(now, before string) {
	if now != before && utf8.RuneCountInString(before) <= longestBefore {
		c.now.line("Was", before)
	}
}

// alone is a field as it is written, "" if there is none.
func (w *plainWriter) alone(f *shown) string {
	if f == nil {
		return ""
	}
	one := plainWriter{artifact: w.artifact, item: w.item}
	one.field(f)
	return one.out.String()
}

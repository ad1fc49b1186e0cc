package delta

import (
	"slices"
	"strings"

	"brenner"

	"github.com/go-json-experiment/json/jsontext"
)

// Comparison says what changed between two versions of an artifact.
type Comparison struct {
	FromVersion  int                 `json:"from_version"`
	ToVersion    int                 `json:"to_version"`
	Contributors []brenner.ActorName `json:"contributors"` // new ones
	Items        []ItemChange        `json:"items"`
}

// ItemChange says what changed in one item.
type ItemChange struct {
	Item   ItemID        `json:"item"`
	Added  bool          `json:"added,omitzero"`
	Killed bool          `json:"killed,omitzero"`
	Fields []FieldChange `json:"fields,omitzero"`
}

// FieldChange is a field, or a key of a map field, before and after. A value
// that was not there is absent; one in conflict is the string CONFLICT.
type FieldChange struct {
	Field  string         `json:"field"` // claim, or predictions.H2
	Before jsontext.Value `json:"before,omitzero"`
	After  jsontext.Value `json:"after,omitzero"`
}

// Compare lists what shows differently in a later version, item by item and
// field by field. Items that both versions share are not looked into.
func Compare(from, to *Artifact) Comparison {
	c := Comparison{
		FromVersion: from.meta.Version, ToVersion: to.meta.Version,
		Contributors: []brenner.ActorName{}, Items: []ItemChange{},
	}
	for _, agent := range to.meta.Contributors {
		if !slices.Contains(from.meta.Contributors, agent) {
			c.Contributors = append(c.Contributors, agent)
		}
	}
	for s := range to.sections {
		for _, it := range to.sections[s].list.all() {
			if before := from.sections[s].find(it.number); before != it {
				c.item(before, it)
			}
		}
	}
	return c
}

func (c *Comparison) item(before, after *Item) {
	change := ItemChange{Item: after.ID(), Added: before == nil, Fields: fieldChanges(before, after)}
	change.Killed = !after.live() && (before == nil || before.live())
	if change.Added || change.Killed || len(change.Fields) > 0 {
		c.Items = append(c.Items, change)
	}
}

func fieldChanges(before, after *Item) []FieldChange {
	var old map[string]jsontext.Value
	if before != nil {
		_, old = before.slots()
	}
	names, now := after.slots()
	if before != nil {
		gone, _ := before.slots()
		names = append(names, slices.DeleteFunc(gone, func(n string) bool { return now[n] != nil })...)
	}
	var changes []FieldChange
	for _, name := range names {
		if string(old[name]) != string(now[name]) {
			changes = append(changes, FieldChange{name, old[name], now[name]})
		}
	}
	return changes
}

// slots gives what an item shows as one value for each field or key, with
// their names in order.
func (it *Item) slots() ([]string, map[string]jsontext.Value) {
	var names []string
	values := map[string]jsontext.Value{}
	put := func(name, value string, rival []candidate) {
		if rival != nil {
			value = quote(Unsettled)
		}
		names = append(names, name)
		values[name] = jsontext.Value(value)
	}
	for i := range it.fields {
		f := &it.fields[i]
		switch it.kind(f) {
		case KindList, KindReferences:
			put(f.name(), listText(f.list()), nil)
		case KindOutcomes, KindScore:
			for k := range f.cells() {
				if c := &f.cells()[k]; !c.gone() {
					put(f.name()+"."+c.key, c.value, c.rival)
				}
			}
		default:
			put(f.name(), f.value, f.rival())
		}
	}
	return names, values
}

// listText is the JSON of a list.
func listText(elements []string) string { return "[" + strings.Join(elements, ",") + "]" }

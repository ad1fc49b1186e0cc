// Package harvest says what typed artifacts the items of a session's document
// are (A5): a hypothesis is a model, a test or a prediction a plan of a test, an
// assumption and a critique are what they are called.
//
// An item's content depends on that item and on nothing else, so that its digest
// changes when the item does and not with every version of the session. Which
// items rest on which is beside it, for links between the artifacts.
//
// The package knows documents and artifacts, not which are there already: to
// write what changed is the service's.
package harvest

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/artifact"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/lazy"

	"github.com/go-json-experiment/json/jsontext"
)

// Item is an item of a session as the artifact that it becomes.
type Item struct {
	ID      delta.ItemID
	Type    brenner.TypeName
	Summary string
	// Content is canonical JSON of the type.
	Content jsontext.Value
	// Rests are the items it rests on: the assumptions that carry a hypothesis,
	// the hypotheses that a test or a prediction tells apart.
	Rests []delta.ItemID
	// Reviews are the items that a critique is about.
	Reviews []delta.ItemID
	// Killed says who killed it, when and why; nil while it lives.
	Killed *delta.Death
}

// Artifact is the id of the artifact that an item of a session becomes.
func Artifact(session brenner.ArtifactID, item delta.ItemID) brenner.ArtifactID {
	return brenner.ArtifactID(string(session) + "-" + string(item))
}

// Items lists the items of a document that are artifacts, killed ones included,
// those that others rest on first. The research thread and the anomalies stay
// where they are.
func Items(doc *delta.Artifact) []Item {
	var out []Item
	for _, row := range rows {
		for _, it := range inOrder(doc.Items(row.section)) {
			item := Item{ID: it.ID(), Type: row.typ, Summary: summary(it, row.name), Content: canon.MustMarshal(row.content(it)), Killed: it.Killed()}
			if row.rests != nil {
				item.Rests = living(doc, it, row.rests(doc, it))
			}
			if row.reviews != nil {
				item.Reviews = living(doc, it, row.reviews(it))
			}
			out = append(out, item)
		}
	}
	return out
}

// row says what the items of a section become.
type row struct {
	section delta.Section
	typ     brenner.TypeName
	name    []string // the fields of which the first that is there is its name
	content func(*delta.Item) map[string]any
	rests   func(*delta.Artifact, *delta.Item) []string
	reviews func(*delta.Item) []string
}

var rows = []row{
	{
		section: delta.AssumptionLedger, typ: artifact.TypeAssumption, name: []string{"name", "statement"},
		content: func(it *delta.Item) map[string]any {
			return fields(it, map[string]string{
				"name": "name", "statement": "statement", "load": "load", "test": "test", "status": "status",
				"calculation": "basis", "implication": "implication",
			})
		},
	},
	{
		section: delta.HypothesisSlate, typ: artifact.TypeModelSpec, name: []string{"name", "claim"},
		content: func(it *delta.Item) map[string]any {
			c := fields(it, map[string]string{"name": "name", "claim": "description", "mechanism": "mechanism"})
			if c["name"] == nil {
				c["name"] = clip(it.Text("claim"))
			}
			if it.Flag("third_alternative") {
				c["third_alternative"] = true
			}
			return c
		},
		rests: carriers,
	},
	{
		section: delta.PredictionsTable, typ: artifact.TypeTestPlan, name: []string{"condition"},
		content: func(it *delta.Item) map[string]any {
			c := fields(it, map[string]string{"condition": "condition"})
			c["name"] = clip(it.Text("condition"))
			return outcomes(c, it, "predictions", "expected_outcomes")
		},
		rests: func(_ *delta.Artifact, it *delta.Item) []string { return keys(it, "predictions") },
	},
	{
		section: delta.DiscriminativeTests, typ: artifact.TypeTestPlan, name: []string{"name", "procedure"},
		content: func(it *delta.Item) map[string]any {
			c := fields(it, map[string]string{
				"name": "name", "procedure": "procedure", "discriminates": "discriminates", "potency_check": "potency_check",
				"feasibility": "feasibility", "status": "status", "last_run": "last_run",
			})
			outcomes(c, it, "expected_outcomes", "expected_outcomes")
			outcomes(c, it, "actual_outcomes", "actual_outcomes")
			return outcomes(c, it, "score", "score")
		},
		rests: func(_ *delta.Artifact, it *delta.Item) []string { return keys(it, "expected_outcomes") },
	},
	{
		section: delta.AdversarialCritique, typ: artifact.TypeCritique, name: []string{"name", "attack"},
		content: func(it *delta.Item) map[string]any {
			return fields(it, map[string]string{
				"name": "name", "attack": "finding", "evidence": "evidence", "proposed_alternative": "recommendation", "current_status": "status",
			})
		},
		reviews: func(it *delta.Item) []string { return named(it.Text("name"), it.Text("attack")) },
	},
}

// fields takes over the texts of an item, and what every item has. A field that
// was never written stays out.
func fields(it *delta.Item, names map[string]string) map[string]any {
	c := map[string]any{"item": string(it.ID())}
	for from, to := range names { // order-free: a map is made of it
		if text := it.Text(from); text != "" {
			c[to] = text
		}
	}
	for _, list := range []string{"anchors", "labels", "references"} {
		if l := it.List(list); len(l) > 0 {
			c[list] = l
		}
	}
	return c
}

// outcomes takes over a map field.
func outcomes(c map[string]any, it *delta.Item, from, to string) map[string]any {
	values := map[string]string{}
	for _, p := range it.Pairs(from) {
		values[p.Key] = p.Value
	}
	if len(values) > 0 {
		c[to] = values
	}
	return c
}

func keys(it *delta.Item, field string) []string {
	var out []string
	for _, p := range it.Pairs(field) {
		out = append(out, p.Key)
	}
	return out
}

// carriers are the assumptions whose load names a hypothesis: it falls with
// them.
func carriers(doc *delta.Artifact, h *delta.Item) []string {
	var out []string
	for _, a := range doc.Items(delta.AssumptionLedger) {
		if slices.Contains(named(a.Text("load")), string(h.ID())) {
			out = append(out, string(a.ID()))
		}
	}
	return out
}

// itemWord is the id of an item as it stands in a sentence.
var itemWord = lazy.NewPattern(`\b[HPTA][1-9][0-9]{0,8}\b`)

// named lists the items that texts name.
func named(texts ...string) []string {
	return itemWord.FindAllString(strings.Join(texts, "\n"), -1)
}

// living keeps, in order and once each, the items that live in a document and
// are not the item itself.
func living(doc *delta.Artifact, self *delta.Item, ids []string) []delta.ItemID {
	var out []delta.ItemID
	for _, id := range ids {
		other, ok := doc.Item(delta.ItemID(id))
		if ok && other.Killed() == nil && other.ID() != self.ID() && becomes(other) && !slices.Contains(out, other.ID()) {
			out = append(out, other.ID())
		}
	}
	slices.SortFunc(out, compare)
	return out[:min(len(out), maxLinked)]
}

// maxLinked bounds how many items one is linked to.
const maxLinked = 100

// becomes reports whether an item is an artifact.
func becomes(it *delta.Item) bool {
	return slices.ContainsFunc(rows, func(r row) bool { return r.section == it.Section() })
}

// inOrder sorts items by their number: a score does not move what is written.
func inOrder(items []*delta.Item) []*delta.Item {
	slices.SortFunc(items, func(a, b *delta.Item) int { return compare(a.ID(), b.ID()) })
	return items
}

// compare orders ids by section and number.
func compare(a, b delta.ItemID) int {
	if a[0] != b[0] {
		return int(a[0]) - int(b[0])
	}
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(string(a), string(b))
}

// summary says an item in one line.
func summary(it *delta.Item, names []string) string {
	for _, n := range names {
		if text := it.Text(n); text != "" {
			return clip(fmt.Sprintf("%s: %s", it.ID(), text))
		}
	}
	return string(it.ID())
}

// clip brings a text to one line of a summary's length.
func clip(text string) string {
	return brenner.Clip(strings.Join(strings.Fields(text), " "), brenner.MaxSummaryRunes-1)
}

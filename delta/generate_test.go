package delta_test

import (
	"fmt"
	"strings"

	"brenner"
	"brenner/delta"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// Four instants, one of them written in three ways: most deltas of a case meet
// others at their instant.
var someInstants = []string{
	"2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", "2026-01-01t00:00:00.000z",
	"2026-01-01T00:00:01Z", "2026-01-01T00:00:01.5Z", "2026-01-01T00:00:02Z",
}

var someAgents = []brenner.ActorName{"Ann", "Bob", "Cy"}

// caseGen draws the deltas of one case.
type caseGen struct {
	*rapid.T
	count int
	// clean keeps out what split invariance does not claim: limits, kills of
	// hypotheses, targets that name ids assigned inside the set.
	clean bool
	made  []delta.Entry
}

func (g *caseGen) pick(n int) int         { return rapid.IntRange(0, n-1).Draw(g.T, "n") }
func (g *caseGen) chance(of int) bool     { return g.pick(of) == 0 }
func (g *caseGen) one(s ...string) string { return s[g.pick(len(s))] }

// entry draws one delta.
func (g *caseGen) entry() delta.Entry {
	if len(g.made) > 0 && g.chance(12) {
		e := g.made[g.pick(len(g.made))] // the same delta again
		if e.Message != "" && g.chance(2) {
			g.count++ // under another id, in another place of its message
			e.Delta.DeltaID, e.Delta.Seq = fmt.Sprintf("d%d", g.count), g.pick(3)
			g.made = append(g.made, e)
		}
		return e
	}
	g.count++
	d := delta.Delta{
		DeltaID: fmt.Sprintf("d%d", g.count), Timestamp: g.one(someInstants...),
		Agent: someAgents[g.pick(len(someAgents))], Seq: g.pick(3), Rationale: "r",
	}
	if len(g.made) > 0 && g.chance(10) {
		d.DeltaID = g.made[g.pick(len(g.made))].Delta.DeltaID // an id reused
	}
	sections := []delta.Section{
		delta.HypothesisSlate, delta.HypothesisSlate, delta.HypothesisSlate, delta.PredictionsTable, delta.PredictionsTable,
		delta.AnomalyRegister, delta.DiscriminativeTests, delta.ResearchThread,
	}
	d.Section = sections[g.pick(len(sections))]
	switch {
	case d.Section == delta.ResearchThread:
		d.Operation = delta.Edit
	case g.pick(10) < 4:
		d.Operation = delta.Add
	case g.pick(6) < 4:
		d.Operation = delta.Edit
	default:
		d.Operation = delta.Kill
	}
	if g.clean && d.Section == delta.HypothesisSlate && d.Operation != delta.Edit {
		d.Section = delta.AnomalyRegister
	}
	isCell := g.aim(&d)
	if payload := g.payload(&d, isCell); payload != "" {
		d.Payload = jsontext.Value(payload)
	}
	e := delta.Entry{Delta: d}
	if g.chance(3) {
		e.Message = g.one("m1", "m2")
	}
	if g.chance(8) {
		e.Received = instant("2026-01-01T00:00:00.5Z")
	}
	g.made = append(g.made, e)
	return e
}

// aim draws the target, or the provisional id of an ADD.
func (g *caseGen) aim(d *delta.Delta) (isCell bool) {
	prefix := prefixOf(d.Section)
	name := fmt.Sprintf("new-%s%d", prefix, g.pick(3))
	if d.Operation == delta.Add {
		if g.chance(2) {
			d.ProvisionalID = name
		}
		return false
	}
	if d.Section == delta.ResearchThread {
		return false
	}
	target := fmt.Sprintf("%s%d", prefix, 1+g.pick(4))
	if g.clean {
		target = fmt.Sprintf("%s%d", prefix, 1+g.pick(2)) // those of the base
	}
	if g.chance(3) {
		target = name
		if g.chance(3) { // another's
			target = "Ann:" + name
		}
	}
	if d.Section == delta.PredictionsTable && g.chance(2) {
		target += "." + g.key()
		isCell = true
	}
	d.TargetID = delta.Target(target)
	return isCell
}

func (g *caseGen) key() string { return g.one("H1", "H2", "new-H0", "new-H1", "new-X0", "Bob:new-H0") }

func (g *caseGen) payload(d *delta.Delta, isCell bool) string {
	if d.Operation == delta.Kill {
		return g.one(``, `{"reason":"r1"}`, `{"reason":"r2"}`)
	}
	if isCell {
		return `{"outcome":"` + g.one("up", "down") + `"}`
	}
	var parts []string
	maybe := func(of int, part func() string) {
		if g.chance(of) {
			parts = append(parts, part())
		}
	}
	list := func(name string, elements ...string) func() string {
		return func() string {
			var els []string
			for _, el := range elements {
				if g.chance(2) {
					els = append(els, `"`+el+`"`)
				}
			}
			part := `"` + name + `":[` + strings.Join(els, ",") + `]`
			if g.chance(3) {
				part += `,"` + name + `_replace":true`
			}
			return part
		}
	}
	text := func(name string, values ...string) func() string {
		return func() string { return `"` + name + `":"` + g.one(values...) + `"` }
	}
	required := 1
	if d.Operation == delta.Edit {
		required = 2
	}
	if d.Operation == delta.Add && g.chance(15) {
		required = 2 // may miss a required field
	}
	switch d.Section {
	case delta.HypothesisSlate:
		maybe(required, text("claim", "c1", "c2", "c3"))
		maybe(required, text("mechanism", "m1", "m2"))
		maybe(3, func() string { return `"third_alternative":` + g.one("true", "false") })
		maybe(3, list("labels", "Third Alternative", "x", "y"))
		maybe(6, text("name", "n", "A third alternative"))
	case delta.PredictionsTable:
		maybe(required, text("condition", "k1", "k2"))
		maybe(required, func() string {
			var cells []string
			for _, key := range []string{"H1", "H2", "new-H0", "new-X0", "Cy:new-H1"} {
				if g.chance(2) {
					cells = append(cells, `"`+key+`":`+g.outcome(d, "up", "down", "same"))
				}
			}
			return `"predictions":{` + strings.Join(cells, ",") + `}`
		})
	case delta.DiscriminativeTests:
		maybe(required, text("name", "n1", "n2"))
		maybe(required, text("procedure", "p1", "p2"))
		maybe(required, text("discriminates", "H1 vs H2"))
		maybe(required, func() string { return `"expected_outcomes":{"` + g.key() + `":` + g.outcome(d, "e1", "e2") + `}` })
		maybe(2, func() string {
			return `"score":{"cost":` + g.one("0", "1", "3") + `,"speed":` + g.one("2", "2.5", "7") + `}`
		})
	case delta.AnomalyRegister:
		maybe(required, text("name", "n1", "n2"))
		maybe(required, text("observation", "o1", "o2"))
		maybe(2, list("conflicts_with", "H1", "H2", "new-H0", "new-H1", "Bob:new-H0"))
		maybe(4, text("status", "active", "resolved", "gone"))
		maybe(4, text("unknown", "u1", "u2"))
	default:
		maybe(2, text("statement", "s1", "s2"))
		maybe(2, list("anchors", "a", "b", "c"))
	}
	if d.Operation == delta.Edit && g.chance(5) {
		parts = append(parts, `"replace":true`)
	}
	return `{` + strings.Join(parts, ",") + `}`
}

// strife draws a delta about third alternatives: mostly a KILL.
func (g *caseGen) strife() delta.Entry {
	g.count++
	d := delta.Delta{
		DeltaID: fmt.Sprintf("d%d", g.count), Section: delta.HypothesisSlate, Agent: someAgents[g.pick(len(someAgents))],
		Timestamp: fmt.Sprintf("2026-01-01T00:00:%02dZ", g.pick(60)), Operation: delta.Kill, TargetID: delta.Target(g.one("H1", "H2", "H3", "H4", "H7", "new-H0")),
	}
	if g.chance(30) {
		d.DeltaID = fmt.Sprintf("d%d", 1+g.pick(g.count))
	}
	switch g.pick(12) {
	case 0:
		d.Operation, d.TargetID, d.ProvisionalID = delta.Add, "", g.one("", "new-H0", "new-H1")
		d.Payload = jsontext.Value(`{"claim":"c","mechanism":"m","third_alternative":` + g.one("true", "true", "false") + `}`)
	case 1:
		d.Operation = delta.Edit
		d.Payload = jsontext.Value(g.one(`{"third_alternative":true}`, `{"third_alternative":false}`, `{"labels":["third alternative"]}`, `{"labels":[],"replace":true}`))
	}
	return delta.Entry{Delta: d}
}

func drawBatches(t *rapid.T) ([][]delta.Entry, delta.Options) {
	g := &caseGen{T: t}
	batches := make([][]delta.Entry, rapid.IntRange(1, 3).Draw(t, "batches"))
	for i := range batches {
		batches[i] = make([]delta.Entry, rapid.IntRange(1, 8).Draw(t, "deltas"))
		for j := range batches[i] {
			batches[i][j] = g.entry()
		}
	}
	return batches, g.options()
}

func (g *caseGen) options() delta.Options {
	opts := delta.Options{Priority: [][]brenner.ActorName{nil, {"Bob"}, {"Cy", "Ann"}}[g.pick(3)]}
	if g.chance(3) {
		opts.NotBefore = instant("2026-01-01T00:00:00.2Z")
	}
	return opts
}

// outcome draws a value of a map; an EDIT may take the key out instead.
func (g *caseGen) outcome(d *delta.Delta, values ...string) string {
	if d.Operation == delta.Edit && g.chance(5) {
		return "null"
	}
	return `"` + g.one(values...) + `"`
}

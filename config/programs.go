package config

import (
	"errors"
	"fmt"

	"brenner"
	"brenner/program"
)

// Budget is what a project may spend on runs in a day, by UTC (W13). 0 is no
// limit.
type Budget struct {
	Day  program.Money `json:"day,omitzero"`
	Runs int           `json:"runs,omitzero"`
}

// programs reads the programs of agents by name. What one of them may do on a
// machine is for its user to allow; that it can be read is checked here.
func (d *decoder) programs(n node, at string) map[string]program.Program {
	if n.kind != object {
		d.wrong(n, at, object)
		return nil
	}
	if len(n.fields) > brenner.MaxPrograms {
		d.report(n.at, at, fmt.Sprintf("more than %d programs", brenner.MaxPrograms), "")
		return nil
	}
	out := map[string]program.Program{}
	for _, f := range n.fields {
		at := at + "/" + escape(f.key)
		d.check(node{at: f.at}, at, program.CheckName(f.key))
		p, err := program.Parse(d.raw(f.value, at))
		var e *brenner.Error
		if errors.As(err, &e) {
			d.report(f.value.find(e.Pointer), at+e.Pointer, e.Message, e.Hint)
		}
		out[f.key] = p
	}
	return out
}

// budget reads an amount for a day, or an object.
func (d *decoder) budget(n node, at string) Budget {
	var b Budget
	money := func(n node, at string) program.Money {
		m, ok := program.Dollars(d.float(n, at))
		if n.kind == number && !ok {
			d.report(n.at, at, n.text+" is not an amount in US dollars", "")
		}
		return m
	}
	if n.kind == number {
		return Budget{Day: money(n, at)}
	}
	d.object(n, at, []member{
		{"day", func(n node, at string) { b.Day = money(n, at) }},
		{"runs", func(n node, at string) { b.Runs = d.count(n, at) }},
	})
	return b
}

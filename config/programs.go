package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"brenner"
	"brenner/program"

	"github.com/go-json-experiment/json/jsontext"
)

// Budget is what a project may spend on runs in a day, by UTC (W13). 0 is no
// limit, and is not written.
type Budget struct {
	Day  program.Money `json:"day,omitzero"`
	Runs int           `json:"runs,omitzero"`
}

// readProgram reads a program as its package does: by the name of a profile, or
// in full. What one may do on a machine is for its user to allow.
func readProgram(dec *jsontext.Decoder, p *program.Program) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	*p, err = program.Parse(raw)
	return err
}

// readBudget reads an amount for a day; an object is read in the usual way.
func readBudget(dec *jsontext.Decoder, b *Budget) error {
	if dec.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if err := b.Day.UnmarshalJSON(raw); err != nil || b.Day != 0 {
		return err
	}
	return brenner.Errorf(brenner.CodeInvalidConfig, "%s is not a budget", raw).WithHint(noBudget)
}

// noBudget says how there is no limit: 0 could as well be meant to let nothing run.
const noBudget = "leave it out for no limit"

// checkBudget reports a limit that is written and is none.
func (c *Config) checkBudget(x index, say sayer) {
	if _, written := x.values["/budget/day"]; written && c.Budget.Day == 0 {
		say("/budget/day", "0 is not a budget", noBudget)
	}
	if _, written := x.values["/budget/runs"]; written && c.Budget.Runs == 0 {
		say("/budget/runs", "0 is not a number of runs", noBudget)
	}
}

// checkPrograms reports names that no roster could use, and more programs than
// anybody has.
func (c *Config) checkPrograms(say, sayName sayer) {
	if len(c.Programs) > brenner.MaxPrograms {
		say("/programs", fmt.Sprintf("more than %d programs", brenner.MaxPrograms), "")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Programs)) {
		sayError(sayName, "/programs/"+escape(name), program.CheckName(name))
	}
	if c.Budget.Runs < 0 {
		say("/budget/runs", fmt.Sprintf("%d is not a number of runs", c.Budget.Runs), "")
	}
}

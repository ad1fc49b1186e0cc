package runner

import (
	"errors"
	"sync"

	"brenner"
	"brenner/api"
	"brenner/program"
)

// Budget bounds what one command may start and spend (W13). 0 is no limit.
type Budget struct {
	Cost program.Money
	Runs int
}

// purse keeps count of a budget. What a run may cost is set aside while it is
// under way, so that several at once cannot overspend together.
type purse struct {
	Budget

	mu       sync.Mutex
	spent    program.Money
	assumed  program.Money // of that, for runs that did not tell
	promised program.Money
	runs     int
}

// errPromised says that what a run would need is promised to others: it may be
// there when they have ended.
var errPromised = errors.New("what is left is promised to runs under way")

const limitHint = "the command was given this limit; give it a higher one"

// Spent is what a budget went to.
type Spent struct {
	Cost program.Money `json:"cost_usd"`
	// Assumed is how much of it is the bound of runs that did not tell their cost.
	Assumed program.Money `json:"assumed_usd,omitzero"`
	Runs    int           `json:"runs"`
}

// take sets aside what a run may cost; it narrows the program's own bound to
// what is left. Sharing counts the runs that can be started now, this one among
// them. Codes: BUDGET_SPENT, COST_UNKNOWN; or errPromised.
func (p *purse) take(prog *program.Program, sharing int) (program.Money, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Runs > 0 && p.runs >= p.Runs {
		return 0, brenner.Errorf(brenner.CodeBudgetSpent, "%s started, as many as were allowed", brenner.Plural(p.runs, "run was", "runs were")).WithHint(limitHint)
	}
	if p.Cost > 0 {
		if err := prog.Known(); err != nil {
			return 0, err
		}
		left := p.Cost - p.spent - p.promised
		if left <= 0 || prog.Bounds.Cost > left && !prog.Profile.Tells().Cost {
			if p.promised > 0 {
				return 0, errPromised
			}
			return 0, brenner.Errorf(brenner.CodeBudgetSpent, "%s of %s are spent or promised", p.spent+p.promised, p.Cost).WithHint(limitHint)
		}
		// One without a bound of its own leaves their share to those who can be
		// started beside it.
		if p.Runs > 0 {
			sharing = min(sharing, p.Runs-p.runs)
		}
		if prog.Bounds.Cost == 0 {
			prog.Bounds.Cost = max(1, left/program.Money(max(1, sharing)))
		}
		prog.Bounds.Cost = min(prog.Bounds.Cost, left)
	}
	p.runs++
	aside := prog.Bounds.Cost
	p.promised += aside
	return aside, nil
}

// settle counts what a run cost: what it told, else its bound. One that could
// not be taken did not start.
func (p *purse) settle(aside program.Money, run api.RunInfo) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.promised -= aside
	if run.ID == "" {
		p.runs--
	}
	if run.Usage.Cost != nil {
		p.spent += *run.Usage.Cost
	} else if run.ID != "" && run.Starts > 0 {
		p.spent += aside
		p.assumed += aside
	}
}

func (p *purse) sum() Spent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Spent{Cost: p.spent, Assumed: p.assumed, Runs: p.runs}
}

package runner

import (
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
	promised program.Money
	runs     int
	// jobs is how many runs may be under way at once, under how many are.
	jobs, under int
}

// Spent is what a budget went to.
type Spent struct {
	Cost program.Money `json:"cost_usd"`
	Runs int           `json:"runs"`
}

// take sets aside what a run may cost; it narrows the program's own bound to
// what is left. Codes: BUDGET_SPENT, COST_UNKNOWN.
func (p *purse) take(prog *program.Program) (program.Money, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Runs > 0 && p.runs >= p.Runs {
		return 0, brenner.Errorf(brenner.CodeBudgetSpent, "%d runs were started, as many as were allowed", p.runs)
	}
	if p.Cost > 0 {
		if err := prog.Known(); err != nil {
			return 0, err
		}
		left := p.Cost - p.spent - p.promised
		if left <= 0 || prog.Bounds.Cost > left && !prog.Profile.Tells().Cost {
			return 0, brenner.Errorf(brenner.CodeBudgetSpent, "%s of %s are spent or promised", p.spent+p.promised, p.Cost)
		}
		// One without a bound of its own leaves their share to those who may be
		// started beside it.
		if prog.Bounds.Cost == 0 {
			prog.Bounds.Cost = max(1, left/program.Money(max(1, p.jobs-p.under)))
		}
		prog.Bounds.Cost = min(prog.Bounds.Cost, left)
	}
	p.runs++
	p.under++
	aside := prog.Bounds.Cost
	p.promised += aside
	return aside, nil
}

// settle counts what a run cost: what it told, else its bound.
func (p *purse) settle(aside program.Money, run api.RunInfo) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.promised -= aside
	p.under--
	if run.Usage.Cost != nil {
		p.spent += *run.Usage.Cost
	} else if run.ID != "" && run.Starts > 0 {
		p.spent += aside
	}
}

func (p *purse) sum() Spent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Spent{Cost: p.spent, Runs: p.runs}
}

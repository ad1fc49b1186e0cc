package runner

import (
	"errors"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/program"
)

func costing(bound program.Money) program.Program {
	p := program.Program{Profile: program.Claude}.Resolve("claude")
	p.Bounds.Cost = bound
	return p
}

func spending(id string, cost program.Money) api.RunInfo {
	return api.RunInfo{ID: id, RunEnd: api.RunEnd{Starts: 1, Usage: program.Usage{Cost: &cost}}}
}

// W13: a budget is shared by the runs that can be under way at once: each gets
// its part, all of them start, and together they cannot spend more.
func TestPurse_SharesTheBudgetAmongThoseAtOnce(t *testing.T) {
	dollar := program.Money(1_000_000)
	p := &purse{Budget: Budget{Cost: 3 * dollar}}
	var aside [3]program.Money
	for i := range aside {
		prog := costing(0)
		var err error
		if aside[i], err = p.take(&prog, 3-i); err != nil {
			t.Fatalf("run %d of 3: %v", i+1, err)
		}
		if aside[i] != dollar || prog.Bounds.Cost != dollar {
			t.Errorf("run %d may cost %s, bound %s", i+1, aside[i], prog.Bounds.Cost)
		}
	}
	fourth := costing(0)
	if _, err := p.take(&fourth, 1); !errors.Is(err, errPromised) {
		t.Errorf("a fourth beside them: %v", err)
	}
	// What one did not use is there for the next.
	p.settle(aside[0], spending("run-1", dollar/4))
	got, err := p.take(&fourth, 1)
	if err != nil || got != 3*dollar/4 {
		t.Errorf("the next may cost %s: %v", got, err)
	}
	p.settle(got, spending("run-4", 0))
	p.settle(aside[1], spending("run-2", dollar))
	p.settle(aside[2], api.RunInfo{ID: "run-3", RunEnd: api.RunEnd{Starts: 1}}) // it did not tell: its bound counts
	if sum := p.sum(); sum.Cost != 9*dollar/4 || sum.Assumed != dollar || sum.Runs != 4 {
		t.Errorf("spent %+v", sum)
	}
	// Whoever is alone has what is left, also where no more runs are allowed.
	last := costing(0)
	if got, err := p.take(&last, 1); err != nil || got != 3*dollar/4 {
		t.Errorf("the last, alone, may cost %s: %v", got, err)
	}
	p.settle(3*dollar/4, spending("run-5", 3*dollar/4))
	if _, err := p.take(&last, 1); !errors.Is(err, brenner.CodeBudgetSpent) {
		t.Errorf("one more when all is spent: %v", err)
	}
	p, last = &purse{Budget: Budget{Cost: dollar, Runs: 1}}, costing(0)
	if got, err := p.take(&last, 3); err != nil || got != dollar {
		t.Errorf("the only one of three that is allowed may cost %s: %v", got, err)
	}
}

// W13: a bound of the program's own is kept, cut to what is left; one that tells
// no cost is started only if its whole bound is left, and never without one.
func TestPurse_KeepsToTheBoundOfTheProgram(t *testing.T) {
	dollar := program.Money(1_000_000)
	p := &purse{Budget: Budget{Cost: 3 * dollar}}
	for i, c := range []struct{ bound, want program.Money }{{2 * dollar, 2 * dollar}, {2 * dollar, dollar}} {
		prog := costing(c.bound)
		if got, err := p.take(&prog, 3-i); err != nil || got != c.want || prog.Bounds.Cost != c.want {
			t.Errorf("run %d may cost %s: %v", i+1, got, err)
		}
	}
	silent := program.Program{Profile: program.Command}.Resolve("cmd")
	p = &purse{Budget: Budget{Cost: dollar}}
	if _, err := p.take(&silent, 1); !errors.Is(err, brenner.CodeCostUnknown) {
		t.Errorf("a cost that nobody knows: %v", err)
	}
	silent.Bounds.Cost = 2 * dollar
	if _, err := p.take(&silent, 1); !errors.Is(err, brenner.CodeBudgetSpent) {
		t.Errorf("a bound over what is left: %v", err)
	}
	silent.Bounds.Cost = dollar
	if got, err := p.take(&silent, 1); err != nil || got != dollar {
		t.Errorf("a bound within what is left: %s, %v", got, err)
	}
	// W13: so many runs and no more; a run that could not be taken costs nothing
	// and is none of them.
	p = &purse{Budget: Budget{Runs: 1}}
	prog := costing(0)
	aside, err := p.take(&prog, 3)
	if err != nil {
		t.Fatal(err)
	}
	p.settle(aside, api.RunInfo{})
	if p.sum().Runs != 0 {
		t.Errorf("%d runs started where none was", p.sum().Runs)
	}
	if _, err = p.take(&prog, 3); err != nil {
		t.Errorf("after one that did not start: %v", err)
	}
	if _, err := p.take(&prog, 3); !errors.Is(err, brenner.CodeBudgetSpent) || p.sum().Cost != 0 {
		t.Errorf("a second of one: %v, spent %s", err, p.sum().Cost)
	}
}

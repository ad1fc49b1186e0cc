package tasks

import (
	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
)

// PromotionNeeds lists results of tasks, and versions that need a rebase, that
// nobody has decided upon.
func (r *Room) PromotionNeeds(c *kernel.Call) ([]api.Need, error) {
	var outputs []brenner.Ref
	err := r.Each(c, []api.TaskState{api.TaskDone}, func(t api.TaskInfo) bool {
		outputs = append(outputs, t.Outputs...)
		return true
	})
	if err != nil {
		return nil, err
	}
	artifacts, err := ledger.ArtifactsOf(c, outputs)
	if err != nil {
		return nil, err
	}
	nodes, err := ledger.NodesOf(c, artifacts, outputs)
	if err != nil {
		return nil, err
	}
	var waiting, rebase []string
	for _, n := range nodes {
		used, err := ledger.InUse(c, n, artifacts[n.Ref.Artifact].Latest) // what a later version replaced waits for nobody
		switch {
		case err != nil:
			return nil, err
		case used && n.Status == artifact.Draft:
			waiting = append(waiting, n.Ref.String())
		case used && n.Status == artifact.NeedsRebase:
			rebase = append(rebase, n.Ref.String())
		}
	}
	return []api.Need{
		{Kind: "promotion", Count: len(waiting), What: "done and not decided upon: " + kernel.FirstFew(waiting), Command: "brenner artifact promote " + kernel.First(waiting) + " --reason …", Names: waiting},
		{Kind: "rebase", Count: len(rebase), What: "made from inputs that moved: " + kernel.FirstFew(rebase), Command: "brenner artifact show " + kernel.First(rebase), Names: rebase},
	}, nil
}

// TaskNeeds lists tasks whose lease has ended.
func (r *Room) TaskNeeds(c *kernel.Call) ([]api.Need, error) {
	var stuck []string
	err := r.Each(c, []api.TaskState{api.TaskClaimed}, func(t api.TaskInfo) bool {
		if t.Overdue {
			stuck = append(stuck, t.ID)
		}
		return true
	})
	return []api.Need{{Kind: "task", Count: len(stuck), What: "claimed and overdue: " + kernel.FirstFew(stuck), Command: "brenner task show " + kernel.First(stuck), Names: stuck}}, err
}

// MemoNeeds lists modules whose memo is so far behind that cross-module work
// stands still (C12).
func (r *Room) MemoNeeds(c *kernel.Call) ([]api.Need, error) {
	var behind []string
	for _, m := range c.Modules {
		n, err := behindMemo(c, m)
		if err != nil {
			return nil, err
		}
		if n > c.Config.CompressionThreshold {
			behind = append(behind, string(m))
		}
	}
	return []api.Need{{Kind: "memo", Count: len(behind), What: "the memo is behind in " + kernel.FirstFew(behind), Command: "brenner spine"}}, nil
}

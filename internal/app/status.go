package app

import (
	"context"
	"fmt"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/store"
	"brenner/playbook"
	"brenner/policy"
	"brenner/stalemate"
)

// Status implements api.Overview.
func (s *service) Status(ctx context.Context) (api.StatusResult, error) {
	return view(ctx, s, func(c *call) (api.StatusResult, error) {
		if err := c.allow(policy.Status, "", "", "status"); err != nil {
			return api.StatusResult{}, err
		}
		out := api.StatusResult{Position: c.size, At: c.now, Items: []api.Need{}}
		for _, look := range needs {
			found, err := look(c)
			if err != nil {
				return api.StatusResult{}, err
			}
			for _, n := range found {
				if n.Names = n.Names[:min(len(n.Names), api.MaxNeedNames)]; n.Count > 0 {
					out.Items = append(out.Items, n)
				}
			}
		}
		return out, nil
	})
}

// needs are the questions behind "what needs me", in the order of the answers
// (X5).
var needs = []func(*call) ([]api.Need, error){
	(*call).stalemateNeeds,
	(*call).sessionNeeds,
	(*call).forkNeeds,
	(*call).staleNeeds,
	(*call).promotionNeeds,
	(*call).reviewNeeds,
	(*call).taskNeeds,
	(*call).memoNeeds,
	(*call).consolidationNeeds,
	(*call).spineNeeds,
}

// firstFew lists the first few of some names.
func firstFew(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// stalemateNeeds lists stalemates that wait for somebody.
func (c *call) stalemateNeeds() ([]api.Need, error) {
	rows, err := c.Objects(c.ctx, store.ObjectQuery{
		Kind: objectStalemate, Limit: brenner.MaxPage,
		States: []string{string(stalemate.Open), string(stalemate.InArbitration), string(stalemate.Decided), string(stalemate.Appealed)},
	})
	var names []string
	for _, o := range rows {
		names = append(names, o.ID)
	}
	return []api.Need{{Kind: "stalemate", Count: len(names), What: "agents are stuck: " + firstFew(names), Command: "brenner stalemate show " + first(names), Names: names}}, err
}

// reviewNeeds counts the lessons that wait for a person's eye (B7).
func (c *call) reviewNeeds() ([]api.Need, error) {
	counts, err := c.CountObjects(c.ctx, objectReview, "")
	n := counts[string(playbook.ReviewPending)]
	return []api.Need{{Kind: "review", Count: n, What: fmt.Sprintf("%d lessons of low confidence", n), Command: "brenner playbook review list"}}, err
}

func (c *call) forkNeeds() ([]api.Need, error) {
	forks, err := c.forks()
	if err != nil || len(forks) == 0 {
		return nil, err
	}
	var names []string
	for _, f := range forks {
		names = append(names, f.Slot+string(f.Artifact))
	}
	return []api.Need{{Kind: "fork", Count: len(forks), What: "more than one truth: " + firstFew(names), Command: "brenner forks", Names: names}}, nil
}

func (c *call) staleNeeds() ([]api.Need, error) {
	stale, err := c.allStale()
	if err != nil || len(stale) == 0 {
		return nil, err
	}
	var names []string
	for _, i := range stale {
		names = append(names, i.Ref.String())
	}
	return []api.Need{{Kind: "stale", Count: len(stale), What: "rests on what has moved: " + firstFew(names), Command: "brenner stale", Names: names}}, nil
}

// promotionNeeds lists results of tasks, and versions that need a rebase, that
// nobody has decided upon.
func (c *call) promotionNeeds() ([]api.Need, error) {
	var outputs []brenner.Ref
	err := c.eachTask([]api.TaskState{api.TaskDone}, func(t api.TaskInfo) bool {
		outputs = append(outputs, t.Outputs...)
		return true
	})
	if err != nil {
		return nil, err
	}
	artifacts, err := c.artifactsOf(outputs)
	if err != nil {
		return nil, err
	}
	nodes, err := c.nodesOf(artifacts, outputs)
	if err != nil {
		return nil, err
	}
	var waiting, rebase []string
	for _, n := range nodes {
		used, err := c.inUse(n, artifacts[n.Ref.Artifact].Latest) // what a later version replaced waits for nobody
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
		{Kind: "promotion", Count: len(waiting), What: "done and not decided upon: " + firstFew(waiting), Command: "brenner artifact promote " + first(waiting) + " --reason …", Names: waiting},
		{Kind: "rebase", Count: len(rebase), What: "made from inputs that moved: " + firstFew(rebase), Command: "brenner artifact show " + first(rebase), Names: rebase},
	}, nil
}

func first(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// taskNeeds lists tasks whose lease has ended.
func (c *call) taskNeeds() ([]api.Need, error) {
	var stuck []string
	err := c.eachTask([]api.TaskState{api.TaskClaimed}, func(t api.TaskInfo) bool {
		if t.Overdue {
			stuck = append(stuck, t.ID)
		}
		return true
	})
	return []api.Need{{Kind: "task", Count: len(stuck), What: "claimed and overdue: " + firstFew(stuck), Command: "brenner task show " + first(stuck), Names: stuck}}, err
}

// memoNeeds lists modules whose memo is so far behind that cross-module work
// stands still (C12).
func (c *call) memoNeeds() ([]api.Need, error) {
	var behind []string
	for _, m := range c.modules {
		n, err := c.behindMemo(m)
		if err != nil {
			return nil, err
		}
		if n > c.config.CompressionThreshold {
			behind = append(behind, string(m))
		}
	}
	return []api.Need{{Kind: "memo", Count: len(behind), What: "the memo is behind in " + firstFew(behind), Command: "brenner spine"}}, nil
}

func (c *call) spineNeeds() ([]api.Need, error) {
	spine, err := c.spine()
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, m := range spine.Missing {
		missing = append(missing, m.Message)
	}
	return []api.Need{{Kind: "spine", Count: len(missing), What: firstFew(missing), Command: "brenner spine"}}, nil
}

package overview

import (
	"context"

	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/policy"
)

// Status implements api.Overview. It is the inbox, by kind (X5, N1).
func (s *Service) Status(ctx context.Context) (api.StatusResult, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "status"), func(c *kernel.Call) (api.StatusResult, error) {
		items, err := s.Inbox.All(c)
		if err != nil {
			return api.StatusResult{}, err
		}
		out := api.StatusResult{Position: c.Position, At: c.Now, Items: []api.Need{}}
		for _, w := range wordings {
			if n := w.need(items); n.Count > 0 {
				out.Items = append(out.Items, n)
			}
		}
		return out, nil
	})
}

// wording is how status speaks of one kind of thing that waits.
type wording struct {
	kind api.WaitKind
	what string // before the names; empty: why the first one waits
	// command is what to run, with the first name behind it if named.
	command string
	named   bool
}

// wordings are in the order of the answers, the most pressing first.
var wordings = []wording{
	{api.WaitStalemate, "agents are stuck: ", "brenner stalemate show", true},
	{api.WaitConflict, "fields in conflict: ", "brenner conflict list", true},
	{api.WaitCompile, "replies wait to be compiled: ", "brenner session compile", true},
	{api.WaitResend, "messages were not delivered: ", "brenner session resend", true},
	{api.WaitFork, "more than one truth: ", "brenner forks", false},
	{api.WaitStale, "rests on what has moved: ", "brenner inbox --kind stale", false},
	{api.WaitPromotion, "to be decided upon: ", "brenner review", true},
	{api.WaitRebase, "made from inputs that moved: ", "brenner review", true},
	{api.WaitFinding, "a check found something in: ", "brenner review", true},
	{api.WaitLesson, "", "brenner playbook review list", false},
	{api.WaitTask, "claimed and overdue: ", "brenner task show", true},
	{api.WaitRequest, "asked of the PI: ", "brenner task show", true},
	{api.WaitRun, "runs failed again and again at ", "brenner runs", true},
	{api.WaitAutomation, "rules tell of: ", "brenner automation log", false},
	{api.WaitMemo, "the memo is behind in ", "brenner spine", false},
	{api.WaitConsolidation, "", "brenner consolidate --open-tasks", false},
	{api.WaitSpine, "", "brenner spine", false},
}

// need sums up what waits of one kind. What stands for several things, such as
// all that is stale because of one, is named by these.
func (w wording) need(items []api.Waiting) api.Need {
	n := api.Need{Kind: string(w.kind), Command: w.command}
	for _, i := range items {
		if i.Kind != w.kind {
			continue
		}
		if n.What == "" {
			n.What = i.Why
		}
		n.Count += i.Count
		switch i.Kind {
		case api.WaitStale:
			n.Names = append(n.Names, i.Members...)
		case api.WaitLesson, api.WaitMemo, api.WaitConsolidation, api.WaitSpine:
			if i.Kind == api.WaitMemo {
				n.Names = append(n.Names, i.Subject)
			}
		default:
			n.Names = append(n.Names, i.Subject)
		}
	}
	if w.what != "" {
		n.What = w.what + kernel.FirstFew(n.Names)
	}
	if w.named {
		n.Command += " " + kernel.First(n.Names)
	}
	n.Names = n.Names[:min(len(n.Names), api.MaxNeedNames)]
	return n
}

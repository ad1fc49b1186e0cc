package overview

import (
	"context"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/policy"
)

// Status implements api.Overview. It is the inbox, by kind (X5, N1); an agent is
// told of that which it can do something about.
func (s *Service) Status(ctx context.Context) (api.StatusResult, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "status"), func(c *kernel.Call) (api.StatusResult, error) {
		items, err := s.Inbox.All(c)
		if err != nil {
			return api.StatusResult{}, err
		}
		if !c.Leads() {
			if items, err = s.Inbox.Asked(c, items); err != nil {
				return api.StatusResult{}, err
			}
		}
		if !c.Person() {
			if items, err = forAgent(c, items); err != nil {
				return api.StatusResult{}, err
			}
		}
		out := api.StatusResult{Position: c.Position, At: c.Now, Items: []api.Need{}}
		if out.Items, err = s.own(c); err != nil {
			return api.StatusResult{}, err
		}
		for _, w := range wordings {
			n := w.need(items)
			if !c.Person() {
				n = asAgent(n)
			}
			if n.Count > 0 {
				out.Items = append(out.Items, n)
			}
		}
		return out, nil
	})
}

// own is what waits for the caller itself: sessions for its answer and, if it is an
// agent, messages for it to read and tasks, be it told of them or not; if it leads,
// sessions that nobody has answered.
func (s *Service) own(c *kernel.Call) ([]api.Need, error) {
	out := []api.Need{}
	if !c.Person() {
		subjects, err := s.Sessions.UnreadSubjects(c, c.Who.Name)
		if err != nil {
			return nil, err
		}
		if n := len(subjects); n > 0 {
			out = append(out, api.Need{Kind: api.NeedMessage, Count: n, What: "not read yet: " + kernel.FirstFewOf(subjects, n), Do: brenner.Do("mail.inbox")})
		}
	}
	var waiting, silent []string
	err := s.Sessions.EachInfo(c, func(info api.SessionInfo) bool {
		if heard := func(r api.Recipient) bool { return !r.AnsweredAt.IsZero() }; c.Leads() && info.Closed.IsZero() &&
			len(info.Recipients) > 0 && !slices.ContainsFunc(info.Recipients, heard) {
			silent = append(silent, string(info.ID))
		}
		asked := func(r api.Recipient) bool { return r.Name == c.Who.Name && r.Waiting }
		if info.Closed.IsZero() && slices.ContainsFunc(info.Recipients, asked) {
			waiting = append(waiting, string(info.ID))
		}
		return true
	})
	if n := len(waiting); n > 0 {
		out = append(out, api.Need{
			Kind: api.NeedAnswer, Count: n, What: "waits for your answer: " + kernel.FirstFewOf(waiting, n),
			Do: brenner.Do("session.show", "id", waiting[0]), Names: waiting[:min(n, api.MaxNeedNames)],
		})
	}
	if n := len(silent); n > 0 {
		out = append(out, api.Need{
			Kind: api.NeedSilence, Count: n, What: "nobody has answered so far: " + kernel.FirstFewOf(silent, n),
			Do: brenner.Do("session.status", "id", silent[0]), Names: silent[:min(n, api.MaxNeedNames)],
		})
	}
	if err != nil || c.Person() || c.Who.Role == policy.Runner {
		return out, err
	}
	work, err := s.work(c)
	if work.Count > 0 {
		out = append(out, work)
	}
	return out, err
}

// work are the tasks of an agent: those it holds come first.
func (s *Service) work(c *kernel.Call) (api.Need, error) {
	held, free, err := s.Tasks.ForCaller(c)
	all := slices.Concat(held, free)
	n := api.Need{Kind: api.NeedWork, Count: len(all), Names: all[:min(len(all), api.MaxNeedNames)]}
	var parts []string
	if len(held) > 0 {
		parts = append(parts, "you hold "+kernel.FirstFewOf(held, len(held)))
		n.Do = brenner.Do("task.show", "id", held[0])
	}
	if len(free) > 0 {
		parts = append(parts, "free for your role: "+kernel.FirstFewOf(free, len(free)))
		if len(held) == 0 {
			n.Do = brenner.Do("task.claim", "id", free[0])
		}
	}
	n.What = strings.Join(parts, "; ")
	return n, err
}

// wording is how status speaks of one kind of thing that waits.
type wording struct {
	kind api.WaitKind
	what string // before the names; empty: why the first one waits
	// do is what to do, with the first name as this argument if there is one.
	do       brenner.Action
	argument string
}

// wordings are in the order of the answers, the most pressing first.
var wordings = []wording{
	{api.WaitStalemate, "agents are stuck: ", brenner.Do("stalemate.show"), "id"},
	{api.WaitConflict, "fields in conflict: ", brenner.Do("conflict.list"), "id"},
	{api.WaitCompile, "replies wait to be compiled: ", brenner.Do("session.compile"), "id"},
	{api.WaitResend, "messages were not delivered: ", brenner.Do("session.resend"), "id"},
	{api.WaitFork, "more than one truth: ", brenner.Do("forks"), ""},
	{api.WaitStale, "rests on what has moved: ", brenner.Do("inbox", "kind", "stale"), ""},
	{api.WaitPromotion, "to be decided upon: ", brenner.Do("review"), "ref"},
	{api.WaitApproval, "read it, and approve it if it holds: ", brenner.Do("review.approve"), "ref"},
	{api.WaitRebase, "made from inputs that moved: ", brenner.Do("review"), "ref"},
	{api.WaitFinding, "a check found something in: ", brenner.Do("review"), "ref"},
	{api.WaitLesson, "", brenner.Do("playbook.review.list"), ""},
	{api.WaitTask, "claimed and overdue: ", brenner.Do("task.show"), "id"},
	{api.WaitRequest, "asked for, and yours to decide: ", brenner.Do("task.show"), "id"},
	{api.WaitRun, "runs failed at ", brenner.Do("runs"), "id"},
	{api.WaitAutomation, "rules tell of: ", brenner.Do("automation.log"), ""},
	{api.WaitMemo, "the memo is behind in ", brenner.Do("spine"), ""},
	{api.WaitConsolidation, "", brenner.Do("consolidate", "open_tasks", "true"), ""},
	{api.WaitSpine, "", brenner.Do("spine"), ""},
}

// need sums up what waits of one kind. What stands for several things, such as
// all that is stale because of one, is named by these.
func (w wording) need(items []api.Waiting) api.Need {
	n := api.Need{Kind: string(w.kind), Do: w.do}
	for _, i := range items {
		if i.Kind != w.kind {
			continue
		}
		if n.What == "" {
			n.What = i.Why
		}
		n.Count += i.Count - i.Shared
		switch i.Kind {
		case api.WaitStale:
			for _, m := range i.Members {
				if !slices.Contains(n.Names, m) {
					n.Names = append(n.Names, m)
				}
			}
		case api.WaitLesson, api.WaitMemo, api.WaitConsolidation, api.WaitSpine:
			if i.Kind == api.WaitMemo {
				n.Names = append(n.Names, i.Subject)
			}
		default:
			n.Names = append(n.Names, i.Subject)
		}
	}
	if w.what != "" {
		total := len(n.Names)
		if w.kind == api.WaitStale {
			total = n.Count // the names are the first of each cause
		}
		n.What = w.what + kernel.FirstFewOf(n.Names, total)
	}
	if w.argument != "" {
		n.Do = brenner.Do(w.do.Name, w.argument, kernel.First(n.Names))
	}
	n.Names = n.Names[:min(len(n.Names), api.MaxNeedNames)]
	return n
}

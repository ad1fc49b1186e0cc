package firings

import (
	"context"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/automation"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/policy"
)

// AutomationRules implements api.Automation.
func (s *Service) AutomationRules(ctx context.Context) (api.AutomationRules, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Audit, "automation"), s.rules)
}

func (r *Room) rules(c *kernel.Call) (api.AutomationRules, error) {
	out := api.AutomationRules{Rules: []api.AutomationRule{}}
	all, err := standingOf(c.Ctx, c.Reader, everyRule)
	if err != nil {
		return out, err
	}
	out.Paused = all.Paused
	builtin := automation.Builtin()
	for i, rule := range automation.InForce(c.Config.Automation) {
		st, err := standingOf(c.Ctx, c.Reader, rule.Name)
		if err != nil {
			return out, err
		}
		info := api.AutomationRule{Rule: rule, Builtin: i < len(builtin), Version: rule.Version(), Paused: st.Paused, Fired: st.Fired}
		if info.Hour, err = firedSince(c, rule.Name, c.Now.Add(-time.Hour), rule.PerHour); err != nil {
			return out, err
		}
		info.Held = info.Hour >= rule.PerHour
		info.On = slices.DeleteFunc(slices.Clone(rule.On), func(t automation.Trigger) bool { return t == automation.ForkSettled }) // no configuration has it
		last, err := firings.List(c.Ctx, c.Reader, kernel.Query{Group: rule.Name, Newest: true}, 1)
		if err != nil {
			return out, err
		}
		if len(last) == 1 {
			info.Last = last[0].Value.At
		}
		out.Rules = append(out.Rules, info)
		if through := max(st.Through, r.seen.of(follower{Rule: rule}.key())); !rule.Off && !st.Paused && !all.Paused {
			out.Behind = max(out.Behind, c.Position-through)
		}
	}
	return out, nil
}

// Firings implements api.Automation.
func (s *Service) Firings(ctx context.Context, req api.FiringsRequest) (api.FiringList, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Audit, "automation"), func(c *kernel.Call) (api.FiringList, error) {
		out := api.FiringList{Firings: []api.Firing{}}
		next, err := firings.Page(c.Ctx, c.Reader, kernel.Query{Group: req.Rule, Newest: true}, req.Page, func(row kernel.Row[firing]) error {
			out.Firings = append(out.Firings, row.Value.info())
			return nil
		})
		out.Next = next
		if err == nil && req.Rule != "" && len(out.Firings) == 0 {
			err = known(automation.InForce(c.Config.Automation), req.Rule)
		}
		return out, err
	})
}

// known refuses a name that no rule has.
func known(rules []automation.Rule, name string) error {
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = r.Name
	}
	if slices.Contains(names, name) {
		return nil
	}
	return kernel.NoSuch("rule", name, "/rule", names).Try(brenner.Do("automation.list"))
}

// TestAutomation implements api.Automation.
func (s *Service) TestAutomation(ctx context.Context, req api.TestAutomationRequest) (api.AutomationForecast, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Audit, "automation"), func(c *kernel.Call) (api.AutomationForecast, error) {
		out := api.AutomationForecast{Events: []automation.Event{}, Would: []api.Firing{}, Had: []api.Firing{}}
		row, err := s.eventful(c, req.Seq)
		if err != nil {
			return out, err
		}
		out.Seq = row.Seq
		events, err := s.eventsAt(row)
		if err != nil {
			return out, err
		}
		out.Events = append(out.Events, events...)
		all, err := s.Paused(c)
		if err != nil {
			return out, err
		}
		for _, rule := range automation.InForce(c.Config.Automation) {
			st, err := standingOf(c.Ctx, c.Reader, rule.Name)
			if err != nil {
				return out, err
			}
			for _, e := range events {
				if !rule.Waits(e.On) {
					continue
				}
				if all || st.Paused {
					out.Paused = append(out.Paused, rule.Name)
					break
				}
				deeds, err := s.deedsOf(c, rule, e)
				if err != nil {
					return out, err
				}
				for _, d := range deeds {
					done, err := firings.Has(c.Ctx, c.Reader, firingID(rule.Name, e, d.subject))
					if err != nil {
						return out, err
					}
					if !done {
						out.Would = append(out.Would, api.Firing{Rule: rule.Name, Version: rule.Version(), Event: e, Subject: d.subject, Act: d.act, Why: d.why})
					}
				}
			}
		}
		err = firings.Each(c.Ctx, c.Reader, kernel.Query{After: kernel.Place{Order: row.Seq}}, func(f kernel.Row[firing]) (bool, error) {
			if f.Value.Event.Seq == row.Seq {
				out.Had = append(out.Had, f.Value.info())
			}
			return len(out.Had) < brenner.DefaultPage, nil
		})
		return out, err
	})
}

// eventful is a record, or with 0 the last one that means anything.
func (r *Room) eventful(c *kernel.Call, seq int64) (store.Record, error) {
	if seq < 0 || seq > c.Position {
		return store.Record{}, brenner.Errorf(brenner.CodeNotFound, "the journal has %d records, and no record %d", c.Position, seq)
	}
	q := store.RecordQuery{After: max(0, c.Position-brenner.MaxPage), Newest: true}
	if seq > 0 {
		q = store.RecordQuery{After: seq - 1, Before: seq + 1}
	}
	rows, err := c.FindRecords(c.Ctx, q)
	if err != nil {
		return store.Record{}, err
	}
	for _, row := range rows {
		if seq > 0 || r.Kinds().Means(row.Kind) {
			return row, nil
		}
	}
	return store.Record{}, brenner.Errorf(brenner.CodeNotFound, "nothing has happened lately that a rule could wait for")
}

// PauseAutomation implements api.Automation.
func (s *Service) PauseAutomation(ctx context.Context, req api.PauseAutomationRequest) (api.AutomationRules, error) {
	return s.setPaused(ctx, "automation.pause", req, true)
}

// ResumeAutomation implements api.Automation.
func (s *Service) ResumeAutomation(ctx context.Context, req api.PauseAutomationRequest) (api.AutomationRules, error) {
	return s.setPaused(ctx, "automation.resume", req, false)
}

func (s *Service) setPaused(ctx context.Context, name string, req api.PauseAutomationRequest, pause bool) (api.AutomationRules, error) {
	return kernel.Write(ctx, s.caller, name, req, kernel.To(policy.Admin, "automation"), func(ch *kernel.Change) (api.AutomationRules, error) {
		p := paused{Rule: everyRule, Reason: req.Reason}
		if err := kernel.CheckText(req.Reason); err != nil {
			return api.AutomationRules{}, err
		}
		if utf8.RuneCountInString(req.Reason) > brenner.MaxNoteRunes {
			return api.AutomationRules{}, brenner.Errorf(brenner.CodeLimitExceeded, "a reason has at most %d characters", brenner.MaxNoteRunes).At("/reason")
		}
		rules := automation.InForce(ch.Config.Automation)
		if req.Rule != "" {
			if p.Rule = req.Rule; known(rules, p.Rule) != nil {
				return api.AutomationRules{}, known(rules, p.Rule)
			}
		}
		st, err := standingOf(ch.Ctx, ch.Reader, p.Rule)
		if err != nil {
			return api.AutomationRules{}, err
		}
		kind, state := kindPaused, "paused already"
		if !pause {
			kind, state = kindResumed, "not paused"
			if p.Rules, p.From, err = goingOn(ch.Call, rules, p.Rule); err != nil {
				return api.AutomationRules{}, err
			}
		}
		if st.Paused == pause {
			what := "automation"
			if req.Rule != "" {
				what = "the rule " + req.Rule
			}
			return api.AutomationRules{}, brenner.Errorf(brenner.CodeStatusConflict, "%s is %s", what, state)
		}
		if _, err := kind.Append(ch, p); err != nil {
			return api.AutomationRules{}, err
		}
		return s.rules(ch.Call)
	})
}

// goingOn lists the rules that go on when one, or all, are resumed, and the record
// that paused them. One that was paused by itself as well stays so.
func goingOn(c *kernel.Call, rules []automation.Rule, which string) (names []string, from int64, err error) {
	row, err := standings.Row(c.Ctx, c.Reader, which)
	if err != nil && !errors.Is(err, brenner.CodeNotFound) {
		return nil, 0, err
	}
	for _, r := range rules {
		st, err := standingOf(c.Ctx, c.Reader, r.Name)
		if err != nil {
			return nil, 0, err
		}
		if r.Name == which || which == everyRule && !st.Paused {
			names = append(names, r.Name)
		}
	}
	return names, row.Seq, nil // nothing changes a rule that is paused
}

// SettleNotices implements api.Automation.
func (s *Service) SettleNotices(ctx context.Context, req api.SettleNoticesRequest) (api.SettledNotices, error) {
	return kernel.Write(ctx, s.caller, "automation.settle", req, kernel.To(policy.Admin, "automation"), func(ch *kernel.Change) (api.SettledNotices, error) {
		for _, seq := range req.Seqs {
			if is, err := notices.Has(ch.Ctx, ch.Reader, noticeID(seq)); err != nil {
				return api.SettledNotices{}, err
			} else if !is {
				return api.SettledNotices{}, brenner.Errorf(brenner.CodeNotFound, "no rule told anything by record %d", seq).
					At("/seqs").Try(brenner.Do("inbox"))
			}
		}
		p := settled{Seqs: []int64{}}
		err := notices.Each(ch.Ctx, ch.Reader, kernel.Query{States: []string{noticeOpen}}, func(row kernel.Row[notice]) (bool, error) {
			if len(req.Seqs) == 0 || slices.Contains(req.Seqs, row.Value.Seq) {
				p.Seqs = append(p.Seqs, row.Value.Seq)
			}
			return len(p.Seqs) < brenner.MaxPage, nil
		})
		if err != nil || len(p.Seqs) == 0 {
			return api.SettledNotices{}, err
		}
		_, err = kindSettled.Append(ch, p)
		return api.SettledNotices{Settled: len(p.Seqs)}, err
	})
}

package sessions

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/policy"
)

// Sessions implements api.Sessions.
func (s *Service) Sessions(ctx context.Context, req api.ListSessionsRequest) (api.SessionList, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "sessions"), func(c *kernel.Call) (api.SessionList, error) {
		if req.Own {
			return own(c, req)
		}
		out, q := api.SessionList{Sessions: []api.SessionInfo{}}, kernel.Query{Newest: !req.Oldest}
		var err error
		if out.Total, err = sessions.Total(ctx, c.Reader, q); err != nil {
			return out, err
		}
		out.Next, err = sessions.Page(ctx, c.Reader, q, req.Page, func(row kernel.Row[session]) error {
			info := row.Value.info()
			info.Question = questionFor(c, info)
			out.Sessions = append(out.Sessions, info)
			return nil
		})
		return out, err
	})
}

// own lists the sessions that the caller was asked in, the newest first. Of more than a page
// holds, those that wait for its answer are not left out for others; there is no further page.
func own(c *kernel.Call, req api.ListSessionsRequest) (api.SessionList, error) {
	out := api.SessionList{Sessions: []api.SessionInfo{}}
	if req.Cursor != "" {
		return out, brenner.Errorf(brenner.CodeInvalidValue, "the list of one's own sessions has one page").At("/cursor").WithHint("leave it out; a higher limit lists more")
	}
	limit, err := kernel.PageSize(req.Limit)
	if err != nil {
		return out, err
	}
	var all []api.SessionInfo
	waits := func(info api.SessionInfo) bool {
		r, _ := recipientOf(info, c.Who.Name)
		return r.Waiting && info.Closed.IsZero()
	}
	waiting := 0
	err = sessions.Each(c.Ctx, c.Reader, kernel.Query{Newest: !req.Oldest}, func(row kernel.Row[session]) (bool, error) {
		info := row.Value.info()
		if _, asked := recipientOf(info, c.Who.Name); asked {
			all = append(all, info)
			if waits(info) {
				waiting++
			}
		}
		return true, nil
	})
	out.Total = len(all)
	others := limit - min(limit, waiting)
	for _, info := range all {
		switch {
		case len(out.Sessions) == limit:
			return out, err
		case waits(info):
		case others == 0:
			continue
		default:
			others--
		}
		info.Question = questionFor(c, info)
		out.Sessions = append(out.Sessions, info)
	}
	return out, err
}

// EachInfo visits sessions, the newest first, until fn says stop.
func (r *Room) EachInfo(c *kernel.Call, fn func(api.SessionInfo) bool) error {
	return sessions.Each(c.Ctx, c.Reader, kernel.Query{Newest: true}, func(row kernel.Row[session]) (bool, error) {
		return fn(row.Value.info()), nil
	})
}

// UnreadSubjects lists the subjects of the messages to somebody that it has not read.
func (r *Room) UnreadSubjects(c *kernel.Call, name brenner.ActorName) ([]string, error) {
	var out []string
	q := kernel.Query{Group: string(name), States: []string{string(api.MessageUnread)}}
	err := messages.Each(c.Ctx, c.Reader, q, func(row kernel.Row[message]) (bool, error) {
		out = append(out, row.Value.Subject)
		return true, nil
	})
	return out, err
}

// Info loads a session.
func (r *Room) Info(c *kernel.Call, id brenner.SessionID) (api.SessionInfo, error) {
	return findSession(c, id)
}

// Kickoff names the message that first asked an agent in a session, "" if there
// is none.
func (r *Room) Kickoff(c *kernel.Call, id brenner.SessionID, agent brenner.ActorName) (string, error) {
	first := ""
	err := messages.Each(c.Ctx, c.Reader, kernel.Query{Group: string(agent)}, func(row kernel.Row[message]) (bool, error) {
		if row.Value.Session == id && row.Value.Kind == api.MessageKickoff {
			first = row.Value.ID
		}
		return first == "", nil
	})
	return first, err
}

// Asked gives a session the caller takes part in, or with no id the newest one
// that waits for its answer; false if there is none.
func (r *Room) Asked(c *kernel.Call, id brenner.SessionID) (api.SessionInfo, bool, error) {
	if id != "" {
		s, err := findSession(c, id)
		if err == nil && !c.Person() && !slices.Contains(s.Contributors, c.Who.Name) {
			err = brenner.Errorf(brenner.CodeUnknownAgent, "%s takes no part in %s", c.Who.Name, id).
				WithHint("name a session you were asked in; your messages say which")
		}
		return s, err == nil, err
	}
	if c.Person() {
		return api.SessionInfo{}, false, nil
	}
	rows, err := sessions.List(c.Ctx, c.Reader, kernel.Query{Newest: true}, brenner.DefaultPage)
	for _, row := range rows {
		waits := func(r recipient) bool { return r.Name == c.Who.Name && r.Waiting }
		if slices.ContainsFunc(row.Value.Recipients, waits) {
			return row.Value.info(), true, nil
		}
	}
	return api.SessionInfo{}, false, err
}

// SessionStatus implements api.Sessions.
func (s *Service) SessionStatus(ctx context.Context, req api.SessionStatusRequest) (api.SessionStatus, error) {
	id := req.ID
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, string(id)), func(c *kernel.Call) (api.SessionStatus, error) {
		info, err := findSession(c, id)
		if err != nil {
			return api.SessionStatus{}, err
		}
		counts, err := deltas.Count(ctx, c.Reader, string(id))
		if err != nil {
			return api.SessionStatus{}, err
		}
		out := api.SessionStatus{
			ID: info.ID, State: api.SessionComplete, Question: questionFor(c, info), ThreadEmpty: info.ThreadEmpty, Transport: info.Transport,
			Recipients: []api.RecipientStatus{}, Deltas: counts, Artifact: info.Artifact,
			Compiles: info.Compiles, Conflicts: info.Conflicts, Outbox: info.Outbox,
			Concludes: info.Concludes, Concluded: info.Concluded,
		}
		rejected := map[brenner.ActorName]int{}
		if counts[string(delta.Rejected)] > 0 {
			q := kernel.Query{Group: string(id), States: []string{string(delta.Rejected)}}
			if err := deltas.Each(ctx, c.Reader, q, func(row kernel.Row[deltaState]) (bool, error) {
				rejected[row.Value.Agent]++
				return true, nil
			}); err != nil {
				return out, err
			}
		}
		for _, r := range info.Recipients {
			switch {
			case r.Waiting && r.Unusable != "":
				out.State = api.SessionUnusable
			case r.Waiting && out.State == api.SessionComplete:
				out.State = api.SessionWaiting
			}
			out.Recipients = append(out.Recipients, api.RecipientStatus{Recipient: r, Delivery: deliveryOf(info, r.Ask), Rejected: rejected[r.Name]})
		}
		if !info.Closed.IsZero() {
			out.State, out.Next, out.Compile = api.SessionClosed, []brenner.Action{}, info.Compile
			return out, nil
		}
		out.Next, out.Compile = nextSteps(info, counts[deltaPending]), info.Compile
		due, err := s.compileAt(c, info)
		out.CompileAt = due.at
		return out, err
	})
}

// deliveryOf says how far a message has come on its way out.
func deliveryOf(info api.SessionInfo, id string) string {
	i := slices.IndexFunc(info.Outbox, func(u api.Unsent) bool { return u.ID == id })
	switch {
	case i < 0:
		return api.Delivered
	case info.Outbox[i].Attempts == 0:
		return api.Queued
	}
	return api.Failed
}

// nextSteps lists the commands that go on from here.
func nextSteps(info api.SessionInfo, pending int) []brenner.Action {
	out := []brenner.Action{}
	step := func(yes bool, action string) {
		if yes {
			out = append(out, brenner.Do(action, "id", string(info.ID)))
		}
	}
	silent := slices.ContainsFunc(info.Recipients, func(r api.Recipient) bool {
		return r.Waiting && deliveryOf(info, r.Ask) == api.Delivered
	})
	unusable := slices.ContainsFunc(info.Recipients, func(r api.Recipient) bool { return r.Waiting && r.Unusable != "" })
	step(len(info.Outbox) > 0, "session.resend")
	step(unusable, "session.diagnose")
	step(silent, "session.nudge")
	step(pending > 0, "session.compile")
	step(info.Conflicts > 0, "conflict.list")
	return out
}

// Waiting lists what sessions need of a person: conflicts to settle, replies to
// compile, messages to send again (N1).
func (r *Room) Waiting(c *kernel.Call) ([]kernel.Waiting, error) {
	var out []kernel.Waiting
	err := sessions.Each(c.Ctx, c.Reader, kernel.Query{}, func(row kernel.Row[session]) (bool, error) {
		s := row.Value
		if !s.Closed.IsZero() {
			return true, nil
		}
		wait := func(n int, kind api.WaitKind, why string) {
			if n > 0 {
				out = append(out, kernel.Waiting{Waiting: api.Waiting{
					Kind: kind, Subject: row.ID, Title: cmp.Or(s.Question, row.ID), Why: why, Author: s.Creator, Since: s.Created, Count: 1,
				}, On: []brenner.Ref{s.Artifact}})
			}
		}
		counts, err := deltas.Count(c.Ctx, c.Reader, row.ID)
		wait(s.Conflicts, api.WaitConflict, fmt.Sprintf("fields in conflict: %d", s.Conflicts))
		wait(counts[deltaPending], api.WaitCompile, fmt.Sprintf("deltas to be compiled: %d", counts[deltaPending]))
		wait(len(s.Outbox), api.WaitResend, fmt.Sprintf("messages that were not delivered: %d", len(s.Outbox)))
		return true, err
	})
	return out, err
}

// Compiled lists the artifacts of sessions that were compiled.
func (r *Room) Compiled(c *kernel.Call) ([]brenner.Ref, error) {
	var out []brenner.Ref
	err := sessions.Each(c.Ctx, c.Reader, kernel.Query{}, func(row kernel.Row[session]) (bool, error) {
		if row.Value.Compiles > 0 {
			out = append(out, row.Value.Artifact)
		}
		return true, nil
	})
	return out, err
}

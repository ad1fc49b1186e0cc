package app

import (
	"context"
	"fmt"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/store"
	"brenner/policy"
)

// Sessions implements api.Sessions.
func (s *service) Sessions(ctx context.Context, req api.ListSessionsRequest) (api.SessionList, error) {
	return view(ctx, s, func(c *call) (api.SessionList, error) {
		out := api.SessionList{Sessions: []api.SessionInfo{}}
		if err := c.allow(policy.Status, "", "", "sessions"); err != nil {
			return out, err
		}
		next, err := c.page(store.ObjectQuery{Kind: objectSession, Newest: true}, req.Page, func(o store.Object) error {
			var info api.SessionInfo
			err := unmarshalBody(o, &info)
			out.Sessions = append(out.Sessions, info)
			return err
		})
		out.Next = next
		return out, err
	})
}

// Session implements api.Sessions.
func (s *service) Session(ctx context.Context, req api.SessionRequest) (api.SessionView, error) {
	shown := func(v api.SessionView) []brenner.Ref { return []brenner.Ref{v.Ref} }
	return read(ctx, s, "session "+string(req.ID), shown, func(c *call) (api.SessionView, error) {
		if err := c.allow(policy.Read, artifact.TypeSessionArtifact, "", string(req.ID)); err != nil {
			return api.SessionView{}, err
		}
		info, err := c.findSession(req.ID)
		if err != nil {
			return api.SessionView{}, err
		}
		if err := c.allow(policy.Read, artifact.TypeSessionArtifact, info.Module, string(req.ID)); err != nil {
			return api.SessionView{}, err
		}
		row, doc, err := c.sessionArtifact(req.ID, req.Version)
		if err != nil {
			return api.SessionView{}, err
		}
		out := api.SessionView{SessionInfo: info, Ref: row.Ref(), Status: row.Status, Markdown: delta.Render(doc)}
		if req.Full {
			out.Content, err = canon.Marshal(doc)
		}
		return out, err
	})
}

// SessionStatus implements api.Sessions.
func (s *service) SessionStatus(ctx context.Context, req api.SessionStatusRequest) (api.SessionStatus, error) {
	id := req.ID
	return view(ctx, s, func(c *call) (api.SessionStatus, error) {
		if err := c.allow(policy.Status, "", "", string(id)); err != nil {
			return api.SessionStatus{}, err
		}
		info, err := c.findSession(id)
		if err != nil {
			return api.SessionStatus{}, err
		}
		counts, err := c.CountObjects(ctx, objectDelta, string(id))
		if err != nil {
			return api.SessionStatus{}, err
		}
		out := api.SessionStatus{
			ID: info.ID, State: api.SessionComplete, Question: info.Question, ThreadEmpty: info.ThreadEmpty, Transport: info.Transport,
			Recipients: []api.RecipientStatus{}, Deltas: counts, Artifact: info.Artifact,
			Compiles: info.Compiles, Conflicts: info.Conflicts, Outbox: info.Outbox,
		}
		for _, r := range info.Recipients {
			if r.Waiting {
				out.State = api.SessionWaiting
			}
			out.Recipients = append(out.Recipients, api.RecipientStatus{Recipient: r, Delivery: deliveryOf(info, r.Ask)})
		}
		out.Next = nextSteps(info, counts[deltaPending])
		return out, nil
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
func nextSteps(info api.SessionInfo, pending int) []string {
	out := []string{}
	step := func(yes bool, format string) {
		if yes {
			out = append(out, fmt.Sprintf("brenner "+format, info.ID))
		}
	}
	silent := slices.ContainsFunc(info.Recipients, func(r api.Recipient) bool {
		return r.Waiting && deliveryOf(info, r.Ask) == api.Delivered
	})
	step(len(info.Outbox) > 0, "session resend %s")
	step(silent, "session nudge %s")
	step(pending > 0, "session compile %s")
	step(info.Conflicts > 0, "conflict list %s")
	return out
}

// sessionNeeds lists what sessions need of the PI: conflicts to settle, replies
// to compile, messages to send again (X5).
func (c *call) sessionNeeds() ([]api.Need, error) {
	var conflicts, pending, unsent []string
	err := c.eachObject(store.ObjectQuery{Kind: objectSession}, func(o store.Object) error {
		var info api.SessionInfo
		if err := unmarshalBody(o, &info); err != nil {
			return err
		}
		counts, err := c.CountObjects(c.ctx, objectDelta, o.ID)
		if info.Conflicts > 0 {
			conflicts = append(conflicts, o.ID)
		}
		if counts[deltaPending] > 0 {
			pending = append(pending, o.ID)
		}
		if len(info.Outbox) > 0 {
			unsent = append(unsent, o.ID)
		}
		return err
	})
	return []api.Need{
		{Kind: "conflict", Count: len(conflicts), What: "fields in conflict: " + firstFew(conflicts), Command: "brenner conflict list " + first(conflicts), Names: conflicts},
		{Kind: "compile", Count: len(pending), What: "replies wait to be compiled: " + firstFew(pending), Command: "brenner session compile " + first(pending), Names: pending},
		{Kind: "resend", Count: len(unsent), What: "messages were not delivered: " + firstFew(unsent), Command: "brenner session resend " + first(unsent), Names: unsent},
	}, err
}

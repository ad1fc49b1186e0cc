package app

import (
	"context"
	"maps"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/internal/store"
	"brenner/policy"
)

// AddAgent implements api.Agents.
func (s *service) AddAgent(ctx context.Context, req api.AddAgentRequest) (api.AgentInfo, error) {
	return write(ctx, s, "agent.add", req.Write, req, func(ch *change) (api.AgentInfo, error) {
		if err := ch.allow(policy.Admin, "", "", string(req.Name)); err != nil {
			return api.AgentInfo{}, err
		}
		if err := checkAgent(ch.settings, req); err != nil {
			return api.AgentInfo{}, err
		}
		old, err := ch.Actor(ctx, req.Name)
		switch {
		case err == nil && !req.Update:
			return api.AgentInfo{}, brenner.Errorf(brenner.CodeAlreadyExists, "%s is registered already, as %s", old.Name, old.Role).
				WithHint("add --update to change it")
		case err != nil && brenner.CodeOf(err) != brenner.CodeNotFound:
			return api.AgentInfo{}, err
		}
		p := actorPut{Name: req.Name, Kind: kindAgent, Role: req.Role, Note: req.Note, Active: true}
		if req.Person {
			p.Kind = kindPerson
		}
		if req.Name == ch.actor.Name && (p.Kind != kindPerson || p.Role != brenner.PI) {
			return api.AgentInfo{}, brenner.Errorf(brenner.CodeStatusConflict, "you cannot take the PI role from yourself")
		}
		if _, err := ch.append(kindActorPut, p); err != nil {
			return api.AgentInfo{}, err
		}
		now, err := ch.tx.Actor(ctx, req.Name)
		return agentInfo(now), err
	})
}

func checkAgent(s *settings, req api.AddAgentRequest) error {
	if err := req.Name.Check(); err != nil {
		return err
	}
	if err := checkText(req.Note); err != nil {
		return err
	}
	if len([]rune(req.Note)) > brenner.MaxNoteRunes {
		return brenner.Errorf(brenner.CodeLimitExceeded, "a note has at most %d characters", brenner.MaxNoteRunes)
	}
	if _, ok := s.policies[req.Role]; !ok {
		return brenner.Errorf(brenner.CodeUnknownRole, "no role %q has a policy", req.Role).
			WithHint("roles: " + list(slices.Sorted(maps.Keys(s.policies))))
	}
	if req.Role == brenner.PI && !req.Person {
		return brenner.Errorf(brenner.CodeInvalidValue, "only a person can lead the project").
			WithHint("add --person, or give the agent another role")
	}
	return nil
}

func agentInfo(a store.Actor) api.AgentInfo {
	return api.AgentInfo{Name: a.Name, Kind: a.Kind, Role: a.Role, Note: a.Note, Active: a.Active, Created: a.Created}
}

// Agents implements api.Agents.
func (s *service) Agents(ctx context.Context) (api.AgentList, error) {
	return view(ctx, s, func(c *call) (api.AgentList, error) {
		if err := c.allow(policy.Status, "", "", "agents"); err != nil {
			return api.AgentList{}, err
		}
		out := api.AgentList{Agents: []api.AgentInfo{}, Roles: slices.Sorted(maps.Keys(c.policies))}
		actors, err := c.Actors(ctx)
		for _, a := range actors {
			out.Agents = append(out.Agents, agentInfo(a))
		}
		return out, err
	})
}

// Denials implements api.Agents.
func (s *service) Denials(ctx context.Context, req api.DenialsRequest) (api.DenialList, error) {
	return view(ctx, s, func(c *call) (api.DenialList, error) {
		if err := c.allow(policy.Audit, "", "", "denials"); err != nil {
			return api.DenialList{}, err
		}
		n, err := pageSize(req.Limit)
		if err != nil {
			return api.DenialList{}, err
		}
		rows, err := c.Reader.Denials(ctx, n)
		out := api.DenialList{Denials: []api.DenialInfo{}}
		for _, d := range rows {
			out.Denials = append(out.Denials, api.DenialInfo(d))
		}
		return out, err
	})
}

package access

import (
	"context"
	"maps"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/policy"
)

// AddAgent implements api.Agents.
func (s *Service) AddAgent(ctx context.Context, req api.AddAgentRequest) (api.AgentInfo, error) {
	return kernel.Write(ctx, s.caller, "agent.add", req, kernel.To(policy.Admin, string(req.Name)), func(ch *kernel.Change) (api.AgentInfo, error) {
		if err := checkAgent(ch.Settings, req); err != nil {
			return api.AgentInfo{}, err
		}
		old, err := ch.Actor(ctx, req.Name)
		switch {
		case err == nil && !req.Update:
			return api.AgentInfo{}, brenner.Errorf(brenner.CodeAlreadyExists, "%s is registered already, as %s", old.Name, old.Role).
				WithHint("it can be changed").Try(brenner.Again("update", "true"))
		case err != nil && brenner.CodeOf(err) != brenner.CodeNotFound:
			return api.AgentInfo{}, err
		}
		p := kernel.Actor{Name: req.Name, Kind: kernel.Agent, Role: req.Role, Note: req.Note, Active: true}
		switch {
		case req.Person:
			p.Kind = kernel.Person
		case req.Role == policy.Runner:
			p.Kind, p.For = kernel.Runner, slices.Compact(slices.Sorted(slices.Values(req.For)))
		}
		if old.Kind == kernel.Person && p.Kind != kernel.Person && !req.Agent {
			return api.AgentInfo{}, brenner.Errorf(brenner.CodeStatusConflict, "%s is a person, and would be none any more, but of the kind %s", old.Name, p.Kind).
				At("/person").WithHint("say that it is a person; or that it is none, if that was a mistake").
				Try(brenner.Again("person", "true"), brenner.Again("agent", "true"))
		}
		if req.Name == ch.Who.Name && (p.Kind != kernel.Person || p.Role != brenner.PI) {
			return api.AgentInfo{}, brenner.Errorf(brenner.CodeStatusConflict, "you cannot take the PI role from yourself")
		}
		if _, err := kernel.ActorPut.Append(ch, p); err != nil {
			return api.AgentInfo{}, err
		}
		now, err := ch.Actor(ctx, req.Name)
		return agentInfo(now), err
	})
}

func checkAgent(s *kernel.Settings, req api.AddAgentRequest) error {
	if err := req.Name.Check(); err != nil {
		return err
	}
	if req.Name == kernel.System {
		return brenner.Errorf(brenner.CodeInvalidID, "%s is what happens by itself, and nobody else can be called so", req.Name).At("/name")
	}
	if err := kernel.CheckText(req.Note); err != nil {
		return err
	}
	if len([]rune(req.Note)) > brenner.MaxNoteRunes {
		return brenner.Errorf(brenner.CodeLimitExceeded, "a note has at most %d characters", brenner.MaxNoteRunes)
	}
	if err := s.KnownRole(req.Role); err != nil {
		return err
	}
	switch runs := req.Role == policy.Runner; {
	case req.Agent && req.Person:
		return brenner.Errorf(brenner.CodeInvalidValue, "an agent is no person").At("/agent")
	case runs && req.Person:
		return brenner.Errorf(brenner.CodeInvalidValue, "a runner is a process, not a person").At("/person")
	case runs && len(req.For) == 0:
		return brenner.Errorf(brenner.CodeInvalidValue, "a runner starts the agents it is registered for, and none are named").At("/for").
			WithHint("name them, one by one").Try(brenner.Again("for", "NAME"))
	case !runs && len(req.For) > 0:
		return brenner.Errorf(brenner.CodeInvalidValue, "only a runner is registered for agents").At("/for")
	case len(req.For) > brenner.MaxPage:
		return brenner.Errorf(brenner.CodeLimitExceeded, "a runner has at most %d agents", brenner.MaxPage).At("/for")
	}
	for _, name := range req.For {
		if err := name.Check(); err != nil {
			return err
		}
	}
	if req.Role == brenner.PI && !req.Person {
		return brenner.Errorf(brenner.CodeInvalidValue, "only a person can lead the project").
			WithHint("say that it is a person, or give the agent another role").Try(brenner.Again("person", "true"))
	}
	return nil
}

func agentInfo(a store.Actor) api.AgentInfo {
	return api.AgentInfo{Name: a.Name, Kind: a.Kind, Role: a.Role, Note: a.Note, Active: a.Active, Created: a.Created}
}

// Agents implements api.Agents.
func (s *Service) Agents(ctx context.Context) (api.AgentList, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "agents"), func(c *kernel.Call) (api.AgentList, error) {
		out := api.AgentList{Agents: []api.AgentInfo{}, Roles: slices.Sorted(maps.Keys(c.Policies))}
		actors, err := c.Actors(ctx)
		for _, a := range actors {
			info := agentInfo(a)
			if c.Leads() && err == nil {
				info.Stored, err = c.Stored(ctx, a.Name)
			}
			out.Agents = append(out.Agents, info)
			if p, ok := c.Policies[a.Role]; ok && a.Active && a.Role != brenner.PI && len(p.Acts) == 0 {
				out.ShutOut = append(out.ShutOut, a.Role)
			}
		}
		slices.Sort(out.ShutOut)
		out.ShutOut = slices.Compact(out.ShutOut)
		return out, err
	})
}

// Denials implements api.Agents.
func (s *Service) Denials(ctx context.Context, req api.DenialsRequest) (api.DenialList, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Audit, "denials"), func(c *kernel.Call) (api.DenialList, error) {
		n, err := kernel.PageSize(req.Limit)
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

// May refuses who may do none of some acts, whatever they are about.
func (a *Room) May(ctx context.Context, who kernel.Identity, acts []policy.Action) error {
	_, err := kernel.View(ctx, a.By(who), kernel.Ever(acts...), func(*kernel.Call) (struct{}, error) { return struct{}{}, nil })
	return err
}

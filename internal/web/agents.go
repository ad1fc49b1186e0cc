package web

import (
	"brenner"
	"brenner/api"
)

// agentsPage is who may act, and the newest refusals.
type agentsPage struct {
	Agents  []agentRow
	Roles   []brenner.Role
	Denials []api.DenialInfo
}

// agentRow is an actor with its tokens.
type agentRow struct {
	api.AgentInfo
	Tokens []api.TokenInfo
}

func loadAgents(v *visit) (string, any, error) {
	list, err := v.svc.Agents(v.Context())
	if err != nil {
		return "", nil, err
	}
	tokens, err := v.svc.Tokens(v.Context())
	if err != nil {
		return "", nil, err
	}
	denials, err := v.svc.Denials(v.Context(), api.DenialsRequest{Limit: 20})
	if err != nil {
		return "", nil, err
	}
	out := agentsPage{Roles: list.Roles, Denials: denials.Denials}
	for _, a := range list.Agents {
		line := agentRow{AgentInfo: a}
		for _, t := range tokens.Tokens {
			if t.Actor == a.Name {
				line.Tokens = append(line.Tokens, t)
			}
		}
		out.Agents = append(out.Agents, line)
	}
	return "Agents", out, nil
}

// agentActs register actors and hand out tokens.
var agentActs = map[string]act{
	"add": func(v *visit) (string, error) {
		_, err := v.svc.AddAgent(v.Context(), api.AddAgentRequest{
			Write: v.write(), Name: brenner.ActorName(v.field("name")), Role: brenner.Role(v.field("role")), Note: v.field("note"),
		})
		return "/agents", err
	},
	// A token is shown once, on the page that answers the form, and nowhere
	// else: not in an address, not in the history of the browser.
	"token": func(v *visit) (string, error) {
		issued, err := v.svc.IssueToken(v.Context(), api.IssueTokenRequest{Write: v.write(), Actor: brenner.ActorName(v.field("actor"))})
		if err == nil {
			v.result = issued
		}
		return "", err
	},
	"revoke": func(v *visit) (string, error) {
		_, err := v.svc.RevokeToken(v.Context(), api.RevokeTokenRequest{Write: v.write(), ID: v.field("id")})
		return "/agents", err
	},
}

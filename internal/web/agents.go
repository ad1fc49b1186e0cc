package web

import (
	"net/url"
	"slices"
	"time"

	"brenner"
	"brenner/api"
)

// agentsPage is who may act, and the newest refusals.
type agentsPage struct {
	Agents  []agentRow
	Roles   []brenner.Role
	Denials []api.DenialInfo
}

// agentRow is an actor with how many of its tokens are live.
type agentRow struct {
	api.AgentInfo
	Live int
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
	live := map[brenner.ActorName]int{}
	for _, t := range tokens.Tokens {
		if t.Live {
			live[t.Actor]++
		}
	}
	out := agentsPage{Roles: list.Roles, Denials: denials.Denials}
	for _, a := range list.Agents {
		out.Agents = append(out.Agents, agentRow{a, live[a.Name]})
	}
	return "Agents", out, nil
}

// agentPage is one actor: what it did, holds, saw and was refused.
type agentPage struct {
	api.AgentInfo
	Seen     time.Time // when it did something, zero if it never did
	Feed     []happening
	Tasks    []api.TaskInfo
	Contexts []api.InvocationItem
	Tokens   []api.TokenInfo
	Denials  []api.DenialInfo
}

// agentShown is how much of each list the page of an actor shows.
const agentShown = 10

func loadAgent(v *visit) (string, any, error) {
	name := brenner.ActorName(v.PathValue("name"))
	all, err := v.svc.Agents(v.Context())
	if err != nil {
		return "", nil, err
	}
	i := slices.IndexFunc(all.Agents, func(a api.AgentInfo) bool { return a.Name == name })
	if i < 0 {
		return "", nil, brenner.Errorf(brenner.CodeNotFound, "there is no actor %q", brenner.Clip(string(name), 100)).Try(brenner.Do("agent.list"))
	}
	out := agentPage{AgentInfo: all.Agents[i]}
	records, err := v.svc.Records(v.Context(), api.RecordsRequest{Newest: true, Limit: agentShown, Actor: name})
	if err != nil {
		return "", nil, err
	}
	if out.Feed = feed(records.Records); len(out.Feed) > 0 {
		out.Seen = out.Feed[0].At
	}
	tasks, err := v.svc.Tasks(v.Context(), api.ListTasksRequest{States: []api.TaskState{api.TaskClaimed}, Page: api.Page{Limit: brenner.MaxPage}})
	if err != nil {
		return "", nil, err
	}
	out.Tasks = slices.DeleteFunc(tasks.Tasks, func(t api.TaskInfo) bool { return t.Holder != name })
	seen, err := v.svc.Invocations(v.Context(), api.ListInvocationsRequest{Agent: name, Page: api.Page{Limit: agentShown}})
	if err != nil {
		return "", nil, err
	}
	if out.Contexts = seen.Invocations; len(out.Contexts) > 0 && out.Contexts[0].At.After(out.Seen) {
		out.Seen = out.Contexts[0].At
	}
	tokens, err := v.svc.Tokens(v.Context())
	if err != nil {
		return "", nil, err
	}
	out.Tokens = slices.DeleteFunc(tokens.Tokens, func(t api.TokenInfo) bool { return t.Actor != name })
	denials, err := v.svc.Denials(v.Context(), api.DenialsRequest{Limit: brenner.DefaultPage})
	out.Denials = slices.DeleteFunc(denials.Denials, func(d api.DenialInfo) bool { return d.Actor != name })
	out.Denials = out.Denials[:min(len(out.Denials), agentShown)]
	return string(name), out, err
}

func agentPath(name brenner.ActorName) string { return "/agents/" + url.PathEscape(string(name)) }

// agentsActs register actors and hand out tokens.
var agentsActs = map[string]act{
	"add": func(v *visit) (string, error) {
		a, err := v.svc.AddAgent(v.Context(), api.AddAgentRequest{
			Write: v.write(), Name: brenner.ActorName(v.field("name")), Role: brenner.Role(v.field("role")), Note: v.field("note"),
		})
		return agentPath(a.Name), err
	},
	"token": issueToken,
}

// agentActs hand out and revoke the tokens of one actor.
var agentActs = map[string]act{
	"token": issueToken,
	"revoke": func(v *visit) (string, error) {
		_, err := v.svc.RevokeToken(v.Context(), api.RevokeTokenRequest{Write: v.write(), ID: v.field("id")})
		return agentPath(brenner.ActorName(v.PathValue("name"))), err
	},
}

// issueToken makes a token. It is shown once, on the page that answers the
// form, and nowhere else: not in an address, not in the history of the browser.
func issueToken(v *visit) (string, error) {
	issued, err := v.svc.IssueToken(v.Context(), api.IssueTokenRequest{Write: v.write(), Actor: brenner.ActorName(v.field("actor"))})
	if err == nil {
		v.result = issued
	}
	return "", err
}

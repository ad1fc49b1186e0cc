package api

import (
	"context"
	"time"

	"brenner"
)

// Agents is who may act.
type Agents interface {
	// AddAgent registers an actor with a standing role. PI only.
	AddAgent(ctx context.Context, req AddAgentRequest) (AgentInfo, error)
	Agents(ctx context.Context) (AgentList, error)
	// Denials lists the newest refusals of the policy. PI only.
	Denials(ctx context.Context, req DenialsRequest) (DenialList, error)
}

// AddAgentRequest registers an actor, or changes the role of one.
type AddAgentRequest struct {
	Write
	Name brenner.ActorName `json:"name"`
	Role brenner.Role      `json:"role"`
	// Person says it is a human being; only persons take PI decisions.
	Person bool   `json:"person,omitzero"`
	Note   string `json:"note,omitzero"`
	// Update allows changing an actor that exists.
	Update bool `json:"update,omitzero"`
}

// AgentInfo is an actor.
type AgentInfo struct {
	Name    brenner.ActorName `json:"name"`
	Kind    string            `json:"kind"`
	Role    brenner.Role      `json:"role"`
	Note    string            `json:"note,omitzero"`
	Active  bool              `json:"active"`
	Created time.Time         `json:"created_at"`
}

// AgentList lists actors by name, and the roles that have a policy.
type AgentList struct {
	Agents []AgentInfo    `json:"agents"`
	Roles  []brenner.Role `json:"roles"`
}

// DenialsRequest asks for the newest refusals.
type DenialsRequest struct {
	Limit int `json:"limit,omitzero"`
}

// DenialList lists refusals, newest first.
type DenialList struct {
	Denials []DenialInfo `json:"denials"`
}

// DenialInfo is one refusal.
type DenialInfo struct {
	At     time.Time         `json:"at"`
	Actor  brenner.ActorName `json:"actor"`
	Role   brenner.Role      `json:"role"`
	Action string            `json:"action"`
	Target string            `json:"target"`
	Reason string            `json:"reason"`
}

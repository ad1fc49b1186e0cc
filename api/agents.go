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
	// IssueToken makes a token that names an actor to the server (X8). Its
	// secret is in this result and nowhere else, also not in a repeated one.
	// PI only.
	IssueToken(ctx context.Context, req IssueTokenRequest) (IssuedToken, error)
	// RevokeToken ends one token, or every live token of an actor, at once.
	// PI only. Codes: NOT_FOUND.
	RevokeToken(ctx context.Context, req RevokeTokenRequest) (TokenList, error)
	// Tokens lists tokens without their secrets. PI only.
	Tokens(ctx context.Context) (TokenList, error)
}

// AddAgentRequest registers an actor, or changes the role of one.
type AddAgentRequest struct {
	Write
	Name brenner.ActorName `json:"name"`
	Role brenner.Role      `json:"role"`
	// Person says it is a human being; only persons take PI decisions.
	Person bool `json:"person,omitzero"`
	// Agent says that it is none, although it was registered as a person.
	Agent bool   `json:"agent,omitzero"`
	Note  string `json:"note,omitzero"`
	// For are the agents that a runner may start: with the role runner, and
	// with no other.
	For []brenner.ActorName `json:"for,omitzero"`
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
	// Stored is how many bytes it has had stored, for who leads the project.
	Stored int64 `json:"stored_bytes,omitzero"`
}

// AgentList lists actors by name, and the roles that have a policy.
type AgentList struct {
	Agents []AgentInfo    `json:"items"`
	Roles  []brenner.Role `json:"roles"`
	// ShutOut lists the roles of agents whose policy names no acts: they may
	// not ask where they stand, work on a task or assemble a context.
	ShutOut []brenner.Role `json:"shut_out,omitempty"`
}

// DenialsRequest asks for the newest refusals.
type DenialsRequest struct {
	Limit int `json:"limit,omitzero"`
}

// DenialList lists refusals, newest first.
type DenialList struct {
	Denials []DenialInfo `json:"items"`
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

// IssueTokenRequest asks for a token.
type IssueTokenRequest struct {
	Write
	Actor brenner.ActorName `json:"actor"`
	// Expires is how long the token is good for; 0: until it is revoked.
	Expires Duration `json:"expires_in,omitzero"`
}

// IssuedToken is a new token.
type IssuedToken struct {
	TokenInfo
	// Secret is what the actor shows. It is given once and never stored: the
	// answer to a repeated request has none.
	Secret string `json:"secret,omitzero"`
}

// RevokeTokenRequest names a token by its id, or all of an actor's.
type RevokeTokenRequest struct {
	Write
	ID    string            `json:"id,omitzero"`
	Actor brenner.ActorName `json:"actor,omitzero"`
}

// TokenList lists tokens in id order.
type TokenList struct {
	Tokens []TokenInfo `json:"items"`
}

// TokenInfo is a token as others may see it.
type TokenInfo struct {
	ID      string            `json:"id"`
	Actor   brenner.ActorName `json:"actor"`
	Created time.Time         `json:"created_at"`
	Expires time.Time         `json:"expires_at,omitzero"` // zero: never
	Revoked bool              `json:"revoked,omitzero"`
	// Live says that the token is neither revoked nor expired.
	Live bool `json:"live"`
}

package stalemate

import (
	"slices"
	"strings"

	"brenner"
)

// State is how far a stalemate has come (S3).
type State string

// The states.
const (
	Open          State = "open"
	InArbitration State = "in_arbitration"
	Decided       State = "verdict"
	Accepted      State = "accepted"
	Appealed      State = "appealed"
	Implemented   State = "implemented"
	Verified      State = "verified"
	Withdrawn     State = "withdrawn"
)

// States lists the states, in the order they are usually passed.
func States() []State {
	return []State{Open, InArbitration, Decided, Accepted, Appealed, Implemented, Verified, Withdrawn}
}

// Closed says that nothing more can happen.
func (s State) Closed() bool { return s == Verified || s == Withdrawn }

// Action moves a stalemate from one state to the next.
type Action string

// The actions.
const (
	Arbitration Action = "arbitrate" // an arbiter takes it on
	Deliver     Action = "verdict"   // the arbiter decides
	Accept      Action = "accept"
	Appeal      Action = "appeal"
	Implement   Action = "implement"
	Verify      Action = "verify"
	Reopen      Action = "reopen" // as another round
	Withdraw    Action = "withdraw"
	Reply       Action = "reply" // a party says itself what it holds
)

// transition is one row of the table of what may happen when.
type transition struct {
	action Action
	from   []State
	to     State
	reason bool // the action must be given a reason
}

var transitions = []transition{
	{Arbitration, []State{Open}, InArbitration, false},
	{Deliver, []State{InArbitration}, Decided, false},
	// Who accepts speaks for itself: until the verdict is carried out the others may
	// accept it too, or appeal (ADR 0149).
	{Accept, []State{Decided, Accepted}, Accepted, false},
	{Appeal, []State{Decided, Accepted}, Appealed, true},
	{Implement, []State{Accepted}, Implemented, false},
	{Verify, []State{Implemented}, Verified, false},
	{Reopen, []State{Appealed, Implemented}, Open, true},
	{Withdraw, []State{Open, InArbitration, Decided, Appealed}, Withdrawn, true},
	// What was drafted before a party spoke is void.
	{Reply, []State{Open, InArbitration}, Open, false},
}

// Actions lists what may happen to a stalemate in this state.
func (s State) Actions() []Action {
	var can []Action
	for _, t := range transitions {
		if slices.Contains(t.from, s) {
			can = append(can, t.action)
		}
	}
	return can
}

// Event is one step in the history of a stalemate.
type Event struct {
	Action Action            `json:"action"`
	Actor  brenner.ActorName `json:"actor"`
	At     string            `json:"at"` // RFC 3339
	Reason string            `json:"reason,omitzero"`
	Round  int               `json:"round"`
}

// Next takes one step. A step that the state does not allow is
// STATUS_CONFLICT, a missing reason REASON_REQUIRED, an arbiter who is a party
// ARBITER_IS_PARTY.
func (s Stalemate) Next(e Event) (Stalemate, error) {
	i := slices.IndexFunc(transitions, func(t transition) bool { return t.action == e.Action })
	if i < 0 {
		return Stalemate{}, brenner.Errorf(brenner.CodeInvalidValue, "%q is not something that happens to a stalemate", brenner.Clip(string(e.Action), brenner.MaxQuote))
	}
	t := transitions[i]
	if !slices.Contains(t.from, s.State) {
		return Stalemate{}, brenner.Errorf(brenner.CodeStatusConflict, "a stalemate that is %s does not take %s", s.State, e.Action).
			WithHint(s.hint())
	}
	if (e.Action == Accept || e.Action == Appeal) && s.hasAccepted(e.Actor) {
		return Stalemate{}, brenner.Errorf(brenner.CodeStatusConflict, "%s has accepted the verdict", e.Actor).
			WithHint("it is carried out, and checked; one that proves wrong is reopened then")
	}
	if t.reason && brenner.SaysNothing(e.Reason) {
		return Stalemate{}, brenner.Errorf(brenner.CodeReasonRequired, "%s needs a reason", e.Action)
	}
	if (e.Action == Arbitration || e.Action == Deliver) && s.isParty(e.Actor) {
		return Stalemate{}, arbiterIsParty(e.Actor)
	}
	e.Round = s.Round
	s.History = append(slices.Clone(s.History), e)
	s.State = t.to
	if e.Action == Reopen {
		s.Round++
	}
	return s, nil
}

// hasAccepted says whether somebody has accepted the verdict of this round.
func (s Stalemate) hasAccepted(who brenner.ActorName) bool {
	return slices.ContainsFunc(s.History, func(e Event) bool { return e.Action == Accept && e.Actor == who && e.Round == s.Round })
}

// hint lists what the present state does take.
func (s Stalemate) hint() string {
	var can []string
	for _, a := range s.State.Actions() {
		can = append(can, string(a))
	}
	if can == nil {
		return "it is closed; raise a new one"
	}
	return "possible now: " + strings.Join(can, ", ")
}

func arbiterIsParty(name brenner.ActorName) error {
	return brenner.Errorf(brenner.CodeArbiterIsParty, "%s is a party and cannot decide", name).
		WithHint("let somebody else decide")
}

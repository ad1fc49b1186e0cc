package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"brenner"
	"brenner/anchor"
	"brenner/api"
	"brenner/canon"
	"brenner/stalemate"
)

// hypothesis is what a party, or anybody, holds to be the cause.
type hypothesis struct {
	Author        brenner.ActorName `json:"author,omitzero" doc:"who holds it"`
	Statement     string            `json:"statement,omitzero" doc:"yours, or an alternative's"`
	Justification string            `json:"justification,omitzero" doc:"why"`
}

// evidence is one thing that can be looked at.
type evidence struct {
	Kind    string `json:"kind" doc:"error_log, file_content, older_content, patch, explanation, or another word"`
	Content string `json:"content" doc:"the thing itself"`
	Path    string `json:"path,omitzero" doc:"the file it is of"`
}

// stalemateRequest opens a stalemate.
type stalemateRequest struct {
	keyed
	Summary      string            `json:"summary" doc:"what you disagree about"`
	Target       string            `json:"target,omitzero" doc:"artifact or file it is about"`
	Hypotheses   []hypothesis      `json:"hypotheses" doc:"one per party: yours, and the others by author only"`
	Alternatives []hypothesis      `json:"alternatives" doc:"1 to 3 that nobody holds yet"`
	Evidence     []evidence        `json:"evidence" doc:"to look at"`
	Expected     string            `json:"expected_behaviour,omitzero" doc:"what should happen instead"`
	Request      string            `json:"arbitration_request" doc:"what to decide"`
	Session      brenner.SessionID `json:"session,omitzero" doc:"where it came up"`
	Module       brenner.Module    `json:"module,omitzero" doc:"default: your context's"`
}

// dispute is a stalemate as far as it has come.
type dispute struct{ api.StalemateInfo }

func raiseStalemate(s api.Service, ctx context.Context, in stalemateRequest) (dispute, error) {
	about := stalemate.Stalemate{Summary: in.Summary, Target: in.Target, Expected: in.Expected, Request: in.Request}
	for _, h := range in.Hypotheses {
		about.Hypotheses = append(about.Hypotheses, stalemate.Hypothesis{Author: h.Author, Statement: h.Statement, Justification: h.Justification})
	}
	for _, h := range in.Alternatives {
		about.Alternatives = append(about.Alternatives, stalemate.Hypothesis{Author: h.Author, Statement: h.Statement, Justification: h.Justification})
	}
	about.Evidence = shown(in.Evidence)
	res, err := s.RaiseStalemate(ctx, api.RaiseStalemateRequest{Write: in.write(), Module: in.Module, Session: in.Session, Stalemate: about})
	return dispute{res}, err
}

// shown is evidence as the service takes it.
func shown(all []evidence) []stalemate.Evidence {
	var out []stalemate.Evidence
	for _, e := range all {
		out = append(out, stalemate.Evidence{Kind: e.Kind, Content: e.Content, Path: e.Path})
	}
	return out
}

// steps are what a party may do about a stalemate, and verdict, what an arbiter
// does.
var steps = []stalemate.Action{
	stalemate.Reply, stalemate.Accept, stalemate.Appeal, stalemate.Implement, stalemate.Verify, stalemate.Reopen, stalemate.Withdraw,
	stalemate.Deliver,
}

// replyRequest is what a party says or does about a stalemate, or its arbiter.
type replyRequest struct {
	keyed
	ID            brenner.ArtifactID `json:"id" doc:"the stalemate"`
	Step          stalemate.Action   `json:"step,omitzero" doc:"default reply; the raiser may withdraw"`
	Statement     string             `json:"statement,omitzero" doc:"what you hold to be the cause"`
	Justification string             `json:"justification,omitzero" doc:"why"`
	Cause         anchor.Cause       `json:"cause,omitzero" doc:"why a patch was refused, if it is about one"`
	Evidence      []evidence         `json:"evidence,omitzero" doc:"for it"`
	Reason        string             `json:"reason,omitzero" doc:"to appeal, reopen or withdraw"`
	Verdict       string             `json:"verdict,omitzero" doc:"an arbiter's, as JSON: outcome (hypothesis_upheld, other_cause, insufficient_evidence, not_reproducible), root_cause, explanation [], findings [{hypothesis, ruling (upheld, refuted, undetermined), reason, evidence: [e1]}], remedy, verification"`
}

// moved is where a stalemate stands after a step.
type moved struct {
	Ref   brenner.Ref     `json:"ref"`
	State stalemate.State `json:"state"`
	Round int             `json:"round"`
}

// Words implements spoken.
func (m moved) Words() string { return fmt.Sprintf("%s is %s, round %d\n", m.Ref, m.State, m.Round) }

// Slim implements spoken.
func (m moved) Slim() moved { return m }

func replyStalemate(s api.Service, ctx context.Context, in replyRequest) (moved, error) {
	if in.Step == "" {
		in.Step = stalemate.Reply
	}
	if in.Step == stalemate.Deliver {
		return decideStalemate(s, ctx, in)
	}
	res, err := s.MoveStalemate(ctx, api.MoveStalemateRequest{
		Write: in.write(), ID: in.ID, Action: in.Step, Reason: in.Reason,
		Statement: in.Statement, Justification: in.Justification, Cause: string(in.Cause), Evidence: shown(in.Evidence),
	})
	var refused *brenner.Error
	if errors.As(err, &refused) && refused.Pointer == "/action" {
		err = refused.At("/step").WithHint("steps: " + joined(steps)) // as the argument is called here
	}
	return moved{Ref: res.Ref, State: res.State, Round: res.Round}, err
}

// decideStalemate delivers the verdict of an arbiter, who takes the stalemate on
// by that if nobody has.
func decideStalemate(s api.Service, ctx context.Context, in replyRequest) (moved, error) {
	var v stalemate.Verdict
	if err := canon.Unmarshal([]byte(in.Verdict), &v); err != nil {
		return moved{}, brenner.Errorf(brenner.CodeInvalidVerdict, "verdict is not a verdict in JSON: %v", err).At("/verdict").
			WithHint("see the prompt arbiter for one: outcome, root_cause, explanation, findings with hypothesis, ruling, reason and evidence, remedy, verification")
	}
	req := api.VerdictRequest{Write: in.write(), ID: in.ID, Verdict: &v}
	res, err := s.DecideStalemate(ctx, req)
	if brenner.CodeOf(err) == brenner.CodeStatusConflict {
		if _, err := s.ArbitrateStalemate(ctx, api.StalemateRequest{ID: in.ID}); err != nil {
			return moved{}, err
		}
		res, err = s.DecideStalemate(ctx, req)
	}
	return moved{Ref: res.Ref, State: res.State, Round: res.Round}, err
}

// stalemateText is a stalemate as a model reads it, evidence included.
func stalemateText(v api.StalemateView) string {
	var b strings.Builder
	s := v.Stalemate
	if len(s.All()) == 0 { // a later part has evidence alone
		for _, e := range s.Evidence {
			b.WriteString(evidenceText(e))
		}
		return b.String()
	}
	fmt.Fprintf(&b, "%s, round %d, raised by %s; parties %s\n\n%s\n", v.State, v.Round, v.Raiser, joined(v.Parties), brenner.OneLine(s.Summary))
	for _, h := range s.All() {
		holds := "nobody's"
		if h.Author != "" {
			holds = "held by " + string(h.Author)
		}
		if h.Statement == "" {
			fmt.Fprintf(&b, "\n%s, %s: not said yet\n", h.ID, holds)
			continue
		}
		b.WriteString("\n" + labelled(fmt.Sprintf("%s, %s:", h.ID, holds), h.Statement) + labelled("because:", h.Justification))
	}
	if s.Expected != "" {
		b.WriteString("\n" + labelled("expected:", s.Expected))
	}
	b.WriteString("\n" + labelled("asked of the arbiter:", s.Request))
	for _, e := range s.Evidence {
		b.WriteString("\n" + evidenceText(e))
	}
	if v.Verdict != nil {
		fmt.Fprintf(&b, "\nverdict %s, by %s: %s\n", v.VerdictRef, v.Verdict.Arbiter, v.Verdict.Outcome)
		b.WriteString(labelled("root cause:", v.Verdict.RootCause))
		b.WriteString(labelled("explanation:", strings.Join(v.Verdict.Explanation, "\n")))
		b.WriteString(labelled("remedy:", v.Verdict.Remedy))
	}
	return b.String()
}

// evidenceText is a piece of evidence, or a page of it.
func evidenceText(e stalemate.Evidence) string {
	return fmt.Sprintf("%s, %s %s (data):\n%s", e.ID, brenner.OneLine(e.Kind), brenner.OneLine(e.Path), brenner.Fenced("", e.Content))
}

// Words implements spoken.
func (r dispute) Words() string {
	return fmt.Sprintf("%s · %s · round %d · parties %s: %s\n", r.Ref, r.State, r.Round, joined(r.Parties), brenner.OneLine(r.Summary))
}

// Slim implements spoken.
func (r dispute) Slim() dispute { return r }

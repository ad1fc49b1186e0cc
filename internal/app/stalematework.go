package app

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/policy"
	"brenner/stalemate"
)

// ArbitrateStalemate implements api.Stalemates.
func (s *service) ArbitrateStalemate(ctx context.Context, req api.StalemateRequest) (api.StalemateInfo, error) {
	// Replaying a patch can take a while: it is done before the store is locked.
	var replayed brenner.Ref
	draft, err := view(ctx, s, func(c *call) (stalemate.Verdict, error) {
		if err := c.allow(policy.StalemateVerdict, "", "", string(req.ID)); err != nil {
			return stalemate.Verdict{}, err
		}
		row, st, err := c.readStalemate(req.ID)
		if err != nil {
			return stalemate.Verdict{}, err
		}
		replayed = row.Ref
		return stalemate.Arbitrate(st), nil
	})
	if err != nil {
		return api.StalemateInfo{}, err
	}
	return write(ctx, s, "stalemate.arbitrate", req.Write, req, func(ch *change) (api.StalemateInfo, error) {
		if err := ch.allow(policy.StalemateVerdict, "", "", string(req.ID)); err != nil {
			return api.StalemateInfo{}, err
		}
		row, st, err := ch.readStalemate(req.ID)
		if err != nil {
			return api.StalemateInfo{}, err
		}
		if row.Ref != replayed {
			draft = stalemate.Arbitrate(st) // more evidence came in between
		}
		draft.Round = st.Round
		if err := stalemate.CheckVerdict(st, draft); err != nil {
			return api.StalemateInfo{}, err
		}
		on := brenner.Ref{Artifact: brenner.ArtifactID(fmt.Sprintf("%s-%d", artifact.TypeVerdict, ch.nextSeq()))}
		return ch.moveStalemate(row, st, stalemate.Arbitration, "", func(p *stalemateMoved) (err error) {
			p.Outcome = draft.Outcome
			p.Verdict, err = ch.writeVerdict(on, row, draft)
			return err
		})
	})
}

// writeVerdict writes a verdict, linked to what it is on.
func (ch *change) writeVerdict(on brenner.Ref, row stalemateRow, v stalemate.Verdict) (brenner.Ref, error) {
	about, err := ch.Artifact(ch.ctx, row.ID)
	if err != nil {
		return brenner.Ref{}, err
	}
	links := []artifact.Link{{Rel: artifact.Reviews, Artifact: row.Ref.Artifact, Version: row.Ref.Version}}
	summary := fmt.Sprintf("%s on %s, round %d: %s", v.Outcome, row.ID, v.Round, v.RootCause)
	res, err := ch.writeOwn(artifact.TypeVerdict, on, about.Module, summary, v, links)
	return res.Ref, err
}

// moveStalemate takes one step, if the state allows it. fill adds to the record
// what else the step brings about.
func (ch *change) moveStalemate(row stalemateRow, st stalemate.Stalemate, action stalemate.Action, reason string, fill func(*stalemateMoved) error) (api.StalemateInfo, error) {
	next, err := st.Next(stalemate.Event{Action: action, Actor: ch.actor.Name, At: ch.now.Format(time.RFC3339), Reason: reason})
	if err != nil {
		return api.StalemateInfo{}, err
	}
	p := stalemateMoved{ID: row.ID, Action: action, Reason: reason, State: next.State, Round: next.Round}
	if fill != nil {
		if err := fill(&p); err != nil {
			return api.StalemateInfo{}, err
		}
	}
	if _, err := ch.append(kindStalemateMoved, p); err != nil {
		return api.StalemateInfo{}, err
	}
	row, err = ch.findStalemate(row.ID)
	return row.StalemateInfo, err
}

// DecideStalemate implements api.Stalemates.
func (s *service) DecideStalemate(ctx context.Context, req api.VerdictRequest) (api.StalemateInfo, error) {
	return write(ctx, s, "stalemate.verdict", req.Write, req, func(ch *change) (api.StalemateInfo, error) {
		if err := ch.allow(policy.StalemateVerdict, "", "", string(req.ID)); err != nil {
			return api.StalemateInfo{}, err
		}
		row, st, err := ch.readStalemate(req.ID)
		if err != nil {
			return api.StalemateInfo{}, err
		}
		return ch.moveStalemate(row, st, stalemate.Deliver, "", func(p *stalemateMoved) error {
			if req.Verdict == nil {
				p.Verdict, p.Outcome = row.VerdictRef, row.Outcome // the draft, checked when it was written
				return nil
			}
			v := *req.Verdict
			v.Arbiter, v.Round = ch.actor.Name, st.Round
			if err := stalemate.CheckVerdict(st, v); err != nil {
				return err
			}
			p.Outcome = v.Outcome
			p.Verdict, err = ch.writeVerdict(row.VerdictRef, row, v)
			return err
		})
	})
}

// MoveStalemate implements api.Stalemates.
func (s *service) MoveStalemate(ctx context.Context, req api.MoveStalemateRequest) (api.StalemateInfo, error) {
	return write(ctx, s, "stalemate.move", req.Write, req, func(ch *change) (api.StalemateInfo, error) {
		if err := ch.allow(policy.StalemateRaise, "", "", string(req.ID)); err != nil {
			return api.StalemateInfo{}, err
		}
		if err := checkStep(req); err != nil {
			return api.StalemateInfo{}, err
		}
		row, st, err := ch.readStalemate(req.ID)
		if err != nil {
			return api.StalemateInfo{}, err
		}
		if err := ch.concerned(row, req.Action); err != nil {
			return api.StalemateInfo{}, err
		}
		return ch.moveStalemate(row, st, req.Action, req.Reason, func(p *stalemateMoved) error {
			if len(req.Evidence) == 0 {
				return nil
			}
			more, err := st.With(req.Evidence)
			if err != nil {
				return err
			}
			links, err := ch.links(row.Ref)
			if err != nil {
				return err
			}
			p.Ref, p.Evidence, err = ch.writeStalemate(row.Ref, more, "", links)
			return err
		})
	})
}

// checkStep refuses a step that is not one of those after the verdict.
func checkStep(req api.MoveStalemateRequest) error {
	steps := []stalemate.Action{stalemate.Accept, stalemate.Appeal, stalemate.Implement, stalemate.Verify, stalemate.Reopen, stalemate.Withdraw}
	if !slices.Contains(steps, req.Action) {
		return brenner.Errorf(brenner.CodeInvalidValue, "%q is not a step of a stalemate", req.Action).
			WithHint("steps: " + list(steps)).At("/action")
	}
	if len(req.Evidence) > 0 && req.Action != stalemate.Reopen {
		return brenner.Errorf(brenner.CodeInvalidValue, "evidence is added when a stalemate is reopened").At("/evidence")
	}
	if err := checkText(req.Reason); err != nil {
		return err
	}
	if utf8.RuneCountInString(req.Reason) > brenner.MaxNoteRunes {
		return brenner.Errorf(brenner.CodeLimitExceeded, "the reason is longer than %d characters", brenner.MaxNoteRunes).At("/reason")
	}
	return nil
}

// concerned refuses those who have no say: to accept, appeal, reopen or
// withdraw is for the parties, whoever raised it, and the person who leads the
// project. To carry a verdict out and to check it is for anyone.
func (ch *change) concerned(row stalemateRow, action stalemate.Action) error {
	leads := ch.actor.Kind == kindPerson && ch.actor.Role == brenner.PI
	if action == stalemate.Implement || action == stalemate.Verify || leads ||
		ch.actor.Name == row.Raiser || slices.Contains(row.Parties, ch.actor.Name) {
		return nil
	}
	return brenner.Errorf(brenner.CodeWriteDenied, "%s is no party to %s and did not raise it", ch.actor.Name, row.ID).
		WithHint("ask a party, or the PI")
}

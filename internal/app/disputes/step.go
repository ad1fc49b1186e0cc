package disputes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/policy"
	"brenner/stalemate"
)

// ArbitrateStalemate implements api.Stalemates. Replaying a patch can take a
// while: it is done before the store is locked (X9).
func (s *Service) ArbitrateStalemate(ctx context.Context, req api.StalemateRequest) (api.StalemateInfo, error) {
	type draft struct {
		of      brenner.Ref
		round   int
		verdict stalemate.Verdict
	}
	plan := kernel.Plan[draft]{
		Make: func(c *kernel.Call) (draft, error) {
			row, st, err := readStalemate(c, req.ID)
			if err != nil {
				return draft{}, err
			}
			v := stalemate.Arbitrate(st)
			v.Round = st.Round
			return draft{row.Ref, st.Round, v}, stalemate.CheckVerdict(st, v)
		},
		// More evidence is a new version, an appeal a new round.
		Holds: func(c *kernel.Call, d draft) (bool, error) {
			row, err := findStalemate(c, req.ID)
			return row.Ref == d.of && row.Round == d.round, err
		},
	}
	return kernel.WritePlan(ctx, s.caller, "stalemate.arbitrate", req, kernel.To(policy.StalemateVerdict, string(req.ID)), plan, func(ch *kernel.Change, d draft) (api.StalemateInfo, error) {
		row, st, err := readStalemate(ch.Call, req.ID)
		if err != nil {
			return api.StalemateInfo{}, err
		}
		on := brenner.Ref{Artifact: brenner.ArtifactID(fmt.Sprintf("%s-%d", artifact.TypeVerdict, ch.NextSeq()))}
		return moveStalemate(ch, row, st, stalemate.Arbitration, "", func(p *stalemateMoved) (err error) {
			p.Outcome = d.verdict.Outcome
			p.Verdict, err = writeVerdict(ch, on, row, d.verdict)
			return err
		})
	})
}

// writeVerdict writes a verdict, linked to what it is on.
func writeVerdict(ch *kernel.Change, on brenner.Ref, row stalemateRow, v stalemate.Verdict) (brenner.Ref, error) {
	about, err := ch.Artifact(ch.Ctx, row.ID)
	if err != nil {
		return brenner.Ref{}, err
	}
	links := []artifact.Link{{Rel: artifact.Reviews, Artifact: row.Ref.Artifact, Version: row.Ref.Version}}
	summary := fmt.Sprintf("%s on %s, round %d: %s", v.Outcome, row.ID, v.Round, v.RootCause)
	res, err := writeOwn(ch, artifact.TypeVerdict, on, about.Module, summary, v, links)
	return res.Ref, err
}

// moveStalemate takes one step, if the state allows it. fill adds to the record
// what else the step brings about.
func moveStalemate(ch *kernel.Change, row stalemateRow, st stalemate.Stalemate, action stalemate.Action, reason string, fill func(*stalemateMoved) error) (api.StalemateInfo, error) {
	next, err := st.Next(stalemate.Event{Action: action, Actor: ch.Who.Name, At: ch.Now.Format(time.RFC3339), Reason: reason})
	var refused *brenner.Error
	if errors.As(err, &refused) && refused.Code == brenner.CodeStatusConflict {
		err = refused.Try(brenner.Do("stalemate.show", "id", string(row.ID)))
	}
	if err != nil {
		return api.StalemateInfo{}, err
	}
	p := stalemateMoved{ID: row.ID, Action: action, Reason: reason, State: next.State, Round: next.Round}
	if fill != nil {
		if err := fill(&p); err != nil {
			return api.StalemateInfo{}, err
		}
	}
	if _, err := kindStalemateMoved.Append(ch, p); err != nil {
		return api.StalemateInfo{}, err
	}
	row, err = findStalemate(ch.Call, row.ID)
	return row.infoFor(ch.Call), err
}

// DecideStalemate implements api.Stalemates.
func (s *Service) DecideStalemate(ctx context.Context, req api.VerdictRequest) (api.StalemateInfo, error) {
	return kernel.Write(ctx, s.caller, "stalemate.verdict", req, kernel.To(policy.StalemateVerdict, string(req.ID)), func(ch *kernel.Change) (api.StalemateInfo, error) {
		row, st, err := readStalemate(ch.Call, req.ID)
		if err != nil {
			return api.StalemateInfo{}, err
		}
		out, err := moveStalemate(ch, row, st, stalemate.Deliver, "", func(p *stalemateMoved) error {
			if req.Verdict == nil {
				p.Verdict, p.Outcome = row.VerdictRef, row.Outcome // the draft, checked when it was written
				return nil
			}
			v := *req.Verdict
			v.Arbiter, v.Round = ch.Who.Name, st.Round
			if err := stalemate.CheckVerdict(st, v); err != nil {
				return err
			}
			p.Outcome = v.Outcome
			p.Verdict, err = writeVerdict(ch, row.VerdictRef, row, v)
			return err
		})
		if err != nil {
			return out, err
		}
		return out, s.tellVerdict(ch, out)
	})
}

// MoveStalemate implements api.Stalemates.
func (s *Service) MoveStalemate(ctx context.Context, req api.MoveStalemateRequest) (api.StalemateInfo, error) {
	return kernel.Write(ctx, s.caller, "stalemate.move", req, kernel.To(policy.StalemateRaise, string(req.ID)), func(ch *kernel.Change) (api.StalemateInfo, error) {
		if err := checkStep(req); err != nil {
			return api.StalemateInfo{}, err
		}
		row, st, err := readStalemate(ch.Call, req.ID)
		if err != nil {
			return api.StalemateInfo{}, err
		}
		if err := checkConcerned(ch, row, req.Action); err != nil {
			return api.StalemateInfo{}, err
		}
		out, err := moveStalemate(ch, row, st, req.Action, req.Reason, func(p *stalemateMoved) error {
			more := st
			if req.Action == stalemate.Reply {
				if more, err = more.Stated(ch.Who.Name, req.Statement, req.Justification, req.Cause); err != nil {
					return err
				}
			}
			switch {
			case req.Action == stalemate.Reopen:
				more, err = more.Again(req.Evidence)
			case len(req.Evidence) > 0:
				more, err = more.With(req.Evidence)
			case req.Action != stalemate.Reply:
				return nil
			}
			if err != nil {
				return err
			}
			links, err := ledger.LinksOf(ch.Call, row.Ref)
			if err != nil {
				return err
			}
			p.Ref, p.Evidence, err = writeStalemate(ch, row.Ref, more, "", links)
			return err
		})
		if err != nil {
			return out, err
		}
		return out, s.tellMoved(ch, row, req.Action)
	})
}

// checkStep refuses a step that is not one of those after the verdict.
func checkStep(req api.MoveStalemateRequest) error {
	steps := []stalemate.Action{
		stalemate.Reply, stalemate.Accept, stalemate.Appeal, stalemate.Implement, stalemate.Verify, stalemate.Reopen, stalemate.Withdraw,
	}
	if !slices.Contains(steps, req.Action) {
		return brenner.Errorf(brenner.CodeInvalidValue, "%q is not a step of a stalemate", req.Action).
			WithHint("steps: " + kernel.Join(steps)).At("/action")
	}
	if len(req.Evidence) > 0 && req.Action != stalemate.Reopen && req.Action != stalemate.Reply {
		return brenner.Errorf(brenner.CodeInvalidValue, "evidence is added by a reply, or when a stalemate is reopened").At("/evidence")
	}
	if req.Action != stalemate.Reply && req.Statement+req.Justification+req.Cause != "" {
		return brenner.Errorf(brenner.CodeInvalidValue, "only a reply states a hypothesis").At("/statement")
	}
	if err := kernel.CheckText(req.Statement + req.Justification); err != nil {
		return err
	}
	if err := kernel.CheckText(req.Reason); err != nil {
		return err
	}
	if utf8.RuneCountInString(req.Reason) > brenner.MaxNoteRunes {
		return brenner.Errorf(brenner.CodeLimitExceeded, "the reason is longer than %d characters", brenner.MaxNoteRunes).At("/reason")
	}
	return nil
}

// checkConcerned refuses those who have no say: to accept, appeal or reopen is
// for the parties, whoever raised it, and the person who leads the project; to
// withdraw only for whoever raised it and that person, since no party ends a
// disagreement that another has. To carry a verdict out is for anyone once all parties
// have accepted it, and to check it for anyone but who carried it out (ADR 174).
func checkConcerned(ch *kernel.Change, row stalemateRow, action stalemate.Action) error {
	party := slices.Contains(row.Parties, ch.Who.Name)
	switch {
	case ch.Leads():
		return nil
	case action == stalemate.Implement && row.State == stalemate.Accepted:
		return allAccepted(ch, row)
	case action == stalemate.Verify && row.State == stalemate.Implemented && row.carriedOutBy() == ch.Who.Name:
		return brenner.Errorf(brenner.CodeWriteDenied, "%s carried out the verdict on %s, and does not check it", ch.Who.Name, row.ID).
			WithHint("another party, or the PI, says whether it works")
	case ch.Who.Name == row.Raiser, action == stalemate.Implement, action == stalemate.Verify, party && action != stalemate.Withdraw:
		return nil
	}
	if party {
		return brenner.Errorf(brenner.CodeWriteDenied, "%s was raised by %s, who alone may withdraw it", row.ID, row.Raiser).
			WithHint("say what you hold instead").Try(brenner.Do("stalemate.reply", "id", string(row.ID)).Asking("statement", "justification"))
	}
	return brenner.Errorf(brenner.CodeWriteDenied, "%s is no party to %s and did not raise it", ch.Who.Name, row.ID).
		WithHint("ask a party, or the PI")
}

// allAccepted refuses to carry out a verdict that a party may still appeal against.
func allAccepted(ch *kernel.Change, row stalemateRow) error {
	silent, err := row.silent(ch.Call)
	if err != nil || len(silent) == 0 {
		return err
	}
	return brenner.Errorf(brenner.CodeStatusConflict, "the verdict on %s is not accepted yet by %s", row.ID, kernel.Join(silent)).
		WithHint("each party accepts it or appeals; the PI may have it carried out before").Try(brenner.Do("stalemate.show", "id", string(row.ID)))
}

// carriedOutBy is who said last that the verdict was carried out.
func (r stalemateRow) carriedOutBy() brenner.ActorName {
	for _, e := range slices.Backward(r.History) {
		if e.Action == stalemate.Implement {
			return e.Actor
		}
	}
	return ""
}

package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"brenner"
	"brenner/anchor"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"
	"brenner/stalemate"
)

// A refused request writes nothing (X2, P10), but the third equal refusal must
// raise a stalemate (S4). So a refusal is counted by a write of its own, after
// the one that was refused: what the journal then holds is that somebody tried,
// never what they tried to write. The two are not one transaction. A process
// that dies in between, or a store that cannot be written, loses a count and
// nothing else; the refusal stands either way.

// A counter of refused patches is an object of this kind: one for each artifact
// and session, or artifact and actor. Its group is the artifact.
const objectPatchFailure = "patch_failure"

// The states of a counter.
const (
	failuresCounted = "counted"
	failuresRaised  = "raised" // a stalemate has come of them
)

// failureWindow is how long an actor's refusals count where no session bounds
// them.
const failureWindow = 24 * time.Hour

const kindPatchFailed = "patch.failed"

// patchFailed says that a patch was refused. It quotes nothing of the patch.
type patchFailed struct {
	Counter string            `json:"counter"`
	Session brenner.SessionID `json:"session,omitzero"`
	Ref     brenner.Ref       `json:"ref"`
	Code    brenner.Code      `json:"code"`
	Pointer string            `json:"pointer,omitzero"`
}

// patchFailures is the body of a counter.
type patchFailures struct {
	Failures  []stalemate.Failure `json:"failures"` // the newest brenner.MaxPatchFailures
	Stalemate brenner.ArtifactID  `json:"stalemate,omitzero"`
}

// equal lists the failures with a code.
func (p patchFailures) equal(code brenner.Code) []stalemate.Failure {
	return slices.DeleteFunc(slices.Clone(p.Failures), func(f stalemate.Failure) bool { return f.Code != code })
}

func projectPatchFailed(ctx context.Context, tx store.Tx, rec journal.Record, p patchFailed) error {
	row, err := loadFailures(ctx, tx, p.Counter)
	if err != nil {
		return err
	}
	if row.Stalemate != "" {
		row = patchFailures{} // that one is closed; counting starts again
	}
	row.Failures = append(row.Failures, stalemate.Failure{
		Session: p.Session, Target: string(p.Ref.Artifact), Code: p.Code, Actor: rec.Actor,
		At: rec.At.Format(time.RFC3339), Message: fmt.Sprintf("on %s, at %s", p.Ref, p.Pointer),
	})
	if n := len(row.Failures); n > brenner.MaxPatchFailures {
		row.Failures = row.Failures[n-brenner.MaxPatchFailures:]
	}
	return putFailures(ctx, tx, rec.Seq, p.Counter, p.Ref.Artifact, row)
}

func loadFailures(ctx context.Context, r store.Reader, counter string) (row patchFailures, err error) {
	o, err := r.Object(ctx, objectPatchFailure, counter)
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		return row, nil
	}
	if err != nil {
		return row, err
	}
	return row, unmarshalBody(o, &row)
}

func putFailures(ctx context.Context, tx store.Tx, seq int64, counter string, target brenner.ArtifactID, row patchFailures) error {
	state := failuresCounted
	if row.Stalemate != "" {
		state = failuresRaised
	}
	body, err := canon.Marshal(row)
	if err != nil {
		return err
	}
	return tx.PutObject(ctx, store.Object{
		Kind: objectPatchFailure, ID: counter, Group: string(target), State: state, Order: seq, Body: body, Seq: seq,
	})
}

// refusePatch explains a refusal, counts it, and says both in its details.
func (s *service) refusePatch(ctx context.Context, req api.ApplyPatchRequest, t patchTrial) error {
	older, err := view(ctx, s, func(c *call) ([]anchor.Named, error) {
		c.actor.Role = t.role
		if err := c.allow(policy.Read, t.artifact.Type, t.artifact.Module, string(t.artifact.ID)); err != nil {
			return nil, err
		}
		return c.olderTexts(t.artifact, t.version.Version)
	})
	if err != nil {
		return t.refusal // it says less, and is as true
	}
	x := anchor.Explain(t.patch, t.text, anchor.Elsewhere{Older: older})
	refusal := *t.refusal
	details := api.PatchRefusal{Ref: t.version.Ref(), Explanation: x}
	if m, ok := refusal.Details.(anchor.Mismatch); ok {
		details.Expected, details.Actual, details.Rebased = m.Expected, m.Actual, m.Rebased
	}
	if !req.DryRun {
		if n, err := s.countFailure(ctx, req, t, x, older); err == nil {
			details.Failures, details.Stalemate = n.Failures, n.Stalemate
		}
	}
	if len(x.Findings) > 0 {
		refusal.Hint += "\nlikely cause: " + x.Findings[0].Message
	}
	if details.Stalemate != "" {
		refusal.Hint += fmt.Sprintf("\na stalemate was raised about it: see `brenner stalemate show %s`", details.Stalemate)
	}
	return refusal.WithDetails(details)
}

// failureCount is what a refusal adds up to.
type failureCount struct {
	Failures  int                `json:"failures"`
	Stalemate brenner.ArtifactID `json:"stalemate,omitzero"`
}

// countFailure records a refusal and raises a stalemate when it is due (S4).
// While that one is open, further refusals only point at it: what one actor
// can add to the journal by failing is bounded.
func (s *service) countFailure(ctx context.Context, req api.ApplyPatchRequest, t patchTrial, x anchor.Explanation, older []anchor.Named) (failureCount, error) {
	var w api.Write
	if req.Key != "" {
		// A repeated request that is refused again was refused once.
		w.Key = string(canon.Sum([]byte(kindPatchFailed + "\n" + req.Key)))
	}
	return write(ctx, s, kindPatchFailed, w, req, func(ch *change) (failureCount, error) {
		ch.actor.Role = t.role
		if err := ch.allow(policy.Write, t.artifact.Type, t.artifact.Module, string(t.artifact.ID)); err != nil {
			return failureCount{}, err
		}
		counter := fmt.Sprintf("actor/%s/%s", ch.actor.Name, t.artifact.ID)
		if t.session != "" {
			counter = fmt.Sprintf("session/%s/%s", t.session, t.artifact.ID)
		}
		row, err := loadFailures(ch.ctx, ch.tx, counter)
		if err != nil {
			return failureCount{}, err
		}
		if row.Stalemate != "" {
			st, err := ch.findStalemate(row.Stalemate)
			if err != nil || !st.State.Closed() {
				return failureCount{len(row.equal(t.refusal.Code)), row.Stalemate}, err
			}
		}
		_, err = ch.append(kindPatchFailed, patchFailed{
			Counter: counter, Session: t.session, Ref: t.version.Ref(), Code: t.refusal.Code, Pointer: t.refusal.Pointer,
		})
		if err != nil {
			return failureCount{}, err
		}
		if row, err = loadFailures(ch.ctx, ch.tx, counter); err != nil {
			return failureCount{}, err
		}
		return ch.raiseIfDue(counter, ch.recent(row, t.session).equal(t.refusal.Code), t, x, older)
	})
}

// recent leaves out refusals that no longer count: where there is no session,
// those older than the window.
func (ch *change) recent(row patchFailures, session brenner.SessionID) patchFailures {
	if session != "" {
		return row
	}
	since := ch.now.Add(-failureWindow)
	row.Failures = slices.DeleteFunc(slices.Clone(row.Failures), func(f stalemate.Failure) bool {
		at, err := time.Parse(time.RFC3339, f.At)
		return err == nil && at.Before(since)
	})
	return row
}

// raiseIfDue raises the stalemate of failures with one code, the latest last.
// Nobody asked for it, so nobody's right to raise one is asked for; but a text
// that must not enter a context (C2) does not enter a stalemate either, which
// everyone reads.
func (ch *change) raiseIfDue(counter string, failures []stalemate.Failure, t patchTrial, x anchor.Explanation, older []anchor.Named) (failureCount, error) {
	out := failureCount{Failures: len(failures)}
	last := len(failures) - 1
	typ, err := ch.types.Lookup(t.artifact.Type)
	if err != nil || !typ.Contextual || !stalemate.Due(failures[:last], failures[last]) {
		return out, err
	}
	st := stalemate.Automatic(failures, t.text, t.patch, x, older)
	if st.Check() != nil {
		return out, nil //nolint:nilerr // too large to be evidence; the count stands
	}
	info, err := ch.raiseStalemate(st, stalemateRaised{
		Origin: api.StalemateBySystem, Session: t.session, Counter: counter,
	}, t.artifact.Module, []artifact.Link{{Rel: artifact.Reviews, Artifact: t.artifact.ID, Version: t.version.Version}})
	out.Stalemate = info.ID
	return out, err
}

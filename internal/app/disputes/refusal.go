package disputes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/anchor"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"
	"brenner/stalemate"

	"github.com/go-json-experiment/json/jsontext"
)

// The states of a counter.
const (
	failuresCounted = "counted"
	failuresRaised  = "raised" // a stalemate has come of them
)

// failureWindow is how long an actor's refusals count where no session bounds
// them.
const failureWindow = 24 * time.Hour

// patchFailed says that a patch was refused. It quotes nothing of the patch.
type patchFailed struct {
	Counter string            `json:"counter"`
	Session brenner.SessionID `json:"session,omitzero"`
	Ref     brenner.Ref       `json:"ref"`
	Code    brenner.Code      `json:"code"`
	Pointer string            `json:"pointer,omitzero"`
}

// patchFailures counts refused patches: there is one for each artifact and
// session, or artifact and actor.
type patchFailures struct {
	Failures  []stalemate.Failure `json:"failures"` // the newest brenner.MaxPatchFailures
	Stalemate brenner.ArtifactID  `json:"stalemate,omitzero"`

	counter string
	target  brenner.ArtifactID
}

var failures = kernel.Table[patchFailures]{
	Kind: "patch_failure",
	Key: func(p patchFailures) kernel.Key {
		k := kernel.Key{ID: p.counter, Group: string(p.target), State: failuresCounted}
		if p.Stalemate != "" {
			k.State = failuresRaised
		}
		return k
	},
}

// withCode lists the failures with a code.
func (p patchFailures) withCode(code brenner.Code) []stalemate.Failure {
	return slices.DeleteFunc(slices.Clone(p.Failures), func(f stalemate.Failure) bool { return f.Code != code })
}

func applyPatchFailed(ctx context.Context, tx store.Tx, rec journal.Record, p patchFailed) error {
	row, err := loadFailures(ctx, tx, p.Counter, p.Ref.Artifact)
	if err != nil {
		return err
	}
	if row.Stalemate != "" {
		row.Failures, row.Stalemate = nil, "" // that one is closed; counting starts again
	}
	row.Failures = append(row.Failures, stalemate.Failure{
		Session: p.Session, Target: string(p.Ref.Artifact), Code: p.Code, Actor: rec.Actor,
		At: rec.At.Format(time.RFC3339), Message: fmt.Sprintf("on %s, at %s", p.Ref, p.Pointer),
	})
	if n := len(row.Failures); n > brenner.MaxPatchFailures {
		row.Failures = row.Failures[n-brenner.MaxPatchFailures:]
	}
	return failures.Put(ctx, tx, rec.Seq, row)
}

// loadFailures loads a counter, which need not be there yet.
func loadFailures(ctx context.Context, r store.Reader, counter string, target brenner.ArtifactID) (patchFailures, error) {
	row, err := failures.Find(ctx, r, counter)
	if errors.Is(err, brenner.CodeNotFound) {
		err = nil
	}
	row.counter, row.target = counter, target
	return row, err
}

// refusePatch explains a refusal, counts it, and says both in its details. To
// explain is to quote, and is charged and recorded as a read (C33): who does not
// read the text through a context is told that the patch does not fit, and
// nothing of the text.
func (s *Service) refusePatch(ctx context.Context, req api.ApplyPatchRequest, t patchTrial) error {
	older, err := kernel.View(ctx, s.caller, t.acting(policy.Read), func(c *kernel.Call) ([]anchor.Named, error) {
		return olderTexts(c, t.artifact, t.version.Version)
	})
	if ctx.Err() != nil {
		return err // nobody waits for the reason
	}
	if err != nil {
		return t.untold(err)
	}
	x := t.explain(older)
	why := api.PatchRefusal{Ref: t.version.Ref(), Explanation: x}
	switch d := t.refusal.Details.(type) {
	case anchor.Mismatch:
		why.Expected, why.Actual, why.Rebased, why.Conflicts = d.Expected, d.Actual, d.Rebased, d.Conflicts
	case anchor.Conflicts:
		why.Conflicts = &d
	}
	refusal, details := *t.refusal, why
	if err := s.tellWhy(ctx, t, why); err != nil {
		refusal, details = *t.untold(err), api.PatchRefusal{Ref: t.version.Ref()}
	} else if len(x.Findings) > 0 {
		refusal.Hint = adviceOf(refusal.Hint, x.Findings[0])
	}
	if len(refusal.Actions) == 0 && readsAgain(refusal.Code) {
		refusal.Actions = []brenner.Action{brenner.Do("artifact.show", "ref", t.version.Ref().String())}
	}
	if !req.DryRun {
		if n, err := s.countFailure(ctx, req, t, x, older); err == nil {
			details.Failures, details.Stalemate = n.Failures, n.Stalemate
		}
	}
	if details.Stalemate != "" {
		refusal.Hint += "\na stalemate was raised about it"
		refusal.Actions = append(slices.Clone(refusal.Actions), brenner.Do("stalemate.show", "id", string(details.Stalemate)))
	}
	return refusal.WithDetails(details)
}

// readsAgain says whether a patch is mended by quoting the text anew.
func readsAgain(code brenner.Code) bool {
	switch code {
	case brenner.CodeInvalidPatch, brenner.CodeInvalidText, brenner.CodeOverlap, brenner.CodeInexpressible:
		return false
	}
	return true
}

// adviceOf is a hint with the likely cause, and what to do about that, where it
// does not say them already.
func adviceOf(hint string, f anchor.Finding) string {
	if hint != f.Message {
		hint += "\nlikely cause: " + f.Message
	}
	if f.Hint != "" && !strings.Contains(hint, f.Hint) {
		hint += "\n" + f.Hint
	}
	return strings.TrimPrefix(hint, "\n")
}

// explain says why a change was refused; of one that cannot be read, what the
// reader said.
func (t patchTrial) explain(older []anchor.Named) anchor.Explanation {
	elsewhere := anchor.Elsewhere{Older: older}
	switch {
	case t.patch != nil:
		return anchor.Explain(*t.patch, t.text, elsewhere)
	case t.edit != nil:
		return t.edit.Named(string(t.artifact.ID)).Explain(t.text, elsewhere)
	}
	return anchor.Explanation{Code: t.refusal.Code, Message: t.refusal.Message}
}

// sent gives the change as it is kept for evidence: as a patch if it came to
// one, otherwise as it was sent.
func (t patchTrial) sent() string {
	if t.patch != nil {
		return string(t.patch.JSON())
	}
	if text, err := jsontext.AppendUnquote(nil, t.raw); err == nil {
		return string(text)
	}
	return string(t.raw)
}

// tellWhy charges an explanation to whoever it is given to.
func (s *Service) tellWhy(ctx context.Context, t patchTrial, why api.PatchRefusal) error {
	shown := func(api.PatchRefusal) []brenner.Ref { return []brenner.Ref{t.version.Ref()} }
	_, err := kernel.Read(ctx, s.caller, "refusal", shown, t.acting(policy.Read), func(*kernel.Call) (api.PatchRefusal, error) { return why, nil })
	return err
}

// untold is a refusal without a word of the text.
func (t patchTrial) untold(why error) *brenner.Error {
	return brenner.Errorf(t.refusal.Code, "the patch does not fit %s", t.version.Ref()).
		WithHint("why is told to those who read it through a context: " + why.Error())
}

// acting is to do something to the artifact in the role the patch was tried in.
func (t patchTrial) acting(action policy.Action) kernel.Guard {
	return kernel.On(func(c *kernel.Call) (kernel.Act, error) {
		c.Who.Role = t.role
		return kernel.Act{Action: action, Type: t.artifact.Type, Module: t.artifact.Module, Target: string(t.artifact.ID)}, nil
	})
}

// failureCount is what a refusal adds up to.
type failureCount struct {
	Failures  int                `json:"failures"`
	Stalemate brenner.ArtifactID `json:"stalemate,omitzero"`
}

// countFailure records a refusal and raises a stalemate when it is due (S4).
// While that one is open, further refusals only point at it: what one actor
// can add to the journal by failing is bounded.
func (s *Service) countFailure(ctx context.Context, req api.ApplyPatchRequest, t patchTrial, x anchor.Explanation, older []anchor.Named) (failureCount, error) {
	if req.Key != "" {
		// A repeated request that is refused again was refused once.
		req.Key = string(canon.Sum([]byte(kindPatchFailed.Name + "\n" + req.Key)))
	}
	return kernel.Write(ctx, s.caller, kindPatchFailed.Name, req, t.acting(policy.Write), func(ch *kernel.Change) (failureCount, error) {
		counter := fmt.Sprintf("actor/%s/%s", ch.Who.Name, t.artifact.ID)
		if t.session != "" {
			counter = fmt.Sprintf("session/%s/%s", t.session, t.artifact.ID)
		}
		row, err := loadFailures(ch.Ctx, ch.Reader, counter, t.artifact.ID)
		if err != nil {
			return failureCount{}, err
		}
		if row.Stalemate != "" {
			st, err := findStalemate(ch.Call, row.Stalemate)
			if err != nil || !st.State.Closed() {
				return failureCount{len(row.withCode(t.refusal.Code)), row.Stalemate}, err
			}
		}
		_, err = kindPatchFailed.Append(ch, patchFailed{
			Counter: counter, Session: t.session, Ref: t.version.Ref(), Code: t.refusal.Code, Pointer: t.refusal.Pointer,
		})
		if err != nil {
			return failureCount{}, err
		}
		if row, err = loadFailures(ch.Ctx, ch.Reader, counter, t.artifact.ID); err != nil {
			return failureCount{}, err
		}
		return raiseIfDue(ch, counter, stillCounting(ch, row, t.session).withCode(t.refusal.Code), t, x, older)
	})
}

// stillCounting leaves out refusals that no longer count: where there is no session,
// those older than the window.
func stillCounting(ch *kernel.Change, row patchFailures, session brenner.SessionID) patchFailures {
	if session != "" {
		return row
	}
	since := ch.Now.Add(-failureWindow)
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
func raiseIfDue(ch *kernel.Change, counter string, failures []stalemate.Failure, t patchTrial, x anchor.Explanation, older []anchor.Named) (failureCount, error) {
	out := failureCount{Failures: len(failures)}
	last := len(failures) - 1
	typ, err := ch.Types.Lookup(t.artifact.Type)
	if err != nil || !typ.Contextual || !stalemate.Due(failures[:last], failures[last]) {
		return out, err
	}
	st := stalemate.Automatic(failures, t.text, t.sent(), x, older)
	if st.Check() != nil {
		return out, nil //nolint:nilerr // too large to be evidence; the count stands
	}
	info, err := raiseStalemate(ch, st, stalemateRaised{
		Origin: api.StalemateBySystem, Session: t.session, Counter: counter,
	}, t.artifact.Module, []artifact.Link{{Rel: artifact.Reviews, Artifact: t.artifact.ID, Version: t.version.Version}})
	out.Stalemate = info.ID
	return out, err
}

package disputes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"
	"brenner/stalemate"
)

// stalemateRow is how far a stalemate has come.
type stalemateRow struct {
	standing
	History []stalemate.Event `json:"history"`
}

// standing is where a stalemate stands: what lists show of it.
type standing struct {
	ID         brenner.ArtifactID  `json:"id"`
	Ref        brenner.Ref         `json:"ref"`
	Origin     string              `json:"origin"`
	State      stalemate.State     `json:"state"`
	Round      int                 `json:"round"`
	Module     brenner.Module      `json:"module"`
	Summary    string              `json:"summary"`
	Target     string              `json:"target,omitzero"`
	Session    brenner.SessionID   `json:"session,omitzero"`
	Parties    []brenner.ActorName `json:"parties"`
	Raiser     brenner.ActorName   `json:"raiser"`
	Raised     time.Time           `json:"raised_at"`
	Missing    []string            `json:"missing_evidence,omitzero"`
	VerdictRef brenner.Ref         `json:"verdict_ref,omitzero"`
	Outcome    stalemate.Outcome   `json:"outcome,omitzero"`
	Seq        int64               `json:"seq"`
}

func (r stalemateRow) info() api.StalemateInfo { return api.StalemateInfo(r.standing) }

// infoFor is where a stalemate stands, for whoever acts on it: what it is about
// is said to those it concerns and to those who read it (C33).
func (r stalemateRow) infoFor(c *kernel.Call) api.StalemateInfo {
	out := r.info()
	if c.Who.Name != r.Raiser && !slices.Contains(r.Parties, c.Who.Name) && !c.Sees(artifact.TypeStalemate, r.Module) {
		out.Summary = ""
	}
	return out
}

// The id of a stalemate is that of the artifact that says what it is about; its
// group is the target, or else the session.
var stalemates = kernel.Table[stalemateRow]{
	Kind: "stalemate",
	Key: func(r stalemateRow) kernel.Key {
		return kernel.Key{ID: string(r.ID), Group: cmp.Or(r.Target, string(r.Session)), State: string(r.State)}
	},
	Missing: func(id string) error {
		return brenner.Errorf(brenner.CodeNotFound, "there is no stalemate %q", id).
			Try(brenner.Do("stalemate.list", "all", "true"))
	},
}

// stalemateRaised says that a version just written is a stalemate, and which
// contents are its evidence.
type stalemateRaised struct {
	Ref      brenner.Ref         `json:"ref"`
	Origin   string              `json:"origin"`
	Target   string              `json:"target,omitzero"`
	Session  brenner.SessionID   `json:"session,omitzero"`
	Parties  []brenner.ActorName `json:"parties"`
	Missing  []string            `json:"missing"`
	Evidence []brenner.Digest    `json:"evidence"`
	// Counter names the refused patches it came of, if any.
	Counter string `json:"counter,omitzero"`
}

func applyStalemateRaised(ctx context.Context, tx store.Tx, rec journal.Record, p stalemateRaised) error {
	a, err := tx.Artifact(ctx, p.Ref.Artifact)
	if err != nil {
		return err
	}
	err = stalemates.Put(ctx, tx, rec.Seq, stalemateRow{History: []stalemate.Event{}, standing: standing{
		ID: p.Ref.Artifact, Ref: p.Ref, Origin: p.Origin, State: stalemate.Open, Round: 1, Module: a.Module, Summary: a.Summary,
		Target: p.Target, Session: p.Session, Parties: p.Parties, Raiser: rec.Actor, Raised: rec.At,
		Missing: p.Missing, Seq: rec.Seq,
	}})
	if err != nil || p.Counter == "" {
		return err
	}
	row, err := loadFailures(ctx, tx, p.Counter, brenner.ArtifactID(p.Target))
	if err != nil {
		return err
	}
	row.Stalemate = p.Ref.Artifact
	return failures.Put(ctx, tx, rec.Seq, row)
}

// stalemateMoved says what somebody did about a stalemate and where it stands
// since.
type stalemateMoved struct {
	ID     brenner.ArtifactID `json:"id"`
	Action stalemate.Action   `json:"action"`
	Reason string             `json:"reason,omitzero"`
	State  stalemate.State    `json:"state"`
	Round  int                `json:"round"`
	// Ref and Evidence are of a version with more evidence; Verdict is one that
	// was drafted or delivered.
	Ref      brenner.Ref       `json:"ref,omitzero"`
	Evidence []brenner.Digest  `json:"evidence,omitzero"`
	Verdict  brenner.Ref       `json:"verdict,omitzero"`
	Outcome  stalemate.Outcome `json:"outcome,omitzero"`
}

func applyStalemateMoved(ctx context.Context, tx store.Tx, rec journal.Record, p stalemateMoved) error {
	_, err := stalemates.Change(ctx, tx, rec.Seq, string(p.ID), func(row *stalemateRow) {
		row.History = append(row.History, stalemate.Event{
			Action: p.Action, Actor: rec.Actor, At: rec.At.Format(time.RFC3339), Reason: p.Reason, Round: row.Round,
		})
		row.State, row.Round, row.Seq = p.State, p.Round, rec.Seq
		if p.Ref != (brenner.Ref{}) {
			row.Ref = p.Ref
		}
		if p.Verdict != (brenner.Ref{}) {
			row.VerdictRef, row.Outcome = p.Verdict, p.Outcome
		}
	})
	return err
}

// findStalemate loads how far a stalemate has come.
func findStalemate(c *kernel.Call, id brenner.ArtifactID) (stalemateRow, error) {
	if err := id.Check(); err != nil {
		return stalemateRow{}, err
	}
	return stalemates.Find(c.Ctx, c.Reader, string(id))
}

// RaiseStalemate implements api.Stalemates.
func (s *Service) RaiseStalemate(ctx context.Context, req api.RaiseStalemateRequest) (api.StalemateInfo, error) {
	return kernel.Write(ctx, s.caller, "stalemate.raise", req, kernel.To(policy.StalemateRaise, "stalemate"), func(ch *kernel.Change) (api.StalemateInfo, error) {
		st := req.Stalemate
		st.RaisedAt = ch.Now.Format(time.RFC3339)
		st, err := stalemate.Raise(st)
		if err == nil {
			err = st.InOwnWords(ch.Who.Name)
		}
		for i, h := range st.Hypotheses {
			if err == nil {
				err = ch.KnownActor(h.Author, fmt.Sprintf("/stalemate/hypotheses/%d/author", i))
			}
		}
		if err != nil {
			return api.StalemateInfo{}, err
		}
		out, err := openStalemate(ch, st, api.StalemateByHand, req.ID, req.Module, req.Session)
		if err != nil {
			return out, err
		}
		return out, s.tellRaised(ch, standing(out))
	})
}

// ImportStalemate implements api.Stalemates.
func (s *Service) ImportStalemate(ctx context.Context, req api.ImportStalemateRequest) (api.StalemateInfo, error) {
	st, err := stalemate.Import(req.Request)
	if err != nil {
		return api.StalemateInfo{}, err
	}
	return kernel.Write(ctx, s.caller, "stalemate.import", req, kernel.To(policy.StalemateRaise, "stalemate"), func(ch *kernel.Change) (api.StalemateInfo, error) {
		out, err := openStalemate(ch, st, api.StalemateByImport, req.ID, req.Module, req.Session)
		if err != nil {
			return out, err
		}
		return out, s.tellRaised(ch, standing(out))
	})
}

// openStalemate raises what somebody asked for. A target that is an artifact
// here is linked, and gives the module.
func openStalemate(ch *kernel.Change, st stalemate.Stalemate, origin string, id brenner.ArtifactID, module brenner.Module, session brenner.SessionID) (api.StalemateInfo, error) {
	if session != "" {
		if err := session.Check(); err != nil {
			return api.StalemateInfo{}, err
		}
	}
	target, found, err := targetOf(ch.Call, st.Target)
	if err != nil {
		return api.StalemateInfo{}, err
	}
	var links []artifact.Link
	if found {
		if err := ch.Allow(policy.Read, target.Type, target.Module, st.Target); err != nil {
			return api.StalemateInfo{}, err
		}
		ref, err := brenner.ParseRef(st.Target)
		if err != nil {
			return api.StalemateInfo{}, err
		}
		v, err := ledger.InForce(ch.Call, target, ref.Version)
		if err != nil {
			return api.StalemateInfo{}, err
		}
		links = []artifact.Link{{Rel: artifact.Reviews, Artifact: v.Artifact, Version: v.Version}}
		if module == "" {
			module = target.Module
		}
	}
	if module == "" {
		module = kernel.ProjectModule
	}
	if err := ch.Reaches(policy.StalemateRaise, module, "in "+string(module)); err != nil {
		return api.StalemateInfo{}, err
	}
	p := stalemateRaised{Ref: brenner.Ref{Artifact: id}, Origin: origin, Session: session}
	return raiseStalemate(ch, st, p, module, links)
}

// targetOf finds the artifact that a stalemate is about, if it is about one of
// this project.
func targetOf(c *kernel.Call, target string) (store.Artifact, bool, error) {
	ref, err := brenner.ParseRef(target)
	if err != nil {
		return store.Artifact{}, false, nil //nolint:nilerr // a file, or nothing
	}
	a, err := c.Reader.Artifact(c.Ctx, ref.Artifact)
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		return store.Artifact{}, false, nil
	}
	return a, err == nil, err
}

// raiseStalemate writes the artifact and opens the first round. p says how it
// came about, and perhaps its id.
func raiseStalemate(ch *kernel.Change, st stalemate.Stalemate, p stalemateRaised, module brenner.Module, links []artifact.Link) (api.StalemateInfo, error) {
	if p.Ref.Artifact == "" {
		p.Ref.Artifact = brenner.ArtifactID(fmt.Sprintf("%s-%d", artifact.TypeStalemate, ch.NextSeq()))
	}
	var err error
	p.Ref, p.Evidence, err = writeStalemate(ch, p.Ref, st, module, links)
	if err != nil {
		return api.StalemateInfo{}, err
	}
	p.Target, p.Parties, p.Missing = st.Target, st.Parties(), []string{}
	for _, e := range st.Missing() {
		p.Missing = append(p.Missing, e.ID)
	}
	if _, err := kindStalemateRaised.Append(ch, p); err != nil {
		return api.StalemateInfo{}, err
	}
	row, err := findStalemate(ch.Call, p.Ref.Artifact)
	return row.infoFor(ch.Call), err
}

// writeStalemate writes what a stalemate is about as a version on another.
// Evidence is kept by digest beside it, so that it is stored once and can be
// redacted; the state is kept by the records.
func writeStalemate(ch *kernel.Change, on brenner.Ref, st stalemate.Stalemate, module brenner.Module, links []artifact.Link) (brenner.Ref, []brenner.Digest, error) {
	digests := []brenner.Digest{}
	evidence := make([]stalemate.Evidence, len(st.Evidence))
	for i, e := range st.Evidence {
		if !e.Missing {
			if err := kernel.CheckText(e.Content); err != nil {
				return brenner.Ref{}, nil, err
			}
			d, err := ch.PutBlob([]byte(e.Content))
			if err != nil {
				return brenner.Ref{}, nil, err
			}
			digests = append(digests, d)
			e.Content = ""
		}
		evidence[i] = e
	}
	st.Evidence, st.State, st.Round, st.History = evidence, "", 0, nil
	res, err := writeOwn(ch, artifact.TypeStalemate, on, module, st.Summary, st, links)
	return res.Ref, digests, err
}

// writeOwn writes a version of an artifact that the service keeps for a use
// case: the act has been allowed, so the type is not asked for again. It goes
// on the version named; version 0 is a new artifact.
func writeOwn(ch *kernel.Change, name brenner.TypeName, on brenner.Ref, module brenner.Module, summary string, content any, links []artifact.Link) (api.WriteResult, error) {
	typ, err := ch.Types.Lookup(name)
	if err != nil {
		return api.WriteResult{}, err
	}
	p := artifact.Proposal{Type: typ, Summary: abridged(summary), Links: links}
	if p.Content, err = artifact.NewContent(artifact.JSON, canon.MustMarshal(content)); err != nil {
		return api.WriteResult{}, err
	}
	if err := artifact.CheckDraft(p); err != nil {
		return api.WriteResult{}, err
	}
	if err := on.Artifact.Check(); err != nil {
		return api.WriteResult{}, err
	}
	next := ledger.Written{ID: on.Artifact, Type: typ.Name, Version: 1, Head: 1, Status: artifact.Draft}
	a, err := ch.Artifact(ch.Ctx, on.Artifact)
	switch {
	case brenner.CodeOf(err) == brenner.CodeNotFound && on.Version == 0:
		if next.Module, err = ch.ModuleFor(module, typ); err != nil {
			return api.WriteResult{}, err
		}
		return ledger.WriteVersion(ch, p, next)
	case err != nil:
		return api.WriteResult{}, err
	case on.Version == 0:
		return api.WriteResult{}, brenner.Errorf(brenner.CodeAlreadyExists, "an artifact %q exists already", on.Artifact)
	}
	next.Module, next.Version, next.Head, next.Parent = a.Module, a.Latest+1, a.Latest+1, on.Version
	if on.Version != a.Head {
		next.Status, next.Head = artifact.Alternative, a.Head
	}
	return ledger.WriteVersion(ch, p, next)
}

// abridged makes a text fit a summary.
func abridged(s string) string {
	return brenner.Clip(strings.Join(strings.Fields(s), " "), brenner.MaxSummaryRunes)
}

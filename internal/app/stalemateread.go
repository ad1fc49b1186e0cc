package app

import (
	"context"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/store"
	"brenner/policy"
	"brenner/stalemate"
)

// redactedEvidence stands for evidence that was removed from the project.
const redactedEvidence = "[redacted]"

// readStalemate loads a stalemate with its evidence. Evidence about an artifact
// quotes it, so only who may read the artifact reads it.
func (c *call) readStalemate(id brenner.ArtifactID) (stalemateRow, stalemate.Stalemate, error) {
	row, err := c.findStalemate(id)
	if err != nil {
		return row, stalemate.Stalemate{}, err
	}
	a, err := c.findArtifact(id, policy.Read)
	if err != nil {
		return row, stalemate.Stalemate{}, err
	}
	target, found, err := c.targetOf(row.Target)
	if err == nil && found {
		err = c.allow(policy.Read, target.Type, target.Module, row.Target)
	}
	if err != nil {
		return row, stalemate.Stalemate{}, err
	}
	var st stalemate.Stalemate
	if err := c.readOwn(a, row.Ref, &st); err != nil {
		return row, st, err
	}
	for i, e := range st.Evidence {
		if e.Missing {
			continue
		}
		data, err := c.Blob(c.ctx, e.Digest)
		if brenner.CodeOf(err) == brenner.CodeRedacted {
			st.Evidence[i].Content, st.Evidence[i].Missing = redactedEvidence, true
			continue
		}
		if err != nil {
			return row, st, err
		}
		st.Evidence[i].Content = string(data)
	}
	st.State, st.Round, st.History = row.State, row.Round, row.History
	return row, st, nil
}

// readOwn reads the content of a version that the service wrote.
func (c *call) readOwn(a store.Artifact, ref brenner.Ref, into any) error {
	v, err := c.inForce(a, ref.Version)
	if err != nil {
		return err
	}
	content, err := c.content(v)
	if err != nil {
		return err
	}
	return canon.Unmarshal(content.Data, into)
}

// readVerdict loads the latest verdict on a stalemate, nil if there is none.
func (c *call) readVerdict(row stalemateRow) (*stalemate.Verdict, error) {
	if row.VerdictRef == (brenner.Ref{}) {
		return nil, nil
	}
	a, err := c.findArtifact(row.VerdictRef.Artifact, policy.Read)
	if err != nil {
		return nil, err
	}
	var v stalemate.Verdict
	if err := c.readOwn(a, row.VerdictRef, &v); err != nil {
		return nil, err
	}
	return &v, nil
}

// Stalemate implements api.Stalemates.
func (s *service) Stalemate(ctx context.Context, req api.StalemateRequest) (api.StalemateView, error) {
	shown := func(v api.StalemateView) []brenner.Ref {
		if v.Verdict == nil {
			return []brenner.Ref{v.Ref}
		}
		return []brenner.Ref{v.Ref, v.VerdictRef}
	}
	return read(ctx, s, "stalemate", shown, func(c *call) (api.StalemateView, error) {
		row, st, err := c.readStalemate(req.ID)
		if err != nil {
			return api.StalemateView{}, err
		}
		verdict, err := c.readVerdict(row)
		return api.StalemateView{StalemateInfo: row.StalemateInfo, Stalemate: st, Verdict: verdict}, err
	})
}

// ExportStalemate implements api.Stalemates.
func (s *service) ExportStalemate(ctx context.Context, req api.StalemateRequest) (api.StalemateExport, error) {
	return read(ctx, s, "stalemate", nil, func(c *call) (api.StalemateExport, error) {
		_, st, err := c.readStalemate(req.ID)
		if err != nil {
			return api.StalemateExport{}, err
		}
		raw, err := stalemate.Export(st)
		return api.StalemateExport{Request: raw}, err
	})
}

// Stalemates implements api.Stalemates.
func (s *service) Stalemates(ctx context.Context, req api.ListStalematesRequest) (api.StalemateList, error) {
	return read(ctx, s, "stalemates", nil, func(c *call) (api.StalemateList, error) {
		if err := c.allow(policy.Read, artifact.TypeStalemate, "", "stalemates"); err != nil {
			return api.StalemateList{}, err
		}
		states, err := stalemateStates(req.States)
		if err != nil {
			return api.StalemateList{}, err
		}
		out := api.StalemateList{Stalemates: []api.StalemateInfo{}}
		q := store.ObjectQuery{Kind: objectStalemate, Group: req.About, States: states}
		out.Next, err = c.page(q, req.Page, func(o store.Object) error {
			var row stalemateRow
			if err := unmarshalBody(o, &row); err != nil {
				return err
			}
			if c.may(policy.Read, artifact.TypeStalemate, row.Module) {
				out.Stalemates = append(out.Stalemates, row.StalemateInfo)
			}
			return nil
		})
		return out, err
	})
}

// stalemateStates checks states to list by; none are all that are not closed.
func stalemateStates(asked []stalemate.State) ([]string, error) {
	var out []string
	for _, st := range stalemate.States() {
		if slices.Contains(asked, st) || len(asked) == 0 && !st.Closed() {
			out = append(out, string(st))
		}
	}
	for _, st := range asked {
		if !slices.Contains(stalemate.States(), st) {
			return nil, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a state of a stalemate", st).
				WithHint("states: " + list(stalemate.States()))
		}
	}
	return out, nil
}

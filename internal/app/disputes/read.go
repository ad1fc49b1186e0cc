package disputes

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/policy"
	"brenner/stalemate"
)

// redactedEvidence stands for evidence that was removed from the project.
const redactedEvidence = "[redacted]"

// readStalemate loads a stalemate with its evidence. Evidence about an artifact
// quotes it, so only who may read the artifact reads it.
func readStalemate(c *kernel.Call, id brenner.ArtifactID) (stalemateRow, stalemate.Stalemate, error) {
	row, err := findStalemate(c, id)
	if err != nil {
		return row, stalemate.Stalemate{}, err
	}
	a, err := ledger.FindArtifact(c, id, policy.Read)
	if err != nil {
		return row, stalemate.Stalemate{}, err
	}
	target, found, err := targetOf(c, row.Target)
	if err == nil && found {
		err = c.Allow(policy.Read, target.Type, target.Module, row.Target)
	}
	if err != nil {
		return row, stalemate.Stalemate{}, err
	}
	var st stalemate.Stalemate
	if err := readOwn(c, a, row.Ref, &st); err != nil {
		return row, st, err
	}
	for i, e := range st.Evidence {
		if e.Missing {
			continue
		}
		data, err := c.Blob(c.Ctx, e.Digest)
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
func readOwn(c *kernel.Call, a store.Artifact, ref brenner.Ref, into any) error {
	v, err := ledger.InForce(c, a, ref.Version)
	if err != nil {
		return err
	}
	content, err := ledger.ContentOf(c, v)
	if err != nil {
		return err
	}
	return canon.Unmarshal(content.Data, into)
}

// readVerdict loads the latest verdict on a stalemate, nil if there is none.
func readVerdict(c *kernel.Call, row stalemateRow) (*stalemate.Verdict, error) {
	if row.VerdictRef == (brenner.Ref{}) {
		return nil, nil
	}
	a, err := ledger.FindArtifact(c, row.VerdictRef.Artifact, policy.Read)
	if err != nil {
		return nil, err
	}
	var v stalemate.Verdict
	if err := readOwn(c, a, row.VerdictRef, &v); err != nil {
		return nil, err
	}
	return &v, nil
}

// Stalemate implements api.Stalemates.
func (s *Service) Stalemate(ctx context.Context, req api.StalemateRequest) (api.StalemateView, error) {
	shown := func(v api.StalemateView) []brenner.Ref {
		if v.Verdict == nil {
			return []brenner.Ref{v.Ref}
		}
		return []brenner.Ref{v.Ref, v.VerdictRef}
	}
	return kernel.Read(ctx, s.caller, "stalemate", shown, kernel.ItemByItem(), func(c *kernel.Call) (api.StalemateView, error) {
		row, st, err := readStalemate(c, req.ID)
		if err != nil {
			return api.StalemateView{}, err
		}
		out := api.StalemateView{StalemateInfo: row.info(), Stalemate: st}
		if out.Verdict, err = readVerdict(c, row); err != nil || req.Size == 0 && req.Offset == 0 {
			return out, err
		}
		out.Stalemate.Evidence, out.NextOffset, err = evidencePage(st.Evidence, req.Offset, req.Size)
		if req.Offset > 0 { // what the parties hold came with the first part
			out.Stalemate.Hypotheses, out.Stalemate.Alternatives, out.Stalemate.Attempts, out.Verdict = nil, nil, nil, nil
		}
		return out, err
	})
}

// evidencePage gives the pieces of evidence that one part of all of it covers,
// counted in bytes from the first, and where the next part starts.
func evidencePage(all []stalemate.Evidence, offset, size int) (part []stalemate.Evidence, next int, err error) {
	start, room := 0, size // of a piece among all; of the part
	for _, e := range all {
		end := start + len(e.Content)
		if offset > 0 && end <= offset {
			start = end
			continue
		}
		if len(part) > 0 && room < max(size/4, utf8.UTFMax) { // hardly worth a beginning
			return part, start, nil
		}
		var more int
		if e.Content, more, err = artifact.Page(e.Content, max(0, offset-start), room); err != nil {
			return nil, 0, err
		}
		part = append(part, e)
		if more > 0 {
			return part, start + more, nil
		}
		start, room = end, room-len(e.Content)
	}
	if len(part) == 0 && offset > 0 {
		_, _, err = artifact.Page("", offset, size) // says what is wrong about it
	}
	return part, 0, err
}

// ExportStalemate implements api.Stalemates.
func (s *Service) ExportStalemate(ctx context.Context, req api.StalemateRequest) (api.StalemateExport, error) {
	return kernel.Read(ctx, s.caller, "stalemate", nil, kernel.ItemByItem(), func(c *kernel.Call) (api.StalemateExport, error) {
		_, st, err := readStalemate(c, req.ID)
		if err != nil {
			return api.StalemateExport{}, err
		}
		raw, err := stalemate.Export(st)
		return api.StalemateExport{Request: raw}, err
	})
}

// Stalemates implements api.Stalemates.
func (s *Service) Stalemates(ctx context.Context, req api.ListStalematesRequest) (api.StalemateList, error) {
	return kernel.Read(ctx, s.caller, "stalemates", nil, kernel.Acting(kernel.Act{Action: policy.Read, Type: artifact.TypeStalemate, Target: "stalemates"}), func(c *kernel.Call) (api.StalemateList, error) {
		states, err := stalemateStates(req.States)
		if err != nil {
			return api.StalemateList{}, err
		}
		out := api.StalemateList{Stalemates: []api.StalemateInfo{}}
		q := kernel.Query{Group: req.About, States: states, Newest: req.Newest}
		readable := func(row kernel.Row[stalemateRow]) bool {
			return c.May(policy.Read, artifact.TypeStalemate, row.Value.Module)
		}
		err = stalemates.Each(ctx, c.Reader, q, func(row kernel.Row[stalemateRow]) (bool, error) {
			if readable(row) {
				out.Total++
			}
			return true, nil
		})
		if err != nil {
			return out, err
		}
		out.Next, err = stalemates.Page(ctx, c.Reader, q, req.Page, func(row kernel.Row[stalemateRow]) error {
			if readable(row) {
				out.Stalemates = append(out.Stalemates, row.Value.info())
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
				WithHint("states: " + kernel.Join(stalemate.States()))
		}
	}
	return out, nil
}

// Waiting lists stalemates that wait for somebody (N1): also one that a party has accepted
// while another has not spoken.
func (r *Room) Waiting(c *kernel.Call) ([]kernel.Waiting, error) {
	rows, err := stalemates.List(c.Ctx, c.Reader, kernel.Query{
		States: []string{string(stalemate.Open), string(stalemate.InArbitration), string(stalemate.Decided), string(stalemate.Accepted), string(stalemate.Appealed)},
	}, brenner.MaxPage)
	var out []kernel.Waiting
	for _, row := range rows {
		st := row.Value
		var silent []brenner.ActorName
		if st.State == stalemate.Accepted {
			if silent, err = st.silent(c); err != nil {
				return nil, err
			}
		}
		if st.State == stalemate.Accepted && len(silent) == 0 {
			continue
		}
		w := kernel.Waiting{Waiting: api.Waiting{
			Kind: api.WaitStalemate, Subject: row.ID, Title: st.Summary, Author: st.Raiser, Since: st.Raised, Count: 1,
			Why: "agents are stuck; " + stands[st.State],
		}}
		if st.State == stalemate.Accepted {
			w.Why += ", and " + kernel.Join(silent) + " has not spoken"
		}
		if a, found, err := targetOf(c, st.Target); err != nil {
			return nil, err
		} else if found {
			ref, err := brenner.ParseRef(st.Target)
			if err != nil {
				return nil, err
			}
			if ref.Version == 0 {
				ref.Version = cmp.Or(a.Canonical, a.Head)
			}
			w.On = []brenner.Ref{ref}
		}
		out = append(out, w)
	}
	return out, err
}

// stands says how far a stalemate has come.
var stands = map[stalemate.State]string{
	stalemate.Open: "it is open", stalemate.InArbitration: "it is in arbitration", stalemate.Decided: "there is a verdict", stalemate.Accepted: "a party has accepted the verdict",
	stalemate.Appealed: "the verdict is appealed against", stalemate.Implemented: "the verdict is carried out and not checked yet",
}

// silent lists the parties that have not accepted the verdict of this round: none once the
// person who leads the project has. A name that is nobody of this project cannot speak.
func (r stalemateRow) silent(c *kernel.Call) ([]brenner.ActorName, error) {
	actors, err := c.Actors(c.Ctx)
	if err != nil {
		return nil, err
	}
	var out []brenner.ActorName
	for _, a := range actors {
		accepted := slices.ContainsFunc(r.History, func(e stalemate.Event) bool {
			return e.Action == stalemate.Accept && e.Round == r.Round && e.Actor == a.Name
		})
		if accepted && a.Role == brenner.PI {
			return nil, nil
		}
		if slices.Contains(r.Parties, a.Name) && !accepted {
			out = append(out, a.Name)
		}
	}
	return out, nil
}

// Stands says how far a stalemate has come, "" of what was only written as one.
func (r *Room) Stands(c *kernel.Call, id brenner.ArtifactID) (string, error) {
	row, err := stalemates.Find(c.Ctx, c.Reader, string(id))
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		return "", nil
	}
	return row.info().Stands(), err
}

// About lists the stalemates about an artifact that are not closed: about any version of it,
// about something in it, or raised in the session whose document it is.
func (r *Room) About(c *kernel.Call, ref brenner.Ref) ([]api.ReviewFinding, error) {
	states, err := stalemateStates(nil)
	if err != nil {
		return nil, err
	}
	var out []api.ReviewFinding
	err = stalemates.Each(c.Ctx, c.Reader, kernel.Query{States: states}, func(row kernel.Row[stalemateRow]) (bool, error) {
		st := row.Value
		if string(st.Session) != string(ref.Artifact) && !targets(st.Target, ref.Artifact) {
			return true, nil
		}
		f := api.ReviewFinding{Kind: api.FindingStalemate, Ref: ref, Stalemate: row.ID, Summary: st.Summary, Creator: st.Raiser, At: st.Raised}
		if !c.Sees(artifact.TypeStalemate, st.Module) {
			f.Summary = ""
		}
		out = append(out, f)
		return true, nil
	})
	return out, err
}

// targets reports whether what a stalemate is about is an artifact, a version of it, or a
// place in one, such as RS-1@3/H2.
func targets(target string, id brenner.ArtifactID) bool {
	rest, of := strings.CutPrefix(target, string(id))
	return of && (rest == "" || strings.ContainsRune("@/#: ", rune(rest[0])))
}

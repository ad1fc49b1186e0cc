package sessions

import (
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
)

// rebuilding is one check of all sessions under way.
type rebuilding struct {
	*kernel.Call
	kinds    *kernel.Kinds
	tell     api.Progress
	findings []journal.Finding
	rebuilt  int
}

func (v *rebuilding) report(f journal.Finding) {
	if len(v.findings) < journal.MaxFindings {
		v.findings = append(v.findings, f)
	}
}

// Rebuild rebuilds every version of every session artifact from the
// deltas that the journal says it was compiled from, and compares it byte by
// byte. It gives what is wrong, and how many versions are right.
func (r *Room) Rebuild(c *kernel.Call, tell api.Progress) ([]journal.Finding, int, error) {
	v := &rebuilding{Call: c, kinds: r.Kinds(), tell: tell}
	err := v.sessions()
	return v.findings, v.rebuilt, err
}

func (v *rebuilding) sessions() error {
	made := map[brenner.Ref]bool{}
	size, err := v.Size(v.Ctx)
	if err != nil {
		return err
	}
	err = journal.Each(v.Ctx, v.Reader, 0, func(row store.Record) error {
		if row.Seq%1000 == 0 {
			v.tell("sessions", row.Seq, size)
		}
		if row.Kind != kindSessionStarted.Name && row.Kind != kindSessionCompiled.Name {
			return v.Ctx.Err()
		}
		rec, err := journal.Parse(row)
		if err != nil {
			return nil //nolint:nilerr // reported already, with its place
		}
		rec, whole, err := v.kinds.Whole(v.Ctx, v.Reader, rec)
		if err != nil {
			return err
		}
		ref, err := v.rebuild(rec, whole)
		made[ref] = true
		return err
	})
	if err != nil {
		return err
	}
	return v.unmade(made)
}

// rebuild makes a version again from its record and says which it was.
func (v *rebuilding) rebuild(rec journal.Record, whole bool) (brenner.Ref, error) {
	if rec.Kind == kindSessionStarted.Name {
		var p sessionStarted
		if err := canon.Unmarshal(rec.Payload, &p); err != nil {
			return brenner.Ref{}, err
		}
		if !whole { // what was redacted meanwhile is no fault
			return sessionRef(p.ID, 1), nil
		}
		doc, _, err := openingArtifact(p, rec.Actor, rec.At, true)
		if err != nil {
			return brenner.Ref{}, err
		}
		ref := sessionRef(p.ID, 1)
		return ref, v.sameVersion(rec.Seq, ref, doc)
	}
	var p sessionCompiled
	if err := canon.Unmarshal(rec.Payload, &p); err != nil {
		return brenner.Ref{}, err
	}
	ref := sessionRef(p.Session, p.Version)
	if p.Rules != delta.Rules { // made under other rules, by which it was right
		return ref, nil
	}
	res, ok, err := v.compileAgain(p)
	if err != nil || !ok {
		return ref, err
	}
	for i, d := range p.Deltas {
		if whole && d.Outcome != res.Outcomes[i] {
			v.report(journal.Corrupt(rec.Seq, "delta %s of %s was %s when it was compiled, now it is %s", d.ID, p.Session, d.Outcome.Status, res.Outcomes[i].Status))
		}
	}
	if p.Version == 0 {
		if res.Recorded() > 0 {
			v.report(journal.Corrupt(rec.Seq, "a compile of %s that recorded nothing now records %d deltas", p.Session, res.Recorded()))
		}
		return ref, nil
	}
	return ref, v.sameVersion(rec.Seq, ref, res.Artifact)
}

// compileAgain merges the recorded deltas into the recorded base. What was
// redacted meanwhile cannot be merged again; that is no fault.
func (v *rebuilding) compileAgain(p sessionCompiled) (delta.Result, bool, error) {
	_, base, err := sessionArtifact(v.Call, p.Session, p.Base)
	if brenner.CodeOf(err) == brenner.CodeRedacted {
		return delta.Result{}, false, nil
	}
	if err != nil {
		return delta.Result{}, false, err
	}
	all := make([]delta.Entry, len(p.Deltas))
	for i, d := range p.Deltas {
		if all[i], err = readQueued(v.Ctx, v.Reader, d.Digest); err != nil {
			return delta.Result{}, false, err
		}
		if why := all[i].Invalid; why != nil && why.Code == brenner.CodeRedacted && d.Outcome.Code != brenner.CodeRedacted {
			return delta.Result{}, false, nil //nolint:nilerr // what was redacted meanwhile is no fault
		}
		if d.Full {
			all[i].Invalid = noRoom()
		}
	}
	base, _ = base.Reserving(p.Given)
	return delta.Merge(base, all, p.options()), true, nil
}

// sameVersion reports a version that is not what its deltas make.
func (v *rebuilding) sameVersion(seq int64, ref brenner.Ref, doc *delta.Artifact) error {
	row, err := v.Version(v.Ctx, ref)
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		v.report(journal.Corrupt(seq, "%s is missing", ref))
		return nil
	}
	if err != nil {
		return err
	}
	raw, err := canon.Marshal(doc)
	if err != nil {
		return err
	}
	if canon.Sum(raw) != row.Content {
		v.report(journal.Corrupt(seq, "%s is not what its deltas make", ref))
		return nil
	}
	v.rebuilt++
	return nil
}

// unmade reports versions of session artifacts that no compile made.
func (v *rebuilding) unmade(made map[brenner.Ref]bool) error {
	var ids []brenner.SessionID
	err := sessions.Each(v.Ctx, v.Reader, kernel.Query{}, func(row kernel.Row[session]) (bool, error) {
		ids = append(ids, row.Value.ID)
		return true, nil
	})
	if err != nil {
		return err
	}
	slices.Sort(ids)
	for _, id := range ids {
		a, err := v.Reader.Artifact(v.Ctx, brenner.ArtifactID(id))
		if err != nil {
			return err
		}
		if a.Type != artifact.TypeSessionArtifact {
			continue
		}
		for n := brenner.Version(1); n <= a.Latest; n++ {
			if ref := sessionRef(id, n); !made[ref] {
				v.report(journal.Corrupt(a.Seq, "%s was not made by a compile", ref))
			}
		}
	}
	return nil
}

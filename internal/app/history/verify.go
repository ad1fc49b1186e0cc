package history

import (
	"context"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/journal"
	"brenner/internal/order"
	"brenner/internal/store"
	"brenner/policy"
)

// Verify implements api.Journal.
func (s *Service) Verify(ctx context.Context, req api.VerifyRequest) (api.VerifyResult, error) {
	out, err := s.verify(ctx, req)
	if err != nil || !req.Accept {
		return out, err
	}
	changed := func(f api.VerifyFinding) bool { return f.Code == brenner.CodeHistoryChanged }
	if !slices.ContainsFunc(out.Findings, changed) {
		return out, brenner.Errorf(brenner.CodeStatusConflict, "the journal is the one that is remembered: there is nothing to accept")
	}
	if out.Findings = slices.DeleteFunc(out.Findings, changed); len(out.Findings) > 0 {
		return out, nil // what is damaged is no history
	}
	out.OK, out.Accepted = true, true
	return out, s.accept(ctx)
}

// scratchBytes is what the store holds in memory into which the journal is replayed.
const scratchBytes = 32 << 20

func (s *Service) verify(ctx context.Context, req api.VerifyRequest) (api.VerifyResult, error) {
	remembered, unreadable := s.remembered(ctx)
	return kernel.View(ctx, s.caller, kernel.To(policy.Audit, "journal"), func(c *kernel.Call) (api.VerifyResult, error) {
		if err := c.Holds(scratchBytes); err != nil {
			return api.VerifyResult{}, err
		}
		checkpoints, err := s.openCheckpoints(c, req)
		if err != nil {
			return api.VerifyResult{}, err
		}
		v := &verification{Call: c, kinds: s.Kinds(), scratch: s.Scratch, progress: req.Progress}
		if err := v.journal(checkpoints); err != nil {
			return api.VerifyResult{}, err
		}
		if err := v.contents(); err != nil {
			return api.VerifyResult{}, err
		}
		if unreadable != nil && len(v.out.Findings) == 0 {
			return api.VerifyResult{}, unreadable
		}
		if err := v.outside(s.Room, remembered); err != nil {
			return api.VerifyResult{}, err
		}
		if !req.Quick {
			if err := v.tables(); err != nil {
				return api.VerifyResult{}, err
			}
		}
		if req.Deep && len(v.out.Findings) == 0 {
			findings, rebuilt, err := s.Sessions.Rebuild(c, v.tell)
			if err != nil {
				return api.VerifyResult{}, err
			}
			for _, f := range findings {
				v.report(f)
			}
			v.out.Rebuilt = rebuilt
		}
		v.out.OK = len(v.out.Findings) == 0
		return v.out, nil
	})
}

// openCheckpoints checks the signatures and sorts by size.
func (r *Room) openCheckpoints(c *kernel.Call, req api.VerifyRequest) ([]journal.Checkpoint, error) {
	if len(req.Checkpoints) == 0 {
		return nil, nil
	}
	p, err := c.Reader.Project(c.Ctx)
	if err != nil {
		return nil, err
	}
	public := req.PublicKey
	if public == "" {
		k, err := r.Keys.load(p.ID, false)
		if err != nil {
			return nil, err
		}
		public = k.public
	}
	var out []journal.Checkpoint
	for _, signed := range req.Checkpoints {
		cp, err := journal.OpenCheckpoint([]byte(signed), public)
		if err != nil {
			return nil, err
		}
		if cp.Project != p.ID {
			return nil, brenner.Errorf(brenner.CodeCheckpointInvalid, "the checkpoint is of project %s, this is %s", cp.Project, p.ID)
		}
		out = append(out, cp)
	}
	order.By(out, func(a, b journal.Checkpoint) int { return int(a.Size - b.Size) })
	return out, nil
}

// verification is one verify under way.
type verification struct {
	*kernel.Call
	kinds    *kernel.Kinds
	scratch  func(ctx context.Context) (store.Store, error)
	progress api.Progress
	out      api.VerifyResult
	redacted map[brenner.Digest]int64 // by which record
	named    map[brenner.Digest]int64 // contents that records name
}

func (v *verification) report(f journal.Finding) {
	if len(v.out.Findings) < journal.MaxFindings {
		v.out.Findings = append(v.out.Findings, api.VerifyFinding(f))
	}
}

// journal recomputes the hashes and compares them with the checkpoints.
func (v *verification) journal(checkpoints []journal.Checkpoint) error {
	size, err := v.Size(v.Ctx)
	if err != nil {
		return err
	}
	sizes := make([]int64, len(checkpoints))
	for i, cp := range checkpoints {
		sizes[i] = cp.Size
	}
	rep, err := journal.Verify(v.Ctx, v.Reader, sizes, func(done int64) { v.tell("records", done, size) })
	if err != nil {
		return err
	}
	v.out = api.VerifyResult{Size: rep.Size, Root: rep.Root, Findings: []api.VerifyFinding{}}
	for _, f := range rep.Findings {
		v.report(f)
	}
	against := rep.Against(checkpoints)
	for _, f := range against {
		v.report(f)
	}
	v.out.Checkpoints = len(checkpoints) - len(against)
	return v.readContentsNamed()
}

// outside compares with what is not in the journal: what is remembered of it
// elsewhere, and the tokens.
func (v *verification) outside(r *Room, remembered head) error {
	changed, err := remembered.compare(v.Ctx, v.Reader)
	if changed != nil {
		v.report(*changed)
	}
	if err != nil && len(v.out.Findings) == 0 { // a hash may be among what was found
		return err
	}
	findings, err := r.Tokens.CheckTokens(v.Call)
	for _, f := range findings {
		v.report(f)
	}
	return err
}

// readContentsNamed collects the contents that records say they stored and
// those that were removed on purpose.
func (v *verification) readContentsNamed() error {
	v.named, v.redacted = map[brenner.Digest]int64{}, map[brenner.Digest]int64{}
	return journal.Each(v.Ctx, v.Reader, 0, func(row store.Record) error {
		rec, err := journal.Parse(row)
		if err != nil {
			return nil //nolint:nilerr // reported already, with its place
		}
		if rec.Kind == kernel.ProjectCreated.Name {
			if err := v.project(rec); err != nil {
				return err
			}
		}
		if rec.Kind == ledger.ContentRedacted.Name {
			var p ledger.Redacted
			if canon.Unmarshal(rec.Payload, &p) == nil {
				v.redacted[p.Digest] = rec.Seq
			}
		}
		for _, d := range v.kinds.Stored(rec) {
			if _, ok := v.named[d]; !ok {
				v.named[d] = rec.Seq
			}
		}
		return nil
	})
}

// project compares what the store says the project is with its first record.
func (v *verification) project(rec journal.Record) error {
	var p kernel.Project
	if canon.Unmarshal(rec.Payload, &p) != nil {
		return nil //nolint:nilerr // reported already, with its place
	}
	is, err := v.Reader.Project(v.Ctx)
	if err != nil {
		return err
	}
	if is.ID != p.ID || is.Name != p.Name || !is.At.Equal(rec.At) {
		v.report(journal.Corrupt(rec.Seq, "the store says that the project is %q (%s), and its first record %q (%s), made %s", is.Name, is.ID, p.Name, p.ID, rec.At))
	}
	return nil
}

// contents rehashes every stored content, and looks for those that records
// name and that are gone.
func (v *verification) contents() error {
	err := v.EachBlob(v.Ctx, func(d brenner.Digest, data []byte) error {
		v.out.Blobs++
		if v.out.Blobs%1000 == 0 {
			v.tell("contents", v.out.Blobs, int64(len(v.named)))
		}
		seq := v.named[d]
		delete(v.named, d)
		by, known := v.redacted[d]
		switch {
		case data != nil && known:
			v.report(journal.Corrupt(by, "content %s was redacted, and its bytes are there again", d))
		case data == nil && known:
			v.out.Redacted = append(v.out.Redacted, d)
		case data == nil:
			v.report(journal.Corrupt(seq, "content %s was removed without a record", d))
		case canon.Sum(data) != d:
			v.report(journal.Corrupt(seq, "content %s is not what was written", d))
		}
		return v.Ctx.Err()
	})
	if err != nil {
		return err
	}
	type missing struct {
		seq int64
		d   brenner.Digest
	}
	var gone []missing
	for d, seq := range v.named {
		gone = append(gone, missing{seq, d})
	}
	slices.SortFunc(gone, func(a, b missing) int { return int(a.seq - b.seq) })
	for _, m := range gone {
		v.report(journal.Corrupt(m.seq, "content %s, written by record %d, is missing", m.d, m.seq))
	}
	return nil
}

// tables replays the journal into a scratch store and compares row by row.
func (v *verification) tables() error {
	digest, err := journal.Digest(v.Ctx, v.Reader)
	if err != nil {
		return err
	}
	v.out.Digest = digest
	if slices.ContainsFunc(v.out.Findings, func(f api.VerifyFinding) bool { return f.Code == brenner.CodeJournalCorrupt }) {
		return nil // the tables follow from a journal that is already in doubt
	}
	scratch, err := v.scratch(v.Ctx)
	if err != nil {
		return err
	}
	defer func() { _ = scratch.Close() }()
	if err := v.replayInto(scratch); err != nil {
		if class := brenner.ClassOf(brenner.CodeOf(err)); class == brenner.ClassUnavailable || v.Ctx.Err() != nil {
			return err // that the store failed, or was told to stop, says nothing of the journal
		}
		v.report(journal.Corrupt(0, "the journal cannot be replayed: %v", err))
		return nil
	}
	return scratch.Read(v.Ctx, func(want store.Reader) error {
		for _, t := range store.Tables() {
			if err := v.compare(t, want); err != nil {
				return err
			}
		}
		return nil
	})
}

// compare reports the first row in which a table differs from its replay.
func (v *verification) compare(t store.Table, want store.Reader) error {
	// Row by row hashes keep memory small for large tables.
	var expected []brenner.Digest
	err := want.Each(v.Ctx, t, func(row any) error {
		b, err := canon.Marshal(row)
		expected = append(expected, canon.Sum(b))
		return err
	})
	if err != nil {
		return err
	}
	i, said := 0, false
	err = v.Each(v.Ctx, t, func(row any) error {
		b, err := canon.Marshal(row)
		if err != nil || said {
			return err
		}
		if i >= len(expected) || canon.Sum(b) != expected[i] {
			v.report(journal.Corrupt(0, "table %s, row %d is not what the journal says: %.200s", t, i+1, b))
			said = true
		}
		i++
		return nil
	})
	if err == nil && !said && i < len(expected) {
		v.report(journal.Corrupt(0, "table %s has %d rows, the journal says %d", t, i, len(expected)))
	}
	return err
}

func (v *verification) tell(what string, done, total int64) {
	if v.progress != nil {
		v.progress(what, done, total)
	}
}

// replayInto applies every record to the tables of another store.
func (v *verification) replayInto(to store.Store) error {
	return to.Write(v.Ctx, func(tx store.Tx) error {
		return v.kinds.Replay(v.Ctx, v.Reader, tx, func(rec journal.Record) error {
			if rec.Seq%1000 == 0 {
				v.tell("tables", rec.Seq, v.Position)
			}
			return v.Ctx.Err()
		})
	})
}

// Replay implements api.Journal.
func (s *Service) Replay(ctx context.Context, req api.ReplayRequest) (api.ReplayResult, error) {
	tell := req.Progress
	if tell == nil {
		tell = func(string, int64, int64) {}
	}
	return kernel.Write(ctx, s.caller, "journal.replay", api.Write{}, kernel.To(policy.Audit, "journal"), func(ch *kernel.Change) (api.ReplayResult, error) {
		before, err := journal.Digest(ctx, ch.Reader)
		if err != nil {
			return api.ReplayResult{}, err
		}
		err = ch.Rebuild(func(rec journal.Record) error {
			if rec.Seq%1000 == 0 {
				tell("records", rec.Seq, ch.Position)
			}
			return ctx.Err()
		})
		if err != nil {
			return api.ReplayResult{}, err
		}
		after, err := journal.Digest(ctx, ch.Reader)
		return api.ReplayResult{Records: ch.Position, Before: before, After: after, Same: before == after}, err
	})
}

// Checkpoint implements api.Journal.
func (s *Service) Checkpoint(ctx context.Context) (api.CheckpointResult, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Audit, "journal"), func(c *kernel.Call) (api.CheckpointResult, error) {
		p, err := c.Reader.Project(ctx)
		if err != nil {
			return api.CheckpointResult{}, err
		}
		size, err := c.Size(ctx)
		if err != nil {
			return api.CheckpointResult{}, err
		}
		root, err := journal.Root(ctx, c.Reader, size)
		if err != nil {
			return api.CheckpointResult{}, err
		}
		k, err := s.Keys.load(p.ID, true)
		if err != nil {
			return api.CheckpointResult{}, err
		}
		signed, err := journal.Checkpoint{Project: p.ID, Size: size, Root: root}.Sign(k.secret)
		return api.CheckpointResult{Note: string(signed), Size: size, Root: root.String(), PublicKey: k.public}, err
	})
}

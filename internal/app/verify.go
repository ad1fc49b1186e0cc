package app

import (
	"context"
	"fmt"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"
)

// Verify implements api.Journal.
func (s *service) Verify(ctx context.Context, req api.VerifyRequest) (api.VerifyResult, error) {
	return view(ctx, s, func(c *call) (api.VerifyResult, error) {
		if err := c.allow(policy.Audit, "", "", "journal"); err != nil {
			return api.VerifyResult{}, err
		}
		checkpoints, err := c.openCheckpoints(req)
		if err != nil {
			return api.VerifyResult{}, err
		}
		v := &verification{call: c, progress: req.Progress}
		if err := v.journal(checkpoints); err != nil {
			return api.VerifyResult{}, err
		}
		if err := v.contents(); err != nil {
			return api.VerifyResult{}, err
		}
		if !req.Quick {
			if err := v.tables(); err != nil {
				return api.VerifyResult{}, err
			}
		}
		if req.Deep && len(v.out.Findings) == 0 {
			if err := v.sessions(); err != nil {
				return api.VerifyResult{}, err
			}
		}
		v.out.OK = len(v.out.Findings) == 0
		return v.out, nil
	})
}

// openCheckpoints checks the signatures and sorts by size.
func (c *call) openCheckpoints(req api.VerifyRequest) ([]journal.Checkpoint, error) {
	if len(req.Checkpoints) == 0 {
		return nil, nil
	}
	p, err := c.Reader.Project(c.ctx)
	if err != nil {
		return nil, err
	}
	public := req.PublicKey
	if public == "" {
		k, err := c.app.keys.load(p.ID, false)
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
	slices.SortFunc(out, func(a, b journal.Checkpoint) int { return int(a.Size - b.Size) })
	return out, nil
}

// verification is one verify under way.
type verification struct {
	*call
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
	size, err := v.Size(v.ctx)
	if err != nil {
		return err
	}
	sizes := make([]int64, len(checkpoints))
	for i, cp := range checkpoints {
		sizes[i] = cp.Size
	}
	rep, err := journal.Verify(v.ctx, v.Reader, sizes, func(done int64) { v.tell("records", done, size) })
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

// readContentsNamed collects the contents that records say they stored and
// those that were removed on purpose.
func (v *verification) readContentsNamed() error {
	v.named, v.redacted = map[brenner.Digest]int64{}, map[brenner.Digest]int64{}
	return journal.Each(v.ctx, v.Reader, 0, func(row store.Record) error {
		rec, err := journal.Parse(row)
		if err != nil {
			return nil //nolint:nilerr // reported already, with its place
		}
		if rec.Kind == kindContentRedacted {
			var p contentRedacted
			if canon.Unmarshal(rec.Payload, &p) == nil {
				v.redacted[p.Digest] = rec.Seq
			}
		}
		for _, d := range contentsOf(rec) {
			if _, ok := v.named[d]; !ok {
				v.named[d] = rec.Seq
			}
		}
		return nil
	})
}

// contents rehashes every stored content, and looks for those that records
// name and that are gone.
func (v *verification) contents() error {
	err := v.EachBlob(v.ctx, func(d brenner.Digest, data []byte) error {
		v.out.Blobs++
		if v.out.Blobs%1000 == 0 {
			v.tell("contents", v.out.Blobs, int64(len(v.named)))
		}
		seq := v.named[d]
		delete(v.named, d)
		_, known := v.redacted[d]
		switch {
		case data == nil && known:
			v.out.Redacted = append(v.out.Redacted, d)
		case data == nil:
			v.report(corrupt(seq, "content %s was removed without a record", d))
		case canon.Sum(data) != d:
			v.report(corrupt(seq, "content %s is not what was written", d))
		}
		return v.ctx.Err()
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
		v.report(corrupt(m.seq, "content %s, written by record %d, is missing", m.d, m.seq))
	}
	return nil
}

func corrupt(seq int64, format string, args ...any) journal.Finding {
	return journal.Finding{Code: brenner.CodeJournalCorrupt, First: seq, Last: seq, Message: fmt.Sprintf(format, args...)}
}

// tables replays the journal into a scratch store and compares row by row.
func (v *verification) tables() error {
	digest, err := journal.Digest(v.ctx, v.Reader)
	if err != nil {
		return err
	}
	v.out.Digest = digest
	if len(v.out.Findings) > 0 {
		return nil // the tables follow from a journal that is already in doubt
	}
	scratch, err := v.app.scratch(v.ctx)
	if err != nil {
		return err
	}
	defer func() { _ = scratch.Close() }()
	if err := replayInto(v.ctx, v.Reader, scratch, v.tell); err != nil {
		v.report(corrupt(0, "the journal cannot be replayed: %v", err))
		return nil
	}
	return scratch.Read(v.ctx, func(want store.Reader) error {
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
	err := want.Each(v.ctx, t, func(row any) error {
		b, err := canon.Marshal(row)
		expected = append(expected, canon.Sum(b))
		return err
	})
	if err != nil {
		return err
	}
	i, said := 0, false
	err = v.Each(v.ctx, t, func(row any) error {
		b, err := canon.Marshal(row)
		if err != nil || said {
			return err
		}
		if i >= len(expected) || canon.Sum(b) != expected[i] {
			v.report(corrupt(0, "table %s, row %d is not what the journal says: %.200s", t, i+1, b))
			said = true
		}
		i++
		return nil
	})
	if err == nil && !said && i < len(expected) {
		v.report(corrupt(0, "table %s has %d rows, the journal says %d", t, i, len(expected)))
	}
	return err
}

func (v *verification) tell(what string, done, total int64) {
	if v.progress != nil {
		v.progress(what, done, total)
	}
}

// replayInto applies every record of one store to the tables of another.
func replayInto(ctx context.Context, from store.Reader, to store.Store, tell api.Progress) error {
	size, err := from.Size(ctx)
	if err != nil {
		return err
	}
	return to.Write(ctx, func(tx store.Tx) error {
		return journal.Each(ctx, from, 0, func(row store.Record) error {
			rec, err := journal.Parse(row)
			if err != nil {
				return err
			}
			if err := project(ctx, tx, rec); err != nil {
				return fmt.Errorf("record %d: %w", rec.Seq, err)
			}
			if rec.Seq%1000 == 0 {
				tell("tables", rec.Seq, size)
			}
			return ctx.Err()
		})
	})
}

// Replay implements api.Journal.
func (s *service) Replay(ctx context.Context, req api.ReplayRequest) (api.ReplayResult, error) {
	tell := req.Progress
	if tell == nil {
		tell = func(string, int64, int64) {}
	}
	return write(ctx, s, "journal.replay", api.Write{}, nil, func(ch *change) (api.ReplayResult, error) {
		if err := ch.allow(policy.Audit, "", "", "journal"); err != nil {
			return api.ReplayResult{}, err
		}
		before, err := journal.Digest(ctx, ch.tx)
		if err != nil {
			return api.ReplayResult{}, err
		}
		if err := ch.tx.Reset(ctx); err != nil {
			return api.ReplayResult{}, err
		}
		err = journal.Each(ctx, ch.tx, 0, func(row store.Record) error {
			rec, err := journal.Parse(row)
			if err != nil {
				return err
			}
			if rec.Seq%1000 == 0 {
				tell("records", rec.Seq, ch.size)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			return project(ctx, ch.tx, rec)
		})
		if err != nil {
			return api.ReplayResult{}, err
		}
		after, err := journal.Digest(ctx, ch.tx)
		return api.ReplayResult{Records: ch.size, Before: before, After: after, Same: before == after}, err
	})
}

// Checkpoint implements api.Journal.
func (s *service) Checkpoint(ctx context.Context) (api.CheckpointResult, error) {
	return view(ctx, s, func(c *call) (api.CheckpointResult, error) {
		if err := c.allow(policy.Audit, "", "", "journal"); err != nil {
			return api.CheckpointResult{}, err
		}
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
		k, err := c.app.keys.load(p.ID, true)
		if err != nil {
			return api.CheckpointResult{}, err
		}
		signed, err := journal.Checkpoint{Project: p.ID, Size: size, Root: root}.Sign(k.secret)
		return api.CheckpointResult{Note: string(signed), Size: size, Root: root.String(), PublicKey: k.public}, err
	})
}

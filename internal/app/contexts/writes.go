package contexts

import (
	"context"
	"fmt"

	"brenner"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/journal"
	"brenner/internal/store"
)

// write is a record that an agent made after it had seen a context (C30). Its
// group is the context.
type write struct {
	Context string `json:"context"`
	Seq     int64  `json:"seq"`
	Kind    string `json:"kind"`
}

var writes = kernel.Table[write]{
	Kind: "context_write",
	Key: func(w write) kernel.Key {
		return kernel.Key{ID: fmt.Sprintf("%s/%d", w.Context, w.Seq), Group: w.Context}
	},
}

// applyWrite remembers what was written under a context. Reading is in the
// invocation itself.
func applyWrite(ctx context.Context, tx store.Tx, rec journal.Record) error {
	if rec.Context == "" || rec.Kind == kindContextRead.Name || rec.Kind == kindContextAssembled.Name {
		return nil
	}
	return writes.Put(ctx, tx, rec.Seq, write{Context: rec.Context, Seq: rec.Seq, Kind: rec.Kind})
}

// writesUnder lists what was written under a context: the versions by name, and
// every record.
func writesUnder(c *kernel.Call, id string) (versions []brenner.Ref, all []write, err error) {
	versions, all = []brenner.Ref{}, []write{}
	rows, err := writes.List(c.Ctx, c.Reader, kernel.Query{Group: id}, brenner.MaxPage)
	if err != nil {
		return nil, nil, err
	}
	for _, row := range rows {
		w := row.Value
		all = append(all, w)
		if w.Kind != ledger.VersionWritten.Name {
			continue
		}
		found, err := c.FindRecords(c.Ctx, store.RecordQuery{After: w.Seq - 1, Before: w.Seq + 1, Limit: 1})
		if err != nil {
			return nil, nil, err
		}
		for _, r := range found {
			p, err := ledger.VersionWritten.Read(c, r)
			if err != nil {
				return nil, nil, err
			}
			versions = append(versions, brenner.Ref{Artifact: p.ID, Version: p.Version})
		}
	}
	return versions, all, nil
}

// TaskOf is the task that a context was for, "" if for none.
func (r *Room) TaskOf(c *kernel.Call, id string) (string, error) {
	i, err := invocations.Find(c.Ctx, c.Reader, id)
	return i.Task, err
}

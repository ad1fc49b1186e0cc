package journal

import (
	"bytes"
	"context"
	"fmt"

	"brenner"
	"brenner/canon"
	"brenner/internal/store"

	"golang.org/x/mod/sumdb/tlog"
)

// Finding is something wrong with the journal, or a remark about it.
type Finding struct {
	Code brenner.Code `json:"code"`
	// First and Last are the records concerned; 0 when it is not about one.
	First   int64  `json:"first_seq,omitzero"`
	Last    int64  `json:"last_seq,omitzero"`
	Message string `json:"message"`
}

// Corrupt finds something wrong with a record, or with seq 0 with what follows
// from the journal.
func Corrupt(seq int64, format string, args ...any) Finding {
	return Finding{Code: brenner.CodeJournalCorrupt, First: seq, Last: seq, Message: fmt.Sprintf(format, args...)}
}

// MaxFindings bounds a report: a journal wrong in a thousand places is wrong.
const MaxFindings = 1000

// Report is what Verify found. The journal stands if there are no findings.
type Report struct {
	Size     int64     `json:"size"`
	Root     string    `json:"root"`
	Findings []Finding `json:"findings"`

	// roots are the recomputed tree hashes at the sizes asked for.
	roots map[int64]tlog.Hash
}

func (r *Report) add(first, last int64, format string, args ...any) {
	if len(r.Findings) < MaxFindings {
		r.Findings = append(r.Findings, Finding{brenner.CodeJournalCorrupt, first, last, fmt.Sprintf(format, args...)})
	}
}

// RootAt gives the root over the first size records as recomputed from their
// bytes, for the sizes Verify was asked about and the full size.
func (r *Report) RootAt(size int64) (tlog.Hash, bool) {
	h, ok := r.roots[size]
	return h, ok
}

// Verify recomputes every hash from the records' bytes and compares it with
// what is stored. sizes are earlier sizes whose roots the caller will ask for.
// progress, if not nil, is called now and then with the records done.
func Verify(ctx context.Context, r store.Reader, sizes []int64, progress func(done int64)) (*Report, error) {
	rep := &Report{Findings: []Finding{}, roots: map[int64]tlog.Hash{}}
	wanted := map[int64]bool{}
	for _, s := range sizes {
		wanted[s] = true
	}
	v := &verifier{ctx: ctx, store: r, report: rep, frontier: map[int64]tlog.Hash{}}
	if wanted[0] {
		rep.roots[0], _ = tlog.TreeHash(0, nil)
	}
	err := Each(ctx, r, 0, func(row store.Record) error {
		if err := v.record(row); err != nil {
			return err
		}
		if wanted[v.next] {
			root, err := tlog.TreeHash(v.next, v.reader())
			if err != nil {
				return err
			}
			rep.roots[v.next] = root
		}
		if progress != nil && v.next%1000 == 0 {
			progress(v.next)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	if err := v.tail(v.next); err != nil {
		return nil, err
	}
	root, err := tlog.TreeHash(v.next, v.reader())
	if err != nil {
		return nil, err
	}
	rep.Size, rep.Root, rep.roots[v.next] = v.next, root.String(), root
	return rep, nil
}

// verifier recomputes the log record by record. It keeps only the right edge
// of the tree: what the next hashes are made of.
type verifier struct {
	ctx      context.Context
	store    store.Reader
	report   *Report
	next     int64               // records seen
	frontier map[int64]tlog.Hash // storage index → recomputed hash
}

func (v *verifier) reader() tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(indexes))
		for i, x := range indexes {
			h, ok := v.frontier[x]
			if !ok {
				return nil, fmt.Errorf("hash %d is not on the edge", x)
			}
			out[i] = h
		}
		return out, nil
	})
}

func (v *verifier) record(row store.Record) error {
	if row.Seq != v.next+1 {
		v.report.add(v.next+1, row.Seq-1, "%s missing", records(v.next+1, row.Seq-1))
		// Go on with what is stored, so that one gap is one finding.
		for v.next+1 < row.Seq {
			if err := v.skip(); err != nil {
				return err
			}
		}
	}
	leaf := tlog.RecordHash(row.Data)
	stored, err := v.stored(tlog.StoredHashIndex(0, v.next))
	if err != nil {
		return err
	}
	switch {
	case stored == nil:
		v.report.add(row.Seq, row.Seq, "record %d was added without a hash", row.Seq)
	case *stored != leaf:
		v.report.add(row.Seq, row.Seq, "record %d is not what was written%s", row.Seq, v.looksLike(row))
		leaf = *stored
	default:
		v.columns(row)
	}
	return v.push(leaf, stored != nil)
}

// columns checks what listings show against the record's own bytes.
func (v *verifier) columns(row store.Record) {
	rec, err := Parse(row)
	if err != nil {
		v.report.add(row.Seq, row.Seq, "record %d cannot be read: %v", row.Seq, err)
		return
	}
	canonical, err := canon.Marshal(rec)
	if err != nil || !bytes.Equal(canonical, row.Data) {
		v.report.add(row.Seq, row.Seq, "record %d is not in canonical form", row.Seq)
	}
	if rec.Seq != row.Seq || rec.Kind != row.Kind || rec.Actor != row.Actor || !rec.At.Equal(row.At) {
		v.report.add(row.Seq, row.Seq, "record %d is listed under columns that differ from its bytes", row.Seq)
	}
}

// looksLike helps to tell a swap from a change.
func (v *verifier) looksLike(row store.Record) string {
	if rec, err := Parse(row); err == nil && rec.Seq != row.Seq {
		return fmt.Sprintf(": it holds record %d", rec.Seq)
	}
	return ""
}

// push adds a leaf to the recomputed tree and compares the hashes above it.
func (v *verifier) push(leaf tlog.Hash, compare bool) error {
	hashes, err := tlog.StoredHashesForRecordHash(v.next, leaf, v.reader())
	if err != nil {
		return err
	}
	first := tlog.StoredHashIndex(0, v.next)
	for i, h := range hashes {
		index := first + int64(i)
		v.frontier[index] = h
		if i == 0 || !compare {
			continue // also once one was found altered: those above are as well
		}
		stored, err := v.stored(index)
		if err != nil {
			return err
		}
		if stored == nil || *stored != h {
			v.report.add(v.next+1, v.next+1, "the hash tree above record %d was altered", v.next+1)
			compare = false
		}
	}
	v.next++
	v.prune()
	return nil
}

// skip steps over a missing record by its stored hash.
func (v *verifier) skip() error {
	stored, err := v.stored(tlog.StoredHashIndex(0, v.next))
	if err != nil {
		return err
	}
	var leaf tlog.Hash
	if stored != nil {
		leaf = *stored
	}
	return v.push(leaf, false)
}

// prune forgets the hashes that no later one is made of: what stays are the
// roots of the complete subtrees, one per bit of the size.
func (v *verifier) prune() {
	if v.next%1024 != 0 {
		return
	}
	keep := map[int64]tlog.Hash{}
	for level, n := 0, v.next; n > 0; level, n = level+1, n/2 {
		if n%2 == 1 {
			x := tlog.StoredHashIndex(level, n-1)
			keep[x] = v.frontier[x]
		}
	}
	v.frontier = keep
}

// tail looks for hashes of records that are no longer there.
func (v *verifier) tail(size int64) error {
	last := size
	for {
		stored, err := v.stored(tlog.StoredHashIndex(0, last))
		if err != nil {
			return err
		}
		if stored == nil {
			break
		}
		last++
	}
	if last > size {
		v.report.add(size+1, last, "%s missing from the end", records(size+1, last))
	}
	return nil
}

func (v *verifier) stored(index int64) (*tlog.Hash, error) {
	h, err := v.store.Hashes(v.ctx, []int64{index})
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := tlog.Hash(h[0])
	return &out, nil
}

func records(first, last int64) string {
	if first == last {
		return fmt.Sprintf("record %d is", first)
	}
	return fmt.Sprintf("records %d–%d are", first, last)
}

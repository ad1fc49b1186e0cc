package journal_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/internal/store/memory"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"
)

// write makes a journal of n records; salt makes it differ from another.
func write(t rapid.TB, n int, salt string) store.Store {
	t.Helper()
	ctx := context.Background()
	s := memory.New()
	err := s.Write(ctx, func(tx store.Tx) error {
		if err := tx.Init(ctx, store.Project{ID: "p-1", Name: "x"}); err != nil {
			return err
		}
		for i := 1; i <= n; i++ {
			rec := journal.Record{
				Seq: int64(i), At: time.Unix(int64(i), 0).UTC(), Actor: "ada", Role: "pi", Auth: "owner",
				Kind: "test", Payload: []byte(fmt.Sprintf(`{"n":%d,"salt":%q}`, i, salt)),
			}
			if err := journal.Append(ctx, tx, []journal.Record{rec}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tampered is a store whose bytes somebody changed behind our back.
type tampered struct {
	store.Reader
	records func([]store.Record) []store.Record
	hash    func(index int64, h [32]byte) [32]byte
}

func (r tampered) Records(ctx context.Context, after int64, limit int) ([]store.Record, error) {
	all, err := r.Reader.Records(ctx, 0, 1<<20)
	if err != nil || r.records == nil {
		return page(all, after, limit), err
	}
	return page(r.records(all), after, limit), nil
}

func page(all []store.Record, after int64, limit int) []store.Record {
	var out []store.Record
	for _, rec := range all {
		if rec.Seq > after && len(out) < limit {
			out = append(out, rec)
		}
	}
	return out
}

func (r tampered) Hashes(ctx context.Context, indexes []int64) ([][32]byte, error) {
	out, err := r.Reader.Hashes(ctx, indexes)
	if err == nil && r.hash != nil {
		for i, x := range indexes {
			out[i] = r.hash(x, out[i])
		}
	}
	return out, err
}

func verify(t rapid.TB, s store.Store, r func(store.Reader) store.Reader, sizes ...int64) *journal.Report {
	t.Helper()
	var rep *journal.Report
	err := s.Read(context.Background(), func(base store.Reader) (err error) {
		rep, err = journal.Verify(context.Background(), r(base), sizes, nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func untouched(r store.Reader) store.Reader { return r }

// J1, J2: an untouched journal verifies, and its recomputed root is the one
// the Merkle log's own functions give, at every size.
func TestVerify_AcceptsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 70).Draw(t, "n")
		at := int64(rapid.IntRange(0, n).Draw(t, "at"))
		s := write(t, n, "")
		rep := verify(t, s, untouched, at)
		if len(rep.Findings) != 0 || rep.Size != int64(n) {
			t.Fatalf("%+v", rep)
		}
		_ = s.Read(context.Background(), func(r store.Reader) error {
			want, err := journal.Root(context.Background(), r, at)
			if got, ok := rep.RootAt(at); err != nil || !ok || got != want {
				t.Fatalf("root at %d: %v, want %v (%v)", at, got, want, err)
			}
			return nil
		})
	})
}

// J3: a flipped byte, a removed, a swapped and a forged record are found and
// named.
func TestVerify_NamesTheRecordThatWasTouched(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 70).Draw(t, "n")
		k := rapid.IntRange(1, n).Draw(t, "k")
		kind := rapid.SampledFrom([]string{"flip", "remove", "swap", "forge", "cut", "column"}).Draw(t, "kind")
		s := write(t, n, "")
		other := k%n + 1
		touch := func(all []store.Record) []store.Record {
			switch kind {
			case "flip":
				all[k-1].Data = bytes.Clone(all[k-1].Data)
				all[k-1].Data[rapid.IntRange(0, len(all[k-1].Data)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
			case "remove":
				return append(all[:k-1:k-1], all[k:]...)
			case "swap":
				all[k-1].Data, all[other-1].Data = all[other-1].Data, all[k-1].Data
			case "forge":
				last := all[n-1]
				last.Seq++
				return append(all, last)
			case "cut":
				return all[:k-1]
			case "column":
				all[k-1].Actor = "mallory"
			}
			return all
		}
		// Draws must happen once, however often the store is read.
		var after []store.Record
		rep := verify(t, s, func(r store.Reader) store.Reader {
			all, err := r.Records(context.Background(), 0, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			after = touch(all)
			return tampered{Reader: r, records: func([]store.Record) []store.Record { return after }}
		})
		want := int64(k)
		if kind == "forge" {
			want = int64(n + 1)
		}
		var named []int64
		for _, f := range rep.Findings {
			if f.Code != brenner.CodeJournalCorrupt || f.Message == "" {
				t.Fatalf("finding %+v", f)
			}
			for seq := f.First; seq <= f.Last; seq++ {
				named = append(named, seq)
			}
		}
		count := 1
		switch kind {
		case "swap":
			count = 2
		case "cut":
			count = n - k + 1
		}
		if len(named) != count || !contains(named, want) || (kind == "swap" && !contains(named, int64(other))) {
			t.Fatalf("%s of %d among %d: named %v: %+v", kind, k, n, named, rep.Findings)
		}
	})
}

func contains(list []int64, x int64) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// J3: an altered inner hash is found too.
func TestVerify_FindsAnAlteredHash(t *testing.T) {
	s := write(t, 9, "")
	inner := tlog.StoredHashIndex(2, 0)
	rep := verify(t, s, func(r store.Reader) store.Reader {
		return tampered{Reader: r, hash: func(x int64, h [32]byte) [32]byte {
			if x == inner {
				h[0]++
			}
			return h
		}}
	})
	if len(rep.Findings) != 1 || rep.Findings[0].First != 4 {
		t.Errorf("findings: %+v", rep.Findings)
	}
}

// J3: against saved checkpoints a consistently rewritten or cut history is
// found, and the range starts behind the last checkpoint that holds.
func TestAgainst_NamesTheRangeThatWasRewritten(t *testing.T) {
	ctx := context.Background()
	secret, public, err := note.GenerateKey(bytes.NewReader(bytes.Repeat([]byte{7}, 64)), "test")
	if err != nil {
		t.Fatal(err)
	}
	checkpoint := func(s store.Store, size int64) journal.Checkpoint {
		var signed []byte
		err := s.Read(ctx, func(r store.Reader) error {
			root, err := journal.Root(ctx, r, size)
			if err != nil {
				return err
			}
			signed, err = journal.Checkpoint{Project: "p-1", Size: size, Root: root}.Sign(secret)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		cp, err := journal.OpenCheckpoint(signed, public)
		if err != nil || cp.Size != size {
			t.Fatalf("%+v, %v", cp, err)
		}
		return cp
	}
	honest := write(t, 20, "")
	saved := []journal.Checkpoint{checkpoint(honest, 0), checkpoint(honest, 5), checkpoint(honest, 12), checkpoint(honest, 20)}
	sizes := []int64{0, 5, 12, 20}
	if f := verify(t, honest, untouched, sizes...).Against(saved); len(f) != 0 {
		t.Errorf("an honest journal: %+v", f)
	}
	// Rewritten from record 1, with every hash recomputed.
	f := verify(t, write(t, 20, "forged"), untouched, sizes...).Against(saved)
	if len(f) != 3 || f[0].Code != brenner.CodeCheckpointMismatch || f[0].First != 1 || f[0].Last != 5 {
		t.Errorf("rewritten: %+v", f)
	}
	// Cut after record 12, consistently.
	f = verify(t, write(t, 12, ""), untouched, sizes...).Against(saved)
	if len(f) != 1 || f[0].First != 13 || f[0].Last != 20 || !strings.Contains(f[0].Message, "cut") {
		t.Errorf("cut: %+v", f)
	}
}

// J2: a checkpoint that was altered or signed by another key is refused.
func TestOpenCheckpoint_RefusesForgeries(t *testing.T) {
	secret, public, _ := note.GenerateKey(bytes.NewReader(bytes.Repeat([]byte{1}, 64)), "test")
	_, other, _ := note.GenerateKey(bytes.NewReader(bytes.Repeat([]byte{2}, 64)), "test")
	signed, err := journal.Checkpoint{Project: "p-1", Size: 3}.Sign(secret)
	if err != nil {
		t.Fatal(err)
	}
	plain, _ := note.NewSigner(secret)
	odd, _ := note.Sign(&note.Note{Text: "brenner/p-1\nmany\nAAAA\n"}, plain)
	for name, c := range map[string]struct {
		note []byte
		key  string
	}{
		"altered":   {bytes.Replace(signed, []byte("3"), []byte("4"), 1), public},
		"other key": {signed, other},
		"bad key":   {signed, "nonsense"},
		"not ours":  {odd, public},
		"empty":     {nil, public},
	} {
		if _, err := journal.OpenCheckpoint(c.note, c.key); brenner.CodeOf(err) != brenner.CodeCheckpointInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (journal.Checkpoint{}).Sign("nonsense"); brenner.CodeOf(err) != brenner.CodeCheckpointInvalid {
		t.Errorf("a bad signing key: %v", err)
	}
}

// J4: the digest is over every table and every row.
func TestDigest_SeesEveryTable(t *testing.T) {
	ctx := context.Background()
	digest := func(fill func(tx store.Tx) error) brenner.Digest {
		s := memory.New()
		var d brenner.Digest
		err := s.Write(ctx, func(tx store.Tx) (err error) {
			if fill != nil {
				if err := fill(tx); err != nil {
					return err
				}
			}
			d, err = journal.Digest(ctx, tx)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	seen := map[brenner.Digest]string{digest(nil): "empty"}
	for name, fill := range map[string]func(tx store.Tx) error{
		"artifact": func(tx store.Tx) error {
			return tx.PutArtifact(ctx, store.Artifact{ID: "a", Type: "t", HeadStatus: "draft"})
		},
		"actor": func(tx store.Tx) error { return tx.PutActor(ctx, store.Actor{Name: "a", Kind: "agent"}) },
		"object": func(tx store.Tx) error {
			return tx.PutObject(ctx, store.Object{Kind: "k", ID: "i", Body: []byte("{}")})
		},
		"request": func(tx store.Tx) error {
			return tx.PutRequest(ctx, store.Request{Actor: "a", Key: "k", Digest: brenner.Digest(strings.Repeat("0", 64)), Result: []byte("{}")})
		},
	} {
		d := digest(fill)
		if other, ok := seen[d]; ok {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[d] = name
	}
	// Outside the digest: tokens, audit, vectors, the full-text index.
	if d := digest(func(tx store.Tx) error {
		if err := tx.AddDenial(ctx, store.Denial{Actor: "a"}); err != nil {
			return err
		}
		return tx.PutVectors(ctx, "s", map[string][]float32{"a": {1}})
	}); seen[d] != "empty" {
		t.Errorf("the digest changed with what is not derived from the journal")
	}
}

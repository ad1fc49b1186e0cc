package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
)

var projectCases = []testCase{
	{"Project_IsMadeOnce", func(t *testing.T, s store.Store) {
		ctx := context.Background()
		wantCode(t, brenner.CodeNoProject, s.Read(ctx, func(r store.Reader) error { _, err := r.Project(ctx); return err }))
		p := store.Project{ID: "p-1", Name: "Cell fate", At: day}
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			if _, err := tx.Project(ctx); brenner.CodeOf(err) != brenner.CodeNoProject {
				t.Errorf("Project before Init: %v", err)
			}
			return tx.Init(ctx, p)
		})
		refuse(t, s, brenner.CodeProjectExists, func(ctx context.Context, tx store.Tx) error {
			return tx.Init(ctx, store.Project{ID: "p-2", Name: "Other"})
		})
		wantEqual(t, "project", p, get(t, s, func(ctx context.Context, r store.Reader) (store.Project, error) { return r.Project(ctx) }))
	}},
	{"Instants_AreCutToMicrosecondsInUTC", func(t *testing.T, s store.Store) {
		zone := time.FixedZone("somewhere", 5*3600+1800)
		for _, at := range []time.Time{
			time.Date(2026, 1, 2, 3, 4, 5, 123456789, zone),
			time.Date(1969, 12, 31, 23, 59, 59, 999999999, time.UTC),
			time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC),
		} {
			write(t, s, func(ctx context.Context, tx store.Tx) error {
				return tx.PutActor(ctx, store.Actor{Name: "ada", Created: at})
			})
			a := get(t, s, func(ctx context.Context, r store.Reader) (store.Actor, error) { return r.Actor(ctx, "ada") })
			want := at.UTC().Truncate(time.Microsecond)
			if !a.Created.Equal(want) || a.Created.Location() != time.UTC || a.Created.Nanosecond() != want.Nanosecond() {
				t.Errorf("%v came back as %v", at, a.Created)
			}
		}
	}},
}

var journalCases = []testCase{
	{"Records_AreNumberedWithoutGaps", func(t *testing.T, s store.Store) {
		rec := func(seq int64) store.Record {
			return store.Record{Seq: seq, At: day, Actor: "ada", Kind: "artifact.create", Data: []byte(`{"n":"` + string(rune('a'+seq)) + `"}`)}
		}
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			for seq := int64(1); seq <= 5; seq++ {
				if err := tx.AppendRecord(ctx, rec(seq)); err != nil {
					return err
				}
				if n, err := tx.Size(ctx); n != seq || err != nil {
					t.Errorf("Size = %d, %v after record %d", n, err, seq)
				}
			}
			return nil
		})
		refuse(t, s, brenner.CodeAlreadyExists, func(ctx context.Context, tx store.Tx) error { return tx.AppendRecord(ctx, rec(5)) })
		refuse(t, s, brenner.CodeInvalidValue, func(ctx context.Context, tx store.Tx) error { return tx.AppendRecord(ctx, rec(7)) })
		list := func(after int64, limit int) []store.Record {
			return get(t, s, func(ctx context.Context, r store.Reader) ([]store.Record, error) { return r.Records(ctx, after, limit) })
		}
		wantEqual(t, "all", []store.Record{rec(1), rec(2), rec(3), rec(4), rec(5)}, list(0, 0))
		wantEqual(t, "a page", []store.Record{rec(3), rec(4)}, list(2, 2))
		wantEqual(t, "past the end", []store.Record(nil), list(5, 10))
		if n := get(t, s, func(ctx context.Context, r store.Reader) (int64, error) { return r.Size(ctx) }); n != 5 {
			t.Errorf("Size = %d, want 5", n)
		}
	}},
	{"FindRecords_SelectsByColumnsInEitherOrder", func(t *testing.T, s store.Store) {
		var all []store.Record
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			for i, by := range []struct {
				kind  string
				actor brenner.ActorName
			}{{"a", "ada"}, {"b", "ada"}, {"a", "bob"}, {"a", "ada"}, {"ab", "ada"}, {"a", "ada"}} {
				all = append(all, store.Record{Seq: int64(i + 1), At: day, Actor: by.actor, Kind: by.kind, Data: []byte{byte(i)}})
				if err := tx.AppendRecord(ctx, all[i]); err != nil {
					return err
				}
			}
			return nil
		})
		for _, c := range []struct {
			q    store.RecordQuery
			want []int64
		}{
			{store.RecordQuery{}, []int64{1, 2, 3, 4, 5, 6}},
			{store.RecordQuery{Newest: true, Limit: 2}, []int64{6, 5}},
			{store.RecordQuery{Kind: "a"}, []int64{1, 3, 4, 6}},
			{store.RecordQuery{Kind: "a", Newest: true, Before: 6, Limit: 2}, []int64{4, 3}},
			{store.RecordQuery{Actor: "bob"}, []int64{3}},
			{store.RecordQuery{Kind: "a", Actor: "ada", After: 1}, []int64{4, 6}},
			{store.RecordQuery{After: 2, Before: 5, Newest: true}, []int64{4, 3}},
			{store.RecordQuery{Kind: "A"}, nil},
			{store.RecordQuery{After: 6}, nil},
			{store.RecordQuery{Before: 1}, nil},
		} {
			var want []store.Record
			for _, seq := range c.want {
				want = append(want, all[seq-1])
			}
			wantEqual(t, fmt.Sprintf("%+v", c.q), want,
				get(t, s, func(ctx context.Context, r store.Reader) ([]store.Record, error) { return r.FindRecords(ctx, c.q) }))
		}
	}},
	{"Records_KeepTheirBytes", func(t *testing.T, s store.Store) {
		data := []byte{0, 1, 0xff, '"', '\'', '\\', '\n', 0xc3, 0x28}
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return tx.AppendRecord(ctx, store.Record{Seq: 1, At: day, Actor: "ada", Kind: "k", Data: data})
		})
		got := get(t, s, func(ctx context.Context, r store.Reader) ([]store.Record, error) { return r.Records(ctx, 0, 1) })
		if len(got) != 1 || !bytes.Equal(got[0].Data, data) {
			t.Errorf("came back as %v", got)
		}
	}},
	{"Hashes_ComeBackInTheOrderAskedFor", func(t *testing.T, s store.Store) {
		hash := func(i int) [32]byte { return [32]byte{byte(i), 1, 2, byte(i >> 8)} }
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			next := 0
			for _, n := range []int{1, 2, 1, 300, 0, 5} {
				var run [][32]byte
				for i := range n {
					run = append(run, hash(next+i))
				}
				if err := tx.PutHashes(ctx, int64(next), run); err != nil {
					return err
				}
				next += n
			}
			return nil
		})
		read(t, s, func(ctx context.Context, r store.Reader) error {
			got, err := r.Hashes(ctx, []int64{308, 0, 3, 4, 303, 2, 1, 150, 0})
			wantEqual(t, "hashes", [][32]byte{hash(308), hash(0), hash(3), hash(4), hash(303), hash(2), hash(1), hash(150), hash(0)}, got)
			for _, i := range []int64{-1, 309, 1 << 40} {
				if _, err := r.Hashes(ctx, []int64{0, i}); brenner.CodeOf(err) != brenner.CodeNotFound {
					t.Errorf("Hashes(%d): %v, want NOT_FOUND", i, err)
				}
			}
			none, err2 := r.Hashes(ctx, nil)
			wantEqual(t, "no hashes", [][32]byte(nil), none)
			return errors.Join(err, err2)
		})
		refuse(t, s, brenner.CodeAlreadyExists, func(ctx context.Context, tx store.Tx) error {
			return tx.PutHashes(ctx, 308, [][32]byte{hash(308)})
		})
		refuse(t, s, brenner.CodeInvalidValue, func(ctx context.Context, tx store.Tx) error {
			return tx.PutHashes(ctx, 310, [][32]byte{hash(310)})
		})
	}},
	{"Blob_IsStoredOnce", func(t *testing.T, s store.Store) {
		d, empty := digestOf("x"), digestOf("")
		large := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(tx.PutBlob(ctx, d, []byte("x")), tx.PutBlob(ctx, d, []byte("x")), tx.PutBlob(ctx, empty, nil),
				tx.PutBlob(ctx, digestOf("large"), large))
		})
		read(t, s, func(ctx context.Context, r store.Reader) error {
			got, err := r.Blob(ctx, d)
			none, err2 := r.Blob(ctx, empty)
			much, err3 := r.Blob(ctx, digestOf("large"))
			if string(got) != "x" || len(none) != 0 || !bytes.Equal(much, large) {
				t.Errorf("blobs came back as %q, %q and %d bytes", got, none, len(much))
			}
			_, missing := r.Blob(ctx, digestOf("never"))
			wantCode(t, brenner.CodeNotFound, missing)
			return errors.Join(err, err2, err3)
		})
		refuse(t, s, brenner.CodeInvalidID, func(ctx context.Context, tx store.Tx) error { return tx.PutBlob(ctx, "abc", nil) })
	}},
	{"SmallBlob_GivesOfALargeOneOnlyTheSize", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(tx.PutBlob(ctx, digestOf("x"), []byte("four")), tx.PutBlob(ctx, digestOf(""), nil),
				tx.PutBlob(ctx, digestOf("gone"), []byte("gone")), tx.RedactBlob(ctx, digestOf("gone")))
		})
		read(t, s, func(ctx context.Context, r store.Reader) error {
			for _, c := range []struct {
				of   string
				most int64
				data string
				size int64
				code brenner.Code
			}{
				{of: "x", most: 4, data: "four", size: 4},
				{of: "x", most: 3, size: 4},
				{of: ""},
				{of: "gone", most: 9, code: brenner.CodeRedacted},
				{of: "gone", code: brenner.CodeRedacted},
				{of: "never", code: brenner.CodeNotFound},
			} {
				data, size, err := r.SmallBlob(ctx, digestOf(c.of), c.most)
				if string(data) != c.data || size != c.size || err != nil != (c.code != "") || err != nil && brenner.CodeOf(err) != c.code {
					t.Errorf("%q up to %d: %q, %d, %v", c.of, c.most, data, size, err)
				}
			}
			return nil
		})
	}},
	{"Blobs_VisitsThoseThatAreHere", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(tx.PutBlob(ctx, digestOf("x"), []byte("four")), tx.PutBlob(ctx, digestOf("y"), []byte("other")), tx.PutBlob(ctx, digestOf(""), nil),
				tx.PutBlob(ctx, digestOf("gone"), []byte("gone")), tx.RedactBlob(ctx, digestOf("gone")))
		})
		asked := []brenner.Digest{digestOf("y"), digestOf("never"), digestOf("x"), digestOf(""), digestOf("gone"), digestOf("x"), "no digest", ""}
		stop := errors.New("enough")
		visits := func(ctx context.Context, r store.Reader) error {
			for most, want := range map[int64][]string{0: {`""`}, 4: {`""`, `"four"`}, 5: {`""`, `"four"`, `"other"`}} {
				var got []string
				err := r.Blobs(ctx, asked, most, func(d brenner.Digest, data []byte) error {
					if !slices.Contains(asked, d) || data == nil {
						t.Errorf("%s came as %v", d, data)
					}
					got = append(got, fmt.Sprintf("%q", data))
					return nil
				})
				if slices.Sort(got); err != nil || !slices.Equal(got, want) {
					t.Errorf("up to %d: %v, %v", most, got, err)
				}
			}
			if err := r.Blobs(ctx, nil, 9, func(brenner.Digest, []byte) error { return stop }); err != nil {
				t.Errorf("of none: %v", err)
			}
			if err := r.Blobs(ctx, asked, 9, func(brenner.Digest, []byte) error { return stop }); !errors.Is(err, stop) {
				t.Errorf("an error of fn came back as %v", err)
			}
			for _, of := range [][]brenner.Digest{asked, nil} {
				gone, err := r.Redacted(ctx, of)
				if want := of != nil; err != nil || slices.Equal(gone, []brenner.Digest{digestOf("gone")}) != want || len(gone) > 0 != want {
					t.Errorf("redacted of %d: %v, %v", len(of), gone, err)
				}
			}
			return nil
		}
		read(t, s, visits)
	}},
	{"Expect_ChangesNoAnswer", func(t *testing.T, s store.Store) {
		ref := func(version brenner.Version) brenner.Ref { return brenner.Ref{Artifact: "note", Version: version} }
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			err := do(tx.PutArtifact(ctx, anArtifact("note", 1)))
			for i, content := range []string{"four", "longer", "", "gone"} {
				v := aVersion("note", i+1, i, artifact.Draft)
				v.Content, v.Size = digestOf(content), int64(len(content))
				err = do(err, tx.PutBlob(ctx, v.Content, []byte(content)), tx.InsertVersion(ctx, v))
			}
			return do(err, tx.RedactBlob(ctx, digestOf("gone")))
		})
		answers := func(ctx context.Context, r store.Reader) []string {
			var all []string
			for n := range brenner.Version(6) {
				v, err := r.Version(ctx, ref(n))
				all = append(all, fmt.Sprintf("%+v, %s", v, brenner.CodeOf(err)))
				for _, most := range []int64{3, 4, 5, 6} {
					data, size, err := r.SmallBlob(ctx, v.Content, most)
					clear(data) // it is the caller's
					data, again, _ := r.SmallBlob(ctx, v.Content, most)
					all = append(all, fmt.Sprintf("%q, %d, %d, %s", data, size, again, brenner.CodeOf(err)))
				}
			}
			return all
		}
		asked := func(s func(func(context.Context, store.Reader) error), refs []brenner.Ref, most int64) (all []string) {
			s(func(ctx context.Context, r store.Reader) error {
				if refs != nil {
					r.Expect(ctx, refs, most)
				}
				all = answers(ctx, r)
				return nil
			})
			return all
		}
		reading := func(fn func(context.Context, store.Reader) error) { read(t, s, fn) }
		writing := func(fn func(context.Context, store.Reader) error) {
			write(t, s, func(ctx context.Context, tx store.Tx) error { return fn(ctx, tx) })
		}
		want := asked(reading, nil, 0)
		for _, most := range []int64{0, 4, 9} {
			for _, in := range []func(func(context.Context, store.Reader) error){reading, writing} {
				for _, refs := range [][]brenner.Ref{{}, {ref(1)}, {ref(2), ref(1), ref(2)}, {ref(4), ref(9), ref(3), ref(2), ref(1)}} {
					if got := asked(in, refs, most); !slices.Equal(got, want) {
						t.Errorf("after Expect of %v up to %d:\n%q\nbefore\n%q", refs, most, got, want)
					}
				}
			}
		}
	}},
	{"RedactBlob_IsForGood", func(t *testing.T, s store.Store) {
		d := digestOf("secret")
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(tx.PutBlob(ctx, d, []byte("secret")), tx.RedactBlob(ctx, d))
		})
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(tx.RedactBlob(ctx, digestOf("never had")), tx.RedactBlob(ctx, d))
		})
		refuse(t, s, brenner.CodeRedacted, func(ctx context.Context, tx store.Tx) error { return tx.PutBlob(ctx, d, []byte("secret")) })
		refuse(t, s, brenner.CodeRedacted, func(ctx context.Context, tx store.Tx) error {
			return do(tx.PutBlob(ctx, digestOf("other"), []byte("other")), tx.RedactBlob(ctx, digestOf("other")), tx.PutBlob(ctx, digestOf("other"), []byte("other")))
		})
		ctx := context.Background()
		for _, d := range []brenner.Digest{d, digestOf("never had")} {
			wantCode(t, brenner.CodeRedacted, s.Read(ctx, func(r store.Reader) error { _, err := r.Blob(ctx, d); return err }))
		}
	}},
	{"Generation_GrowsWithWhatIsTakenAway", func(t *testing.T, s store.Store) {
		at := func() (n int64) {
			read(t, s, func(ctx context.Context, r store.Reader) (err error) {
				n, err = r.Generation(ctx)
				return err
			})
			return n
		}
		first := at()
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return tx.PutBlob(ctx, digestOf("secret"), []byte("secret"))
		})
		if now := at(); now != first {
			t.Errorf("a content moved it from %d to %d", first, now)
		}
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			if err := tx.RedactBlob(ctx, digestOf("secret")); err != nil {
				return err
			}
			if within, err := tx.Generation(ctx); err != nil || within <= first {
				t.Errorf("in the write it is %d (%v), before %d", within, err, first)
			}
			return nil
		})
		redacted := at()
		write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.Reset(ctx) })
		if made := at(); redacted <= first || made <= redacted {
			t.Errorf("it was %d, %d after a redaction and %d when the tables were emptied", first, redacted, made)
		}
	}},
	{"EachBlob_VisitsInDigestOrder", func(t *testing.T, s store.Store) {
		gone := digestOf("3")
		var want []brenner.Digest
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			for _, c := range []string{"1", "2", "3", "4", "5", ""} {
				want = append(want, digestOf(c))
				if err := tx.PutBlob(ctx, digestOf(c), []byte(c)); err != nil {
					return err
				}
			}
			return tx.RedactBlob(ctx, gone)
		})
		slices.Sort(want)
		var got []brenner.Digest
		read(t, s, func(ctx context.Context, r store.Reader) error {
			return r.EachBlob(ctx, func(d brenner.Digest, data []byte) error {
				got = append(got, d)
				if (data == nil) != (d == gone) || data != nil && digestOf(string(data)) != d {
					t.Errorf("blob %s came as %q", d, data)
				}
				return nil
			})
		})
		wantEqual(t, "order", want, got)
		stop := errors.New("enough")
		ctx := context.Background()
		if err := s.Read(ctx, func(r store.Reader) error {
			return r.EachBlob(ctx, func(brenner.Digest, []byte) error { return stop })
		}); !errors.Is(err, stop) {
			t.Errorf("an error of fn came back as %v", err)
		}
	}},
	{"Reset_LeavesTheJournal", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(
				tx.Init(ctx, store.Project{ID: "p", Name: "P", At: day}),
				tx.AppendRecord(ctx, store.Record{Seq: 1, At: day, Actor: "ada", Kind: "k", Data: []byte("{}")}),
				tx.PutHashes(ctx, 0, [][32]byte{{1}}), tx.PutBlob(ctx, digestOf("x"), []byte("x")),
				putVersions(ctx, tx, "a", aVersion("a", 1, 0, "canonical"), aVersion("a", 2, 1, "draft"), aVersion("a", 3, 1, "alternative")),
				tx.InsertLink(ctx, store.Link{From: ref("a", 2), Rel: "cites", To: ref("a", 1), Seq: 1}),
				tx.Index(ctx, "a", []store.Indexed{{Version: 1}}),
				tx.PutActor(ctx, store.Actor{Name: "ada", Created: day}),
				tx.PutObject(ctx, store.Object{Kind: "task", ID: "1", Body: []byte("{}")}),
				tx.PutRequest(ctx, store.Request{Actor: "ada", Key: "k", Digest: digestOf("r")}),
				tx.PutToken(ctx, store.Token{ID: "t", Actor: "ada", Secret: digestOf("s"), Created: day}),
				tx.AddDenial(ctx, store.Denial{At: day, Actor: "ada"}),
				tx.PutVectors(ctx, "m", map[string][]float32{"v": {1}}),
			)
		})
		if hits := rank(t, s, asked("version")); len(hits) != 1 {
			t.Fatalf("found %v before Reset", hits)
		}
		write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.Reset(ctx) })
		for _, table := range store.Tables() {
			if rows := get(t, s, func(ctx context.Context, r store.Reader) ([]any, error) { return each(ctx, r, table) }); len(rows) != 0 {
				t.Errorf("%s still has %v", table, rows)
			}
		}
		if hits := rank(t, s, asked("version")); len(hits) != 0 {
			t.Errorf("found %v after Reset", hits)
		}
		read(t, s, func(ctx context.Context, r store.Reader) error {
			_, err1 := r.Project(ctx)
			n, err2 := r.Size(ctx)
			_, err3 := r.Hashes(ctx, []int64{0})
			_, err4 := r.Blob(ctx, digestOf("x"))
			_, err5 := r.Token(ctx, digestOf("s"))
			d, err6 := r.Denials(ctx, 0)
			v, err7 := r.Vectors(ctx, "m", []string{"v"})
			leaves, err8 := r.Leaves(ctx, "")
			if n != 1 || len(d) != 1 || len(v) != 1 || len(leaves) != 0 {
				t.Errorf("after Reset: %d records, %d denials, %d vectors, %d leaves", n, len(d), len(v), len(leaves))
			}
			return errors.Join(err1, err2, err3, err4, err5, err6, err7, err8)
		})
		// The tables can be filled again as if nothing had been there.
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(putVersions(ctx, tx, "a", aVersion("a", 1, 0, "canonical")), tx.Index(ctx, "a", []store.Indexed{{Version: 1}}))
		})
		wantEqual(t, "found again", []string{"a"}, rankedIDs(rank(t, s, asked("version"))))
	}},
}

// each collects a digest table.
func each(ctx context.Context, r store.Reader, table store.Table) ([]any, error) {
	var rows []any
	err := r.Each(ctx, table, func(row any) error { rows = append(rows, row); return nil })
	return rows, err
}

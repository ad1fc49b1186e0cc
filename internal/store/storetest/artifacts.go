package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
)

// mixedNames are in byte order, which no language's dictionary has.
var mixedNames = []string{"A", "B", "Z", "_", "a", "a-", "a.", "a0", "aA", "aa", "b", "z", "É", "é", "Ω", "細", "𝒳"}

// shuffled gives the names in another order than theirs.
func shuffled(names []string) []string {
	out := slices.Clone(names)
	slices.Reverse(out)
	return append(out[len(out)/2:], out[:len(out)/2]...)
}

var artifactCases = []testCase{
	{"Artifact_IsReplacedButForItsKind", func(t *testing.T, s store.Store) {
		first := anArtifact("a", 1)
		write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.PutArtifact(ctx, first) })
		one := func() store.Artifact {
			return get(t, s, func(ctx context.Context, r store.Reader) (store.Artifact, error) { return r.Artifact(ctx, "a") })
		}
		wantEqual(t, "artifact", first, one())
		second := store.Artifact{
			ID: "a", Type: "critique", Module: "physics", Creator: "bob", Created: day.Add(time.Hour), Updated: day.Add(2 * time.Hour),
			Head: 7, Latest: 9, Canonical: 3, HeadStatus: artifact.Alternative, Summary: "naïve 細胞 'quoted' \"twice\"\n", Size: 1 << 40, Tags: nil, Seq: 12,
		}
		write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.PutArtifact(ctx, second) })
		got := one()
		second.Type, second.Module = first.Type, first.Module
		wantEqual(t, "replaced", second, got)
		if got.Tags == nil {
			t.Error("no tags came back as nil, want an empty list")
		}
		ctx := context.Background()
		wantCode(t, brenner.CodeNotFound, s.Read(ctx, func(r store.Reader) error { _, err := r.Artifact(ctx, "A"); return err }))
	}},
	{"Artifact_KeepsItsTagsAsGiven", func(t *testing.T, s store.Store) {
		for _, tags := range [][]string{{}, {""}, {"b", "a", "b"}, {"", ""}, {"with space", "komma, \"quoted\"", "{x}", "é\n"}} {
			a := anArtifact("a", 1)
			a.Tags = tags
			v := aVersion("a", 1, 0, "draft")
			v.Tags = tags
			write(t, s, func(ctx context.Context, tx store.Tx) error {
				return do(tx.Reset(ctx), tx.PutArtifact(ctx, a), tx.InsertVersion(ctx, v))
			})
			read(t, s, func(ctx context.Context, r store.Reader) error {
				a, err1 := r.Artifact(ctx, "a")
				v, err2 := r.Version(ctx, ref("a", 1))
				if !slices.Equal(a.Tags, tags) || !slices.Equal(v.Tags, tags) || v.Tags == nil {
					t.Errorf("tags %q came back as %q and %q", tags, a.Tags, v.Tags)
				}
				return do(err1, err2)
			})
		}
	}},
	{"Text_IsOrderedByItsBytes", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			for _, n := range shuffled(mixedNames) {
				if err := do(
					putVersions(ctx, tx, n, aVersion(n, 1, 0, "draft")),
					tx.PutActor(ctx, store.Actor{Name: brenner.ActorName(n), Created: day}),
					tx.PutObject(ctx, store.Object{Kind: "k", ID: n, Body: []byte("{}")}),
					tx.PutObject(ctx, store.Object{Kind: n, ID: "1", Body: []byte("{}")}),
					tx.PutRequest(ctx, store.Request{Actor: "ada", Key: n, Digest: digestOf(n)}),
					tx.PutToken(ctx, store.Token{ID: n, Secret: digestOf(n), Created: day}),
					tx.PutVectors(ctx, "m", map[string][]float32{n: {1}}),
				); err != nil {
					return err
				}
			}
			for _, n := range shuffled(mixedNames) {
				if err := tx.InsertLink(ctx, store.Link{From: ref("a", 1), Rel: "cites", To: ref(n, 1)}); err != nil {
					return err
				}
			}
			return nil
		})
		read(t, s, func(ctx context.Context, r store.Reader) error {
			a, err1 := r.Artifacts(ctx, store.ArtifactQuery{})
			wantEqual(t, "artifacts", mixedNames, ids(a))
			actors, err2 := r.Actors(ctx)
			wantEqual(t, "actors", mixedNames, names(actors, func(a store.Actor) string { return string(a.Name) }))
			objects, err3 := r.Objects(ctx, store.ObjectQuery{Kind: "k"})
			wantEqual(t, "objects", mixedNames, names(objects, func(o store.Object) string { return o.ID }))
			tokens, err4 := r.Tokens(ctx)
			wantEqual(t, "tokens", mixedNames, names(tokens, func(k store.Token) string { return k.ID }))
			links, err5 := r.LinksFrom(ctx, []brenner.Ref{ref("a", 1)})
			wantEqual(t, "links", mixedNames, names(links, func(l store.Link) string { return string(l.To.Artifact) }))
			var vectors []string
			err6 := r.EachVector(ctx, "m", func(id string, _ []float32) error { vectors = append(vectors, id); return nil })
			wantEqual(t, "vectors", mixedNames, vectors)
			requests, err7 := each(ctx, r, store.TableRequests)
			wantEqual(t, "requests", mixedNames, names(requests, func(q any) string { return q.(store.Request).Key }))
			versions, err8 := each(ctx, r, store.TableVersions)
			wantEqual(t, "versions", mixedNames, names(versions, func(v any) string { return string(v.(store.Version).Artifact) }))
			return do(err1, err2, err3, err4, err5, err6, err7, err8)
		})
	}},
	{"Text_WithNULOrInvalidUTF8IsRefused", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return putVersions(ctx, tx, "a", aVersion("a", 1, 0, "draft"))
		})
		for _, bad := range []string{"a\x00b", "\xff", "caf\xe9"} {
			artifactWith := anArtifact("x", 1)
			artifactWith.Summary = bad
			tagged := anArtifact("x", 1)
			tagged.Tags = []string{"fine", bad}
			versionWith := aVersion("a", 2, 1, "draft")
			versionWith.Why = bad
			for name, try := range map[string]func(ctx context.Context, tx store.Tx) error{
				"project": func(ctx context.Context, tx store.Tx) error { return tx.Init(ctx, store.Project{ID: "p", Name: bad}) },
				"record": func(ctx context.Context, tx store.Tx) error {
					return tx.AppendRecord(ctx, store.Record{Seq: 1, Kind: bad})
				},
				"artifact": func(ctx context.Context, tx store.Tx) error { return tx.PutArtifact(ctx, artifactWith) },
				"tag":      func(ctx context.Context, tx store.Tx) error { return tx.PutArtifact(ctx, tagged) },
				"version":  func(ctx context.Context, tx store.Tx) error { return tx.InsertVersion(ctx, versionWith) },
				"status": func(ctx context.Context, tx store.Tx) error {
					return tx.SetStatus(ctx, ref("a", 1), artifact.Status(bad))
				},
				"link": func(ctx context.Context, tx store.Tx) error {
					return tx.InsertLink(ctx, store.Link{From: ref("a", 1), Rel: artifact.Relation(bad), To: ref("a", 1)})
				},
				"actor": func(ctx context.Context, tx store.Tx) error {
					return tx.PutActor(ctx, store.Actor{Name: "x", Note: bad})
				},
				"object": func(ctx context.Context, tx store.Tx) error {
					return tx.PutObject(ctx, store.Object{Kind: "k", ID: "1", State: bad})
				},
				"request": func(ctx context.Context, tx store.Tx) error {
					return tx.PutRequest(ctx, store.Request{Key: bad, Digest: digestOf("")})
				},
				"token": func(ctx context.Context, tx store.Tx) error {
					return tx.PutToken(ctx, store.Token{ID: bad, Secret: digestOf("")})
				},
				"denial": func(ctx context.Context, tx store.Tx) error { return tx.AddDenial(ctx, store.Denial{Reason: bad}) },
				"vector": func(ctx context.Context, tx store.Tx) error {
					return tx.PutVectors(ctx, "m", map[string][]float32{bad: {1}})
				},
			} {
				err := s.Write(context.Background(), func(tx store.Tx) error { return try(context.Background(), tx) })
				if brenner.CodeOf(err) != brenner.CodeInvalidText {
					t.Errorf("%s with %q: %v, want INVALID_TEXT", name, bad, err)
				}
			}
			// Asking for what cannot be there is not an error of its own.
			read(t, s, func(ctx context.Context, r store.Reader) error {
				if _, err := r.Artifact(ctx, brenner.ArtifactID(bad)); brenner.CodeOf(err) != brenner.CodeNotFound {
					t.Errorf("Artifact(%q): %v", bad, err)
				}
				list, err := r.Artifacts(ctx, store.ArtifactQuery{Tag: bad})
				wantEqual(t, "artifacts with a tag that cannot be", []store.Artifact(nil), list)
				return err
			})
		}
	}},
	{"Artifacts_AreSelectedByEveryField", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			for _, a := range []store.Artifact{
				{ID: "a", Type: "note", Module: "m1", HeadStatus: "draft", Tags: []string{"x"}, Seq: 5},
				{ID: "b", Type: "note", Module: "m2", HeadStatus: "draft", Canonical: 1, Tags: []string{"x", "y"}, Seq: 2},
				{ID: "c", Type: "memo", Module: "m1", HeadStatus: "canonical", Canonical: 2, Seq: 3},
				{ID: "d", Type: "memo", Module: "m3", HeadStatus: "deprecated", Tags: []string{"y"}, Seq: 4},
				{ID: "e", Type: "brief", Module: "m1", HeadStatus: "alternative", Tags: []string{"X"}, Seq: 5},
			} {
				a.Created, a.Updated = day, day
				if err := tx.PutArtifact(ctx, a); err != nil {
					return err
				}
			}
			return nil
		})
		for _, c := range []struct {
			q    store.ArtifactQuery
			want string
		}{
			{store.ArtifactQuery{}, "[a b c d e]"},
			{store.ArtifactQuery{Types: []brenner.TypeName{"note"}}, "[a b]"},
			{store.ArtifactQuery{Types: []brenner.TypeName{"brief", "note", "nothing"}}, "[a b e]"},
			{store.ArtifactQuery{Types: []brenner.TypeName{"nothing"}}, "[]"},
			{store.ArtifactQuery{Modules: []brenner.Module{"m1", "m3"}}, "[a c d e]"},
			{store.ArtifactQuery{Types: []brenner.TypeName{"memo"}, Modules: []brenner.Module{"m1"}}, "[c]"},
			{store.ArtifactQuery{Statuses: []artifact.Status{"draft"}}, "[a b]"},
			{store.ArtifactQuery{Statuses: []artifact.Status{"canonical"}}, "[b c]"},
			{store.ArtifactQuery{Statuses: []artifact.Status{"deprecated", "canonical"}}, "[b c d]"},
			{store.ArtifactQuery{Tag: "x"}, "[a b]"},
			{store.ArtifactQuery{Tag: "y", Types: []brenner.TypeName{"memo"}}, "[d]"},
			{store.ArtifactQuery{Canonical: true}, "[b c]"},
			{store.ArtifactQuery{After: "b"}, "[c d e]"},
			{store.ArtifactQuery{After: "b", Types: []brenner.TypeName{"memo", "note"}, Limit: 1}, "[c]"},
			{store.ArtifactQuery{After: "bb", Limit: 2}, "[c d]"},
			{store.ArtifactQuery{ChangedAfter: 3}, "[a d e]"},
			{store.ArtifactQuery{Recent: true}, "[a e d c b]"},
			{store.ArtifactQuery{Recent: true, After: "z", Limit: 2}, "[a e]"},
			{store.ArtifactQuery{Recent: true, After: "a", ChangedAt: 5}, "[e d c b]"},
			{store.ArtifactQuery{Recent: true, ChangedAfter: 2, Modules: []brenner.Module{"m1"}}, "[a e c]"},
			{store.ArtifactQuery{Recent: true, Tag: "x", Limit: 1}, "[a]"},
			{store.ArtifactQuery{Limit: 2}, "[a b]"},
		} {
			got := get(t, s, func(ctx context.Context, r store.Reader) ([]store.Artifact, error) { return r.Artifacts(ctx, c.q) })
			if list := fmt.Sprint(ids(got)); list != c.want {
				t.Errorf("%+v gave %s, want %s", c.q, list, c.want)
			}
		}
	}},
	{"Tagged_ThoseWithMostOfTheTagsFirst", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			for i, tags := range [][]string{{"x"}, {"x", "y"}, {"z"}, {"y", "x", "z"}, {"y"}, nil} {
				a := anArtifact(fmt.Sprintf("a%d", i), 1)
				a.Tags, a.Type, a.Module = tags, brenner.TypeName([]string{"note", "memo"}[i%2]), brenner.Module([]string{"m1", "m2"}[i/3])
				if err := tx.PutArtifact(ctx, a); err != nil {
					return err
				}
			}
			return nil
		})
		tagged := func(q store.TagQuery) []string {
			return ids(get(t, s, func(ctx context.Context, r store.Reader) ([]store.Artifact, error) { return r.Tagged(ctx, q) }))
		}
		for _, c := range []struct {
			q    store.TagQuery
			want string
		}{
			{store.TagQuery{}, "[]"},
			{store.TagQuery{Tags: []string{"none"}}, "[]"},
			{store.TagQuery{Tags: []string{"x"}}, "[a0 a1 a3]"},
			{store.TagQuery{Tags: []string{"y", "x", "y"}}, "[a1 a3 a0 a4]"},
			{store.TagQuery{Tags: []string{"y", "x"}, Limit: 3}, "[a1 a3 a0]"},
			{store.TagQuery{Tags: []string{"x", "y", "z"}, Types: []brenner.TypeName{"note"}}, "[a0 a2 a4]"},
			{store.TagQuery{Tags: []string{"x", "y", "z"}, Modules: []brenner.Module{"m2"}}, "[a3 a4]"},
			{store.TagQuery{Tags: []string{"x", "y", "z"}, Types: []brenner.TypeName{"memo"}, Modules: []brenner.Module{"m2"}, Depth: 3}, "[a3]"},
		} {
			if got := fmt.Sprint(tagged(c.q)); got != c.want {
				t.Errorf("%+v gave %s, want %s", c.q, got, c.want)
			}
		}
		if got := tagged(store.TagQuery{Tags: []string{"x"}, Depth: 2}); len(got) < 2 || !slices.Contains(got, "a3") || !slices.Contains(got, "a1") {
			t.Errorf("no deeper than 2 gave %v, want those made last at least", got)
		}
		for most, want := range []string{"[none]", "[none]", "[none z]", "[none x y z]", "[none x y z]"} {
			got := get(t, s, func(ctx context.Context, r store.Reader) ([]string, error) {
				return r.RareTags(ctx, []string{"z", "y", "none", "x", "y"}, most)
			})
			if fmt.Sprint(got) != want {
				t.Errorf("tags that no more than %d have: %v, want %s", most, got, want)
			}
		}
		read(t, s, func(ctx context.Context, r store.Reader) error {
			_, err := r.Tagged(ctx, store.TagQuery{Tags: make([]string, brenner.MaxQueryTags+1)})
			wantCode(t, brenner.CodeLimitExceeded, err)
			_, err = r.RareTags(ctx, make([]string, brenner.MaxQueryTags+1), 1)
			wantCode(t, brenner.CodeLimitExceeded, err)
			return nil
		})
	}},
	{"Kinds_AreCountedThroughEveryChange", func(t *testing.T, s store.Store) {
		put := func(id string, typ brenner.TypeName, module brenner.Module) func(context.Context, store.Tx) error {
			return func(ctx context.Context, tx store.Tx) error {
				a := anArtifact(id, 1)
				a.Type, a.Module = typ, module
				return tx.PutArtifact(ctx, a)
			}
		}
		want := func(what string, kinds ...store.Kind) {
			t.Helper()
			wantEqual(t, what, kinds, get(t, s, func(ctx context.Context, r store.Reader) ([]store.Kind, error) { return r.Kinds(ctx) }))
		}
		want("nothing yet")
		write(t, s, put("a", "note", "m2"))
		write(t, s, put("b", "note", "m1"))
		write(t, s, put("c", "memo", "m1"))
		write(t, s, put("d", "memo", "m1"))
		want("four", store.Kind{Module: "m1", Type: "memo", Artifacts: 2}, store.Kind{Module: "m1", Type: "note", Artifacts: 1}, store.Kind{Module: "m2", Type: "note", Artifacts: 1})
		write(t, s, put("d", "memo", "m1"))
		write(t, s, put("a", "memo", "m1")) // a kind stays
		write(t, s, put("f", "memo", "m1"))
		all := []store.Kind{{Module: "m1", Type: "memo", Artifacts: 3}, {Module: "m1", Type: "note", Artifacts: 1}, {Module: "m2", Type: "note", Artifacts: 1}}
		want("one more", all...)
		refuse(t, s, brenner.CodeInternal, func(ctx context.Context, tx store.Tx) error {
			if err := put("e", "memo", "m1")(ctx, tx); err != nil {
				return err
			}
			kinds, err := tx.Kinds(ctx)
			if err != nil || kinds[0].Artifacts != 4 {
				t.Errorf("inside: %+v, %v", kinds, err)
			}
			return brenner.Errorf(brenner.CodeInternal, "given up")
		})
		want("an abandoned one", all...)
		write(t, s, put("g", "note", "m2"))
		all[2].Artifacts++
		want("in its place", all...)
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(tx.Reset(ctx), put("z", "brief", "m1")(ctx, tx))
		})
		want("emptied", store.Kind{Module: "m1", Type: "brief", Artifacts: 1})
	}},
	{"Artifacts_AreListedInPagesWithoutGaps", func(t *testing.T, s store.Store) {
		var want []string
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			for i := range 57 {
				id := fmt.Sprintf("n%03d", i*7%57)
				if err := tx.PutArtifact(ctx, anArtifact(id, int64(i))); err != nil {
					return err
				}
				want = append(want, id)
			}
			return nil
		})
		slices.Sort(want)
		var got []string
		q := store.ArtifactQuery{Types: []brenner.TypeName{"paper_note"}, Limit: 10}
		for range 100 {
			page := get(t, s, func(ctx context.Context, r store.Reader) ([]store.Artifact, error) { return r.Artifacts(ctx, q) })
			got = append(got, ids(page)...)
			if len(page) < q.Limit {
				break
			}
			q.After = page[len(page)-1].ID
		}
		wantEqual(t, "pages", want, got)
	}},
	{"Version_IsKeptWhole", func(t *testing.T, s store.Store) {
		v := aVersion("a", 1, 0, "draft")
		v.Slot, v.Summary, v.Size, v.Format = "slot", "naïve 細胞 'quoted' \"twice\"\n", 1<<40, artifact.JSON
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return putVersions(ctx, tx, "a", v, aVersion("a", 2, 1, "draft"))
		})
		wantEqual(t, "version", v, get(t, s, func(ctx context.Context, r store.Reader) (store.Version, error) { return r.Version(ctx, ref("a", 1)) }))
		for _, missing := range []brenner.Ref{ref("a", 3), ref("a", 0), ref("b", 1), ref("", 1), ref("a", -1), ref("a", 1<<40)} {
			ctx := context.Background()
			wantCode(t, brenner.CodeNotFound, s.Read(ctx, func(r store.Reader) error { _, err := r.Version(ctx, missing); return err }))
		}
	}},
	{"InsertVersion_NeedsArtifactAndParent", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(putVersions(ctx, tx, "a", aVersion("a", 1, 0, "draft"), aVersion("a", 2, 1, "draft")), tx.PutArtifact(ctx, anArtifact("b", 1)))
		})
		bad := aVersion("a", 3, 2, "draft")
		bad.Content = "not a digest"
		for _, c := range []struct {
			v    store.Version
			want brenner.Code
		}{
			{aVersion("a", 2, 1, "draft"), brenner.CodeAlreadyExists},
			{aVersion("x", 1, 0, "draft"), brenner.CodeNotFound},
			{aVersion("a", 4, 3, "draft"), brenner.CodeNotFound},
			{aVersion("b", 2, 1, "draft"), brenner.CodeNotFound},
			{aVersion("a", 3, 3, "draft"), brenner.CodeNotFound},
			{aVersion("a", 3, 7, "draft"), brenner.CodeNotFound},
			{aVersion("a", 0, 0, "draft"), brenner.CodeInvalidValue},
			{aVersion("a", -1, 0, "draft"), brenner.CodeInvalidValue},
			{aVersion("a", 3, -1, "draft"), brenner.CodeInvalidValue},
			{aVersion("a", brenner.MaxVersions+1, 2, "draft"), brenner.CodeInvalidValue},
			{bad, brenner.CodeInvalidID},
		} {
			refuse(t, s, c.want, func(ctx context.Context, tx store.Tx) error { return tx.InsertVersion(ctx, c.v) })
		}
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return tx.InsertVersion(ctx, aVersion("a", brenner.MaxVersions, 2, "draft"))
		})
	}},
	{"Versions_AreListedInPages", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			var vs []store.Version
			for i := 1; i <= 12; i++ {
				vs = append(vs, aVersion("b", i, i-1, "draft"))
			}
			return do(putVersions(ctx, tx, "a", aVersion("a", 1, 0, "draft")), putVersions(ctx, tx, "b", vs...),
				putVersions(ctx, tx, "c", aVersion("c", 1, 0, "draft")))
		})
		list := func(id brenner.ArtifactID, after brenner.Version, limit int) []string {
			return refs(get(t, s, func(ctx context.Context, r store.Reader) ([]store.Version, error) {
				return r.Versions(ctx, id, after, limit)
			}))
		}
		wantEqual(t, "a page", []string{"b@3", "b@4"}, list("b", 2, 2))
		wantEqual(t, "the rest", []string{"b@10", "b@11", "b@12"}, list("b", 9, 0))
		wantEqual(t, "of nothing", []string(nil), list("nothing", 0, 0))
		wantEqual(t, "past the end", []string(nil), list("b", 12, 0))
	}},
	{"VersionsOf_GivesWhatExistsInOrder", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(putVersions(ctx, tx, "b", aVersion("b", 1, 0, "draft"), aVersion("b", 2, 1, "draft")),
				putVersions(ctx, tx, "a", aVersion("a", 1, 0, "draft"), aVersion("a", 10, 1, "draft"), aVersion("a", 9, 1, "draft")))
		})
		got := get(t, s, func(ctx context.Context, r store.Reader) ([]store.Version, error) {
			return r.VersionsOf(ctx, []brenner.Ref{ref("b", 2), ref("a", 10), ref("x", 1), ref("a", 9), ref("a", 2), ref("b", 2)})
		})
		wantEqual(t, "versions", []string{"a@9", "a@10", "b@2"}, refs(got))
	}},
}

func names[T any](rows []T, name func(T) string) []string {
	var out []string
	for _, r := range rows {
		out = append(out, name(r))
	}
	return out
}

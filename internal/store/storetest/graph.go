package storetest

import (
	"context"
	"fmt"
	"testing"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
)

var graphCases = []testCase{
	{"Stale_IsWhatLeadsToSomethingOutdated", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
				if err := putVersions(ctx, tx, id, aVersion(id, 1, 0, artifact.Draft)); err != nil {
					return err
				}
			}
			moved := anArtifact("f", 2)
			moved.Canonical = 2
			return do(
				tx.PutArtifact(ctx, moved), // so f@1 is outdated
				tx.SetStatus(ctx, ref("d", 1), artifact.Superseded),
				tx.InsertLink(ctx, store.Link{From: ref("a", 1), Rel: artifact.DependsOn, To: ref("b", 1)}),
				tx.InsertLink(ctx, store.Link{From: ref("b", 1), Rel: artifact.DependsOn, To: ref("c", 1)}),
				tx.InsertLink(ctx, store.Link{From: ref("c", 1), Rel: artifact.DependsOn, To: ref("a", 1)}), // a circle
				tx.InsertLink(ctx, store.Link{From: ref("c", 1), Rel: artifact.Cites, To: ref("d", 1)}),
				tx.InsertLink(ctx, store.Link{From: ref("e", 1), Rel: artifact.Reviews, To: ref("f", 1)}),
				tx.InsertLink(ctx, store.Link{From: ref("e", 1), Rel: artifact.Supersedes, To: ref("f", 1)}),
			)
		})
		all := []brenner.Ref{ref("f", 1), ref("e", 1), ref("d", 1), ref("b", 1), ref("a", 1), ref("a", 9), ref("a", 1<<40), ref("none", 1)}
		stale := func(limit int, rels ...artifact.Relation) (out []string, err error) {
			read(t, s, func(ctx context.Context, r store.Reader) error {
				refs, failed := r.Stale(ctx, all, rels, limit)
				out, err = names(refs, brenner.Ref.String), failed
				return nil
			})
			return out, err
		}
		for _, c := range []struct {
			rels []artifact.Relation
			want []string
		}{
			{[]artifact.Relation{artifact.DependsOn}, nil},
			{[]artifact.Relation{artifact.DependsOn, artifact.Cites}, []string{"a@1", "b@1"}},
			{[]artifact.Relation{artifact.Reviews}, []string{"e@1"}},
			{nil, nil},
		} {
			got, err := stale(4, c.rels...)
			if err != nil {
				t.Fatal(err)
			}
			wantEqual(t, fmt.Sprint(c.rels), c.want, got)
		}
		_, err := stale(3, artifact.DependsOn, artifact.Cites)
		wantCode(t, brenner.CodeLimitExceeded, err)
		_, err = stale(1, artifact.Reviews, artifact.Supersedes) // two links, though between the same two
		wantCode(t, brenner.CodeLimitExceeded, err)
	}},
	{"Canonical_IsOnePerArtifact", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(putVersions(ctx, tx, "a", aVersion("a", 1, 0, "canonical"), aVersion("a", 2, 1, "draft")),
				putVersions(ctx, tx, "b", aVersion("b", 1, 0, "canonical")))
		})
		refuse(t, s, brenner.CodeSlotTaken, func(ctx context.Context, tx store.Tx) error {
			return tx.SetStatus(ctx, ref("a", 2), artifact.Canonical)
		})
		refuse(t, s, brenner.CodeSlotTaken, func(ctx context.Context, tx store.Tx) error {
			return tx.InsertVersion(ctx, aVersion("a", 3, 2, "canonical"))
		})
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(tx.SetStatus(ctx, ref("a", 1), artifact.Superseded), tx.SetStatus(ctx, ref("a", 2), artifact.Canonical))
		})
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return tx.SetStatus(ctx, ref("a", 2), artifact.Canonical)
		})
		v := get(t, s, func(ctx context.Context, r store.Reader) (store.Version, error) { return r.Version(ctx, ref("a", 2)) })
		if v.Status != artifact.Canonical {
			t.Errorf("a@2 is %s", v.Status)
		}
	}},
	{"Canonical_IsOnePerSlot", func(t *testing.T, s store.Store) {
		in := func(slot string, v store.Version) store.Version { v.Slot = slot; return v }
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(
				putVersions(ctx, tx, "a", in("memo/m1", aVersion("a", 1, 0, "canonical"))),
				putVersions(ctx, tx, "b", in("memo/m1", aVersion("b", 1, 0, "draft")), in("memo/m2", aVersion("b", 2, 1, "draft"))),
				putVersions(ctx, tx, "c", in("memo/m2", aVersion("c", 1, 0, "canonical"))),
			)
		})
		refuse(t, s, brenner.CodeSlotTaken, func(ctx context.Context, tx store.Tx) error {
			return tx.SetStatus(ctx, ref("b", 1), artifact.Canonical)
		})
		refuse(t, s, brenner.CodeSlotTaken, func(ctx context.Context, tx store.Tx) error {
			return putVersions(ctx, tx, "d", in("memo/m2", aVersion("d", 1, 0, "canonical")))
		})
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(tx.SetStatus(ctx, ref("a", 1), artifact.Draft), tx.SetStatus(ctx, ref("b", 1), artifact.Canonical))
		})
	}},
	{"SetStatus_NeedsTheVersion", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return putVersions(ctx, tx, "a", aVersion("a", 1, 0, "draft"))
		})
		for _, missing := range []brenner.Ref{ref("a", 2), ref("b", 1), ref("a", 0), ref("a", 1<<24+1)} {
			refuse(t, s, brenner.CodeNotFound, func(ctx context.Context, tx store.Tx) error { return tx.SetStatus(ctx, missing, artifact.Deprecated) })
		}
	}},
	{"Leaves_AreLiveVersionsWithoutLiveDescendants", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(
				putVersions(ctx, tx, "line", aVersion("line", 1, 0, "draft"), aVersion("line", 2, 1, "superseded"), aVersion("line", 3, 2, "canonical")),
				putVersions(ctx, tx, "fork", aVersion("fork", 1, 0, "draft"), aVersion("fork", 2, 1, "draft"), aVersion("fork", 3, 1, "alternative")),
				putVersions(ctx, tx, "dead", aVersion("dead", 1, 0, "draft"), aVersion("dead", 2, 1, "deprecated"), aVersion("dead", 3, 1, "superseded")),
				putVersions(ctx, tx, "gone", aVersion("gone", 1, 0, "deprecated")),
				putVersions(ctx, tx, "Deep", aVersion("Deep", 1, 0, "draft"), aVersion("Deep", 2, 1, "superseded"), aVersion("Deep", 3, 2, "superseded"),
					aVersion("Deep", 4, 3, "needs_rebase"), aVersion("Deep", 5, 3, "draft")),
			)
		})
		leaves := func(id brenner.ArtifactID) []string {
			return refs(get(t, s, func(ctx context.Context, r store.Reader) ([]store.Version, error) { return r.Leaves(ctx, id) }))
		}
		wantEqual(t, "line", []string{"line@3"}, leaves("line"))
		wantEqual(t, "fork", []string{"fork@2", "fork@3"}, leaves("fork"))
		wantEqual(t, "dead", []string{"dead@1"}, leaves("dead"))
		wantEqual(t, "gone", []string(nil), leaves("gone"))
		wantEqual(t, "nothing", []string(nil), leaves("nothing"))
		wantEqual(t, "every fork", []string{"Deep@4", "Deep@5", "fork@2", "fork@3"}, leaves(""))

		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(
				tx.SetStatus(ctx, ref("fork", 2), artifact.Deprecated),
				tx.SetStatus(ctx, ref("dead", 2), artifact.Draft), tx.SetStatus(ctx, ref("dead", 3), artifact.NeedsRebase),
				tx.SetStatus(ctx, ref("Deep", 4), artifact.Superseded), tx.SetStatus(ctx, ref("Deep", 5), artifact.Superseded),
				tx.InsertVersion(ctx, aVersion("line", 4, 1, "alternative")),
			)
		})
		wantEqual(t, "Deep", []string{"Deep@1"}, leaves("Deep"))
		wantEqual(t, "every fork, later", []string{"dead@2", "dead@3", "line@3", "line@4"}, leaves(""))

		// One merged version on one branch, the other branch superseded.
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(tx.InsertVersion(ctx, aVersion("line", 5, 3, "draft")), tx.SetStatus(ctx, ref("line", 4), artifact.Superseded))
		})
		wantEqual(t, "every fork, merged", []string{"dead@2", "dead@3"}, leaves(""))
		wantEqual(t, "line, merged", []string{"line@5"}, leaves("line"))
	}},
	{"Links_AreFoundFromBothEnds", func(t *testing.T, s store.Store) {
		link := func(from brenner.Ref, rel artifact.Relation, to brenner.Ref) store.Link {
			return store.Link{From: from, Rel: rel, To: to, Seq: 9}
		}
		all := []store.Link{
			link(ref("B", 1), "cites", ref("a", 1)),
			link(ref("a", 1), "cites", ref("a", 1)),
			link(ref("a", 2), "cites", ref("B", 1)),
			link(ref("a", 2), "cites", ref("a", 1)),
			link(ref("a", 2), "depends_on", ref("B", 1)),
			link(ref("a", 10), "cites", ref("B", 1)),
		}
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			if err := do(putVersions(ctx, tx, "a", aVersion("a", 1, 0, "draft"), aVersion("a", 2, 1, "draft"), aVersion("a", 10, 2, "draft")),
				putVersions(ctx, tx, "B", aVersion("B", 1, 0, "draft"))); err != nil {
				return err
			}
			for _, i := range []int{3, 5, 0, 4, 1, 2} {
				if err := tx.InsertLink(ctx, all[i]); err != nil {
					return err
				}
			}
			return nil
		})
		read(t, s, func(ctx context.Context, r store.Reader) error {
			from, err1 := r.LinksFrom(ctx, []brenner.Ref{ref("a", 10), ref("a", 2), ref("x", 1), ref("a", 2), ref("a", 3)})
			wantEqual(t, "from", all[2:], from)
			to, err2 := r.LinksTo(ctx, []brenner.Ref{ref("B", 1), ref("a", 2)})
			wantEqual(t, "to", []store.Link{all[2], all[4], all[5]}, to)
			some, err4 := r.LinksTo(ctx, []brenner.Ref{ref("B", 1), ref("a", 2)}, "depends_on", "nothing")
			wantEqual(t, "to, by relation", []store.Link{all[4]}, some)
			rows, err3 := each(ctx, r, store.TableLinks)
			var want []any
			for _, l := range all {
				want = append(want, l)
			}
			wantEqual(t, "each", want, rows)
			return do(err1, err2, err3, err4)
		})
		refuse(t, s, brenner.CodeAlreadyExists, func(ctx context.Context, tx store.Tx) error { return tx.InsertLink(ctx, all[0]) })
		for _, dangling := range []store.Link{
			link(ref("a", 1), "cites", ref("a", 3)), link(ref("a", 3), "cites", ref("a", 1)),
			link(ref("x", 1), "cites", ref("a", 1)), link(ref("a", 1), "cites", ref("x", 1)),
		} {
			refuse(t, s, brenner.CodeNotFound, func(ctx context.Context, tx store.Tx) error { return tx.InsertLink(ctx, dangling) })
		}
	}},
	{"OutdatedTargets_AreLinkedAndSupersededOrOlderThanCanonical", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			if err := do(
				putVersions(ctx, tx, "z", aVersion("z", 1, 0, "draft"), aVersion("z", 2, 1, "draft"), aVersion("z", 3, 2, "canonical"), aVersion("z", 4, 3, "draft")),
				putVersions(ctx, tx, "S", aVersion("S", 1, 0, "superseded"), aVersion("S", 2, 1, "superseded"), aVersion("S", 3, 2, "deprecated")),
				putVersions(ctx, tx, "n", aVersion("n", 1, 0, "draft")),
			); err != nil {
				return err
			}
			for _, to := range []brenner.Ref{ref("z", 2), ref("z", 3), ref("z", 4), ref("S", 2), ref("S", 3), ref("n", 1), ref("z", 1)} {
				if err := do(tx.InsertLink(ctx, store.Link{From: ref("n", 1), Rel: "cites", To: to}),
					tx.InsertLink(ctx, store.Link{From: ref("z", 4), Rel: "reviews", To: to})); err != nil {
					return err
				}
			}
			return nil
		})
		outdated := func() []brenner.Ref {
			return get(t, s, func(ctx context.Context, r store.Reader) ([]brenner.Ref, error) { return r.OutdatedTargets(ctx) })
		}
		wantEqual(t, "outdated", []brenner.Ref{ref("S", 2), ref("S", 3), ref("z", 1), ref("z", 2)}, outdated())
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(tx.SetStatus(ctx, ref("z", 3), artifact.Superseded), tx.SetStatus(ctx, ref("z", 4), artifact.Canonical),
				tx.SetStatus(ctx, ref("S", 2), artifact.Draft), tx.InsertVersion(ctx, aVersion("n", 2, 1, "canonical")))
		})
		wantEqual(t, "outdated later", []brenner.Ref{ref("S", 3), ref("n", 1), ref("z", 1), ref("z", 2), ref("z", 3)}, outdated())
	}},
	// C14: what is canonical was not taken out of force, whatever it was before, and however
	// often it is said.
	{"SetStatus_WhatIsCanonicalIsNotDemoted", func(t *testing.T, s store.Store) {
		v := aVersion("a", 1, 0, "canonical")
		v.Demoted = true
		write(t, s, func(ctx context.Context, tx store.Tx) error { return putVersions(ctx, tx, "a", v) })
		write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.SetStatus(ctx, v.Ref(), artifact.Canonical) })
		stored := get(t, s, func(ctx context.Context, r store.Reader) (store.Version, error) { return r.Version(ctx, v.Ref()) })
		if stored.Demoted {
			t.Error("it is still demoted")
		}
	}},
	// C26, C14: what was canonical and is a draft again is outdated, whatever else is
	// in force or written, until it is canonical once more; what never was is not.
	{"Outdated_IsWhatWasTakenOutOfForce", func(t *testing.T, s store.Store) {
		all := []brenner.Ref{ref("a", 1), ref("a", 2), ref("other", 1)}
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			if err := do(putVersions(ctx, tx, "a", aVersion("a", 1, 0, "canonical"), aVersion("a", 2, 1, "draft")),
				putVersions(ctx, tx, "other", aVersion("other", 1, 0, "draft"))); err != nil {
				return err
			}
			for _, to := range all {
				if err := tx.InsertLink(ctx, store.Link{From: ref("other", 1), Rel: "cites", To: to}); err != nil {
					return err
				}
			}
			return nil
		})
		becomes := func(r brenner.Ref, status artifact.Status, want ...brenner.Ref) {
			t.Helper()
			write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.SetStatus(ctx, r, status) })
			is := fmt.Sprintf("%s %s: ", r, status)
			wantEqual(t, is+"outdated", want, get(t, s, func(ctx context.Context, r store.Reader) ([]brenner.Ref, error) { return r.Outdated(ctx, all) }))
			wantEqual(t, is+"linked", want, get(t, s, func(ctx context.Context, r store.Reader) ([]brenner.Ref, error) { return r.OutdatedTargets(ctx) }))
		}
		becomes(ref("a", 1), artifact.Draft, ref("a", 1))
		becomes(ref("a", 1), artifact.NeedsRebase, ref("a", 1))
		becomes(ref("a", 1), artifact.Deprecated, ref("a", 1))
		becomes(ref("a", 1), artifact.Draft, ref("a", 1))
		becomes(ref("a", 1), artifact.Canonical)
		becomes(ref("a", 1), artifact.Canonical)
		becomes(ref("a", 2), artifact.NeedsRebase)
		becomes(ref("a", 2), artifact.Draft)
		stored := get(t, s, func(ctx context.Context, r store.Reader) (store.Version, error) { return r.Version(ctx, ref("a", 1)) })
		if stored.Demoted {
			t.Error("what is canonical again is still demoted")
		}
		becomes(ref("a", 1), artifact.Draft, ref("a", 1))
		stale := get(t, s, func(ctx context.Context, r store.Reader) ([]brenner.Ref, error) {
			return r.Stale(ctx, all[2:], []artifact.Relation{"cites"}, 10)
		})
		wantEqual(t, "stale", all[2:], stale)
	}},
	// C26: what rests on a retracted version is stale, and what rests on a draft
	// that has a newer version and no canonical one is behind.
	{"Corrected_AreDraftsWithANewerVersionAndNoDecision", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			gone := func(id string, canonical brenner.Version) store.Artifact {
				a := anArtifact(id, 3)
				a.Head, a.Latest, a.Canonical = 3, 3, canonical
				return a
			}
			if err := do(
				putVersions(ctx, tx, "a", aVersion("a", 1, 0, "draft"), aVersion("a", 2, 1, "needs_rebase"), aVersion("a", 3, 2, "draft")),
				putVersions(ctx, tx, "b", aVersion("b", 1, 0, "alternative"), aVersion("b", 2, 1, "deprecated"), aVersion("b", 3, 2, "draft")),
				putVersions(ctx, tx, "decided", aVersion("decided", 1, 0, "draft"), aVersion("decided", 2, 1, "canonical"), aVersion("decided", 3, 2, "draft")),
				tx.PutArtifact(ctx, gone("a", 0)), tx.PutArtifact(ctx, gone("b", 0)), tx.PutArtifact(ctx, gone("decided", 2)),
				putVersions(ctx, tx, "late", aVersion("late", 1, 0, "draft")),
			); err != nil {
				return err
			}
			for i, to := range []brenner.Ref{ref("a", 1), ref("a", 2), ref("a", 3), ref("b", 1), ref("b", 2), ref("decided", 1), ref("decided", 3)} {
				if err := do(tx.InsertLink(ctx, store.Link{From: ref("late", 1), Rel: "cites", To: to})); err != nil {
					return err
				}
				if i == 0 { // reached twice, listed once
					if err := tx.InsertLink(ctx, store.Link{From: ref("a", 3), Rel: "derived_from", To: to}); err != nil {
						return err
					}
				}
			}
			return nil
		})
		among := []brenner.Ref{ref("b", 2), ref("a", 2), ref("a", 1), ref("a", 3), ref("b", 1), ref("decided", 1), ref("decided", 3), ref("late", 1), ref("none", 1)}
		corrected := func() []brenner.Ref {
			some := get(t, s, func(ctx context.Context, r store.Reader) ([]brenner.Ref, error) { return r.Corrected(ctx, among) })
			all := get(t, s, func(ctx context.Context, r store.Reader) ([]brenner.Ref, error) { return r.CorrectedTargets(ctx) })
			wantEqual(t, "of all that are linked", some, all)
			return some
		}
		wantEqual(t, "corrected", []brenner.Ref{ref("a", 1), ref("a", 2)}, corrected())
		wantEqual(t, "outdated", []brenner.Ref{ref("b", 2), ref("decided", 1)}, get(t, s, func(ctx context.Context, r store.Reader) ([]brenner.Ref, error) {
			return r.Outdated(ctx, among)
		}))
		wantEqual(t, "stale", []brenner.Ref{ref("late", 1)}, get(t, s, func(ctx context.Context, r store.Reader) ([]brenner.Ref, error) {
			return r.Stale(ctx, []brenner.Ref{ref("late", 1), ref("a", 3)}, []artifact.Relation{"cites", "derived_from"}, 100)
		}))
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			settled := anArtifact("a", 3)
			settled.Canonical = 3
			return do(tx.SetStatus(ctx, ref("a", 3), artifact.Canonical), tx.PutArtifact(ctx, settled))
		})
		wantEqual(t, "corrected after a decision", []brenner.Ref(nil), corrected())
	}},
}

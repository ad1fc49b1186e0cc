// Package storetest checks that a store keeps the contract of package store.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) store.Store { … })
//	}
//
// Each promise is a named test; on top of them random operations are played to
// the store and to the in-memory model, and everything that can be read must
// come out the same.
package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
)

// Run runs the whole suite. open gives a fresh, empty store each time it is
// called and sees to its removal; the suite closes it.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			defer closeStore(t, s)
			c.run(t, s)
		})
	}
	t.Run("Model", func(t *testing.T) {
		if testing.Short() {
			t.Skip("one after the other: the whole run has it")
		}
		model(t, open)
	})
}

// testCase is one promise, checked on an empty store.
type testCase struct {
	name string
	run  func(t *testing.T, s store.Store)
}

var cases = concat(projectCases, journalCases, artifactCases, graphCases, rowCases, rankCases, writeCases)

func concat(groups ...[]testCase) []testCase {
	var all []testCase
	for _, g := range groups {
		if len(g) == 0 {
			panic("storetest: a group without cases")
		}
		all = append(all, g...)
	}
	return all
}

func closeStore(t testing.TB, s store.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// Day is when the fixtures happened.
var day = time.Date(2026, 3, 14, 15, 9, 26, 535897000, time.UTC)

// write runs fn in a Write that must succeed.
func write(t testing.TB, s store.Store, fn func(ctx context.Context, tx store.Tx) error) {
	t.Helper()
	ctx := context.Background()
	if err := s.Write(ctx, func(tx store.Tx) error { return fn(ctx, tx) }); err != nil {
		t.Fatalf("Write: %v", err)
	}
}

// refuse runs fn in a Write that must fail with the code.
func refuse(t testing.TB, s store.Store, want brenner.Code, fn func(ctx context.Context, tx store.Tx) error) {
	t.Helper()
	ctx := context.Background()
	wantCode(t, want, s.Write(ctx, func(tx store.Tx) error { return fn(ctx, tx) }))
}

// read runs fn in a Read that must succeed.
func read(t testing.TB, s store.Store, fn func(ctx context.Context, r store.Reader) error) {
	t.Helper()
	ctx := context.Background()
	if err := s.Read(ctx, func(r store.Reader) error { return fn(ctx, r) }); err != nil {
		t.Fatalf("Read: %v", err)
	}
}

// get reads one thing and gives it back.
func get[T any](t testing.TB, s store.Store, fn func(ctx context.Context, r store.Reader) (T, error)) T {
	t.Helper()
	var out T
	read(t, s, func(ctx context.Context, r store.Reader) (err error) {
		out, err = fn(ctx, r)
		return err
	})
	return out
}

// wantCode fails the test unless err has the code.
func wantCode(t testing.TB, want brenner.Code, err error) {
	t.Helper()
	var e *brenner.Error
	if !errors.As(err, &e) || e.Code != want {
		t.Fatalf("error = %v, want %s", err, want)
	}
}

// wantEqual fails the test unless both are the same, empty and nil lists being
// one.
func wantEqual(t testing.TB, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// do strings steps together, up to the first that fails.
func do(steps ...error) error {
	for _, err := range steps {
		if err != nil {
			return err
		}
	}
	return nil
}

func digestOf(data string) brenner.Digest {
	sum := sha256.Sum256([]byte(data))
	return brenner.Digest(hex.EncodeToString(sum[:]))
}

func ref(id string, v int) brenner.Ref {
	return brenner.Ref{Artifact: brenner.ArtifactID(id), Version: brenner.Version(v)}
}

func refs[T interface{ Ref() brenner.Ref }](rows []T) []string {
	var out []string
	for _, r := range rows {
		out = append(out, r.Ref().String())
	}
	return out
}

func ids(rows []store.Artifact) []string {
	var out []string
	for _, a := range rows {
		out = append(out, string(a.ID))
	}
	return out
}

func anArtifact(id string, seq int64) store.Artifact {
	return store.Artifact{
		ID: brenner.ArtifactID(id), Type: "paper_note", Module: "genetics", Creator: "ada", Created: day, Updated: day,
		Head: 1, Latest: 1, HeadStatus: artifact.Draft, Summary: "about " + id, Tags: []string{"one", "two"}, Seq: seq,
	}
}

func aVersion(id string, v, parent int, status artifact.Status) store.Version {
	return store.Version{
		Artifact: brenner.ArtifactID(id), Version: brenner.Version(v), Parent: brenner.Version(parent), Status: status,
		Summary: fmt.Sprintf("version %d of %s", v, id), Format: artifact.Text, Content: digestOf(fmt.Sprint(id, v)), Size: 42,
		What: "all of it", Why: "it was wrong", Creator: "ada", Role: "reader", Created: day, Tags: []string{"b", "a"},
		Task: "task-1", Invocation: "inv-1", Seq: int64(v),
	}
}

// putVersions puts an artifact with versions, each given by parent and status.
func putVersions(ctx context.Context, tx store.Tx, id string, versions ...store.Version) error {
	if err := tx.PutArtifact(ctx, anArtifact(id, 1)); err != nil {
		return err
	}
	for _, v := range versions {
		if err := tx.InsertVersion(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

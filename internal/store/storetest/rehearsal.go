package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"brenner"
	"brenner/internal/store"
	"brenner/internal/store/memory"
)

// Rehearsal checks a transaction that only seems to write: on what random writes
// have left, it answers everything as the model does inside a real one, or says
// that it cannot (with the error given), and leaves no trace.
func Rehearsal(t *testing.T, on func(store.Reader) store.Tx, uncharted error) {
	rounds, compared := 0, map[string]int{} // answers by question
	rapid.Check(t, func(rt *rapid.T) {
		rounds++
		m := memory.New()
		for range rapid.IntRange(0, 12).Draw(rt, "writes") {
			written := rapid.SliceOfN(rapid.Custom(drawOp), 1, 6).Draw(rt, "written")
			_ = m.Write(context.Background(), func(tx store.Tx) error { // one that fails leaves nothing
				for _, o := range written {
					if err := o.apply(context.Background(), tx); err != nil {
						return err
					}
				}
				return nil
			})
		}
		ops := rapid.SliceOfN(rapid.Custom(drawRehearsed), 1, 6).Draw(rt, "ops")
		before := everything(rt, m)
		codes, answers := rehearse(rt, m, ops, on, uncharted)
		if codes == nil {
			return
		}
		wantCodes, wantAnswers := play(rt, m, ops)
		if !slices.Equal(codes, wantCodes) {
			rt.Fatalf("a transaction answered %v, the rehearsal %v\n%v", wantCodes, codes, ops)
		}
		for name, got := range answers {
			if d := cmp.Diff(wantAnswers[name], got, cmpopts.EquateEmpty()); d != "" {
				rt.Fatalf("%s (-transaction +rehearsal):\n%s\n%v", name, d, ops)
			}
			compared[name]++
		}
		if d := cmp.Diff(before, everything(rt, m), cmpopts.EquateEmpty()); d != "" {
			rt.Fatalf("the rehearsal left something (-before +after):\n%s", d)
		}
	})
	for _, name := range []string{"Artifact a", "Versions a", "Leaves a", "VersionsOf", "LinksFrom", "LinksTo"} {
		if 10*compared[name] < rounds { // about every second round has an answer
			t.Errorf("%s was compared in %d of %d rounds: this test would pass on little", name, compared[name], rounds)
		}
	}
}

// drawRehearsed draws one of the writing calls that can be rehearsed.
func drawRehearsed(rt *rapid.T) op {
	return pick(rt, []func(*rapid.T) op{
		drawArtifact, drawArtifact, drawVersion, drawVersion, drawVersion, drawStatus, drawLink, drawLink, drawBlob, drawObject, drawObject, drawIndex,
	}, "op")(rt)
}

// rehearse runs operations on a snapshot, up to the first that fails; no codes
// say that one of them cannot be rehearsed.
func rehearse(rt *rapid.T, s store.Store, ops []op, on func(store.Reader) store.Tx, uncharted error) (codes []brenner.Code, answers map[string]any) {
	ctx := context.Background()
	err := s.Read(ctx, func(r store.Reader) error {
		tx := on(r)
		for _, o := range ops {
			err := o.apply(ctx, tx)
			if errors.Is(err, uncharted) {
				codes = nil
				return nil
			}
			codes = append(codes, brenner.CodeOf(err))
			if err != nil {
				return nil //nolint:nilerr // it is among the codes
			}
		}
		answers = map[string]any{}
		for _, q := range questions() {
			if a := q.ask(ctx, tx); a != brenner.CodeInternal {
				answers[q.name] = a
			}
		}
		return nil
	})
	if err != nil {
		rt.Fatal(err)
	}
	return codes, answers
}

// play runs operations in a transaction that is given up.
func play(rt *rapid.T, s store.Store, ops []op) (codes []brenner.Code, answers map[string]any) {
	ctx := context.Background()
	err := s.Write(ctx, func(tx store.Tx) error {
		codes = nil // it may run once more
		for _, o := range ops {
			err := o.apply(ctx, tx)
			codes = append(codes, brenner.CodeOf(err))
			if err != nil {
				return errGivenUp
			}
		}
		answers = map[string]any{}
		for _, q := range questions() {
			answers[q.name] = q.ask(ctx, tx)
		}
		return errGivenUp
	})
	if !errors.Is(err, errGivenUp) {
		rt.Fatal(err)
	}
	return codes, answers
}

// everything asks a store all there is to ask.
func everything(rt *rapid.T, s store.Store) map[string]any {
	out := map[string]any{}
	err := s.Read(context.Background(), func(r store.Reader) error {
		for _, q := range questions() {
			out[q.name] = q.ask(context.Background(), r)
		}
		return nil
	})
	if err != nil {
		rt.Fatal(err)
	}
	return out
}

package delta_test

import (
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"brenner"
	"brenner/canon"
	"brenner/delta"

	"pgregory.net/rapid"
)

// aheadProperty: D3, D9: what deltas are told that come after others is what a merge of all of
// them tells, and the artifact is the same.
func aheadProperty(t *rapid.T, told func(went bool)) {
	g := &caseGen{T: t}
	base := delta.Merge(nil, splitBase(), delta.Options{}).Artifact
	opts := g.options()
	if g.chance(4) {
		opts.Contributors = []brenner.ActorName{"Ann", "Bob"}
	}
	var all []delta.Entry
	ahead, last := delta.LookAhead(base, nil, opts)
	if last.Artifact != base {
		t.Fatal("nothing changes something")
	}
	for step := range rapid.IntRange(1, 8).Draw(t, "steps") {
		more := make([]delta.Entry, rapid.IntRange(0, 4).Draw(t, "deltas"))
		for i := range more {
			more[i] = later(g.entry(), step+1)
			if !g.chance(10) {
				more[i].Message = fmt.Sprintf("%s-%d", more[i].Message, step)
			}
			if g.chance(25) {
				more[i].Received = instant("2026-01-01T00:00:00.9Z")
			}
		}
		all = append(all[:len(all):len(all)], more...)
		want := delta.Merge(base, all, opts)
		next, res, went := ahead.With(more)
		if told(went && len(more) > 0); !went {
			next, res = delta.LookAhead(base, all, opts)
			res.Outcomes = res.Outcomes[len(all)-len(more):]
			about := map[int][]brenner.Diagnostic{}
			for i := range more {
				about[i] = res.About[len(all)-len(more)+i]
			}
			res.About = about
		}
		if got, want := string(canon.MustMarshal(next.Artifact())), string(canon.MustMarshal(want.Artifact)); got != want {
			t.Fatalf("step %d (%v)\n%s\nnot\n%s\n%s", step, went, got, want, dump(all))
		}
		for i := range more {
			place := len(all) - len(more) + i
			if !reflect.DeepEqual(res.Outcomes[i], want.Outcomes[place]) {
				t.Fatalf("step %d (%v), delta %d: %+v, not %+v\n%s", step, went, i, res.Outcomes[i], want.Outcomes[place], dump(all))
			}
			if got, want := res.About[i], want.About[place]; len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
				t.Fatalf("step %d (%v), delta %d: %+v, not %+v\n%s", step, went, i, got, want, dump(all))
			}
		}
		// What those before were told stays, but for which of them show: an EDIT, or the KILL
		// of a cell.
		for i, was := range last.Outcomes {
			now, shows := want.Outcomes[i], was.Operation == delta.Edit || strings.Contains(string(all[i].Delta.TargetID), ".")
			if went && (was.Recorded() != now.Recorded() || was.Item != now.Item || !was.Recorded() && !reflect.DeepEqual(was, now) ||
				was.Recorded() && !shows && was.Status != now.Status) {
				t.Fatalf("step %d, delta %d: was %+v, is %+v\n%s", step, i, was, now, dump(all))
			}
		}
		ahead, last = next, want
	}
}

// later is a delta so many minutes later.
func later(e delta.Entry, minutes int) delta.Entry {
	if at, err := time.Parse(time.RFC3339Nano, e.Delta.Timestamp); err == nil {
		e.Delta.Timestamp = delta.FormatInstant(at.Add(time.Duration(minutes) * time.Minute))
	}
	if !e.Received.IsZero() {
		e.Received = e.Received.Add(time.Duration(minutes) * time.Minute)
	}
	return e
}

func TestAhead_IsAMergeOfAll(t *testing.T) {
	var went, not atomic.Int64
	check(t, soaked(4_000, 200_000), func(rt *rapid.T) {
		aheadProperty(rt, func(yes bool) {
			if yes {
				went.Add(1)
			} else {
				not.Add(1)
			}
		})
	})
	if went.Load() < not.Load()/4 {
		t.Errorf("%d steps went on, %d took a merge of all", went.Load(), not.Load())
	}
}

func FuzzAhead(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { aheadProperty(t, func(bool) {}) }))
}

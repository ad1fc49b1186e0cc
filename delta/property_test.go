package delta_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/canon"
	"brenner/delta"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// check runs a property on n random cases, in shards side by side.
func check(t *testing.T, n int, property func(*rapid.T)) {
	t.Helper()
	const shards = 4
	t.Logf("%d random cases", n)
	for name, value := range map[string]string{"rapid.checks": fmt.Sprint(n / shards), "rapid.nofailfile": "true"} {
		old := flag.Lookup(name).Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
		defer flag.Set(name, old)
	}
	t.Run("shards", func(t *testing.T) {
		for i := range shards {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				rapid.Check(t, property)
			})
		}
	})
}

// soaked gives how many cases to try: the second number when the long version
// was asked for.
func soaked(short, long int) int {
	if os.Getenv("BRENNER_SOAK") != "" {
		return long
	}
	return short
}

// The random cases make much garbage and keep little. Benchmarks run with the
// collector as it is.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}

// mergeProperties is every property of D22 on one random case: a base and up
// to two later merges, against the oracle.
func mergeProperties(t *rapid.T) {
	batches, opts := drawBatches(t)
	inEveryOrder(t, batches, opts, rapid.Uint64().Draw(t, "shuffle"))
}

func inEveryOrder(t *rapid.T, batches [][]delta.Entry, opts delta.Options, seed uint64) {
	var base *delta.Artifact
	var before []byte
	var carried []delta.Entry
	oracle := &oracleState{priority: opts.Priority}
	for n, batch := range batches {
		batch = slices.Concat(batch, carried) // what waits comes again
		r := delta.Merge(base, batch, opts)
		raw := canon.MustMarshal(r.Artifact)

		// D22, D9: the same as the oracle.
		next, outcomes := oracle.merge(batch, opts)
		for i := range outcomes {
			got := oracleOutcome{r.Outcomes[i].Status, r.Outcomes[i].Code, string(r.Outcomes[i].Item)}
			if want := outcomes[i]; got.status != want.status || got.code != want.code ||
				want.status != delta.Rejected && want.status != delta.Duplicate && got.item != want.item {
				t.Fatalf("batch %d, delta %d: %+v, want %+v\n%s", n, i, r.Outcomes[i], want, dump(slices.Concat(batches[:n+1]...)))
			}
		}
		if d := difference(next.rows(), rows(raw)); d != "" {
			t.Fatalf("batch %d: oracle − merge +\n%s\n%s", n, d, dump(batch))
		}
		if r.Artifact.Version() != next.version {
			t.Fatalf("version %d, want %d", r.Artifact.Version(), next.version)
		}

		// D2: the base is not changed.
		if base != nil && seed%4 == 0 && !bytes.Equal(canon.MustMarshal(base), before) {
			t.Fatal("the merge changed its base")
		}
		samePermuted(t, base, batch, opts, r, seed)
		sameAgain(t, r, batch, opts)
		noTrace(t, base, batch, opts, r, seed)
		stays(t, base, r.Artifact)

		base, before, oracle = r.Artifact, raw, next
		carried = waiting(r, batch)
		if n == 0 {
			// What was written and read back merges on as if it had stayed in
			// memory. ReadArtifact itself checks that it writes the same bytes.
			read, err := delta.ReadArtifact(raw)
			if err != nil {
				t.Fatalf("%v\n%s", err, raw)
			}
			base = read
		}
	}
}

// difference explains two values that are not equal; cmp.Diff takes its time
// even over equal ones.
func difference(a, b any) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return cmp.Diff(a, b)
}

func dump(batch []delta.Entry) string {
	var b strings.Builder
	for i, e := range batch {
		fmt.Fprintf(&b, "%d %s %s\n", i, e.Message, canon.MustMarshal(e.Delta))
	}
	return b.String()
}

// samePermuted: D3, any order gives the same artifact, warnings and outcomes.
func samePermuted(t *rapid.T, base *delta.Artifact, batch []delta.Entry, opts delta.Options, r delta.Result, seed uint64) {
	order := rand.New(rand.NewPCG(seed, 1)).Perm(len(batch))
	shuffled := make([]delta.Entry, len(batch))
	for i, j := range order {
		shuffled[i] = batch[j]
	}
	p := delta.Merge(base, shuffled, opts)
	if !reflect.DeepEqual(p.Artifact, r.Artifact) {
		t.Fatalf("another order gives another artifact\n%s", dump(batch))
	}
	if d := difference(r.Warnings, p.Warnings); d != "" {
		t.Fatalf("another order gives other warnings\n%s", d)
	}
	count := func(r delta.Result) map[delta.Outcome]int {
		m := map[delta.Outcome]int{}
		for _, o := range r.Outcomes {
			m[o]++
		}
		return m
	}
	if d := difference(count(r), count(p)); d != "" {
		t.Fatalf("another order gives other outcomes\n%s", d)
	}
}

// sameAgain: D8, what was recorded and comes again is a duplicate and changes
// nothing.
func sameAgain(t *rapid.T, r delta.Result, batch []delta.Entry, opts delta.Options) {
	var recorded []delta.Entry
	for i := range batch {
		if r.Outcomes[i].Recorded() {
			recorded = append(recorded, batch[i])
		}
	}
	again := delta.Merge(r.Artifact, recorded, opts)
	for _, o := range again.Outcomes {
		if o.Status != delta.Duplicate {
			t.Fatalf("merged again: %+v", o)
		}
	}
	if again.Artifact != r.Artifact {
		t.Fatal("merging again made a version")
	}
}

// noTrace: D22, a rejected delta leaves no trace: neither all of them nor, D14
// aside, which judges the kills of an item together, any one of them.
func noTrace(t *rapid.T, base *delta.Artifact, batch []delta.Entry, opts delta.Options, r delta.Result, seed uint64) {
	var kept []delta.Entry
	var alone []int
	spared := slices.ContainsFunc(r.Outcomes, func(o delta.Outcome) bool { return o.Code == brenner.CodeNoThirdAlternative })
	for i := range batch {
		if r.Outcomes[i].Status != delta.Rejected {
			kept = append(kept, batch[i])
		} else if !spared || !yieldedToSpared(batch[i], r.Outcomes[i]) {
			alone = append(alone, i)
		}
	}
	if len(kept) == len(batch) {
		return
	}
	without := delta.Merge(base, kept, opts)
	if !reflect.DeepEqual(without.Artifact, r.Artifact) {
		t.Fatalf("rejected deltas left a trace\n%s", dump(batch))
	}
	if len(alone) == 0 {
		return
	}
	i := alone[int(seed>>8)%len(alone)]
	without = delta.Merge(base, slices.Concat(batch[:i], batch[i+1:]), opts)
	if !reflect.DeepEqual(without.Artifact, r.Artifact) {
		t.Fatalf("rejected delta %d left a trace\n%s", i, dump(batch))
	}
}

// yieldedToSpared says whether a delta may have been rejected only because a
// third alternative was spared (D14): its KILL is refused, or the place, the
// number or the delta id that it would have had is taken. Such a delta had its part in
// the fold that decided which to spare (ADR 0097).
func yieldedToSpared(e delta.Entry, o delta.Outcome) bool {
	switch o.Code {
	case brenner.CodeNoThirdAlternative:
		return true
	case brenner.CodeSectionLimitExceeded, brenner.CodeInvalidTarget, brenner.CodeDeltaIDReused:
		return e.Delta.Section == delta.HypothesisSlate
	}
	return false
}

// waiting lists the deltas to be given to the next merge again.
func waiting(r delta.Result, batch []delta.Entry) []delta.Entry {
	var all []delta.Entry
	for i := range batch {
		if r.Outcomes[i].Status == delta.Waiting {
			all = append(all, batch[i])
		}
	}
	return all
}

// stays: D22, killed items stay killed and ids stay with their items.
func stays(t *rapid.T, base, next *delta.Artifact) {
	if base == nil {
		return
	}
	for _, schema := range delta.Schemas() {
		for _, it := range base.Items(schema.Section) {
			now, ok := next.Item(it.ID())
			if !ok {
				t.Fatalf("%s is gone", it.ID())
			}
			if was := it.Killed(); was != nil && (now.Killed() == nil || now.Killed().At.After(was.At)) {
				t.Fatalf("%s was killed at %v, now %+v", it.ID(), was.At, now.Killed())
			}
			if field := anyField(schema); len(it.History(field)) > 0 {
				a, b := it.History(field)[0], now.History(field)[0]
				if schema.Section != delta.ResearchThread && a.DeltaID != b.DeltaID {
					t.Fatalf("%s was added by %s, now by %s", it.ID(), a.DeltaID, b.DeltaID)
				}
			}
		}
	}
}

func anyField(s delta.Schema) string {
	for _, f := range s.Fields {
		if f.Required {
			return f.Name
		}
	}
	return s.Fields[0].Name
}

func TestMerge_PropertiesAgainstTheOracle(t *testing.T) {
	// D22: permutation invariance, idempotence, KILL monotonicity, ids never
	// reused, no trace of what was rejected; D2, D3, D4, D5, D6, D8, D9, D10,
	// D11, D13, D14, D15: as the oracle has it.
	check(t, soaked(2_400, 100_000), mergeProperties)
}

// sparing draws sets in which hundreds of deltas kill, revive the standing of
// and add third alternatives, most of them at odds with each other.
func sparing(t *rapid.T) {
	g := &caseGen{T: t}
	batches := make([][]delta.Entry, rapid.IntRange(1, 2).Draw(t, "batches"))
	for i := range batches {
		batches[i] = make([]delta.Entry, rapid.IntRange(100, 300).Draw(t, "deltas"))
		for j := range batches[i] {
			batches[i][j] = g.strife()
		}
	}
	inEveryOrder(t, batches, g.options(), rapid.Uint64().Draw(t, "shuffle"))
}

func TestMerge_LastThirdAlternativeUnderHundredsOfKills(t *testing.T) {
	// D14: one rule for one kill and for hundreds, older than the ADD or not; D22.
	check(t, soaked(24, 2_000), sparing)
}

func FuzzMerge(f *testing.F) { f.Fuzz(rapid.MakeFuzz(mergeProperties)) }

// The random cases would prove little if they never met the hard outcomes.
func TestMerge_RandomCasesReachEveryOutcome(t *testing.T) {
	type drawn struct {
		batches [][]delta.Entry
		opts    delta.Options
	}
	cases := rapid.Custom(func(t *rapid.T) drawn {
		b, o := drawBatches(t)
		return drawn{b, o}
	})
	seen := map[string]int{}
	for i := range 4_000 {
		c := cases.Example(i)
		var a *delta.Artifact
		for _, batch := range c.batches {
			r := delta.Merge(a, batch, c.opts)
			for _, o := range r.Outcomes {
				seen[string(o.Status)+" "+string(o.Code)]++
			}
			a = r.Artifact
		}
	}
	for _, want := range []string{
		"applied ", "superseded ", "conflicted ", "duplicate ", "skipped ", "skipped TARGET_KILLED",
		"rejected INVALID_TARGET", "rejected SECTION_LIMIT_EXCEEDED", "rejected MISSING_REQUIRED_FIELD", "rejected INVALID_VALUE",
		"rejected INVALID_DELTA", "rejected DELTA_ID_REUSED", "rejected NO_THIRD_ALTERNATIVE", "waiting TARGET_AWAITED",
	} {
		if seen[want] < 3 {
			t.Errorf("%q was met %d times", want, seen[want])
		}
	}
}

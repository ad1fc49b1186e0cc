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

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// check runs a property on n random cases, in shards side by side.
func check(t *testing.T, n int, property func(*rapid.T)) {
	t.Helper()
	const shards = 4
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

// The random cases make much garbage and keep little. Benchmarks run with the
// collector as it is.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}

// Four instants, one of them written in three ways: most deltas of a case meet
// others at their instant.
var someInstants = []string{
	"2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", "2026-01-01t00:00:00.000z",
	"2026-01-01T00:00:01Z", "2026-01-01T00:00:01.5Z", "2026-01-01T00:00:02Z",
}

var someAgents = []brenner.ActorName{"Ann", "Bob", "Cy"}

// caseGen draws the deltas of one case.
type caseGen struct {
	*rapid.T
	count int
	// clean keeps out what split invariance does not claim: ids reused, limits,
	// kills of hypotheses, targets that name ids assigned inside the set.
	clean bool
	bound map[string]int // agent and provisional id → delta that binds it
	made  []delta.Entry
}

func (g *caseGen) pick(n int) int         { return rapid.IntRange(0, n-1).Draw(g.T, "n") }
func (g *caseGen) chance(of int) bool     { return g.pick(of) == 0 }
func (g *caseGen) one(s ...string) string { return s[g.pick(len(s))] }

// entry draws one delta.
func (g *caseGen) entry() delta.Entry {
	if !g.clean && len(g.made) > 0 && g.chance(12) {
		return g.made[g.pick(len(g.made))] // the same delta again
	}
	g.count++
	d := delta.Delta{
		DeltaID: fmt.Sprintf("d%d", g.count), Timestamp: g.one(someInstants...),
		Agent: someAgents[g.pick(len(someAgents))], Seq: g.pick(3), Rationale: "r",
	}
	if !g.clean && len(g.made) > 0 && g.chance(20) {
		d.DeltaID = g.made[g.pick(len(g.made))].Delta.DeltaID // an id reused
	}
	sections := []delta.Section{
		delta.HypothesisSlate, delta.HypothesisSlate, delta.HypothesisSlate, delta.PredictionsTable, delta.PredictionsTable,
		delta.AnomalyRegister, delta.DiscriminativeTests, delta.ResearchThread,
	}
	d.Section = sections[g.pick(len(sections))]
	switch {
	case d.Section == delta.ResearchThread:
		d.Operation = delta.Edit
	case g.pick(10) < 4:
		d.Operation = delta.Add
	case g.pick(6) < 4:
		d.Operation = delta.Edit
	default:
		d.Operation = delta.Kill
	}
	if g.clean && d.Section == delta.HypothesisSlate && d.Operation != delta.Edit {
		d.Section = delta.AnomalyRegister
	}
	isCell := g.aim(&d)
	if payload := g.payload(&d, isCell); payload != "" {
		d.Payload = jsontext.Value(payload)
	}
	e := delta.Entry{Delta: d}
	if g.chance(3) {
		e.Message = g.one("m1", "m2")
	}
	if g.chance(8) {
		e.Received = instant("2026-01-01T00:00:00.5Z")
	}
	g.made = append(g.made, e)
	return e
}

// aim draws the target, or the provisional id of an ADD.
func (g *caseGen) aim(d *delta.Delta) (isCell bool) {
	prefix := prefixOf(d.Section)
	name := fmt.Sprintf("new-%s%d", prefix, g.pick(3))
	if d.Operation == delta.Add {
		if g.clean {
			key := string(d.Agent) + name
			if _, taken := g.bound[key]; !taken {
				g.bound[key] = g.count
				d.ProvisionalID = name
			}
		} else if g.chance(2) {
			d.ProvisionalID = name
		}
		return false
	}
	if d.Section == delta.ResearchThread {
		return false
	}
	target := fmt.Sprintf("%s%d", prefix, 1+g.pick(4))
	if g.clean {
		target = fmt.Sprintf("%s%d", prefix, 1+g.pick(2)) // those of the base
	}
	if g.chance(3) {
		target = name
	}
	if d.Section == delta.PredictionsTable && g.chance(2) {
		target += "." + g.key()
		isCell = true
	}
	d.TargetID = delta.Target(target)
	return isCell
}

func (g *caseGen) key() string { return g.one("H1", "H2", "new-H0", "new-H1", "new-X0") }

func (g *caseGen) payload(d *delta.Delta, isCell bool) string {
	if d.Operation == delta.Kill {
		return g.one(``, `{"reason":"r1"}`, `{"reason":"r2"}`)
	}
	if isCell {
		return `{"outcome":"` + g.one("up", "down") + `"}`
	}
	var parts []string
	maybe := func(of int, part func() string) {
		if g.chance(of) {
			parts = append(parts, part())
		}
	}
	list := func(name string, elements ...string) func() string {
		return func() string {
			var els []string
			for _, el := range elements {
				if g.chance(2) {
					els = append(els, `"`+el+`"`)
				}
			}
			part := `"` + name + `":[` + strings.Join(els, ",") + `]`
			if g.chance(3) {
				part += `,"` + name + `_replace":true`
			}
			return part
		}
	}
	text := func(name string, values ...string) func() string {
		return func() string { return `"` + name + `":"` + g.one(values...) + `"` }
	}
	required := 1
	if d.Operation == delta.Edit {
		required = 2
	}
	if d.Operation == delta.Add && !g.clean && g.chance(15) {
		required = 2 // may miss a required field
	}
	switch d.Section {
	case delta.HypothesisSlate:
		maybe(required, text("claim", "c1", "c2", "c3"))
		maybe(required, text("mechanism", "m1", "m2"))
		maybe(3, func() string { return `"third_alternative":` + g.one("true", "false") })
		maybe(3, list("labels", "Third Alternative", "x", "y"))
		maybe(6, text("name", "n", "A third alternative"))
	case delta.PredictionsTable:
		maybe(required, text("condition", "k1", "k2"))
		maybe(required, func() string {
			var cells []string
			for _, key := range []string{"H1", "H2", "new-H0", "new-X0"} {
				if g.chance(2) {
					cells = append(cells, `"`+key+`":"`+g.one("up", "down", "same")+`"`)
				}
			}
			return `"predictions":{` + strings.Join(cells, ",") + `}`
		})
	case delta.DiscriminativeTests:
		maybe(required, text("name", "n1", "n2"))
		maybe(required, text("procedure", "p1", "p2"))
		maybe(required, text("discriminates", "H1 vs H2"))
		maybe(required, func() string { return `"expected_outcomes":{"` + g.key() + `":"` + g.one("e1", "e2") + `"}` })
		maybe(2, func() string {
			return `"score":{"cost":` + g.one("0", "1", "3") + `,"speed":` + g.one("2", "2.5", "7") + `}`
		})
	case delta.AnomalyRegister:
		maybe(required, text("name", "n1", "n2"))
		maybe(required, text("observation", "o1", "o2"))
		maybe(2, list("conflicts_with", "H1", "H2", "new-H0", "new-H1"))
		maybe(4, text("status", "active", "resolved", "gone"))
		maybe(4, text("unknown", "u1", "u2"))
	default:
		maybe(2, text("statement", "s1", "s2"))
		maybe(2, list("anchors", "a", "b", "c"))
	}
	if d.Operation == delta.Edit && g.chance(5) {
		parts = append(parts, `"replace":true`)
	}
	return `{` + strings.Join(parts, ",") + `}`
}

func drawBatches(t *rapid.T) ([][]delta.Entry, delta.Options) {
	g := &caseGen{T: t}
	batches := make([][]delta.Entry, rapid.IntRange(1, 3).Draw(t, "batches"))
	for i := range batches {
		batches[i] = make([]delta.Entry, rapid.IntRange(1, 8).Draw(t, "deltas"))
		for j := range batches[i] {
			batches[i][j] = g.entry()
		}
	}
	opts := delta.Options{Priority: [][]brenner.ActorName{nil, {"Bob"}, {"Cy", "Ann"}}[g.pick(3)]}
	return batches, opts
}

// mergeProperties is every property of D22 on one random case: a base and up
// to two later merges, against the oracle.
func mergeProperties(t *rapid.T) {
	batches, opts := drawBatches(t)
	seed := rapid.Uint64().Draw(t, "shuffle")
	var base *delta.Artifact
	var before []byte
	oracle := &oracleState{priority: opts.Priority}
	for n, batch := range batches {
		r := delta.Merge(base, batch, opts)
		raw := canon.MustMarshal(r.Artifact)

		// D22, D9: the same as the oracle.
		next, outcomes := oracle.merge(batch)
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
		noTrace(t, base, batch, opts, r)
		stays(t, base, r.Artifact)

		base, before, oracle = r.Artifact, raw, next
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

// noTrace: D22, a rejected delta leaves no trace.
func noTrace(t *rapid.T, base *delta.Artifact, batch []delta.Entry, opts delta.Options, r delta.Result) {
	var kept []delta.Entry
	for i := range batch {
		if r.Outcomes[i].Status != delta.Rejected {
			kept = append(kept, batch[i])
		}
	}
	if len(kept) == len(batch) {
		return
	}
	without := delta.Merge(base, kept, opts)
	if !reflect.DeepEqual(without.Artifact, r.Artifact) {
		t.Fatalf("a rejected delta left a trace\n%s", dump(batch))
	}
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
	check(t, 20_000, mergeProperties)
}

func FuzzMerge(f *testing.F) { f.Fuzz(rapid.MakeFuzz(mergeProperties)) }

// splitProperty: D9, any split into batches shows the same items, matched by
// the delta that added them.
func splitProperty(t *rapid.T) {
	g := &caseGen{T: t, clean: true, bound: map[string]int{}}
	base := delta.Merge(nil, splitBase(), delta.Options{}).Artifact
	all := make([]delta.Entry, rapid.IntRange(2, 14).Draw(t, "deltas"))
	for i := range all {
		all[i] = g.entry()
	}
	opts := delta.Options{Priority: [][]brenner.ActorName{nil, {"Bob"}, {"Cy", "Ann"}}[g.pick(3)]}
	batches := make([][]delta.Entry, rapid.IntRange(2, 5).Draw(t, "batches"))
	at := map[string]int{}
	for _, e := range all { // ADDs first: nothing may target an item of a later batch
		if e.Delta.Operation == delta.Add {
			b := g.pick(len(batches))
			batches[b] = append(batches[b], e)
			at[string(e.Delta.Agent)+e.Delta.ProvisionalID] = b
		}
	}
	for _, e := range all {
		if e.Delta.Operation != delta.Add {
			row, _, _ := strings.Cut(string(e.Delta.TargetID), ".")
			first := at[string(e.Delta.Agent)+row]
			b := first + g.pick(len(batches)-first)
			batches[b] = append(batches[b], e)
		}
	}
	once := delta.Merge(base, all, opts)
	split := base
	for _, batch := range batches {
		split = delta.Merge(split, batch, opts).Artifact
	}
	if d := difference(byIdentity(once.Artifact), byIdentity(split)); d != "" {
		t.Fatalf("in one merge − in %d merges +\n%s\n%s", len(batches), d, dump(all))
	}
}

func splitBase() []delta.Entry {
	var all []delta.Entry
	add := func(section delta.Section, payload string) {
		for range 2 {
			all = append(all, delta.Entry{Delta: delta.Delta{
				DeltaID: fmt.Sprintf("base%d", len(all)), Timestamp: "2026-01-01T00:00:00.7Z", Agent: "Ann", Operation: delta.Add,
				Section: section, Payload: jsontext.Value(payload),
			}})
		}
	}
	add(delta.HypothesisSlate, `{"claim":"c","mechanism":"m","third_alternative":true}`)
	add(delta.PredictionsTable, `{"condition":"k","predictions":{"H1":"same"}}`)
	add(delta.DiscriminativeTests, `{"name":"n","procedure":"p","discriminates":"d","expected_outcomes":{"H1":"e"}}`)
	add(delta.AnomalyRegister, `{"name":"n","observation":"o","conflicts_with":["H1"]}`)
	return all
}

// byIdentity is what an artifact shows with every item id replaced by the
// delta that added the item.
func byIdentity(a *delta.Artifact) map[string]row {
	names := map[string]string{"RT": "RT"}
	for _, schema := range delta.Schemas() {
		for _, it := range a.Items(schema.Section) {
			if h := it.History(anyField(schema)); schema.Section != delta.ResearchThread {
				names[string(it.ID())] = h[0].DeltaID
			}
		}
	}
	rename := func(id string) string {
		if n, ok := names[id]; ok {
			return n
		}
		return id
	}
	slot := func(s string) string {
		if field, key, ok := strings.Cut(s, "."); ok {
			return field + "." + rename(key)
		}
		return s
	}
	out := map[string]row{}
	for id, r := range rows(canon.MustMarshal(a)) {
		named := row{map[string]string{}, map[string][]string{}, map[string][]string{}, map[string]string{}, r.Killed}
		for k, v := range r.Fields {
			named.Fields[slot(k)] = v
		}
		for k, v := range r.Conflicts {
			named.Conflicts[slot(k)] = v
		}
		for k, v := range r.KilledCells {
			named.KilledCells[rename(k)] = v
		}
		for k, v := range r.Lists {
			named.Lists[k] = slices.Clone(v)
			for i := range v {
				named.Lists[k][i] = rename(v[i])
			}
		}
		out[rename(id)] = named
	}
	return out
}

func TestMerge_AnySplitShowsTheSameItems(t *testing.T) {
	// D9: invariance under any split into batches.
	check(t, 3_000, splitProperty)
}

func FuzzMergeSplit(f *testing.F) { f.Fuzz(rapid.MakeFuzz(splitProperty)) }

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
	for i := range 1_500 {
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
		"rejected INVALID_DELTA", "rejected DELTA_ID_REUSED", "rejected NO_THIRD_ALTERNATIVE",
	} {
		if seen[want] < 3 {
			t.Errorf("%q was met %d times", want, seen[want])
		}
	}
}

package delta_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"brenner/canon"
	"brenner/delta"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// splitProperty: D9, any split into batches shows the same items, matched by
// the delta that added them.
func splitProperty(t *rapid.T) {
	g := &caseGen{T: t, clean: true}
	base := delta.Merge(nil, splitBase(), delta.Options{}).Artifact
	all := make([]delta.Entry, rapid.IntRange(2, 14).Draw(t, "deltas"))
	for i := range all {
		all[i] = g.entry()
	}
	opts := g.options()
	all = eachIDOnce(all)
	batches := make([][]delta.Entry, rapid.IntRange(2, 5).Draw(t, "batches"))
	for _, e := range all {
		b := g.pick(len(batches))
		batches[b] = append(batches[b], e)
	}
	once := delta.Merge(base, all, opts)
	split, carried := base, []delta.Entry(nil)
	for _, batch := range batches {
		batch = append(batch, carried...)
		r := delta.Merge(split, batch, opts)
		split, carried = r.Artifact, waiting(r, batch)
	}
	if d := difference(byIdentity(once.Artifact), byIdentity(split)); d != "" {
		t.Fatalf("in one merge − in %d merges +\n%s\n%s", len(batches), d, dump(all))
	}
}

// eachIDOnce keeps a set to what D9 claims: an id, a provisional id or a saying
// of a message belongs to what was recorded with it first, so no split can be
// invariant where two acceptable deltas claim it. Copies of a delta stay, and
// so do deltas that are refused for their form: they claim nothing.
func eachIDOnce(all []delta.Entry) []delta.Entry {
	var kept []delta.Entry
	for _, e := range all {
		_, err := delta.Check(e.Delta)
		clashes := slices.ContainsFunc(kept, func(k delta.Entry) bool {
			if _, bad := delta.Check(k.Delta); bad != nil || reflect.DeepEqual(k, e) {
				return false
			}
			said, old := e.Delta, k.Delta
			for _, d := range []*delta.Delta{&said, &old} {
				d.DeltaID, d.Seq, d.Timestamp = "", 0, ""
			}
			return k.Message == e.Message && (k.Delta.DeltaID == e.Delta.DeltaID || e.Message != "" && reflect.DeepEqual(said, old)) ||
				e.Delta.ProvisionalID != "" && k.Delta.Agent == e.Delta.Agent && k.Delta.ProvisionalID == e.Delta.ProvisionalID
		})
		if err != nil || !clashes {
			kept = append(kept, e)
		}
	}
	return kept
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
				names[string(it.ID())] = h[0].Message + "/" + h[0].DeltaID
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
	check(t, soaked(1_200, 100_000), splitProperty)
}

func FuzzMergeSplit(f *testing.F) { f.Fuzz(rapid.MakeFuzz(splitProperty)) }

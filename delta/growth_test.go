package delta_test

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"brenner/delta"
)

// BenchmarkMergeGrowth tells what a merge of ten times as many deltas costs
// (D23), and why. Every size is measured in turn, as often as it takes for as
// many deltas, and the least processor time of all rounds counts. x is that of
// a set divided by that of one of a tenth; apart is that of a set divided by
// that of ten different ones of a tenth whose results are all kept: as many
// deltas in as much memory, so that what is left is work; bare is that of a pass
// over the same deltas that only sorts them, makes their payloads canonical and
// keeps them by id, divided by that of one over a tenth: what the machine makes of
// more memory, whatever is done with it. Run it with -benchtime 10x.
func BenchmarkMergeGrowth(b *testing.B) {
	const most = 100_000
	sizes := []int{1_000, 10_000, most}
	base := threeHypotheses(b)
	sets := map[int][][]delta.Entry{}
	least := map[string]float64{}
	for _, n := range sizes {
		for i := range most / n {
			sets[n] = append(sets[n], mixedFrom(n, uint64(i)))
		}
	}
	measure := func(name string, merges int, merge func(i int)) {
		runtime.GC()
		began := processTime()
		for i := range merges {
			merge(i)
		}
		if took := float64(processTime() - began); least[name] == 0 || took < least[name] {
			least[name] = took
		}
	}
	for range b.N {
		for _, n := range sizes {
			measure(fmt.Sprint("same", n), most/n, func(int) { delta.Merge(base, sets[n][0], delta.Options{}) })
			measure(fmt.Sprint("bare", n), most/n, func(int) { barePass(sets[n][0]) })
			kept := make([]delta.Result, most/n)
			measure(fmt.Sprint("apart", n), most/n, func(i int) { kept[i] = delta.Merge(base, sets[n][i], delta.Options{}) })
			runtime.KeepAlive(kept)
		}
	}
	for i, n := range sizes {
		same := least[fmt.Sprint("same", n)]
		b.ReportMetric(math.Round(same/most), fmt.Sprintf("ns/delta/%d", n))
		if i > 0 {
			b.ReportMetric(10*same/least[fmt.Sprint("same", sizes[i-1])], fmt.Sprintf("x/%d", n))
			b.ReportMetric(10*least[fmt.Sprint("bare", n)]/least[fmt.Sprint("bare", sizes[i-1])], fmt.Sprintf("bare/%d", n))
			b.ReportMetric(10*least[fmt.Sprint("apart", n)]/least[fmt.Sprint("apart", sizes[i-1])], fmt.Sprintf("apart/%d", n))
		}
	}
	b.ReportMetric(least[fmt.Sprint("same", 10_000)]/10/float64(time.Millisecond), "cpu-ms/10000")
}

// barePass does what any merge has to do, and nothing else: it sorts deltas by
// their timestamps and ids, and keeps each with its canonical payload by its id.
func barePass(entries []delta.Entry) int {
	order := make([]int32, len(entries))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := &entries[a].Delta, &entries[b].Delta
		return cmp.Or(strings.Compare(x.Timestamp, y.Timestamp), strings.Compare(x.DeltaID, y.DeltaID), cmp.Compare(a, b))
	})
	kept, byID := make([]delta.Delta, 0, len(entries)), make(map[string]int32, len(entries))
	for _, i := range order {
		d := entries[i].Delta
		d.Payload = slices.Clone(d.Payload)
		if d.Payload.Canonicalize() == nil {
			byID[d.DeltaID] = int32(len(kept))
			kept = append(kept, d)
		}
	}
	return len(byID)
}

// TestMerge_CountedWork does what scripts/instructions counts the instructions of: some
// merges, with what they show and find, of so many deltas of a shape. Instructions say
// how the work grows on any machine, however busy.
func TestMerge_CountedWork(t *testing.T) {
	name := os.Getenv("BRENNER_COUNT_SHAPE")
	if name == "" {
		t.Skip("scripts/instructions runs it")
	}
	debug.SetGCPercent(-1) // when it collects depends on the clock
	n, err := strconv.Atoi(os.Getenv("BRENNER_COUNT_DELTAS"))
	if err != nil {
		t.Fatal(err)
	}
	times, err := strconv.Atoi(os.Getenv("BRENNER_COUNT_TIMES"))
	if err != nil {
		t.Fatal(err)
	}
	base := threeHypotheses(t)
	if name == "one" { // into an artifact of n items
		base = delta.Merge(base, adds(n), delta.Options{}).Artifact
		for i := range times {
			if r := delta.Merge(base, oneMore(i), delta.Options{}); r.Recorded() != 1 {
				t.Fatal(r.Outcomes)
			}
		}
		return
	}
	entries := mixed(n)
	if name != "mixed" {
		at := slices.IndexFunc(shapes, func(s shape) bool { return strings.ReplaceAll(s.name, " ", "-") == name })
		if at < 0 {
			t.Fatalf("there is no shape %q", name)
		}
		entries = shaped(n, shapes[at].make)
	}
	for range times {
		r := delta.Merge(base, entries, delta.Options{})
		if name != "mixed" && len(delta.Render(r.Artifact))+len(delta.Lint(r.Artifact)) == 0 {
			t.Fatal("nothing to see")
		}
	}
}

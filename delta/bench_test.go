package delta_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"brenner"
	"brenner/delta"

	"github.com/go-json-experiment/json/jsontext"
)

// mixed makes n deltas as a busy session would: 60 % ADD over predictions,
// assumptions, anomalies and critiques, 30 % EDIT, 10 % KILL, shuffled.
func mixed(n int) []delta.Entry { return mixedFrom(n, 0) }

// mixedFrom makes another set for each seed.
func mixedFrom(n int, seed uint64) []delta.Entry {
	rng := rand.New(rand.NewPCG(1+seed, uint64(n)))
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	type added struct {
		section delta.Section
		name    string
		agent   brenner.ActorName
	}
	var items []added
	entries := make([]delta.Entry, 0, n)
	for i := range n {
		agent := brenner.ActorName(fmt.Sprintf("Agent%d", rng.IntN(20)))
		d := delta.Delta{
			DeltaID: fmt.Sprintf("d-%d", i), Agent: agent, Seq: 1,
			Timestamp: delta.FormatInstant(start.Add(time.Duration(i/4) * time.Second)),
			Rationale: "because the evidence says so",
		}
		switch k := rng.IntN(10); {
		case k < 6 || len(items) == 0:
			d.Operation = delta.Add
			d.Section, d.Payload = addPayload(rng, i)
			d.ProvisionalID = fmt.Sprintf("N-%d", i)
			items = append(items, added{d.Section, d.ProvisionalID, agent})
		case k < 9:
			it := items[rng.IntN(len(items))]
			d.Operation, d.Section, d.TargetID, d.Agent = delta.Edit, it.section, delta.Target(it.name), it.agent
			d.Payload = editPayload(it.section, i)
		default:
			it := items[rng.IntN(len(items))]
			d.Operation, d.Section, d.TargetID, d.Agent = delta.Kill, it.section, delta.Target(it.name), it.agent
			d.Payload = jsontext.Value(`{"reason":"superseded by a better item"}`)
		}
		entries = append(entries, delta.Entry{Delta: d})
	}
	rng.Shuffle(n, func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	return entries
}

func addPayload(rng *rand.Rand, i int) (delta.Section, jsontext.Value) {
	switch rng.IntN(4) {
	case 0:
		return delta.PredictionsTable, jsontext.Value(fmt.Sprintf(`{"condition":"late transplant %d","predictions":{"H1":"no change","H2":"fate switches"}}`, i))
	case 1:
		return delta.AssumptionLedger, jsontext.Value(fmt.Sprintf(`{"name":"assumption %d","statement":"diffusion is fast enough","scale_check":true,"calculation":"t = x^2 / 2D"}`, i))
	case 2:
		return delta.AnomalyRegister, jsontext.Value(fmt.Sprintf(`{"name":"anomaly %d","observation":"cells ignore the gradient","conflicts_with":["H1"],"status":"active"}`, i))
	}
	return delta.AdversarialCritique, jsontext.Value(fmt.Sprintf(`{"name":"critique %d","attack":"both hypotheses share an assumption","evidence":"see A1"}`, i))
}

func editPayload(s delta.Section, i int) jsontext.Value {
	switch s {
	case delta.PredictionsTable:
		return jsontext.Value(fmt.Sprintf(`{"predictions":{"H3":"outcome %d"}}`, i))
	case delta.AssumptionLedger:
		return jsontext.Value(`{"status":"verified","labels":["scale"]}`)
	case delta.AnomalyRegister:
		return jsontext.Value(fmt.Sprintf(`{"resolution_plan":"plan %d","conflicts_with":["H2"]}`, i))
	}
	return jsontext.Value(fmt.Sprintf(`{"current_status":"status %d"}`, i))
}

// threeHypotheses are what the predictions are about.
func threeHypotheses(tb testing.TB) *delta.Artifact {
	tb.Helper()
	return mergeAll(tb, nil, hypotheses(3)...).Artifact
}

// BenchmarkMerge shows that a merge is near-linear (D23): growth/decade is the
// time divided by that of a tenth of the deltas, measured in the same run, by
// the clock and in processor time, the collector's included. They differ when
// the machine is busy with other things.
func BenchmarkMerge(b *testing.B) {
	var wallBefore, cpuBefore float64
	for _, n := range []int{100, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("deltas=%d", n), func(b *testing.B) {
			entries, base := mixed(n), threeHypotheses(b)
			b.ReportAllocs()
			began := processTime()
			for b.Loop() {
				if r := delta.Merge(base, entries, delta.Options{}); r.Artifact.Version() != 2 {
					b.Fatal("nothing was recorded")
				}
			}
			wall, cpu := float64(b.Elapsed())/float64(b.N), float64(processTime()-began)/float64(b.N)
			b.ReportMetric(cpu, "cpu-ns")
			if wallBefore > 0 {
				b.ReportMetric(wall/wallBefore, "growth/decade")
				b.ReportMetric(cpu/cpuBefore, "cpu-growth/decade")
			}
			wallBefore, cpuBefore = wall, cpu
		})
	}
}

// BenchmarkMergeIncremental merges one delta into an artifact of 10,000 items
// and gives its processor time as a percentage of the full merge, measured in
// the same run (goal: less than 0.1).
func BenchmarkMergeIncremental(b *testing.B) {
	entries := adds(10_000)
	began := processTime()
	base := delta.Merge(threeHypotheses(b), entries, delta.Options{}).Artifact
	full := processTime() - began
	i := 0
	b.ReportAllocs()
	began = processTime()
	for b.Loop() {
		i++
		if r := delta.Merge(base, oneMore(i), delta.Options{}); r.Recorded() != 1 {
			b.Fatal(r.Outcomes)
		}
	}
	one := float64(processTime()-began) / float64(b.N)
	b.ReportMetric(one, "cpu-ns")
	b.ReportMetric(float64(full), "full-cpu-ns")
	b.ReportMetric(100*one/float64(full), "%full")
}

// adds gives the first n ADDs of a mixed set.
func adds(n int) (entries []delta.Entry) {
	for _, e := range mixed(2 * n) {
		if e.Delta.Operation == delta.Add && len(entries) < n {
			entries = append(entries, e)
		}
	}
	return entries
}

// oneMore is the i-th delta that comes alone, an edit of one of many items.
func oneMore(i int) []delta.Entry {
	return []delta.Entry{{Delta: delta.Delta{
		DeltaID: fmt.Sprintf("new-%d", i), Agent: "Agent1", Timestamp: "2026-06-01T00:00:00Z", Operation: delta.Edit,
		TargetID: "A7", Section: delta.AssumptionLedger, Payload: jsontext.Value(`{"load":"heavy"}`),
	}}}
}

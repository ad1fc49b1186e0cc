package embed

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkVec prints the median and the 99th percentile of one embedding of
// the built-in model, over the sentences of the published vectors.
func BenchmarkVec(b *testing.B) {
	m := Builtin()
	b.ReportAllocs()
	took := make([]time.Duration, 0, b.N)
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		m.Vec(vectors[i%len(vectors)].text)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "p99-µs")
}

// BenchmarkReadModel is the cost of the first use.
func BenchmarkReadModel(b *testing.B) {
	for b.Loop() {
		if _, err := readModel(builtinBytes); err != nil {
			b.Fatal(err)
		}
	}
}

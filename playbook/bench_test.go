package playbook

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
)

// B14: BenchmarkCurate prints the median and the 99th percentile of curating
// one insight without embedding it: by the clock (wall) and as time of one
// core (cpu), which differ when the machine is busy with other things; and how
// many times more processor time a plain loop over the same vectors takes in
// the same run.
func BenchmarkCurate(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("bullets=%d", n), func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			book, r, topics := filledBook(b, n)
			options := CurateOptions{Act: Act{At: noon, Actor: agent}, Embedding: book.settings.Embedding}
			var wall, cpu []time.Duration
			for b.Loop() {
				in := Insight{Section: Helpful, Content: "lesson new", Confidence: 1, Vector: textLike(r, topics)}
				if len(wall)%4 == 0 { // one in four strengthens a bullet
					in.Vector = slices.Clone(book.index.row(r.IntN(n)))
				}
				start, startCPU := time.Now(), threadTime()
				c, err := book.Curate([]Insight{in}, options)
				cpu, wall = append(cpu, threadTime()-startCPU), append(wall, time.Since(start))
				if err != nil || len(c.Updates) == 0 {
					b.Fatal(err)
				}
			}
			b.ReportMetric(percentile(wall, 50), "wall-p50-ms")
			b.ReportMetric(percentile(wall, 99), "wall-p99-ms")
			b.ReportMetric(percentile(cpu, 50), "cpu-p50-ms")
			b.ReportMetric(percentile(cpu, 99), "cpu-p99-ms")

			var plain []time.Duration
			query := textLike(r, topics)
			for range 9 {
				start := threadTime()
				plainSearch(book.index, query)
				plain = append(plain, threadTime()-start)
			}
			b.ReportMetric(percentile(plain, 50), "plain-loop-ms")
			b.ReportMetric(percentile(plain, 50)/percentile(cpu, 50), "plain-loop-ratio")
		})
	}
}

// percentile gives the p-th in milliseconds.
func percentile(took []time.Duration, p int) float64 {
	slices.Sort(took)
	return float64(took[min(len(took)-1, len(took)*p/100)].Nanoseconds()) / 1e6
}

// plainSearch is the reference: one float32 product after another.
func plainSearch(x *index, q []float32) (best float32) {
	for i := range x.keys {
		var sum float32
		for k, v := range x.row(i) {
			sum += v * q[k]
		}
		best = max(best, sum)
	}
	return best
}

package playbook

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// B14: BenchmarkCurate prints the median and the 99th percentile of curating
// one insight, without embedding it, on one core, and how many times longer a
// plain loop over the same vectors takes in the same run.
func BenchmarkCurate(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("bullets=%d", n), func(b *testing.B) {
			book, r, topics := filledBook(b, n)
			act := Act{At: noon, Actor: agent}
			options := CurateOptions{Act: act, Embedding: book.settings.Embedding}
			var took []time.Duration
			for b.Loop() {
				in := Insight{Section: Helpful, Content: "lesson new", Confidence: 1, Vector: textLike(r, topics)}
				if len(took)%4 == 0 { // one in four strengthens a bullet
					in.Vector = slices.Clone(book.index.row(r.IntN(n)))
				}
				start := time.Now()
				c, err := book.Curate([]Insight{in}, options)
				took = append(took, time.Since(start))
				if err != nil || len(c.Updates) == 0 {
					b.Fatal(err)
				}
			}
			slices.Sort(took)
			p50, p99 := took[len(took)/2], took[len(took)*99/100]
			b.ReportMetric(ms(p50), "p50-ms")
			b.ReportMetric(ms(p99), "p99-ms")

			query := textLike(r, topics)
			start := time.Now()
			var loops int
			for loops = 0; loops < 3; loops++ {
				plainSearch(book.index, query)
			}
			b.ReportMetric(float64(time.Since(start))/float64(loops)/float64(p50), "plain-loop-ratio")
		})
	}
}

func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

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

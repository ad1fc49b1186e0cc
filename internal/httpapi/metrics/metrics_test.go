package metrics_test

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"brenner/internal/httpapi/metrics"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

func pageOf(t *testing.T, h http.Handler) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	if kind := w.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/plain; version=0.0.4; charset=utf-8") {
		t.Errorf("it calls itself %q", kind)
	}
	return w.Body.String()
}

// lines gives those of a page that are about metrics of which about says so.
func lines(page string, about func(line string) bool) []string {
	return slices.DeleteFunc(strings.Split(page, "\n"), func(line string) bool { return !about(line) })
}

// What is counted is written as Prometheus' own library writes it, to the byte.
func TestSet_WritesWhatTheLibraryWrites(t *testing.T) {
	bounds := []float64{.001, .0025, .25, 1, 60, 1e6, 2.5e21}
	words := []string{"", "Project", "ARTIFACT_NOT_FOUND", `"`, `\`, "a\nb", "é, {x}", "=", "\x00", "z z"}
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a test
		word := func() string { return words[random.IntN(len(words))] }

		var ours metrics.Set
		three := ours.Counter("brenner_c_total", "Three\nlabels, a \\ and a \".", "a", "b", "c")
		none := ours.Counter("brenner_a_total", "No label.")
		seconds := ours.Histogram("brenner_b_seconds", "One label.", bounds, "call")
		bare := ours.Histogram("brenner_e_seconds", "No label.", bounds)
		gauge := ours.Gauge("brenner_d", "A gauge.")
		ours.Counter("brenner_nothing_total", "Never counted.", "a")

		theirs := prometheus.NewRegistry()
		theirThree := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "brenner_c_total", Help: "Three\nlabels, a \\ and a \"."}, []string{"a", "b", "c"})
		theirNone := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "brenner_a_total", Help: "No label."}, nil)
		theirSeconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "brenner_b_seconds", Help: "One label.", Buckets: bounds}, []string{"call"})
		theirBare := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "brenner_e_seconds", Help: "No label.", Buckets: bounds}, nil)
		theirGauge := prometheus.NewGauge(prometheus.GaugeOpts{Name: "brenner_d", Help: "A gauge."})
		theirs.MustRegister(theirThree, theirNone, theirSeconds, theirBare, theirGauge,
			prometheus.NewCounterVec(prometheus.CounterOpts{Name: "brenner_nothing_total", Help: "Never counted."}, []string{"a"}))

		for range random.IntN(200) {
			switch a, b, c := word(), word(), word(); random.IntN(4) {
			case 0:
				three.Inc(a, b, c)
				theirThree.WithLabelValues(a, b, c).Inc()
			case 1:
				none.Inc()
				theirNone.WithLabelValues().Inc()
			case 2:
				v := random.ExpFloat64()
				if random.IntN(4) == 0 {
					v = bounds[random.IntN(len(bounds))] // on a bound: it belongs below
				}
				seconds.Observe(v, a)
				theirSeconds.WithLabelValues(a).Observe(v)
				bare.Observe(v)
				theirBare.WithLabelValues().Observe(v)
			case 3:
				n := random.IntN(7) - 3
				gauge.Add(n)
				theirGauge.Add(float64(n))
			}
		}
		about := func(line string) bool { return strings.Contains(line, "brenner_") }
		got, want := lines(pageOf(t, &ours), about), lines(pageOf(t, promhttp.HandlerFor(theirs, promhttp.HandlerOpts{})), about)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-library +ours):\n%s", seed, diff)
		}
	}
}

// The program and its process are described by the names, kinds, labels and words
// of the library, all but one that only runtime/metrics knows.
func TestSet_DescribesTheProgramAsTheLibraryDoes(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the library knows other things of other systems; ours reads /proc")
	}
	runtime.GC()
	theirs := prometheus.NewRegistry()
	theirs.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	ours := pageOf(t, &metrics.Set{})
	library := pageOf(t, promhttp.HandlerFor(theirs, promhttp.HandlerOpts{}))
	shape := func(page string) (shape []string) {
		for _, line := range lines(page, func(line string) bool { return line != "" && !strings.Contains(line, "go_gc_gogc_percent") }) {
			if !strings.HasPrefix(line, "#") {
				line, _, _ = strings.Cut(line, " ") // values move
			}
			shape = append(shape, line)
		}
		slices.Sort(shape)
		return shape
	}
	if diff := cmp.Diff(shape(library), shape(ours)); diff != "" {
		t.Errorf("(-library +ours):\n%s", diff)
	}
	// What does not move is the same.
	steady := func(line string) bool {
		for _, name := range []string{"go_info", "go_gc_gomemlimit", "go_sched_", "process_max_fds", "process_start_time", "process_virtual_memory_max"} {
			if strings.HasPrefix(line, name) {
				return true
			}
		}
		return false
	}
	if diff := cmp.Diff(lines(library, steady), lines(ours, steady)); diff != "" || len(lines(ours, steady)) != 6 {
		t.Errorf("(-library +ours):\n%s", diff)
	}
	for _, name := range []string{"process_cpu_seconds_total", "process_open_fds", "process_resident_memory_bytes", "process_virtual_memory_bytes", "go_goroutines", "go_threads", "go_gc_duration_seconds_count"} {
		if strings.Contains(ours, "\n"+name+" 0\n") && name != "process_cpu_seconds_total" {
			t.Errorf("%s is nothing, of process %d", name, os.Getpid())
		}
	}
}

// Many count at once, and nothing is lost.
func TestSet_CountsFromManyAtOnce(t *testing.T) {
	var s metrics.Set
	c, h, g := s.Counter("c_total", "C.", "a"), s.Histogram("h_seconds", "H.", []float64{1}, "a"), s.Gauge("g", "G.")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 500 {
				c.Inc("x")
				h.Observe(.5, "x")
				g.Add(1)
				g.Add(-1)
			}
			_ = pageOf(t, &s)
		})
	}
	all.Wait()
	page := pageOf(t, &s)
	for _, want := range []string{"c_total{a=\"x\"} 4000\n", "h_seconds_bucket{a=\"x\",le=\"1\"} 4000\n", "h_seconds_sum{a=\"x\"} 2000\n", "\ng 0\n"} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %q in\n%s", want, page)
		}
	}
}

// A value that is no UTF-8 leaves the page readable.
func TestSet_KeepsThePageUTF8(t *testing.T) {
	var s metrics.Set
	s.Counter("c_total", "C.", "a").Inc("a\xffb")
	if page := pageOf(t, &s); !strings.Contains(page, "c_total{a=\"a\uFFFDb\"} 1\n") {
		t.Errorf("the page is\n%s", page)
	}
}

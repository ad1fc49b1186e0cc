// Package metrics counts what a server does and writes it in the text format that
// Prometheus and all that took it over read (version 0.0.4).
package metrics

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"brenner/internal/order"
)

// labels are the most that a metric has.
const labels = 3

// values are those of the labels of one series, in the order of their names.
type values [labels]string

func valuesOf(names []string, given []string) values {
	if len(given) != len(names) {
		panic("metrics: " + strconv.Itoa(len(given)) + " values for the labels " + strings.Join(names, ", "))
	}
	var v values
	copy(v[:], given)
	return v
}

// Set is all that one page shows.
type Set struct {
	families []family
}

// family is one metric with its series.
type family struct {
	name, help, kind string
	write            func(p *page, name string)
}

func (s *Set) add(name, help, kind string, write func(*page, string)) {
	s.families = append(s.families, family{name, help, kind, write})
	order.By(s.families, func(a, b family) int { return cmp.Compare(a.name, b.name) })
}

// ServeHTTP writes the page. A metric of which nothing has been counted is left out.
func (s *Set) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	p := &page{}
	for _, f := range s.families {
		p.show(f)
	}
	p.program()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(p.b)
}

// Gauge is a number that goes up and down.
type Gauge struct {
	mu sync.Mutex
	n  int
}

// Gauge adds one.
func (s *Set) Gauge(name, help string) *Gauge {
	g := &Gauge{}
	s.add(name, help, "gauge", func(p *page, name string) {
		g.mu.Lock()
		defer g.mu.Unlock()
		p.sample(name, "", float64(g.n))
	})
	return g
}

// Add adds to it.
func (g *Gauge) Add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n += n
}

// Counter is a number for each combination of labels that only grows.
type Counter struct {
	names []string
	mu    sync.Mutex
	n     map[values]uint64
}

// Counter adds one. Its labels are given in their order.
func (s *Set) Counter(name, help string, labels ...string) *Counter {
	c := &Counter{names: labels, n: make(map[values]uint64)}
	s.add(name, help, "counter", func(p *page, name string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, v := range sorted(c.n) {
			p.sample(name, labelled(c.names, v), float64(c.n[v]))
		}
	})
	return c
}

// Inc counts one.
func (c *Counter) Inc(given ...string) {
	v := valuesOf(c.names, given)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[v]++
}

// Histogram counts, for each combination of labels, how many observations were at
// most so great.
type Histogram struct {
	names  []string
	bounds []float64
	mu     sync.Mutex
	series map[values]*observed
}

type observed struct {
	counts []uint64 // of each bound, those of lower ones not included; the last has none
	sum    float64
}

// Histogram adds one. Its bounds grow.
func (s *Set) Histogram(name, help string, bounds []float64, labels ...string) *Histogram {
	h := &Histogram{names: labels, bounds: bounds, series: make(map[values]*observed)}
	s.add(name, help, "histogram", h.write)
	return h
}

// Observe counts one observation.
func (h *Histogram) Observe(seconds float64, given ...string) {
	v := valuesOf(h.names, given)
	at, _ := slices.BinarySearch(h.bounds, seconds)
	h.mu.Lock()
	defer h.mu.Unlock()
	o := h.series[v]
	if o == nil {
		o = &observed{counts: make([]uint64, len(h.bounds)+1)}
		h.series[v] = o
	}
	o.counts[at]++
	o.sum += seconds
}

func (h *Histogram) write(p *page, name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, v := range sorted(h.series) {
		o, of, all := h.series[v], labelled(h.names, v), uint64(0)
		for i, n := range o.counts {
			all += n
			bound := "+Inf"
			if i < len(h.bounds) {
				bound = number(h.bounds[i])
			}
			p.sample(name+"_bucket", strings.TrimPrefix(of+`,le="`+bound+`"`, ","), float64(all))
		}
		p.sample(name+"_sum", of, o.sum)
		p.sample(name+"_count", of, float64(all))
	}
}

func sorted[T any](series map[values]T) []values {
	return slices.SortedFunc(maps.Keys(series), func(a, b values) int { return slices.Compare(a[:], b[:]) })
}

var (
	inLabel = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
	inHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
)

// labelled gives labels as they stand between braces.
func labelled(names []string, v values) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(name + `="` + inLabel.Replace(strings.ToValidUTF8(v[i], "\uFFFD")) + `"`)
	}
	return b.String()
}

// number is a value as the format has it.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// page is what is written.
type page struct {
	b []byte
}

// show writes a metric, if it has a series.
func (p *page) show(f family) {
	before := len(p.b)
	p.b = append(p.b, "# HELP "+f.name+" "+inHelp.Replace(f.help)+"\n# TYPE "+f.name+" "+f.kind+"\n"...)
	head := len(p.b)
	if f.write(p, f.name); len(p.b) == head {
		p.b = p.b[:before]
	}
}

func (p *page) sample(name, of string, v float64) {
	p.b = append(p.b, name...)
	if of != "" {
		p.b = append(append(append(p.b, '{'), of...), '}')
	}
	p.b = append(append(append(p.b, ' '), number(v)...), '\n')
}

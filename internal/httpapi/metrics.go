package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics is what a monitoring system reads at /metrics.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	under    prometheus.Gauge
	feeds    prometheus.Gauge
	turns    *prometheus.HistogramVec
	long     *prometheus.CounterVec
	handler  http.Handler
}

func newMetrics() *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "brenner_requests_total", Help: "Requests answered, by use case, HTTP status and error code.",
		}, []string{"call", "status", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "brenner_request_seconds", Help: "How long requests took, by use case.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60},
		}, []string{"call"}),
		under: prometheus.NewGauge(prometheus.GaugeOpts{Name: "brenner_requests_under_way", Help: "Requests under way."}),
		feeds: prometheus.NewGauge(prometheus.GaugeOpts{Name: "brenner_feeds", Help: "Change feeds that are open."}),
		turns: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "brenner_write_turn_seconds", Help: "How long a write had the store to itself, by use case.",
			Buckets: []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60},
		}, []string{"write"}),
		long: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "brenner_write_turns_long_total", Help: "Writes that kept the others waiting for a second or longer, by use case and actor.",
		}, []string{"write", "actor"}),
	}
	reg := prometheus.NewRegistry()
	reg.MustRegister(m.requests, m.seconds, m.under, m.feeds, m.turns, m.long,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(reg, promhttp.HandlerOpts{})
	return m
}

func (m *metrics) count(n *note, took time.Duration) {
	m.requests.WithLabelValues(n.name, strconv.Itoa(n.status), string(n.code)).Inc()
	if n.name != "Feed" { // a feed ends when its reader goes
		m.seconds.WithLabelValues(n.name).Observe(took.Seconds())
	}
}

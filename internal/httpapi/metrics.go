package httpapi

import (
	"strconv"
	"time"

	"brenner/internal/httpapi/metrics"
)

// meters is what a monitoring system reads at /metrics.
type meters struct {
	metrics.Set
	requests *metrics.Counter
	seconds  *metrics.Histogram
	under    *metrics.Gauge
	feeds    *metrics.Gauge
	turns    *metrics.Histogram
	long     *metrics.Counter
}

func newMeters() *meters {
	m := &meters{}
	m.requests = m.Counter("brenner_requests_total", "Requests answered, by use case, HTTP status and error code.", "call", "code", "status")
	m.seconds = m.Histogram("brenner_request_seconds", "How long requests took, by use case.",
		[]float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60}, "call")
	m.under = m.Gauge("brenner_requests_under_way", "Requests under way.")
	m.feeds = m.Gauge("brenner_feeds", "Change feeds that are open.")
	m.turns = m.Histogram("brenner_write_turn_seconds", "How long a write had the store to itself, by use case.",
		[]float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60}, "write")
	m.long = m.Counter("brenner_write_turns_long_total", "Writes that kept the others waiting for a second or longer, by use case and actor.", "actor", "write")
	return m
}

func (m *meters) count(n *note, took time.Duration) {
	m.requests.Inc(n.name, string(n.code), strconv.Itoa(n.status))
	if n.name != "Feed" { // a feed ends when its reader goes
		m.seconds.Observe(took.Seconds(), n.name)
	}
}

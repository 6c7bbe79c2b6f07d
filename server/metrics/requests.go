package metrics

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// requests counts requests. A route keeps the counters that it has used, so that
// counting looks up no label.
type requests struct {
	total   *prometheus.CounterVec
	took    *prometheus.HistogramVec
	refused counters
	codes   []string
	routes  map[string]*route
	unknown *route
}

// route has the counters of one template. They are made when first used: most
// routes of a service are never called.
type route struct {
	template string
	mu       sync.Mutex              // held to add to bound
	bound    atomic.Pointer[[]bound] // copied for each addition
	took     atomic.Pointer[prometheus.Observer]
}

// bound is the counter of one result.
type bound struct {
	code   string
	status int
	count  prometheus.Counter
}

func newRequests(b *builder, opts Options) requests {
	return requests{
		total: b.counter("hush_requests_total"),
		took: b.histogram("hush_request_duration_seconds",
			[]float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10}),
		refused: newCounters(b.counter("hush_refusals_total"), append(slices.Clone(opts.Limits), limitConnections)),
		codes:   opts.Codes, unknown: &route{template: other},
	}
}

// limitConnections is the limit of refused connections.
const limitConnections = "connections"

// SetRoutes names the templates of all routes. Requests of others count as
// "other". It must be called before the first request.
func (m *Metrics) SetRoutes(templates []string) {
	m.requests.routes = make(map[string]*route, len(templates))
	for _, template := range templates {
		m.requests.routes[template] = &route{template: template}
	}
}

// Responded counts a request.
func (m *Metrics) Responded(template, code string, status int, took time.Duration) {
	r, ok := m.requests.routes[template]
	if !ok {
		r = m.requests.unknown
	}
	count, seconds := r.find(code, status)
	if count == nil {
		count, seconds = m.requests.bind(r, code, status)
	}
	count.Inc()
	seconds.Observe(took.Seconds())
}

// find returns the counter of a result if it was used before.
func (r *route) find(code string, status int) (prometheus.Counter, prometheus.Observer) {
	list := r.bound.Load()
	if list == nil {
		return nil, nil
	}
	for i := range *list {
		if b := &(*list)[i]; b.status == status && b.code == code {
			return b.count, *r.took.Load()
		}
	}
	return nil, nil
}

// bind makes the counter of a result. A code or status outside its set counts as
// "other" and is not kept, so that the list of a route is bounded, too.
func (q *requests) bind(r *route, code string, status int) (prometheus.Counter, prometheus.Observer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := slices.Contains(q.codes, code) && http.StatusText(status) != ""
	count := q.total.WithLabelValues(r.template, codeLabel(q.codes, code), statusLabel(status))
	took := r.took.Load()
	if took == nil {
		took = new(q.took.WithLabelValues(r.template))
		r.took.Store(took)
	}
	if !known {
		return count, *took
	}
	var list []bound
	if old := r.bound.Load(); old != nil {
		list = slices.Clone(*old)
	}
	list = append(list, bound{code, status, count})
	r.bound.Store(&list)
	return count, *took
}

func codeLabel(codes []string, code string) string {
	if slices.Contains(codes, code) {
		return code
	}
	return other
}

func statusLabel(status int) string {
	if http.StatusText(status) == "" {
		return other
	}
	return strconv.Itoa(status)
}

// Refused counts a request that a limit refused.
func (m *Metrics) Refused(limit string) { m.requests.refused.of(limit).Inc() }

// RefusedConnection counts a connection or a request that was refused before it
// was read.
func (m *Metrics) RefusedConnection() { m.Refused(limitConnections) }

// Package metrics counts what the service does, for Prometheus. It has a registry
// of its own and no state outside of a Metrics.
//
// It promises that no label tells about a caller, a secret or a domain: each value
// comes from a closed set that is known when the service starts, and what is not
// in its set counts as "other". Only the nodes of a shared store have the names and
// numbers by which the operator knows them. So the number of series is bounded, too.
// Counting a request allocates nothing.
//
// Only this package knows Prometheus: layers below report to
// interfaces of their own, which a Metrics implements, and what is only looked at
// is read when it is scraped.
package metrics

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Options are the closed sets of labels.
type Options struct {
	// Version is that of the program.
	Version string
	// Codes are those of requests, and Limits what refuses them.
	Codes, Limits []string
	// Sweeps are the kinds of sweeps.
	Sweeps []string
	// MailKinds and MailStates are the kinds of mails, and their states after a
	// try.
	MailKinds, MailStates []string
}

// Metrics are the counters of one service. They are safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	scraped  http.Handler
	requests requests
	store    store
	work     work
}

// New returns metrics that are all zero.
func New(opts Options) (*Metrics, error) {
	b := &builder{registry: prometheus.NewRegistry()}
	m := &Metrics{registry: b.registry, scraped: scraper(b.registry)}
	m.requests = newRequests(b, opts)
	m.store = newStore(b)
	m.work = newWork(b, opts)
	b.gauge("hush_build_info").WithLabelValues(opts.Version, runtime.Version()).Set(1)
	b.register(collectors.NewGoCollector())
	b.register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if b.err != nil {
		return nil, fmt.Errorf("metrics: %w", b.err)
	}
	return m, nil
}

// builder makes metrics as the table has them.
type builder struct {
	registry *prometheus.Registry
	err      error
}

func (b *builder) register(c prometheus.Collector) {
	b.err = errors.Join(b.err, b.registry.Register(c))
}

func (b *builder) counter(name string) *prometheus.CounterVec {
	d := find(name)
	made := prometheus.NewCounterVec(prometheus.CounterOpts{Name: d.Name, Help: d.Help}, d.Labels)
	b.register(made)
	return made
}

func (b *builder) gauge(name string) *prometheus.GaugeVec {
	d := find(name)
	made := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: d.Name, Help: d.Help}, d.Labels)
	b.register(made)
	return made
}

func (b *builder) histogram(name string, buckets []float64) *prometheus.HistogramVec {
	d := find(name)
	made := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: d.Name, Help: d.Help, Buckets: buckets}, d.Labels)
	b.register(made)
	return made
}

// other is the value of a label for what is not in its closed set.
const other = "other"

// counters are the counters of a closed set, all of them there from the start.
type counters struct {
	known map[string]prometheus.Counter
	other prometheus.Counter
}

func newCounters(vec *prometheus.CounterVec, values []string) counters {
	c := counters{known: make(map[string]prometheus.Counter, len(values)), other: vec.WithLabelValues(other)}
	for _, value := range values {
		c.known[value] = vec.WithLabelValues(value)
	}
	return c
}

func (c counters) of(value string) prometheus.Counter {
	if counter, ok := c.known[value]; ok {
		return counter
	}
	return c.other
}

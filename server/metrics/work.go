package metrics

import (
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// work counts what the background does: sweeps and mail.
type work struct {
	sweeps map[string]sweep
	mails  *prometheus.CounterVec
	kinds  []string
	states []string
}

// sweep has the metrics of a kind of sweeps.
type sweep struct {
	took   prometheus.Observer
	failed prometheus.Counter
	rows   prometheus.Counter
	last   prometheus.Gauge
}

func newWork(b *builder, opts Options) work {
	took := b.histogram("hush_sweep_duration_seconds", []float64{0.001, 0.01, 0.1, 1, 5, 20, 60})
	failed, rows := b.counter("hush_sweep_failures_total"), b.counter("hush_swept_rows_total")
	last := b.gauge("hush_last_sweep_timestamp_seconds")
	w := work{sweeps: map[string]sweep{}, mails: b.counter("hush_mails_total"), kinds: opts.MailKinds, states: opts.MailStates}
	for _, kind := range opts.Sweeps {
		w.sweeps[kind] = sweep{took.WithLabelValues(kind), failed.WithLabelValues(kind), rows.WithLabelValues(kind), last.WithLabelValues(kind)}
	}
	for _, kind := range opts.MailKinds {
		for _, state := range opts.MailStates {
			w.mails.WithLabelValues(label(kind), label(state))
		}
	}
	return w
}

// label writes a name of several words as one.
func label(name string) string { return strings.ReplaceAll(name, " ", "_") }

// Swept counts a sweep of a kind, the rows that it ended, and its error.
func (m *Metrics) Swept(kind string, rows int, took time.Duration, err error) {
	s, ok := m.work.sweeps[kind]
	if !ok {
		return
	}
	s.took.Observe(took.Seconds())
	s.rows.Add(float64(rows))
	if err != nil {
		s.failed.Inc()
		return
	}
	s.last.SetToCurrentTime()
}

// Mailed counts a mail of a kind that was tried, by its state after that.
func (m *Metrics) Mailed(kind, state string) {
	if !slices.Contains(m.work.kinds, kind) {
		kind = other
	}
	if !slices.Contains(m.work.states, state) {
		state = other
	}
	m.work.mails.WithLabelValues(label(kind), label(state)).Inc()
}

package metrics

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"hush/storage"
)

// store counts what a store does. A Metrics is its storage.Observer.
type store struct {
	commits counters
	updates prometheus.Observer
	commit  prometheus.Observer
	sync    prometheus.Observer
	spent   prometheus.Observer
	unspent prometheus.Counter // syncs of the spent log that failed
	logged  prometheus.Gauge   // when one last succeeded
}

var _ storage.Observer = (*Metrics)(nil)

// The results of commits.
const (
	resultOK          = "ok"
	resultConflict    = "conflict"
	resultFull        = "full"
	resultUnavailable = "unavailable"
	resultUnknown     = "unknown"
	resultError       = "error"
)

func results() []string {
	return []string{resultOK, resultConflict, resultFull, resultUnavailable, resultUnknown, resultError}
}

func newStore(b *builder) store {
	seconds := []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5}
	logged := b.gauge("hush_spent_log_last_sync_timestamp_seconds").WithLabelValues()
	logged.SetToCurrentTime() // the start syncs what the last run left
	return store{
		commits: newCounters(b.counter("hush_store_commits_total"), results()),
		updates: b.histogram("hush_store_commit_updates", []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}).WithLabelValues(),
		commit:  b.histogram("hush_store_commit_duration_seconds", seconds).WithLabelValues(),
		sync:    b.histogram("hush_share_sync_duration_seconds", seconds).WithLabelValues(),
		spent:   b.histogram("hush_spent_log_sync_duration_seconds", seconds).WithLabelValues(),
		unspent: b.counter("hush_spent_log_sync_failures_total").WithLabelValues(), logged: logged,
	}
}

// Committed implements storage.Observer.
func (m *Metrics) Committed(updates int, took time.Duration, err error) {
	m.store.commits.of(resultOf(err)).Inc()
	m.store.updates.Observe(float64(updates))
	m.store.commit.Observe(took.Seconds())
}

// Synced implements storage.Observer.
func (m *Metrics) Synced(took time.Duration, _ error) { m.store.sync.Observe(took.Seconds()) }

// SpentLogSynced counts a sync of the spent log.
func (m *Metrics) SpentLogSynced(_ int, took time.Duration, err error) {
	m.store.spent.Observe(took.Seconds())
	if err != nil {
		m.store.unspent.Inc()
		return
	}
	m.store.logged.SetToCurrentTime()
}

func resultOf(err error) string {
	switch {
	case err == nil:
		return resultOK
	case errors.Is(err, storage.ErrConflict):
		return resultConflict
	case errors.Is(err, storage.ErrFull):
		return resultFull
	case errors.Is(err, storage.ErrUnknownOutcome):
		return resultUnknown
	case errors.Is(err, storage.ErrUnavailable):
		return resultUnavailable
	default:
		return resultError
	}
}

package budget

import (
	"context"
	"sync"
	"time"
)

// most bounds the memory of the budgets, at about 150 bytes each.
const most = 100_000

// Memory keeps budgets in the memory of this process. If there are too many, it
// drops full ones first, which loses nothing, and then any. It is safe for
// concurrent use.
type Memory struct {
	now func() time.Time

	mu   sync.Mutex
	full map[Key]time.Time // when each budget is full again
}

// NewMemory returns full budgets.
func NewMemory(now func() time.Time) *Memory { return &Memory{now: now, full: map[Key]time.Time{}} }

// Take spends calls and returns 0, or spends nothing and returns how long to
// wait. The error is always nil.
func (m *Memory) Take(_ context.Context, key Key, rate Rate, calls int) (time.Duration, error) {
	now := m.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	next, wait := rate.spend(m.full[key], now, calls)
	if wait == 0 {
		m.set(key, next, now)
	}
	return wait, nil
}

// Give returns calls to a budget. The error is always nil.
func (m *Memory) Give(_ context.Context, key Key, rate Rate, calls int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if full, spent := m.full[key]; spent {
		m.full[key] = full.Add(-rate.lasts(calls))
	}
	return nil
}

// wait returns how long a caller has to wait as far as this process knows.
func (m *Memory) wait(key Key, rate Rate, calls int) time.Duration {
	now := m.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	_, wait := rate.spend(m.full[key], now, calls)
	return wait
}

// note records what a budget is.
func (m *Memory) note(key Key, full time.Time) {
	now := m.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set(key, full, now)
}

func (m *Memory) set(key Key, full, now time.Time) {
	if _, known := m.full[key]; !known && len(m.full) >= most {
		m.forget(now)
	}
	m.full[key] = full
}

// forget drops at least a tenth of the budgets.
func (m *Memory) forget(now time.Time) {
	for key, full := range m.full {
		if !full.After(now) {
			delete(m.full, key)
		}
	}
	for key := range m.full {
		if len(m.full) <= most*9/10 {
			return
		}
		delete(m.full, key)
	}
}

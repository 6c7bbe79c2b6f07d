package hush

import (
	"sync"

	"hush/client"
)

// meter adds up how far the parts of a file are. What it tells never falls, although a part
// that is sent again begins anew.
type meter struct {
	progress func(client.Progress)
	stage    client.Stage
	total    int64

	mu      sync.Mutex
	over    int64            // of parts that are done
	flowing map[uint32]int64 // of parts on their way
	told    int64
	waiting error
}

func newMeter(progress func(client.Progress), stage client.Stage, total int64) *meter {
	return &meter{progress: progress, stage: stage, total: total, flowing: map[uint32]int64{}}
}

// of returns the progress of a call for a part.
func (m *meter) of(number uint32) func(client.Progress) {
	return func(p client.Progress) {
		if p.Stage == client.StageOver {
			return
		}
		m.tell(func() { m.flowing[number], m.waiting = p.Done, nil })
	}
}

// done notes that a part of a length is done.
func (m *meter) done(number uint32, length int) {
	m.tell(func() {
		delete(m.flowing, number)
		m.over += int64(length)
		m.waiting = nil
	})
}

// skip notes that the content up to a place is there already.
func (m *meter) skip(place int64) {
	m.tell(func() {
		clear(m.flowing)
		m.over = place
	})
}

// wait notes why nothing moves.
func (m *meter) wait(err error) { m.tell(func() { m.waiting = err }) }

// tell changes the meter and tells the progress.
func (m *meter) tell(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
	now := m.over
	for _, part := range m.flowing {
		now += part
	}
	m.told = min(max(m.told, now), m.total)
	if m.progress != nil {
		m.progress(client.Progress{Stage: m.stage, Done: m.told, Total: m.total, Waiting: m.waiting})
	}
}

func (m *meter) end() {
	if m.progress != nil {
		m.progress(client.Progress{})
	}
}

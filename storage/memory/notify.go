package memory

import (
	"context"
	"sync"

	"hush/storage"
)

// Notices carries notifications between processes that share a store, each of
// which has a Notifier. It can lose them, to show what happens then.
type Notices struct {
	mu      sync.Mutex
	members map[*Notifier]struct{} // that listen
	losing  bool
}

// NewNotices returns a Notices without members.
func NewNotices() *Notices { return &Notices{members: map[*Notifier]struct{}{}} }

// Join returns the Notifier of another process.
func (n *Notices) Join() *Notifier { return &Notifier{all: n} }

// Lose drops every notification from now on, without a sign to anyone, or
// carries them again.
func (n *Notices) Lose(on bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.losing = on
}

// Interrupt tells every listener that notifications may be lost.
func (n *Notices) Interrupt(cause error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for m := range n.members {
		m.heard.Lose(cause)
	}
}

// Listening returns how many processes listen.
func (n *Notices) Listening() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.members)
}

// Notifier is a storage.Notifier in memory.
type Notifier struct {
	all   *Notices
	heard *storage.TopicQueue // under all.mu
}

var _ storage.Notifier = (*Notifier)(nil)

// Notify implements storage.Notifier.
func (m *Notifier) Notify(topics ...storage.Topic) {
	m.all.mu.Lock()
	defer m.all.mu.Unlock()
	if m.all.losing {
		return
	}
	for other := range m.all.members {
		if other != m {
			other.heard.Add(topics...)
		}
	}
}

// Listen implements storage.Notifier.
func (m *Notifier) Listen(ctx context.Context, heard func([]storage.Topic, error)) {
	queue := storage.NewTopicQueue()
	queue.Lose(storage.ErrListening)
	m.all.mu.Lock()
	m.heard = queue
	m.all.members[m] = struct{}{}
	m.all.mu.Unlock()
	defer func() {
		m.all.mu.Lock()
		defer m.all.mu.Unlock()
		delete(m.all.members, m)
	}()
	queue.HearUntil(ctx, heard)
}

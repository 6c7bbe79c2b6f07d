package receipt

import (
	"sync"
	"time"

	"hush/seal"
)

// RecentLooks remembers recent looks at links, so that repeated requests for one link do
// not write each time. It forgets everything when it is full. That costs only a
// write: the timeline itself drops duplicates too. The zero value remembers none. It is
// safe for concurrent use.
type RecentLooks struct {
	mu   sync.Mutex
	seen map[lookKey]time.Time
}

type lookKey struct {
	metadata seal.RowKey
	network  string
}

// looksMost bounds the memory of RecentLooks to about 2 MiB.
const looksMost = 20_000

// Fresh reports whether this is a masked network's first look within a minute at the
// link whose receipt is in a row, and remembers the look if it is.
func (l *RecentLooks) Fresh(row seal.RowKey, network string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := lookKey{row, network}
	if last, ok := l.seen[key]; ok && now.Sub(last) < eventStep {
		return false
	}
	if l.seen == nil || len(l.seen) >= looksMost {
		l.seen = map[lookKey]time.Time{}
	}
	l.seen[key] = now
	return true
}

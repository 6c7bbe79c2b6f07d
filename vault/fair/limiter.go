package fair

import (
	"math"
	"sync"
)

// Any is a bound that is never reached.
const Any = math.MaxInt64

// Limiter bounds what callers hold at a time. It never lets a caller wait; see Queue.
// It is safe for concurrent use.
type Limiter[K comparable] struct {
	capacity, share int64

	mu   sync.Mutex
	all  int64
	held map[K]int64
}

// NewLimiter returns a limiter of which nothing is held. Capacity bounds what all hold,
// share what one key holds; both are positive, and may be Any.
func NewLimiter[K comparable](capacity, share int64) *Limiter[K] {
	return &Limiter[K]{capacity: capacity, share: share, held: make(map[K]int64)}
}

// Take takes n for a key, in addition to what it holds, and reports whether there was
// room. If there was none, it takes nothing. The caller gives back what it took, at once
// or in parts. n is not negative.
func (l *Limiter[K]) Take(key K, n int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.held[key]
	if n > l.capacity-l.all || n > l.share-own {
		return false
	}
	l.set(key, own+n)
	l.all += n
	return true
}

// Give gives back n of what a key took.
func (l *Limiter[K]) Give(key K, n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set(key, l.held[key]-n)
	l.all -= n
}

func (l *Limiter[K]) set(key K, own int64) {
	if own == 0 {
		delete(l.held, key)
	} else {
		l.held[key] = own
	}
}

// Held returns what all hold.
func (l *Limiter[K]) Held() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all
}

// IsCrowded reports whether all hold more than half of the capacity, or a key more than
// half of its share.
func (l *Limiter[K]) IsCrowded(key K) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all > l.capacity/2 || l.held[key] > l.share/2
}

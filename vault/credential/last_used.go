package credential

import (
	"maps"
	"sync"
	"time"
)

// usesMost bounds the memory of lastUsed to about 1 MiB, and its flush to as
// many rows. Beyond it each use is written at once.
const usesMost = 4096

// UseKey identifies a session or token.
type UseKey struct {
	bucket string // BucketSession or BucketToken
	row    [32]byte
}

// SessionUse returns the key of the session in a row.
func SessionUse(row [32]byte) UseKey { return UseKey{BucketSession, row} }

// TokenUse returns the key of the token in a row.
func TokenUse(row [32]byte) UseKey { return UseKey{BucketToken, row} }

// lastUsed remembers when sessions and tokens were last used until the sweeper
// writes it, so that requests need not write. A crash loses less than the
// sweeper's period.
type lastUsed struct {
	mu   sync.Mutex
	last map[UseKey]time.Time
}

func newLastUsed() *lastUsed { return &lastUsed{last: map[UseKey]time.Time{}} }

// note records a use and reports whether there was room for it.
func (u *lastUsed) note(key UseKey, at time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	before, known := u.last[key]
	if !known && len(u.last) >= usesMost {
		return false
	}
	u.last[key] = Later(before, at)
	return true
}

// at returns when something was last used: the later of the remembered and the
// stored time.
func (u *lastUsed) at(key UseKey, stored time.Time) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return Later(u.last[key], stored)
}

func (u *lastUsed) all() map[UseKey]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.last)
}

// forget drops what was written, but not what was used since.
func (u *lastUsed) forget(written map[UseKey]time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.last, func(key UseKey, at time.Time) bool { return at.Equal(written[key]) })
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

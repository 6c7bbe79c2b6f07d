package claim

import (
	"time"

	"hush/vault/rows"
)

// Leases says how long claims on files last. A zero field means its default.
type Leases struct {
	// Silence is how long a claim on a file lasts whose reader fetches nothing: 2 hours, so
	// that the lid of a laptop may be shut for one.
	Silence time.Duration
	// Longest is how long it lasts at most, since it was made: 24 hours.
	Longest time.Duration
}

const (
	fileSilence = 2 * time.Hour
	fileLongest = 24 * time.Hour
)

// lease returns the times of a claim on a file.
func (l Leases) lease() lease {
	made := lease{silence: l.Silence, longest: l.Longest}
	if made.silence == 0 {
		made.silence = fileSilence
	}
	if made.longest == 0 {
		made.longest = fileLongest
	}
	made.longest = max(made.longest, made.silence)
	return made
}

// lease is how long one claim lasts: silence for a silent reader, and longest in all. It is
// stored with a claim on a file, since the operator may change it.
type lease struct{ silence, longest time.Duration }

// textLease is that of claims on secrets that one response returns.
func textLease() lease { return lease{silence: Lifetime, longest: Longest} }

// longestLease bounds what is stored.
const longestLease = 366 * 24 * time.Hour

func (l *lease) fields(c *rows.Codec) {
	silence, longest := l.silence.Milliseconds(), l.longest.Milliseconds()
	c.Int64(&silence)
	c.Int64(&longest)
	l.silence, l.longest = time.Duration(silence)*time.Millisecond, time.Duration(longest)*time.Millisecond
	c.Refuse(silence <= 0 || longest < silence || longest > longestLease.Milliseconds())
}

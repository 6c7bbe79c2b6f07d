package rows

import (
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"hush/storage"
)

// The guard against clocks that leap. A jump of more than maxStep is believed
// after several consistent readings, confirmations in number and confirmStep
// apart.
const (
	maxStep       = time.Hour
	confirmStep   = time.Minute
	confirmations = 3
)

// Clock is the one clock with its durable high-water mark. Its time never runs
// backwards: not behind the mark, and not behind an earlier operation of the
// process, so that a backward jump revives nothing. It does not follow a
// forward leap before the leap is confirmed, so that one bad reading does not
// expire everything.
type Clock struct {
	wall func() time.Time

	mu       sync.Mutex
	mark     time.Time
	seen     time.Time // the latest time of an operation; not before mark
	suspect  time.Time // the last reading that counted toward a leap
	readings int
}

// NewClock returns a clock that never falls behind mark.
func NewClock(wall func() time.Time, mark time.Time) *Clock {
	return &Clock{wall: wall, mark: mark, seen: mark}
}

// Now returns the time of an operation: the wall clock, but never earlier than
// that of an earlier operation. A time ahead of an unconfirmed leap does not
// count.
func (c *Clock) Now() time.Time {
	wall := c.wall().UTC().Truncate(time.Millisecond)
	c.mu.Lock()
	defer c.mu.Unlock()
	if wall.Before(c.seen) {
		return c.seen
	}
	if wall.Sub(c.seen) <= maxStep {
		c.seen = wall
	}
	return wall
}

// Advance takes a reading for the sweeper. It returns the time up to which
// deleting is safe. ok is false after a forward leap until the leap is
// confirmed.
func (c *Clock) Advance() (safe time.Time, ok bool) {
	wall := c.wall().UTC().Truncate(time.Millisecond)
	c.mu.Lock()
	defer c.mu.Unlock()
	if wall.Sub(c.mark) > maxStep && !c.confirmed(wall) {
		return c.mark, false
	}
	c.readings = 0
	if wall.After(c.mark) {
		c.mark = wall
	}
	if c.mark.After(c.seen) {
		c.seen = c.mark
	}
	return c.mark, true
}

// confirmed counts a suspicious reading and reports whether the leap is
// confirmed. Readings closer together than confirmStep count once. A reading
// that leapt again or went back starts anew.
func (c *Clock) confirmed(wall time.Time) bool {
	step := wall.Sub(c.suspect)
	switch {
	case c.readings == 0 || step < 0 || step > maxStep:
		c.readings, c.suspect = 1, wall
	case step >= confirmStep:
		c.readings, c.suspect = c.readings+1, wall
	}
	return c.readings >= confirmations
}

// PutMark stores the clock's mark.
func PutMark(tx storage.Tx, mark time.Time) error {
	return PutSystem(tx, SystemMark, BigEndian(Millis(mark)))
}

// GetMark returns the stored mark.
func GetMark(tx storage.Tx) (time.Time, error) {
	stored, err := GetSystem(tx, SystemMark)
	if err != nil {
		return time.Time{}, fmt.Errorf("reading the clock's mark: %w", err)
	}
	if len(stored) != 8 {
		return time.Time{}, ErrDamaged
	}
	return FromMillis(binary.BigEndian.Uint64(stored)), nil
}

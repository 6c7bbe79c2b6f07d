package rows

import (
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"hush/storage"
)

// The guard against clocks that leap. A jump of more than maxStep is believed
// after confirmations consistent readings that are confirmStep apart.
const (
	maxStep       = time.Hour
	confirmStep   = time.Minute
	confirmations = 3
)

// Clock is the one clock with its durable high-water mark. Time never runs
// backwards, neither behind the mark nor, while the process lives, behind what
// an operation has seen, so that a backward jump revives nothing; and neither
// follows a forward leap before it was confirmed, so that one bad reading does
// not destroy everything.
type Clock struct {
	wall func() time.Time

	mu       sync.Mutex
	mark     time.Time
	seen     time.Time // the latest moment of an operation; not before mark
	suspect  time.Time // the reading that confirms next, if the clock leapt
	readings int
}

// NewClock returns a clock that does not fall behind mark.
func NewClock(wall func() time.Time, mark time.Time) *Clock {
	return &Clock{wall: wall, mark: mark, seen: mark}
}

// Now is the moment of an operation: the wall clock, but not before what was
// seen already.
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

// Advance takes a reading for the sweeper. It returns the moment up to which
// deleting is safe, and whether any is: after a forward leap it is not until
// the leap was confirmed.
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

// confirmed counts a suspicious reading. Readings closer together than
// confirmStep count once; one that itself leapt or went back starts anew.
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

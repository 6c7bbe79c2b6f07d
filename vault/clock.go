package vault

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

// clock is the one clock with its durable high-water mark. Time never runs
// backwards, neither behind the mark nor, while the process lives, behind what
// an operation has seen, so that a backward jump revives nothing; and neither
// follows a forward leap before it was confirmed, so that one bad reading does
// not destroy everything.
type clock struct {
	wall func() time.Time

	mu       sync.Mutex
	mark     time.Time
	seen     time.Time // the latest moment of an operation; not before mark
	suspect  time.Time // the reading that confirms next, if the clock leapt
	readings int
}

func newClock(wall func() time.Time, mark time.Time) *clock {
	return &clock{wall: wall, mark: mark, seen: mark}
}

// now is the moment of an operation: the wall clock, but not before what was
// seen already.
func (c *clock) now() time.Time {
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

// advance takes a reading for the sweeper. It returns the moment up to which
// deleting is safe, and whether any is: after a forward leap it is not until
// the leap was confirmed.
func (c *clock) advance() (safe time.Time, ok bool) {
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
func (c *clock) confirmed(wall time.Time) bool {
	step := wall.Sub(c.suspect)
	switch {
	case c.readings == 0 || step < 0 || step > maxStep:
		c.readings, c.suspect = 1, wall
	case step >= confirmStep:
		c.readings, c.suspect = c.readings+1, wall
	}
	return c.readings >= confirmations
}

func putMark(tx storage.Tx, mark time.Time) error {
	return tx.Put(bucketSystem, []byte(systemMark), bigEndian(millis(mark)))
}

func getMark(tx storage.Tx) (time.Time, error) {
	stored, err := tx.Get(bucketSystem, []byte(systemMark))
	if err != nil {
		return time.Time{}, fmt.Errorf("reading the clock's mark: %w", err)
	}
	if len(stored) != 8 {
		return time.Time{}, errDamaged
	}
	return fromMillis(binary.BigEndian.Uint64(stored)), nil
}

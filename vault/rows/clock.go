package rows

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
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
	wall   func() time.Time
	offset atomic.Int64 // nanoseconds that the store's clock is ahead of wall

	mu       sync.Mutex
	mark     time.Time
	seen     time.Time // the latest time of an operation; not before mark
	suspect  time.Time // the last reading that counted toward a leap
	readings int
	store    time.Time // the store's clock when the offset was last set
}

// NewClock returns a clock that never falls behind mark.
func NewClock(wall func() time.Time, mark time.Time) *Clock {
	return &Clock{wall: wall, mark: mark, seen: mark}
}

// Now returns the time of an operation: the wall clock, but never earlier than
// that of an earlier operation. A time ahead of an unconfirmed leap does not
// count.
func (c *Clock) Now() time.Time {
	wall := c.read()
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
	wall := c.read()
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

// Leapt reports whether the sweeper's last reading leapt forward and the leap is
// not confirmed yet: nothing is deleted until then.
func (c *Clock) Leapt() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.readings > 0
}

// Mark returns the time up to which deleting was safe when the sweeper last took
// a reading, on this node or, after Follow, on another.
func (c *Clock) Mark() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mark
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

// shared returns the time that all nodes agree on, for their heartbeats and
// leases. Unlike Now it may run backwards: a node whose clock leapt ahead for a
// moment must not hold a lease until that time.
func (c *Clock) shared() time.Time { return c.read() }

// Stopwatch returns what measures the time from now on, also while Now stands
// still because the clock was set back.
func (c *Clock) Stopwatch() (elapsed func() time.Duration) {
	start := c.wall()
	return func() time.Duration { return c.elapsed(start) }
}

// elapsed returns the time since a reading of the wall clock, also if that was
// set back, or the machine slept.
func (c *Clock) elapsed(since time.Time) time.Duration {
	now := c.wall()
	return max(now.Sub(since), now.Round(0).Sub(since.Round(0)))
}

// Offset returns how far the store's clock is ahead of the machine's.
func (c *Clock) Offset() time.Duration { return time.Duration(c.offset.Load()) }

// read returns the wall clock, corrected.
func (c *Clock) read() time.Time {
	return c.wall().Add(time.Duration(c.offset.Load())).UTC().Truncate(time.Millisecond)
}

// Follow raises the clock to a mark that another node stored. Only nodes call
// it.
func (c *Clock) Follow(mark time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if mark.After(c.mark) {
		c.mark = mark
	}
	if mark.After(c.seen) {
		c.seen = mark
	}
}

const (
	// offsetMost is the largest difference from the store's clock that is
	// corrected at the start.
	offsetMost = 15 * time.Minute
	// offsetTries is the number of readings, of which the fastest counts, and
	// offsetSlow the time from which a reading is too slow to count.
	offsetTries = 3
	offsetSlow  = 2 * time.Second
)

var (
	// ErrClockOff reports that a machine's clock and that of its store differ
	// so much that one of them must be wrong.
	ErrClockOff = errors.New("the clocks of this machine and of the store differ too much")
	// ErrClockSlow reports that the store took too long to tell its time.
	ErrClockSlow = errors.New("the store takes too long to tell its time")
)

// CorrectBy asks a store for its time, and adds the difference to the wall clock
// from now on. If the difference is large, the store is believed only if its
// clock has gone on evenly since the last correction, so that it is the
// machine's clock that leapt; otherwise CorrectBy returns ErrClockOff. With an
// error it changes nothing. Only nodes call it.
func (c *Clock) CorrectBy(ctx context.Context, stored func(context.Context) (time.Time, error)) error {
	there, offset, err := c.compare(ctx, stored)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if offset.Abs() > offsetMost && !c.steady(there) {
		way := "behind"
		if offset < 0 {
			way = "ahead"
		}
		return fmt.Errorf("%w: this machine is %v %s, at most %v are corrected; set its clock", ErrClockOff, offset.Abs().Round(time.Second), way, offsetMost)
	}
	c.store = there
	c.offset.Store(int64(offset))
	return nil
}

// compare returns the store's time, and how far it is ahead of the wall clock.
func (c *Clock) compare(ctx context.Context, stored func(context.Context) (time.Time, error)) (there time.Time, offset time.Duration, err error) {
	best := offsetSlow
	for range offsetTries {
		before := c.wall()
		read, err := stored(ctx)
		if err != nil {
			return there, 0, fmt.Errorf("reading the store's clock: %w", err)
		}
		if took := c.wall().Sub(before); took >= 0 && took < best {
			best, there, offset = took, read, read.Sub(before.Add(took/2))
		}
	}
	if best == offsetSlow {
		return there, 0, ErrClockSlow
	}
	return there, offset, nil
}

// steady reports whether the store's clock has moved like a clock since the last
// correction.
func (c *Clock) steady(there time.Time) bool {
	step := there.Sub(c.store)
	return !c.store.IsZero() && step >= 0 && step <= maxStep
}

// PutMark stores the clock's mark.
func PutMark(tx storage.Tx, mark time.Time) error {
	return PutSystem(tx, SystemMark, BigEndian(Millis(mark)))
}

// RaiseMark stores the clock's mark unless another node has stored a later one.
func RaiseMark(tx storage.Tx, mark time.Time) error {
	stored, err := GetMark(tx)
	if err != nil || stored.After(mark) {
		return err
	}
	return PutMark(tx, mark)
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

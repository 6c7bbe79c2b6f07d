package cluster

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"hush/storage"
	"hush/vault/rows"
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
	at       time.Time     // the machine's clock at the last correction; zero before
	told     time.Time     // the time that was then made of the store's clock
	ahead    time.Duration // of the wall clock: the store's, when it was last followed
	away     time.Duration
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
	// stepShare is the part of the time that passed here by which the store's clock
	// may have gone faster: 6 minutes an hour.
	stepShare = 10
	// stillLeast is how far the store's clock has to be ahead of what the monotonic
	// clock says, or behind it, for the wall clock to be asked, and agreeMost how far the
	// two may then differ from what they differed before.
	stillLeast = 30 * time.Second
	agreeMost  = 5 * time.Second
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
// from now on. Only nodes call it.
//
// The first time, a large difference returns ErrClockOff and changes nothing. From
// then on the store's clock is followed as far as it may have gone in the time that
// passed here, by the monotonic clock. If it leapt ahead, the time of this process goes
// a little faster until it is there; if it leapt back, it stands still until then. All
// nodes that run do the same, so none takes the others for gone. A larger leap is not followed
// at all: CorrectBy returns ErrClockOff, and the time goes on by the monotonic clock.
//
// The wall clock counts only as a witness: if it moved as far as the store's, this
// process or its machine stood still, or both clocks were set, and the store is believed.
func (c *Clock) CorrectBy(ctx context.Context, stored func(context.Context) (time.Time, error)) error {
	there, at, err := c.compare(ctx, stored)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	told := there
	if c.at.IsZero() {
		err = checkOffset(there.Sub(at.Round(0)))
	} else {
		told, err = c.follow(there, at, max(0, at.Sub(c.at)))
	}
	if err != nil && c.at.IsZero() {
		return err
	}
	if c.at, c.told, c.away = at, told, there.Sub(told); c.away == 0 {
		c.ahead = there.Sub(at.Round(0))
	}
	c.offset.Store(int64(told.Sub(at.Round(0))))
	return err
}

// checkOffset returns ErrClockOff if the store's clock is too far ahead of the
// machine's, or behind it.
func checkOffset(offset time.Duration) error {
	if offset.Abs() <= offsetMost {
		return nil
	}
	way := "behind"
	if offset < 0 {
		way = "ahead"
	}
	return fmt.Errorf("%w: this machine is %v %s, at most %v are corrected; set its clock", ErrClockOff, offset.Abs().Round(time.Second), way, offsetMost)
}

// follow returns what to make of the store's time at a reading of the wall clock, when
// passed is the time since the last correction by the monotonic clock. It is called
// with mu held.
func (c *Clock) follow(there, at time.Time, passed time.Duration) (time.Time, error) {
	here := c.told.Add(passed)
	agree := (there.Sub(at.Round(0)) - c.ahead).Abs() <= agreeMost
	switch leap := there.Sub(here); {
	case leap.Abs() > stillLeast && agree:
		return there, nil
	case leap > maxStep:
		return here, fmt.Errorf("%w: the store's clock leapt ahead by %v; set its clock, and restart if it is right", ErrClockOff, leap.Round(time.Second))
	case leap < -offsetMost && there.Before(c.told):
		return here, fmt.Errorf("%w: the store's clock leapt back by %v; set its clock, and restart if it is right", ErrClockOff, -leap.Round(time.Second))
	case leap > passed/stepShare:
		return here.Add(passed / stepShare), nil
	case there.Before(c.told):
		return c.told, nil
	}
	return there, nil
}

// Away returns how far the store's clock was from the time of this process after
// the last correction: more than a little if it leapt, or if this process stood
// still.
func (c *Clock) Away() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.away
}

// Restart lets the next correction be as the first one. It is for a node that
// begins anew.
func (c *Clock) Restart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = time.Time{}
}

// compare returns the store's time, and the reading of the wall clock that belongs
// to it.
func (c *Clock) compare(ctx context.Context, stored func(context.Context) (time.Time, error)) (there, at time.Time, err error) {
	best := offsetSlow
	for range offsetTries {
		before := c.wall()
		read, err := stored(ctx)
		if err != nil {
			return there, at, fmt.Errorf("reading the store's clock: %w", err)
		}
		if took := c.wall().Sub(before); took >= 0 && took < best {
			best, there, at = took, read, before.Add(took/2)
		}
	}
	if best == offsetSlow {
		return there, at, ErrClockSlow
	}
	return there, at, nil
}

// SystemMark is the row of the bucket system that has the clock's mark.
const SystemMark = "clock"

// PutMark stores the clock's mark.
func PutMark(tx storage.Tx, mark time.Time) error {
	return rows.PutSystem(tx, SystemMark, rows.BigEndian(rows.Millis(mark)))
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
	stored, err := rows.GetSystem(tx, SystemMark)
	if err != nil {
		return time.Time{}, fmt.Errorf("reading the clock's mark: %w", err)
	}
	if len(stored) != 8 {
		return time.Time{}, rows.ErrDamaged
	}
	return rows.FromMillis(binary.BigEndian.Uint64(stored)), nil
}

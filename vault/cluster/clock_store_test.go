package cluster_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"hush/vault/cluster"
	"hush/vault/vaulttest"
)

// storeClock is a store's clock: some time after its start, it answers.
type storeClock struct {
	clock   *vaulttest.Clock
	machine *vaulttest.Clock
	takes   []time.Duration // each answer
}

func (s *storeClock) Now(context.Context) (time.Time, error) {
	if len(s.takes) > 0 {
		s.machine.Advance(s.takes[0])
		s.clock.Advance(s.takes[0] / 2)
		defer s.clock.Advance(s.takes[0] / 2)
		s.takes = s.takes[1:]
	}
	return s.clock.Now(), nil
}

func newStoreClock() (*cluster.Clock, *storeClock) {
	machine, store := vaulttest.NewClock(vaulttest.StartTime()), vaulttest.NewClock(vaulttest.StartTime())
	return cluster.NewClock(machine.Now, time.Time{}), &storeClock{clock: store, machine: machine}
}

// Of several answers the fastest counts, and none that took too long.
func TestCorrectByFastestReading(t *testing.T) {
	t.Parallel()
	clock, store := newStoreClock()
	store.clock.Advance(time.Minute)
	store.takes = []time.Duration{900 * time.Millisecond, 20 * time.Millisecond, 1900 * time.Millisecond}
	vaulttest.Want(t, "CorrectBy(store)", clock.CorrectBy(t.Context(), store.Now), nil)
	vaulttest.Want(t, "Offset()", clock.Offset(), time.Minute)
	vaulttest.Want(t, "Now()", clock.Now(), store.clock.Now())

	store.takes = []time.Duration{2 * time.Second, 3 * time.Second, 2 * time.Second}
	vaulttest.WantErr(t, "CorrectBy(slow store)", clock.CorrectBy(t.Context(), store.Now), cluster.ErrClockSlow)
	vaulttest.Want(t, "Offset()", clock.Offset(), time.Minute)
}

// If the machine's clock leaps, the store's counts.
func TestCorrectByAfterLeapOfTheMachine(t *testing.T) {
	t.Parallel()
	for _, leap := range []time.Duration{20 * time.Minute, -20 * time.Minute, 240 * time.Hour, -240 * time.Hour} {
		clock, store := newStoreClock()
		step := func() {
			t.Helper()
			store.machine.Advance(5 * time.Second)
			store.clock.Advance(5 * time.Second)
			vaulttest.Want(t, "CorrectBy(store)", clock.CorrectBy(t.Context(), store.Now), nil)
			// The test's clock has no monotonic reading, so one that is set back shows
			// no time that passed.
			if off := store.clock.Now().Sub(clock.Now()); off < 0 || off > 5*time.Second {
				t.Errorf("Now() after a leap of the machine by %v: got %v behind the store, want 0 to 5s", leap, off)
			}
		}
		step()
		store.machine.Advance(leap)
		step()
		store.machine.Advance(-leap)
		step()
	}
}

// If the store's clock leaps, the time that passed here bounds what is made of it.
// It is followed slowly, and not at all if the leap is large.
func TestCorrectByAfterLeapOfTheStore(t *testing.T) {
	t.Parallel()
	const every = 5 * time.Second
	for _, c := range []struct {
		leap  time.Duration
		want  time.Duration // by how much Now moves in a step after the leap
		err   error
		steps int // until Now is the store's time
	}{
		{time.Second / 4, every + time.Second/4, nil, 1},
		{time.Minute, every + every/10, nil, 120},
		{5 * time.Minute, every + every/10, nil, 600},
		{59 * time.Minute, every + every/10, nil, 59 * 120},
		{240 * time.Hour, every, cluster.ErrClockOff, 0},
		{-time.Minute, 0, nil, 12},
		{-14 * time.Minute, 0, nil, 14 * 12},
		{-20 * time.Minute, every, cluster.ErrClockOff, 0},
		{-240 * time.Hour, every, cluster.ErrClockOff, 0},
	} {
		clock, store := newStoreClock()
		step := func(want error) {
			t.Helper()
			store.machine.Advance(every)
			store.clock.Advance(every)
			if err := clock.CorrectBy(t.Context(), store.Now); !errors.Is(err, want) {
				t.Errorf("CorrectBy(store) after a leap of %v: got %v, want %v", c.leap, err, want)
			}
		}
		step(nil)
		before := clock.Now()
		store.clock.Advance(c.leap)
		step(c.err)
		if got := clock.Now().Sub(before); got != c.want {
			t.Errorf("Now() %v after a leap of %v: got %v later, want %v", every, c.leap, got, c.want)
		}
		for range c.steps {
			step(nil)
		}
		if c.steps == 0 {
			store.clock.Advance(-c.leap)
			step(nil)
		}
		vaulttest.Want(t, "Now() in the end", clock.Now(), store.clock.Now())
	}
}

// The attack: the store's clock leaps by almost an hour before each correction. The
// time up to which deleting is safe moves no faster than a clock may.
func TestCorrectByLeapsInARow(t *testing.T) {
	t.Parallel()
	for _, leap := range []time.Duration{time.Second, time.Minute, 59 * time.Minute, -59 * time.Minute, -time.Second} {
		_, store := newStoreClock()
		clock := cluster.NewClock(store.machine.Now, vaulttest.StartTime())
		vaulttest.Want(t, "CorrectBy(store)", clock.CorrectBy(t.Context(), store.Now), nil)
		before := clock.Mark()
		const steps = 24
		for range steps {
			store.machine.Advance(5 * time.Second)
			store.clock.Advance(leap)
			_ = clock.CorrectBy(t.Context(), store.Now)
			clock.Advance()
		}
		passed := steps * 5 * time.Second
		if moved := clock.Mark().Sub(before); moved < 0 || moved > passed+passed/10 {
			t.Errorf("Mark() after %d leaps of %v: got %v later, want 0 to %v", steps, leap, moved, passed+passed/10)
		}
	}
}

// Without an earlier reading, neither is believed.
func TestCorrectByAtTheStart(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{15*time.Minute + time.Second, -15*time.Minute - time.Second} {
		clock, store := newStoreClock()
		store.clock.Advance(off)
		vaulttest.WantErr(t, "CorrectBy(store)", clock.CorrectBy(t.Context(), store.Now), cluster.ErrClockOff)
		vaulttest.Want(t, "Offset()", clock.Offset(), 0)
	}
}

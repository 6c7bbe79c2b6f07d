package rows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"hush/vault/rows"
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

func newStoreClock() (*rows.Clock, *storeClock) {
	machine, store := vaulttest.NewClock(vaulttest.StartTime()), vaulttest.NewClock(vaulttest.StartTime())
	return rows.NewClock(machine.Now, time.Time{}), &storeClock{clock: store, machine: machine}
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
	vaulttest.WantErr(t, "CorrectBy(slow store)", clock.CorrectBy(t.Context(), store.Now), rows.ErrClockSlow)
	vaulttest.Want(t, "Offset()", clock.Offset(), time.Minute)
}

// If the machine's clock leaps, the store's counts. If the store's leaps, the
// machine's counts.
func TestCorrectByAfterLeap(t *testing.T) {
	t.Parallel()
	for _, leap := range []time.Duration{20 * time.Minute, -20 * time.Minute, 240 * time.Hour, -240 * time.Hour} {
		clock, store := newStoreClock()
		step := func(want error) {
			t.Helper()
			store.machine.Advance(5 * time.Second)
			store.clock.Advance(5 * time.Second)
			if err := clock.CorrectBy(t.Context(), store.Now); !errors.Is(err, want) {
				t.Errorf("CorrectBy(store) after a leap of %v: got %v, want %v", leap, err, want)
			}
		}
		step(nil)
		store.machine.Advance(leap)
		step(nil)
		vaulttest.Want(t, "Now() after a leap of the machine", clock.Now(), store.clock.Now())
		store.machine.Advance(-leap)
		step(nil)
		vaulttest.Want(t, "Now() after it leapt back", clock.Now(), store.clock.Now())
		if leap > 0 && leap <= time.Hour {
			continue // the store is believed, as any clock is
		}
		before := store.clock.Now()
		store.clock.Advance(leap)
		step(rows.ErrClockOff)
		vaulttest.Want(t, "Now() after a leap of the store", clock.Now(), before.Add(5*time.Second))
		store.clock.Advance(-leap)
		step(nil)
	}
}

// Without an earlier reading, neither is believed.
func TestCorrectByAtTheStart(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{15*time.Minute + time.Second, -15*time.Minute - time.Second} {
		clock, store := newStoreClock()
		store.clock.Advance(off)
		vaulttest.WantErr(t, "CorrectBy(store)", clock.CorrectBy(t.Context(), store.Now), rows.ErrClockOff)
		vaulttest.Want(t, "Offset()", clock.Offset(), 0)
	}
}

package cluster

import (
	"errors"
	"testing"
	"time"
)

// A process that stood still finds that the wall clock moved as the store's did, and
// takes the store's time at once. A leap of the store's clock alone is followed slowly.
func TestFollowAfterStandingStill(t *testing.T) {
	t.Parallel()
	const passed = 5 * time.Second
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name        string
		wall, store time.Duration // how far they moved
		want        time.Duration // how far the time moves
		err         error
	}{
		{"nothing", passed, passed, passed, nil},
		{"the machine slept", 3 * time.Hour, 3 * time.Hour, 3 * time.Hour, nil},
		{"it slept, and its clock is a little off", 3*time.Hour - 4*time.Second, 3 * time.Hour, 3 * time.Hour, nil},
		{"it slept, and its clock stood still", passed, 3 * time.Hour, passed, ErrClockOff},
		{"both were set back", -24 * time.Hour, -24 * time.Hour, -24 * time.Hour, nil},
		{"the store leapt", passed, 59 * time.Minute, passed + passed/stepShare, nil},
		{"the store leapt by a little", passed, passed + 4*time.Second, passed + passed/stepShare, nil},
		{"the wall clock leapt", 59 * time.Minute, passed, passed, nil},
		{"both leapt, apart", 50 * time.Minute, 59 * time.Minute, passed + passed/stepShare, nil},
	} {
		const ahead = 7 * time.Minute // of the store's clock, before
		clock := NewClock(time.Now, start)
		clock.at, clock.told, clock.ahead = start, start.Add(ahead), ahead
		got, err := clock.follow(start.Add(ahead+test.store), start.Add(test.wall), passed)
		if moved := got.Sub(clock.told); moved != test.want || !errors.Is(err, test.err) {
			t.Errorf("follow, %s: got a time %v later and %v, want %v and %v", test.name, moved, err, test.want, test.err)
		}
	}
}

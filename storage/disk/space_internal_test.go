package disk

import (
	"slices"
	"testing"
	"time"
)

// A disk that is full, and then for a moment does not answer.
func TestRoomForgetsAFullDiskItCannotSee(t *testing.T) {
	t.Parallel()
	known := true
	d := &Space{minFree: 1, disk: func() (int64, bool) { return 0, known }, ballast: &ballast{}, now: time.Now}
	if d.has(time.Unix(1, 0)) {
		t.Error("has(no free bytes): got true, want false")
	}
	known = false
	for range 2 { // asked, and as it was answered last
		if !d.has(time.Unix(3, 0)) {
			t.Error("has(unknown): got false, want true")
		}
	}
}

// The defect: the time since the last query was that of the wall clock. Set back by an
// hour, it had the folder ask nothing for an hour, on a disk that was full meanwhile or
// had space again.
func TestClockSetBackAsksAgain(t *testing.T) {
	t.Parallel()
	free, now := int64(2), time.Unix(7200, 0)
	d := &Space{minFree: 1, disk: func() (int64, bool) { return free, true }, now: func() time.Time { return now }}
	for _, step := range []struct {
		free int64
		want bool
	}{{2, true}, {0, false}, {2, true}} {
		free = step.free
		if got := d.has(now); got != step.want {
			t.Errorf("has(%v) with %d bytes free: got %t, want %t", now, free, got, step.want)
		}
		now = now.Add(-time.Hour)
	}
	if first := time.Now(); isDue(&first, first.Add(spaceEvery-1)) || !isDue(&first, first.Add(spaceEvery)) {
		t.Errorf("isDue: want a query each %v", spaceEvery)
	}
}

// A full disk is told once, at the start or when it becomes full, and so is its end.
func TestFullDiskIsTold(t *testing.T) {
	t.Parallel()
	free, now := int64(0), time.Unix(1, 0)
	var told []bool
	d := &Space{
		minFree: 10, disk: func() (int64, bool) { return free, true },
		tell: func(full bool, got int64) {
			if told = append(told, full); got != free {
				t.Errorf("tell(%t): got %d free bytes, want %d", full, got, free)
			}
		},
	}
	for _, free = range []int64{9, 8, 10, 20, 3} {
		d.has(now)
		now = now.Add(spaceEvery)
	}
	if want := []bool{true, false, true}; !slices.Equal(told, want) {
		t.Errorf("tell: got %v, want %v", told, want)
	}
}

// The defect: an operator read that 0 MiB are free and that 0 MiB more are needed.
func TestShortageShowsTheDifference(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct{ free, needed int64 }{
		"0 KiB are free, and it takes 1 KiB":       {0, 1},
		"511 KiB are free, and it takes 512 KiB":   {512<<10 - 1, 512 << 10},
		"3 KiB are free, and it takes 1024 KiB":    {4095, 1<<20 - 1},
		"9 MiB are free, and it takes 10 MiB":      {10<<20 - 1, 10 << 20},
		"1500 MiB are free, and it takes 1501 MiB": {1500 << 20, 1500<<20 + 1},
	} {
		if got := Shortage(c.free, c.needed); got != want {
			t.Errorf("Shortage(%d, %d): got %q, want %q", c.free, c.needed, got, want)
		}
	}
}

// Free pages count as room. Those that the last commits have freed do not while a snapshot
// may read them.
func TestSnapshotHoldsBackFreePages(t *testing.T) {
	t.Parallel()
	now := time.Unix(1, 0)
	d := &Space{minFree: 10, disk: func() (int64, bool) { return 3, true }}
	d.SetFreePages(4, 3)
	for _, step := range []struct {
		name   string
		before func()
		want   bool
	}{
		{"with free pages", func() {}, true},
		{"during a snapshot", d.BeginSnapshot, false},
		{"with more free pages during a snapshot", func() { d.SetFreePages(7, 0) }, true},
		{"with more of them pending", func() { d.SetFreePages(6, 1) }, false},
		{"after the snapshot", d.EndSnapshot, true},
	} {
		step.before()
		if got := d.has(now); got != step.want {
			t.Errorf("has %s: got %t, want %t", step.name, got, step.want)
		}
		now = now.Add(spaceEvery)
	}
}

package bolt

import (
	"slices"
	"testing"
	"time"
)

// The defect: where the system does not tell how much of the disk is free, the
// ballast was never made, so that it was missing for ever and no folder had room.
func TestUnknownDiskHasRoom(t *testing.T) {
	t.Parallel()
	folder, err := OpenFolder(t.TempDir() + "/data")
	if err != nil {
		t.Fatalf("OpenFolder: got %v, want nil", err)
	}
	t.Cleanup(func() {
		if err := folder.Close(); err != nil {
			t.Errorf("Close: got %v, want nil", err)
		}
	})
	opts := Options{MinFree: 1 << 40, Ballast: true, disk: func() (int64, bool) { return 0, false }}
	if _, _, err := folder.Open(opts); err != nil {
		t.Fatalf("Open: got %v, want nil", err)
	}
	for range 3 {
		if !folder.HasDiskSpace() {
			t.Error("HasDiskSpace(unknown disk): got false, want true")
		}
	}
	if exists, err := folder.holds(ballastName); exists || err != nil {
		t.Errorf("a ballast on an unknown disk: got %t and %v, want none", exists, err)
	}
}

// A disk that is full, and then for a moment does not answer.
func TestRoomForgetsAFullDiskItCannotSee(t *testing.T) {
	t.Parallel()
	known := true
	d := &diskSpace{least: 1, disk: func() (int64, bool) { return 0, known }, ballast: &ballast{}, now: time.Now}
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
	d := &diskSpace{least: 1, disk: func() (int64, bool) { return free, true }, now: func() time.Time { return now }}
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
	d := &diskSpace{
		least: 10, disk: func() (int64, bool) { return free, true },
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
		if got := shortage(c.free, c.needed); got != want {
			t.Errorf("shortage(%d, %d): got %q, want %q", c.free, c.needed, got, want)
		}
	}
}

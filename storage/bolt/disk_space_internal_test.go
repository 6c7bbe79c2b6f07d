package bolt

import (
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
	d := &diskSpace{least: 1, disk: func() (int64, bool) { return 0, known }, inside: func() int64 { return 0 }, ballast: &ballast{}, now: time.Now}
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

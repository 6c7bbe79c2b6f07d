package bolt

import "testing"

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
	if exists, err := folder.Holds("ballast"); exists || err != nil {
		t.Errorf("a ballast on an unknown disk: got %t and %v, want none", exists, err)
	}
}

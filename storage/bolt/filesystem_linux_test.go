package bolt

import "testing"

func TestFileSystemWarnings(t *testing.T) {
	const ext4 = 0xef53
	if got := warningFor(ext4); got != "" {
		t.Errorf("warningFor(ext4): got %q, want none", got)
	}
	for _, magic := range []uint32{0x9123683e, magicZFS, 0x794c7630, 0x6969, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021994} {
		if got := warningFor(magic); len(got) < 40 || got[len(got)-1] != '.' {
			t.Errorf("warningFor(%#x): got %q, want a sentence", magic, got)
		}
	}
}

package main

import (
	"strings"
	"testing"
)

// A sync failed. What it was to write is in doubt from then on, whatever is synced
// later, until the page is written again.
func TestFailedSync(t *testing.T) {
	t.Parallel()
	page := strings.Repeat("x", pageSize)
	lines := []string{
		`7  openat(AT_FDCWD, "{/d/a}", O_RDWR|O_CREAT, 0600) = 3`,
		`7  pwrite64(3<{/d/a}>, "{` + page + page + `}", 8192, 0) = 8192`,
		`7  fsync(4<{/d}>) = 0`,
		`7  fdatasync(3<{/d/a}>) = 0`,
		`7  pwrite64(3<{/d/a}>, "{a}", 1, 0) = 1`,
		`7  pwrite64(3<{/d/a}>, "{bb}", 2, 4095) = 2`,
		`7  fdatasync(3<{/d/a}> <unfinished ...>`,
		`7  <... fdatasync resumed>) = -1 EIO (Input/output error) (INJECTED)`,
		`7  fdatasync(3<{/d/a}>) = 0`,
		`7  pwrite64(3<{/d/a}>, "{x}", 1, 100) = 1`,
		`7  fdatasync(3<{/d/a}>) = -1 EINTR (Interrupted system call)`,
		`7  fdatasync(3<{/d/a}>) = 0`,
		`7  pwrite64(3<{/d/a}>, "{b}", 1, 4096) = 1`,
		`7  fdatasync(3<{/d/a}>) = 0`,
	}
	for line, want := range map[int]int{
		4:  1,
		6:  8, // one sector of the first page, and two that one write has changed
		8:  8,
		9:  8, // another sync has changed nothing
		10: 8, // nor has a write yet, of what was there
		12: 2, // the page that was written again is durable, whole
		14: 1, // and so is the other
	} {
		if got := contents(replayed(t, lines...), line); got != want {
			t.Errorf("states before line %d: got %d, want %d", line, got, want)
		}
	}
	d := replayed(t, lines...)
	d.settle(dropRenew)
	if got := contents(d, 14); got != 8 {
		t.Errorf("states at the end, without what wrote the same again: got %d, want 8", got)
	}
}

// The length of a file is not lost, and a failed sync of a folder is refused.
func TestFailedSyncKeepsTheLength(t *testing.T) {
	t.Parallel()
	d := replayed(t,
		`7  openat(AT_FDCWD, "{/d/a}", O_RDWR|O_CREAT, 0600) = 3`,
		`7  fsync(4<{/d}>) = 0`,
		`7  pwrite64(3<{/d/a}>, "{`+strings.Repeat("x", sectorSize)+`}", 512, 0) = 512`,
		`7  fdatasync(3<{/d/a}>) = -1 EIO (Input/output error)`,
		`7  fdatasync(3<{/d/a}>) = 0`,
	)
	if got := contents(d, 4); got != 3 {
		t.Errorf("states after the failed sync: got %d, want 3: empty, as long with zeros, and whole", got)
	}
	if got := contents(d, 5); got != 2 {
		t.Errorf("states after another sync: got %d, want 2: with zeros, and whole", got)
	}
	tr := newTracer()
	if err := tr.read(strings.NewReader("7  1.000000 fsync(4<" + quoted("/d") + ">) = -1 EIO (Input/output error)\n")); err != nil {
		t.Fatalf("read: got %v, want nil", err)
	}
	if err := newDisk("/d").replay(tr.calls); err == nil {
		t.Error("replay(failed sync of a folder): got nil, want an error")
	}
}

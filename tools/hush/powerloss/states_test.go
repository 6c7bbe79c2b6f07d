package main

import (
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"testing"
)

// quoted writes a text as strace was told to.
func quoted(text string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteString(`\x` + hex.EncodeToString([]byte{text[i]}))
	}
	return b.String()
}

// replayed reads a record whose paths and data stand in brackets: {/d/a} is
// written as strace writes a text, and 3<{/d/a}> as it writes a descriptor.
func replayed(t *testing.T, lines ...string) *disk {
	t.Helper()
	var record strings.Builder
	for i, line := range lines {
		for {
			from, to := strings.IndexByte(line, '{'), strings.IndexByte(line, '}')
			if from < 0 {
				break
			}
			line = line[:from] + quoted(line[from+1:to]) + line[to+1:]
		}
		fmt.Fprintf(&record, "%s1.%06d %s\n", line[:3], i, line[3:])
	}
	tr := newTracer()
	if err := tr.read(strings.NewReader(record.String())); err != nil {
		t.Fatalf("read(record): got %v, want nil", err)
	}
	d := newDisk("/d")
	if err := d.replay(tr.calls); err != nil {
		t.Fatalf("replay(calls): got %v, want nil", err)
	}
	d.settle(dropNothing)
	return d
}

// contents counts the different states before a line.
func contents(d *disk, line int) int {
	seed, found := maphash.MakeSeed(), map[uint64]bool{}
	c := newTimeline(d).at(line)
	c.exhaustive(func(chosen []bool) bool {
		found[c.build(chosen).hash(seed)] = true
		return true
	})
	return len(found)
}

func TestStates(t *testing.T) {
	t.Parallel()
	two := strings.Repeat("x", 2*sectorSize)
	d := replayed(t,
		`7  openat(AT_FDCWD, "{/d/a}", O_RDWR|O_CREAT, 0600) = 3`,
		`7  pwrite64(3<{/d/a}>, "{`+two+`}", 1024, 0) = 1024`,
		`7  fsync(4<{/d}>) = 0`,
		`7  fdatasync(3<{/d/a}>) = 0`,
		`7  pwrite64(3<{/d/a}>, "{yy}", 2, 0 <unfinished ...>`,
		`8  fdatasync(3<{/d/a}> <unfinished ...>`,
		`7  <... pwrite64 resumed>) = 2`,
		`8  <... fdatasync resumed>) = 0`,
		`8  fdatasync(3<{/d/a}>) = 0`,
		`8  renameat(AT_FDCWD, "{/d/a}", AT_FDCWD, "{/d/b}") = 0`,
		`8  ftruncate(3<{/d/b}>, 0) = 0`,
		`8  fsync(4<{/d}>) = 0`,
		`8  pwrite64(3<{/d/b}>, "{z}", 1, 0 <detached ...>`,
	)
	for line, want := range map[int]int{
		0:  1, // an empty folder
		1:  2, // with or without the file
		2:  6, // none, an empty one, or two sectors, each kept or not
		3:  5, // the name is durable
		4:  1, // and so is the content
		5:  2, // a write that has begun
		8:  2, // a sync that began before the write had ended
		9:  1,
		10: 2, // a rename happens or not
		11: 4, // and beside it the file gets shorter or not
		12: 2,
		13: 5, // the kill cut a write short: beside the old length 2, beside the new one 3
	} {
		if got := contents(d, line); got != want {
			t.Errorf("states before line %d: got %d, want %d", line, got, want)
		}
	}
}

// With --every the seed decides which moments are checked.
func TestThin(t *testing.T) {
	t.Parallel()
	cuts := []int{10, 11, 12, 13, 14, 15, 16}
	for seed, want := range map[uint64][]int{6: {10, 13, 16}, 7: {11, 14}, 8: {12, 15}} {
		if got := (job{Every: 3, Seed: seed}).thin(cuts); !slices.Equal(got, want) {
			t.Errorf("thin(%v), one of 3, seed %d: got %v, want %v", cuts, seed, got, want)
		}
	}
	if got := (job{Every: 1, Seed: 6}).thin(cuts); !slices.Equal(got, cuts) {
		t.Errorf("thin(%v), all: got %v, want them", cuts, got)
	}
}

// What the replay does not understand must end it, not pass unseen.
func TestUnknownCallsAreRefused(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		`mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3<` + quoted("/d/a") + `>, 0) = 0x7f0000000000`,
		`linkat(AT_FDCWD, "` + quoted("/x") + `", AT_FDCWD, "` + quoted("/d/a") + `", 0) = 0`,
		`writev(3<` + quoted("/d/a") + `>, [], 0) = 0`,
		`openat(AT_FDCWD, "` + quoted("/d/a") + `", O_RDWR|O_CREAT|O_DSYNC, 0600) = 3`,
		`renameat(AT_FDCWD, "` + quoted("/x") + `", AT_FDCWD, "` + quoted("/d/a") + `") = 0`,
	} {
		tr := newTracer()
		if err := tr.read(strings.NewReader("7  1.000000 " + line + "\n")); err != nil {
			t.Fatalf("read(%s): got %v, want nil", line, err)
		}
		if err := newDisk("/d").replay(tr.calls); err == nil {
			t.Errorf("replay(%s): got nil, want an error", line)
		}
	}
}

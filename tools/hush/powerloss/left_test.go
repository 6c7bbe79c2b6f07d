package main

import (
	"errors"
	"math"
	"strings"
	"testing"
	"testing/fstest"
)

// A kill interrupts calls. Their results are what the folder shows, and nothing
// else may differ from the record.
func TestOutlive(t *testing.T) {
	t.Parallel()
	lines := []string{
		`7  openat(AT_FDCWD, "{/d/a}", O_RDWR|O_CREAT, 0600) = 3`,
		`7  pwrite64(3<{/d/a}>, "{abcd}", 4, 0) = 4`,
		`7  pwrite64(3<{/d/a}>, "{wxyz}", 4, 2 <detached ...>`,
		`8  fdatasync(3<{/d/a}> <detached ...>`,
	}
	for left, want := range map[string]string{
		"abcd":    "",     // the write was not made
		"abwxyz":  "wxyz", // it was
		"abwx":    "wx",   // the kill met it half way
		"abwxq":   "the record does not lead",
		"xbwxyz":  "the record does not lead",
		"abc":     "the record does not lead",
		"abwxyz0": "the record does not lead",
	} {
		d := replayed(t, lines...)
		err := d.outlive(fstest.MapFS{"a": {Data: []byte(left)}}, 3)
		if strings.HasPrefix(want, "the record") {
			if !errors.Is(err, errLeft) {
				t.Errorf("outlive(%q): got %v, want %v", left, err, errLeft)
			}
			continue
		}
		changes := d.names["a"].changes
		got := ""
		for _, g := range changes[1:] {
			got += string(g.data)
			if g.end != 3 {
				t.Errorf("outlive(%q): the write ends on line %d, want 3", left, g.end)
			}
		}
		if err != nil || got != want {
			t.Errorf("outlive(%q): got %q, %v, want %q", left, got, err, want)
		}
	}
	d := replayed(t, lines...)
	if err := d.outlive(fstest.MapFS{}, 3); !errors.Is(err, errLeft) {
		t.Errorf("outlive(no file): got %v, want %v", err, errLeft)
	}
}

// The next life syncs what the kill left, and builds on it: from then on it is
// not in doubt.
func TestOutlivedWritesBecomeDurable(t *testing.T) {
	t.Parallel()
	d := replayed(t,
		`7  openat(AT_FDCWD, "{/d/a}", O_RDWR|O_CREAT, 0600) = 3`,
		`7  pwrite64(3<{/d/a}>, "{abcd}", 4, 0 <detached ...>`,
	)
	if err := d.outlive(fstest.MapFS{"a": {Data: []byte("abcd")}}, 1); err != nil {
		t.Fatalf("outlive(abcd): got %v, want nil", err)
	}
	f := d.names["a"]
	d.syncs[f] = append(d.syncs[f], span{start: 2, end: 2})
	d.settle(dropNothing)
	if got := f.changes[0].durable; got != 2 {
		t.Errorf("durable after the next life's sync: got line %d, want 2", got)
	}
	d.settle(dropDatabase)
	if got := d.namings[0].durable; got != math.MaxInt {
		t.Errorf("a name that no sync of the folder follows: got line %d, want never", got)
	}
}

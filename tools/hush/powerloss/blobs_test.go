package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"hush/storage"
	"hush/storage/blobfile"
	faults "hush/storage/disk"
	"hush/testtier"
)

// blobVariable names the folder in which the process works whose calls TestBlobPowerLoss
// records.
const blobVariable = "HUSH_POWERLOSS_BLOBS"

// The sizes of a blob in this test: its last part is shorter, and none ends with a sector.
const (
	blobParts    = 3
	blobPartSize = 700
	blobSize     = (blobParts-1)*blobPartSize + 77
)

// blobContent is what a part holds, so that who checks it need not be told.
func blobContent(id storage.BlobID, part int64) []byte {
	size := min(blobPartSize, blobSize-part*blobPartSize)
	return bytes.Repeat(append(id[:], byte(part+1)), int(size)/17+1)[:size]
}

// The power fails at any moment while blobs are begun, stored and deleted. Whatever the
// disk keeps of what was not synced, the next process finds each part that was
// acknowledged and no blob that was deleted, and can delete all that there is. The same
// check must fail where syncs are taken away.
func TestBlobPowerLoss(t *testing.T) {
	if dir := os.Getenv(blobVariable); dir != "" {
		storeBlobs(t, dir)
		return
	}
	testtier.Check(t, "records the calls of a process, and starts on many disk contents")
	needTracing(t)
	dir := filepath.Join(t.TempDir(), "files")
	calls := recordBlobs(t, dir)
	told := wordsOf(t, calls, dir+".told")
	for name, tt := range map[string]struct {
		drop   func(*disk)
		broken bool
	}{
		"all syncs":                      {func(*disk) {}, false},
		"no sync of files":               {func(d *disk) { clear(d.syncs) }, true},
		"no sync of the folder":          {func(d *disk) { d.folder = nil }, true},
		"no sync of the folder above it": {func(d *disk) { d.above = nil }, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDisk(dir)
			if err := d.replay(calls); err != nil {
				t.Fatalf("replay: got %v, want nil", err)
			}
			tt.drop(d)
			d.settle(dropNothing)
			k := newBlobChecker(t, d, told)
			err := k.check()
			t.Logf("%d moments, %d different disk contents: %v", len(k.cuts), len(k.seen), err)
			if tt.broken != (err != nil) || !tt.broken && len(k.seen) < 100 {
				t.Errorf("%s: got %v after %d disk contents, want broken promises %t", name, err, len(k.seen), tt.broken)
			}
		})
	}
}

// storeBlobs is the process that is recorded. It writes a line before and after what it
// does, and kills itself in the middle of work.
func storeBlobs(t *testing.T, dir string) {
	told, err := os.Create(dir + ".told")
	if err != nil {
		t.Fatal(err)
	}
	say := func(err error, what string, id storage.BlobID, part int64) {
		if err != nil {
			t.Errorf("before %s: got %v, want nil", what, err)
		}
		_, _ = told.Write(fmt.Appendln(nil, what, id, part))
	}
	f, err := blobfile.Open(dir, blobfile.Options{Fault: faults.NewFault(nil)})
	if err != nil {
		t.Fatal(err)
	}
	const workers, blobs = 3, 4
	ctx := context.Background()
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			for n := range blobs {
				id := storage.NewBlobID()
				say(f.Begin(ctx, id, blobSize, blobPartSize), "begun", id, 0)
				for _, part := range rand.Perm(blobParts) {
					say(f.Put(ctx, id, int64(part), blobContent(id, int64(part))), "put", id, int64(part))
				}
				if worker == 0 && n == blobs-1 {
					_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				}
				if n%2 == 0 {
					say(nil, "deleting", id, 0)
					say(f.Delete(ctx, id), "deleted", id, 0)
				}
			}
		})
	}
	all.Wait()
}

// recordBlobs returns the calls of such a process. Under load strace may leave out lines.
func recordBlobs(t *testing.T, dir string) []*call {
	t.Helper()
	for try := 1; ; try++ {
		trace := filepath.Join(t.TempDir(), "trace")
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		c := exec.CommandContext(t.Context(), "strace", "-f", "--seccomp-bpf", "-ttt", "-y", "-xx", "-s", "65536",
			"-e", "signal=none", "-e", "trace="+traced, "-o", trace, "--", os.Args[0], "-test.run=^TestBlobPowerLoss$")
		c.Env = append(os.Environ(), blobVariable+"="+dir)
		if out, err := c.CombinedOutput(); err == nil {
			t.Fatalf("the recorded process: got an end of its own, want it killed: %s", out)
		}
		in, err := os.Open(trace)
		if err != nil {
			t.Fatal(err)
		}
		tr := newTracer()
		err = errors.Join(tr.read(in), in.Close())
		if err == nil {
			return tr.calls
		}
		if try == recordsMost {
			t.Fatalf("read(record): got %v, want nil", err)
		}
	}
}

// blobWord is a line that the process wrote: what it is about to do, or has done.
type blobWord struct {
	line int // of the record
	what string
	id   storage.BlobID
	part int64
}

func wordsOf(t *testing.T, calls []*call, path string) (words []blobWord) {
	t.Helper()
	for _, c := range calls {
		if c.name != "write" || c.target(0) != path {
			continue
		}
		text, err := c.bytes(1)
		if err != nil {
			t.Fatal(err)
		}
		w := blobWord{line: c.start}
		var id []byte
		if _, err := fmt.Sscanf(string(text), "%s %x %d\n", &w.what, &id, &w.part); err != nil || len(id) != len(w.id) {
			t.Fatalf("line of the process: got %q and %v, want what it does", text, err)
		}
		w.id = storage.BlobID(id)
		words = append(words, w)
	}
	if len(words) < 20 {
		t.Fatalf("record: got %d lines of the process, want many", len(words))
	}
	return words
}

// blobView is what a process finds of a blob.
type blobView struct {
	listed, opens bool
	put           [blobParts]bool // holds what was put
}

// blobChecker starts on the contents that a disk may have.
type blobChecker struct {
	t     *testing.T
	exam  *examiner
	disk  *disk
	told  []blobWord
	cuts  []int
	ids   map[storage.BlobID]struct{}
	seed  maphash.Seed
	seen  map[uint64]map[storage.BlobID]blobView
	error error
}

func newBlobChecker(t *testing.T, d *disk, told []blobWord) *blobChecker {
	t.Helper()
	folder, err := os.MkdirTemp(inMemory(), "hush-powerloss-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	k := &blobChecker{
		t: t, exam: newExaminer(filepath.Join(folder, "files"), nil), disk: d, told: told,
		ids: map[storage.BlobID]struct{}{}, seed: maphash.MakeSeed(), seen: map[uint64]map[storage.BlobID]blobView{},
	}
	for _, w := range told {
		k.ids[w.id] = struct{}{}
		d.cuts[w.line+1] = struct{}{}
	}
	k.cuts = slices.Sorted(maps.Keys(d.cuts))
	return k
}

// check returns the first broken promise.
func (k *blobChecker) check() error {
	line, random, draws := newTimeline(k.disk), rand.New(rand.NewPCG(1, 2)), 20
	if testtier.IsFull() {
		draws = 500
	}
	for _, at := range k.cuts {
		c := line.at(at)
		c.exhaustive(func(chosen []bool) bool { return k.start(c, chosen) })
		for range draws {
			if k.error != nil {
				return k.error
			}
			k.start(c, c.drawn(random))
		}
	}
	return k.error
}

// start starts on a content, and reports whether it kept every promise.
func (k *blobChecker) start(c *cut, chosen []bool) bool {
	state := c.build(chosen)
	hash := state.hash(k.seed)
	found, known := k.seen[hash]
	if !known {
		found, k.error = k.look(state)
		k.seen[hash] = found
	}
	if k.error == nil {
		k.error = k.judge(found, c.line)
	}
	return k.error == nil
}

// look opens a content, reads everything, and deletes it.
func (k *blobChecker) look(state snapshot) (map[storage.BlobID]blobView, error) {
	if err := k.exam.lay(state); err != nil {
		return nil, err
	}
	f, err := blobfile.Open(k.exam.dir, blobfile.Options{Fault: faults.NewFault(nil)})
	if err != nil {
		return nil, fmt.Errorf("the start failed: %w", err)
	}
	ctx, found := k.t.Context(), map[storage.BlobID]blobView{}
	for id := range k.ids {
		v := blobView{opens: true}
		for part := range int64(blobParts) {
			want := blobContent(id, part)
			got, err := f.Get(ctx, id, part, len(want))
			v.opens, v.put[part] = v.opens && err == nil, err == nil && bytes.Equal(got, want)
		}
		found[id] = v
	}
	err = f.List(ctx, func(id storage.BlobID, _ int64) error {
		v := found[id]
		v.listed = true
		found[id] = v
		return f.Delete(ctx, id)
	})
	left, readErr := os.ReadDir(k.exam.dir)
	if len(left) > 0 {
		readErr = fmt.Errorf("%d files are left after all blobs were deleted", len(left))
	}
	return found, errors.Join(err, readErr, f.Close())
}

// judge returns an error unless what was told before a line holds.
func (k *blobChecker) judge(found map[storage.BlobID]blobView, line int) error {
	deleting := map[storage.BlobID]bool{}
	for _, w := range k.told {
		if w.line >= line {
			break
		}
		deleting[w.id] = deleting[w.id] || w.what == "deleting"
	}
	for _, w := range k.told {
		v := found[w.id]
		switch {
		case w.line >= line:
			return nil
		case w.what == "deleted" && (v.listed || v.opens):
			return fmt.Errorf("power lost before line %d: blob %s was deleted, and is there", line+1, w.id)
		case deleting[w.id]: // it may be there or not
		case !v.listed || !v.opens:
			return fmt.Errorf("power lost before line %d: blob %s was begun, and is not there: listed %t", line+1, w.id, v.listed)
		case w.what == "put" && !v.put[w.part]:
			return fmt.Errorf("power lost before line %d: part %d of blob %s was put, and is not there", line+1, w.part, w.id)
		}
	}
	return nil
}

package blobfile

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"hush/storage"
	"hush/storage/disk"
	"hush/storage/disktest"
)

// faults counts the faults that are reported.
type faults struct {
	calls int
	last  error
}

// openWith opens a folder that is written by w; nil for the system.
func openWith(t *testing.T, dir string, w disk.Writer) (*Folder, *faults) {
	t.Helper()
	seen := &faults{}
	f, err := Open(dir, Options{Writer: w, Fault: disk.NewFault(func(err error) {
		seen.calls++
		seen.last = err
	})})
	if err != nil {
		t.Fatalf("Open: got %v, want nil", err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Errorf("Close: got %v, want nil", err)
		}
	})
	return f, seen
}

// steps notes what is done to a disk, and fails one of its steps with an error.
type steps struct {
	mu    sync.Mutex
	done  []string
	fails string
	err   error
}

func (s *steps) step(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = append(s.done, name)
	if name == s.fails {
		return s.err
	}
	return nil
}

// take returns the steps since the last call.
func (s *steps) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.done = nil }()
	return strings.Join(s.done, ", ")
}

func (s *steps) WriteAt(file *os.File, data []byte, at int64) error {
	if err := s.step("write"); err != nil {
		return &fs.PathError{Op: "write", Path: file.Name(), Err: err}
	}
	return disk.System{}.WriteAt(file, data, at)
}

func (s *steps) Sync(file *os.File) error {
	if err := s.step("sync"); err != nil {
		return err
	}
	return disk.System{}.Sync(file)
}

// openSteps opens a new folder whose steps are noted.
func openSteps(t *testing.T) (*Folder, *steps, *faults) {
	t.Helper()
	s := &steps{}
	f, seen := openWith(t, filepath.Join(t.TempDir(), "files"), s)
	f.reserve = func(file *os.File, size int64) error {
		if err := s.step("reserve"); err != nil {
			return err
		}
		return disk.Reserve(file, size)
	}
	f.syncNames = func() error {
		if err := s.step("sync names"); err != nil {
			return err
		}
		return f.handle.Sync()
	}
	return f, s, seen
}

func names(t *testing.T, f *Folder) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(f.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// The order of what is done is the promise: what is acknowledged is durable, and so are
// the names that lead there.
func TestOrderOfSteps(t *testing.T) {
	t.Parallel()
	f, s, _ := openSteps(t)
	id := storage.NewBlobID()
	for _, tt := range []struct {
		call string
		do   func() error
		want string
	}{
		{"Begin", func() error { return f.Begin(t.Context(), id, 10, 5) }, "reserve, write, sync, sync names"},
		{"Put", func() error { return f.Put(t.Context(), id, 1, []byte("12345")) }, "write, sync"},
		{"Put again", func() error { return f.Put(t.Context(), id, 1, []byte("12345")) }, "write, sync"},
		{"Get", func() error { _, err := f.Get(t.Context(), id, 1, 5); return err }, ""},
		{"Delete", func() error { return f.Delete(t.Context(), id) }, "sync names"},
		{"Delete again", func() error { return f.Delete(t.Context(), id) }, ""},
	} {
		err := tt.do()
		if got := s.take(); err != nil || got != tt.want {
			t.Errorf("%s: got %q and %v, want %q", tt.call, got, err, tt.want)
		}
	}
}

// After an error of the disk nothing is known, and nothing more is done. Only a write that
// finds the disk full is harmless.
func TestFailedSteps(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		call, fails string
		err         error
		want        error
	}{
		{"Begin", "sync", syscall.EIO, storage.ErrUnknownOutcome},
		{"Begin", "sync", syscall.ENOSPC, storage.ErrUnknownOutcome},
		{"Begin", "sync names", syscall.EIO, storage.ErrUnknownOutcome},
		{"Begin", "write", syscall.EIO, storage.ErrUnknownOutcome},
		{"Begin", "write", syscall.ENOSPC, storage.ErrFull},
		{"Begin", "write", syscall.EDQUOT, storage.ErrFull},
		{"Begin", "reserve", storage.ErrFull, storage.ErrFull},
		{"Begin", "reserve", syscall.EIO, syscall.EIO},
		{"Put", "write", syscall.ENOSPC, storage.ErrFull},
		{"Put", "write", syscall.EDQUOT, storage.ErrFull},
		{"Put", "write", syscall.EIO, storage.ErrUnknownOutcome},
		{"Put", "sync", syscall.EIO, storage.ErrUnknownOutcome},
		{"Put", "sync", syscall.ENOSPC, storage.ErrUnknownOutcome},
		{"Delete", "sync names", syscall.EIO, storage.ErrUnknownOutcome},
	} {
		t.Run(tt.call+", "+tt.fails+", "+tt.err.Error(), func(t *testing.T) {
			t.Parallel()
			f, s, seen := openSteps(t)
			id, begun := storage.NewBlobID(), storage.NewBlobID()
			if err := errors.Join(f.Begin(t.Context(), id, 4, 2), f.Put(t.Context(), id, 0, []byte("ab"))); err != nil {
				t.Fatal(err)
			}
			calls := map[string]func(context.Context) error{
				"Begin":  func(ctx context.Context) error { return f.Begin(ctx, begun, 4, 2) },
				"Put":    func(ctx context.Context) error { return f.Put(ctx, id, 1, []byte("cd")) },
				"Delete": func(ctx context.Context) error { return f.Delete(ctx, id) },
			}
			s.fails, s.err = tt.fails, tt.err
			if err := calls[tt.call](t.Context()); !errors.Is(err, tt.want) {
				t.Errorf("%s: got %v, want %v", tt.call, err, tt.want)
			}
			s.fails = ""
			if tt.want == storage.ErrUnknownOutcome {
				wantPoisoned(t, f, s, seen)
				return
			}
			if tt.call == "Begin" && slices.Contains(names(t, f), begun.String()) {
				t.Error("names after a Begin that failed: got the blob, want none")
			}
			for _, call := range []string{"Begin", "Put"} {
				if err := calls[call](t.Context()); err != nil {
					t.Errorf("%s afterwards: got %v, want nil", call, err)
				}
			}
			for part, want := range []string{"ab", "cd"} {
				if got, err := f.Get(t.Context(), id, int64(part), 2); err != nil || string(got) != want {
					t.Errorf("Get(part %d): got %q and %v, want %q", part, got, err, want)
				}
			}
			if seen.calls != 0 {
				t.Errorf("Fault: got %v, want no call", seen.last)
			}
		})
	}
}

// wantPoisoned expects every operation to be refused, without a step.
func wantPoisoned(t *testing.T, f *Folder, s *steps, seen *faults) {
	t.Helper()
	s.take()
	id := storage.NewBlobID()
	_, getErr := f.Get(t.Context(), id, 0, 1)
	for name, err := range map[string]error{
		"Begin": f.Begin(t.Context(), id, 1, 1), "Put": f.Put(t.Context(), id, 0, []byte("a")), "Get": getErr,
		"Delete": f.Delete(t.Context(), id), "List": f.List(t.Context(), nil),
	} {
		if !errors.Is(err, storage.ErrUnknownOutcome) {
			t.Errorf("%s after a fault: got %v, want %v", name, err, storage.ErrUnknownOutcome)
		}
	}
	if got := s.take(); got != "" || seen.calls != 1 {
		t.Errorf("after a fault: got steps %q and %d calls of Fault, want none and 1", got, seen.calls)
	}
}

// Callers of Delete who wait for one sync of the folder that fails all hear of it, and the
// system's next answer, that all is well, reaches none of them.
func TestFailedSyncOfNamesTellsAll(t *testing.T) {
	t.Parallel()
	f, _, seen := openSteps(t)
	var ids []storage.BlobID
	for range 20 {
		id := storage.NewBlobID()
		if err := f.Begin(t.Context(), id, 1, 1); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	failed := false
	f.syncNames = func() error { // its calls do not overlap
		if !failed {
			failed = true
			return syscall.EIO
		}
		return nil
	}
	var all sync.WaitGroup
	for _, id := range ids {
		all.Go(func() {
			if err := f.Delete(t.Context(), id); !errors.Is(err, storage.ErrUnknownOutcome) {
				t.Errorf("Delete: got %v, want %v", err, storage.ErrUnknownOutcome)
			}
		})
	}
	all.Wait()
	if seen.calls != 1 {
		t.Errorf("Fault: called %d times, want once", seen.calls)
	}
}

// Where the file system allocates nothing, the length is set and the disk's free bytes are
// looked at, at Begin and at each part: a part must not take what is kept for others.
func TestWithoutAllocation(t *testing.T) {
	t.Parallel()
	f, _, seen := openSteps(t)
	f.reserve = func(*os.File, int64) error { return syscall.EOPNOTSUPP }
	free := int64(1 << 20)
	f.free, f.spare = func() (int64, bool) { return free, true }, 1<<19
	content := bytes.Repeat([]byte("a"), 100_000)
	id, large := storage.NewBlobID(), storage.NewBlobID()
	if err := f.Begin(t.Context(), large, 1<<19, 1<<18); !errors.Is(err, storage.ErrFull) {
		t.Errorf("Begin(too large): got %v, want %v", err, storage.ErrFull)
	}
	if err := f.Begin(t.Context(), id, 2*100_000, 100_000); err != nil {
		t.Fatalf("Begin: got %v, want nil", err)
	}
	if err := f.Put(t.Context(), id, 0, content); err != nil {
		t.Fatalf("Put: got %v, want nil", err)
	}
	free = 1<<19 + 99_999
	if err := f.Put(t.Context(), id, 1, content); !errors.Is(err, storage.ErrFull) {
		t.Errorf("Put(full disk): got %v, want %v", err, storage.ErrFull)
	}
	free++
	if err := f.Put(t.Context(), id, 1, content); err != nil {
		t.Errorf("Put(room again): got %v, want nil", err)
	}
	if got, err := f.Get(t.Context(), id, 0, 100_000); err != nil || !bytes.Equal(got, content) {
		t.Errorf("Get: got %d bytes and %v, want those that were put", len(got), err)
	}
	if seen.calls != 0 {
		t.Errorf("Fault: got %v, want no call", seen.last)
	}
}

// The sync of a part fails, and the system counts as written what it has lost. The part
// was not acknowledged, so its sender sends it again to the next process: that must reach
// the disk, though programs read it there already.
func TestLostSync(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "files")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	lossy := disktest.New(t, dir)
	f, _ := openWith(t, dir, lossy)
	id := storage.NewBlobID()
	first, second := bytes.Repeat([]byte("first"), 2000), bytes.Repeat([]byte("2ndly"), 2000)
	if err := errors.Join(f.Begin(t.Context(), id, 20_000, 10_000), f.Put(t.Context(), id, 0, first)); err != nil {
		t.Fatal(err)
	}
	wantAfter := func(parts ...[]byte) {
		t.Helper()
		after, _ := openWith(t, lossy.CutPower(), nil)
		for n, want := range parts {
			if got, err := after.Get(t.Context(), id, int64(n), len(want)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("Get(part %d) after a power cut: got %.10q… and %v, want %.10q…", n, got, err, want)
			}
		}
	}
	wantAfter(first)
	lossy.FailSyncs(true)
	if err := f.Put(t.Context(), id, 1, second); !errors.Is(err, storage.ErrUnknownOutcome) {
		t.Fatalf("Put while syncs fail: got %v, want %v", err, storage.ErrUnknownOutcome)
	}
	lossy.FailSyncs(false)
	wantAfter(first, make([]byte, 10_000))
	f, _ = openWith(t, dir, lossy)
	if err := f.Put(t.Context(), id, 1, second); err != nil {
		t.Fatalf("Put again: got %v, want nil", err)
	}
	wantAfter(first, second)
}

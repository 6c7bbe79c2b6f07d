package sharefile

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"hush/storage"
	"hush/storage/disk"
	"hush/testtier"
)

// failing makes writes of the shares fail while it holds an error.
type failing struct {
	disk.Writer

	err atomic.Pointer[error]
}

func (f *failing) set(err error) {
	if err == nil {
		f.err.Store(nil)
		return
	}
	err = &fs.PathError{Op: "write", Path: "shares", Err: err}
	f.err.Store(&err)
}

func failWrites(shares *File) *failing {
	f := &failing{Writer: shares.writer}
	shares.writer = f
	return f
}

// WriteAt implements disk.Writer.
func (f *failing) WriteAt(file *os.File, data []byte, at int64) error {
	if err := f.err.Load(); err != nil {
		return *err
	}
	return f.Writer.WriteAt(file, data, at)
}

// onDisk returns what the file holds of a slot, without the backlog.
func onDisk(t *testing.T, shares *File, number uint64) slotData {
	t.Helper()
	var raw rawSlot
	if _, err := shares.file.ReadAt(raw[:], int64(number)*SlotSize); err != nil {
		t.Fatalf("ReadAt(slot %d): got %v, want nil", number, err)
	}
	return decodeSlot(&raw, number)
}

func mustPut(t *testing.T, shares *File) storage.Slot {
	t.Helper()
	return put(t, shares, [storage.ShareSize]byte{1})
}

func put(t *testing.T, shares *File, share [storage.ShareSize]byte) storage.Slot {
	t.Helper()
	slot, err := shares.Put(t.Context(), share)
	if err != nil {
		t.Fatalf("Put: got %v, want nil", err)
	}
	return slot
}

// waiting returns how many slots the next sync writes.
func waiting(shares *File) int {
	shares.backlog.mu.Lock()
	defer shares.backlog.mu.Unlock()
	if shares.backlog.waiting == nil {
		return 0
	}
	return len(shares.backlog.waiting.slots)
}

// The defect: on a file system that copies on write, overwriting a share can find
// the disk full. The failed write had taken the change of a caller who waited for
// the next sync. That one had nothing to write and succeeded, so the caller was
// told that a share is destroyed which was not, or stored which was not.
func TestFailedWriteTellsAll(t *testing.T) {
	for name, tt := range map[string]struct {
		cause error
		want  error
		fault int
	}{
		"full":          {syscall.ENOSPC, storage.ErrFull, 0},
		"over quota":    {syscall.EDQUOT, storage.ErrFull, 0},
		"input, output": {syscall.EIO, storage.ErrUnknownOutcome, 1},
	} {
		t.Run(name, func(t *testing.T) {
			shares, seen := openNew(t)
			first, second := mustPut(t, shares), mustPut(t, shares)
			disk := failWrites(shares)
			begun, proceed := make(chan struct{}), make(chan struct{})
			var once sync.Once
			shares.syncs.Do = func() error {
				// The first round has begun, and has not yet taken what waits.
				once.Do(func() { close(begun); <-proceed })
				defer disk.set(nil) // only the first round fails
				return shares.syncFile()
			}
			disk.set(tt.cause)
			var all sync.WaitGroup
			failed := make([]error, 3)
			all.Go(func() { failed[0] = shares.Destroy(t.Context(), first) })
			<-begun
			all.Go(func() { failed[1] = shares.Destroy(t.Context(), second) })
			all.Go(func() { _, failed[2] = shares.Put(t.Context(), [storage.ShareSize]byte{2}) })
			for waits := 0; waits < 3; time.Sleep(time.Millisecond) {
				waits = waiting(shares)
			}
			close(proceed)
			all.Wait()
			for i, err := range failed {
				if !errors.Is(err, tt.want) {
					t.Errorf("call %d in a round whose write failed: got %v, want %v", i, err, tt.want)
				}
			}
			for _, slot := range []storage.Slot{first, second} {
				if got := onDisk(t, shares, slot.Number); got.state != slotLive {
					t.Errorf("slot %d after a failed write: got state %d, want %d", slot.Number, got.state, slotLive)
				}
			}
			if seen.calls != tt.fault {
				t.Errorf("Fault: called %d times, want %d", seen.calls, tt.fault)
			}
			if tt.fault > 0 {
				return
			}
			// Nothing is lost, and the next try succeeds.
			if err := shares.Destroy(t.Context(), first, second); err != nil {
				t.Errorf("Destroy again: got %v, want nil", err)
			}
			for _, slot := range []storage.Slot{first, second} {
				if got := onDisk(t, shares, slot.Number); got.state != slotDestroyed {
					t.Errorf("slot %d after Destroy: got state %d, want %d", slot.Number, got.state, slotDestroyed)
				}
			}
		})
	}
}

// Whenever writes fail, whatever was reported as stored or destroyed is so in the
// file.
func TestFailedWritesUnderLoad(t *testing.T) {
	shares, seen := openNew(t)
	disk, rounds := failWrites(shares), 0
	shares.syncs.Do = func() error {
		for range 20 {
			runtime.Gosched() // so that many add what this round takes, and wait for the next
		}
		// Every other round fails, with what was added since the last one.
		if disk.set(nil); rounds%2 == 1 {
			disk.set(syscall.ENOSPC)
		}
		rounds++
		return shares.syncFile()
	}
	turns := 50
	if testtier.IsFull() {
		turns = 500
	}
	var all sync.WaitGroup
	var full atomic.Int64
	for range 16 {
		all.Go(func() {
			for range turns {
				slot, err := shares.Put(t.Context(), [storage.ShareSize]byte{1})
				if err == nil {
					if got := onDisk(t, shares, slot.Number); got.state != slotLive || got.generation != slot.Generation {
						t.Errorf("slot %v that was put: got state %d of generation %d in the file", slot, got.state, got.generation)
					}
					err = shares.Destroy(t.Context(), slot)
				}
				if err == nil {
					if got := onDisk(t, shares, slot.Number); got.state != slotDestroyed {
						t.Errorf("slot %v that was destroyed: got state %d in the file", slot, got.state)
					}
					shares.Recycler().Release(slot)
				} else if full.Add(1); !errors.Is(err, storage.ErrFull) {
					t.Errorf("error: got %v, want %v", err, storage.ErrFull)
				}
			}
		})
	}
	all.Wait()
	if full.Load() == 0 || seen.calls > 0 {
		t.Errorf("got %d errors of a full disk and %d faults, want some and none", full.Load(), seen.calls)
	}
}

package bolt

import (
	"fmt"
	"sync/atomic"
	"time"

	"hush/storage"
)

const (
	// spaceEvery is the minimum time between two queries of the disk's free
	// space.
	spaceEvery = time.Second
	// ballastSize is the size of the ballast, and ballastMargin what must be
	// free beside it before it is restored.
	ballastSize   = 8 << 20
	ballastMargin = 1 << 20
)

// diskSpace decides whether the folder may take more.
type diskSpace struct {
	least   int64                // minimum of free bytes
	disk    func() (int64, bool) // free bytes of the disk, false if unknown; replaced by tests
	inside  func() int64         // bytes in the database that the next commits can use
	ballast *ballast

	asked atomic.Int64
	full  atomic.Bool
	blind atomic.Bool // the free bytes were unknown at the last query
}

// HasDiskSpace reports whether the folder may take more: the free bytes of the
// disk plus the free pages of the database are at least Options.MinFree, and
// what the next reveals and burns may need exists, as ballast or as free pages.
// It is cheap: it queries the system at most once a second. If the free space
// is unknown, it returns true.
func (f *Folder) HasDiskSpace() bool { return f.space == nil || f.space.has(time.Now()) }

func (d *diskSpace) has(now time.Time) bool {
	last := d.asked.Load()
	if now.UnixNano()-last >= int64(spaceEvery) && d.asked.CompareAndSwap(last, now.UnixNano()) {
		d.ask()
	}
	return d.blind.Load() || !d.full.Load() && !d.spent()
}

// ask queries the free space of the disk.
func (d *diskSpace) ask() {
	free, known := d.disk()
	if known {
		d.ballast.restore(free)
	}
	d.full.Store(free+d.inside() < d.least)
	d.blind.Store(!known)
}

// spent reports whether the ballast is gone and no free pages replace it.
func (d *diskSpace) spent() bool { return d.ballast.missing() && d.inside() < ballastSize }

// errKeptBack refuses an ordinary change while the disk is full.
var errKeptBack = fmt.Errorf("%w: the remaining space is reserved for ending secrets", storage.ErrFull)

// closed reports whether only reserved updates may proceed: the ballast is
// missing for lack of space, and the database has fewer free pages. It is false
// for nil.
func (d *diskSpace) closed() bool {
	if d == nil || d.ballast == nil || !d.ballast.short.Load() {
		return false
	}
	d.has(time.Now()) // restores the ballast if it fits again
	return d.ballast.short.Load() && d.inside() < ballastSize
}

// drop removes the ballast, and reports whether that freed space.
func (d *diskSpace) drop() bool { return d != nil && d.ballast.drop() }

// reusable returns the bytes of the database's free pages.
func (s *Store) reusable() int64 {
	stats := s.db.Stats()
	return int64(stats.FreePageN+stats.PendingPageN) * s.pageSize
}

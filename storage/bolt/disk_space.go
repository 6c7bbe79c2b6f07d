package bolt

import (
	"fmt"
	"sync/atomic"
	"time"

	"hush/storage"
)

const (
	// spaceEvery is how often the system is asked about the disk at most.
	spaceEvery = time.Second
	// ballastSize is how long the ballast is, and ballastMargin what must be
	// free beside it before it comes back.
	ballastSize   = 8 << 20
	ballastMargin = 1 << 20
)

// diskSpace knows whether the folder may take more.
type diskSpace struct {
	least   int64                // bytes that must stay free
	disk    func() (int64, bool) // free bytes of the disk, false if unknown; replaced by tests
	inside  func() int64         // bytes in the database that the next commits can use
	ballast *ballast

	asked atomic.Int64
	full  atomic.Bool
	blind atomic.Bool // the free bytes were not known when the disk was asked last
}

// HasDiskSpace reports whether the folder may take more: the free bytes of the disk
// and the free pages inside the database are not less than Options.MinFree, and
// what the next reveals and burns may need is there, as ballast or as free pages.
// It is cheap: it asks the system once a second at most. Where the free space is
// not known, there is room.
func (f *Folder) HasDiskSpace() bool { return f.space == nil || f.space.has(time.Now()) }

func (d *diskSpace) has(now time.Time) bool {
	last := d.asked.Load()
	if now.UnixNano()-last >= int64(spaceEvery) && d.asked.CompareAndSwap(last, now.UnixNano()) {
		d.ask()
	}
	return d.blind.Load() || !d.full.Load() && !d.spent()
}

// ask asks the system about the disk.
func (d *diskSpace) ask() {
	free, known := d.disk()
	if known {
		d.ballast.restore(free)
	}
	d.full.Store(free+d.inside() < d.least)
	d.blind.Store(!known)
}

// spent reports whether the ballast is gone and nothing took its place.
func (d *diskSpace) spent() bool { return d.ballast.missing() && d.inside() < ballastSize }

// errKeptBack refuses an ordinary change while the disk is full.
var errKeptBack = fmt.Errorf("%w: what is left is kept for ending secrets", storage.ErrFull)

// closed reports whether only reserved updates may go on: the ballast is missing
// for want of room, and the database has not as many free pages. A nil room is
// never closed.
func (d *diskSpace) closed() bool {
	if d == nil || d.ballast == nil || !d.ballast.short.Load() {
		return false
	}
	d.has(time.Now()) // brings the ballast back where it fits again
	return d.ballast.short.Load() && d.inside() < ballastSize
}

// drop gives the ballast's room to others, and reports whether there was any.
func (d *diskSpace) drop() bool { return d != nil && d.ballast.drop() }

// reusable returns the bytes of the database's free pages.
func (s *Store) reusable() int64 {
	stats := s.db.Stats()
	return int64(stats.FreePageN+stats.PendingPageN) * s.pageSize
}

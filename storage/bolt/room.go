package bolt

import (
	"fmt"
	"sync/atomic"
	"time"

	"hush/storage"
)

const (
	// roomEvery is how often the system is asked about the disk at most.
	roomEvery = time.Second
	// ballastSize is how long the ballast is, and ballastMargin what must be
	// free beside it before it comes back.
	ballastSize   = 8 << 20
	ballastMargin = 1 << 20
)

// room knows whether the folder may take more.
type room struct {
	least   int64                // bytes that must stay free
	disk    func() (int64, bool) // free bytes of the disk, false if unknown; replaced by tests
	inside  func() int64         // bytes in the database that the next commits can use
	ballast *ballast

	asked atomic.Int64
	full  atomic.Bool
	blind atomic.Bool // the free bytes were not known when the disk was asked last
}

// HasRoom reports whether the folder may take more: the free bytes of the disk
// and the free pages inside the database are not less than Options.MinFree, and
// what the next reveals and burns may need is there, as ballast or as free pages.
// It is cheap: it asks the system once a second at most. Where the free space is
// not known, there is room.
func (f *Folder) HasRoom() bool { return f.room == nil || f.room.has(time.Now()) }

func (r *room) has(now time.Time) bool {
	last := r.asked.Load()
	if now.UnixNano()-last >= int64(roomEvery) && r.asked.CompareAndSwap(last, now.UnixNano()) {
		r.ask()
	}
	return r.blind.Load() || !r.full.Load() && !r.spent()
}

// ask asks the system about the disk.
func (r *room) ask() {
	free, known := r.disk()
	if known {
		r.ballast.restore(free)
	}
	r.full.Store(free+r.inside() < r.least)
	r.blind.Store(!known)
}

// spent reports whether the ballast is gone and nothing took its place.
func (r *room) spent() bool { return r.ballast.missing() && r.inside() < ballastSize }

// errKeptBack refuses an ordinary change while the disk is full.
var errKeptBack = fmt.Errorf("%w: what is left is kept for ending secrets", storage.ErrFull)

// closed reports whether only reserved updates may go on: the ballast is missing
// for want of room, and the database has not as many free pages. A nil room is
// never closed.
func (r *room) closed() bool {
	if r == nil || r.ballast == nil || !r.ballast.short.Load() {
		return false
	}
	r.has(time.Now()) // brings the ballast back where it fits again
	return r.ballast.short.Load() && r.inside() < ballastSize
}

// drop gives the ballast's room to others, and reports whether there was any.
func (r *room) drop() bool { return r != nil && r.ballast.drop() }

// reusable returns the bytes of the database's free pages.
func (s *Store) reusable() int64 {
	stats := s.db.Stats()
	return int64(stats.FreePageN+stats.PendingPageN) * s.pageSize
}

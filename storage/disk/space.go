package disk

import (
	"fmt"
	"os"
	"sync"
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

// SpaceOptions say what to watch of the space of a folder.
type SpaceOptions struct {
	// MinFree is how many bytes must be free for HasRoom to be true; 0 means any
	// number will do.
	MinFree int64
	// Ballast reserves 8 MiB in a file of the folder. There is none if the free space
	// of the disk is unknown.
	Ballast bool
	// Pressure, unless nil, is called when the ballast was dropped, and when it was
	// restored. It must return soon, and must not call back.
	Pressure func(dropped bool)
	// Full, unless nil, is called when HasRoom becomes false, and when it becomes true
	// again, with the free bytes of the disk. It must return soon, and must not call
	// back.
	Full func(full bool, free int64)
	// Now says how long ago the system was asked for the free space; nil means
	// time.Now. For tests.
	Now func() time.Time
	// Disk returns the free bytes of the disk, and false if they are unknown; nil asks
	// the system. For tests.
	Disk func() (free int64, known bool)
}

// Space decides whether a folder with a database may take more, and what only updates
// may do that end something. It is safe for concurrent use.
type Space struct {
	minFree int64                // minimum of free bytes
	disk    func() (int64, bool) // free bytes of the disk, false if unknown
	ballast *ballast
	now     func() time.Time
	tell    func(full bool, free int64) // of a change; nil for nothing

	asked   atomic.Pointer[time.Time] // nil before the first query
	full    atomic.Bool
	unknown atomic.Bool // the free bytes were unknown at the last query

	telling sync.Mutex
	told    bool // that it is full

	database freePages
}

// NewSpace returns what watches the disk of a folder, and has the ballast if that is
// wanted and the free bytes of the disk are known. It returns nil if nothing is to be
// watched. It changes nothing on the disk: the first HasRoom makes the ballast.
func NewSpace(folder *os.File, opts SpaceOptions) *Space {
	if opts.MinFree == 0 && !opts.Ballast {
		return nil
	}
	d := &Space{tell: opts.Full, minFree: opts.MinFree, disk: opts.Disk, now: opts.Now}
	if d.now == nil {
		d.now = time.Now
	}
	if d.disk == nil {
		d.disk = diskFree(folder.Name())
	}
	// Without the free space nothing would tell when to restore the ballast.
	if _, known := d.disk(); known && opts.Ballast {
		d.ballast = openBallast(folder, opts.Pressure)
	}
	return d
}

// freePages are the bytes inside a database that commits can use again.
type freePages struct {
	mu            sync.Mutex
	free, pending int64 // pending are those that the last commits have freed
	snapshots     int   // how many may still read what is pending
}

// usable returns the bytes that the next commits can use.
func (p *freePages) usable() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.snapshots > 0 {
		return p.free
	}
	return p.free + p.pending
}

// SetFreePages reports the bytes in the database that the next commits can use, and those
// that the last commits have freed, which they can use while no snapshot may read them.
func (d *Space) SetFreePages(free, pending int64) {
	if d == nil {
		return
	}
	d.database.mu.Lock()
	defer d.database.mu.Unlock()
	d.database.free, d.database.pending = free, pending
}

// BeginSnapshot reports that a snapshot may read pages that commits free, until
// EndSnapshot.
func (d *Space) BeginSnapshot() {
	if d == nil {
		return
	}
	d.database.mu.Lock()
	defer d.database.mu.Unlock()
	d.database.snapshots++
}

// EndSnapshot ends what BeginSnapshot began.
func (d *Space) EndSnapshot() {
	if d == nil {
		return
	}
	d.database.mu.Lock()
	defer d.database.mu.Unlock()
	d.database.snapshots--
}

// Shortage says how many bytes are free and how many are needed, which are more. It
// rounds them away from each other, so that they never look the same.
func Shortage(free, needed int64) string {
	unit, shift := "MiB", 20
	if needed < 10<<20 {
		unit, shift = "KiB", 10
	}
	return fmt.Sprintf("%d %s are free, and it takes %d %s", free>>shift, unit, (needed+1<<shift-1)>>shift, unit)
}

// HasRoom reports whether the folder may take more: the free bytes of the disk
// plus the free pages of the database are at least SpaceOptions.MinFree, and the
// ballast exists, or as many free pages. It is cheap: it queries the system at
// most once a second. If the free space is unknown, and for nil, it returns true.
func (d *Space) HasRoom() bool { return d == nil || d.has(d.now()) }

// BallastDropped reports whether the ballast is missing because the disk is full.
func (d *Space) BallastDropped() bool {
	return d != nil && d.ballast != nil && d.ballast.short.Load()
}

func (d *Space) has(now time.Time) bool {
	if last := d.asked.Load(); isDue(last, now) && d.asked.CompareAndSwap(last, &now) {
		d.ask()
	}
	return d.unknown.Load() || !d.full.Load() && !d.lacksReserve()
}

// isDue reports whether a query is due, of which last was the time of the last one.
// Both times have what Go's monotonic clock says, so that a clock that is set back
// delays nothing; where they have not, in a test, a query is due then.
func isDue(last *time.Time, now time.Time) bool {
	if last == nil {
		return true
	}
	passed := now.Sub(*last)
	return passed < 0 || passed >= spaceEvery
}

// ask queries the free space of the disk, and tells of a change.
func (d *Space) ask() {
	free, known := d.disk()
	if known {
		d.ballast.restore(free)
	}
	d.full.Store(free+d.database.usable() < d.minFree)
	d.unknown.Store(!known)
	full := known && (d.full.Load() || d.lacksReserve())
	if d.tell == nil || !d.telling.TryLock() {
		return
	}
	defer d.telling.Unlock()
	if full != d.told {
		d.told = full
		d.tell(full, free)
	}
}

// lacksReserve reports whether the ballast is gone and no free pages replace it.
func (d *Space) lacksReserve() bool { return d.ballast.missing() && d.database.usable() < ballastSize }

// ErrReserved refuses an ordinary change while the disk is full. It is a
// storage.ErrFull.
var ErrReserved = fmt.Errorf("%w: the remaining space is reserved for ending secrets", storage.ErrFull)

// ReservedOnly reports whether only reserved updates may proceed: the ballast is
// missing for lack of space, and the database has fewer free pages. It is false
// for nil.
func (d *Space) ReservedOnly() bool {
	if d == nil || d.ballast == nil || !d.ballast.short.Load() {
		return false
	}
	d.has(d.now()) // restores the ballast if it fits again
	return d.ballast.short.Load() && d.database.usable() < ballastSize
}

// IsLow reports whether the folder may not take more. It is false without a ballast, and
// for nil.
func (d *Space) IsLow() bool { return d != nil && d.ballast != nil && !d.has(d.now()) }

// DropBallast removes the ballast, and reports whether that freed space.
func (d *Space) DropBallast() bool { return d != nil && d.ballast.drop() }

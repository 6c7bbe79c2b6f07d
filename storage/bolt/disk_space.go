package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

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
	ballast *ballast
	now     func() time.Time
	tell    func(full bool, free int64) // of a change; nil for nothing

	asked atomic.Pointer[time.Time] // nil before the first query
	full  atomic.Bool
	blind atomic.Bool // the free bytes were unknown at the last query

	telling sync.Mutex
	told    bool // that it is full

	inside freePages // of the database
}

// newDiskSpace returns what watches the disk of a folder, and has the ballast if that is
// wanted and the free bytes of the disk are known. It returns nil if nothing is to be
// watched. It changes nothing on the disk: the first has makes the ballast.
func newDiskSpace(folder *os.File, opts Options) *diskSpace {
	if opts.MinFree == 0 && !opts.Ballast {
		return nil
	}
	d := &diskSpace{tell: opts.Full, least: opts.MinFree, disk: opts.disk, now: opts.Now}
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

func (p *freePages) set(free, pending int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free, p.pending = free, pending
}

func (p *freePages) count(snapshots int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.snapshots += snapshots
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

// setFreePages reports the bytes in the database that the next commits can use, and those
// that the last commits have freed, which they can use while no snapshot may read them.
func (d *diskSpace) setFreePages(free, pending int64) {
	if d != nil {
		d.inside.set(free, pending)
	}
}

// beginSnapshot reports that a snapshot may read what is pending, until endSnapshot.
func (d *diskSpace) beginSnapshot() {
	if d != nil {
		d.inside.count(1)
	}
}

func (d *diskSpace) endSnapshot() {
	if d != nil {
		d.inside.count(-1)
	}
}

// HasDiskSpace reports whether the folder may take more: the free bytes of the
// disk plus the free pages of the database are at least Options.MinFree, and
// what the next reveals and burns may need exists, as ballast or as free pages.
// It is cheap: it queries the system at most once a second. If the free space
// is unknown, it returns true.
func (f *Folder) HasDiskSpace() bool { return f.space == nil || f.space.has(f.space.now()) }

// DiskFree returns the free bytes for this user of the disk of a folder, or of the
// nearest one above it if that does not exist. known is false if the system does
// not say.
func DiskFree(dir string) (free int64, known bool) { return diskFree(nearest(dir))() }

// shortage says how many bytes are free and how many are needed, which are more. It
// rounds them away from each other, so that they never look the same.
func shortage(free, needed int64) string {
	unit, shift := "MiB", 20
	if needed < 10<<20 {
		unit, shift = "KiB", 10
	}
	return fmt.Sprintf("%d %s are free, and it takes %d %s", free>>shift, unit, (needed+1<<shift-1)>>shift, unit)
}

// nearest returns the folder that exists and in which dir is, or would be.
func nearest(dir string) string {
	for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return dir
		}
	}
}

// CheckNew returns the error of OpenFolder for a folder without a database, and
// creates nothing.
func CheckNew(dir string) error {
	if found := nearest(dir); found != filepath.Clean(dir) {
		if err := unix.Access(found, unix.W_OK|unix.X_OK); err != nil {
			return fmt.Errorf("creating data folder %s: folder %s: %w", dir, found, err)
		}
		return nil
	}
	folder, err := OpenFolder(dir)
	if err != nil {
		return err
	}
	return folder.Close()
}

// BallastDropped reports whether the ballast is missing because the disk is full.
func (f *Folder) BallastDropped() bool {
	return f.space != nil && f.space.ballast != nil && f.space.ballast.short.Load()
}

func (d *diskSpace) has(now time.Time) bool {
	if last := d.asked.Load(); isDue(last, now) && d.asked.CompareAndSwap(last, &now) {
		d.ask()
	}
	return d.blind.Load() || !d.full.Load() && !d.spent()
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

// ask queries the free space of the disk.
func (d *diskSpace) ask() {
	free, known := d.disk()
	if known {
		d.ballast.restore(free)
	}
	d.full.Store(free+d.inside.usable() < d.least)
	d.blind.Store(!known)
	d.report(known && (d.full.Load() || d.spent()), free)
}

// report tells a change.
func (d *diskSpace) report(full bool, free int64) {
	if d.tell == nil || !d.telling.TryLock() {
		return
	}
	defer d.telling.Unlock()
	if full != d.told {
		d.told = full
		d.tell(full, free)
	}
}

// spent reports whether the ballast is gone and no free pages replace it.
func (d *diskSpace) spent() bool { return d.ballast.missing() && d.inside.usable() < ballastSize }

// errKeptBack refuses an ordinary change while the disk is full.
var errKeptBack = fmt.Errorf("%w: the remaining space is reserved for ending secrets", storage.ErrFull)

// closed reports whether only reserved updates may proceed: the ballast is
// missing for lack of space, and the database has fewer free pages. It is false
// for nil.
func (d *diskSpace) closed() bool {
	if d == nil || d.ballast == nil || !d.ballast.short.Load() {
		return false
	}
	d.has(d.now()) // restores the ballast if it fits again
	return d.ballast.short.Load() && d.inside.usable() < ballastSize
}

// short reports whether the folder may not take more. It is false without a ballast, and
// for nil.
func (d *diskSpace) short() bool { return d != nil && d.ballast != nil && !d.has(d.now()) }

// drop removes the ballast, and reports whether that freed space.
func (d *diskSpace) drop() bool { return d != nil && d.ballast.drop() }

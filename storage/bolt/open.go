package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"hush/storage"
	"hush/storage/disk"
	"hush/storage/sharefile"
)

const (
	// leastMap and roomyMap are how far the database grows before bbolt must map it
	// anew. For that it waits for every reader, and all others wait for it, so a
	// database that is larger than a quarter of roomyMap gets four times its
	// size: not even one that doubles during a snapshot needs another map. It
	// costs address space, not memory. The smaller one is for systems and limits
	// that have too little.
	leastMap       = 256 << 20
	roomyMap int64 = 32 << 30
	// fileLockPatience is for bbolt's own lock. This process owns the folder
	// already, so only a foreign tool can hold that lock.
	fileLockPatience = 200 * time.Millisecond
	// smallGrowth is the step in which a small database grows, in bytes.
	smallGrowth = 128 << 10
)

// Options are the optional settings of opening a folder.
type Options struct {
	// Init fills a new database. It runs once, before the database gets its
	// name, so that a database without its content never exists.
	Init func(storage.Tx) error
	// Check reads a database that exists, before anything is changed. Its error
	// is that of Open. The transaction must not write.
	Check func(storage.Tx) error
	// Copied is called if the files of the folder are others than those on record, with
	// a CopiedError, before anything is changed. Its error is that of Open. Nil opens a
	// copy, too, and leaves the record as it is; see KeepFiles.
	Copied func(error) error
	// Fault is called once, when an input/output error has left the outcome of
	// a change unknown and all further operations are refused. It runs before a
	// caller gets that error, must return soon, and must not call back into
	// this package.
	Fault func(error)
	// MinFree is how many bytes must be free for HasDiskSpace to be true; 0
	// means any number will do.
	MinFree int64
	// Ballast reserves 8 MiB in a file, which UpdateReserved may use when the
	// disk is full. There is none if the free space of the disk is unknown.
	Ballast bool
	// Pressure is called when the ballast was dropped, and when it was
	// restored. It must return soon, and must not call back into this package.
	Pressure func(dropped bool)
	// Full is called when HasDiskSpace becomes false, and when it becomes true again,
	// with the free bytes of the disk. It must return soon, and must not call back into
	// this package. Nil for nothing.
	Full func(full bool, free int64)
	// Small makes the database grow by 128 KiB and the shares by 4 KiB, and not by 16
	// MiB and 1 MiB. For tests, which copy and search whole folders.
	Small bool

	// Now says how long ago the system was asked for the free space of the disk; nil
	// means time.Now. For tests.
	Now func() time.Time

	disk func() (free int64, known bool) // nil for the disk of the folder; set by tests
	// again writes the end of the files again before they are opened, and shares writes
	// the shares; nil for the system. Set by tests.
	again, shares disk.Writer
}

// Open opens the database and the shares of the folder, and creates both if it
// has neither. They belong together: if one is missing or belongs to another
// pair, Open fails with ErrMissingShares, ErrMissingDatabase or ErrMismatch.
// The caller closes the folder, or the store and then the shares. A folder can
// be opened once.
func (f *Folder) Open(opts Options) (*Store, *sharefile.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, nil, errFolderClosed
	}
	if f.store != nil {
		return nil, nil, errAlreadyOpen
	}
	exists, err := f.Exists()
	if err == nil && !exists {
		err = f.create(opts)
	}
	if err != nil {
		return nil, nil, err
	}
	if opts.again == nil {
		opts.again = disk.System{}
	}
	space := disk.NewSpace(f.handle, disk.SpaceOptions{
		MinFree: opts.MinFree, Ballast: opts.Ballast, Pressure: opts.Pressure, Full: opts.Full, Now: opts.Now, Disk: opts.disk,
	})
	if f.store, f.shares, err = f.open(disk.NewFault(opts.Fault), space, opts); err != nil {
		return nil, nil, err
	}
	f.space = space
	f.HasDiskSpace() // creates the ballast
	return f.store, f.shares, nil
}

func (f *Folder) open(fault *disk.Fault, space *disk.Space, opts Options) (*Store, *sharefile.File, error) {
	if err := f.finishBuild(); err != nil {
		return nil, nil, err
	}
	exists, err := f.holds(sharesName)
	if err != nil {
		return nil, nil, err
	}
	if !exists {
		return nil, nil, fmt.Errorf("%w from %s", ErrMissingShares, f.dir)
	}
	if err := f.settle(opts.again); err != nil {
		return nil, nil, err
	}
	path := f.Path(databaseName)
	if err := checkDatabase(path); err != nil {
		return nil, nil, err
	}
	db, err := openMapped(path)
	if err != nil {
		return nil, nil, err
	}
	if opts.Small {
		db.AllocSize = smallGrowth
	}
	err = checkContent(db, opts.Check)
	var shares *sharefile.File
	if err == nil {
		shares, err = openPair(db, f.Path(sharesName), sharefile.Options{Fault: fault, Space: space, Small: opts.Small, Writer: opts.shares})
	}
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	if err := f.heedCopy(db, opts.Copied); err != nil {
		return nil, nil, errors.Join(err, shares.Close(), db.Close())
	}
	return newStore(db, fault, space), shares, nil
}

// heedCopy calls told, which may be nil, if the folder is a copy.
func (f *Folder) heedCopy(db *bbolt.DB, told func(error) error) error {
	err := f.copied(db)
	if _, is := errors.AsType[*CopiedError](err); !is {
		return err
	}
	if told == nil {
		return nil
	}
	return told(err)
}

// checkContent runs check, which may be nil, on a database.
func checkContent(db *bbolt.DB, check func(storage.Tx) error) error {
	if check == nil {
		return nil
	}
	return db.View(func(btx *bbolt.Tx) error { return check(&tx{bolt: btx}) })
}

// openPair opens the shares that belong to db.
func openPair(db *bbolt.DB, path string, opts sharefile.Options) (*sharefile.File, error) {
	id, err := readStoreID(db)
	if err != nil {
		return nil, err
	}
	shares, theirs, err := sharefile.Open(path, opts)
	if err != nil {
		return nil, err
	}
	if theirs != id {
		return nil, errors.Join(
			fmt.Errorf("%w: hush.db and shares have different store ids", ErrMismatch), shares.Close())
	}
	return shares, nil
}

func databaseOptions() *bbolt.Options {
	return &bbolt.Options{
		Timeout: fileLockPatience,
		// A sorted list written with every commit makes commits ten times
		// slower after many deletions; opening rebuilds the list instead.
		NoFreelistSync:  true,
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: leastMap,
		// The statistics have the number of free pages.
	}
}

// openMapped opens a database with room in its map, or with less if the system
// does not give that much address space.
func openMapped(path string) (*bbolt.DB, error) {
	opts := databaseOptions()
	opts.InitialMmapSize = mapSize(path)
	db, err := openDatabase(path, opts)
	if errors.Is(err, syscall.ENOMEM) && opts.InitialMmapSize > leastMap {
		db, err = openDatabase(path, databaseOptions())
	}
	return db, err
}

// mapSize returns how much of the database at path is mapped at first.
func mapSize(path string) int {
	info, err := os.Stat(path)
	if err != nil || strconv.IntSize < 64 {
		return leastMap
	}
	return int(max(roomyMap, 4*info.Size()))
}

// openDatabase opens or creates the database at path. bbolt panics on some
// kinds of damage.
func openDatabase(path string, opts *bbolt.Options) (db *bbolt.DB, err error) {
	defer func() {
		if p := recover(); p != nil {
			db, err = nil, fmt.Errorf("%w: %w: %T", ErrMismatch, errDatabasePanic, p)
		}
	}()
	db, err = bbolt.Open(path, 0o600, opts)
	switch {
	case errors.Is(err, bbolterrors.ErrTimeout):
		return nil, fmt.Errorf("%s is %w", path, ErrLocked)
	case err != nil && !isPathError(err):
		return nil, fmt.Errorf("%w: %s is not a database: %w", ErrMismatch, path, err)
	case err != nil:
		return nil, fmt.Errorf("opening database: %w", err)
	}
	return db, nil
}

// newDatabase creates a database at path, which must be free: the folder's owner may
// put a link there, which root must not follow. made, unless nil, gets the file.
func newDatabase(path string, opts *bbolt.Options, made func(*os.File) error) (*bbolt.DB, error) {
	opts.OpenFile = func(name string, flag int, mode fs.FileMode) (*os.File, error) {
		file, err := os.OpenFile(name, flag|os.O_EXCL, mode)
		if err != nil || made == nil {
			return file, err
		}
		if err := made(file); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		return file, nil
	}
	return openDatabase(path, opts)
}

// checkDatabase refuses an empty file, which bbolt would take for a new
// database, and one that is shorter than its header says: reading the missing
// part of a mapped file kills the process.
func checkDatabase(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("opening database: %w", err)
	}
	if info.Size() == 0 {
		return fmt.Errorf("%w: %s is empty", ErrMismatch, path)
	}
	db, err := openDatabase(path, &bbolt.Options{ReadOnly: true, Timeout: fileLockPatience, NoStatistics: true})
	if err != nil {
		return err
	}
	var want int64
	err = db.View(func(btx *bbolt.Tx) error {
		want = btx.Size()
		return nil
	})
	if err == nil && info.Size() < want {
		err = fmt.Errorf("%w: %s has %d bytes, not %d", ErrMismatch, path, info.Size(), want)
	}
	return errors.Join(err, db.Close())
}

func isPathError(err error) bool {
	var failed *os.PathError
	return errors.As(err, &failed)
}

package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"hush/storage"
)

const (
	// initialMap is how far the database grows before bbolt has to map it
	// anew, for which it waits for every reader. It costs addresses, no memory.
	initialMap = 256 << 20
	// fileLockPatience is for bbolt's own lock: the folder is ours already, so
	// only a foreign tool can hold it.
	fileLockPatience = 200 * time.Millisecond
)

// Options are the optional parts of opening a folder.
type Options struct {
	// Init fills a new database. It runs once, before the database appears
	// under its name, so that a database without its content never exists.
	Init func(storage.Tx) error
	// Fault is called once, when an input/output error has left the outcome of
	// a change unknown and everything is refused from now on. It runs before
	// anybody gets that error, must return soon, and must not call back into
	// what this package returned.
	Fault func(error)
	// MinFree is how many bytes must be free for HasRoom to say yes; 0 means any
	// number will do.
	MinFree int64
	// Ballast keeps 8 MiB back in a file, which UpdateReserved may use when the
	// disk is full. There is none where the free space of the disk is not known.
	Ballast bool
	// Pressure is called when the ballast was dropped, and when it came back. It
	// must return soon, and must not call back into what this package returned.
	Pressure func(dropped bool)

	disk func() (free int64, known bool) // nil for the disk below the folder; set by tests
}

// Open opens the database and the shares of the folder, and makes both if it
// holds neither. They belong together: a missing one, or one of another pair,
// is an error (ErrMissingShares, ErrMissingDatabase, ErrMismatch). The caller
// closes the folder, or the store and then the shares; a folder is opened once.
func (f *Folder) Open(opts Options) (*Store, *Shares, error) {
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
		err = f.create(opts.Init)
	}
	if err != nil {
		return nil, nil, err
	}
	if f.store, f.shares, err = f.open(&fault{report: opts.Fault}); err != nil {
		return nil, nil, err
	}
	f.watchSpace(opts)
	return f.store, f.shares, nil
}

// watchSpace begins to look after the room of the folder.
func (f *Folder) watchSpace(opts Options) {
	if opts.MinFree == 0 && !opts.Ballast {
		return
	}
	r := &diskSpace{least: opts.MinFree, disk: opts.disk, inside: f.store.reusable}
	if r.disk == nil {
		r.disk = diskFree(f.dir)
	}
	// Without the free space nothing would tell when to make the ballast again.
	if _, known := r.disk(); known && opts.Ballast {
		r.ballast = openBallast(f, opts.Pressure)
		f.store.writer.space.Store(r)
		f.shares.space.Store(r)
	}
	f.space = r
	f.HasDiskSpace() // makes the ballast
}

func (f *Folder) open(fault *fault) (*Store, *Shares, error) {
	exists, err := f.holds(sharesName)
	if err != nil {
		return nil, nil, err
	}
	if !exists {
		return nil, nil, fmt.Errorf("%w from %s", ErrMissingShares, f.dir)
	}
	if err := f.settle(); err != nil {
		return nil, nil, err
	}
	path := f.Path(databaseName)
	if err := checkDatabase(path); err != nil {
		return nil, nil, err
	}
	db, err := openDatabase(path, databaseOptions())
	if err != nil {
		return nil, nil, err
	}
	shares, err := openPair(db, f.Path(sharesName), fault)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return newStore(db, fault), shares, nil
}

// settle makes durable what an earlier process left. One that was killed between
// a write and its sync leaves what every program can read and a power cut still
// takes away: bbolt would read such a commit as the last one and write over pages
// that the one before it needs.
func (f *Folder) settle() error {
	for _, name := range []string{databaseName, sharesName} {
		file, err := os.OpenFile(f.Path(name), os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue // told of later, with what it means
		}
		if err != nil {
			return fmt.Errorf("opening %s: %w", name, err)
		}
		if err := errors.Join(file.Sync(), file.Close()); err != nil {
			return fmt.Errorf("syncing %s: %w", name, err)
		}
	}
	return f.Sync()
}

// OpenPair opens the shares that belong to db.
func openPair(db *bbolt.DB, path string, fault *fault) (*Shares, error) {
	id, err := readStoreID(db)
	if err != nil {
		return nil, err
	}
	shares, theirs, err := openShares(path, fault)
	if err != nil {
		return nil, err
	}
	if theirs != id {
		return nil, errors.Join(
			fmt.Errorf("%w: hush.db and shares carry different store ids", ErrMismatch), shares.Close())
	}
	return shares, nil
}

func databaseOptions() *bbolt.Options {
	return &bbolt.Options{
		Timeout: fileLockPatience,
		// A list that is sorted and written with every commit makes commits
		// ten times slower after many deletions; opening rebuilds it instead.
		NoFreelistSync:  true,
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: initialMap,
		// The statistics tell how many pages are free.
	}
}

// openDatabase opens or makes the database at path. bbolt panics on some
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

// checkDatabase refuses an empty file, which bbolt would take for a new
// database, and one that is shorter than its own header says: reading what is
// missing from a mapped file ends the process.
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

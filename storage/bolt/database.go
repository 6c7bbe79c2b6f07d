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
)

const (
	// OwnBucket holds the store's own data. No bucket of a caller can have that
	// name.
	OwnBucket  = "\x00store"
	storeIDKey = "id"
)

// ReadStoreID returns the store id of a database, or ErrMismatch.
func ReadStoreID(db *bbolt.DB) (sharefile.StoreID, error) {
	var id sharefile.StoreID
	err := db.View(func(btx *bbolt.Tx) error {
		b := btx.Bucket([]byte(OwnBucket))
		if b == nil || copy(id[:], b.Get([]byte(storeIDKey))) != len(id) {
			return fmt.Errorf("%w: hush.db has no store id", ErrMismatch)
		}
		return nil
	})
	return id, err
}

// WriteStoreID makes the own bucket of a new database, with its store id.
func WriteStoreID(btx *bbolt.Tx, id sharefile.StoreID) error {
	b, err := btx.CreateBucket([]byte(OwnBucket))
	if err != nil {
		return fmt.Errorf("creating the store's bucket: %w", err)
	}
	return b.Put([]byte(storeIDKey), id[:])
}

// DatabaseOptions returns the options of bbolt with which each database is opened. The
// caller may change them.
func DatabaseOptions() *bbolt.Options {
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
	opts := DatabaseOptions()
	opts.InitialMmapSize = mapSize(path)
	db, err := OpenDatabase(path, opts)
	if errors.Is(err, syscall.ENOMEM) && opts.InitialMmapSize > leastMap {
		db, err = OpenDatabase(path, DatabaseOptions())
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

// OpenDatabase opens or creates the database at path. bbolt panics on some
// kinds of damage.
func OpenDatabase(path string, opts *bbolt.Options) (db *bbolt.DB, err error) {
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

// CreateDatabase creates a database at path, which must be free: the folder's owner may
// put a link there, which root must not follow. made, unless nil, gets the file.
func CreateDatabase(path string, opts *bbolt.Options, made func(*os.File) error) (*bbolt.DB, error) {
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
	return OpenDatabase(path, opts)
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
	db, err := OpenDatabase(path, &bbolt.Options{ReadOnly: true, Timeout: fileLockPatience, NoStatistics: true})
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

// ViewDatabase runs fn on the rows of a database, in a transaction that must not write.
func ViewDatabase(db *bbolt.DB, fn func(storage.Tx) error) error {
	return db.View(func(btx *bbolt.Tx) error {
		t := Tx{bolt: btx}
		defer func() { t.bolt = nil }()
		return fn(&t)
	})
}

// BucketNames returns the names of the buckets, without the store's own.
func BucketNames(btx *bbolt.Tx) (names []string, err error) {
	err = btx.ForEach(func(name []byte, _ *bbolt.Bucket) error {
		if validBucket(string(name)) {
			names = append(names, string(name))
		}
		return nil
	})
	return names, err
}

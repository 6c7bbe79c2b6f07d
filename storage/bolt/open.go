package bolt

import (
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"hush/storage"
	"hush/storage/disk"
	"hush/storage/sharefile"
)

// smallGrowth is the step in which a small database grows, in bytes.
const smallGrowth = 128 << 10

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
	if err := f.FinishBuild(); err != nil {
		return nil, nil, err
	}
	exists, err := f.Holds(SharesName)
	if err != nil {
		return nil, nil, err
	}
	if !exists {
		return nil, nil, fmt.Errorf("%w from %s", ErrMissingShares, f.dir)
	}
	if err := f.Renew(opts.again); err != nil {
		return nil, nil, err
	}
	path := f.Path(DatabaseName)
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
	if opts.Check != nil {
		err = ViewDatabase(db, opts.Check)
	}
	var shares *sharefile.File
	if err == nil {
		shares, err = openPair(db, f.Path(SharesName), sharefile.Options{Fault: fault, Space: space, Small: opts.Small, Writer: opts.shares})
	}
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	if err := f.checkCopied(db, opts.Copied); err != nil {
		return nil, nil, errors.Join(err, shares.Close(), db.Close())
	}
	return newStore(db, fault, space), shares, nil
}

// checkCopied calls copied, which may be nil, if the folder is a copy.
func (f *Folder) checkCopied(db *bbolt.DB, copied func(error) error) error {
	err := f.Copied(db)
	if _, is := errors.AsType[*CopiedError](err); !is {
		return err
	}
	if copied == nil {
		return nil
	}
	return copied(err)
}

// openPair opens the shares that belong to db.
func openPair(db *bbolt.DB, path string, opts sharefile.Options) (*sharefile.File, error) {
	id, err := ReadStoreID(db)
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

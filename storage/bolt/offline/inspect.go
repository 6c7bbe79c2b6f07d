package offline

import (
	"context"
	"errors"
	"fmt"
	"os"

	"go.etcd.io/bbolt"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/bolt/pages"
	"hush/storage/sharefile"
)

// Inspection is a stopped data folder that is only read. It holds the folder's
// lock, and writes nothing: no file, no time of access where the system allows
// that, and no list of free pages. It works on a file system that is mounted
// read-only. It is a storage.Viewer.
type Inspection struct {
	folder *bolt.Folder
	db     *bbolt.DB // nil before OpenDatabase
	used   int64     // bytes of its pages that are in use
	slots  *sharefile.Table
}

var _ storage.Viewer = (*Inspection)(nil)

// Inspect takes the lock of a data folder, whatever its mode is. It returns
// bolt.ErrLocked if a process holds it. The caller closes the inspection.
func Inspect(dir string) (*Inspection, error) {
	folder, err := bolt.LockFolder(dir)
	if err != nil {
		return nil, err
	}
	return InspectLocked(folder), nil
}

// InspectLocked inspects a folder that the caller has locked, and which Close of the
// inspection closes.
func InspectLocked(folder *bolt.Folder) *Inspection { return &Inspection{folder: folder} }

// OpenDatabase checks the pages of the database, and opens it if they are good.
// Otherwise it returns bolt.ErrMismatch, and says what is wrong with the first of
// them. tell is called with the number of pages that were read.
func (i *Inspection) OpenDatabase(ctx context.Context, tell func(pages, of int64)) error {
	path := i.folder.Path(bolt.DatabaseName)
	opts := bolt.DatabaseOptions()
	opts.ReadOnly, opts.InitialMmapSize = true, 0
	opts.OpenFile = func(path string, _ int, _ os.FileMode) (*os.File, error) { return bolt.OpenQuietly(path) }
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("opening database: %w", err)
	}
	if info.Size() == 0 {
		return fmt.Errorf("%w: %s is empty", bolt.ErrMismatch, path)
	}
	db, err := bolt.OpenDatabase(path, opts)
	if err != nil {
		return err
	}
	if i.used, err = checkPages(ctx, db, info.Size(), tell); err == nil {
		_, err = bolt.ReadStoreID(db)
	}
	if err != nil {
		return errors.Join(err, db.Close())
	}
	i.db = db
	return nil
}

// OpenShares checks the header of the shares file, and that it belongs to the
// database if that is open. Then it reads every slot.
func (i *Inspection) OpenShares(ctx context.Context) (*sharefile.Table, error) {
	file, err := bolt.OpenQuietly(i.folder.Path(bolt.SharesName))
	if err != nil {
		return nil, fmt.Errorf("opening shares: %w", err)
	}
	id, size, err := sharefile.ReadHeader(file)
	if err == nil && i.db != nil {
		var own sharefile.StoreID
		if own, err = bolt.ReadStoreID(i.db); err == nil && own != id {
			err = fmt.Errorf("%w: hush.db and shares have different store ids", bolt.ErrMismatch)
		}
	}
	if err == nil {
		i.slots, err = sharefile.ReadTable(ctx, file, size)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return i.slots, nil
}

// Files lists the folder.
func (i *Inspection) Files() ([]os.DirEntry, error) { return i.folder.Files() }

// Warnings returns a sentence for each property of the folder's file system that
// weakens Hush's promises.
func (i *Inspection) Warnings() []string { return i.folder.Warnings() }

// Copied returns a bolt.CopiedError if the files of the folder are others than those on record.
// The database must be open.
func (i *Inspection) Copied() error { return i.folder.Copied(i.db) }

// Buckets returns the names of the buckets, without the store's own.
func (i *Inspection) Buckets() (names []string, err error) {
	err = i.db.View(func(btx *bbolt.Tx) error {
		names, err = bolt.BucketNames(btx)
		return err
	})
	return names, err
}

// View implements storage.Viewer.
func (i *Inspection) View(ctx context.Context, fn func(storage.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if i.db == nil {
		return storage.ErrClosed
	}
	return bolt.ViewDatabase(i.db, fn)
}

// Close releases the folder.
func (i *Inspection) Close() error {
	var errs []error
	if i.db != nil {
		errs = append(errs, i.db.Close())
	}
	if i.slots != nil {
		errs = append(errs, i.slots.Close())
	}
	return errors.Join(append(errs, i.folder.Close())...)
}

// checkPages checks the pages of a database, first those in the file, and then
// those in bbolt's map of it, by bbolt's own check. It returns how many bytes are
// in use.
func checkPages(ctx context.Context, db *bbolt.DB, size int64, tell func(pages, of int64)) (used int64, err error) {
	err = db.View(func(btx *bbolt.Tx) error {
		if size < btx.Size() {
			return fmt.Errorf("%w: %s has %d bytes, not %d", bolt.ErrMismatch, db.Path(), size, btx.Size())
		}
		file, err := bolt.OpenQuietly(db.Path())
		if err != nil {
			return err
		}
		defer file.Close()
		pageSize := int64(db.Info().PageSize)
		count, err := pages.Check(ctx, pages.File{
			File: file, PageSize: pageSize, Root: uint64(btx.Cursor().Bucket().Root()), End: uint64(btx.Size() / pageSize),
		}, tell)
		if errors.Is(err, pages.ErrDamaged) {
			return fmt.Errorf("%w: %s: %w", bolt.ErrMismatch, db.Path(), err)
		}
		if err != nil {
			return err
		}
		used = (count + metaPages) * pageSize
		var first error
		for err := range btx.Check() { // to the end, or it never ends
			if first == nil {
				first = fmt.Errorf("%w: %s: %w", bolt.ErrMismatch, db.Path(), err)
			}
		}
		return first
	})
	return used, err
}

// metaPages is the number of pages at the beginning that no tree has.
const metaPages = 2

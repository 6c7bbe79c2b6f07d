package offline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/disk"
	"hush/storage/sharefile"
)

const (
	// buildRows and buildBytes bound what a Builder keeps in memory.
	buildRows  = 4096
	buildBytes = 4 << 20
)

// ErrFolderInUse is returned if the folder to build data in has data already.
var ErrFolderInUse = errors.New("bolt: the folder holds data")

var errBuilt = errors.New("bolt: nothing can be added any more")

// Builder makes the data of a folder out of the rows and slots of another one,
// with a store id of its own. No process takes it for data before Commit, and
// after a crash before that the next Builder begins anew. It is for one
// goroutine.
type Builder struct {
	folder *bolt.Folder
	id     sharefile.StoreID

	db      *bbolt.DB
	btx     *bbolt.Tx
	tx      *bolt.Tx
	pending int // rows in btx
	bytes   int

	slots     *sharefile.Builder
	store     *bolt.Store // once opened
	shares    *sharefile.File
	committed bool
}

// NewBuilder begins to build data in a folder that has none, or returns
// ErrFolderInUse. The caller calls Close.
func NewBuilder(f *bolt.Folder) (_ *Builder, err error) {
	if err := clearForBuild(f); err != nil {
		return nil, err
	}
	b := &Builder{folder: f, id: sharefile.NewStoreID()}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.Close())
		}
	}()
	opts := bolt.DatabaseOptions()
	opts.NoSync = true // until it is complete
	if b.db, err = bolt.CreateDatabase(f.Path(bolt.NewDatabaseName), opts, nil); err != nil {
		return nil, err
	}
	if err = b.db.Update(func(btx *bbolt.Tx) error { return bolt.WriteStoreID(btx, b.id) }); err != nil {
		return nil, disk.WriteFailed("beginning the new database", err)
	}
	b.slots, err = sharefile.NewBuilder(f.Path(bolt.NewSharesName), b.id)
	return b, err
}

// clearForBuild removes what an earlier Builder left, and returns ErrFolderInUse
// if there is data.
func clearForBuild(f *bolt.Folder) error {
	for _, name := range []string{bolt.DatabaseName, bolt.SharesName} {
		there, err := f.Holds(name)
		if err != nil {
			return err
		}
		if there {
			return fmt.Errorf("%w: it has a file %s", ErrFolderInUse, name)
		}
	}
	return removeBuild(f)
}

func removeBuild(f *bolt.Folder) error {
	for _, name := range []string{bolt.NewDatabaseName, bolt.NewSharesName} {
		if err := os.Remove(f.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing unfinished %s: %w", name, err)
		}
	}
	return nil
}

// Row adds a row.
func (b *Builder) Row(bucket string, key, value []byte) error {
	if b.db == nil {
		return errBuilt
	}
	if err := b.begin(); err != nil {
		return err
	}
	if err := b.tx.Put(bucket, key, value); err != nil {
		return err
	}
	b.pending, b.bytes = b.pending+1, b.bytes+len(key)+len(value)
	if b.pending < buildRows && b.bytes < buildBytes {
		return nil
	}
	return b.commit()
}

func (b *Builder) begin() (err error) {
	if b.btx != nil {
		return nil
	}
	if b.btx, err = b.db.Begin(true); err != nil {
		return fmt.Errorf("filling the new database: %w", err)
	}
	b.tx = bolt.NewTx(b.btx)
	return nil
}

func (b *Builder) commit() error {
	if b.btx == nil {
		return nil
	}
	err := b.tx.Flush()
	if err == nil {
		err = b.btx.Commit()
	} else {
		err = errors.Join(err, b.btx.Rollback())
	}
	b.btx, b.tx, b.pending, b.bytes = nil, nil, 0, 0
	return disk.WriteFailed("filling the new database", err)
}

// Slot adds a share. The numbers of slots ascend.
func (b *Builder) Slot(slot storage.Slot, share [storage.ShareSize]byte) error {
	if b.slots == nil {
		return errBuilt
	}
	return b.slots.Add(slot, share)
}

// Complete ends the adding and makes what was added durable. The extent is that
// of the slots where they come from: each slot that was not added counts as
// destroyed with a higher generation than any record there can name. So a record
// whose share is missing finds it gone, whatever is stored in its slot later.
func (b *Builder) Complete(ctx context.Context, from sharefile.Extent) error {
	if b.db == nil {
		return errBuilt
	}
	if err := errors.Join(b.commit(), b.slots.Complete(ctx, from)); err != nil {
		return err
	}
	err := b.db.Update(func(btx *bbolt.Tx) error {
		return b.folder.RecordFiles(btx, b.id, b.folder.Path(bolt.NewDatabaseName), b.folder.Path(bolt.NewSharesName))
	})
	if err != nil {
		return disk.WriteFailed("completing the new database", err)
	}
	err = errors.Join(b.db.Sync(), b.db.Close())
	b.db, b.slots = nil, nil
	return disk.WriteFailed("completing the new database", err)
}

// Open opens what is complete, for changes before Commit.
func (b *Builder) Open() (*bolt.Store, *sharefile.File, error) {
	if b.store != nil {
		return b.store, b.shares, nil
	}
	var err error
	b.store, b.shares, err = b.folder.OpenBuilt()
	return b.store, b.shares, err
}

// Commit makes what is complete the data of the folder, which the caller can then
// open. It closes what Open returned.
func (b *Builder) Commit(ctx context.Context) error {
	if err := errors.Join(ctx.Err(), b.closeOpened()); err != nil {
		return err
	}
	if b.db != nil {
		return errors.New("bolt: the data is not complete")
	}
	if err := b.folder.Sync(); err != nil {
		return err
	}
	// The name of the database is what counts. Opening the folder finishes the
	// rest, if a crash comes first.
	if err := os.Rename(b.folder.Path(bolt.NewDatabaseName), b.folder.Path(bolt.DatabaseName)); err != nil {
		return fmt.Errorf("naming database: %w", err)
	}
	b.committed = true
	if err := b.folder.Sync(); err != nil {
		return err
	}
	return b.folder.FinishBuild()
}

func (b *Builder) closeOpened() error {
	if b.store == nil {
		return nil
	}
	err := errors.Join(b.store.Close(), b.shares.Close())
	b.store, b.shares = nil, nil
	return err
}

// Close ends the building. Without Commit it removes everything.
func (b *Builder) Close() error {
	var errs []error
	if b.btx != nil {
		errs = append(errs, b.btx.Rollback())
	}
	if b.db != nil {
		errs = append(errs, b.db.Close())
	}
	if b.slots != nil {
		errs = append(errs, b.slots.Close())
	}
	b.btx, b.db, b.slots = nil, nil, nil
	errs = append(errs, b.closeOpened())
	if !b.committed {
		errs = append(errs, removeBuild(b.folder))
	}
	return errors.Join(errs...)
}

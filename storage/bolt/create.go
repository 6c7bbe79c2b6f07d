package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"

	"hush/storage/sharefile"
)

// newDatabaseName is the name of a database under construction.
const newDatabaseName = databaseName + ".new"

// create makes shares and database. Naming the database hush.db commits the
// creation: a crash before that leaves nothing that the next start would not
// create anew.
func (f *Folder) create(opts Options) error {
	if err := f.removeLeftovers(); err != nil {
		return err
	}
	id := sharefile.NewStoreID()
	if err := sharefile.Create(f.Path(sharesName), id); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.buildDatabase(f.Path(newDatabaseName), id, opts); err != nil {
		return err
	}
	if err := os.Rename(f.Path(newDatabaseName), f.Path(databaseName)); err != nil {
		return fmt.Errorf("naming database: %w", err)
	}
	return f.Sync()
}

// removeLeftovers removes a creation that a crash interrupted. Such a creation
// has not used a share, so a longer file is real data.
func (f *Folder) removeLeftovers() error {
	info, err := os.Lstat(f.Path(sharesName))
	if err == nil && info.Size() > sharefile.SlotSize {
		return fmt.Errorf("%w from %s", ErrMissingDatabase, f.dir)
	}
	for _, name := range []string{sharesName, newDatabaseName, newSharesName} {
		if err := os.Remove(f.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing unfinished %s: %w", name, err)
		}
	}
	return nil
}

// buildDatabase creates a durable database with its content at path.
func (f *Folder) buildDatabase(path string, id sharefile.StoreID, opts Options) error {
	db, err := newDatabase(path, databaseOptions(), nil)
	if err != nil {
		return err
	}
	if opts.Small {
		db.AllocSize = smallGrowth
	}
	err = db.Update(func(btx *bbolt.Tx) error {
		if err := writeStoreID(btx, id); err != nil {
			return err
		}
		if err := f.recordFiles(btx, id, path, f.Path(sharesName)); err != nil || opts.Init == nil {
			return err
		}
		t := tx{bolt: btx, writable: true, values: new(arena)}
		if err := opts.Init(&t); err != nil {
			return err
		}
		return t.settleAll()
	})
	if err == nil {
		err = db.Sync()
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("filling new database: %w", err)
	}
	return nil
}

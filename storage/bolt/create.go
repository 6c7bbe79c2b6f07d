package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"

	"hush/storage/disk"
	"hush/storage/sharefile"
)

// create makes shares and database. Naming the database hush.db commits the
// creation: a crash before that leaves nothing that the next start would not
// create anew.
func (f *Folder) create(opts Options) error {
	if err := f.removeLeftovers(); err != nil {
		return err
	}
	id := sharefile.NewStoreID()
	if err := sharefile.Create(f.Path(SharesName), id); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.buildDatabase(f.Path(NewDatabaseName), id, opts); err != nil {
		return err
	}
	if err := os.Rename(f.Path(NewDatabaseName), f.Path(DatabaseName)); err != nil {
		return fmt.Errorf("naming database: %w", err)
	}
	return f.Sync()
}

// removeLeftovers removes a creation that a crash interrupted. Such a creation
// has not used a share, so a longer file is real data.
func (f *Folder) removeLeftovers() error {
	info, err := os.Lstat(f.Path(SharesName))
	if err == nil && info.Size() > sharefile.SlotSize {
		return fmt.Errorf("%w from %s", ErrMissingDatabase, f.dir)
	}
	for _, name := range []string{SharesName, NewDatabaseName, NewSharesName} {
		if err := os.Remove(f.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing unfinished %s: %w", name, err)
		}
	}
	return nil
}

// buildDatabase creates a durable database with its content at path.
func (f *Folder) buildDatabase(path string, id sharefile.StoreID, opts Options) error {
	db, err := CreateDatabase(path, DatabaseOptions(), nil)
	if err != nil {
		return err
	}
	if opts.Small {
		db.AllocSize = smallGrowth
	}
	err = db.Update(func(btx *bbolt.Tx) error {
		if err := WriteStoreID(btx, id); err != nil {
			return err
		}
		if err := f.RecordFiles(btx, id, path, f.Path(SharesName)); err != nil || opts.Init == nil {
			return err
		}
		t := NewTx(btx)
		if err := opts.Init(t); err != nil {
			return err
		}
		return t.Flush()
	})
	if err == nil {
		err = db.Sync()
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("filling new database: %w", err)
	}
	return nil
}

// FinishBuild names shares under construction, whose database has its name already. Open
// does so, too, if a crash came between.
func (f *Folder) FinishBuild() error {
	there, err := f.Holds(SharesName)
	if err != nil || there {
		return err
	}
	if built, err := f.Holds(NewSharesName); err != nil || !built {
		return err
	}
	if err := os.Rename(f.Path(NewSharesName), f.Path(SharesName)); err != nil {
		return fmt.Errorf("naming shares: %w", err)
	}
	return f.Sync()
}

// OpenBuilt opens a database and shares under construction that are complete, for changes
// before they are named. The caller closes both.
func (f *Folder) OpenBuilt() (*Store, *sharefile.File, error) {
	db, err := OpenDatabase(f.Path(NewDatabaseName), DatabaseOptions())
	if err != nil {
		return nil, nil, err
	}
	fault := disk.NewFault(nil)
	shares, err := openPair(db, f.Path(NewSharesName), sharefile.Options{Fault: fault})
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return newStore(db, fault, nil), shares, nil
}

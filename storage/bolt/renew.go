package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"hush/storage/bolt/pages"
	"hush/storage/disk"
	"hush/storage/sharefile"
)

// renewMost bounds how much of the database a start writes again. What a commit
// has changed is far less, as a rule a few hundred KiB; only where one of the two
// meta pages cannot be read does it look like everything. Then the start must not
// take minutes, and may leave the rest: bbolt syncs the pages of a commit before
// it writes the meta page that names them, so they are doubtful only where two
// things went wrong.
const renewMost = 64 << 20

// Renew makes durable what an earlier process left, and what this one relies on.
//
// A process that was killed between a write and its sync leaves data that every
// program can read and a power cut still destroys: bbolt would take such a commit for
// the last one and overwrite pages that the one before it needs. Where a sync has
// failed, another one does not help, so all that follows is written again; see
// disk.Renew.
//
// Of the shares, those of records were synced before the records, and those that are
// listed for destruction are overwritten before the service serves, whatever their
// slots seem to hold. That leaves the header, which bars older releases, and what the
// file last grew by. Open calls it with the system, and so does what changes the files of a
// stopped folder.
func (f *Folder) Renew(w disk.Writer) error {
	if err := f.renewFile(w, DatabaseName, renewDatabase); err != nil {
		return err
	}
	if err := f.renewFile(w, SharesName, sharefile.Renew); err != nil {
		return err
	}
	return f.Sync()
}

// renewFile runs fn on a file, and syncs it. A missing file is reported later, with its
// meaning.
func (f *Folder) renewFile(w disk.Writer, name string, fn func(disk.Writer, *os.File) error) error {
	file, err := os.OpenFile(f.Path(name), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("opening %s: %w", name, err)
	}
	if err := lockFile(file); err != nil {
		return errors.Join(err, file.Close())
	}
	err = fn(w, file)
	if err == nil {
		err = w.Sync(file)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("writing the end of %s again, which an earlier process may not have finished: %w", name, err)
	}
	return nil
}

// lockFile keeps a foreign tool from writing to a database until the file is closed:
// its changes must not be overwritten with what was there before. bbolt's writers have
// the lock for themselves; the readers share it.
func lockFile(file *os.File) error {
	for deadline := time.Now().Add(fileLockPatience); ; time.Sleep(lockInterval) {
		err := unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR):
			return fmt.Errorf("locking %s: %w", file.Name(), err)
		case time.Now().After(deadline):
			return fmt.Errorf("%s is %w", file.Name(), ErrLocked)
		}
	}
}

// renewDatabase writes what the last commit has changed again, and when that is
// durable the two pages one of which names the commit: the next commit overwrites the
// other, and what only the commit before needs. A database that cannot be read is left
// as it is.
func renewDatabase(w disk.Writer, file *os.File) error {
	pageSize, metas := pages.Metas(file)
	if len(metas) == 0 {
		return nil
	}
	metas = append(metas, pages.Meta{}) // the one before may be missing
	for _, s := range pages.Changed(file, pageSize, metas[0], metas[1], renewMost/uint64(pageSize)) {
		if err := disk.Renew(w, file, int64(s.First)*pageSize, int64(s.Count)*pageSize); err != nil {
			return err
		}
	}
	if err := w.Sync(file); err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	for _, m := range metas[:len(metas)-1] {
		at := int64(m.Page) * pageSize
		if err := disk.Renew(w, file, at, min(pageSize, info.Size()-at)); err != nil {
			return err
		}
	}
	return nil
}

package datafolder

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"hush/server/settings"
	"hush/storage"
	"hush/storage/spentlog"
	"hush/vault"
	"hush/vault/spent"
)

// logged is the spent log of a data folder.
type logged struct {
	settings *settings.Settings
	log      *slog.Logger
	fault    func(error)
	// command says that a command opens the data. It takes the log from where it was
	// last, and neither gives it up nor begins another: that is for the service.
	command bool
	file    atomic.Pointer[spentlog.Log] // nil before the vault is open, and for none
	path    string                       // the folder of file
	synced  atomic.Pointer[func(entries int, took time.Duration, err error)]
}

// SpentPosition returns the id of the spent log and a sequence such that every end
// which a snapshot of the data lacks has a later one, if SpentPosition was called
// before the snapshot was made. inUse is false if the data has no spent log.
func (d *Data) SpentPosition(ctx context.Context) (id spentlog.ID, sequence uint64, inUse bool, err error) {
	if d.logged != nil {
		if file := d.logged.file.Load(); file != nil {
			id, sequence = file.Position()
			return id, sequence, true, nil
		}
	}
	r, inUse, err := spent.Find(ctx, d.store)
	return r.ID, r.Synced, inUse, err
}

// SpentLog returns the spent log, nil if there is none or the vault is not open.
func (d *Data) SpentLog() *spentlog.Log {
	if d.logged == nil {
		return nil
	}
	return d.logged.file.Load()
}

// ObserveSpentLog calls synced at each sync of the spent log from now on.
func (d *Data) ObserveSpentLog(synced func(entries int, took time.Duration, err error)) {
	if d.logged != nil {
		d.logged.synced.Store(&synced)
	}
}

// openSpentLog opens the spent log that the settings name, or stops using one.
func (d *Data) openSpentLog(ctx context.Context) (*spentlog.Log, error) {
	l := d.logged
	if l == nil {
		return nil, nil
	}
	if l.settings.SpentLog == settings.SpentLogOff && !l.command {
		return nil, l.stop(ctx, d.store)
	}
	folder, err := l.folder(ctx, d.store)
	if err != nil || folder == "" {
		return nil, err // vault.Open says what is missing
	}
	if err := vault.CheckKeys(ctx, d.store, d.keys); err != nil {
		return nil, err
	}
	file, began, err := spent.Open(ctx, d.store, folder, l.settings.SpentLogBegin && !l.command, spentlog.Options{
		Fault: l.fault, Synced: func(entries int, took time.Duration, err error) {
			if synced := l.synced.Load(); synced != nil {
				(*synced)(entries, took, err)
			}
		},
	})
	if err != nil {
		return nil, explainSpentLog(err)
	}
	id, sequence := file.Position()
	switch {
	case began:
		l.log.Warn("began a spent log: backups that were made before cannot be restored safely; make one now", "folder", folder, "id", id)
	case l.settings.SpentLogBegin && !l.command:
		l.log.Warn("the spent log has begun: remove --spent-log-begin, so that a missing log is noticed", "folder", folder)
	}
	if OnDiskOf(folder, l.settings.Data) {
		l.log.Warn("the spent log is on the disk of the data: if that disk is lost, so are both", "folder", folder)
	}
	l.log.Debug("opened the spent log", "folder", folder, "id", id, "entries", sequence)
	l.path = folder
	l.file.Store(file)
	return file, nil
}

// folder returns the folder of the log, empty for none.
func (l *logged) folder(ctx context.Context, store storage.Store) (string, error) {
	if named := l.settings.SpentLogFolder(); named != "" {
		return filepath.Abs(named)
	}
	if !l.command {
		return "", nil
	}
	r, _, err := spent.Find(ctx, store)
	return r.Folder, err
}

// close closes the log, if there is one. Run as root, it leaves the log to the user
// of the service.
func (l *logged) close() error {
	file := l.file.Load()
	if file == nil {
		return nil
	}
	return errors.Join(file.Close(), HandOverLog(l.path, l.settings.Data))
}

// stop ends the use of a log.
func (l *logged) stop(ctx context.Context, store storage.Store) error {
	stopped, left, err := spent.Stop(ctx, store)
	if err != nil || !stopped {
		return err
	}
	l.log.Warn("the spent log is off: backups that were made while it was on can no longer be restored safely")
	if left != nil {
		l.log.Warn("the spent log could not be told that it is off: never restore a backup with it", "cause", left)
	}
	return nil
}

// explainSpentLog says what to do about a log that does not fit the data.
func explainSpentLog(err error) error {
	switch {
	case errors.Is(err, spent.ErrMissing):
		return fmt.Errorf("--spent-log: %w; mount its disk, or begin a new log there with --spent-log-begin", err)
	case errors.Is(err, spent.ErrBehind), errors.Is(err, spentlog.ErrDamaged):
		return fmt.Errorf("--spent-log: %w; put back the log that belongs to the data, or name an empty folder with --spent-log and begin a new log with --spent-log-begin", err)
	case errors.Is(err, spentlog.ErrNotEmpty):
		return fmt.Errorf("--spent-log: %w; name an empty folder for the log of this data; if this data is new because the data of that log was lost, move it away and restore a backup with \"hush admin restore\" and that log", err)
	case errors.Is(err, spent.ErrOther):
		return fmt.Errorf("--spent-log: %w; name the folder of the log of this data; if that log is lost, name an empty folder and begin a new log with --spent-log-begin", err)
	}
	return fmt.Errorf("--spent-log: %w", err)
}

// explainAge says what to do about data that is older than its log.
func explainAge(err error) error {
	switch {
	case errors.Is(err, spent.ErrOlder):
		return fmt.Errorf("--spent-log: %w; an earlier copy took the place of the data, and would bring back what has ended since; make a backup of this folder with \"hush admin backup\", and restore that into an empty folder with \"hush admin restore\" and this log", err)
	case errors.Is(err, spent.ErrReplaced):
		return fmt.Errorf("--spent-log: %w; serve the restored data, since what was opened there would open here once more; if that restore was only a trial, begin a new log in an empty folder with --spent-log-begin", err)
	case errors.Is(err, spent.ErrStopped):
		return fmt.Errorf("--spent-log: %w; give it up for good with --spent-log=off, or name an empty folder with --spent-log and begin a new log with --spent-log-begin", err)
	}
	return err
}

// checkSpentLog returns an error for a log in the data folder: it would be lost
// with it, and copied and put back with it.
func checkSpentLog(s *settings.Settings) error {
	folder := s.SpentLogFolder()
	if folder == "" {
		return nil
	}
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return fmt.Errorf("--spent-log: %s is not a folder", folder)
	}
	if isSameFolder(folder, s.Data) || Contains(s.Data, folder) {
		return fmt.Errorf("--spent-log: %s is in the data folder, and would be lost with it: name a folder on another disk", folder)
	}
	return nil
}

// OnDiskOf reports whether two folders are on the same disk, as far as the system
// tells.
func OnDiskOf(a, b string) bool {
	one, err := os.Stat(a)
	other, wrong := os.Stat(b)
	if err != nil || wrong != nil {
		return false
	}
	first, ok := one.Sys().(*syscall.Stat_t)
	second, known := other.Sys().(*syscall.Stat_t)
	return ok && known && first.Dev == second.Dev
}

package admin

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"hush/backup"
	"hush/server/datafolder"
	"hush/storage/spentlog"
	"hush/vault/restoration"
	"hush/vault/spent"
)

// restoreLog is the spent log that a restore goes by, if it goes by one.
type restoreLog struct {
	since *restoration.Since // nil for none
	data  string             // the folder
}

// choicesWithoutLog are what is left without a log that continues the backup.
const choicesWithoutLog = "--burn-all restores receipts and accounts and burns every secret, and --accept-resurrection lets what has ended since come back"

// openRestoreLog opens the log that continues a backup. It returns an error that says
// what to do if there is none.
func openRestoreLog(h backup.Header, o restoreOptions) (*restoreLog, error) {
	if o.burnAll || o.acceptResurrection {
		return &restoreLog{}, nil
	}
	madeAt := h.Time.UTC().Format(time.RFC3339)
	if h.Spent == nil {
		return nil, fmt.Errorf("the backup of %s was made without a spent log, so nothing says what has ended since: %s", madeAt, choicesWithoutLog)
	}
	dir := o.settings.SpentLogFolder()
	if dir == "" {
		return nil, fmt.Errorf("nothing says what has ended since the backup of %s: name the spent log of the service with --spent-log; without one, %s", madeAt, choicesWithoutLog)
	}
	log, err := spentlog.Open(dir, spentlog.Options{})
	switch {
	case errors.Is(err, spentlog.ErrNoLog):
		return nil, fmt.Errorf("--spent-log: %w: mount its disk, or name its folder; without the log, %s", err, choicesWithoutLog)
	case errors.Is(err, spentlog.ErrDamaged):
		return nil, fmt.Errorf("--spent-log=%s: %w; without the log, %s", dir, err, choicesWithoutLog)
	case errors.Is(err, spentlog.ErrInUse):
		return nil, fmt.Errorf("--spent-log: %w; stop the service first", err)
	case err != nil:
		return nil, fmt.Errorf("--spent-log: %w", err)
	}
	since := &restoration.Since{Log: log, Folder: dir, Sequence: h.Spent.Sequence}
	if since.Reader, err = spentlog.Read(dir); err == nil {
		err = spent.Continues(since.Reader, spentlog.ID(h.Spent.Log), since.Sequence)
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EIO) {
		return nil, errors.Join(fmt.Errorf("--spent-log=%s: %w", dir, err), log.Close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("--spent-log=%s says not all that has ended since the backup of %s: %w; without a log that does, %s", dir, madeAt, err, choicesWithoutLog), log.Close())
	}
	return &restoreLog{since: since, data: o.settings.Data}, nil
}

// close closes the log. Run as root, it leaves the log to the user of the service.
func (e *restoreLog) close() error {
	if e.since == nil {
		return nil
	}
	return errors.Join(e.since.Log.Close(), datafolder.HandOverLog(e.since.Folder, e.data))
}

package spentlog

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"hush/storage"
)

// The errors of this package, beside those of package storage.
var (
	// ErrNoLog: the folder is missing or holds no log.
	ErrNoLog = errors.New("there is no spent log")
	// ErrInUse: another process has the log open.
	ErrInUse = errors.New("the spent log is in use by another hush process")
	// ErrNotEmpty: the folder holds a log, or other files.
	ErrNotEmpty = errors.New("the folder is not empty")
	// ErrDamaged: an entry that was durable cannot be read, or the files do not
	// belong together.
	ErrDamaged = errors.New("the spent log is damaged")
	// ErrPruned: the first of the entries asked for was deleted.
	ErrPruned = errors.New("the spent log no longer has these entries")

	errOpenToOthers = errors.New("the folder of the spent log is open to other users")
	errBadEntry     = errors.New("spentlog: entry without kind, or with a row that is too long")
)

// classify returns the error of a write or sync: ErrFull for a full disk, of
// which nothing is lost, and otherwise the fault.
func (l *Log) classify(doing string, err error) error {
	if isFull(err) {
		return fmt.Errorf("%s: %w: %w", doing, storage.ErrFull, err)
	}
	return l.trip(fmt.Errorf("%s: %w", doing, err))
}

// isFull reports whether err is a write's error about a full disk. Only the
// write itself counts: after the same error from a sync the outcome is unknown.
func isFull(err error) bool {
	var failed *fs.PathError
	if !errors.As(err, &failed) || failed.Op != "write" {
		return false
	}
	return errors.Is(failed.Err, syscall.ENOSPC) || errors.Is(failed.Err, syscall.EDQUOT)
}

// trip ends the log and reports the first cause. The system may have dropped what
// it could not write and reports that once, so a later sync proves nothing.
func (l *Log) trip(cause error) error {
	if !l.faulted.Swap(true) && l.opts.Fault != nil {
		l.opts.Fault(cause)
	}
	return fmt.Errorf("%w: %w", storage.ErrUnknownOutcome, cause)
}

func (l *Log) check() error {
	if l.faulted.Load() {
		return storage.ErrUnknownOutcome
	}
	return nil
}

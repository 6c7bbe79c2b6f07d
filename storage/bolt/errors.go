package bolt

import (
	"errors"
	"strings"

	"hush/storage/sharefile"
)

// The errors of this package, beside those of package storage.
var (
	// ErrLocked: another process holds the data folder.
	ErrLocked = errors.New("in use by another hush process")
	// ErrMissingShares: hush.db exists and the shares file does not. The
	// records can no longer be opened; restore both files from one backup.
	ErrMissingShares = errors.New("bolt: the shares file is missing")
	// ErrMissingDatabase: shares in use exist and hush.db does not. They are
	// left untouched; restore both files from one backup.
	ErrMissingDatabase = errors.New("bolt: hush.db is missing")
	// ErrMismatch: hush.db and shares do not belong together, or one of them is
	// truncated or is not a file of Hush.
	ErrMismatch = sharefile.ErrMismatch

	errReadOnly      = errors.New("bolt: write in a read-only transaction")
	errTxDone        = errors.New("bolt: transaction is over")
	errRanging       = errors.New("bolt: write to a bucket while ranging over it")
	errBadKey        = errors.New("bolt: key is not 1 to 1024 bytes long")
	errBadBucket     = errors.New("bolt: invalid bucket name")
	errFolderClosed  = errors.New("bolt: data folder is closed")
	errAlreadyOpen   = errors.New("bolt: data folder is already open")
	errOpenToOthers  = errors.New("bolt: data folder is open to other users")
	errNotAFolder    = errors.New("bolt: not a folder")
	errPanicked      = errors.New("bolt: panic in update")
	errCommitPanic   = errors.New("bolt: panic in commit")
	errDatabasePanic = errors.New("bolt: panic while opening")
)

// MismatchText returns the text of an ErrMismatch without what they all say.
func MismatchText(err error) string {
	return strings.ReplaceAll(err.Error(), ErrMismatch.Error()+": ", "")
}

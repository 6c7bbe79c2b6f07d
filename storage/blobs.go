package storage

import (
	"context"
	"crypto/rand"
	"encoding/hex"
)

// BlobID names a blob. An id is used once: what is sent anew gets a blob of its own.
type BlobID [16]byte

// NewBlobID draws the id of a new blob.
func NewBlobID() BlobID {
	var id BlobID
	_, _ = rand.Read(id[:]) // never fails: it ends the process instead
	return id
}

// String returns the id as 32 hexadecimal digits.
func (id BlobID) String() string { return hex.EncodeToString(id[:]) }

// Blobs stores blobs: long runs of bytes, in numbered parts that are written and read
// whole. They know nothing of what they hold. Which blobs and parts are in use is in the
// rows of a Store alone: a row is stored after what it names, so a crash in between leaves
// a blob that List reports and no row names. Who deletes such blobs must spare those that
// are just being begun.
//
// Implementations are safe for concurrent use. A method that changes something returns nil
// after the change is durable; it looks at ctx before it begins, and a change that has
// begun is not cancelled. Every method may return, beside the errors that it names,
// ErrUnknownOutcome, ErrUnavailable and ErrClosed. An error that is none of this package
// says that the medium has failed or is damaged, or that the caller has made a mistake;
// nothing is changed by a call with a mistake.
type Blobs interface {
	// Begin makes room for a blob of size bytes in parts of partSize bytes, the last of
	// which may be shorter. Both are 1 at least. If there is no room, it returns ErrFull.
	// It is a mistake to begin a blob that exists. After an error there is no blob, or,
	// after ErrUnknownOutcome, one that Delete removes.
	Begin(ctx context.Context, id BlobID, size, partSize int64) error
	// Put stores a part, numbered from 0, of a blob that was begun. data is the whole
	// part; it must not change before Put returns. A part that was stored already is
	// overwritten. After an error, and while Put runs, the part may have the old bytes,
	// the new ones or a mixture; other parts are never changed. Put returns
	// ErrNotFound if there is no such blob, and ErrFull if there was no room after all: the
	// blob stays, and the part may be put again.
	Put(ctx context.Context, id BlobID, part int64, data []byte) error
	// Get returns a part, whose length the caller knows. The caller owns the slice. Get
	// returns ErrNotFound if there is no such blob. Of a part that was never stored it
	// returns ErrNotFound or any bytes: only who has its row may ask for it.
	Get(ctx context.Context, id BlobID, part int64, length int) ([]byte, error)
	// Delete removes a blob, whole or not, and gives its room back in steps that hold up
	// no one. There need not be one. A Get or Put that runs at the same time succeeds or
	// returns ErrNotFound; a Put may leave its part behind, which List reports and another
	// Delete removes. Every later Get and Put returns ErrNotFound.
	Delete(ctx context.Context, id BlobID) error
	// List calls fn for each blob, in any order, with the bytes that it takes on the
	// medium. It also reports what an interrupted Begin or Delete has left. A blob that is
	// begun or deleted meanwhile may be reported or not. fn may call the other methods.
	// An error from fn ends the walk and is returned.
	List(ctx context.Context, fn func(id BlobID, bytes int64) error) error
}

// BlobViewer looks at the blobs of a place, and changes nothing.
type BlobViewer interface {
	// Look returns the lengths of a blob and of its parts, as Begin was told them. It returns
	// ErrNotFound if there is no such blob, and another error if it is damaged.
	Look(id BlobID) (size, partSize int64, err error)
	// Each calls fn for each blob, in any order. An error of fn ends the walk and is returned.
	Each(fn func(BlobID) error) error
}

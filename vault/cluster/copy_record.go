package cluster

import (
	"errors"
	"fmt"
	"time"

	"hush/storage"
	"hush/vault/rows"
)

// SystemCopy is the row of a store that is, or was, at one end of a copy.
const SystemCopy = "copy"

const copyVersion = 1

// CopyState is how far a copy is, as one of its two stores knows it. The numbers
// are stored.
type CopyState byte

// The states of a copy. The first three are those of its source, in their order,
// the others those of its target.
const (
	CopyLeaving CopyState = 1 // the target is not complete; no process may serve the source
	CopyLeft    CopyState = 2 // the target is complete; the source is never served again
	CopyEmptied CopyState = 3 // and the source's shares are destroyed
	CopyFilling CopyState = 4 // rows are missing
	CopyChecked CopyState = 5 // every row was compared; the source may still be open
	CopyArrived CopyState = 6 // a service as any other
)

// CopyRecord says what a store has to do with a copy.
//
//	version 1 │ id 16 │ state 1 │ began 8 │ other (4, text) │ verifier (4, bytes)
//	│ state of the source (4, bytes) │ bucket (4, text) │ after (4, bytes)
type CopyRecord struct {
	ID    Instance
	State CopyState
	Began time.Time
	Other string // the store at the other end, for the operator
	// Verifier is that of the root key, while the store has none of its own: then
	// no program serves it that does not know this record.
	Verifier []byte
	// Source is a hash of the source's own rows. It changes when the source is
	// served.
	Source []byte
	// Bucket and After say which rows a target has: all of earlier buckets, and
	// those of Bucket up to the key After.
	Bucket string
	After  []byte
}

func (r *CopyRecord) fields(c *rows.Codec) {
	c.Version(copyVersion)
	c.Bytes(r.ID[:])
	rows.Between(c, &r.State, CopyLeaving, CopyArrived)
	c.Time(&r.Began)
	c.Text(&r.Other)
	c.Sized(&r.Verifier)
	c.Sized(&r.Source)
	c.Text(&r.Bucket)
	c.Sized(&r.After)
}

// Encode encodes the record.
func (r CopyRecord) Encode() []byte { return rows.Encode(256, &r, (*CopyRecord).fields) }

// DecodeCopy decodes the record.
func DecodeCopy(data []byte) (r CopyRecord, err error) {
	err = rows.Decode(data, &r, (*CopyRecord).fields)
	return r, err
}

// GetCopy loads the record; that of a store which was never copied is zero.
func GetCopy(tx storage.Tx) (CopyRecord, error) {
	return rows.LoadSystemOr(tx, SystemCopy, DecodeCopy, CopyRecord{})
}

// PutCopy stores the record.
func PutCopy(tx storage.Tx, r CopyRecord) error { return rows.PutSystem(tx, SystemCopy, r.Encode()) }

// ErrCopied reports that a store may not be served because of a copy: the copy
// is not finished, or the data is elsewhere now. The text of the error says
// which.
var ErrCopied = errors.New("this data may not be served")

// CheckCopy returns ErrCopied unless the store may be served.
func CheckCopy(tx storage.Tx) error {
	r, err := GetCopy(tx)
	if err != nil {
		return fmt.Errorf("reading what is known of a copy: %w", err)
	}
	switch r.State {
	case CopyLeaving:
		return fmt.Errorf("%w: it is being copied to %s, and the copy is not finished; run \"hush admin store copy\" again, or give it up with \"hush admin store abandon\"", ErrCopied, r.Other)
	case CopyLeft, CopyEmptied:
		return fmt.Errorf("%w: it was moved to %s, by a copy that began at %s", ErrCopied, r.Other, r.Began.Format(time.RFC3339))
	case CopyFilling, CopyChecked:
		return fmt.Errorf("%w: it is an unfinished copy of %s; run \"hush admin store copy\" again, or delete it and run \"hush admin store abandon\" on the source", ErrCopied, r.Other)
	default:
		return nil
	}
}

// LiveNodes returns the nodes of a shared store whose last heartbeat is not old
// enough for another to take their number.
func LiveNodes(tx storage.Tx, now time.Time) (live []NodeStatus, err error) {
	nodes, err := listNodes(tx, now)
	for _, n := range nodes {
		if n.Live {
			live = append(live, n)
		}
	}
	return live, err
}

// ForgetNodes deletes the rows of the nodes of a shared store that are not live,
// in the transaction after which it may not be served. One that was only paused
// finds that when it goes on, and cannot join again.
func ForgetNodes(tx storage.Tx, now time.Time) error {
	nodes, err := listNodes(tx, now)
	if err != nil {
		return err
	}
	return deleteNodes(tx, deadFor(nodes, 0))
}

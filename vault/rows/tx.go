package rows

import (
	"time"

	"hush/storage"
)

// Tx is one transaction of a store, with what the vault knows of it beyond the
// bytes: the node that runs it, the format that it may write, and what ends in it.
// It is for one goroutine, and valid until the function that got it returns.
type Tx struct {
	// backend is no embedded field, so that a method that is missing here does not compile.
	backend storage.Tx

	node   uint16 // the number of the node that runs it; 0 for the only one of a store
	shared bool   // whether other nodes may use the store
	format Format // the newest that it may write
	log    EndLog // nil if ends are not logged
	ended  []End  // what ended so far and is to be logged

	reads, writes int
}

var _ storage.Tx = (*Tx)(nil)

// NewTx returns a transaction of a store that no other node shares, with a log of ends;
// a nil log is none.
func NewTx(tx storage.Tx, log EndLog) *Tx { return &Tx{backend: tx, log: log, format: formatNewest} }

// NewNodeTx returns a transaction of a node with that number, which may write the formats
// up to format.
func NewNodeTx(tx storage.Tx, log EndLog, number uint16, format Format) *Tx {
	return &Tx{backend: tx, log: log, node: number, shared: true, format: format}
}

// Plain returns fn for a transaction of a backend that no other node shares at
// present, outside of the service: without a node, and without a log of ends.
func Plain(fn func(*Tx) error) func(storage.Tx) error {
	return func(tx storage.Tx) error { return fn(NewTx(tx, nil)) }
}

// Node returns the number of the node that runs the transaction. shared is false
// for the only node of a store, which is node 0.
func (t *Tx) Node() (number uint16, shared bool) { return t.node, t.shared }

// Format returns the newest format that the transaction may write. On a store that
// no other node shares, that is the newest. In a transaction that only reads it is
// meaningless: decoders read all formats.
func (t *Tx) Format() Format { return t.format }

// Work returns how many reads and writes the transaction has made. A walk over a
// range is one read, and a change is a read and a write.
func (t *Tx) Work() (reads, writes int) { return t.reads, t.writes }

// Get implements storage.Tx.
func (t *Tx) Get(bucket string, key []byte) ([]byte, error) {
	t.reads++
	return t.backend.Get(bucket, key)
}

// GetMany implements storage.Tx.
func (t *Tx) GetMany(bucket string, keys [][]byte) ([][]byte, error) {
	t.reads += len(keys)
	return t.backend.GetMany(bucket, keys)
}

// Same implements storage.Tx.
func (t *Tx) Same(bucket string, key, value []byte) (bool, error) {
	t.reads++
	return t.backend.Same(bucket, key, value)
}

// Range implements storage.Tx.
func (t *Tx) Range(bucket string, from, to []byte, fn func(key, value []byte) error) error {
	t.reads++
	return t.backend.Range(bucket, from, to, fn)
}

// Put implements storage.Tx.
func (t *Tx) Put(bucket string, key, value []byte) error {
	t.writes++
	return t.backend.Put(bucket, key, value)
}

// Delete implements storage.Tx.
func (t *Tx) Delete(bucket string, key []byte) error {
	t.writes++
	return t.backend.Delete(bucket, key)
}

// Change implements storage.Tx.
func (t *Tx) Change(bucket, key string, fn func(value []byte) ([]byte, error)) error {
	t.reads++
	t.writes++
	return t.backend.Change(bucket, key, fn)
}

// NeedShare implements storage.Tx.
func (t *Tx) NeedShare(slot storage.Slot) { t.backend.NeedShare(slot) }

// End is something other than a secret that ends in a transaction, and that a log
// outside the store must have before the update returns.
type End struct {
	Kind byte // of package spent
	Row  []byte
	At   time.Time // zero for the time of the transaction
	// Tag tells two ends of the same row apart.
	Tag [8]byte
	// Replaces is the tag of an earlier end of the same row that was still pending;
	// zero for none.
	Replaces [8]byte
}

// EndLog is a log of what ends, outside the store. Package spent implements it.
type EndLog interface {
	// Pend stores an end in the transaction that makes it, so that a crash before
	// Follow does not lose it. It returns the end as Follow gets it. ok is false
	// for one that is not logged. An error fails the transaction.
	Pend(tx *Tx, e End) (pending End, ok bool, err error)
	// Follow logs the ends of a transaction that is durable, and returns when they
	// are durable in the log.
	Follow(ends []End) error
}

// Ended returns what ended so far and is to be logged.
func (t *Tx) Ended() []End { return t.ended }

// NoteEnd notes that something ends in the transaction. On a store without a log of
// ends it does nothing.
func (t *Tx) NoteEnd(e End) error {
	if t.log == nil {
		return nil
	}
	pending, ok, err := t.log.Pend(t, e)
	if ok && err == nil {
		t.ended = append(t.ended, pending)
	}
	return err
}

package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"hush/storage"
)

const maxKeySize = 1024

// FillPercent packs pages tightly: row keys begin with a creation time, so
// nearly all inserts are at the end of their bucket.
const FillPercent = 0.9

// Tx is a storage.Tx over one bbolt transaction. The writer uses one for all
// updates of a batch, so that opened buckets and value memory are shared.
type Tx struct {
	bolt     *bbolt.Tx
	writable bool
	writes   int // puts and deletes so far
	opened   []openBucket
	ranging  []string
	changed  []changed
	values   *arena
}

// NewTx returns a transaction that writes to btx. The caller calls Flush before it
// commits btx, and uses the transaction no more after that.
func NewTx(btx *bbolt.Tx) *Tx { return &Tx{bolt: btx, writable: true, values: new(arena)} }

var _ storage.Tx = (*Tx)(nil)

type openBucket struct {
	name   string
	bucket *bbolt.Bucket
	cursor *bbolt.Cursor // of a transaction that writes; nil until it is used
}

// find returns the value of key, nil for none, and moves the bucket's cursor there.
// A new cursor for each search would be one more thing to allocate.
func (b *openBucket) find(key []byte) []byte {
	if b.cursor == nil {
		b.cursor = b.bucket.Cursor()
	}
	if found, value := b.cursor.Seek(key); bytes.Equal(found, key) {
		return value
	}
	return nil
}

// Get implements storage.Tx.
func (t *Tx) Get(bucket string, key []byte) ([]byte, error) {
	value, err := t.look(bucket, key)
	return bytes.Clone(value), err
}

// GetMany implements storage.Tx.
func (t *Tx) GetMany(bucket string, keys [][]byte) ([][]byte, error) {
	return storage.GetEach(t, bucket, keys)
}

// Same implements storage.Tx.
func (t *Tx) Same(bucket string, key, value []byte) (bool, error) {
	stored, err := t.look(bucket, key)
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	return err == nil && bytes.Equal(stored, value), err
}

// look returns a value that is bbolt's own.
func (t *Tx) look(bucket string, key []byte) ([]byte, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	b, err := t.flushedBucket(bucket)
	if err != nil {
		return nil, err
	}
	if b == nil {
		return nil, storage.ErrNotFound
	}
	var value []byte
	if t.writable {
		value = b.find(key)
	} else {
		value = b.bucket.Get(key)
	}
	if value == nil {
		return nil, storage.ErrNotFound
	}
	return value, nil
}

// Put implements storage.Tx.
func (t *Tx) Put(bucket string, key, value []byte) error {
	if err := t.checkWrite(bucket, key); err != nil {
		return err
	}
	if err := t.flush(bucket); err != nil {
		return err
	}
	b, err := t.bucketForPut(bucket)
	if err != nil {
		return err
	}
	t.writes++
	// bbolt copies the key but keeps the value until the commit, and the caller
	// may change it as soon as its fn has returned.
	return b.bucket.Put(key, t.values.clone(value))
}

// Delete implements storage.Tx.
func (t *Tx) Delete(bucket string, key []byte) error {
	if err := t.checkWrite(bucket, key); err != nil {
		return err
	}
	b, err := t.flushedBucket(bucket)
	if err != nil || b == nil {
		return err
	}
	t.writes++
	if b.find(key) == nil {
		return nil
	}
	return b.cursor.Delete()
}

// Range implements storage.Tx.
func (t *Tx) Range(bucket string, from, to []byte, fn func(key, value []byte) error) error {
	b, err := t.flushedBucket(bucket)
	if err != nil || b == nil {
		return err
	}
	t.ranging = append(t.ranging, bucket)
	defer func() { t.ranging = t.ranging[:len(t.ranging)-1] }()
	c := b.bucket.Cursor()
	for k, v := c.Seek(from); k != nil && (to == nil || bytes.Compare(k, to) < 0); k, v = c.Next() {
		if err := fn(k, v); err != nil {
			return err
		}
	}
	return nil
}

// flushedBucket is bucket after its changed rows are written.
func (t *Tx) flushedBucket(name string) (*openBucket, error) {
	if err := t.flush(name); err != nil {
		return nil, err
	}
	return t.bucket(name)
}

// bucket returns the bucket name, or nil if it does not exist yet. The result is
// valid until the next bucket is opened.
func (t *Tx) bucket(name string) (*openBucket, error) {
	if t.bolt == nil {
		return nil, errTxDone
	}
	for i := range t.opened {
		if t.opened[i].name == name {
			return &t.opened[i], nil
		}
	}
	if !validBucket(name) {
		return nil, fmt.Errorf("%w: %q", errBadBucket, name)
	}
	return t.remember(name, t.bolt.Bucket([]byte(name))), nil
}

func (t *Tx) bucketForPut(name string) (*openBucket, error) {
	opened, err := t.bucket(name)
	if err != nil || opened != nil {
		return opened, err
	}
	b, err := t.bolt.CreateBucket([]byte(name))
	if err != nil {
		return nil, fmt.Errorf("creating bucket %q: %w", name, err)
	}
	return t.remember(name, b), nil
}

func (t *Tx) remember(name string, b *bbolt.Bucket) *openBucket {
	if b == nil {
		return nil
	}
	b.FillPercent = FillPercent
	t.opened = append(t.opened, openBucket{name: name, bucket: b})
	return &t.opened[len(t.opened)-1]
}

func (t *Tx) checkWrite(bucket string, key []byte) error {
	if !t.writable {
		return errReadOnly
	}
	if slices.Contains(t.ranging, bucket) {
		return errRanging
	}
	return checkKey(key)
}

func checkKey(key []byte) error {
	if len(key) == 0 || len(key) > maxKeySize {
		return errBadKey
	}
	return nil
}

// validBucket reports whether a caller may use the bucket: not the store's own.
func validBucket(name string) bool {
	return name != "" && name[0] != 0
}

// changed is a row that updates of the transaction have changed, and that the
// database does not have yet. All updates of a batch change the same few rows,
// and a search in the database costs more than the change.
type changed struct {
	bucket, key string
	value       []byte
}

// Change implements storage.Tx. The row is written before anything else uses
// its bucket, and at the latest at the end of the batch.
func (t *Tx) Change(bucket, key string, fn func(value []byte) ([]byte, error)) error {
	switch {
	case t.bolt == nil:
		return errTxDone
	case !t.writable:
		return errReadOnly
	case slices.Contains(t.ranging, bucket):
		return errRanging
	case len(key) == 0 || len(key) > maxKeySize:
		return errBadKey
	}
	row, err := t.changedRow(bucket, key)
	if err != nil {
		return err
	}
	// fn may overwrite the value and then fail, so that counts as a write, too.
	t.writes++
	value, err := fn(row.value)
	if err != nil {
		return err
	}
	// What fn reads flushes rows, so this one may be elsewhere.
	if row, err = t.changedRow(bucket, key); err != nil {
		return err
	}
	if row.value == nil {
		row.value = []byte{} // the row exists from now on, also with an empty value
	}
	row.value = append(row.value[:0], value...)
	return nil
}

// changedRow returns a row among the changed ones, with its present value, nil for none.
func (t *Tx) changedRow(bucket, key string) (*changed, error) {
	for i := range t.changed {
		if row := &t.changed[i]; row.key == key && row.bucket == bucket {
			return row, nil
		}
	}
	b, err := t.bucketForPut(bucket)
	if err != nil {
		return nil, err
	}
	t.changed = append(t.changed, changed{bucket, key, slices.Clone(b.find([]byte(key)))})
	return &t.changed[len(t.changed)-1], nil
}

// NeedShare implements storage.Tx. Database and shares stay the files that were opened,
// so none of the shares that were acknowledged goes missing.
func (t *Tx) NeedShare(storage.Slot) {}

// flush writes the changed rows of a bucket: something else is about to use it.
func (t *Tx) flush(bucket string) error {
	if len(t.changed) == 0 {
		return nil
	}
	var failed error
	t.changed = slices.DeleteFunc(t.changed, func(row changed) bool {
		if row.bucket != bucket || failed != nil {
			return false
		}
		failed = t.write(row)
		return failed == nil
	})
	return failed
}

// Flush writes the rows that Change has changed and that nothing else has used since.
func (t *Tx) Flush() error {
	for _, row := range t.changed {
		if err := t.write(row); err != nil {
			return err
		}
	}
	t.changed = t.changed[:0]
	return nil
}

// write gives a row to the database, which keeps its value until the commit. A row
// without a value is still missing: what changes it has not returned.
func (t *Tx) write(row changed) error {
	if row.value == nil {
		return nil
	}
	b, err := t.bucketForPut(row.bucket)
	if err != nil {
		return err
	}
	return b.bucket.Put([]byte(row.key), t.values.clone(row.value))
}

package bolt

import (
	"bytes"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"hush/storage"
)

const (
	maxKeySize = 1024
	// fillPercent packs pages tightly: row keys begin with a creation time, so
	// nearly all inserts are at the end of their bucket.
	fillPercent = 0.9
)

// tx is a storage.Tx over one bbolt transaction. The writer uses one for all
// updates of a batch, so that opened buckets and value memory are shared.
type tx struct {
	bolt     *bbolt.Tx
	writable bool
	writes   int // puts and deletes so far
	opened   []openBucket
	ranging  []string
	values   *arena
}

type openBucket struct {
	name   string
	bucket *bbolt.Bucket
}

// Get implements storage.Tx.
func (t *tx) Get(bucket string, key []byte) ([]byte, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	b, err := t.bucket(bucket)
	if err != nil {
		return nil, err
	}
	if b == nil {
		return nil, storage.ErrNotFound
	}
	value := b.Get(key)
	if value == nil {
		return nil, storage.ErrNotFound
	}
	return bytes.Clone(value), nil
}

// Put implements storage.Tx.
func (t *tx) Put(bucket string, key, value []byte) error {
	if err := t.checkWrite(bucket, key); err != nil {
		return err
	}
	b, err := t.bucketForPut(bucket)
	if err != nil {
		return err
	}
	t.writes++
	// bbolt copies the key but keeps the value until the commit, and the caller
	// may change it as soon as its fn has returned.
	return b.Put(key, t.values.clone(value))
}

// Delete implements storage.Tx.
func (t *tx) Delete(bucket string, key []byte) error {
	if err := t.checkWrite(bucket, key); err != nil {
		return err
	}
	b, err := t.bucket(bucket)
	if err != nil || b == nil {
		return err
	}
	t.writes++
	return b.Delete(key)
}

// Range implements storage.Tx.
func (t *tx) Range(bucket string, from, to []byte, fn func(key, value []byte) error) error {
	b, err := t.bucket(bucket)
	if err != nil || b == nil {
		return err
	}
	t.ranging = append(t.ranging, bucket)
	defer func() { t.ranging = t.ranging[:len(t.ranging)-1] }()
	c := b.Cursor()
	for k, v := c.Seek(from); k != nil && (to == nil || bytes.Compare(k, to) < 0); k, v = c.Next() {
		if err := fn(k, v); err != nil {
			return err
		}
	}
	return nil
}

// bucket returns the bucket name, or nil if it does not exist yet.
func (t *tx) bucket(name string) (*bbolt.Bucket, error) {
	if t.bolt == nil {
		return nil, errTxDone
	}
	for i := range t.opened {
		if t.opened[i].name == name {
			return t.opened[i].bucket, nil
		}
	}
	if !validBucket(name) {
		return nil, fmt.Errorf("%w: %q", errBadBucket, name)
	}
	return t.remember(name, t.bolt.Bucket([]byte(name))), nil
}

func (t *tx) bucketForPut(name string) (*bbolt.Bucket, error) {
	b, err := t.bucket(name)
	if err != nil || b != nil {
		return b, err
	}
	b, err = t.bolt.CreateBucket([]byte(name))
	if err != nil {
		return nil, fmt.Errorf("creating bucket %q: %w", name, err)
	}
	return t.remember(name, b), nil
}

func (t *tx) remember(name string, b *bbolt.Bucket) *bbolt.Bucket {
	if b != nil {
		b.FillPercent = fillPercent
		t.opened = append(t.opened, openBucket{name: name, bucket: b})
	}
	return b
}

func (t *tx) checkWrite(bucket string, key []byte) error {
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

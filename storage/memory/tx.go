package memory

import (
	"bytes"
	"errors"
	"slices"

	"hush/storage"
)

const maxKeySize = 1024

var (
	errReadOnly  = errors.New("memory: write in a read-only transaction")
	errTxDone    = errors.New("memory: transaction is over")
	errRanging   = errors.New("memory: write to a bucket while ranging over it")
	errBadKey    = errors.New("memory: key is not 1 to 1024 bytes long")
	errBadBucket = errors.New("memory: invalid bucket name")
)

// tx is a storage.Tx that writes in place and records how to undo it.
type tx struct {
	buckets  buckets
	writable bool
	done     bool
	undo     []change
	ranging  []string
}

// change is the value of a key before a write; nil means that it was missing.
type change struct {
	bucket *bucket
	key    string
	value  []byte
}

// Get implements storage.Tx.
func (t *tx) Get(name string, key []byte) ([]byte, error) {
	if err := t.check(name, key); err != nil {
		return nil, err
	}
	if b := t.buckets[name]; b != nil {
		if value, ok := b.Get(string(key)); ok {
			return bytes.Clone(value), nil
		}
	}
	return nil, storage.ErrNotFound
}

// GetMany implements storage.Tx.
func (t *tx) GetMany(bucket string, keys [][]byte) ([][]byte, error) {
	return storage.GetEach(t, bucket, keys)
}

// Same implements storage.Tx.
func (t *tx) Same(name string, key, value []byte) (bool, error) {
	if err := t.check(name, key); err != nil {
		return false, err
	}
	b := t.buckets[name]
	if b == nil {
		return false, nil
	}
	stored, ok := b.Get(string(key))
	return ok && bytes.Equal(stored, value), nil
}

// Put implements storage.Tx.
func (t *tx) Put(name string, key, value []byte) error {
	if err := t.checkWrite(name, key); err != nil {
		return err
	}
	b := t.buckets[name]
	if b == nil {
		b = new(bucket)
		t.buckets[name] = b
	}
	k := string(key)
	before, _ := b.Set(k, append([]byte{}, value...))
	t.undo = append(t.undo, change{bucket: b, key: k, value: before})
	return nil
}

// Delete implements storage.Tx.
func (t *tx) Delete(name string, key []byte) error {
	if err := t.checkWrite(name, key); err != nil {
		return err
	}
	b := t.buckets[name]
	if b == nil {
		return nil
	}
	k := string(key)
	if before, ok := b.Delete(k); ok {
		t.undo = append(t.undo, change{bucket: b, key: k, value: before})
	}
	return nil
}

// Change implements storage.Tx.
func (t *tx) Change(name, key string, fn func(value []byte) ([]byte, error)) error {
	if err := t.checkWrite(name, []byte(key)); err != nil {
		return err
	}
	return storage.ChangeByPut(t, name, key, fn)
}

// NeedShare implements storage.Tx. No share goes missing here.
func (t *tx) NeedShare(storage.Slot) {}

// Range implements storage.Tx.
func (t *tx) Range(name string, from, to []byte, fn func(key, value []byte) error) error {
	if err := t.checkBucket(name); err != nil {
		return err
	}
	b := t.buckets[name]
	if b == nil {
		return nil
	}
	t.ranging = append(t.ranging, name)
	defer func() { t.ranging = t.ranging[:len(t.ranging)-1] }()
	var err error
	end := string(to)
	b.Ascend(string(from), func(key string, value []byte) bool {
		if to != nil && key >= end {
			return false
		}
		err = fn([]byte(key), value)
		return err == nil
	})
	return err
}

// undoAll undoes every write, last first. A new bucket stays, empty, which
// looks like a missing one.
func (t *tx) undoAll() {
	for _, c := range slices.Backward(t.undo) {
		if c.value == nil {
			c.bucket.Delete(c.key)
		} else {
			c.bucket.Set(c.key, c.value)
		}
	}
}

func (t *tx) end() {
	t.done = true
}

func (t *tx) checkWrite(name string, key []byte) error {
	if !t.writable {
		return errReadOnly
	}
	if slices.Contains(t.ranging, name) {
		return errRanging
	}
	return t.check(name, key)
}

func (t *tx) check(name string, key []byte) error {
	if len(key) == 0 || len(key) > maxKeySize {
		return errBadKey
	}
	return t.checkBucket(name)
}

func (t *tx) checkBucket(name string) error {
	if t.done {
		return errTxDone
	}
	if name == "" || name[0] == 0 {
		return errBadBucket
	}
	return nil
}

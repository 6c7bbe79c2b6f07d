package rows

import (
	"errors"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
)

// SweepBatch is the maximum number of rows that one transaction of the sweeper
// handles.
const SweepBatch = 256

// ErrEnough ends a walk early.
var ErrEnough = errors.New("enough")

// IgnoreEnough returns err, or nil for ErrEnough.
func IgnoreEnough(err error) error {
	if errors.Is(err, ErrEnough) {
		return nil
	}
	return err
}

// FirstKeys returns copies of the first keys of a bucket before to, up to most
// of them. A nil to means the end of the bucket.
func FirstKeys(tx storage.Tx, bucket string, to []byte, most int) (keys [][]byte, err error) {
	return FirstKeysFrom(tx, bucket, nil, to, most)
}

// FirstKeysFrom is FirstKeys for the keys that are not before from.
func FirstKeysFrom(tx storage.Tx, bucket string, from, to []byte, most int) (keys [][]byte, err error) {
	err = tx.Range(bucket, from, to, func(key, _ []byte) error {
		keys = append(keys, append([]byte(nil), key...))
		if len(keys) == most {
			return ErrEnough
		}
		return nil
	})
	return keys, IgnoreEnough(err)
}

// Load reads and decodes a record, or returns ErrNotFound.
func Load[T any](tx storage.Tx, bucket string, key []byte, decode func([]byte) (T, error)) (record T, err error) {
	data, err := tx.Get(bucket, key)
	if errors.Is(err, storage.ErrNotFound) {
		return record, refusal.ErrNotFound
	}
	if err != nil {
		return record, err
	}
	return decode(data)
}

// LoadOr is Load for a record that may be missing.
func LoadOr[T any](tx storage.Tx, bucket string, key []byte, decode func([]byte) (T, error), missing T) (T, error) {
	record, err := Load(tx, bucket, key, decode)
	if errors.Is(err, refusal.ErrNotFound) {
		return missing, nil
	}
	return record, err
}

// Exists reports whether a row exists.
func Exists(tx storage.Tx, bucket string, key []byte) (bool, error) {
	return LoadOr(tx, bucket, key, func([]byte) (bool, error) { return true, nil }, false)
}

// DecodeAccountID decodes a row whose value is the id of an account.
func DecodeAccountID(data []byte) (caller.AccountID, error) {
	if len(data) != len(caller.AccountID{}) {
		return caller.AccountID{}, ErrDamaged
	}
	return caller.AccountID(data), nil
}

// DeletePrefix deletes the keys that begin with prefix.
func DeletePrefix(tx storage.Tx, bucket string, prefix []byte) error {
	var keys [][]byte
	err := tx.Range(bucket, prefix, PrefixEnd(prefix), func(key, _ []byte) error {
		keys = append(keys, append([]byte(nil), key...))
		return nil
	})
	if err != nil {
		return err
	}
	return DeleteAll(tx, bucket, keys)
}

// PrefixEnd returns the first key after all keys that begin with prefix, or
// nil.
func PrefixEnd(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i] < 0xff {
			end[i]++
			return end[:i+1]
		}
	}
	return nil
}

// DeleteAll deletes the rows of a bucket with these keys.
func DeleteAll(tx storage.Tx, bucket string, keys [][]byte) error {
	for _, key := range keys {
		if err := tx.Delete(bucket, key); err != nil {
			return err
		}
	}
	return nil
}

package vaulttest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/audit"
	"hush/vault/secret"
	"hush/vault/shares"
)

// Number returns n as the key of a numbered row: eight bytes, big-endian.
func Number(n uint64) []byte {
	return []byte{byte(n >> 56), byte(n >> 48), byte(n >> 40), byte(n >> 32), byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
}

// Get returns the value of a row, or nil if there is none.
func Get(t testing.TB, s storage.Store, bucket string, key []byte) (value []byte) {
	t.Helper()
	err := s.View(t.Context(), func(tx storage.Tx) (err error) {
		value, err = tx.Get(bucket, key)
		return err
	})
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		t.Fatalf("Get(%s): got %v, want nil", bucket, err)
	}
	return value
}

// Put sets a row behind the vault's back, or deletes it if value is nil.
func Put(t testing.TB, s storage.Store, bucket string, key, value []byte) {
	t.Helper()
	err := s.Update(t.Context(), func(tx storage.Tx) error {
		if value == nil {
			return tx.Delete(bucket, key)
		}
		return tx.Put(bucket, key, value)
	})
	if err != nil {
		t.Fatalf("Put(%s): got %v, want nil", bucket, err)
	}
}

// RowsIn returns the values of a bucket in the order of their keys.
func RowsIn(t testing.TB, s storage.Store, bucket string) (values [][]byte) {
	t.Helper()
	err := s.View(context.Background(), func(tx storage.Tx) error {
		values = nil
		return tx.Range(bucket, nil, nil, func(_, value []byte) error {
			values = append(values, append([]byte{}, value...))
			return nil
		})
	})
	if err != nil {
		t.Fatalf("Range(%s): got %v, want nil", bucket, err)
	}
	return values
}

// SecretRow returns the stored secret of a key, or nil.
func SecretRow(t testing.TB, k *Kit, key seal.Token) []byte {
	t.Helper()
	row := key.RowKey(seal.KindSecret)
	return Get(t, k.Store, secret.BucketSecret, row[:])
}

// SlotOf returns the slot of a live secret. The slot follows the version in the
// stored record.
func SlotOf(t testing.TB, k *Kit, key seal.Token) storage.Slot {
	t.Helper()
	record := SecretRow(t, k, key)
	if len(record) < sealedHead {
		t.Fatalf("SlotOf(key): got a record of %d bytes, want a secret", len(record))
	}
	return storage.Slot{Number: binary.BigEndian.Uint64(record[1:]), Generation: binary.BigEndian.Uint64(record[9:])}
}

// WithSlot returns a stored secret that names another slot.
func WithSlot(record []byte, slot storage.Slot) []byte {
	record = bytes.Clone(record)
	binary.BigEndian.PutUint64(record[1:], slot.Number)
	binary.BigEndian.PutUint64(record[9:], slot.Generation)
	return record
}

// sealedHead is the length of what precedes the header in a stored secret: the
// version, the slot, its generation and the length of the header.
const sealedHead = 1 + 8 + 8 + 4

// SealedOffset returns where the ciphertext begins in a stored secret.
func SealedOffset(record []byte) int {
	return sealedHead + int(binary.BigEndian.Uint32(record[sealedHead-4:]))
}

// AwaitShred waits until the vault has struck every destroyed share off its
// list, which it does in the background.
func AwaitShred(t testing.TB, k *Kit) {
	t.Helper()
	for len(RowsIn(t, k.Store, shares.BucketShred)) > 0 {
		if t.Context().Err() != nil {
			t.Fatal("shred list: got rows, want none before the test ends")
		}
		time.Sleep(time.Millisecond)
	}
}

// AuditKinds counts the audit rows of each kind.
func AuditKinds(t testing.TB, k *Kit) map[audit.Type]int {
	t.Helper()
	kinds := map[audit.Type]int{}
	for _, row := range RowsIn(t, k.Store, audit.BucketAudit) {
		audit, err := audit.Decode(row)
		if err != nil {
			t.Fatalf("AuditOf(row): got %v, want nil", err)
		}
		kinds[audit.Kind]++
	}
	return kinds
}

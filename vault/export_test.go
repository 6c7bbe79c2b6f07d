package vault

import (
	"context"
	"encoding/binary"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/place"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/shares"
)

// What tests outside the package look for in the store.
const (
	BucketSecret   = secret.BucketSecret
	BucketMetadata = secret.BucketMetadata
	BucketExpiry   = secret.BucketExpiry
	BucketAttempt  = secret.BucketAttempt
	BucketShred    = shares.BucketShred
	BucketAudit    = rows.BucketAudit
	BucketPlace    = place.BucketPlace
	BucketSystem   = rows.BucketSystem
	SystemVerifier = rows.SystemVerifier
	SystemMark     = rows.SystemMark
)

// Hashes returns how many passphrases and passwords were hashed.
func Hashes(v *Vault) int { return int(v.hasher.Done.Load()) }

// ErrFault is what the store can only do to itself.
var ErrFault = rows.ErrInconsistent

// SlotOf returns the slot that a stored secret names.
func SlotOf(record []byte) (storage.Slot, error) {
	r, err := secret.DecodeSecret(record)
	if err != nil {
		return storage.Slot{}, err
	}
	return r.Slot, nil
}

// WithSlot returns a stored secret that names another slot.
func WithSlot(record []byte, slot storage.Slot) ([]byte, error) {
	r, err := secret.DecodeSecret(record)
	if err != nil {
		return nil, err
	}
	r.Slot = slot
	return r.Encode(), nil
}

// SealedOffset returns where the ciphertext begins in a stored secret.
func SealedOffset(record []byte) (int, error) {
	r, err := secret.DecodeSecret(record)
	if err != nil {
		return 0, err
	}
	return len(record) - len(r.Sealed), nil
}

// StoredState returns the state of a stored receipt.
func StoredState(record []byte) (secret.State, error) {
	r, err := secret.DecodeMetadata(record)
	if err != nil {
		return 0, err
	}
	return r.State, nil
}

// AuditRow is a stored audit row.
type AuditRow struct {
	TimeMillis uint64
	Kind       rows.AuditType
	Result     rows.AuditResult
	Subject    seal.RowKey
}

// AuditOf reads a stored audit row.
func AuditOf(record []byte) (AuditRow, error) {
	r, err := rows.DecodeAudit(record)
	return AuditRow{rows.Millis(r.Time), r.Kind, r.Result, r.Subject}, err
}

// What tests of sweeps look for.
const (
	BucketDue    = rows.BucketDue
	SystemCounts = rows.SystemCounts
	SystemAudit  = rows.SystemAudit
	SweepBatch   = rows.SweepBatch
)

// AuditRowOf is a stored audit row of a moment.
func AuditRowOf(at time.Time) []byte {
	return rows.AuditRecord{Time: at, Kind: rows.AuditView, Result: rows.AuditDone}.Encode()
}

// DueKinds is how many kinds of things the index of due things knows.
func (v *Vault) DueKinds() int { return len(v.endings()) }

// DueKey is a row of that index.
func DueKey(at time.Time, kind byte, key []byte) []byte {
	return rows.DueKey(at, rows.DueKind(kind), key)
}

// ExpiryKey is a row of the index of secrets and receipts.
func ExpiryKey(at time.Time, metadata seal.RowKey) []byte { return secret.ExpiryKey(at, metadata) }

// Strike is what strikes destroyed shares off the list.
func Strike(ctx context.Context, v *Vault, slots []storage.Slot) error {
	return v.shares.Strike(ctx, slots)
}

// StoredLink returns what a stored receipt still says of its secret: the
// secret's row and its sealed key.
func StoredLink(record []byte) (kept seal.RowKey, sealedKey []byte, err error) {
	r, err := secret.DecodeMetadata(record)
	if err != nil {
		return seal.RowKey{}, nil, err
	}
	return r.Secret, r.SealedKey, nil
}

// SlotNumber reads the key of a row of the shred list.
func SlotNumber(key []byte) uint64 { return binary.BigEndian.Uint64(key) }

// Charges are bytes by whom they are counted to.
type Charges = secret.Charges

// Charged is what the vault counts.
func (v *Vault) Charged() Charges { return v.Secrets.Charges() }

// StoredCharges counts what is stored.
func StoredCharges(ctx context.Context, store storage.Store) Charges {
	counted, _ := secret.CountCharges(ctx, store)
	return counted
}

// KeptBytes is what the vault takes live secrets to hold.
func (v *Vault) KeptBytes() int64 { return v.Secrets.LiveBytes() }

// ReceiptBytes is what a receipt counts for without a memo.
const ReceiptBytes = secret.ReceiptBytes

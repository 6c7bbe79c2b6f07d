package vault

import (
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"time"

	"hush/seal"
	"hush/storage"
)

// What tests outside the package look for in the store.
const (
	BucketSecret   = bucketSecret
	BucketMetadata = bucketMetadata
	BucketExpiry   = bucketExpiry
	BucketAttempt  = bucketAttempt
	BucketShred    = bucketShred
	BucketAudit    = bucketAudit
	BucketPlace    = bucketPlace
	BucketSystem   = bucketSystem
	SystemVerifier = systemVerifier
	SystemMark     = systemMark
)

// Hashes returns how many passphrases and passwords were hashed.
func Hashes(v *Vault) int { return int(v.hasher.done.Load()) }

// ErrFault is what the store can only do to itself.
var ErrFault = errFault

// SlotOf returns the slot that a stored secret names.
func SlotOf(record []byte) (storage.Slot, error) {
	r, err := decodeSecret(record)
	if err != nil {
		return storage.Slot{}, err
	}
	return r.slot, nil
}

// WithSlot returns a stored secret that names another slot.
func WithSlot(record []byte, slot storage.Slot) ([]byte, error) {
	r, err := decodeSecret(record)
	if err != nil {
		return nil, err
	}
	r.slot = slot
	return r.encode(), nil
}

// SealedOffset returns where the ciphertext begins in a stored secret.
func SealedOffset(record []byte) (int, error) {
	r, err := decodeSecret(record)
	if err != nil {
		return 0, err
	}
	return len(record) - len(r.sealed), nil
}

// StoredState returns the state of a stored receipt.
func StoredState(record []byte) (State, error) {
	r, err := decodeMetadata(record)
	if err != nil {
		return 0, err
	}
	return r.state, nil
}

// AuditRow is a stored audit row.
type AuditRow struct {
	TimeMillis uint64
	Kind       AuditType
	Result     AuditResult
	Subject    seal.RowKey
}

// AuditOf reads a stored audit row.
func AuditOf(record []byte) (AuditRow, error) {
	r, err := decodeAudit(record)
	return AuditRow{millis(r.time), r.kind, r.result, r.subject}, err
}

// What tests of sweeps look for.
const (
	BucketDue    = bucketDue
	SystemCounts = systemCounts
	SystemAudit  = systemAudit
	SweepBatch   = sweepBatch
)

// AuditRowOf is a stored audit row of a moment.
func AuditRowOf(at time.Time) []byte {
	return auditRecord{time: at, kind: AuditView, result: AuditDone}.encode()
}

// DueKinds is how many kinds of things the index of due things knows.
func (v *Vault) DueKinds() int { return len(v.endings()) }

// DueKey is a row of that index.
func DueKey(at time.Time, kind byte, key []byte) []byte { return dueKey(at, dueKind(kind), key) }

// ExpiryKey is a row of the index of secrets and receipts.
func ExpiryKey(at time.Time, metadata seal.RowKey) []byte { return expiryKey(at, metadata) }

// Strike is what strikes destroyed shares off the list.
var Strike = (*Vault).strike

// Charges are bytes by whom they are counted to.
type Charges struct {
	Total, Anonymous int64
	Accounts         map[string]int64
	Networks, Wides  map[[8]byte]int64
}

// Charged is what the vault counts.
func (v *Vault) Charged() Charges {
	u := v.usage
	u.mu.Lock()
	defer u.mu.Unlock()
	return Charges{u.total, u.anonymous, maps.Clone(u.accounts), maps.Clone(u.networks), maps.Clone(u.wides)}
}

// StoredCharges counts what is stored.
func StoredCharges(ctx context.Context, store storage.Store) Charges {
	u := newUsage()
	_ = store.View(ctx, func(tx storage.Tx) error {
		err := tx.Range(bucketSecret, nil, nil, func(_, value []byte) error {
			r, err := decodeSecret(value)
			if err == nil {
				u.add(r.charge())
			}
			return err
		})
		return errors.Join(err, tx.Range(bucketMetadata, nil, nil, func(_, value []byte) error {
			r, err := decodeMetadata(value)
			if err == nil {
				u.add(r.charge())
			}
			return err
		}))
	})
	return Charges{u.total, u.anonymous, u.accounts, u.networks, u.wides}
}

// ReceiptBytes is what a receipt counts for without a memo.
const ReceiptBytes = receiptBytes

// KeptBytes is what the vault takes live secrets to hold.
func (v *Vault) KeptBytes() int64 { return v.usage.bytes() }

// StoredLink returns what a stored receipt still says of its secret: the
// secret's row and its sealed key.
func StoredLink(record []byte) (secret seal.RowKey, sealedKey []byte, err error) {
	r, err := decodeMetadata(record)
	if err != nil {
		return seal.RowKey{}, nil, err
	}
	return r.secret, r.sealedKey, nil
}

// SlotNumber reads the key of a row of the shred list.
func SlotNumber(key []byte) uint64 { return binary.BigEndian.Uint64(key) }

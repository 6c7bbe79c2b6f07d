package spent

import (
	"encoding/binary"
	"time"

	"hush/storage"
	"hush/storage/spentlog"
	"hush/vault/rows"
)

// Kind is what an entry of the log is about. The numbers are stored.
type Kind byte

// The kinds of entries. The row of a secret is the slot of its share, number (8)
// and generation (8), big-endian; the rows of sessions, tokens and accounts are
// those of their records.
const (
	// KindNone is for shares that no secret is sealed with. It is never stored.
	KindNone           Kind = 0
	KindSecretRevealed Kind = 1
	KindSecretBurned   Kind = 2
	KindSecretExpired  Kind = 3
	// KindSecretEnded: a crash left unknown how the secret ended.
	KindSecretEnded      Kind = 4
	KindSessionEnded     Kind = 5
	KindTokenRevoked     Kind = 6
	KindAccountDestroyed Kind = 7
	// KindPasswordChanged: by its owner; API tokens stay.
	KindPasswordChanged Kind = 8
	// KindPasswordReset: API tokens end too.
	KindPasswordReset   Kind = 9
	KindAccountDisabled Kind = 10
	// KindRoleLost: the account is no longer a colonel.
	KindRoleLost Kind = 11
	// KindRestored: from here on the log belongs to data that was restored from
	// a backup. The row is the sequence (8) of that backup.
	KindRestored Kind = 12
	// KindStopped: the data is served without this log from here on.
	KindStopped Kind = 13
)

// OfSecret reports whether an entry is about a secret.
func (k Kind) OfSecret() bool { return k >= KindSecretRevealed && k <= KindSecretEnded }

// Note tells, in the transaction that ends it, that something other than a secret
// ends. The zero time is that of the transaction.
func Note(tx *rows.Tx, kind Kind, row []byte, at time.Time) error {
	return tx.NoteEnd(rows.End{Kind: byte(kind), Row: row, At: at})
}

// slotRow is the row of an entry about a secret.
func slotRow(slot storage.Slot) []byte {
	row := binary.BigEndian.AppendUint64(make([]byte, 0, 16), slot.Number)
	return binary.BigEndian.AppendUint64(row, slot.Generation)
}

// SlotOf returns the slot of an entry about a secret. ok is false for any other
// entry.
func SlotOf(e spentlog.Entry) (slot storage.Slot, ok bool) {
	if !Kind(e.Kind).OfSecret() || len(e.Row) != 16 {
		return slot, false
	}
	return storage.Slot{Number: binary.BigEndian.Uint64(e.Row), Generation: binary.BigEndian.Uint64(e.Row[8:])}, true
}

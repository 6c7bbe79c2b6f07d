package receipt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

const entryVersion = 1

// BucketEntry has account id ‖ ^created (8) ‖ ^number (4) ‖ metadata row (22) -> EntryRecord.
const BucketEntry = "entry"

// EntryRecord lets an account list a receipt. It holds the receipt's key,
// sealed to each key pair that the account had when the secret was concealed.
// It cannot be opened without a credential of the account, not even with the
// root key.
//
//	version 1 │ number 4 │ each: pair id 8 │ sealed key (4, bytes)
type EntryRecord struct{ Boxes []entryBox }

type entryBox struct {
	pair   caller.PairID
	Sealed []byte
}

func (r *EntryRecord) fields(c *rows.Codec) {
	c.Version(entryVersion)
	for b := range rows.List(c, &r.Boxes) {
		c.Bytes(b.pair[:])
		c.Sized(&b.Sealed)
	}
}

func (r *EntryRecord) encode() []byte {
	return rows.Encode(5+96*len(r.Boxes), r, (*EntryRecord).fields)
}

// DecodeEntry decodes a stored entry.
func DecodeEntry(data []byte) (*EntryRecord, error) {
	r := new(EntryRecord)
	return r, rows.Decode(data, r, (*EntryRecord).fields)
}

// box returns the key sealed to a pair, or nil.
func (r *EntryRecord) box(pair caller.PairID) []byte {
	for _, b := range r.Boxes {
		if b.pair == pair {
			return b.Sealed
		}
	}
	return nil
}

// The row of an entry. Newer entries come first; entries of the same
// millisecond are ordered by number, highest first.
//
//	account 16 │ ^created 8 [ │ ^number 4 ] │ metadata row 22
//
// Rows of older releases have no number. Neither have rows beyond the first
// entryMost of a millisecond: while a clock that was set back catches up, an
// account may create any number of secrets in one millisecond.
const (
	entryHead   = len(caller.AccountID{}) + 8
	entryNumber = 4
	entryMost   = 1024
)

// entryKey returns the row of an entry without a number.
func entryKey(id caller.AccountID, created time.Time, metadata seal.RowKey) []byte {
	key := make([]byte, 0, entryHead+entryNumber+len(metadata))
	key = append(key, id[:]...)
	key = append(key, rows.BigEndian(^rows.Millis(created))...)
	return append(key, metadata[:]...)
}

// newEntryKey returns the row of an entry that sorts before all others.
func newEntryKey(tx *rows.Tx, id caller.AccountID, created time.Time, metadata seal.RowKey) ([]byte, error) {
	key := entryKey(id, created, metadata)
	number := uint32(0)
	err := numberedEntries(tx, key[:entryHead], func(last []byte) error {
		number = ^binary.BigEndian.Uint32(last[entryHead:]) + 1
		return rows.ErrEnough
	})
	if err != nil || number == entryMost {
		return key, err
	}
	return append(binary.BigEndian.AppendUint32(key[:entryHead], ^number), metadata[:]...), nil
}

// numberedEntries calls fn for each numbered row of an account and a
// millisecond, highest number first.
func numberedEntries(tx storage.Tx, moment []byte, fn func(key []byte) error) error {
	from := binary.BigEndian.AppendUint32(bytes.Clone(moment), ^uint32(entryMost))
	return rows.IgnoreEnough(tx.Range(BucketEntry, from, rows.PrefixEnd(moment), func(key, _ []byte) error {
		if len(key) != entryHead+entryNumber+len(seal.RowKey{}) {
			return nil
		}
		return fn(key)
	}))
}

// deleteEntry deletes the entry of a receipt.
func deleteEntry(tx *rows.Tx, id caller.AccountID, created time.Time, metadata seal.RowKey) error {
	row := entryKey(id, created, metadata)
	err := numberedEntries(tx, row[:entryHead:entryHead], func(key []byte) error {
		if !bytes.HasSuffix(key, metadata[:]) {
			return nil
		}
		row = bytes.Clone(key)
		return rows.ErrEnough
	})
	if err != nil {
		return err
	}
	return tx.Delete(BucketEntry, row)
}

// entryMetadata returns the metadata row at the end of an entry's row.
func entryMetadata(key []byte) (seal.RowKey, error) {
	row := len(key) - len(seal.RowKey{})
	if row != entryHead && row != entryHead+entryNumber {
		return seal.RowKey{}, rows.ErrDamaged
	}
	return seal.RowKey(key[row:]), nil
}

// putEntry adds an entry to the list of its account. It fails if the account is
// not active.
func putEntry(tx *rows.Tx, id caller.AccountID, created time.Time, row seal.RowKey, entry *EntryRecord) error {
	owner, err := account.GetAccount(tx, id)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && !owner.Usable() {
		return refusal.ErrUnauthenticated
	}
	if err != nil {
		return err
	}
	if err := account.ChangeTally(tx, id, func(t *account.TallyRecord) { t.Created++ }); err != nil {
		return err
	}
	key, err := newEntryKey(tx, id, created, row)
	if err != nil {
		return err
	}
	return tx.Put(BucketEntry, key, entry.encode())
}

// CountEntries counts the entries of an account.
func CountEntries(tx *rows.Tx, id caller.AccountID) (n int64, err error) {
	err = tx.Range(BucketEntry, id[:], rows.PrefixEnd(id[:]), func(_, _ []byte) error {
		n++
		return nil
	})
	return n, err
}

package restoration

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"

	"hush/seal"
	"hush/storage"
	"hush/vault/account"
	"hush/vault/keylist"
	"hush/vault/receipt"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/shares"
	"hush/vault/tables"
)

// SlotFinder returns a function that finds the slot of the share that a row of any
// bucket names. ok is false for a row that names none, or cannot be read.
func SlotFinder() func(bucket string, key, value []byte) (slot storage.Slot, ok bool) {
	holdings := map[string]shares.Holding{}
	for _, h := range tables.Holdings() {
		holdings[h.Name] = h
	}
	return func(bucket string, key, value []byte) (storage.Slot, bool) {
		h, holds := holdings[bucket]
		if !holds {
			return storage.Slot{}, false
		}
		slot, _, ok, err := h.Find(key, value)
		return slot, ok && err == nil
	}
}

// inspectNamed is how many damaged rows an Inspection names.
const inspectNamed = 20

// Inspection checks the rows and shares of a copy of a store that no process can
// open, such as a backup, as they come: rows in the order of their buckets and
// keys, and then shares in the order of their slots. It keeps a few bytes in
// memory for each secret.
type Inspection struct {
	// Secrets and Accounts are how many there are, and Buckets how many rows
	// each bucket has.
	Secrets, Accounts int64
	Buckets           map[string]int64
	// Damaged counts the rows that cannot be read, of which Names has the first;
	// NoReceipt counts the secrets without one.
	Damaged, NoReceipt int64
	Names              []string
	// Gone counts the secrets and mails whose share is missing: they were opened,
	// burned or sent after the rows were read. Spare counts the shares of no row.
	Gone, Spare int64
	// Verified reports that the root key is the one of the rows.
	Verified bool
	// RootKeys are the kids of the root keys that the rows need, in hexadecimal digits.
	RootKeys []string

	keys     *seal.Keys // nil if unknown
	holdings map[string]shares.Holding
	seed     maphash.Seed
	receipts []uint64 // hashes of their keys, sorted once the first secret came
	sorted   bool
	slots    []storage.Slot // of rows, sorted once the first share came
	shares   bool
}

// NewInspection begins to check. With keys it also checks whether they are those
// of the rows.
func NewInspection(keys *seal.Keys) *Inspection {
	i := &Inspection{Buckets: map[string]int64{}, holdings: map[string]shares.Holding{}, seed: maphash.MakeSeed(), keys: keys}
	for _, h := range tables.Copied() {
		i.holdings[h.Name] = h
	}
	return i
}

// Row checks a row. It returns an error only if the inspection cannot go on.
func (i *Inspection) Row(bucket string, key, value []byte) error {
	i.Buckets[bucket]++
	if bucket == rows.BucketSystem && string(key) == keylist.SystemVerifier {
		return i.verify(value)
	}
	h, known := i.holdings[bucket]
	if !known {
		if !slices.Contains(tables.Names(), bucket) {
			i.note(bucket, key, errors.New("this release knows no such bucket"))
		}
		return nil
	}
	if err := h.Check(key, value); err != nil {
		i.note(bucket, key, err)
		return nil
	}
	if h.Find != nil {
		if slot, _, ok, err := h.Find(key, value); err == nil && ok {
			i.slots = append(i.slots, slot)
		}
	}
	switch bucket {
	case receipt.BucketMetadata:
		i.receipts = append(i.receipts, maphash.Bytes(i.seed, key))
	case secret.BucketSecret:
		i.Secrets++
		i.findReceipt(value)
	case account.BucketAccount:
		i.Accounts++
	}
	return nil
}

// verify checks the root keys that the rows name.
func (i *Inspection) verify(value []byte) error {
	known, err := keylist.DecodeRootKeys(value)
	if err != nil {
		i.note(rows.BucketSystem, []byte(keylist.SystemVerifier), err)
		return nil
	}
	for _, k := range known.Needed() {
		i.RootKeys = append(i.RootKeys, fmt.Sprintf("%x", k.KID()))
	}
	if i.keys == nil {
		return nil
	}
	if err := known.Verify(i.keys); err != nil {
		return err
	}
	i.Verified = true
	return nil
}

// findReceipt looks for the receipt of a secret. All receipts come before the
// first secret.
func (i *Inspection) findReceipt(value []byte) {
	if !i.sorted {
		slices.Sort(i.receipts)
		i.sorted = true
	}
	row, err := secret.ReceiptOf(value)
	if err != nil {
		return // it was counted as damaged
	}
	if _, found := slices.BinarySearch(i.receipts, maphash.Bytes(i.seed, row[:])); !found {
		i.NoReceipt++
	}
}

// note counts a damaged row.
func (i *Inspection) note(bucket string, key []byte, err error) {
	if i.Damaged++; len(i.Names) < inspectNamed {
		i.Names = append(i.Names, fmt.Sprintf("bucket %q, row %x: %v", bucket, key, err))
	}
}

// Slot takes a live share. All of them come after all rows.
func (i *Inspection) Slot(slot storage.Slot, _ [storage.ShareSize]byte) error {
	if !i.shares {
		i.receipts, i.shares = nil, true
		slices.SortFunc(i.slots, compareSlots)
	}
	for len(i.slots) > 0 && compareSlots(i.slots[0], slot) < 0 {
		i.Gone++
		i.slots = i.slots[1:]
	}
	if len(i.slots) == 0 || i.slots[0] != slot {
		i.Spare++
		return nil
	}
	i.slots = i.slots[1:]
	return nil
}

// End completes the inspection.
func (i *Inspection) End() {
	i.Gone += int64(len(i.slots))
	i.slots = nil
}

// Sound reports whether nothing is damaged. Shares that are gone are no damage.
func (i *Inspection) Sound() bool { return i.Damaged == 0 && i.NoReceipt == 0 }

func compareSlots(a, b storage.Slot) int {
	return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Generation, b.Generation))
}

package vault

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"hush/seal"
	"hush/storage"
)

// entryRecord lets an account list a receipt: it holds the receipt's key,
// sealed to each of the account's key pairs that were live when the secret was
// concealed. Without a credential of the account it opens nothing, not even
// with the root key.
//
//	version 1 │ number 4 │ each: pair id 8 │ sealed key (4, bytes)
type entryRecord struct{ boxes []entryBox }

type entryBox struct {
	pair   pairID
	sealed []byte
}

func (r *entryRecord) encode() []byte {
	w := make(writer, 0, 5+96*len(r.boxes))
	w.byte(entryVersion)
	w.uint32(uint32(len(r.boxes)))
	for _, b := range r.boxes {
		w.bytes(b.pair[:])
		w.sized(b.sealed)
	}
	return w
}

func decodeEntry(data []byte) (*entryRecord, error) {
	in := reader{rest: data}
	in.version(entryVersion)
	r := &entryRecord{}
	for range in.size() {
		if in.bad {
			break
		}
		var b entryBox
		in.into(b.pair[:])
		b.sealed = in.sized()
		r.boxes = append(r.boxes, b)
	}
	return r, in.end()
}

// box returns what is sealed to a pair, or nil.
func (r *entryRecord) box(pair pairID) []byte {
	for _, b := range r.boxes {
		if b.pair == pair {
			return b.sealed
		}
	}
	return nil
}

// The row of an entry: newer ones come first, and those of the same millisecond
// by their number, the last one first.
//
//	account 16 │ ^created 8 [ │ ^number 4 ] │ metadata row 22
//
// Rows of older releases have no number, and neither have those beyond the
// first entryMost of a millisecond: while a clock that was set back catches up,
// an account may make any number of secrets in one.
const (
	entryHead   = len(AccountID{}) + 8
	entryNumber = 4
	entryMost   = 1024
)

// entryKey is the row of an entry without a number.
func entryKey(id AccountID, created time.Time, metadata seal.RowKey) []byte {
	key := make([]byte, 0, entryHead+entryNumber+len(metadata))
	key = append(key, id[:]...)
	key = append(key, bigEndian(^millis(created))...)
	return append(key, metadata[:]...)
}

// newEntryKey is the row of an entry that is newer than all others.
func newEntryKey(tx storage.Tx, id AccountID, created time.Time, metadata seal.RowKey) ([]byte, error) {
	key, number := entryKey(id, created, metadata), uint32(0)
	err := numberedEntries(tx, key[:entryHead], func(last []byte) error {
		number = ^binary.BigEndian.Uint32(last[entryHead:]) + 1
		return errEnough
	})
	if err != nil || number == entryMost {
		return key, err
	}
	return append(binary.BigEndian.AppendUint32(key[:entryHead], ^number), metadata[:]...), nil
}

// numberedEntries calls fn with the rows that begin with an account and a
// moment and have a number, the highest number first.
func numberedEntries(tx storage.Tx, moment []byte, fn func(key []byte) error) error {
	from := binary.BigEndian.AppendUint32(bytes.Clone(moment), ^uint32(entryMost))
	return ignoreEnough(tx.Range(bucketEntry, from, prefixEnd(moment), func(key, _ []byte) error {
		if len(key) != entryHead+entryNumber+len(seal.RowKey{}) {
			return nil
		}
		return fn(key)
	}))
}

// deleteEntry deletes the entry of a receipt.
func deleteEntry(tx storage.Tx, id AccountID, created time.Time, metadata seal.RowKey) error {
	row := entryKey(id, created, metadata)
	err := numberedEntries(tx, row[:entryHead:entryHead], func(key []byte) error {
		if !bytes.HasSuffix(key, metadata[:]) {
			return nil
		}
		row = bytes.Clone(key)
		return errEnough
	})
	if err != nil {
		return err
	}
	return tx.Delete(bucketEntry, row)
}

// entryMetadata is the metadata's row that an entry's row ends in.
func entryMetadata(key []byte) (seal.RowKey, error) {
	row := len(key) - len(seal.RowKey{})
	if row != entryHead && row != entryHead+entryNumber {
		return seal.RowKey{}, errDamaged
	}
	return seal.RowKey(key[row:]), nil
}

// draftEntry seals a receipt's key to the account's pairs. It returns nil for
// callers without an account.
func (v *Vault) draftEntry(ctx context.Context, c Caller, receipt seal.Token, row seal.RowKey) (*entryRecord, error) {
	if c.with == nil {
		return nil, nil
	}
	var pairs []pair
	err := v.store.View(ctx, func(tx storage.Tx) (err error) {
		pairs, err = livePairs(tx, c.with.id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the account's keys: %w", err)
	}
	entry := &entryRecord{}
	for _, p := range pairs {
		sealed, err := p.public.SealEntry(row, receipt)
		if err != nil {
			return nil, fmt.Errorf("sealing an entry: %w", err)
		}
		entry.boxes = append(entry.boxes, entryBox{p.id, sealed})
	}
	return entry, nil
}

// putEntry adds an entry to the list of its account, which must still be
// usable.
func putEntry(tx storage.Tx, id AccountID, created time.Time, row seal.RowKey, entry *entryRecord) error {
	account, err := getAccount(tx, id)
	if errors.Is(err, ErrNotFound) || err == nil && !account.usable() {
		return ErrUnauthenticated
	}
	if err != nil {
		return err
	}
	if err := countFor(tx, id, func(t *tallyRecord) { t.created++ }); err != nil {
		return err
	}
	key, err := newEntryKey(tx, id, created, row)
	if err != nil {
		return err
	}
	return tx.Put(bucketEntry, key, entry.encode())
}

// forgetReceipt deletes a receipt and whatever belongs to it.
func forgetReceipt(tx storage.Tx, row seal.RowKey, r *metadataRecord) error {
	if id, ok := ParseAccountID(r.custid); ok {
		if err := deleteEntry(tx, id, r.created, row); err != nil {
			return err
		}
	}
	if err := tx.Delete(bucketTimeline, row[:]); err != nil {
		return err
	}
	if err := tally(tx, tallied{countMetadata, -1}); err != nil {
		return err
	}
	return tx.Delete(bucketMetadata, row[:])
}

// The limits on lists.
const (
	// ListMost is the most receipts of one page, ListDefault how many there are
	// when nobody asks for a number.
	ListMost    = 500
	ListDefault = 50
	// listLooked bounds how many entries one page looks at when it filters.
	listLooked = 5000
)

// ListQuery is which page of an account's receipts is asked for.
type ListQuery struct {
	Size   int    // 0 means ListDefault
	Token  string // Page.Next of the page before; empty for the first
	States []State
}

// wants tells whether a receipt in that state is asked for.
func (q *ListQuery) wants(state State) bool {
	return len(q.States) == 0 || slices.Contains(q.States, state)
}

// Page is a page of an account's receipts, newest first.
type Page struct {
	Metadata []Metadata // without their secrets' keys
	Next     string     // empty on the last page
	Sealed   int        // entries that this credential cannot open
}

// ListMetadata lists the receipts of the caller's account. It changes no
// state. Callers without one get ErrUnauthenticated.
func (v *Vault) ListMetadata(ctx context.Context, c Caller, q ListQuery) (Page, error) {
	if c.Anonymous() || c.with == nil {
		return Page{}, ErrUnauthenticated
	}
	from, err := q.start(c.with.id)
	if err != nil {
		return Page{}, err
	}
	pair, key, err := v.openPair(c)
	if err != nil {
		return Page{}, err
	}
	now := v.clock.now()
	found, page, err := v.findEntries(ctx, c.with.id, from, q, pair, now)
	if err != nil {
		return Page{}, err
	}
	for _, f := range found {
		receipt, err := key.OpenEntry(f.row, f.sealed)
		if err != nil {
			v.log.Error("an entry of an account's list does not open", "cause", err)
			page.Sealed++
			continue
		}
		m := v.describeListed(receipt, f, now)
		m.Account = c.Address()
		page.Metadata = append(page.Metadata, m)
	}
	return page, nil
}

// start is where the page begins.
func (q *ListQuery) start(id AccountID) ([]byte, error) {
	if q.Size <= 0 {
		q.Size = ListDefault
	}
	q.Size = min(q.Size, ListMost)
	if q.Token == "" {
		return id[:], nil
	}
	after, err := hex.DecodeString(q.Token)
	key := append(append([]byte(nil), id[:]...), after...)
	if _, damaged := entryMetadata(key); err != nil || damaged != nil {
		return nil, &InvalidError{Field: "page_token", Text: "is not one that this service made"}
	}
	return append(key, 0), nil
}

// listed is an entry as it was found, with its receipt.
type listed struct {
	row        seal.RowKey
	sealed     []byte
	record     *metadataRecord
	timeline   *timelineRecord
	deliveries []Delivery
	// lockedForGood: the secret's tries are used up.
	lockedForGood bool
}

// findEntries reads the entries of one page in a single look at the store.
func (v *Vault) findEntries(ctx context.Context, id AccountID, from []byte, q ListQuery, pair pairID, now time.Time) (found []listed, page Page, err error) {
	err = v.store.View(ctx, func(tx storage.Tx) error {
		found, page = nil, Page{}
		looked := 0
		var last []byte
		err := tx.Range(bucketEntry, from, prefixEnd(id[:]), func(key, value []byte) error {
			if len(found) == q.Size || looked == listLooked {
				page.Next = hex.EncodeToString(last)
				return errEnough
			}
			looked++
			last = append([]byte(nil), key[len(id):]...)
			f, err := readListed(tx, key, value, pair, now)
			switch {
			case errors.Is(err, ErrNotFound):
				return nil
			case err != nil:
				return err
			case !q.wants(f.record.state):
				return nil
			case f.sealed == nil:
				page.Sealed++
				return nil
			}
			found = append(found, f)
			return nil
		})
		return ignoreEnough(err)
	})
	return found, page, err
}

// readListed reads an entry's receipt; one whose time is over is gone.
func readListed(tx storage.Tx, key, value []byte, pair pairID, now time.Time) (f listed, err error) {
	if f.row, err = entryMetadata(key); err != nil {
		return f, err
	}
	entry, err := decodeEntry(value)
	if err != nil {
		return f, err
	}
	f.sealed = entry.box(pair)
	if f.record, err = getMetadata(tx, f.row); err != nil {
		return f, err
	}
	if !now.Before(f.record.forgotten()) {
		return f, ErrNotFound
	}
	f.record = f.record.asOf(now)
	if f.lockedForGood, err = lockedForGood(tx, f.record, now); err != nil {
		return f, err
	}
	if f.record.shareDomain, err = domainNow(tx, f.record.custid, f.record.shareDomain); err != nil {
		return f, err
	}
	if f.timeline, err = getTimeline(tx, f.row); err != nil {
		return f, err
	}
	f.deliveries, err = getDeliveries(tx, f.row)
	return f, err
}

func (v *Vault) describeListed(receipt seal.Token, f listed, now time.Time) Metadata {
	m := describe(receipt, f.record, now)
	m.LockedForGood = f.lockedForGood
	m.Memo = v.openMemo(receipt, f.row, f.record)
	m.Events, m.Deliveries = f.timeline.timeline(f.record), f.deliveries
	return m
}

// countEntries counts what an account's list holds.
func countEntries(tx storage.Tx, id AccountID) (n int64, err error) {
	err = tx.Range(bucketEntry, id[:], prefixEnd(id[:]), func(_, _ []byte) error {
		n++
		return nil
	})
	return n, err
}

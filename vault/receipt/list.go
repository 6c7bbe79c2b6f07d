package receipt

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/domain"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// The limits on lists.
const (
	// ListMost is the maximum number of receipts of one page, listDefault the
	// number if the query names none.
	ListMost    = 500
	listDefault = 50
	// listLooked is the maximum number of entries that one filtered page reads.
	listLooked = 5000
)

// ListQuery selects a page of an account's receipts.
type ListQuery struct {
	Size   int    // 0 means 50
	Token  string // Page.Next of the page before; empty for the first
	States []State
}

// wants reports whether the query selects receipts in that state.
func (q *ListQuery) wants(state State) bool {
	return len(q.States) == 0 || slices.Contains(q.States, state)
}

// Page is a page of an account's receipts, newest first.
type Page struct {
	Metadata []Metadata // without secret keys
	Next     string     // empty on the last page
	Sealed   int        // entries that this credential cannot open
}

// ListMetadata lists the receipts of the caller's account. It changes no state.
// It returns ErrUnauthenticated for a caller without an account.
func (re *Receipts) ListMetadata(ctx context.Context, c caller.Caller, q ListQuery) (Page, error) {
	if c.Anonymous() {
		return Page{}, refusal.ErrUnauthenticated
	}
	from, err := q.start(c.AccountID())
	if err != nil {
		return Page{}, err
	}
	pair, key, err := re.credentials.OpenPair(c)
	if err != nil {
		return Page{}, err
	}
	now := re.clock.Now()
	found, page, err := re.findEntries(ctx, c.AccountID(), from, q, pair, now)
	if err != nil {
		return Page{}, err
	}
	for i := range found {
		f := &found[i]
		if f.key, err = key.OpenEntry(f.row, f.sealed); err != nil {
			re.log.Error("an entry of an account's list does not open", "cause", err)
			page.Sealed++
			continue
		}
		m := re.describeListed(f, now)
		m.Account = c.Address()
		page.Metadata = append(page.Metadata, m)
	}
	return page, nil
}

// start returns the key at which the page begins.
func (q *ListQuery) start(id caller.AccountID) ([]byte, error) {
	if q.Size <= 0 {
		q.Size = listDefault
	}
	q.Size = min(q.Size, ListMost)
	if q.Token == "" {
		return id[:], nil
	}
	after, err := hex.DecodeString(q.Token)
	key := append(append([]byte(nil), id[:]...), after...)
	if _, damaged := entryMetadata(key); err != nil || damaged != nil {
		return nil, &refusal.InvalidError{Field: "page_token", Text: "is invalid"}
	}
	return append(key, 0), nil
}

// findEntries reads the entries of one page in a single read transaction.
func (re *Receipts) findEntries(ctx context.Context, id caller.AccountID, from []byte, q ListQuery, pair caller.PairID, now time.Time) (found []Found, page Page, err error) {
	err = re.store.View(ctx, func(tx *rows.Tx) error {
		found, page = nil, Page{}
		looked := 0
		var last []byte
		err := tx.Range(BucketEntry, from, rows.PrefixEnd(id[:]), func(key, value []byte) error {
			if len(found) == q.Size || looked == listLooked {
				page.Next = hex.EncodeToString(last)
				return rows.ErrEnough
			}
			looked++
			last = append([]byte(nil), key[len(id):]...)
			f, err := readListed(tx, key, value, pair, now)
			switch {
			case errors.Is(err, refusal.ErrNotFound):
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
		return rows.IgnoreEnough(err)
	})
	return found, page, err
}

// readListed reads an entry's receipt. It treats a forgotten receipt as
// missing.
func readListed(tx *rows.Tx, key, value []byte, pair caller.PairID, now time.Time) (f Found, err error) {
	if f.row, err = entryMetadata(key); err != nil {
		return f, err
	}
	entry, err := DecodeEntry(value)
	if err != nil {
		return f, err
	}
	f.sealed = entry.box(pair)
	if f.record, err = Load(tx, f.row); err != nil {
		return f, err
	}
	if !now.Before(f.record.Forgotten()) {
		return f, refusal.ErrNotFound
	}
	f.record = f.record.asOf(now)
	if f.lockedForGood, err = lockedForGood(tx, f.record, now); err != nil {
		return f, err
	}
	if f.record.shareDomain, err = domain.NameShown(tx, f.record.owner, f.record.shareDomain, f.record.created); err != nil {
		return f, err
	}
	if f.timeline, err = getTimeline(tx, f.row); err != nil {
		return f, err
	}
	if f.file, err = fileIn(tx, f.row); err != nil {
		return f, err
	}
	f.deliveries, err = outbox.GetDeliveries(tx, f.row)
	return f, err
}

func (re *Receipts) describeListed(f *Found, now time.Time) Metadata {
	m := describe(f.key, f.record, now)
	m.LockedForGood = f.lockedForGood
	m.File = f.file
	m.Memo = re.openMemo(f)
	m.Events = f.timeline.timeline(f.record)
	m.Deliveries = f.deliveries
	return m
}

// ListLive reads a batch of an account's list; from is the account's id for the first
// batch. It returns the rows of the receipts whose secrets are live, and the start of
// the next batch, nil after the last.
func (re *Receipts) ListLive(ctx context.Context, id caller.AccountID, from []byte) (list []seal.RowKey, next []byte, err error) {
	err = re.store.View(ctx, func(tx *rows.Tx) error {
		list, next = nil, nil
		looked := 0
		return rows.IgnoreEnough(tx.Range(BucketEntry, from, rows.PrefixEnd(id[:]), func(key, _ []byte) error {
			if looked == rows.SweepBatch {
				next = append([]byte(nil), key...)
				return rows.ErrEnough
			}
			looked++
			row, err := entryMetadata(key)
			if err != nil {
				return err
			}
			record, err := Load(tx, row)
			if err == nil && record.state.Live() {
				list = append(list, row)
			}
			if errors.Is(err, refusal.ErrNotFound) {
				return nil
			}
			return err
		}))
	})
	return list, next, err
}

package receipt

import (
	"bytes"
	"slices"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/exam"
	"hush/vault/rows"
)

// Invariants returns those of the buckets of this package. The index of what expires
// comes before the receipts. secrets is the bucket of secrets, and claimed has the
// receipts of all claims by the time that receipts are examined.
func Invariants(x *exam.Exam, secrets string, claimed map[seal.RowKey]bool) []exam.Invariant {
	i := &invariants{Exam: x, secrets: secrets, claimed: claimed, moved: map[seal.RowKey]bool{}}
	return []exam.Invariant{
		{Bucket: BucketExpiry, Row: i.expiry},
		{Bucket: BucketMetadata, Row: i.metadata, Counters: []counter.Counter{counter.Metadata}},
		{Bucket: BucketEntry, Row: i.entry},
		{Bucket: bucketTimeline, Row: i.timeline},
	}
}

// invariants is an examination of this package's buckets.
type invariants struct {
	*exam.Exam

	secrets string
	claimed map[seal.RowKey]bool
	// moved are the receipts whose row in the index has another time than that of
	// an end: the sweeper has put them off.
	moved map[seal.RowKey]bool
}

// WaitsFor reports whether the receipt in a row is that of a live secret in the row
// secret. A receipt that cannot be read counts as one: its own row is reported.
func WaitsFor(tx storage.Tx, row, secret seal.RowKey) (bool, error) {
	r, there, err := loadExamined(tx, row)
	return there && (r == nil || r.secret == secret && r.state.Live()), err
}

// loadExamined returns a receipt, and false if it is missing. A receipt that cannot be
// read is there and nil.
func loadExamined(tx storage.Tx, row seal.RowKey) (r *Record, there bool, err error) {
	r, err = rows.LoadOr(tx, BucketMetadata, row[:], decode, nil)
	if rows.IsDamage(err) {
		return nil, true, nil
	}
	return r, r != nil, err
}

// due returns the times at which a receipt may be in the index: when its secret
// expires, and once that is gone also when it is forgotten itself.
func (r *Record) due() []time.Time {
	if r.state.Live() {
		return []time.Time{r.expires}
	}
	return []time.Time{r.expires, r.Forgotten()}
}

func (i *invariants) expiry(key, _ []byte) error {
	row := seal.RowKey(key[8:])
	r, there, err := loadExamined(i.Tx, row)
	switch {
	case err != nil || there && r == nil:
		return err
	case !there:
		i.Report(exam.CodeExpiryStray, BucketExpiry, key)
	case !slices.ContainsFunc(r.due(), func(t time.Time) bool { return bytes.HasPrefix(key, rows.BigEndian(rows.Millis(t))) }):
		i.moved[row] = true
	}
	return nil
}

func (i *invariants) metadata(key, value []byte) error {
	i.Count(counter.Metadata)
	row := seal.RowKey(key)
	r, err := decode(value)
	if err != nil {
		return err
	}
	if r.state < StateNew || r.state > StateExpired || !r.state.Live() && (r.secret != seal.RowKey{} || len(r.sealedKey) > 0) {
		i.Report(exam.CodeReceiptState, BucketMetadata, key)
		return nil
	}
	if r.state.Live() {
		there, err := i.Has(i.secrets, r.secret[:])
		if err != nil {
			return err
		}
		if !there {
			i.Report(exam.CodeReceiptSecret, BucketMetadata, key)
		}
	}
	if r.outcome == OutcomeAwaited && !i.claimed[row] {
		i.Report(exam.CodeReceiptClaim, BucketMetadata, key)
	}
	if err := i.indexed(row, r); err != nil {
		return err
	}
	return i.listed(row, r)
}

// indexed checks that the sweeper will find a receipt.
func (i *invariants) indexed(row seal.RowKey, r *Record) error {
	there := false
	for _, at := range r.due() {
		found, err := i.Has(BucketExpiry, rows.TimeKey(at, row[:]))
		if err != nil {
			return err
		}
		there = there || found
	}
	switch {
	case !there && !i.moved[row]:
		i.Report(exam.CodeExpiryMissing, BucketMetadata, row[:])
	case there && i.moved[row]:
		i.Report(exam.CodeExpiryStray, BucketMetadata, row[:])
	}
	return nil
}

// listed checks that the account of a receipt lists it.
func (i *invariants) listed(row seal.RowKey, r *Record) error {
	id, ok := caller.ParseAccountID(r.owner)
	if !ok {
		return nil
	}
	there, err := i.Has(BucketEntry, entryKey(id, r.created, row))
	if err == nil && !there {
		err = numberedEntries(i.Tx, entryKey(id, r.created, row)[:entryHead:entryHead], func(key []byte) error {
			if there = bytes.HasSuffix(key, row[:]); there {
				return rows.ErrEnough
			}
			return nil
		})
	}
	if err == nil && !there {
		i.Report(exam.CodeReceiptEntry, BucketMetadata, row[:])
	}
	return err
}

func (i *invariants) timeline(key, _ []byte) error {
	return i.Follows(bucketTimeline, key, BucketMetadata, len(seal.RowKey{}), exam.CodeTimelineStray)
}

func (i *invariants) entry(key, _ []byte) error {
	row, err := entryMetadata(key)
	if err != nil {
		return err
	}
	there, err := i.Has(BucketMetadata, row[:])
	if err == nil && !there {
		i.Report(exam.CodeEntryReceipt, BucketEntry, key)
	}
	return err
}

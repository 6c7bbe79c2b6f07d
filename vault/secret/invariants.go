package secret

import (
	"bytes"
	"slices"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/counter"
	"hush/vault/exam"
	"hush/vault/passphrase"
	"hush/vault/quota"
	"hush/vault/rows"
)

// Invariants returns those of the buckets of this package, of claims, of usage and of wrong passphrases. The index of what
// expires comes before the receipts.
func Invariants(x *exam.Exam) []exam.Invariant {
	i := &invariants{Exam: x, moved: map[seal.RowKey]bool{}, claimed: map[seal.RowKey]bool{}}
	beside := slices.Concat(quota.Invariants(), claim.Invariants(x, func(receipt seal.RowKey) { i.claimed[receipt] = true }))
	return slices.Concat(beside, []exam.Invariant{
		{Bucket: BucketExpiry, Row: i.expiry},
		{Bucket: BucketMetadata, Row: i.metadata, Counters: []counter.Counter{counter.Metadata}},
		{Bucket: BucketSecret, Row: i.secret, Counters: []counter.Counter{counter.Secrets}},
	}, passphrase.Invariants(x, BucketSecret), []exam.Invariant{
		{Bucket: BucketEntry, Row: i.entry},
		{Bucket: bucketTimeline, Row: i.timeline},
	})
}

// invariants is an examination of this package's buckets.
type invariants struct {
	*exam.Exam
	// moved are the receipts whose row in the index has another time than that of
	// an end: the sweeper has put them off.
	moved map[seal.RowKey]bool
	// claimed are the receipts of claims.
	claimed map[seal.RowKey]bool
}

// due returns the times at which a receipt may be in the index: when its secret
// expires, and once that is gone also when it is forgotten itself.
func (r *MetadataRecord) due() []time.Time {
	if r.State.Live() {
		return []time.Time{r.expires}
	}
	return []time.Time{r.expires, r.forgotten()}
}

// load returns a record, and false if it is missing or cannot be read: then its
// own row is reported.
func load[T any](i *invariants, bucket string, key []byte, decode func([]byte) (*T, error)) (record *T, there bool, err error) {
	record, err = rows.LoadOr(i.Tx, bucket, key, decode, nil)
	if rows.IsDamage(err) {
		return nil, true, nil
	}
	return record, record != nil, err
}

func (i *invariants) expiry(key, _ []byte) error {
	row := seal.RowKey(key[8:])
	r, there, err := load(i, BucketMetadata, row[:], decodeMetadata)
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
	r, err := decodeMetadata(value)
	if err != nil {
		return err
	}
	if r.State < StateNew || r.State > StateExpired || !r.State.Live() && (r.Secret != seal.RowKey{} || len(r.SealedKey) > 0) {
		i.Report(exam.CodeReceiptState, BucketMetadata, key)
		return nil
	}
	if r.State.Live() {
		there, err := i.Has(BucketSecret, r.Secret[:])
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
func (i *invariants) indexed(row seal.RowKey, r *MetadataRecord) error {
	there := false
	for _, at := range r.due() {
		found, err := i.Has(BucketExpiry, expiryKey(at, row))
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
func (i *invariants) listed(row seal.RowKey, r *MetadataRecord) error {
	id, ok := caller.ParseAccountID(r.Custid)
	if !ok {
		return nil
	}
	there, err := i.Has(BucketEntry, entryKey(id, r.created, row))
	if err == nil && !there {
		err = numberedEntries(i.Tx, entryKey(id, r.created, row)[:EntryHead:EntryHead], func(key []byte) error {
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

func (i *invariants) secret(key, value []byte) error {
	i.Count(counter.Secrets)
	row := seal.RowKey(key)
	r, err := decodeSecret(value)
	if err != nil {
		return err
	}
	i.Own(r.slot, BucketSecret, key)
	if !i.Now.Before(r.expires) {
		i.Report(exam.CodeExpired, BucketSecret, key)
	}
	if !r.isSealedSize() {
		i.Report(exam.CodeSecretSize, BucketSecret, key)
	}
	m, there, err := load(i, BucketMetadata, r.metadata[:], decodeMetadata)
	if err == nil && (!there || m != nil && (m.Secret != row || !m.State.Live())) {
		i.Report(exam.CodeSecretReceipt, BucketSecret, key)
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

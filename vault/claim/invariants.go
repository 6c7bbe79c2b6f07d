package claim

import (
	"slices"

	"hush/seal"
	"hush/vault/exam"
	"hush/vault/file"
	"hush/vault/rows"
)

// Invariants returns those of the buckets of this package. They come before those
// of receipts. found is called with the receipt of each claim.
func Invariants(x *exam.Exam, found func(receipt seal.RowKey)) []exam.Invariant {
	return []exam.Invariant{
		{Bucket: BucketDeadline, Row: func(key, value []byte) error {
			_, row, _ := decodeDeadline(key, value)
			there, err := x.Has(BucketClaim, row[:])
			if err == nil && !there {
				x.Report(exam.CodeDeadlineStray, BucketDeadline, key)
			}
			return err
		}},
		{Bucket: BucketClaim, Row: func(key, value []byte) error {
			r, err := decode(value)
			if err != nil {
				return err
			}
			found(r.Receipt)
			x.Own(r.slot, BucketClaim, key)
			if !r.isSealedSize() {
				x.Report(exam.CodeClaimSize, BucketClaim, key)
			}
			if r.ofFile {
				if err := file.ReportUnlike(x, r.Receipt, r.FileSize, BucketClaim, key); err != nil {
					return err
				}
			}
			row := seal.RowKey(key)
			if err := r.loadDeadline(x.Tx, row); err != nil && !rows.IsDamage(err) {
				return err
			}
			if !x.Now.Before(r.deadline) {
				x.Report(exam.CodeClaimDue, BucketClaim, slices.Clone(key))
			}
			there, err := x.Has(BucketDeadline, r.deadlineRow(row))
			if err == nil && !there {
				x.Report(exam.CodeDeadlineMissing, BucketClaim, key)
			}
			return err
		}},
	}
}

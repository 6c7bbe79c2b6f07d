package secret

import (
	"slices"

	"hush/seal"
	"hush/vault/answer"
	"hush/vault/claim"
	"hush/vault/counter"
	"hush/vault/exam"
	"hush/vault/file"
	"hush/vault/passphrase"
	"hush/vault/quota"
	"hush/vault/receipt"
)

// Invariants returns those of the bucket of this package, of receipts, of claims, of files,
// of usage and of wrong passphrases. Claims come before the receipts.
func Invariants(x *exam.Exam) []exam.Invariant {
	claimed := map[seal.RowKey]bool{}
	i := &invariants{Exam: x, files: map[seal.RowKey]bool{}}
	return slices.Concat(
		quota.Invariants(),
		claim.Invariants(x, func(row seal.RowKey) { claimed[row] = true }),
		receipt.Invariants(x, BucketSecret, claimed),
		[]exam.Invariant{{Bucket: BucketSecret, Row: i.secret, Counters: []counter.Counter{counter.Secrets}}},
		file.Invariants(x, receipt.BucketMetadata, func(row seal.RowKey) bool { return claimed[row] || i.files[row] }),
		passphrase.Invariants(x, BucketSecret),
	)
}

// invariants is an examination of this package's bucket.
type invariants struct {
	*exam.Exam

	files map[seal.RowKey]bool // receipts of the secrets that are files
}

func (i *invariants) secret(key, value []byte) error {
	i.Count(counter.Secrets)
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
	if r.answer != nil {
		named, err := answer.Names(i.Exam, r.answer.ref, seal.RowKey(key))
		if err != nil {
			return err
		}
		if !named {
			i.Report(answer.CodeUnnamed, BucketSecret, key)
		}
	}
	if r.fileSize > 0 {
		i.files[r.metadata] = true
		if err := file.ReportUnlike(i.Exam, r.metadata, r.fileSize, BucketSecret, key); err != nil {
			return err
		}
	}
	waits, err := receipt.WaitsFor(i.Tx, r.metadata, seal.RowKey(key))
	if err == nil && !waits {
		i.Report(exam.CodeSecretReceipt, BucketSecret, key)
	}
	return err
}

package spent

import (
	"hush/vault/exam"
)

// Invariants returns those of the buckets of this package.
func Invariants(*exam.Exam) []exam.Invariant {
	return []exam.Invariant{{Bucket: BucketPending, Check: func(key, value []byte) error {
		_, err := decodePending(key, value)
		return err
	}, Alone: "the next start logs what is pending, and what it names may be gone"}}
}

// SystemRows returns the rows of the bucket system that this package writes.
func SystemRows() []exam.SystemRow {
	return []exam.SystemRow{
		{Name: SystemLog, Check: exam.CheckSystem(DecodeRecord)},
		{Name: SystemBegun, Check: exam.CheckSystem(DecodeRecord)},
	}
}

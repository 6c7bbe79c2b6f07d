package challenge

import (
	"hush/vault/exam"
	"hush/vault/rows"
	"hush/vault/sweep"
)

// Buckets returns the buckets of this package.
func Buckets() []rows.Bucket {
	return []rows.Bucket{
		{Name: BucketSpent, Check: rows.CheckIndex(1)},
		{Name: BucketPace, Check: rows.CheckRow(0, decodeCreateRate)},
	}
}

// Invariants returns those of the buckets of this package.
func Invariants(x *exam.Exam) []exam.Invariant {
	return []exam.Invariant{
		{Bucket: BucketSpent, Row: func(key, _ []byte) error {
			x.WantDue(sweep.DueSpent, BucketSpent, key)
			return nil
		}},
		{Bucket: BucketPace, Alone: "a window counts by itself, and ends by its key"},
	}
}

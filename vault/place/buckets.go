package place

import (
	"hush/vault/exam"
	"hush/vault/rows"
)

// Buckets returns the buckets of this package.
func Buckets() []rows.Bucket {
	return []rows.Bucket{{Name: BucketPlace, Check: rows.CheckRow(0, decodePlace)}}
}

// Invariants returns that of the bucket of this package.
func Invariants(*exam.Exam) []exam.Invariant {
	return []exam.Invariant{{Bucket: BucketPlace, Alone: "no row refers to a place, and no place to a row"}}
}

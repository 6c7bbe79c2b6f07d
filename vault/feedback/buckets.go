package feedback

import (
	"hush/vault/exam"
	"hush/vault/rows"
)

// Buckets returns the buckets of this package.
func Buckets() []rows.Bucket {
	return []rows.Bucket{
		{Name: BucketFeedback, Check: rows.CheckRow(8, decodeFeedback)},
		{Name: BucketException, Check: rows.CheckRow(8, decodeException)},
	}
}

// SystemRows returns the rows of the bucket system that this package writes.
func SystemRows() []exam.SystemRow {
	return []exam.SystemRow{{Name: systemFeedbackAges, Check: exam.CheckSystem(decodeFeedbackAges)}}
}

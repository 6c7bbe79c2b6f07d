package tables_test

import (
	"testing"
	"time"

	"hush/vault/exam"
	"hush/vault/tables"
)

// A bucket without anything to check says why.
func TestEveryBucketHasInvariants(t *testing.T) {
	t.Parallel()
	for _, i := range tables.Invariants(exam.NewExam(time.Time{}, func(exam.Finding) {})) {
		if i.Check == nil {
			t.Errorf("bucket %q: got no check of its rows, want one", i.Bucket)
		}
		if (i.Row == nil) == (i.Alone == "") {
			t.Errorf("bucket %q: got invariants %v and the reason %q, want either", i.Bucket, i.Row != nil, i.Alone)
		}
	}
}

package feedback

import (
	"hush/vault/counter"
	"hush/vault/exam"
	"hush/vault/rows"
	"hush/vault/sweep"
)

// Invariants returns those of the buckets of this package.
func Invariants(x *exam.Exam) []exam.Invariant {
	var ages feedbackAges
	damaged := false
	sealed := func(label, bucket string, key, value []byte) {
		if x.Keys == nil {
			return
		}
		if _, err := x.Keys.OpenField(label, key, value); err != nil {
			x.Report(exam.CodeField, bucket, key)
		}
	}
	return []exam.Invariant{
		{Bucket: BucketFeedback, Counters: []counter.Counter{counter.Feedback}, Row: func(key, value []byte) error {
			x.Count(counter.Feedback)
			x.WantDue(sweep.DueFeedback, BucketFeedback, key)
			r, err := decodeFeedback(value)
			if damaged = damaged || err != nil; err != nil {
				return err
			}
			if r.age < feedbackOlder {
				ages[r.age]++
			}
			sealed(fieldFeedback, BucketFeedback, key, r.sealed)
			return nil
		}, End: func() error {
			stored, err := getFeedbackAges(x.Tx)
			if err == nil && stored != ages && !damaged {
				x.Notef(exam.CodeCounter, BucketFeedback, []byte(systemFeedbackAges), "feedback of today and yesterday: it says %d, and there are %d", stored, ages)
			}
			if rows.IsDamage(err) {
				return nil
			}
			return err
		}},
		{Bucket: BucketException, Counters: []counter.Counter{counter.Exceptions}, Row: func(key, value []byte) error {
			x.Count(counter.Exceptions)
			x.WantDue(sweep.DueException, BucketException, key)
			r, err := decodeException(value)
			if err == nil {
				sealed(fieldException, BucketException, key, r.sealed)
			}
			return err
		}},
	}
}

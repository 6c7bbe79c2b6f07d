package feedback_test

import (
	"time"

	"hush/storage"
	"hush/vault/feedback"
	"hush/vault/rows"
)

// fillRings puts rings up to their most numbers, all of one moment.
func fillRings(tx storage.Tx, created time.Time) error {
	exception := feedback.ExceptionRecord{Created: created}
	kept := feedback.Record{Created: created}
	for number := range uint64(feedback.RingSize) {
		if err := tx.Put(feedback.BucketException, feedback.RingKey(number+1), exception.Encode()); err != nil {
			return err
		}
		if err := tx.Put(feedback.BucketFeedback, feedback.RingKey(number+1), kept.Encode()); err != nil {
			return err
		}
	}
	if err := feedback.CountAge(tx, feedback.FeedbackToday, feedback.RingSize); err != nil {
		return err
	}
	return rows.Count(tx, rows.Change{Counter: rows.CountExceptions, By: feedback.RingSize}, rows.Change{Counter: rows.CountFeedback, By: feedback.RingSize})
}

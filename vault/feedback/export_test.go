package feedback

import (
	"time"

	"hush/vault/counter"
	"hush/vault/rows"
)

// RingSize is how many rows a ring holds.
const RingSize = ringSize

// Scrub removes what may be secret from a text, and ScrubURL from an address.
var (
	Scrub    = scrub
	ScrubURL = scrubURL
)

// RingKey is the row of a number.
func RingKey(number uint64) []byte { return ringKey(number) }

// FillRings puts rings up to their most numbers, all of one moment.
func FillRings(tx *rows.Tx, created time.Time) error {
	exception := ExceptionRecord{created: created}
	kept := Record{created: created}
	for number := range uint64(ringSize) {
		if err := tx.Put(BucketException, ringKey(number+1), exception.encode()); err != nil {
			return err
		}
		if err := tx.Put(BucketFeedback, ringKey(number+1), kept.encode()); err != nil {
			return err
		}
	}
	if err := countAge(tx, feedbackToday, ringSize); err != nil {
		return err
	}
	return counter.Add(tx, counter.Change{Counter: counter.Exceptions, By: ringSize}, counter.Change{Counter: counter.Feedback, By: ringSize})
}

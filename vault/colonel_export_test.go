package vault

import (
	"time"

	"hush/storage"
)

// What tests of challenges, intake and colonels look for in the store.
const (
	BucketSpent     = bucketSpent
	BucketPace      = bucketPace
	BucketFeedback  = bucketFeedback
	BucketException = bucketException
	RingSize        = ringSize
)

// Scrub and ScrubURL are what takes things out of texts.
var (
	Scrub    = scrub
	ScrubURL = scrubURL
)

// WithRole returns c with an account that exists nowhere else, and with the
// role if it is a colonel.
func WithRole(c Caller, id AccountID, colonel bool) Caller {
	c.Account = id.String()
	c.with = &credential{id: id, colonel: colonel, scopes: ScopesAll}
	return c
}

// PutAccount adds an account without an address, or one that was destroyed.
func PutAccount(tx storage.Tx, created, destroyed time.Time) (AccountID, error) {
	id := newAccountID(created)
	return id, putAccount(tx, id, &accountRecord{created: created, role: RoleCustomer, destroyed: destroyed})
}

// FillRings puts rings up to their most numbers, all of one moment.
func FillRings(tx storage.Tx, created time.Time) error {
	exception := exceptionRecord{created: created}
	feedback := feedbackRecord{created: created}
	for number := range uint64(ringSize) {
		if err := tx.Put(bucketException, ringKey(number+1), exception.encode()); err != nil {
			return err
		}
		if err := tx.Put(bucketFeedback, ringKey(number+1), feedback.encode()); err != nil {
			return err
		}
	}
	if err := countAge(tx, feedbackToday, ringSize); err != nil {
		return err
	}
	return tally(tx, tallied{countExceptions, ringSize}, tallied{countFeedback, ringSize})
}

// RingKey is the row of a number.
func RingKey(number uint64) []byte { return ringKey(number) }

// SpendChallenge is what sign-up does with a solution.
var SpendChallenge = (*Vault).spendChallenge

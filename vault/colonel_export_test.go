package vault

import (
	"context"
	"time"

	"hush/storage"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/challenge"
	"hush/vault/feedback"
	"hush/vault/rows"
)

// What tests of challenges, intake and colonels look for in the store.
const (
	BucketSpent     = challenge.BucketSpent
	BucketPace      = challenge.BucketPace
	BucketFeedback  = feedback.BucketFeedback
	BucketException = feedback.BucketException
	RingSize        = feedback.RingSize
)

// Scrub and ScrubURL are what takes things out of texts.
var (
	Scrub    = feedback.Scrub
	ScrubURL = feedback.ScrubURL
)

// WithRole returns c with an account that exists nowhere else, and with the
// role if it is a colonel.
func WithRole(c caller.Caller, id caller.AccountID, colonel bool) caller.Caller {
	c.Account = id.String()
	c.Credential = &caller.Credential{ID: id, Colonel: colonel, Scopes: caller.ScopesAll}
	return c
}

// PutAccount adds an account without an address, or one that was destroyed.
func PutAccount(tx storage.Tx, created, destroyed time.Time) (caller.AccountID, error) {
	id := account.NewAccountID(created)
	return id, account.PutAccount(tx, id, &account.Record{Created: created, Role: account.RoleCustomer, Destroyed: destroyed})
}

// FillRings puts rings up to their most numbers, all of one moment.
func FillRings(tx storage.Tx, created time.Time) error {
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

// RingKey is the row of a number.
func RingKey(number uint64) []byte { return feedback.RingKey(number) }

// SpendChallenge is what sign-up does with a solution.
var SpendChallenge = func(v *Vault, ctx context.Context, payload, action string, now time.Time) error {
	return v.Challenges.Spend(ctx, payload, action, now)
}

package outbox_test

import (
	"time"

	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/rows"
)

// storeMailer makes an account, without any credential, and returns who it is
// when it calls.
func storeMailer(tx *rows.Tx, address, locale string, now time.Time) (caller.Caller, error) {
	id := account.NewAccountID(now)
	c := caller.WithCredential(caller.Caller{}, &caller.Verified{ID: id, Address: address, Locale: locale, Scopes: caller.ScopesAll})
	return c, account.PutAccount(tx, id, &account.Record{Created: now, Role: account.RoleCustomer, Proof: account.ProofOperator})
}

// mailCounts are the mails that wait, those that recipients got, and those
// that an account's recipients got.
func mailCounts(tx *rows.Tx, c caller.Caller) (queued, emails int64, tally uint64, err error) {
	all, err := counter.Get(tx)
	if err != nil || c.Anonymous() {
		return all[counter.Queued], all[counter.Emails], 0, err
	}
	r, err := account.GetTally(tx, c.AccountID())
	return all[counter.Queued], all[counter.Emails], r.Emails, err
}

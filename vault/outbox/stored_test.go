package outbox_test

import (
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/rows"
)

// storeMailer makes an account, without any credential, and returns who it is
// when it calls.
func storeMailer(tx storage.Tx, address, locale string, now time.Time) (caller.Caller, error) {
	id := account.NewAccountID(now)
	caller := caller.Caller{Account: id.String(), Credential: &caller.Credential{ID: id, Address: address, Locale: locale, Scopes: caller.ScopesAll}}
	return caller, account.PutAccount(tx, id, &account.Record{Created: now, Role: account.RoleCustomer, Proof: account.ProofOperator})
}

// mailCounts are the mails that wait, those that recipients got, and those
// that an account's recipients got.
func mailCounts(tx storage.Tx, c caller.Caller) (queued, emails int64, tally uint64, err error) {
	all, err := rows.GetCounts(tx)
	if err != nil || c.Credential == nil {
		return all[rows.CountQueued], all[rows.CountEmails], 0, err
	}
	r, err := account.GetTally(tx, c.Credential.ID)
	return all[rows.CountQueued], all[rows.CountEmails], r.Emails, err
}

// storedMail is a queued mail as a thief of the store reads it.
type storedMail struct {
	ID, Sealed []byte
	Slot       *storage.Slot
}

// storedMailOf takes a row of the queue apart.
func storedMailOf(key, value []byte) (storedMail, error) {
	id, err := outbox.MailIDOf(key)
	if err != nil {
		return storedMail{}, err
	}
	r, err := outbox.DecodeMail(value)
	if err != nil {
		return storedMail{}, err
	}
	return storedMail{ID: id[:], Sealed: r.Sealed, Slot: r.Slot}, nil
}

// Open returns the mail if it was sealed under that share.
func (s storedMail) Open(keys *seal.Keys, share [storage.ShareSize]byte) (outbox.Mail, error) {
	letter, err := keys.OpenMail(share, s.ID, s.Sealed)
	if err != nil {
		return outbox.Mail{}, err
	}
	return outbox.DecodeLetter(letter)
}

package vault

import (
	"context"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/rows"
)

// What the external tests of the queue see of it.
const (
	BucketOutbox   = outbox.BucketOutbox
	BucketDelivery = outbox.BucketDelivery
)

// PutMailer makes an account, without any credential, and returns who it is
// when it calls.
func PutMailer(tx storage.Tx, address, locale string, now time.Time) (caller.Caller, error) {
	id := account.NewAccountID(now)
	caller := caller.Caller{Account: id.String(), Credential: &caller.Credential{ID: id, Address: address, Locale: locale, Scopes: caller.ScopesAll}}
	return caller, account.PutAccount(tx, id, &account.Record{Created: now, Role: account.RoleCustomer, Proof: account.ProofOperator})
}

// MailCounts are the mails that wait, those that recipients got, and those
// that an account's recipients got.
func MailCounts(tx storage.Tx, c caller.Caller) (queued, emails int64, tally uint64, err error) {
	all, err := rows.GetCounts(tx)
	if err != nil || c.Credential == nil {
		return all[rows.CountQueued], all[rows.CountEmails], 0, err
	}
	r, err := account.GetTally(tx, c.Credential.ID)
	return all[rows.CountQueued], all[rows.CountEmails], r.Emails, err
}

// FillQueue counts as many mails as may wait.
func FillQueue(tx storage.Tx) error {
	return rows.Count(tx, rows.Change{Counter: rows.CountQueued, By: outbox.QueueMost})
}

// QueueMail drafts a mail and queues it.
func (v *Vault) QueueMail(ctx context.Context, m outbox.Mail) error {
	now := v.clock.Now()
	d, err := v.Outbox.Draft(ctx, m, now)
	if err != nil {
		return err
	}
	if err := v.store.Update(ctx, d.Put); err != nil {
		v.Outbox.Discard(err, d)
		return err
	}
	v.Outbox.Wake()
	return nil
}

// QueueNotice queues a mail without a link.
func (v *Vault) QueueNotice(ctx context.Context, m outbox.Mail) error {
	now := v.clock.Now()
	return v.store.Update(ctx, func(tx storage.Tx) error { return v.Outbox.PutNotice(tx, m, now) })
}

// OutboxSlots are the slots of the mails that wait.
func (v *Vault) OutboxSlots(ctx context.Context) ([]storage.Slot, error) { return v.Outbox.Slots(ctx) }

// StoredMail is a queued mail as a thief of the store reads it.
type StoredMail struct {
	ID, Sealed []byte
	Slot       *storage.Slot
}

// StoredMailOf takes a row of the queue apart.
func StoredMailOf(key, value []byte) (StoredMail, error) {
	id, err := outbox.MailIDOf(key)
	if err != nil {
		return StoredMail{}, err
	}
	r, err := outbox.DecodeMail(value)
	if err != nil {
		return StoredMail{}, err
	}
	return StoredMail{ID: id[:], Sealed: r.Sealed, Slot: r.Slot}, nil
}

// Open returns the mail if it was sealed under that share.
func (s StoredMail) Open(keys *seal.Keys, share [storage.ShareSize]byte) (outbox.Mail, error) {
	letter, err := keys.OpenMail(share, s.ID, s.Sealed)
	if err != nil {
		return outbox.Mail{}, err
	}
	return outbox.DecodeLetter(letter)
}

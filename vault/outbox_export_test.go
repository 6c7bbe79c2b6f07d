package vault

import (
	"context"
	"time"

	"hush/seal"
	"hush/storage"
)

// What the external tests of the queue see of it.
const (
	BucketOutbox   = bucketOutbox
	BucketDelivery = bucketDelivery
)

// PutMailer makes an account, without any credential, and returns who it is
// when it calls.
func PutMailer(tx storage.Tx, address, locale string, now time.Time) (Caller, error) {
	id := newAccountID(now)
	caller := Caller{Account: id.String(), with: &credential{id: id, address: address, locale: locale, scopes: ScopesAll}}
	return caller, putAccount(tx, id, &accountRecord{created: now, role: RoleCustomer, proof: proofOperator})
}

// MailCounts are the mails that wait, those that recipients got, and those
// that an account's recipients got.
func MailCounts(tx storage.Tx, c Caller) (queued, emails int64, tally uint64, err error) {
	all, err := getCounts(tx)
	if err != nil || c.with == nil {
		return all[countQueued], all[countEmails], 0, err
	}
	r, err := getTally(tx, c.with.id)
	return all[countQueued], all[countEmails], r.emails, err
}

// FillQueue counts as many mails as may wait.
func FillQueue(tx storage.Tx) error { return tally(tx, tallied{countQueued, queueMost}) }

// QueueMail drafts a mail and queues it.
func (v *Vault) QueueMail(ctx context.Context, m Mail) error {
	now := v.clock.now()
	d, err := v.draftMail(ctx, m, now)
	if err != nil {
		return err
	}
	if err := v.store.Update(ctx, d.put); err != nil {
		v.discardMail(err, d)
		return err
	}
	v.posted()
	return nil
}

// QueueNotice queues a mail without a link.
func (v *Vault) QueueNotice(ctx context.Context, m Mail) error {
	now := v.clock.now()
	return v.store.Update(ctx, func(tx storage.Tx) error { return v.putNotice(tx, m, now) })
}

// OutboxSlots are the slots of the mails that wait.
func (v *Vault) OutboxSlots(ctx context.Context) ([]storage.Slot, error) { return v.outboxSlots(ctx) }

// StoredMail is a queued mail as a thief of the store reads it.
type StoredMail struct {
	ID, Sealed []byte
	Slot       *storage.Slot
}

// StoredMailOf takes a row of the queue apart.
func StoredMailOf(key, value []byte) (StoredMail, error) {
	id, err := outboxID(key)
	if err != nil {
		return StoredMail{}, err
	}
	r, err := decodeMail(value)
	if err != nil {
		return StoredMail{}, err
	}
	return StoredMail{ID: id[:], Sealed: r.sealed, Slot: r.slot}, nil
}

// Open returns the mail if it was sealed under that share.
func (s StoredMail) Open(keys *seal.Keys, share [storage.ShareSize]byte) (Mail, error) {
	letter, err := keys.OpenMail(share, s.ID, s.Sealed)
	if err != nil {
		return Mail{}, err
	}
	return decodeLetter(letter)
}

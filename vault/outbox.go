package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/storage"
)

const (
	// queueMost is how many mails may wait.
	queueMost = 10_000
	// mailLifetime is how long a mail is tried at most.
	mailLifetime = 24 * time.Hour
)

// mailDraft is a mail on its way into the queue. What it will be sealed with
// is durable already. A nil draft is one of a vault without mail: it is put and
// discarded like any other, and nothing comes of it.
type mailDraft struct {
	id     mailID
	record mailRecord
}

// draftMail seals a mail under a share of its own, as a secret is: after the
// mail is gone no copy of the database gives away its link. The draft belongs
// into the transaction of what the mail tells of, by put; if that fails, it
// goes to discardMail. It returns ErrQuota when too many mails wait.
func (v *Vault) draftMail(ctx context.Context, m Mail, now time.Time) (*mailDraft, error) {
	return v.draftRecord(ctx, m, mailRecord{}, now)
}

// draftShares drafts the mails that bring a secret's link to its recipients.
func (v *Vault) draftShares(ctx context.Context, c Caller, d *draft, to []recipient, now time.Time) ([]*mailDraft, error) {
	if v.send == nil {
		return nil, nil
	}
	var account *AccountID
	if id, ok := ParseAccountID(c.Account); ok {
		account = &id
	}
	drafts := make([]*mailDraft, 0, len(to))
	for i, r := range to {
		key := newDeliveryKey(d.metaRow, i)
		drafted, err := v.draftRecord(ctx, Mail{
			Kind: MailShare, To: r.address, Locale: c.Locale(), Key: Text(d.key.Expose()),
			Domain: d.secret.shareDomain, Sender: Text(c.Address()), Created: now,
			Expires: d.secret.expires, HasPassphrase: d.metadata.passphrase,
		}, mailRecord{account: account, delivery: &key}, now)
		if err != nil {
			v.discardMail(err, drafts...)
			return nil, err
		}
		drafts = append(drafts, drafted)
	}
	return drafts, nil
}

// draftRecord fills the record of a mail and seals it.
func (v *Vault) draftRecord(ctx context.Context, m Mail, record mailRecord, now time.Time) (*mailDraft, error) {
	if v.send == nil {
		return nil, nil
	}
	if err := v.store.View(ctx, queueHasRoom); err != nil {
		return nil, err
	}
	ready, err := v.pool.take(ctx)
	if err != nil {
		return nil, fmt.Errorf("writing the share of a mail: %w", unavailable(err))
	}
	d := &mailDraft{id: newMailID(), record: record}
	m.ID = seal.RandomHex(16)
	d.record.open(m, now)
	d.record.slot = &ready.slot
	d.record.sealed = v.keys.SealMail(ready.share, d.id[:], encodeLetter(m))
	return d, nil
}

// open begins the record of a new mail.
func (r *mailRecord) open(m Mail, now time.Time) {
	r.kind, r.created, r.until = m.Kind, now, now.Add(mailLifetime)
	if !m.Expires.IsZero() && m.Expires.Before(r.until) {
		r.until = m.Expires
	}
}

// put queues the mail. It is due at once.
func (d *mailDraft) put(tx storage.Tx) error {
	if d == nil {
		return nil
	}
	return putMail(tx, d.id, &d.record)
}

func putMail(tx storage.Tx, id mailID, r *mailRecord) error {
	if err := queueHasRoom(tx); err != nil {
		return err
	}
	if err := tx.Put(bucketOutbox, outboxKey(r.created, id), r.encode()); err != nil {
		return err
	}
	return tally(tx, tallied{countQueued, 1})
}

// queueHasRoom returns ErrQuota if no further mail may wait.
func queueHasRoom(tx storage.Tx) error {
	c, err := getCounts(tx)
	if err == nil && c[countQueued] >= queueMost {
		return ErrQuota
	}
	return err
}

// discardMail destroys what drafts were sealed with whose transaction failed
// with cause, or was not tried at all. After an unknown outcome the next start
// finds out.
func (v *Vault) discardMail(cause error, drafts ...*mailDraft) {
	for _, d := range drafts {
		if d != nil {
			v.discard(cause, *d.record.slot)
		}
	}
}

// putNotice queues a mail without a link, which needs no share, in the
// transaction of what it tells of. Notices are best effort: where there is
// nobody to write to, or too many mails wait, there is none.
func (v *Vault) putNotice(tx storage.Tx, m Mail, now time.Time) error {
	if m.Key != "" {
		return fmt.Errorf("a notice with a link: %w", errFault)
	}
	if v.send == nil || m.To == "" {
		return nil
	}
	id := newMailID()
	m.ID = seal.RandomHex(16)
	var r mailRecord
	r.open(m, now)
	r.sealed = v.keys.SealField(fieldMail, id[:], encodeLetter(m))
	if err := putMail(tx, id, &r); !errors.Is(err, ErrQuota) {
		return err
	}
	return nil
}

// outboxSlots returns the slots of all mails that wait, which are in use like
// those of secrets. If one cannot be read, so that its slot is unknown, it
// returns an error.
func (v *Vault) outboxSlots(ctx context.Context) (slots []storage.Slot, err error) {
	err = v.store.View(ctx, func(tx storage.Tx) error {
		slots = nil
		return tx.Range(bucketOutbox, nil, nil, func(_, value []byte) error {
			r, err := decodeMail(value)
			if err == nil && r.slot != nil {
				slots = append(slots, *r.slot)
			}
			return err
		})
	})
	return slots, err
}

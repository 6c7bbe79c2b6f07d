package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/shares"
)

const (
	// QueueMost is how many mails may wait.
	QueueMost = 10_000
	// mailLifetime is how long a mail is tried at most.
	mailLifetime = 24 * time.Hour
)

// Options is what an outbox is made of; all but Send are required.
type Options struct {
	Store  rows.Store
	Shares *shares.Shares
	Keys   *seal.Keys
	Clock  *rows.Clock
	Log    *slog.Logger
	// Send delivers one mail, or says why not; nil where no mail is set up.
	Send func(ctx context.Context, m Mail) error
	// Wanted reports whether the secret of a receipt is still worth mailing.
	Wanted func(tx storage.Tx, metadata seal.RowKey) (bool, error)
	// Sent counts a mail to a recipient for the account that sent it.
	Sent func(tx storage.Tx, account caller.AccountID) error
}

// Outbox is the queue of mails and their sender. It is safe for concurrent use.
type Outbox struct {
	store  rows.Store
	shares *shares.Shares
	keys   *seal.Keys
	clock  *rows.Clock
	log    *slog.Logger
	mails  chan struct{} // tells the sender of a mail that was queued
	send   func(ctx context.Context, m Mail) error

	mailWanted func(tx storage.Tx, metadata seal.RowKey) (bool, error)
	mailSent   func(tx storage.Tx, account caller.AccountID) error
}

// New returns the outbox of a store.
func New(o Options) *Outbox {
	return &Outbox{
		store: o.Store, shares: o.Shares, keys: o.Keys, clock: o.Clock, log: o.Log, send: o.Send,
		mails: make(chan struct{}, 1), mailWanted: o.Wanted, mailSent: o.Sent,
	}
}

// Draft is a mail on its way into the queue. What it will be sealed with
// is durable already. A nil draft is one of a vault without mail: it is put and
// discarded like any other, and nothing comes of it.
type Draft struct {
	id     MailID
	record MailRecord
}

// Draft seals a mail under a share of its own, as a secret is: after the
// mail is gone no copy of the database gives away its link. The draft belongs
// into the transaction of what the mail tells of, by put; if that fails, it
// goes to Discard. It returns ErrQuota when too many mails wait.
func (o *Outbox) Draft(ctx context.Context, m Mail, now time.Time) (*Draft, error) {
	return o.draftRecord(ctx, m, MailRecord{}, now)
}

// DraftShare is Draft for the mail to a secret's recipient, which counts
// for an account if one sent it.
func (o *Outbox) DraftShare(ctx context.Context, m Mail, account *caller.AccountID, metadata seal.RowKey, number int, now time.Time) (*Draft, error) {
	key := newDeliveryKey(metadata, number)
	return o.draftRecord(ctx, m, MailRecord{account: account, delivery: &key}, now)
}

// Enabled reports whether mail is set up.
func (o *Outbox) Enabled() bool { return o.send != nil }

// draftRecord fills the record of a mail and seals it.
func (o *Outbox) draftRecord(ctx context.Context, m Mail, record MailRecord, now time.Time) (*Draft, error) {
	if o.send == nil {
		return nil, nil
	}
	if err := o.store.View(ctx, CheckQueue); err != nil {
		return nil, err
	}
	ready, err := o.shares.Take(ctx)
	if err != nil {
		return nil, fmt.Errorf("writing the share of a mail: %w", refusal.Unavailable(err))
	}
	d := &Draft{id: newMailID(), record: record}
	m.ID = seal.RandomHex(16)
	d.record.open(m, now)
	d.record.Slot = &ready.Slot
	d.record.Sealed = o.keys.SealMail(ready.Share, d.id[:], encodeLetter(m))
	return d, nil
}

// open begins the record of a new mail.
func (r *MailRecord) open(m Mail, now time.Time) {
	r.kind, r.created, r.until = m.Kind, now, now.Add(mailLifetime)
	if !m.Expires.IsZero() && m.Expires.Before(r.until) {
		r.until = m.Expires
	}
}

// Put queues the mail. It is due at once.
func (d *Draft) Put(tx storage.Tx) error {
	if d == nil {
		return nil
	}
	return putMail(tx, d.id, &d.record)
}

func putMail(tx storage.Tx, id MailID, r *MailRecord) error {
	if err := CheckQueue(tx); err != nil {
		return err
	}
	if err := tx.Put(BucketOutbox, outboxKey(r.created, id), r.encode()); err != nil {
		return err
	}
	return rows.Count(tx, rows.Change{Counter: rows.CountQueued, By: 1})
}

// CheckQueue returns ErrQuota if no further mail may wait.
func CheckQueue(tx storage.Tx) error {
	c, err := rows.GetCounts(tx)
	if err == nil && c[rows.CountQueued] >= QueueMost {
		return refusal.ErrQuota
	}
	return err
}

// Discard destroys what drafts were sealed with whose transaction failed
// with cause, or was not tried at all. After an unknown outcome the next start
// finds out.
func (o *Outbox) Discard(cause error, drafts ...*Draft) {
	for _, d := range drafts {
		if d != nil {
			o.shares.Discard(cause, *d.record.Slot)
		}
	}
}

// PutNotice queues a mail without a link, which needs no share, in the
// transaction of what it tells of. Notices are best effort: where there is
// nobody to write to, or too many mails wait, there is none.
func (o *Outbox) PutNotice(tx storage.Tx, m Mail, now time.Time) error {
	if m.Key != "" {
		return fmt.Errorf("a notice with a link: %w", rows.ErrInconsistent)
	}
	if o.send == nil || m.To == "" {
		return nil
	}
	id := newMailID()
	m.ID = seal.RandomHex(16)
	var r MailRecord
	r.open(m, now)
	r.Sealed = o.keys.SealField(fieldMail, id[:], encodeLetter(m))
	if err := putMail(tx, id, &r); !errors.Is(err, refusal.ErrQuota) {
		return err
	}
	return nil
}

// Slots returns the slots of all mails that wait, which are in use like
// those of secrets. If one cannot be read, so that its slot is unknown, it
// returns an error.
func (o *Outbox) Slots(ctx context.Context) (slots []storage.Slot, err error) {
	err = o.store.View(ctx, func(tx storage.Tx) error {
		slots = nil
		return tx.Range(BucketOutbox, nil, nil, func(_, value []byte) error {
			r, err := DecodeMail(value)
			if err == nil && r.Slot != nil {
				slots = append(slots, *r.Slot)
			}
			return err
		})
	})
	return slots, err
}

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
	"hush/vault/cluster"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/shares"
)

const (
	// QueueMost is the maximum number of queued mails.
	QueueMost = 10_000
	// mailLifetime is how long delivery of a mail is tried.
	mailLifetime = 24 * time.Hour
)

// Options are the dependencies of New; all but Send and Notices are required.
type Options struct {
	Store  cluster.Store
	Shares *shares.Shares
	Keys   *seal.Keys
	Clock  *cluster.Clock
	Log    *slog.Logger
	// Send delivers one mail or returns an error; nil if mail is not
	// configured.
	Send func(ctx context.Context, m Mail) error
	// Notices reaches the nodes that share the store; nil for none.
	Notices *cluster.Notices
	// Wanted reports whether the secret of a receipt is still worth mailing.
	Wanted func(tx *rows.Tx, metadata seal.RowKey) (bool, error)
	// Sent counts a mail to a recipient for the account that sent it.
	Sent func(tx *rows.Tx, account caller.AccountID) error
	// Tried is told about each mail that was tried: its kind, and its state after
	// that, as in logs. Nil means that no one is told.
	Tried func(kind, state string)
}

// Outbox is the queue of mails and their sender. It is safe for concurrent use.
type Outbox struct {
	*Bell
	store  cluster.Store
	shares *shares.Shares
	keys   *seal.Keys
	clock  *cluster.Clock
	log    *slog.Logger
	send   func(ctx context.Context, m Mail) error
	queue  *queue

	mailWanted func(tx *rows.Tx, metadata seal.RowKey) (bool, error)
	mailSent   func(tx *rows.Tx, account caller.AccountID) error
	tried      func(kind, state string)
}

// New returns the outbox of a store.
func New(o Options) *Outbox {
	if o.Tried == nil {
		o.Tried = func(string, string) {}
	}
	return &Outbox{
		queue: &queue{store: o.Store},
		Bell:  newBell(o.Notices), store: o.Store, shares: o.Shares, keys: o.Keys, clock: o.Clock, log: o.Log,
		send: o.Send, mailWanted: o.Wanted, mailSent: o.Sent, tried: o.Tried,
	}
}

// Draft is a mail to be queued. Its share is durable already. A nil draft comes
// from a vault without mail: Put and Discard do nothing with it.
type Draft struct {
	queue  *queue
	id     MailID
	record MailRecord
	own    func(*rows.Tx) error // gives its share to the mail
}

// Draft seals a mail under its own share, like a secret: once the mail is gone,
// no copy of the database reveals its link. The caller must call Put in the
// transaction of what the mail is about, or Discard if that transaction fails.
// It returns ErrQuota if too many mails are queued.
func (o *Outbox) Draft(ctx context.Context, m Mail, now time.Time) (*Draft, error) {
	return o.draftRecord(ctx, m, MailRecord{}, now)
}

// DraftShare is Draft for the mail to a secret's recipient. It counts toward
// account unless that is nil.
func (o *Outbox) DraftShare(ctx context.Context, m Mail, account *caller.AccountID, metadata seal.RowKey, number int, now time.Time) (*Draft, error) {
	key := newDeliveryKey(metadata, number)
	return o.draftRecord(ctx, m, MailRecord{account: account, delivery: &key}, now)
}

// Enabled reports whether mail is configured.
func (o *Outbox) Enabled() bool { return o.send != nil }

// draftRecord fills the record of a mail and seals it.
func (o *Outbox) draftRecord(ctx context.Context, m Mail, record MailRecord, now time.Time) (*Draft, error) {
	if o.send == nil {
		return nil, nil
	}
	if err := o.queue.look(ctx); err != nil {
		return nil, err
	}
	d := &Draft{queue: o.queue, id: newMailID(), record: record}
	m.ID = seal.RandomHex(16)
	d.record.open(m, now)
	ready, err := o.shares.Take(ctx, d.record.shareOwner(d.id))
	if err != nil {
		return nil, fmt.Errorf("writing the share of a mail: %w", refusal.Unavailable(err))
	}
	d.record.slot = &ready.Slot
	d.own = func(tx *rows.Tx) error { return o.shares.Own(tx, ready) }
	d.record.sealed = o.keys.SealMail(ready.Share, d.id[:], encodeLetter(m))
	return d, nil
}

// open sets the first fields of a new mail's record.
func (r *MailRecord) open(m Mail, now time.Time) {
	r.kind, r.created, r.until = m.Kind, now, now.Add(mailLifetime)
	if !m.Expires.IsZero() && m.Expires.Before(r.until) {
		r.until = m.Expires
	}
}

// shareOwner names the mail to the package of shares. The time after which the
// mail is given up never moves, unlike its key in the queue.
func (r *MailRecord) shareOwner(id MailID) shares.Owner {
	return shares.Owner{Kind: shares.KindMail, Row: id[:], Expires: r.until}
}

// Put queues the mail, which is due at once.
func (d *Draft) Put(tx *rows.Tx) error {
	if d == nil {
		return nil
	}
	if err := d.own(tx); err != nil {
		return err
	}
	return d.queue.put(tx, d.id, &d.record)
}

// CheckQueue returns ErrQuota if the queue is full.
func (o *Outbox) CheckQueue(tx *rows.Tx) error { return o.queue.check(tx) }

// Discard destroys the shares of drafts whose transaction failed with cause or
// did not run. If the outcome is unknown, the next start decides.
func (o *Outbox) Discard(cause error, drafts ...*Draft) {
	for _, d := range drafts {
		if d != nil {
			o.shares.Discard(cause, *d.record.slot)
		}
	}
}

// PutNotice queues a mail without a link, which needs no share, in the
// transaction of what it is about. Notices are best effort: without an address,
// or with a full queue, none is queued.
func (o *Outbox) PutNotice(tx *rows.Tx, m Mail, now time.Time) error {
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
	r.sealed = o.keys.SealField(fieldMail, id[:], encodeLetter(m))
	if err := o.queue.put(tx, id, &r); !errors.Is(err, refusal.ErrQuota) {
		return err
	}
	return nil
}

// Slots returns the slots of all queued mails, which are in use like those of
// secrets. If a mail cannot be read, its slot is unknown, and Slots returns an
// error.
func (o *Outbox) Slots(ctx context.Context) (slots []storage.Slot, err error) {
	err = o.store.View(ctx, func(tx *rows.Tx) error {
		slots = nil
		return tx.Range(BucketOutbox, nil, nil, func(_, value []byte) error {
			r, err := decodeMail(value)
			if err == nil && r.slot != nil {
				slots = append(slots, *r.slot)
			}
			return err
		})
	})
	return slots, err
}

// EndDelivery deletes a delivery.
func (o *Outbox) EndDelivery(tx *rows.Tx, key []byte, _ time.Time) (time.Time, error) {
	return time.Time{}, tx.Delete(BucketDelivery, key)
}

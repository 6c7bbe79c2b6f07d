package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"hush/vault/cluster"
	"hush/vault/counter"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/spent"
	"hush/vault/sweep"
)

// postLease is how long other workers leave a mail alone while it is being
// sent. After a crash the mail is tried again after this time. It is longer
// than postTimeout.
const postLease = 2 * time.Minute

// postponed returns how long a mail waits after a number of attempts, at least
// one.
func postponed(attempts uint32) time.Duration {
	pauses := [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 4 * time.Hour}
	return pauses[min(int(attempts), len(pauses))-1]
}

// claimedMail is a mail that this process is sending.
type claimedMail struct {
	key    []byte // its key in the queue
	id     MailID
	record *MailRecord
	// state is the result; zero while the mail is being sent.
	state DeliveryState
}

// over reports whether the mail has left the queue.
func (c *claimedMail) over() bool { return c.state != 0 && c.state != DeliveryQueued }

// getMail loads a mail of the queue, or returns ErrNotFound.
func getMail(tx *rows.Tx, key []byte) (*claimedMail, error) {
	record, err := rows.Load(tx, BucketOutbox, key, decodeMail)
	if err != nil {
		return nil, err
	}
	id, err := mailIDOf(key)
	return &claimedMail{key: key, id: id, record: record}, err
}

// claimMail claims a due mail, or ends it if it is too late. It returns nil if
// another worker was faster, or if a record cannot be read: then the mail is
// postponed and the damage reported.
func (o *Outbox) claimMail(ctx context.Context, key []byte, now time.Time, lost *rows.Damage) (*claimedMail, error) {
	var c *claimedMail
	var damage error
	err := o.store.UpdateReserved(ctx, func(tx *rows.Tx) (err error) {
		damage = nil
		if c, err = getMail(tx, key); err == nil {
			err = o.claimIn(tx, c, now)
		}
		if rows.IsDamage(err) {
			c, damage = nil, err
			return putOffMail(tx, key, now)
		}
		return err
	})
	if errors.Is(err, refusal.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("claiming a mail: %w", err)
	}
	if damage != nil {
		lost.Note(BucketOutbox, damage)
	}
	return c, nil
}

// claimIn counts an attempt and leases the mail for a while, or ends it. It
// returns ErrDamaged before it writes anything.
func (o *Outbox) claimIn(tx *rows.Tx, c *claimedMail, now time.Time) error {
	wanted, err := o.wanted(tx, c.record)
	switch {
	case err != nil:
		return err
	case !wanted:
		return o.endMail(tx, c, DeliveryDropped, now)
	case !now.Before(c.record.until):
		return o.endMail(tx, c, DeliveryFailed, now)
	}
	c.record.attempts++
	return moveMail(tx, c, now.Add(postLease))
}

// moveMail stores a mail's record at its next due time.
func moveMail(tx *rows.Tx, c *claimedMail, due time.Time) error {
	if err := tx.Delete(BucketOutbox, c.key); err != nil {
		return err
	}
	c.key = outboxKey(due, c.id)
	return tx.Put(BucketOutbox, c.key, c.record.encode())
}

// putOffMail postpones a mail that cannot be read.
func putOffMail(tx *rows.Tx, key []byte, now time.Time) error {
	data, err := tx.Get(BucketOutbox, key)
	if err != nil {
		return err
	}
	if err := tx.Delete(BucketOutbox, key); err != nil {
		return err
	}
	later := rows.BigEndian(rows.Millis(now.Add(sweep.DamagedPause)))
	return tx.Put(BucketOutbox, append(later, key[min(len(later), len(key)):]...), data)
}

// settleMail stores the result of an attempt, and postpones the mail or removes
// it from the queue. It does so even while the process is stopping, and after
// another node took over the sending, so that a sent mail is not sent again: the
// mail's key is that of this claim, so a later claim is left alone.
func (o *Outbox) settleMail(ctx context.Context, c *claimedMail, cause error) error {
	now, key := o.clock.Now(), c.key
	err := o.store.UpdateReserved(cluster.Unfenced(context.WithoutCancel(ctx)), func(tx *rows.Tx) error {
		found, err := getMail(tx, key)
		if err != nil {
			return err
		}
		*c = *found
		return o.settleIn(tx, c, cause, now)
	})
	if errors.Is(err, refusal.ErrNotFound) {
		return nil // it took too long, and another worker has the mail
	}
	if err != nil {
		return fmt.Errorf("storing the state of a mail: %w", err)
	}
	return o.finishMail(ctx, c)
}

func (o *Outbox) settleIn(tx *rows.Tx, c *claimedMail, cause error, now time.Time) error {
	if cause == nil {
		return o.endMail(tx, c, DeliverySent, now)
	}
	next := now.Add(postponed(c.record.attempts))
	if errors.Is(cause, refusal.ErrUndeliverable) || !next.Before(c.record.until) {
		if errors.Is(cause, refusal.ErrUnsupportedAddress) {
			return o.endMail(tx, c, DeliveryUnsupported, now)
		}
		return o.endMail(tx, c, DeliveryFailed, now)
	}
	c.state = DeliveryQueued
	if err := c.record.tell(tx, c.state, now); err != nil {
		return err
	}
	return moveMail(tx, c, next)
}

// endMail removes a mail from the queue and lists its share for destruction.
func (o *Outbox) endMail(tx *rows.Tx, c *claimedMail, state DeliveryState, now time.Time) error {
	c.state = state
	// A counter that cannot be read must not keep the mail in the queue: the
	// mail would be sent again.
	if err := o.countMail(tx, c.record, state); err != nil && !errors.Is(err, rows.ErrDamaged) {
		return err
	}
	if err := c.record.tell(tx, state, now); err != nil {
		return err
	}
	if err := tx.Delete(BucketOutbox, c.key); err != nil {
		return err
	}
	slot := c.record.slot
	if slot == nil {
		return nil
	}
	return o.shares.List(tx, *slot)
}

// tell stores the state of a mail for the sender of its secret.
func (r *MailRecord) tell(tx *rows.Tx, state DeliveryState, now time.Time) error {
	if r.delivery == nil {
		return nil
	}
	return moveDelivery(tx, *r.delivery, state, r.attempts, now)
}

// wanted reports whether the secret of a mail is neither received nor burned.
func (o *Outbox) wanted(tx *rows.Tx, r *MailRecord) (bool, error) {
	if r.delivery == nil {
		return true, nil
	}
	return o.mailWanted(tx, r.delivery.metadata())
}

// countMail counts a mail that leaves the queue.
func (o *Outbox) countMail(tx *rows.Tx, r *MailRecord, state DeliveryState) error {
	if r.kind != MailShare || state != DeliverySent {
		return counter.Add(tx, counter.Change{Counter: counter.Queued, By: -1})
	}
	queued, sent := counter.Change{Counter: counter.Queued, By: -1}, counter.Change{Counter: counter.Emails, By: 1}
	if err := counter.Add(tx, queued, sent); err != nil || r.account == nil {
		return err
	}
	return o.mailSent(tx, *r.account)
}

// finishMail destroys the share of a mail that has durably left the queue.
func (o *Outbox) finishMail(ctx context.Context, c *claimedMail) error {
	level := slog.LevelDebug
	if c.state == DeliveryQueued || c.state.isFailure() {
		level = slog.LevelWarn
	}
	o.tried(c.record.kind.name(), c.state.name())
	o.log.Log(ctx, level, "mail", "kind", c.record.kind.name(), "state", c.state.name())
	if !c.over() || c.record.slot == nil {
		return nil
	}
	return o.shares.Destroy(ctx, spent.KindNone, *c.record.slot)
}

// name returns the kind for logs.
func (k MailKind) name() string { return kindNames()[k] }

func kindNames() map[MailKind]string {
	return map[MailKind]string{
		MailShare: "share", MailVerify: "verify", MailReset: "reset", MailAddress: "address",
		MailAddressChanged: "address changed", MailOpened: "opened", MailTaken: "taken",
		MailInvite: "invite", MailSuspended: "suspended",
	}
}

// Tries returns the kinds and states that Options.Tried can get.
func Tries() (kinds, states []string) {
	kinds = slices.Sorted(maps.Values(kindNames()))
	return kinds, []string{DeliveryDropped.name(), DeliveryFailed.name(), DeliveryQueued.name(), DeliverySent.name()}
}

func (s DeliveryState) isFailure() bool { return s == DeliveryFailed || s == DeliveryUnsupported }

// name returns the state for logs and metrics.
func (s DeliveryState) name() string {
	return map[DeliveryState]string{
		DeliveryNotConfigured: "not configured", DeliveryQueued: "queued", DeliverySent: "sent",
		DeliveryFailed: "failed", DeliveryUnsupported: "failed", DeliveryDropped: "dropped",
	}[s]
}

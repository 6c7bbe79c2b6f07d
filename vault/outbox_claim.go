package vault

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"hush/storage"
)

// postLease is how long a mail that is being sent is left alone by others, and
// when it is tried again after a crash. It is longer than postTimeout.
const postLease = 2 * time.Minute

// postponed is how long a mail waits after so many attempts, at least one.
func postponed(attempts uint32) time.Duration {
	pauses := [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 4 * time.Hour}
	return pauses[min(int(attempts), len(pauses))-1]
}

// claimedMail is a mail that this process works on.
type claimedMail struct {
	key    []byte // where it stands in the queue
	id     mailID
	record *mailRecord
	// state is what became of it; zero while it is being sent.
	state DeliveryState
}

// over tells whether the mail has left the queue.
func (c *claimedMail) over() bool { return c.state != 0 && c.state != DeliveryQueued }

// getMail loads a mail of the queue, or returns ErrNotFound.
func getMail(tx storage.Tx, key []byte) (*claimedMail, error) {
	data, err := tx.Get(bucketOutbox, key)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	id, err := outboxID(key)
	if err != nil {
		return nil, err
	}
	record, err := decodeMail(data)
	return &claimedMail{key: key, id: id, record: record}, err
}

// claimMail takes a mail that is due, or ends it if it came too late. It
// returns nil if somebody else was faster, or if a record cannot be read: then
// the mail is put off and the damage reported.
func (v *Vault) claimMail(ctx context.Context, key []byte, now time.Time, lost *unread) (*claimedMail, error) {
	var c *claimedMail
	var damage error
	err := v.store.UpdateReserved(ctx, func(tx storage.Tx) (err error) {
		damage = nil
		if c, err = getMail(tx, key); err == nil {
			err = v.claimIn(tx, c, now)
		}
		if unreadable(err) {
			c, damage = nil, err
			return putOffMail(tx, key, now)
		}
		return err
	})
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("claiming a mail: %w", err)
	}
	if damage != nil {
		lost.note(bucketOutbox, damage)
	}
	return c, nil
}

// claimIn counts an attempt and keeps others from the mail for a while, or
// ends it. It has written nothing when it returns errDamaged.
func (v *Vault) claimIn(tx storage.Tx, c *claimedMail, now time.Time) error {
	wanted, err := c.record.wanted(tx)
	switch {
	case err != nil:
		return err
	case !wanted:
		return v.endMail(tx, c, DeliveryDropped, now)
	case !now.Before(c.record.until):
		return v.endMail(tx, c, DeliveryFailed, now)
	}
	c.record.attempts++
	return moveMail(tx, c, now.Add(postLease))
}

// wanted tells whether nobody was faster than the mail: the secret that it
// brings was neither received nor burned.
func (r *mailRecord) wanted(tx storage.Tx) (bool, error) {
	if r.delivery == nil {
		return true, nil
	}
	metadata, err := getMetadata(tx, r.delivery.metadata())
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return metadata.state.Live() || metadata.state == StateExpired, nil
}

// moveMail stores a mail's record where it is due next.
func moveMail(tx storage.Tx, c *claimedMail, due time.Time) error {
	if err := tx.Delete(bucketOutbox, c.key); err != nil {
		return err
	}
	c.key = outboxKey(due, c.id)
	return tx.Put(bucketOutbox, c.key, c.record.encode())
}

// putOffMail moves a mail that cannot be read out of the way of the others.
func putOffMail(tx storage.Tx, key []byte, now time.Time) error {
	data, err := tx.Get(bucketOutbox, key)
	if err != nil {
		return err
	}
	if err := tx.Delete(bucketOutbox, key); err != nil {
		return err
	}
	later := bigEndian(millis(now.Add(damagedPause)))
	return tx.Put(bucketOutbox, append(later, key[min(len(later), len(key)):]...), data)
}

// settleMail writes down how an attempt ended, and puts the mail off or takes
// it out of the queue. It does so even when the process is about to stop, so
// that what was sent is not sent again.
func (v *Vault) settleMail(ctx context.Context, c *claimedMail, cause error) error {
	now, key := v.clock.now(), c.key
	err := v.store.UpdateReserved(context.WithoutCancel(ctx), func(tx storage.Tx) error {
		found, err := getMail(tx, key)
		if err != nil {
			return err
		}
		*c = *found
		return v.settleIn(tx, c, cause, now)
	})
	if errors.Is(err, ErrNotFound) {
		return nil // it took too long, and somebody else has it
	}
	if err != nil {
		return fmt.Errorf("noting what became of a mail: %w", err)
	}
	return v.finishMail(ctx, c)
}

func (v *Vault) settleIn(tx storage.Tx, c *claimedMail, cause error, now time.Time) error {
	if cause == nil {
		return v.endMail(tx, c, DeliverySent, now)
	}
	next := now.Add(postponed(c.record.attempts))
	if errors.Is(cause, ErrUndeliverable) || !next.Before(c.record.until) {
		return v.endMail(tx, c, DeliveryFailed, now)
	}
	c.state = DeliveryQueued
	if err := c.record.tell(tx, c.state, now); err != nil {
		return err
	}
	return moveMail(tx, c, next)
}

// endMail takes a mail out of the queue and lists its share for destruction.
func (v *Vault) endMail(tx storage.Tx, c *claimedMail, state DeliveryState, now time.Time) error {
	c.state = state
	// A counter that cannot be read must not keep the mail in the queue, from
	// where it would be sent again.
	if err := c.record.count(tx, state); err != nil && !errors.Is(err, errDamaged) {
		return err
	}
	if err := c.record.tell(tx, state, now); err != nil {
		return err
	}
	if err := tx.Delete(bucketOutbox, c.key); err != nil {
		return err
	}
	slot := c.record.slot
	if slot == nil {
		return nil
	}
	if r, ok := v.shares.(storage.Recycler); ok {
		r.Touch(*slot)
	}
	return tx.Put(bucketShred, bigEndian(slot.Number), bigEndian(slot.Generation))
}

// tell writes down for the sender of a secret where its mail stands.
func (r *mailRecord) tell(tx storage.Tx, state DeliveryState, now time.Time) error {
	if r.delivery == nil {
		return nil
	}
	return moveDelivery(tx, *r.delivery, state, r.attempts, now)
}

// count counts a mail that leaves the queue.
func (r *mailRecord) count(tx storage.Tx, state DeliveryState) error {
	if r.kind != MailShare || state != DeliverySent {
		return tally(tx, tallied{countQueued, -1})
	}
	if err := tally(tx, tallied{countQueued, -1}, tallied{countEmails, 1}); err != nil || r.account == nil {
		return err
	}
	account, err := getAccount(tx, *r.account)
	if errors.Is(err, ErrNotFound) || err == nil && !account.destroyed.IsZero() {
		return nil
	}
	if err != nil {
		return err
	}
	return countFor(tx, *r.account, func(t *tallyRecord) { t.emails++ })
}

// finishMail destroys the share of a mail that durably left the queue.
func (v *Vault) finishMail(ctx context.Context, c *claimedMail) error {
	level := slog.LevelDebug
	if c.state == DeliveryQueued || c.state == DeliveryFailed {
		level = slog.LevelWarn
	}
	v.log.Log(ctx, level, "mail", "kind", c.record.kind.name(), "state", c.state.name())
	if !c.over() || c.record.slot == nil {
		return nil
	}
	return v.destroy(ctx, *c.record.slot)
}

// name is the kind as logs have it.
func (k MailKind) name() string {
	return map[MailKind]string{
		MailShare: "share", MailVerify: "verify", MailReset: "reset", MailAddress: "address",
		MailAddressChanged: "address changed", MailOpened: "opened", MailTaken: "taken",
		MailInvite: "invite", MailSuspended: "suspended",
	}[k]
}

// name is the state as logs have it.
func (s DeliveryState) name() string {
	return map[DeliveryState]string{
		DeliveryNotConfigured: "not configured", DeliveryQueued: "queued", DeliverySent: "sent",
		DeliveryFailed: "failed", DeliveryDropped: "dropped",
	}[s]
}

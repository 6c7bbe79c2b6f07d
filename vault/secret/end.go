package secret

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/outbox"
	"hush/vault/passphrase"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/spent"
)

// ending is the end of a secret.
type ending struct {
	metadata *MetadataRecord
	noticed  bool // a mail to the sender was queued
}

// endSecret is the part of consume that reveal, burn and expiry share. It
// deletes the secret, moves its metadata, lists the slot, counts, and writes
// the audit row. by is the caller's masked network, or empty if there is no
// caller.
func (se *Secrets) endSecret(tx *rows.Tx, row seal.RowKey, record *Record, m move, by string, now time.Time) (end ending, err error) {
	if m != moveExpire {
		if err := se.shares.Admit(); err != nil {
			return end, err
		}
	}
	metadata, err := getMetadata(tx, record.metadata)
	if errors.Is(err, refusal.ErrNotFound) {
		return end, fmt.Errorf("secret without metadata: %w", rows.ErrInconsistent)
	}
	if err != nil {
		return end, err
	}
	state := metadata.State.after(m)
	if state == StateNone {
		return end, fmt.Errorf("secret lives in state %d: %w", metadata.State, rows.ErrInconsistent)
	}
	at := now
	if m == moveExpire {
		at = metadata.expires // regardless of when the sweeper runs
	}
	metadata.markEnded(state, at)
	metadata.endedBy = by
	if err := se.usage.Drop(tx, record.charge(), row, record.metadata); err != nil {
		return end, err
	}
	if err := tx.Delete(BucketSecret, row[:]); err != nil {
		return end, err
	}
	if err := tx.Put(BucketMetadata, record.metadata[:], metadata.encode()); err != nil {
		return end, err
	}
	if err := se.shares.List(tx, record.slot); err != nil {
		return end, err
	}
	if record.guarded() {
		if err := passphrase.Forget(tx, row); err != nil {
			return end, err
		}
	}
	noticed, err := se.countEnd(tx, record, metadata, m, now)
	if err != nil {
		return end, err
	}
	_, kind, _ := m.facts()
	return ending{metadata, noticed}, audit.Write(tx, now, kind, record.metadata)
}

// countEnd counts an end and queues the sender's notice, if one was asked for.
func (se *Secrets) countEnd(tx *rows.Tx, record *Record, metadata *MetadataRecord, m move, now time.Time) (noticed bool, err error) {
	ended, _, _ := m.facts()
	if err := counter.Add(tx, counter.Change{Counter: counter.Secrets, By: -1}, counter.Change{Counter: ended, By: 1}); err != nil {
		return false, err
	}
	id, ok := caller.ParseAccountID(record.owner)
	if !ok || m == moveExpire {
		return false, nil
	}
	err = account.ChangeTally(tx, id, func(t *account.TallyRecord) {
		if m == moveReveal {
			t.Shared++
		} else {
			t.Burned++
		}
	})
	if err != nil || m != moveReveal || !se.outbox.Enabled() {
		return false, err
	}
	return se.noticeOpened(tx, id, metadata, now)
}

// noticeOpened queues the mail about an opened secret, if its sender asked for
// it.
func (se *Secrets) noticeOpened(tx *rows.Tx, id caller.AccountID, metadata *MetadataRecord, now time.Time) (noticed bool, err error) {
	account, err := account.GetAccount(tx, id)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && (!account.NotifyOpened || !account.Usable()) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, se.outbox.PutNotice(tx, outbox.Mail{
		Kind: outbox.MailOpened, To: caller.Text(se.accounts.AddressOf(id, account)), Locale: account.Locale,
		Shortkey: string(metadata.hint[:]), Created: now,
	}, now)
}

// facts returns what counts, audits and logs a move.
func (m move) facts() (counter.Counter, audit.Type, spent.Kind) {
	switch m {
	case moveReveal:
		return counter.Shared, audit.Reveal, spent.KindSecretRevealed
	case moveBurn:
		return counter.Burned, audit.Burn, spent.KindSecretBurned
	case moveExpire:
		return counter.Expired, audit.Expire, spent.KindSecretExpired
	default:
		return counter.Expired, audit.View, spent.KindNone
	}
}

// EndLogged ends the secret in a row as the spent log tells, and reports whether it
// had that share. How it ended may be unknown; then it counts as burned.
func (bu *Burns) EndLogged(ctx context.Context, row seal.RowKey, slot storage.Slot, how spent.Kind, at time.Time) (ended bool, err error) {
	var record *Record
	err = bu.store.View(ctx, func(tx *rows.Tx) error {
		record, err = rows.Load(tx, BucketSecret, row[:], decodeSecret)
		return err
	})
	if err != nil || record.slot != slot {
		return false, err
	}
	m := moveBurn
	for _, named := range []move{moveReveal, moveExpire} {
		if _, _, kind := named.facts(); kind == how {
			m = named
		}
	}
	if last := record.expires.Add(-time.Millisecond); at.After(last) {
		at = last // it is still there
	}
	_, err = bu.endUnproved(ctx, record.metadata, m, "", at, nil)
	return err == nil, err
}

package secret

import (
	"context"
	"errors"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/outbox"
	"hush/vault/passphrase"
	"hush/vault/quota"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/spent"
)

// move is a way in which a secret ends.
type move byte

const (
	moveReveal move = 1
	moveBurn   move = 2
	moveExpire move = 3
)

// facts returns what counts, audits and logs a move.
func (m move) facts() (counter.Counter, audit.Type, spent.Kind) {
	switch m {
	case moveReveal:
		return counter.Shared, audit.Reveal, spent.KindSecretRevealed
	case moveBurn:
		return counter.Burned, audit.Burn, spent.KindSecretBurned
	default:
		return counter.Expired, audit.Expire, spent.KindSecretExpired
	}
}

// ending is the end of a secret.
type ending struct {
	receipt  *receipt.Record // as it is then
	metadata seal.RowKey     // of the receipt
	slot     storage.Slot
	charged  quota.Charge
	counted  bool        // what EndSecret of the quota returned
	claimed  bool        // a claim keeps the content
	noticed  bool        // a mail to the sender was queued
	request  seal.RowKey // that the secret answered; zero for none
	isFile   bool
	uploads  []storage.Slot // the share of the upload that ended with a file
}

// endSecret ends a secret in a transaction, whether it is opened, burned or expires. It
// deletes the secret, changes its receipt, lists the slot, counts, and writes
// the audit row. by is the caller's masked network, or empty if there is no
// caller. claimed says that a claim keeps the content. finish must follow once the
// transaction is durable.
func (se *Secrets) endSecret(tx *rows.Tx, row seal.RowKey, record *Record, m move, by string, claimed bool, now time.Time) (end ending, err error) {
	if m != moveExpire {
		if err := se.shares.Admit(); err != nil {
			return end, err
		}
	}
	end = ending{metadata: record.metadata, slot: record.slot, charged: record.charge(), claimed: claimed}
	switch m {
	case moveReveal:
		end.receipt, err = receipt.Revealed(tx, record.metadata, by, claimed, now)
	case moveBurn:
		end.receipt, err = receipt.Burned(tx, record.metadata, by, now)
	default:
		end.receipt, err = receipt.Expired(tx, record.metadata)
	}
	if err != nil {
		return end, err
	}
	if end.counted, err = se.usage.EndSecret(tx, end.charged, end.slot.Number, row, end.metadata); err != nil {
		return end, err
	}
	if err := tx.Delete(BucketSecret, row[:]); err != nil {
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
	if end.noticed, err = se.countEnd(tx, record, end.receipt.Hint(), m, now); err != nil {
		return end, err
	}
	if record.answer != nil {
		end.request = record.answer.ref.Request
		if err := se.endAnswer(tx, record, end.receipt.State(), claimed, now); err != nil {
			return end, err
		}
	}
	end.isFile = record.fileSize > 0
	if end.uploads, err = se.endFile(tx, record, claimed); err != nil {
		return end, err
	}
	_, kind, _ := m.facts()
	return end, audit.Write(tx, now, kind, record.metadata)
}

// finish does what follows durable ends: it gives back what the secrets counted for,
// destroys their shares, and tells those who watch their receipts, which show the ends
// even if a share is destroyed only later.
func (se *Secrets) finish(ctx context.Context, m move, ended ...ending) error {
	slots := make([]storage.Slot, len(ended))
	changed := make([]seal.RowKey, 0, len(ended))
	for i := range ended {
		end := &ended[i]
		slots[i] = end.slot
		changed = append(changed, end.metadata)
		se.usage.SecretEnded(end.charged, end.counted, end.claimed)
		if end.noticed {
			se.outbox.Wake()
		}
		if end.request != (seal.RowKey{}) {
			changed = append(changed, end.request)
		}
	}
	_, _, kind := m.facts()
	err := se.shares.Destroy(ctx, kind, slots...)
	err = errors.Join(err, se.finishFiles(ctx, ended))
	se.watches.Tell(changed...)
	return err
}

// countEnd counts an end and queues the sender's notice, if one was asked for. hint is that
// of the receipt.
func (se *Secrets) countEnd(tx *rows.Tx, record *Record, hint string, m move, now time.Time) (noticed bool, err error) {
	ended, _, _ := m.facts()
	if err := counter.Add(tx, counter.Change{Counter: counter.Secrets, By: -1}, counter.Change{Counter: ended, By: 1}); err != nil {
		return false, err
	}
	id, ok := caller.ParseAccountID(record.owner)
	if !ok || m == moveExpire || record.answer != nil { // which its owner did not share
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
	return se.noticeOpened(tx, id, hint, now)
}

// noticeOpened queues the mail about an opened secret, if its sender asked for
// it.
func (se *Secrets) noticeOpened(tx *rows.Tx, id caller.AccountID, hint string, now time.Time) (noticed bool, err error) {
	account, err := account.GetAccount(tx, id)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && (!account.NotifyOpened || !account.Usable()) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, se.outbox.PutNotice(tx, outbox.Mail{
		Kind: outbox.MailOpened, To: caller.Text(se.accounts.AddressOf(id, account)), Locale: account.Locale,
		Shortkey: hint, Created: now,
	}, now)
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

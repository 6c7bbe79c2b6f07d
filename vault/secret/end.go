package secret

import (
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// endSecret is the part of the claim that reveal, burn and expiry share. It
// deletes the secret, moves its metadata, lists the slot, counts, and writes
// the audit row. by is the caller's masked network, or empty if there is no
// caller.
func (se *Secrets) endSecret(tx storage.Tx, row seal.RowKey, record *Record, m move, by string, now time.Time) (*MetadataRecord, error) {
	metadata, err := getMetadata(tx, record.metadata)
	if errors.Is(err, refusal.ErrNotFound) {
		return nil, fmt.Errorf("secret without metadata: %w", rows.ErrInconsistent)
	}
	if err != nil {
		return nil, err
	}
	state := metadata.State.after(m)
	if state == StateNone {
		return nil, fmt.Errorf("secret lives in state %d: %w", metadata.State, rows.ErrInconsistent)
	}
	at := now
	if m == moveExpire {
		at = metadata.expires // regardless of when the sweeper runs
	}
	metadata.markEnded(state, at)
	metadata.endedBy = by
	if err := tx.Delete(BucketSecret, row[:]); err != nil {
		return nil, err
	}
	if err := tx.Put(BucketMetadata, record.metadata[:], metadata.encode()); err != nil {
		return nil, err
	}
	if err := se.shares.List(tx, record.slot); err != nil {
		return nil, err
	}
	if record.passphrase != nil {
		if err := rows.DeletePrefix(tx, BucketAttempt, row[:]); err != nil {
			return nil, err
		}
	}
	if err := se.countEnd(tx, record, metadata, m, now); err != nil {
		return nil, err
	}
	return metadata, rows.WriteAudit(tx, now, m.audit(), record.metadata)
}

// countEnd counts an end and queues the sender's notice, if one was asked for.
func (se *Secrets) countEnd(tx storage.Tx, record *Record, metadata *MetadataRecord, m move, now time.Time) error {
	if err := rows.Count(tx, rows.Change{Counter: rows.CountSecrets, By: -1}, rows.Change{Counter: m.counter(), By: 1}); err != nil {
		return err
	}
	id, ok := caller.ParseAccountID(record.owner)
	if !ok || m == moveExpire {
		return nil
	}
	err := account.ChangeTally(tx, id, func(t *account.TallyRecord) {
		if m == moveReveal {
			t.Shared++
		} else {
			t.Burned++
		}
	})
	if err != nil || m != moveReveal || !se.outbox.Enabled() {
		return err
	}
	return se.noticeOpened(tx, id, metadata, now)
}

// noticeOpened queues the mail about an opened secret, if its sender asked for
// it.
func (se *Secrets) noticeOpened(tx storage.Tx, id caller.AccountID, metadata *MetadataRecord, now time.Time) error {
	account, err := account.GetAccount(tx, id)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && (!account.NotifyOpened || !account.Usable()) {
		return nil
	}
	if err != nil {
		return err
	}
	return se.outbox.PutNotice(tx, outbox.Mail{
		Kind: outbox.MailOpened, To: caller.Text(se.accounts.AddressOf(id, account)), Locale: account.Locale,
		Shortkey: string(metadata.hint[:]), Created: now,
	}, now)
}

// counter returns the counter of what a move ends.
func (m move) counter() rows.Counter {
	switch m {
	case moveReveal:
		return rows.CountShared
	case moveBurn:
		return rows.CountBurned
	default:
		return rows.CountExpired
	}
}

// audit returns the type of audit row that a move writes.
func (m move) audit() rows.AuditType {
	switch m {
	case moveReveal:
		return rows.AuditReveal
	case moveBurn:
		return rows.AuditBurn
	case moveExpire:
		return rows.AuditExpire
	default:
		return rows.AuditView
	}
}

package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/storage"
)

// errFault: the store holds something it cannot hold. Never the caller's
// doing, and nothing was consumed.
var errFault = errors.New("vault: internal fault")

// Revealed is a secret that exists nowhere else any more.
type Revealed struct {
	Secret Secret
	Value  Text
}

// RevealSecret destroys a secret and returns its value. Of any number of
// callers at most one gets it, and only after the claim is durable and the
// share is overwritten. It returns ErrNotFound, ErrPassphrase, ErrLocked,
// ErrDomainSuspended or ErrBusy without consuming anything. After any other error the secret may be
// gone; its value was shown to nobody.
func (v *Vault) RevealSecret(ctx context.Context, c Caller, key string, passphrase Text) (Revealed, error) {
	token, ok := seal.ParseToken(key)
	if !ok {
		return Revealed{}, ErrNotFound
	}
	now := v.clock.now()
	seen, err := v.prove(ctx, c, token, passphrase, moveReveal, now)
	if err != nil {
		return Revealed{}, err
	}
	end, err := v.claim(ctx, c, seen, moveReveal, now)
	if err != nil {
		return Revealed{}, err
	}
	secret := showSecret(c, token, seen.record, now)
	secret.State, secret.ShareDomain = StateReceived, seen.domain
	return Revealed{Secret: secret, Value: Text(end.plaintext)}, nil
}

// seen is a secret as it was found, with the key that was proved to fit it.
type seen struct {
	row    seal.RowKey
	record *secretRecord
	domain string // that it shows
	key    seal.SecretKey
}

// prove finds a secret and checks that token and passphrase fit it. It reads
// only, but for the attempt that a passphrase costs.
func (v *Vault) prove(ctx context.Context, c Caller, token seal.Token, passphrase Text, m move, now time.Time) (*seen, error) {
	s, site := &seen{row: token.RowKey(seal.KindSecret)}, ""
	if m == moveReveal {
		site = v.siteDomain(c.Site)
	}
	err := v.store.View(ctx, func(tx storage.Tx) error {
		record, shown, err := lookFrom(tx, c, site, token, now)
		if err != nil {
			return err
		}
		s.record, s.domain = record, shown.ShareDomain
		return record.admits(tx, m)
	})
	if err != nil {
		return nil, err
	}
	hash, wrong, err := v.try(ctx, c, s, passphrase, now)
	if err != nil {
		return nil, err
	}
	share, err := v.shares.Get(ctx, s.record.slot)
	if errors.Is(err, storage.ErrShareGone) {
		return nil, v.explainGone(ctx, s, now)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the share: %w", unavailable(err))
	}
	s.key = v.keys.SecretKey(token, s.row, share, hash)
	if s.key.Matches(s.record.verifier) {
		return s, nil
	}
	if s.record.passphrase != nil {
		return nil, wrong
	}
	return nil, fmt.Errorf("secret does not match its own link: %w", errFault)
}

// admits keeps the secrets of a suspended domain from being revealed: whoever
// holds its name now need not be the one whom the sender trusted.
func (r *secretRecord) admits(tx storage.Tx, m move) error {
	if m != moveReveal || r.shareDomain == "" {
		return nil
	}
	return admitDomain(tx, r.owner, r.shareDomain)
}

// explainGone tells a share that somebody else destroyed meanwhile from one
// that is missing under a live record, which is a fault.
func (v *Vault) explainGone(ctx context.Context, s *seen, now time.Time) error {
	return v.store.View(ctx, func(tx storage.Tx) error {
		record, err := getSecret(tx, s.row, now)
		if err != nil {
			return err
		}
		if record.slot != s.record.slot {
			return ErrNotFound
		}
		return fmt.Errorf("live secret without its share: %w", errFault)
	})
}

// ended is what a claim leaves.
type ended struct {
	metadata  *metadataRecord
	plaintext []byte
	counted   bool
}

// claim ends a secret: the one path that opens one, and the one that burns
// one. In one transaction it checks that the record is the one seen, opens it
// if the move is a reveal, deletes it, moves the metadata and lists the share
// for destruction; then it destroys the share. Only what it returns without an
// error may be shown.
func (v *Vault) claim(ctx context.Context, c Caller, s *seen, m move, now time.Time) (ended, error) {
	var end ended
	err := v.store.UpdateReserved(ctx, func(tx storage.Tx) error {
		record, err := getSecret(tx, s.row, now)
		if err != nil {
			return err
		}
		if record.slot != s.record.slot {
			return ErrNotFound
		}
		if err := record.admits(tx, m); err != nil {
			return err
		}
		if m == moveReveal {
			if end.plaintext, err = s.key.Open(record.header, record.sealed); err != nil {
				return fmt.Errorf("opening: %w", errFault)
			}
		}
		end.counted = v.usage.touch(s.row, record.slot.Number)
		end.metadata, err = v.endSecret(tx, s.row, record, m, c.Network.Masked(), now)
		if err != nil || record.passphrase == nil {
			return err
		}
		return dropEvent(tx, record.metadata, EventPassphrase, c.Network.Masked())
	})
	if err != nil {
		return ended{}, err
	}
	if end.counted {
		v.usage.release(s.record.charge())
	}
	if err := v.destroy(ctx, s.record.slot); err != nil {
		return ended{}, err
	}
	v.posted()
	v.watches.tell(s.record.metadata)
	return end, nil
}

// endSecret is the claim's part that reveal, burn and expiry share: it deletes
// the secret, moves its metadata, lists the slot, counts and writes the audit
// row. by is the masked network that it happens from, empty for nobody's.
func (v *Vault) endSecret(tx storage.Tx, row seal.RowKey, record *secretRecord, m move, by string, now time.Time) (*metadataRecord, error) {
	metadata, err := getMetadata(tx, record.metadata)
	if errors.Is(err, ErrNotFound) {
		return nil, fmt.Errorf("secret without metadata: %w", errFault)
	}
	if err != nil {
		return nil, err
	}
	state := metadata.state.after(m)
	if state == StateNone {
		return nil, fmt.Errorf("secret lives in state %d: %w", metadata.state, errFault)
	}
	if r, ok := v.shares.(storage.Recycler); ok {
		r.Touch(record.slot)
	}
	at := now
	if m == moveExpire {
		at = metadata.expires // whenever the sweeper came
	}
	metadata.ending(state, at)
	metadata.endedBy = by
	if err := tx.Delete(bucketSecret, row[:]); err != nil {
		return nil, err
	}
	if err := tx.Put(bucketMetadata, record.metadata[:], metadata.encode()); err != nil {
		return nil, err
	}
	if err := tx.Put(bucketShred, bigEndian(record.slot.Number), bigEndian(record.slot.Generation)); err != nil {
		return nil, err
	}
	if record.passphrase != nil {
		if err := deletePrefix(tx, bucketAttempt, row[:]); err != nil {
			return nil, err
		}
	}
	if err := v.countEnd(tx, record, metadata, m, now); err != nil {
		return nil, err
	}
	return metadata, audit(tx, now, m.audit(), record.metadata)
}

// countEnd counts an end, and tells the sender who wanted to be told.
func (v *Vault) countEnd(tx storage.Tx, record *secretRecord, metadata *metadataRecord, m move, now time.Time) error {
	ended := map[move]counter{moveReveal: countShared, moveBurn: countBurned, moveExpire: countExpired}[m]
	if err := tally(tx, tallied{countSecrets, -1}, tallied{ended, 1}); err != nil {
		return err
	}
	id, ok := ParseAccountID(record.owner)
	if !ok || m == moveExpire {
		return nil
	}
	err := countFor(tx, id, func(t *tallyRecord) {
		if m == moveReveal {
			t.shared++
		} else {
			t.burned++
		}
	})
	if err != nil || m != moveReveal || v.send == nil {
		return err
	}
	return v.noticeOpened(tx, id, metadata, now)
}

// noticeOpened queues the mail that tells of an opened secret, if its sender
// asked for it.
func (v *Vault) noticeOpened(tx storage.Tx, id AccountID, metadata *metadataRecord, now time.Time) error {
	account, err := getAccount(tx, id)
	if errors.Is(err, ErrNotFound) || err == nil && (!account.notifyOpened || !account.usable()) {
		return nil
	}
	if err != nil {
		return err
	}
	return v.putNotice(tx, Mail{
		Kind: MailOpened, To: Text(v.addressOf(id, account)), Locale: account.locale,
		Shortkey: string(metadata.hint[:]), Created: now,
	}, now)
}

// audit is the kind of audit row that a move leaves.
func (m move) audit() AuditType {
	switch m {
	case moveReveal:
		return AuditReveal
	case moveBurn:
		return AuditBurn
	case moveExpire:
		return AuditExpire
	default:
		return AuditView
	}
}

// destroy overwrites shares whose secrets have durably ended, and hands them
// on to be struck off the list.
func (v *Vault) destroy(ctx context.Context, slots ...storage.Slot) error {
	if err := v.shares.Destroy(context.WithoutCancel(ctx), slots...); err != nil {
		return fmt.Errorf("destroying the share: %w", unavailable(err))
	}
	v.striker.add(slots...)
	return nil
}

// deletePrefix deletes the keys that begin with prefix.
func deletePrefix(tx storage.Tx, bucket string, prefix []byte) error {
	var keys [][]byte
	err := tx.Range(bucket, prefix, prefixEnd(prefix), func(key, _ []byte) error {
		keys = append(keys, append([]byte(nil), key...))
		return nil
	})
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := tx.Delete(bucket, key); err != nil {
			return err
		}
	}
	return nil
}

// prefixEnd is the first key after all that begin with prefix, or nil.
func prefixEnd(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i] < 0xff {
			end[i]++
			return end[:i+1]
		}
	}
	return nil
}

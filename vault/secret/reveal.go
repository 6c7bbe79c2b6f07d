package secret

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/domain"
	"hush/vault/file"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/shares"
)

// Revealed is a secret that no longer exists anywhere else, but for its claim. Of
// a repeat, the secret has only its key, state and encryption.
type Revealed struct {
	Secret Secret
	// Value is the text, or empty for an end-to-end encrypted secret, whose
	// Content only the recipient's device can decrypt.
	Value, Content caller.Text
	// FileSize is the length of the content of a file, whose parts GetPart returns, as its
	// sender's device encrypts it; 0 for other secrets. It has no Content.
	FileSize uint64
	// ClaimLeft is how long the claim still lasts; 0 without one.
	ClaimLeft time.Duration
}

func newRevealed(s Secret, content []byte, fileSize uint64, left time.Duration) Revealed {
	r := Revealed{Secret: s, FileSize: fileSize, ClaimLeft: left}
	switch {
	case fileSize > 0:
		clear(content) // the key of the parts stays here
	case s.Encryption == receipt.EncryptionEndToEnd:
		r.Content = caller.Text(content)
	default:
		r.Value = caller.Text(content)
	}
	return r
}

// RevealSecret destroys a secret and returns its value. At most one of any
// number of callers gets the value, and only after the end is durable and the
// share is overwritten. ErrNotFound, ErrEncryption, ErrLink, ErrPassphrase,
// ErrLocked, ErrDomainSuspended and ErrBusy consume nothing. After any other error the
// secret may be gone; its value was not shown. A call that the store held up for
// tooLate consumes nothing either, and returns ErrUnavailable: its caller may have
// no connection any more.
//
// With a claim, the value is kept for that claim: a repeat with it returns the
// value again, whatever the first call returned, until AcknowledgeReveal or until the
// caller is silent for claim.Lifetime. A repeat counts as a word of the caller.
func (se *Secrets) RevealSecret(ctx context.Context, c caller.Caller, key string, o Opening) (Revealed, error) {
	token, ok := seal.ParseToken(key)
	if !ok {
		return Revealed{}, refusal.ErrNotFound
	}
	revealed, err := se.reveal(ctx, c, token, o)
	if o.Claim != "" && errors.Is(err, refusal.ErrNotFound) {
		return se.repeat(ctx, token, o.Claim)
	}
	return revealed, err
}

func (se *Secrets) reveal(ctx context.Context, c caller.Caller, token seal.Token, o Opening) (Revealed, error) {
	now := se.clock.Now()
	seen, err := se.verifyKey(ctx, c, token, o, moveReveal, now)
	if err != nil {
		return Revealed{}, err
	}
	end, err := se.open(ctx, c, token, seen, o.Claim, now)
	if err != nil {
		return Revealed{}, err
	}
	secret := showSecret(c, token, seen.record, now)
	secret.State = receipt.StateReceived
	secret.ShareDomain = seen.domain
	return newRevealed(secret, end.plaintext, seen.record.fileSize, end.left), nil
}

// open consumes a secret for a reveal, and keeps its content for the claim, unless that is
// empty. On a full disk, which takes no more content, it reveals as without a claim:
// a secret that can be read must not wait for an operator. But no file is revealed without a
// claim: it would be lost.
func (se *Secrets) open(ctx context.Context, c caller.Caller, token seal.Token, s *provenSecret, claimed caller.Text, now time.Time) (consumed, error) {
	var bound *claim.Binding // the methods of a nil binding do nothing
	var err error
	if claimed != "" {
		bound, err = se.claims.Bind(ctx, token, string(claimed), s.record.claimOf(), now)
	}
	if err != nil && (s.file != nil || !errors.Is(err, storage.ErrFull)) {
		return consumed{}, err
	}
	if err == nil {
		defer bound.Close()
		end, err := se.consume(ctx, c, s, moveReveal, bound, now)
		if bound == nil || s.file != nil || !errors.Is(err, storage.ErrFull) {
			return end, err
		}
	}
	return se.consume(ctx, c, s, moveReveal, nil, now)
}

// provenSecret is a stored secret together with the key that was verified to
// match it.
type provenSecret struct {
	row    seal.RowKey
	record *Record
	file   *file.Record // nil unless the secret is one
	domain string       // shown with the secret
	key    seal.SecretKey
	tried  receipt.Event // of the timeline, that counted the passphrase; zero for none
}

// verifyKey finds a secret and checks that token and opening match it. It writes
// nothing but the attempt at a passphrase.
func (se *Secrets) verifyKey(ctx context.Context, c caller.Caller, token seal.Token, o Opening, m move, now time.Time) (*provenSecret, error) {
	s := &provenSecret{row: token.RowKey(seal.KindSecret)}
	site := ""
	if m == moveReveal {
		site = se.domains.SiteDomain(c.Site)
	}
	err := se.store.View(ctx, func(tx *rows.Tx) error {
		record, shown, err := lookFrom(tx, c, site, token, s.row, now)
		if err != nil {
			return err
		}
		s.record = record
		s.domain = shown.ShareDomain
		if s.file, err = record.loadFile(tx); err != nil {
			return err
		}
		return record.admits(tx, m)
	})
	if err != nil {
		return nil, err
	}
	hashes, made, err := se.try(ctx, c, s, o, now)
	if err != nil {
		return nil, err
	}
	s.tried = made.counted
	share, err := se.shares.Get(ctx, s.record.slot, s.record.shareOwner(s.row))
	if errors.Is(err, storage.ErrShareGone) {
		return nil, se.explainGone(ctx, s, now)
	}
	if errors.Is(err, shares.ErrEnded) {
		return nil, refusal.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("reading the share: %w", refusal.Unavailable(err))
	}
	for _, hash := range hashes {
		if s.key, err = se.secretKeys.Key(s.record.kid, token, s.row, share, hash); err != nil {
			return nil, fmt.Errorf("deriving a secret's key: %w", errors.Join(err, rows.ErrInconsistent))
		}
		if s.key.Matches(s.record.verifier) {
			return s, nil
		}
	}
	switch {
	case s.record.guarded():
		return nil, made.wrong
	case s.record.encryption == receipt.EncryptionEndToEnd:
		return nil, refusal.ErrLink
	}
	return nil, fmt.Errorf("secret does not match its own link: %w", rows.ErrInconsistent)
}

// admits refuses to reveal secrets of a suspended domain: the name's present
// holder may not be the one that the sender trusted.
func (r *Record) admits(tx *rows.Tx, m move) error {
	if m != moveReveal || r.shareDomain == "" {
		return nil
	}
	return domain.AdmitDomain(tx, r.owner, r.shareDomain)
}

// explainGone distinguishes a share that another caller just destroyed from one
// that is missing under a live record, which is corruption.
func (se *Secrets) explainGone(ctx context.Context, s *provenSecret, now time.Time) error {
	return se.store.View(ctx, func(tx *rows.Tx) error {
		record, err := getSecret(tx, s.row, now)
		if err != nil {
			return err
		}
		if record.slot != s.record.slot {
			return refusal.ErrNotFound
		}
		return fmt.Errorf("live secret without its share: %w", rows.ErrInconsistent)
	})
}

// tooLate is how long after the start of a call it may still consume a secret. A
// response must be sent within 30 seconds of the request.
const tooLate = 15 * time.Second

// errLate reports that a call would consume a secret too late for a response.
var errLate = fmt.Errorf("the store held up the call for too long: %w", refusal.ErrUnavailable)

// consumed is the result of consume.
type consumed struct {
	ending
	plaintext []byte
	left      time.Duration // of the claim
}

// consume ends a secret. It is the only path that opens one. In one transaction
// it checks that the secret has the same slot still, opens it if the move is a reveal,
// deletes it, changes the receipt and lists the share for destruction. Then it
// destroys the share. The caller must show nothing if consume returns an error.
// With a binding, the transaction also keeps the content for its claim, unless a
// node of the store does not know of claims yet.
func (se *Secrets) consume(ctx context.Context, c caller.Caller, s *provenSecret, m move, bound *claim.Binding, now time.Time) (consumed, error) {
	var end consumed
	err := se.store.UpdateReserved(ctx, func(tx *rows.Tx) (err error) {
		end, err = se.consumeIn(tx, c, s, m, bound, now)
		return err
	})
	if err != nil {
		bound.Failed(err)
		return consumed{}, err
	}
	if !end.claimed {
		bound.Failed(nil)
		bound = nil
	}
	bound.Stored()
	if err := se.finish(ctx, m, end.ending); err != nil {
		return consumed{}, err
	}
	end.left = bound.Spent()
	return end, nil
}

// consumeIn is the transaction of consume.
func (se *Secrets) consumeIn(tx *rows.Tx, c caller.Caller, s *provenSecret, m move, bound *claim.Binding, now time.Time) (end consumed, err error) {
	if m == moveReveal && se.clock.Now().Sub(now) > tooLate {
		return end, errLate
	}
	// A record whose row is still the same need not be decoded again.
	record := s.record
	same, err := tx.Same(BucketSecret, s.row[:], record.stored)
	if err == nil && (!same || !now.Before(record.expires)) {
		record, err = getSecret(tx, s.row, now)
	}
	if err != nil {
		return end, err
	}
	if record.slot != s.record.slot {
		return end, refusal.ErrNotFound
	}
	if err := record.admits(tx, m); err != nil {
		return end, err
	}
	claimed := bound != nil && tx.Format() >= rows.FormatClaims
	if m == moveReveal {
		if err := record.checkWhole(tx, claimed); err != nil {
			return end, err
		}
		if end.plaintext, err = record.openText(s.key); err != nil {
			return end, fmt.Errorf("opening: %w", rows.ErrInconsistent)
		}
	}
	if end.ending, err = se.endSecret(tx, s.row, record, m, c.Network.Masked(), claimed, now); err != nil {
		return end, err
	}
	if claimed {
		if err := se.usage.PutClaim(tx, end.charged); err != nil {
			return end, err
		}
		if err := bound.Put(tx, end.plaintext); err != nil {
			return end, err
		}
	}
	if !record.guarded() {
		return end, nil
	}
	return end, receipt.TryWasRight(tx, record.metadata, s.tried)
}

package claim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/shares"
	"hush/vault/spent"
)

// Content is what a claim opens.
type Content struct {
	// Plaintext belongs to the caller.
	Plaintext  []byte
	Encryption receipt.Encryption // of the secret
	// FileSize is as in Record. The plaintext of a file is the key of its parts.
	FileSize uint64
	// Left is how long the claim still lasts.
	Left time.Duration
}

// Repeat returns the content that a secret's token and a claim open, or
// ErrNotFound. It extends the claim, whose reader came back, if the store can be
// written. It returns ErrUnavailable while the share of the secret cannot be
// destroyed. A wrong claim costs one read.
func (cl *Claims) Repeat(ctx context.Context, token seal.Token, claim string) (Content, error) {
	bound, ok := bondOf(claim)
	if !ok {
		return Content{}, refusal.ErrNotFound
	}
	row := token.RowKey(seal.KindSecret)
	record, err := cl.find(ctx, row, bound)
	if err != nil {
		return Content{}, err
	}
	give, _, err := cl.take(ctx, row)
	if err != nil {
		return Content{}, err
	}
	defer give()
	k := cl.see(row, record, cl.clock.Stopwatch())
	if err := cl.spend(ctx, k, record.Spent); err != nil {
		return Content{}, err
	}
	plaintext, err := cl.open(ctx, token, row, record, bound)
	if err != nil {
		return Content{}, err
	}
	if _, err := cl.extend(ctx, row, record, bound); err != nil && !errors.Is(err, refusal.ErrNotFound) {
		cl.log.Warn("extending a claim", "cause", err)
	}
	left := cl.timeLeft(k, cl.clock.Now())
	if left == 0 {
		return Content{}, refusal.ErrNotFound
	}
	return Content{Plaintext: plaintext, Encryption: record.Encryption, FileSize: record.FileSize, Left: left}, nil
}

// find returns the record of a claim, or ErrNotFound.
func (cl *Claims) find(ctx context.Context, row seal.RowKey, bound bond) (record *Record, err error) {
	err = cl.store.View(ctx, func(tx *rows.Tx) (err error) {
		record, err = load(tx, row)
		return err
	})
	if err == nil && !record.matches(bound) {
		err = refusal.ErrNotFound
	}
	return record, err
}

// spend returns once the share of a claim's secret is destroyed. The call that
// bound the secret may have failed to destroy it, or run on a node that died.
func (cl *Claims) spend(ctx context.Context, k *known, slot storage.Slot) error {
	if cl.isSpent(k) {
		return nil
	}
	if err := cl.shares.DestroyListed(ctx, spent.KindSecretRevealed, slot); err != nil {
		return err
	}
	cl.mu.Lock()
	defer cl.mu.Unlock()
	k.spent = true
	return nil
}

// open opens the content, or returns ErrNotFound if the claim ended meanwhile.
func (cl *Claims) open(ctx context.Context, token seal.Token, row seal.RowKey, r *Record, bound bond) ([]byte, error) {
	share, err := cl.shares.Get(ctx, r.slot, r.shareOwner(row))
	if errors.Is(err, storage.ErrShareGone) || errors.Is(err, shares.ErrEnded) {
		if _, err := cl.find(ctx, row, bound); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("claim without its share: %w", rows.ErrInconsistent)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the share of a claim: %w", refusal.Unavailable(err))
	}
	key, err := cl.secretKeys.Key(r.kid, token, row, share, bound)
	if err != nil {
		return nil, fmt.Errorf("deriving a claim's key: %w", errors.Join(err, rows.ErrInconsistent))
	}
	if !key.Matches(r.verifier) {
		return nil, fmt.Errorf("claim does not open what it is bound to: %w", rows.ErrInconsistent)
	}
	plaintext, err := r.open(key)
	if err != nil {
		return nil, fmt.Errorf("opening a claim: %w", rows.ErrInconsistent)
	}
	return plaintext, nil
}

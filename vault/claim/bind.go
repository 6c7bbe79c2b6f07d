package claim

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"hush/seal"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/shares"
)

// Binding is a claim that is about to be stored. Its owner must call Close.
type Binding struct {
	claims *Claims
	row    seal.RowKey
	record Record
	key    seal.SecretKey
	ready  shares.Ready
	age    func() time.Duration
	known  *known // once it is stored
	give   func()
}

// Bind prepares to bind the secret of a token to a claim: of r, it fills in what
// the caller leaves out. Until Close, no other call binds that secret on this
// node, or shows what is bound. Bind returns ErrNotFound if another call has bound
// it meanwhile, and ErrInvalid for a claim of a wrong size.
func (cl *Claims) Bind(ctx context.Context, token seal.Token, claim string, r Record, now time.Time) (*Binding, error) {
	bound, ok := bondOf(claim)
	if !ok {
		return nil, &refusal.InvalidError{Field: "claim", Text: "must be 32 bytes"}
	}
	b := &Binding{claims: cl, row: token.RowKey(seal.KindSecret), record: r, age: cl.clock.Stopwatch()}
	var waited bool
	var err error
	if b.give, waited, err = cl.take(ctx, b.row); err != nil {
		return nil, err
	}
	if waited {
		err = cl.checkUnbound(ctx, b.row)
	}
	if err == nil {
		err = b.prepare(ctx, token, bound, now)
	}
	if err != nil {
		b.give()
		return nil, err
	}
	return b, nil
}

// checkUnbound returns ErrNotFound if a secret is bound: then it needs no share.
func (cl *Claims) checkUnbound(ctx context.Context, row seal.RowKey) error {
	return cl.store.View(ctx, func(tx *rows.Tx) error {
		there, err := rows.Exists(tx, BucketClaim, row[:])
		if err == nil && there {
			err = refusal.ErrNotFound
		}
		return err
	})
}

// prepare takes a share and derives the key.
func (b *Binding) prepare(ctx context.Context, token seal.Token, bound bond, now time.Time) (err error) {
	cl, r := b.claims, &b.record
	r.lease = textLease()
	if r.FileSize > 0 {
		r.lease = cl.fileLease
	}
	r.kid, r.limit, r.check = cl.keys.KID(), now.Add(r.lease.longest), sha256.Sum256(bound[:])
	r.deadline = r.firstDeadline()
	if b.ready, err = cl.shares.Take(ctx, r.shareOwner(b.row)); err != nil {
		return fmt.Errorf("writing the share of a claim: %w", refusal.Unavailable(err))
	}
	r.slot = b.ready.Slot
	if b.key, err = cl.secretKeys.Key(r.kid, token, b.row, b.ready.Share, bound); err != nil {
		cl.shares.Discard(err, b.ready.Slot)
		return err
	}
	r.verifier = b.key.Verifier()
	r.encodeHeader()
	return nil
}

// Put seals the content and stores it, in the transaction that consumes the
// secret. The caller must call Failed if that fails, and Stored otherwise. A nil
// binding stores nothing.
func (b *Binding) Put(tx *rows.Tx, content []byte) error {
	if b == nil {
		return nil
	}
	if err := b.claims.shares.Own(tx, b.ready); err != nil {
		return err
	}
	sealed := b.record
	sealed.seal(b.key, content)
	if err := tx.Put(BucketClaim, b.row[:], sealed.encode()); err != nil {
		return err
	}
	return sealed.putDeadline(tx, b.row)
}

// Failed gives the share back.
func (b *Binding) Failed(cause error) {
	if b != nil {
		b.claims.shares.Discard(cause, b.ready.Slot)
	}
}

// Stored remembers the claim, which is durable.
func (b *Binding) Stored() {
	if b != nil {
		b.known = b.claims.see(b.row, &b.record, b.age)
	}
}

// Spent notes that the share of the secret is destroyed, and returns how long the
// claim lasts.
func (b *Binding) Spent() time.Duration {
	if b == nil {
		return 0
	}
	now := b.claims.clock.Now()
	b.claims.mu.Lock()
	defer b.claims.mu.Unlock()
	b.known.spent = true
	return b.known.timeLeft(now)
}

// Close lets other calls at the secret.
func (b *Binding) Close() {
	if b != nil {
		b.give()
	}
}

package secret

import (
	"context"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/cluster"
	"hush/vault/quota"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/watch"
)

// AcknowledgeReveal ends the claim that a secret was revealed with: its caller
// has the content. It returns once the content is destroyed, and returns nil as
// well if there is no such claim.
func (se *Secrets) AcknowledgeReveal(ctx context.Context, key string, claim caller.Text) error {
	token, ok := seal.ParseToken(key)
	if !ok {
		return nil
	}
	return se.claims.Acknowledge(ctx, token, string(claim))
}

// KeepClaim makes the claim that a secret was revealed with last longer: its caller is
// still at it. It returns how long the claim lasts, and ErrNotFound unless it lasts.
func (se *Secrets) KeepClaim(ctx context.Context, key string, claim caller.Text) (time.Duration, error) {
	token, ok := seal.ParseToken(key)
	if !ok {
		return 0, refusal.ErrNotFound
	}
	return se.claims.Extend(ctx, token, string(claim))
}

// bind prepares to bind a secret to a claim; without one it returns nil.
func bind(ctx context.Context, claims *claim.Claims, token seal.Token, r *Record, bound caller.Text, now time.Time) (*claim.Binding, error) {
	if bound == "" {
		return nil, nil //nolint:nilnil // the methods of a nil binding do nothing
	}
	return claims.Bind(ctx, token, string(bound), claim.Record{
		Receipt: r.metadata, Encryption: byte(r.encryption), Network: r.network, Wide: r.wide, Owner: r.owner, Spent: r.slot,
	}, now)
}

// repeat returns again what a claim keeps.
func repeat(ctx context.Context, claims *claim.Claims, token seal.Token, claim caller.Text) (Revealed, error) {
	repeated, err := claims.Repeat(ctx, token, string(claim))
	if err != nil {
		return Revealed{}, err
	}
	s := Secret{Key: token, State: receipt.StateReceived, Encryption: receipt.Encryption(repeated.Encryption)}
	return newRevealed(s, repeated.Plaintext, repeated.Left), nil
}

// ofClaims returns what the end of a claim means for receipts and bytes.
func ofClaims(u *quota.Usage, watches *watch.Watches) claim.Others {
	return claim.Others{
		Found: func(r *claim.Record) { u.FoundClaim(claimCharge(r)) },
		End: func(tx *rows.Tx, r *claim.Record, delivered bool, at time.Time) error {
			if err := receipt.ClaimEnded(tx, r.Receipt, delivered, at); err != nil {
				return err
			}
			return u.Claim(tx, claimCharge(r), -1)
		},
		Ended: func(r *claim.Record) {
			u.Release(claimCharge(r))
			watches.Tell(r.Receipt)
		},
	}
}

// DropClaims ends every claim of a restored store that nothing serves, and returns
// how many there were.
func DropClaims(ctx context.Context, store cluster.Store, now time.Time) (int, error) {
	return claim.Drop(ctx, store, func(tx *rows.Tx, row seal.RowKey) error {
		return receipt.ClaimEnded(tx, row, false, now)
	})
}

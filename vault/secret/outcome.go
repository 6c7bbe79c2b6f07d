package secret

import (
	"context"
	"errors"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/cluster"
	"hush/vault/quota"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/watch"
)

// Outcome is how the claim ended that a secret was revealed with.
type Outcome byte

// The outcomes. Their numbers are stored.
const (
	OutcomeNone      Outcome = 0 // not revealed, or without a claim
	OutcomeAwaited   Outcome = 1 // revealed; the recipient's device has not confirmed yet
	OutcomeDelivered Outcome = 2 // the recipient's device confirmed
	OutcomeLapsed    Outcome = 3 // the recipient's device did not confirm in time
)

func readOutcome(in *rows.Reader) Outcome {
	return Outcome(in.Between(byte(OutcomeNone), byte(OutcomeLapsed)))
}

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

// keepClaimed keeps the content of a secret that just ended for its claim, in the
// same transaction.
func keepClaimed(tx *rows.Tx, u *quota.Usage, bound *claim.Binding, r *Record, end consumed) error {
	end.metadata.outcome = OutcomeAwaited
	if err := tx.Put(BucketMetadata, r.metadata[:], end.metadata.encode()); err != nil {
		return err
	}
	if err := u.Claim(tx, r.charge(), +1); err != nil {
		return err
	}
	return bound.Put(tx, end.plaintext)
}

// repeat returns again what a claim keeps.
func repeat(ctx context.Context, claims *claim.Claims, token seal.Token, claim caller.Text) (Revealed, error) {
	kept, err := claims.Repeat(ctx, token, string(claim))
	if err != nil {
		return Revealed{}, err
	}
	s := Secret{Key: token, State: StateReceived, Encryption: Encryption(kept.Encryption)}
	return newRevealed(s, kept.Plaintext, kept.Left), nil
}

// ofClaims returns what the end of a claim means for receipts and bytes.
func ofClaims(u *quota.Usage, watches *watch.Watches) claim.Others {
	return claim.Others{
		Found: func(r *claim.Record) { u.FoundClaim(claimCharge(r)) },
		End: func(tx *rows.Tx, r *claim.Record, delivered bool, at time.Time) error {
			if err := noteOutcome(tx, r.Receipt, delivered, at); err != nil {
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

// noteOutcome notes in a receipt how its claim ended, unless it is forgotten.
func noteOutcome(tx *rows.Tx, receipt seal.RowKey, delivered bool, at time.Time) error {
	metadata, err := getMetadata(tx, receipt)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && metadata.outcome != OutcomeAwaited {
		return nil
	}
	if err != nil {
		return err
	}
	metadata.outcome, metadata.outcomeAt = OutcomeLapsed, at
	if delivered {
		metadata.outcome = OutcomeDelivered
	}
	if at.After(metadata.updated) {
		metadata.updated = at
	}
	return tx.Put(BucketMetadata, receipt[:], metadata.encode())
}

// DropClaims ends every claim of a restored store that nothing serves, and returns
// how many there were.
func DropClaims(ctx context.Context, store cluster.Store, now time.Time) (int, error) {
	return claim.Drop(ctx, store, func(tx *rows.Tx, receipt seal.RowKey) error {
		return noteOutcome(tx, receipt, false, now)
	})
}

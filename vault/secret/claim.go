package secret

import (
	"context"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
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

// repeat returns again what a claim keeps.
func (se *Secrets) repeat(ctx context.Context, token seal.Token, bound caller.Text) (Revealed, error) {
	repeated, err := se.claims.Repeat(ctx, token, string(bound))
	if err != nil {
		return Revealed{}, err
	}
	s := Secret{Key: token, State: receipt.StateReceived, Encryption: repeated.Encryption}
	return newRevealed(s, repeated.Plaintext, repeated.FileSize, repeated.Left), nil
}

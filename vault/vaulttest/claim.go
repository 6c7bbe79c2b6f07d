package vaulttest

import (
	"bytes"
	"testing"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
)

// Claim returns the claim of that number.
func Claim(number byte) caller.Text { return caller.Text(bytes.Repeat([]byte{number}, 32)) }

// MustRevealClaimed reveals a secret that the server encrypted with a claim, for
// the first time or again, and returns its value.
func (k *Kit) MustRevealClaimed(t testing.TB, key seal.Token, claim caller.Text) string {
	t.Helper()
	revealed, err := k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, key.Expose(), secret.Opening{Claim: claim})
	if err != nil {
		t.Fatalf("RevealSecret(key, claim): got %v, want nil", err)
	}
	if revealed.ClaimLeft <= 0 {
		t.Errorf("RevealSecret(key, claim).ClaimLeft: got %v, want more than nothing", revealed.ClaimLeft)
	}
	Want(t, "RevealSecret(key, claim).Secret.State", revealed.Secret.State, receipt.StateReceived)
	return string(revealed.Value)
}

// WantNotRevealed fails the test unless a claim does not open a secret.
func (k *Kit) WantNotRevealed(t testing.TB, what string, key seal.Token, claim caller.Text) {
	t.Helper()
	revealed, err := k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, key.Expose(), secret.Opening{Claim: claim})
	WantErr(t, "RevealSecret("+what+")", err, refusal.ErrNotFound)
	Want(t, "RevealSecret("+what+")", revealed, secret.Revealed{})
}

// MustAcknowledge acknowledges a claim.
func (k *Kit) MustAcknowledge(t testing.TB, key seal.Token, claim caller.Text) {
	t.Helper()
	if err := k.Vault.Secrets.AcknowledgeReveal(t.Context(), key.Expose(), claim); err != nil {
		t.Fatalf("AcknowledgeReveal(key, claim): got %v, want nil", err)
	}
}

// MustLapse ends the claims that are due and returns how many there were.
func (k *Kit) MustLapse(t testing.TB) int {
	t.Helper()
	ended, err := k.Vault.Claims.Lapse(t.Context())
	if err != nil {
		t.Fatalf("Lapse(): got %v, want nil", err)
	}
	return ended
}

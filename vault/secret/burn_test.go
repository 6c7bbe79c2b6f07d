package vault_test

import (
	"testing"
	"time"

	"hush/vault"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

func TestBurn(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", secret.Wish{})
	k.Clock.Advance(time.Second)
	got := k.MustBurn(t, c, kept.Metadata.Key, "")
	want(t, "BurnSecret(key).State", got.State, secret.StateBurned)
	want(t, "BurnSecret(key).Ended", got.Ended, k.Clock.Now())
	want(t, "BurnSecret(key).Updated", got.Updated, k.Clock.Now())
	want(t, "BurnSecret(key).Secret", got.Secret, nil)
	want(t, "BurnSecret(key).SecretTTLLeft", got.SecretTTLLeft, 0)
	_, err := k.Vault.Burns.BurnSecret(t.Context(), c, kept.Metadata.Key.Expose(), "")
	wantErr(t, "BurnSecret(again)", err, refusal.ErrNotFound)
	wantErr(t, "RevealSecret(burned)", revealErr(t, k, c, kept.Secret.Key.Expose(), ""), refusal.ErrNotFound)
	_, err = k.Vault.Secrets.GetSecret(t.Context(), c, kept.Secret.Key.Expose())
	wantErr(t, "GetSecret(burned)", err, refusal.ErrNotFound)
	wantState(t, k, kept.Metadata.Key, secret.StateBurned)
}

func TestBurnWithPassphrase(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", secret.Wish{Passphrase: "right"})
	_, err := k.Vault.Burns.BurnSecret(t.Context(), c, kept.Metadata.Key.Expose(), "")
	wantPassphrase(t, "BurnSecret(missing)", err, &refusal.PassphraseError{Missing: true})
	_, err = k.Vault.Burns.BurnSecret(t.Context(), c, kept.Metadata.Key.Expose(), "wrong")
	wantPassphrase(t, "BurnSecret(wrong)", err, &refusal.PassphraseError{TriesLeft: 4})
	wantState(t, k, kept.Metadata.Key, secret.StateNew)
	want(t, "BurnSecret(right)", k.MustBurn(t, c, kept.Metadata.Key, "right").State, secret.StateBurned)
	want(t, "attempt rows", len(rowsIn(t, k.Store, vault.BucketAttempt)), 0)
}

func TestBurnAfterReveal(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Wish{})
	k.MustReveal(t, caller.Caller{}, kept.Secret.Key, "")
	_, err := k.Vault.Burns.BurnSecret(t.Context(), caller.Caller{}, kept.Metadata.Key.Expose(), "")
	wantErr(t, "BurnSecret(received)", err, refusal.ErrNotFound)
	wantState(t, k, kept.Metadata.Key, secret.StateReceived)
}

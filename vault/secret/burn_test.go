package secret_test

import (
	"testing"
	"time"

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
	vaulttest.Want(t, "BurnSecret(key).State", got.State, secret.StateBurned)
	vaulttest.Want(t, "BurnSecret(key).Ended", got.Ended, k.Clock.Now())
	vaulttest.Want(t, "BurnSecret(key).Updated", got.Updated, k.Clock.Now())
	vaulttest.Want(t, "BurnSecret(key).Secret", got.Secret, nil)
	vaulttest.Want(t, "BurnSecret(key).SecretTTLLeft", got.SecretTTLLeft, 0)
	_, err := k.Vault.Burns.BurnSecret(t.Context(), c, kept.Metadata.Key.Expose(), "")
	vaulttest.WantErr(t, "BurnSecret(again)", err, refusal.ErrNotFound)
	vaulttest.WantErr(t, "RevealSecret(burned)", vaulttest.RevealErr(t, k, c, kept.Secret.Key.Expose(), ""), refusal.ErrNotFound)
	_, err = k.Vault.Secrets.GetSecret(t.Context(), c, kept.Secret.Key.Expose())
	vaulttest.WantErr(t, "GetSecret(burned)", err, refusal.ErrNotFound)
	vaulttest.WantState(t, k, kept.Metadata.Key, secret.StateBurned)
}

func TestBurnWithPassphrase(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", secret.Wish{Passphrase: "right"})
	_, err := k.Vault.Burns.BurnSecret(t.Context(), c, kept.Metadata.Key.Expose(), "")
	vaulttest.WantPassphrase(t, "BurnSecret(missing)", err, &refusal.PassphraseError{Missing: true})
	_, err = k.Vault.Burns.BurnSecret(t.Context(), c, kept.Metadata.Key.Expose(), "wrong")
	vaulttest.WantPassphrase(t, "BurnSecret(wrong)", err, &refusal.PassphraseError{TriesLeft: 4})
	vaulttest.WantState(t, k, kept.Metadata.Key, secret.StateNew)
	vaulttest.Want(t, "BurnSecret(right)", k.MustBurn(t, c, kept.Metadata.Key, "right").State, secret.StateBurned)
	vaulttest.Want(t, "attempt rows", len(vaulttest.RowsIn(t, k.Store, secret.BucketAttempt)), 0)
}

func TestBurnAfterReveal(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Wish{})
	k.MustReveal(t, caller.Caller{}, kept.Secret.Key, "")
	_, err := k.Vault.Burns.BurnSecret(t.Context(), caller.Caller{}, kept.Metadata.Key.Expose(), "")
	vaulttest.WantErr(t, "BurnSecret(received)", err, refusal.ErrNotFound)
	vaulttest.WantState(t, k, kept.Metadata.Key, secret.StateReceived)
}

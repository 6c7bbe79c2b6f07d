package vault_test

import (
	"testing"
	"time"

	"hush/vault"
	"hush/vault/vaulttest"
)

func TestBurn(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", vault.Wish{})
	k.Clock.Advance(time.Second)
	got := k.MustBurn(t, c, kept.Metadata.Key, "")
	want(t, "BurnSecret(key).State", got.State, vault.StateBurned)
	want(t, "BurnSecret(key).Ended", got.Ended, k.Clock.Now())
	want(t, "BurnSecret(key).Updated", got.Updated, k.Clock.Now())
	want(t, "BurnSecret(key).Secret", got.Secret, nil)
	want(t, "BurnSecret(key).SecretTTLLeft", got.SecretTTLLeft, 0)
	_, err := k.Vault.BurnSecret(t.Context(), c, kept.Metadata.Key.Expose(), "")
	wantErr(t, "BurnSecret(again)", err, vault.ErrNotFound)
	wantErr(t, "RevealSecret(burned)", revealErr(t, k, c, kept.Secret.Key.Expose(), ""), vault.ErrNotFound)
	_, err = k.Vault.GetSecret(t.Context(), c, kept.Secret.Key.Expose())
	wantErr(t, "GetSecret(burned)", err, vault.ErrNotFound)
	wantState(t, k, kept.Metadata.Key, vault.StateBurned)
}

func TestBurnWithPassphrase(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", vault.Wish{Passphrase: "right"})
	_, err := k.Vault.BurnSecret(t.Context(), c, kept.Metadata.Key.Expose(), "")
	wantPassphrase(t, "BurnSecret(missing)", err, &vault.PassphraseError{Missing: true})
	_, err = k.Vault.BurnSecret(t.Context(), c, kept.Metadata.Key.Expose(), "wrong")
	wantPassphrase(t, "BurnSecret(wrong)", err, &vault.PassphraseError{TriesLeft: 4})
	wantState(t, k, kept.Metadata.Key, vault.StateNew)
	want(t, "BurnSecret(right)", k.MustBurn(t, c, kept.Metadata.Key, "right").State, vault.StateBurned)
	want(t, "attempt rows", len(rows(t, k.Store, vault.BucketAttempt)), 0)
}

func TestBurnAfterReveal(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, vault.Caller{}, "the text", vault.Wish{})
	k.MustReveal(t, vault.Caller{}, kept.Secret.Key, "")
	_, err := k.Vault.BurnSecret(t.Context(), vault.Caller{}, kept.Metadata.Key.Expose(), "")
	wantErr(t, "BurnSecret(received)", err, vault.ErrNotFound)
	wantState(t, k, kept.Metadata.Key, vault.StateReceived)
}

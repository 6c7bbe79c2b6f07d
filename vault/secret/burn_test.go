package secret_test

import (
	"testing"
	"time"

	"hush/vault/caller"
	"hush/vault/passphrase"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

func TestBurn(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", secret.Terms{})
	k.Clock.Advance(time.Second)
	got := k.MustBurn(t, c, kept.Metadata.Key, "")
	vaulttest.Want(t, "BurnGuarded(key).State", got.State, receipt.StateBurned)
	vaulttest.Want(t, "BurnGuarded(key).Ended", got.Ended, k.Clock.Now())
	vaulttest.Want(t, "BurnGuarded(key).Updated", got.Updated, k.Clock.Now())
	vaulttest.Want(t, "BurnGuarded(key).Secret", got.Secret, nil)
	vaulttest.Want(t, "BurnGuarded(key).SecretTTLLeft", got.SecretTTLLeft, 0)
	_, err := k.Vault.Burns.BurnGuarded(t.Context(), c, kept.Metadata.Key.Expose(), "")
	vaulttest.WantErr(t, "BurnGuarded(again)", err, refusal.ErrNotFound)
	vaulttest.WantErr(t, "RevealSecret(burned)", vaulttest.RevealErr(t, k, c, kept.Secret.Key.Expose(), ""), refusal.ErrNotFound)
	_, err = k.Vault.Secrets.GetSecret(t.Context(), c, kept.Secret.Key.Expose())
	vaulttest.WantErr(t, "GetSecret(burned)", err, refusal.ErrNotFound)
	vaulttest.WantState(t, k, kept.Metadata.Key, receipt.StateBurned)
}

func TestBurnWithPassphrase(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", secret.Terms{Passphrase: "right"})
	_, err := k.Vault.Burns.BurnGuarded(t.Context(), c, kept.Metadata.Key.Expose(), "")
	vaulttest.WantPassphrase(t, "BurnGuarded(missing)", err, &refusal.PassphraseError{Missing: true})
	_, err = k.Vault.Burns.BurnGuarded(t.Context(), c, kept.Metadata.Key.Expose(), "wrong")
	vaulttest.WantPassphrase(t, "BurnGuarded(wrong)", err, &refusal.PassphraseError{TriesLeft: 4})
	vaulttest.WantState(t, k, kept.Metadata.Key, receipt.StateNew)
	vaulttest.Want(t, "BurnGuarded(right)", k.MustBurn(t, c, kept.Metadata.Key, "right").State, receipt.StateBurned)
	vaulttest.Want(t, "attempt rows", len(vaulttest.RowsIn(t, k.Store, passphrase.BucketAttempt)), 0)
}

func TestBurnAfterReveal(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{})
	k.MustReveal(t, caller.Caller{}, kept.Secret.Key, "")
	_, err := k.Vault.Burns.BurnGuarded(t.Context(), caller.Caller{}, kept.Metadata.Key.Expose(), "")
	vaulttest.WantErr(t, "BurnGuarded(received)", err, refusal.ErrNotFound)
	vaulttest.WantState(t, k, kept.Metadata.Key, receipt.StateReceived)
}

// A receipt burns its secret without the passphrase, and without a try.
func TestBurnByReceipt(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", secret.Terms{Passphrase: "right"})
	receiptKey := kept.Metadata.Key.Expose()
	_, err := k.Vault.Burns.BurnSecret(t.Context(), c, kept.Secret.Key.Expose())
	vaulttest.WantErr(t, "BurnSecret(the secret's key)", err, refusal.ErrNotFound)
	got, err := k.Vault.Burns.BurnSecret(t.Context(), vaulttest.Caller(2), receiptKey)
	if err != nil || got.State != receipt.StateBurned || got.Secret != nil || !got.Ended.Equal(k.Clock.Now()) {
		t.Errorf("BurnSecret(receipt): got %+v and %v, want it burned now, without a key", got, err)
	}
	vaulttest.Want(t, "attempt rows", len(vaulttest.RowsIn(t, k.Store, passphrase.BucketAttempt)), 0)
	vaulttest.WantErr(t, "RevealSecret(burned)", vaulttest.RevealErr(t, k, c, kept.Secret.Key.Expose(), "right"), refusal.ErrNotFound)
	for name, burn := range map[string]func() error{
		"BurnSecret": func() error { _, err := k.Vault.Burns.BurnSecret(t.Context(), c, receiptKey); return err },
		"BurnGuarded": func() error {
			_, err := k.Vault.Burns.BurnGuarded(t.Context(), c, receiptKey, "right")
			return err
		},
	} {
		vaulttest.WantErr(t, name+"(again)", burn(), refusal.ErrNotFound)
	}
}

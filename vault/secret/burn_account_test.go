package secret_test

import (
	"errors"
	"fmt"
	"testing"

	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// The account that concealed a secret may burn it without its passphrase and
// without a try. No other account may.
func TestOwnerBurnsWithoutPassphrase(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	ada, bob := k.MustAccount(t, "ada@example.com"), k.MustAccount(t, "bob@example.com")
	kept := k.MustConceal(t, ada, "the text", secret.Terms{Passphrase: "right"})
	for _, stranger := range []caller.Caller{vaulttest.Caller(3), bob, vaulttest.WithAccount(caller.Caller{}, "ada@example.com")} {
		_, err := k.Vault.Burns.BurnGuarded(t.Context(), stranger, kept.Metadata.Key.Expose(), "")
		vaulttest.WantErr(t, "BurnGuarded(key) by a stranger", err, refusal.ErrPassphrase)
	}
	burned := k.MustBurn(t, ada, kept.Metadata.Key, "")
	vaulttest.Want(t, "BurnGuarded(key).State", burned.State, receipt.StateBurned)
	vaulttest.WantErr(t, "RevealSecret(burned)", vaulttest.RevealErr(t, k, ada, kept.Secret.Key.Expose(), "right"), refusal.ErrNotFound)
	_, err := k.Vault.Burns.BurnGuarded(t.Context(), ada, kept.Metadata.Key.Expose(), "")
	vaulttest.WantErr(t, "BurnGuarded(burned)", err, refusal.ErrNotFound)
}

func TestBurnAllSecrets(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	ada, bob := k.MustAccount(t, "ada@example.com"), k.MustAccount(t, "bob@example.com")
	var kept []secret.Concealed
	for range 300 { // more than one batch
		kept = append(kept, k.MustConceal(t, ada, "the text", secret.Terms{Passphrase: ""}))
	}
	others := k.MustConceal(t, bob, "the text", secret.Terms{})
	k.MustReveal(t, vaulttest.Caller(7), kept[10].Secret.Key, "")
	burned, err := k.Vault.Burns.BurnAllSecrets(t.Context(), ada)
	vaulttest.Want(t, "BurnAllSecrets()", err, nil)
	vaulttest.Want(t, "BurnAllSecrets()", burned, 299)
	for _, one := range kept {
		vaulttest.WantErr(t, "RevealSecret(burned)", vaulttest.RevealErr(t, k, ada, one.Secret.Key.Expose(), ""), refusal.ErrNotFound)
	}
	vaulttest.Want(t, "RevealSecret(another account's)", k.MustReveal(t, bob, others.Secret.Key, ""), "the text")
	_, err = k.Vault.Burns.BurnAllSecrets(t.Context(), vaulttest.Caller(1))
	vaulttest.WantErr(t, "BurnAllSecrets() without an account", err, refusal.ErrUnauthenticated)
}

// A link that was reported is burned as people copy it, by a colonel alone,
// and nothing of the secret is shown.
func TestBurnReportedSecret(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Policy: caller.Policy{Colonels: []string{"col@example.com"}}})
	colonel, ada := k.MustAccount(t, "col@example.com"), k.MustAccount(t, "ada@example.com")
	for _, form := range []string{
		"%s", "https://hush.example/secret/%s", "https://hush.example/secret/%s/", "https://hush.example/s#%s",
		"https://hush.example/s%%23%s", "https://hush.example/s%%2523%s.", "https://hush.example/e#%sm3Ao1zh6SF5YdWe59rNuOPLlLHUiEnvNLR1EI9lfyKV",
		"<https://hush.example/e%%23%sm3Ao1zh6SF5YdWe59rNuOPLlLHUiEnvNLR1EI9lfyKV>,", "%sm3Ao1zh6SF5YdWe59rNuOPLlLHUiEnvNLR1EI9lfyKV",
		"https://hush.example/secret/%s?utm_source=chat", "<https://hush.example/secret/%s>.", " https://hush.example/secret/%s, ",
	} {
		kept := k.MustConceal(t, ada, "the text", secret.Terms{Passphrase: "right", Recipients: nil})
		link := caller.Text(replaceKey(form, kept.Secret.Key.Expose()))
		for _, other := range []caller.Caller{ada, vaulttest.Caller(1)} {
			_, err := k.Vault.Burns.BurnReportedSecret(t.Context(), other, link)
			vaulttest.WantErr(t, "BurnReportedSecret(link) by no colonel", err, refusal.ErrNotFound)
		}
		got, err := k.Vault.Burns.BurnReportedSecret(t.Context(), colonel, link)
		vaulttest.Want(t, "BurnReportedSecret("+form+")", err, nil)
		vaulttest.Want(t, "BurnReportedSecret("+form+").State", got.State, receipt.StateBurned)
		vaulttest.Want(t, "BurnReportedSecret("+form+").Account", got.Account, "")
		_, err = k.Vault.Burns.BurnReportedSecret(t.Context(), colonel, link)
		vaulttest.WantErr(t, "BurnReportedSecret(burned)", err, refusal.ErrNotFound)
	}
}

// A text without a whole key is no link whose secret is gone: who takes it for one
// believes that a secret is burned which still waits.
func TestBurnReportedSecretNeedsAKey(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{})
	operator := k.Vault.Operator().Secrets
	for _, form := range []string{"", "https://hush.example/", "https://hush.example/s#%.26s", "%.30s", "https://hush.example/e#%sm3Ao1zh6SF5YdWe59rNu"} {
		_, err := operator.BurnReportedSecret(t.Context(), caller.Text(replaceKey(form+"%.0s", kept.Secret.Key.Expose())))
		if invalid, ok := errors.AsType[*refusal.InvalidError](err); !ok || invalid.Field != "link" {
			t.Errorf("BurnReportedSecret(%s): got %v, want the link to be refused", form, err)
		}
	}
	vaulttest.Want(t, "RevealSecret()", k.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), "the text")
}

// The link of a receipt names its secret.
func TestBurnReportedSecretByItsReceipt(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{})
	operator, link := k.Vault.Operator().Secrets, caller.Text("https://hush.example/r#"+kept.Metadata.Key.Expose())
	got, err := operator.BurnReportedSecret(t.Context(), link)
	vaulttest.Want(t, "BurnReportedSecret(receipt)", err, nil)
	vaulttest.Want(t, "BurnReportedSecret(receipt).State", got.State, receipt.StateBurned)
	k.WantNotRevealed(t, "after it was burned", kept.Secret.Key, "")
	_, err = operator.BurnReportedSecret(t.Context(), link)
	vaulttest.WantErr(t, "BurnReportedSecret(receipt, burned)", err, refusal.ErrNotFound)
}

func replaceKey(form, key string) string { return fmt.Sprintf(form, key) }

package vault_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hush/seal"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// tokens compares tokens as such, not by what lies inside. The timeline has
// tests of its own.
func tokens() cmp.Option {
	return cmp.Options{cmpopts.EquateComparable(seal.Token{}), cmpopts.IgnoreFields(secret.Metadata{}, "Events")}
}

func TestRevealOnce(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	concealed := k.MustConceal(t, c, "the text", secret.Wish{TTL: new(time.Hour)})
	k.Clock.Advance(10*time.Second + time.Millisecond)
	got, err := k.Vault.Secrets.RevealSecret(t.Context(), c, concealed.Secret.Key.Expose(), "")
	if err != nil {
		t.Fatalf("RevealSecret(key): got %v, want nil", err)
	}
	now := vaulttest.StartTime()
	diff := cmp.Diff(secret.Secret{
		Key: concealed.Secret.Key, State: secret.StateReceived, Created: now, Expires: now.Add(time.Hour),
		TTL: time.Hour, TTLLeft: time.Hour - 10*time.Second,
	}, got.Secret, tokens())
	if diff != "" {
		t.Errorf("RevealSecret(key).Secret: -want +got\n%s", diff)
	}
	want(t, "RevealSecret(key).Value", string(got.Value), "the text")
	for range 3 {
		wantErr(t, "RevealSecret(again)", revealErr(t, k, c, concealed.Secret.Key.Expose(), ""), refusal.ErrNotFound)
	}
	k.Reopen(t)
	wantErr(t, "RevealSecret(after restart)", revealErr(t, k, c, concealed.Secret.Key.Expose(), ""), refusal.ErrNotFound)
	want(t, "secrets kept", len(rowsIn(t, k.Store, vault.BucketSecret)), 0)
}

// The attack: a stranger tries keys of any shape, and the key of a receipt
// where the key of a secret belongs. All of them are the same unknown key.
func TestUnknownKeys(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", secret.Wish{})
	link, receipt := kept.Secret.Key.Expose(), kept.Metadata.Key.Expose()
	wrong := []string{
		"", " ", link[:30], link + "0", " " + link, link + "\n", link[:30] + "\x00",
		strings.ToUpper(link), link[:30] + "é", link[:30] + "/", "../" + link[3:],
		strings.Repeat("a", 31), strings.Repeat("\x00", 31), strings.Repeat("a", 1<<16), flipped(kept.Secret.Key),
	}
	for _, key := range append(wrong, receipt) {
		wantErr(t, "RevealSecret(wrong key)", revealErr(t, k, c, key, ""), refusal.ErrNotFound)
		_, err := k.Vault.Secrets.GetSecret(t.Context(), c, key)
		wantErr(t, "GetSecret(wrong key)", err, refusal.ErrNotFound)
	}
	for _, key := range append(wrong, link) {
		_, err := k.Vault.Receipts.GetMetadata(t.Context(), c, key)
		wantErr(t, "GetMetadata(wrong key)", err, refusal.ErrNotFound)
		_, err = k.Vault.Burns.BurnSecret(t.Context(), c, key, "")
		wantErr(t, "BurnSecret(wrong key)", err, refusal.ErrNotFound)
		_, err = k.Vault.Receipts.UpdateMemo(t.Context(), c, key, "memo")
		wantErr(t, "UpdateMemo(wrong key)", err, refusal.ErrNotFound)
	}
	found, err := k.Vault.Secrets.GetSecretStatus(t.Context(), c, append(wrong, receipt, link))
	if err != nil {
		t.Fatalf("GetSecretStatus(): got %v, want nil", err)
	}
	for _, s := range found[:len(found)-1] {
		want(t, "GetSecretStatus(wrong key)", s, secret.Secret{})
	}
	want(t, "GetSecretStatus(right key)", found[len(found)-1].State, secret.StateNew)
	wantState(t, k, kept.Metadata.Key, secret.StateNew)
	want(t, "RevealSecret(right key)", k.MustReveal(t, c, kept.Secret.Key, ""), "the text")
}

func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	owner := caller.Caller{Account: "ada@example.com"}
	kept := k.MustConceal(t, owner, "x", secret.Wish{Passphrase: "p"})
	audits := len(rowsIn(t, k.Store, vault.BucketAudit))
	for range 5 {
		got, err := k.Vault.Secrets.GetSecret(t.Context(), vaulttest.Caller(1), kept.Secret.Key.Expose())
		if err != nil {
			t.Fatalf("GetSecret(key): got %v, want nil", err)
		}
		want(t, "State", got.State, secret.StateNew)
		want(t, "HasPassphrase", got.HasPassphrase, true)
		want(t, "Owned(stranger)", got.Owned, false)
	}
	got, err := k.Vault.Secrets.GetSecret(t.Context(), owner, kept.Secret.Key.Expose())
	want(t, "Owned(owner)", err == nil && got.Owned, true)
	want(t, "audit rows", len(rowsIn(t, k.Store, vault.BucketAudit)), audits)
	wantState(t, k, kept.Metadata.Key, secret.StateNew)
}

func TestStatusLimit(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	_, err := k.Vault.Secrets.GetSecretStatus(t.Context(), caller.Caller{}, make([]string, secret.StatusLimit+1))
	wantInvalid(t, "GetSecretStatus(too many)", err, "secret_keys")
	found, err := k.Vault.Secrets.GetSecretStatus(t.Context(), caller.Caller{}, make([]string, secret.StatusLimit))
	want(t, "GetSecretStatus(at the limit)", err, nil)
	want(t, "GetSecretStatus(at the limit)", len(found), secret.StatusLimit)
	found, err = k.Vault.Secrets.GetSecretStatus(t.Context(), caller.Caller{}, nil)
	want(t, "GetSecretStatus(nil)", err, nil)
	want(t, "GetSecretStatus(nil)", len(found), 0)
}

func TestPassphrase(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	for _, passphrase := range []caller.Text{"correct horse", " ", "pass\x00word", "é", caller.Text(strings.Repeat("p", 4096))} {
		kept := k.MustConceal(t, c, "the text", secret.Wish{Passphrase: passphrase})
		want(t, "Secret.HasPassphrase", kept.Secret.HasPassphrase, true)
		want(t, "Metadata.HasPassphrase", kept.Metadata.HasPassphrase, true)
		key := kept.Secret.Key.Expose()
		wantPassphrase(t, "RevealSecret(missing)", revealErr(t, k, c, key, ""), &refusal.PassphraseError{Missing: true})
		wantPassphrase(t, "RevealSecret(wrong)", revealErr(t, k, c, key, passphrase+"x"), &refusal.PassphraseError{TriesLeft: 4})
		wantPassphrase(t, "RevealSecret(wrong)", revealErr(t, k, c, key, passphrase+"\x00"), &refusal.PassphraseError{TriesLeft: 3})
		want(t, "RevealSecret(right)", k.MustReveal(t, c, kept.Secret.Key, passphrase), "the text")
	}
}

// wantPassphrase fails the test unless err is that PassphraseError.
func wantPassphrase(t *testing.T, call string, err error, want *refusal.PassphraseError) {
	t.Helper()
	wantErr(t, call, err, refusal.ErrPassphrase)
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("%s: -want +got\n%s", call, diff)
	}
}

// A passphrase for a secret that has none is ignored.
func TestNeedlessPassphrase(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Wish{})
	want(t, "RevealSecret(needless)", k.MustReveal(t, caller.Caller{}, kept.Secret.Key, "anything"), "the text")
	want(t, "attempt rows", len(rowsIn(t, k.Store, vault.BucketAttempt)), 0)
}

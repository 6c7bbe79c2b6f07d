package vault_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hush/seal"
	"hush/vault"
	"hush/vault/vaulttest"
)

// tokens compares tokens as such, not by what lies inside. The timeline has
// tests of its own.
func tokens() cmp.Option {
	return cmp.Options{cmpopts.EquateComparable(seal.Token{}), cmpopts.IgnoreFields(vault.Metadata{}, "Events")}
}

func TestRevealOnce(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	concealed := k.MustConceal(t, c, "the text", vault.Wish{TTL: new(time.Hour)})
	k.Clock.Advance(10*time.Second + time.Millisecond)
	got, err := k.Vault.RevealSecret(t.Context(), c, concealed.Secret.Key.Expose(), "")
	if err != nil {
		t.Fatalf("RevealSecret(key): got %v, want nil", err)
	}
	now := vaulttest.StartTime()
	diff := cmp.Diff(vault.Secret{
		Key: concealed.Secret.Key, State: vault.StateReceived, Created: now, Expires: now.Add(time.Hour),
		TTL: time.Hour, TTLLeft: time.Hour - 10*time.Second,
	}, got.Secret, tokens())
	if diff != "" {
		t.Errorf("RevealSecret(key).Secret: -want +got\n%s", diff)
	}
	want(t, "RevealSecret(key).Value", string(got.Value), "the text")
	for range 3 {
		wantErr(t, "RevealSecret(again)", revealErr(t, k, c, concealed.Secret.Key.Expose(), ""), vault.ErrNotFound)
	}
	k.Reopen(t)
	wantErr(t, "RevealSecret(after restart)", revealErr(t, k, c, concealed.Secret.Key.Expose(), ""), vault.ErrNotFound)
	want(t, "secrets kept", len(rows(t, k.Store, vault.BucketSecret)), 0)
}

// The attack: a stranger tries keys of any shape, and the key of a receipt
// where the key of a secret belongs. All of them are the same unknown key.
func TestUnknownKeys(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", vault.Wish{})
	secret, receipt := kept.Secret.Key.Expose(), kept.Metadata.Key.Expose()
	wrong := []string{
		"", " ", secret[:30], secret + "0", " " + secret, secret + "\n", secret[:30] + "\x00",
		strings.ToUpper(secret), secret[:30] + "é", secret[:30] + "/", "../" + secret[3:],
		strings.Repeat("a", 31), strings.Repeat("\x00", 31), strings.Repeat("a", 1<<16), flipped(kept.Secret.Key),
	}
	for _, key := range append(wrong, receipt) {
		wantErr(t, "RevealSecret(wrong key)", revealErr(t, k, c, key, ""), vault.ErrNotFound)
		_, err := k.Vault.GetSecret(t.Context(), c, key)
		wantErr(t, "GetSecret(wrong key)", err, vault.ErrNotFound)
	}
	for _, key := range append(wrong, secret) {
		_, err := k.Vault.GetMetadata(t.Context(), c, key)
		wantErr(t, "GetMetadata(wrong key)", err, vault.ErrNotFound)
		_, err = k.Vault.BurnSecret(t.Context(), c, key, "")
		wantErr(t, "BurnSecret(wrong key)", err, vault.ErrNotFound)
		_, err = k.Vault.UpdateMemo(t.Context(), c, key, "memo")
		wantErr(t, "UpdateMemo(wrong key)", err, vault.ErrNotFound)
	}
	found, err := k.Vault.GetSecretStatus(t.Context(), c, append(wrong, receipt, secret))
	if err != nil {
		t.Fatalf("GetSecretStatus(): got %v, want nil", err)
	}
	for _, s := range found[:len(found)-1] {
		want(t, "GetSecretStatus(wrong key)", s, vault.Secret{})
	}
	want(t, "GetSecretStatus(right key)", found[len(found)-1].State, vault.StateNew)
	wantState(t, k, kept.Metadata.Key, vault.StateNew)
	want(t, "RevealSecret(right key)", k.MustReveal(t, c, kept.Secret.Key, ""), "the text")
}

func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	owner := vault.Caller{Account: "ada@example.com"}
	kept := k.MustConceal(t, owner, "x", vault.Wish{Passphrase: "p"})
	audits := len(rows(t, k.Store, vault.BucketAudit))
	for range 5 {
		got, err := k.Vault.GetSecret(t.Context(), vaulttest.Caller(1), kept.Secret.Key.Expose())
		if err != nil {
			t.Fatalf("GetSecret(key): got %v, want nil", err)
		}
		want(t, "State", got.State, vault.StateNew)
		want(t, "HasPassphrase", got.HasPassphrase, true)
		want(t, "Owned(stranger)", got.Owned, false)
	}
	got, err := k.Vault.GetSecret(t.Context(), owner, kept.Secret.Key.Expose())
	want(t, "Owned(owner)", err == nil && got.Owned, true)
	want(t, "audit rows", len(rows(t, k.Store, vault.BucketAudit)), audits)
	wantState(t, k, kept.Metadata.Key, vault.StateNew)
}

func TestStatusLimit(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	_, err := k.Vault.GetSecretStatus(t.Context(), vault.Caller{}, make([]string, vault.StatusLimit+1))
	wantInvalid(t, "GetSecretStatus(too many)", err, "secret_keys")
	found, err := k.Vault.GetSecretStatus(t.Context(), vault.Caller{}, make([]string, vault.StatusLimit))
	want(t, "GetSecretStatus(at the limit)", err, nil)
	want(t, "GetSecretStatus(at the limit)", len(found), vault.StatusLimit)
	found, err = k.Vault.GetSecretStatus(t.Context(), vault.Caller{}, nil)
	want(t, "GetSecretStatus(nil)", err, nil)
	want(t, "GetSecretStatus(nil)", len(found), 0)
}

func TestPassphrase(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	for _, passphrase := range []vault.Text{"correct horse", " ", "pass\x00word", "é", vault.Text(strings.Repeat("p", 4096))} {
		kept := k.MustConceal(t, c, "the text", vault.Wish{Passphrase: passphrase})
		want(t, "Secret.HasPassphrase", kept.Secret.HasPassphrase, true)
		want(t, "Metadata.HasPassphrase", kept.Metadata.HasPassphrase, true)
		key := kept.Secret.Key.Expose()
		wantPassphrase(t, "RevealSecret(missing)", revealErr(t, k, c, key, ""), &vault.PassphraseError{Missing: true})
		wantPassphrase(t, "RevealSecret(wrong)", revealErr(t, k, c, key, passphrase+"x"), &vault.PassphraseError{TriesLeft: 4})
		wantPassphrase(t, "RevealSecret(wrong)", revealErr(t, k, c, key, passphrase+"\x00"), &vault.PassphraseError{TriesLeft: 3})
		want(t, "RevealSecret(right)", k.MustReveal(t, c, kept.Secret.Key, passphrase), "the text")
	}
}

// wantPassphrase fails the test unless err is that PassphraseError.
func wantPassphrase(t *testing.T, call string, err error, want *vault.PassphraseError) {
	t.Helper()
	wantErr(t, call, err, vault.ErrPassphrase)
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("%s: -want +got\n%s", call, diff)
	}
}

// A passphrase for a secret that has none is ignored.
func TestNeedlessPassphrase(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, vault.Caller{}, "the text", vault.Wish{})
	want(t, "RevealSecret(needless)", k.MustReveal(t, vault.Caller{}, kept.Secret.Key, "anything"), "the text")
	want(t, "attempt rows", len(rows(t, k.Store, vault.BucketAttempt)), 0)
}

package secret_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hush/seal"
	"hush/storage"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/passphrase"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// tokens compares tokens as such, not by what lies inside. The timeline has
// tests of its own.
func tokens() cmp.Option {
	return cmp.Options{cmpopts.EquateComparable(seal.Token{}), cmpopts.IgnoreFields(receipt.Metadata{}, "Events")}
}

func TestRevealOnce(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	concealed := k.MustConceal(t, c, "the text", secret.Terms{TTL: new(time.Hour)})
	k.Clock.Advance(10*time.Second + time.Millisecond)
	got, err := k.Vault.Secrets.RevealSecret(t.Context(), c, concealed.Secret.Key.Expose(), secret.Opening{})
	if err != nil {
		t.Fatalf("RevealSecret(key): got %v, want nil", err)
	}
	now := vaulttest.StartTime()
	diff := cmp.Diff(secret.Secret{
		Key: concealed.Secret.Key, State: receipt.StateReceived, Encryption: receipt.EncryptionServer, Created: now, Expires: now.Add(time.Hour),
		TTL: time.Hour, TTLLeft: time.Hour - 10*time.Second,
	}, got.Secret, tokens())
	if diff != "" {
		t.Errorf("RevealSecret(key).Secret: -want +got\n%s", diff)
	}
	vaulttest.Want(t, "RevealSecret(key).Value", string(got.Value), "the text")
	for range 3 {
		vaulttest.WantErr(t, "RevealSecret(again)", vaulttest.RevealErr(t, k, c, concealed.Secret.Key.Expose(), ""), refusal.ErrNotFound)
	}
	k.Reopen(t)
	vaulttest.WantErr(t, "RevealSecret(after restart)", vaulttest.RevealErr(t, k, c, concealed.Secret.Key.Expose(), ""), refusal.ErrNotFound)
	vaulttest.Want(t, "secrets kept", len(vaulttest.RowsIn(t, k.Store, secret.BucketSecret)), 0)
}

// The attack: a stranger tries keys of any shape, and the key of a receipt
// where the key of a secret belongs. All of them are the same unknown key.
func TestUnknownKeys(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "the text", secret.Terms{})
	link, receiptKey := kept.Secret.Key.Expose(), kept.Metadata.Key.Expose()
	wrong := []string{
		"", " ", link[:30], link + "0", " " + link, link + "\n", link[:30] + "\x00",
		strings.ToUpper(link), link[:30] + "é", link[:30] + "/", "../" + link[3:],
		strings.Repeat("a", 31), strings.Repeat("\x00", 31), strings.Repeat("a", 1<<16), vaulttest.Flipped(kept.Secret.Key),
	}
	for _, key := range append(wrong, receiptKey) {
		vaulttest.WantErr(t, "RevealSecret(wrong key)", vaulttest.RevealErr(t, k, c, key, ""), refusal.ErrNotFound)
		_, err := k.Vault.Secrets.GetSecret(t.Context(), c, key)
		vaulttest.WantErr(t, "GetSecret(wrong key)", err, refusal.ErrNotFound)
	}
	for _, key := range append(wrong, link) {
		_, err := k.Vault.Receipts.GetMetadata(t.Context(), c, key)
		vaulttest.WantErr(t, "GetMetadata(wrong key)", err, refusal.ErrNotFound)
		_, err = k.Vault.Burns.BurnGuarded(t.Context(), c, key, "")
		vaulttest.WantErr(t, "BurnGuarded(wrong key)", err, refusal.ErrNotFound)
		_, err = k.Vault.Receipts.UpdateMemo(t.Context(), c, key, "memo")
		vaulttest.WantErr(t, "UpdateMemo(wrong key)", err, refusal.ErrNotFound)
	}
	found, err := k.Vault.Secrets.GetSecretStatus(t.Context(), c, append(wrong, receiptKey, link))
	if err != nil {
		t.Fatalf("GetSecretStatus(): got %v, want nil", err)
	}
	for _, s := range found[:len(found)-1] {
		vaulttest.Want(t, "GetSecretStatus(wrong key)", s, secret.Secret{})
	}
	vaulttest.Want(t, "GetSecretStatus(right key)", found[len(found)-1].State, receipt.StateNew)
	vaulttest.WantState(t, k, kept.Metadata.Key, receipt.StateNew)
	vaulttest.Want(t, "RevealSecret(right key)", k.MustReveal(t, c, kept.Secret.Key, ""), "the text")
}

func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	owner := k.MustStoredAccount(t, caller.Caller{}, "ada@example.com")
	kept := k.MustConceal(t, owner, "x", secret.Terms{Passphrase: "p"})
	audits := len(vaulttest.RowsIn(t, k.Store, audit.BucketAudit))
	for range 5 {
		got, err := k.Vault.Secrets.GetSecret(t.Context(), vaulttest.Caller(1), kept.Secret.Key.Expose())
		if err != nil {
			t.Fatalf("GetSecret(key): got %v, want nil", err)
		}
		vaulttest.Want(t, "State", got.State, receipt.StateNew)
		vaulttest.Want(t, "HasPassphrase", got.HasPassphrase, true)
		vaulttest.Want(t, "Owned(stranger)", got.Owned, false)
	}
	got, err := k.Vault.Secrets.GetSecret(t.Context(), owner, kept.Secret.Key.Expose())
	vaulttest.Want(t, "Owned(owner)", err == nil && got.Owned, true)
	vaulttest.Want(t, "audit rows", len(vaulttest.RowsIn(t, k.Store, audit.BucketAudit)), audits)
	vaulttest.WantState(t, k, kept.Metadata.Key, receipt.StateNew)
}

func TestStatusLimit(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	_, err := k.Vault.Secrets.GetSecretStatus(t.Context(), caller.Caller{}, make([]string, secret.StatusLimit+1))
	vaulttest.WantInvalid(t, "GetSecretStatus(too many)", err, "secret_keys")
	found, err := k.Vault.Secrets.GetSecretStatus(t.Context(), caller.Caller{}, make([]string, secret.StatusLimit))
	vaulttest.Want(t, "GetSecretStatus(at the limit)", err, nil)
	vaulttest.Want(t, "GetSecretStatus(at the limit)", len(found), secret.StatusLimit)
	found, err = k.Vault.Secrets.GetSecretStatus(t.Context(), caller.Caller{}, nil)
	vaulttest.Want(t, "GetSecretStatus(nil)", err, nil)
	vaulttest.Want(t, "GetSecretStatus(nil)", len(found), 0)
}

func TestPassphrase(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	for _, entered := range []caller.Text{"correct horse", " ", "pass\ufeffword ", "é", caller.Text(strings.Repeat("p", 4096))} {
		kept := k.MustConceal(t, c, "the text", secret.Terms{Passphrase: entered})
		vaulttest.Want(t, "Secret.HasPassphrase", kept.Secret.HasPassphrase, true)
		vaulttest.Want(t, "Metadata.HasPassphrase", kept.Metadata.HasPassphrase, true)
		key := kept.Secret.Key.Expose()
		vaulttest.WantPassphrase(t, "RevealSecret(missing)", vaulttest.RevealErr(t, k, c, key, ""), &refusal.PassphraseError{Missing: true})
		vaulttest.WantPassphrase(t, "RevealSecret(wrong)", vaulttest.RevealErr(t, k, c, key, entered+"x"), &refusal.PassphraseError{TriesLeft: 4})
		vaulttest.WantPassphrase(t, "RevealSecret(wrong)", vaulttest.RevealErr(t, k, c, key, entered+"\x00"), &refusal.PassphraseError{TriesLeft: 3})
		vaulttest.Want(t, "RevealSecret(right)", k.MustReveal(t, c, kept.Secret.Key, entered), "the text")
	}
}

// What no form or prompt could take is no passphrase, of a text or of a generated one.
func TestPassphraseWithControlCharacters(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	for _, entered := range []caller.Text{"sesame\n", "sesame\r\n", "\x00", "pass\x00word", "a\tb", "a\x7f", "a\u0085", "\ufeffsesame"} {
		_, err := k.Vault.Secrets.ConcealSecret(t.Context(), c, "the text", secret.Terms{Passphrase: entered})
		vaulttest.WantInvalid(t, fmt.Sprintf("ConcealSecret(passphrase %q)", entered), err, "passphrase")
		_, _, err = k.Vault.Secrets.GenerateSecret(t.Context(), c, 12, secret.CharacterSets{}, secret.Terms{Passphrase: entered})
		vaulttest.WantInvalid(t, fmt.Sprintf("GenerateSecret(passphrase %q)", entered), err, "passphrase")
	}
}

// Keyboards and files write one character in several ways. They are the same
// passphrase, and what an older release stored opens as it was typed.
func TestPassphraseInNormalForm(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	se, c, composed, apart := k.Vault.Secrets, vaulttest.Caller(1), caller.Text("caf\u00e9 1234"), caller.Text("cafe\u0301 1234")
	for _, test := range []struct{ set, typed caller.Text }{{composed, apart}, {apart, composed}, {apart, apart}} {
		kept := k.MustConceal(t, c, vaulttest.Plaintext, secret.Terms{Passphrase: test.set})
		vaulttest.Want(t, "RevealSecret()", k.MustReveal(t, c, kept.Secret.Key, test.typed), vaulttest.Plaintext)
		kept = k.MustConceal(t, c, vaulttest.Plaintext, secret.Terms{Passphrase: test.set})
		if _, err := k.Vault.Burns.BurnGuarded(t.Context(), c, kept.Metadata.Key.Expose(), test.typed); err != nil {
			t.Errorf("BurnGuarded(%+q, set as %+q): got %v, want nil", test.typed, test.set, err)
		}
	}
	kept, err := se.ConcealTyped(t.Context(), c, vaulttest.Plaintext, secret.Terms{Passphrase: apart})
	if err != nil {
		t.Fatal(err)
	}
	_, err = se.RevealSecret(t.Context(), c, kept.Secret.Key.Expose(), secret.Opening{Passphrase: "cafe\u0300 1234"})
	vaulttest.WantErr(t, "RevealSecret(another accent)", err, refusal.ErrPassphrase)
	vaulttest.Want(t, "RevealSecret()", k.MustReveal(t, c, kept.Secret.Key, apart), vaulttest.Plaintext)
}

// A passphrase for a secret that has none is ignored.
func TestNeedlessPassphrase(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{})
	vaulttest.Want(t, "RevealSecret(needless)", k.MustReveal(t, caller.Caller{}, kept.Secret.Key, "anything"), "the text")
	vaulttest.Want(t, "attempt rows", len(vaulttest.RowsIn(t, k.Store, passphrase.BucketAttempt)), 0)
}

// A store that stands still holds up calls until their connections time out. A
// reveal whose response would come too late must not consume the secret.
func TestLateRevealConsumesNothing(t *testing.T) {
	t.Parallel()
	held := &heldStore{}
	k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store {
		held.Store = s
		return held
	}})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{})
	held.hold = func() { k.Clock.Advance(30 * time.Second) }
	_, err := k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, kept.Secret.Key.Expose(), secret.Opening{})
	vaulttest.WantErr(t, "RevealSecret(held up)", err, refusal.ErrUnavailable)
	held.hold = func() { k.Clock.Advance(10 * time.Second) }
	vaulttest.Want(t, "RevealSecret(held up for less)", k.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), "the text")
}

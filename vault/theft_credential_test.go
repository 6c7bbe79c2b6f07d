package vault_test

import (
	"errors"
	"testing"
	"time"

	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// The attack: the thief has a receipt's key only. A receipt without an account
// shows the link, so it opens what the link opens, and its sender sees that; an
// account's shows none. Either one may burn what has no passphrase. What ended
// is gone.
func TestTheftOfAReceipt(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	thief := vaulttest.Caller(66)
	shown := v.MustMetadata(t, thief, v.live.Metadata.Key)
	if shown.Secret == nil || *shown.Secret != v.live.Secret.Key {
		t.Fatal("GetMetadata(receipt without an account): got no link, want it")
	}
	vaulttest.Want(t, "RevealSecret(link of the receipt)", v.MustReveal(t, thief, *shown.Secret, ""), vaulttest.Plaintext)
	vaulttest.WantState(t, v.Kit, v.live.Metadata.Key, receipt.StateReceived)
	locked := v.MustMetadata(t, thief, v.locked.Metadata.Key)
	if locked.Secret == nil {
		t.Fatal("GetMetadata(receipt of a locked secret): got no link, want it")
	}
	vaulttest.WantPassphrase(t, "RevealSecret(locked)", vaulttest.RevealErr(t, v.Kit, thief, locked.Secret.Expose(), "guess"), &refusal.PassphraseError{TriesLeft: 4})
	_, err := v.Vault.Burns.BurnGuarded(t.Context(), thief, v.locked.Metadata.Key.Expose(), "")
	vaulttest.WantErr(t, "BurnGuarded(locked, without the passphrase)", err, refusal.ErrPassphrase)
	if _, err := v.Vault.Burns.BurnSecret(t.Context(), thief, v.locked.Metadata.Key.Expose()); err != nil {
		t.Errorf("BurnSecret(locked): got %v, want it burned", err)
	}
	for _, kept := range v.ended {
		if v.MustMetadata(t, thief, kept.Metadata.Key).Secret != nil {
			t.Error("GetMetadata(receipt of what ended): got a link, want none")
		}
		_, err := v.Vault.Burns.BurnSecret(t.Context(), thief, kept.Metadata.Key.Expose())
		vaulttest.WantErr(t, "BurnSecret(receipt of what ended)", err, refusal.ErrNotFound)
	}
}

// The attack: the same with the receipt of an account's secret. It opens
// nothing; a stranger may burn with it, which the account sees.
func TestTheftOfAnAccountsReceipt(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	c := m.MustEnter(t)
	thief := vaulttest.Caller(66)
	kept := m.MustConceal(t, c, vaulttest.Plaintext, secret.Terms{})
	locked := m.MustConceal(t, c, vaulttest.Plaintext, secret.Terms{Passphrase: vaulttest.Passphrase})
	for _, one := range []secret.Concealed{kept, locked} {
		if m.MustMetadata(t, thief, one.Metadata.Key).Secret != nil {
			t.Error("GetMetadata(an account's receipt): got a link, want none")
		}
	}
	_, err := m.Vault.Burns.BurnGuarded(t.Context(), thief, locked.Metadata.Key.Expose(), "")
	vaulttest.WantErr(t, "BurnGuarded(locked, by a stranger without the passphrase)", err, refusal.ErrPassphrase)
	m.MustBurn(t, thief, kept.Metadata.Key, "")
	vaulttest.WantState(t, m.Kit, kept.Metadata.Key, receipt.StateBurned)
	if _, err := m.Vault.Burns.BurnSecret(t.Context(), thief, locked.Metadata.Key.Expose()); err != nil {
		t.Errorf("BurnSecret(locked, by a stranger): got %v, want it burned", err)
	}
	vaulttest.WantState(t, m.Kit, locked.Metadata.Key, receipt.StateBurned)
}

// The attack: the thief has an API token or a session of an account, and
// nothing else. He opens what the account lists, once, and the receipt shows
// it. A passphrase stops him, though he may burn; a token without the scope
// reveal opens nothing; what ended is gone.
func TestTheftOfACredential(t *testing.T) {
	t.Parallel()
	for name, steal := range map[string]func(m *vaulttest.Member, c caller.Caller) caller.Caller{
		"token": func(m *vaulttest.Member, c caller.Caller) caller.Caller {
			return m.MustAuthenticate(t, vaulttest.ByToken(m.MustToken(t, c, credential.NewToken{})))
		},
		"session": func(m *vaulttest.Member, _ caller.Caller) caller.Caller {
			return m.MustAuthenticate(t, vaulttest.BySession(m.SignIn(t, false).Cookie))
		},
		"narrow": func(m *vaulttest.Member, c caller.Caller) caller.Caller {
			return m.MustAuthenticate(t, vaulttest.ByToken(m.MustToken(t, c, credential.NewToken{Scopes: caller.ScopeMetadata | caller.ScopeAccount})))
		},
	} {
		m := vaulttest.NewMember(t, vaulttest.Options{})
		c := m.MustEnter(t)
		thief := steal(m, c)
		live := m.MustConceal(t, c, vaulttest.Plaintext, secret.Terms{})
		locked := m.MustConceal(t, c, vaulttest.Plaintext, secret.Terms{Passphrase: vaulttest.Passphrase})
		burned := m.MustConceal(t, c, vaulttest.Plaintext, secret.Terms{})
		m.MustBurn(t, c, burned.Metadata.Key, "")
		lapsed := m.MustConceal(t, c, vaulttest.Plaintext, secret.Terms{TTL: new(time.Minute)})
		m.Clock.Advance(time.Minute + time.Second)
		m.MustSweep(t)
		page, err := m.Vault.Receipts.ListMetadata(t.Context(), thief, receipt.ListQuery{Size: 10})
		vaulttest.Want(t, name+": ListMetadata()", err, nil)
		vaulttest.Want(t, name+": receipts listed", len(page.Metadata), 4)
		for _, listed := range page.Metadata {
			shown := m.MustMetadata(t, thief, listed.Key)
			waits := listed.Key == live.Metadata.Key || listed.Key == locked.Metadata.Key
			if got := shown.Secret != nil; got != (waits && name != "narrow") {
				t.Errorf("%s: GetMetadata(listed receipt): got a link %t, want it for a revealer while the secret waits", name, got)
			}
		}
		for _, kept := range []secret.Concealed{burned, lapsed} {
			vaulttest.WantErr(t, name+": RevealSecret(ended)", vaulttest.RevealErr(t, m.Kit, thief, kept.Secret.Key.Expose(), ""), refusal.ErrNotFound)
		}
		if name == "narrow" {
			continue
		}
		err = vaulttest.RevealErr(t, m.Kit, thief, locked.Secret.Key.Expose(), "guess")
		if !errors.Is(err, refusal.ErrPassphrase) {
			t.Errorf("%s: RevealSecret(locked): got %v, want %v", name, err, refusal.ErrPassphrase)
		}
		vaulttest.Want(t, name+": RevealSecret(live)", m.MustReveal(t, thief, live.Secret.Key, ""), vaulttest.Plaintext)
		vaulttest.WantState(t, m.Kit, live.Metadata.Key, receipt.StateReceived)
	}
}

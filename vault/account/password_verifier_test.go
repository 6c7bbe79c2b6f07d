package account_test

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"golang.org/x/crypto/argon2"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// guessed is what a thief of the folder makes of a guess: all that takes no
// root key. Older versions stored it.
func guessed(p seal.PasswordParams, guess caller.Text) [32]byte {
	hash := argon2.IDKey([]byte(guess), p.Salt[:], p.Time, p.MemoryKiB, p.Threads, 64)
	return sha256.Sum256(append([]byte("hush/v1 password\x00"), hash[:32]...))
}

// tells reports whether the accounts' rows tell a right guess from a wrong one.
func (k *accountKit) tells(t *testing.T, address string, guess caller.Text) bool {
	t.Helper()
	var params seal.PasswordParams
	err := k.Store.View(t.Context(), rows.Plain(func(tx *rows.Tx) (err error) {
		params, err = passwordParamsOf(k.Vault, tx, address)
		return err
	}))
	vaulttest.WantErr(t, "PasswordParamsOf(address)", err, nil)
	verifier := guessed(params, guess)
	for _, row := range vaulttest.RowsIn(t, k.Store, account.BucketAccount) {
		if bytes.Contains(row, verifier[:]) {
			return true
		}
	}
	return false
}

// The attack: a thief of the data folder, without the root key, tests guesses of
// a weak password at leisure. However the password was set, nothing stored
// tells a right guess.
func TestStolenFolderTestsNoPassword(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.verified(t, bob)
	vaulttest.Want(t, "password by a mailed link: told", k.tells(t, bob, rightPassword), false)
	c := k.signIn(t, bob, rightPassword)
	vaulttest.Want(t, "password after a sign-in: told", k.tells(t, bob, rightPassword), false)
	vaulttest.WantErr(t, "ChangeAccountPassword()", k.Vault.Passwords.ChangeAccountPassword(t.Context(), c, rightPassword, otherPassword), nil)
	vaulttest.Want(t, "password that was changed: told", k.tells(t, bob, otherPassword), false)
	_, err := k.Vault.Operator().Accounts.ResetPassword(t.Context(), bob, rightPassword)
	vaulttest.WantErr(t, "Operator.ResetPassword()", err, nil)
	vaulttest.Want(t, "password that was reset: told", k.tells(t, bob, rightPassword), false)
	k.made(t, account.OperatorAccount{Address: ada, Password: otherPassword})
	vaulttest.Want(t, "password by the operator: told", k.tells(t, ada, otherPassword), false)
}

// A verifier of an older version is good until its owner signs in, and then
// replaced. Nothing else changes: the list still opens.
func TestOldVerifiersAreReplaced(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	kept := k.MustConceal(t, k.member(t, ada), "kept", secret.Wish{})
	err := k.Store.Update(t.Context(), rows.Plain(func(tx *rows.Tx) error {
		return storeUnkeyedPassword(k.Vault, tx, ada, func(p seal.PasswordParams) [32]byte { return guessed(p, rightPassword) })
	}))
	vaulttest.WantErr(t, "StoreUnkeyedPassword(address)", err, nil)
	k.Reopen(t)
	vaulttest.Want(t, "old verifier: told", k.tells(t, ada, rightPassword), true)
	k.wantSignIn(t, ada, otherPassword, refusal.ErrCredentials)
	vaulttest.Want(t, "old verifier after a wrong password: told", k.tells(t, ada, rightPassword), true)
	for range 2 {
		page, err := k.Vault.Receipts.ListMetadata(t.Context(), k.signIn(t, ada, rightPassword), secret.ListQuery{})
		vaulttest.WantErr(t, "ListMetadata(caller)", err, nil)
		if len(page.Metadata) != 1 || page.Metadata[0].Key != kept.Metadata.Key {
			t.Errorf("ListMetadata(caller): got %d receipts, want the one", len(page.Metadata))
		}
		vaulttest.Want(t, "verifier after a sign-in: told", k.tells(t, ada, rightPassword), false)
	}
	k.wantSignIn(t, ada, otherPassword, refusal.ErrCredentials)
}

package password_test

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"golang.org/x/crypto/argon2"

	"hush/seal"
	"hush/vault"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// guessed is what a thief of the folder makes of a guess: all that takes no
// root key. Older versions stored it.
func guessed(p seal.PasswordParams, guess caller.Text) [32]byte {
	hash := argon2.IDKey([]byte(guess), p.Salt[:], p.Time, p.MemoryKiB, p.Threads, 64)
	return sha256.Sum256(append([]byte("hush/v1 password\x00"), hash[:32]...))
}

// tells reports whether the accounts' rows tell a right guess from a wrong one.
func tells(t *testing.T, k *vaulttest.AccountKit, address string, guess caller.Text) bool {
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
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	k.MustVerify(t, vaulttest.Bob)
	vaulttest.Want(t, "password by a mailed link: told", tells(t, k, vaulttest.Bob, vaulttest.Password), false)
	c := k.MustSignIn(t, vaulttest.Bob, vaulttest.Password)
	vaulttest.Want(t, "password after a sign-in: told", tells(t, k, vaulttest.Bob, vaulttest.Password), false)
	vaulttest.WantErr(t, "ChangeAccountPassword()", k.Vault.Passwords.ChangeAccountPassword(t.Context(), c, vaulttest.Password, vaulttest.OtherPassword), nil)
	vaulttest.Want(t, "password that was changed: told", tells(t, k, vaulttest.Bob, vaulttest.OtherPassword), false)
	_, err := k.Vault.Operator().Accounts.ResetPassword(t.Context(), vaulttest.Bob, vaulttest.Password)
	vaulttest.WantErr(t, "Operator.ResetPassword()", err, nil)
	vaulttest.Want(t, "password that was reset: told", tells(t, k, vaulttest.Bob, vaulttest.Password), false)
	k.MustCreate(t, signup.OperatorAccount{Address: vaulttest.Ada, Password: vaulttest.OtherPassword})
	vaulttest.Want(t, "password by the operator: told", tells(t, k, vaulttest.Ada, vaulttest.OtherPassword), false)
}

// A verifier of an older version is good until its owner signs in, and then
// replaced. Nothing else changes: the list still opens.
func TestOldVerifiersAreReplaced(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	kept := k.MustConceal(t, k.MustAccount(t, vaulttest.Ada), "kept", secret.Terms{})
	err := k.Store.Update(t.Context(), rows.Plain(func(tx *rows.Tx) error {
		return storeUnkeyedPassword(k.Vault, tx, vaulttest.Ada, func(p seal.PasswordParams) [32]byte { return guessed(p, vaulttest.Password) })
	}))
	vaulttest.WantErr(t, "StoreUnkeyedPassword(address)", err, nil)
	k.Reopen(t)
	vaulttest.Want(t, "old verifier: told", tells(t, k, vaulttest.Ada, vaulttest.Password), true)
	k.WantSignIn(t, vaulttest.Ada, vaulttest.OtherPassword, refusal.ErrCredentials)
	vaulttest.Want(t, "old verifier after a wrong password: told", tells(t, k, vaulttest.Ada, vaulttest.Password), true)
	for range 2 {
		page, err := k.Vault.Receipts.ListMetadata(t.Context(), k.MustSignIn(t, vaulttest.Ada, vaulttest.Password), receipt.ListQuery{})
		vaulttest.WantErr(t, "ListMetadata(caller)", err, nil)
		if len(page.Metadata) != 1 || page.Metadata[0].Key != kept.Metadata.Key {
			t.Errorf("ListMetadata(caller): got %d receipts, want the one", len(page.Metadata))
		}
		vaulttest.Want(t, "verifier after a sign-in: told", tells(t, k, vaulttest.Ada, vaulttest.Password), false)
	}
	k.WantSignIn(t, vaulttest.Ada, vaulttest.OtherPassword, refusal.ErrCredentials)
}

// makes of the parameters of its password.
func storeUnkeyedPassword(v *vault.Vault, tx *rows.Tx, address string, verify func(seal.PasswordParams) [32]byte) error {
	id, r, err := v.Accounts.FindByAddress(tx, address)
	if err != nil {
		return err
	}
	r.Password.Verifier = verify(r.Password.Params)
	return tx.Put(account.BucketAccount, id[:], accountAsVersion1(r))
}

// with.
func passwordParamsOf(v *vault.Vault, tx *rows.Tx, address string) (seal.PasswordParams, error) {
	_, r, err := v.Accounts.FindByAddress(tx, address)
	if err != nil {
		return seal.PasswordParams{}, err
	}
	return r.Password.Params, nil
}

// with a verifier that is not keyed.
func accountAsVersion1(r *account.Record) []byte {
	encoded := r.Encode()
	newer := 1 + (8+8)*len(r.Networks)
	if r.Password != nil {
		newer += 1 + len(r.Password.KID)
	}
	return append([]byte{1}, encoded[1:len(encoded)-newer]...)
}

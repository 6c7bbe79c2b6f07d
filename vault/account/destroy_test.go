package account_test

import (
	"testing"
	"time"

	"hush/storage"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// A destroyed account is gone with everything that it had, and its address is
// blocked for a year.
func TestDestroyAccount(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store { return vaulttest.TwiceStore{Store: s} }})
	own := k.member(t, ada)
	session, token := k.browser(t), k.token(t, own)
	id := k.account(t, ada).ID
	kept := k.MustConceal(t, own, "kept", secret.Wish{})
	k.MustBurn(t, own, k.MustConceal(t, own, "burned", secret.Wish{}).Metadata.Key, "")
	vaulttest.WantErr(t, "RequestPasswordReset(address)", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, ada), nil)
	link := k.link(t, outbox.MailReset, ada)

	for confirmation, wanted := range map[caller.Text]error{"": refusal.ErrInvalid, "wrong password": refusal.ErrCredentials} {
		_, err := k.Vault.Accounts.DestroyAccount(t.Context(), own, confirmation)
		vaulttest.WantErr(t, "DestroyAccount(no confirmation)", err, wanted)
	}
	burned, err := k.Vault.Accounts.DestroyAccount(t.Context(), own, rightPassword)
	vaulttest.WantErr(t, "DestroyAccount(password)", err, nil)
	vaulttest.Want(t, "DestroyAccount(password)", burned, 1)

	vaulttest.WantErr(t, "RevealSecret(key)", vaulttest.RevealErr(t, k.Kit, vaulttest.Caller(1), kept.Secret.Key.Expose(), ""), refusal.ErrNotFound)
	vaulttest.WantState(t, k.Kit, kept.Metadata.Key, secret.StateBurned)
	k.wantRefused(t, session)
	k.wantRefused(t, token)
	k.wantSignIn(t, ada, rightPassword, refusal.ErrCredentials)
	k.wantNoAccount(t, ada)
	k.wantNoAccount(t, caller.Text(id.String()))
	_, err = k.Vault.Passwords.ResetPassword(t.Context(), caller.Caller{}, link, otherPassword)
	vaulttest.WantErr(t, "ResetPassword(token)", err, refusal.ErrTicket)
	_, err = k.Vault.Accounts.GetAccount(t.Context(), own)
	vaulttest.WantErr(t, "GetAccount(destroyed)", err, refusal.ErrUnauthenticated)
	vaulttest.Want(t, "tally of a destroyed account", string(vaulttest.Get(t, k.Store, account.BucketTally, id[:])), "")
	vaulttest.Want(t, "audit rows of destroyed accounts", k.count(t, audit.Destroy), 1)

	// A secret that was concealed while the account was being destroyed is burned
	// after the tally is gone.
	err = k.Store.Update(t.Context(), rows.Plain(func(tx *rows.Tx) error {
		return account.ChangeTally(tx, id, func(r *account.TallyRecord) { r.Burned++ })
	}))
	vaulttest.WantErr(t, "ChangeTally(destroyed)", err, nil)
	vaulttest.Want(t, "tally of a destroyed account", string(vaulttest.Get(t, k.Store, account.BucketTally, id[:])), "")

	vaulttest.WantErr(t, "CreateAccount(destroyed)", k.signUp(t, ada, otherPassword), nil)
	k.wantMails(t)
	k.leap(t, account.TombstoneLifetime-time.Hour)
	vaulttest.WantErr(t, "CreateAccount(destroyed)", k.signUp(t, ada, otherPassword), nil)
	k.wantMails(t)
	k.leap(t, time.Hour)
	vaulttest.Want(t, "a tombstone after a year", string(vaulttest.Get(t, k.Store, account.BucketAccount, id[:])), "")
	// The session of a year ago is over.
	k.host = k.signIn(t, "host-canary@example.com", rightPassword)
	k.verified(t, ada)
	k.signIn(t, ada, rightPassword)
}

// A tombstone keeps nothing but the id of its address and when it was made.
func TestTombstonesKeepNothing(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	id := k.made(t, account.OperatorAccount{Address: ada, Password: rightPassword, Role: account.RoleColonel, Locale: "fr"}).ID
	before := len(vaulttest.Get(t, k.Store, account.BucketAccount, id[:]))
	burned, err := k.Vault.Operator().Accounts.DestroyAccount(t.Context(), ada)
	vaulttest.WantErr(t, "Operator.DestroyAccount(address)", err, nil)
	vaulttest.Want(t, "Operator.DestroyAccount(address)", burned, 0)
	kept, err := tombstoneOf(vaulttest.Get(t, k.Store, account.BucketAccount, id[:]))
	vaulttest.WantErr(t, "TombstoneOf(record)", err, nil)
	vaulttest.Want(t, "a tombstone", kept, tombstone{AddressID: k.Keys.AddressID(ada), Destroyed: k.Clock.Now()})
	if before <= 0 {
		t.Errorf("record of an account: got %d bytes, want some", before)
	}
	_, err = k.Vault.Operator().Accounts.DestroyAccount(t.Context(), caller.Text(id.String()))
	vaulttest.WantErr(t, "Operator.DestroyAccount(destroyed)", err, refusal.ErrNotFound)
}

// The operator may give the address to a new owner.
func TestOperatorOverridesTombstones(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	old := k.made(t, account.OperatorAccount{Address: ada, Password: rightPassword}).ID
	_, err := k.Vault.Operator().Accounts.DestroyAccount(t.Context(), ada)
	vaulttest.WantErr(t, "Operator.DestroyAccount(address)", err, nil)
	k.made(t, account.OperatorAccount{Address: ada, Password: otherPassword})
	vaulttest.Want(t, "the tombstone", string(vaulttest.Get(t, k.Store, account.BucketAccount, old[:])), "")
	k.leap(t, account.TombstoneLifetime)
	k.signIn(t, ada, otherPassword)
}

package account_test

import (
	"bytes"
	"testing"
	"time"

	"hush/storage"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// A destroyed account is gone with everything that it had, and its address is
// blocked for a year.
func TestDestroyAccount(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store { return vaulttest.TwiceStore{Store: s} }})
	own := k.MustAccount(t, vaulttest.Ada)
	session, token := k.Browser(t), k.TokenOf(t, own)
	id := k.AccountOf(t, vaulttest.Ada).ID
	kept := k.MustConceal(t, own, "kept", secret.Terms{})
	k.MustBurn(t, own, k.MustConceal(t, own, "burned", secret.Terms{}).Metadata.Key, "")
	vaulttest.WantErr(t, "RequestPasswordReset(address)", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, vaulttest.Ada), nil)
	link := k.WantLink(t, outbox.MailReset, vaulttest.Ada)

	for confirmation, wanted := range map[caller.Text]error{"": refusal.ErrInvalid, "wrong password": refusal.ErrCredentials} {
		_, err := k.Vault.DestroyAccount(t.Context(), own, confirmation)
		vaulttest.WantErr(t, "DestroyAccount(no confirmation)", err, wanted)
	}
	burned, err := k.Vault.DestroyAccount(t.Context(), own, vaulttest.Password)
	vaulttest.WantErr(t, "DestroyAccount(password)", err, nil)
	vaulttest.Want(t, "DestroyAccount(password)", burned, 1)

	vaulttest.WantErr(t, "RevealSecret(key)", vaulttest.RevealErr(t, k.Kit, vaulttest.Caller(1), kept.Secret.Key.Expose(), ""), refusal.ErrNotFound)
	vaulttest.WantState(t, k.Kit, kept.Metadata.Key, receipt.StateBurned)
	k.WantRefused(t, session)
	k.WantRefused(t, token)
	k.WantSignIn(t, vaulttest.Ada, vaulttest.Password, refusal.ErrCredentials)
	k.WantNoAccount(t, vaulttest.Ada)
	k.WantNoAccount(t, caller.Text(id.String()))
	_, err = k.Vault.ResetPassword(t.Context(), caller.Caller{}, link, vaulttest.OtherPassword)
	vaulttest.WantErr(t, "ResetPassword(token)", err, refusal.ErrTicket)
	_, err = k.Vault.Accounts.GetAccount(t.Context(), own)
	vaulttest.WantErr(t, "GetAccount(destroyed)", err, refusal.ErrUnauthenticated)
	vaulttest.Want(t, "tally of a destroyed account", string(vaulttest.Get(t, k.Store, account.BucketTally, id[:])), "")
	vaulttest.Want(t, "audit rows of destroyed accounts", k.AuditCount(t, audit.Destroy), 1)

	// A secret that was concealed while the account was being destroyed is burned
	// after the tally is gone.
	err = k.Store.Update(t.Context(), rows.Plain(func(tx *rows.Tx) error {
		return account.ChangeTally(tx, id, func(r *account.TallyRecord) { r.Burned++ })
	}))
	vaulttest.WantErr(t, "ChangeTally(destroyed)", err, nil)
	vaulttest.Want(t, "tally of a destroyed account", string(vaulttest.Get(t, k.Store, account.BucketTally, id[:])), "")

	vaulttest.WantErr(t, "CreateAccount(destroyed)", k.SignUp(t, vaulttest.Ada, vaulttest.OtherPassword), nil)
	k.WantMails(t)
	k.Leap(t, account.TombstoneLifetime-time.Hour)
	vaulttest.WantErr(t, "CreateAccount(destroyed)", k.SignUp(t, vaulttest.Ada, vaulttest.OtherPassword), nil)
	k.WantMails(t)
	k.Leap(t, time.Hour)
	vaulttest.Want(t, "a tombstone after a year", string(vaulttest.Get(t, k.Store, account.BucketAccount, id[:])), "")
	// The session of a year ago is over.
	k.Host = k.MustSignIn(t, "host-canary@example.com", vaulttest.Password)
	k.MustVerify(t, vaulttest.Ada)
	k.MustSignIn(t, vaulttest.Ada, vaulttest.Password)
}

// A tombstone keeps nothing but the id of its address and when it was made.
func TestTombstonesKeepNothing(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	id := k.MustCreate(t, signup.OperatorAccount{Address: vaulttest.Ada, Password: vaulttest.Password, Role: account.RoleColonel, Locale: "fr"}).ID
	before := len(vaulttest.Get(t, k.Store, account.BucketAccount, id[:]))
	burned, err := k.Vault.Operator().Accounts.DestroyAccount(t.Context(), vaulttest.Ada)
	vaulttest.WantErr(t, "Operator.DestroyAccount(address)", err, nil)
	vaulttest.Want(t, "Operator.DestroyAccount(address)", burned, 0)
	kept, err := tombstoneOf(vaulttest.Get(t, k.Store, account.BucketAccount, id[:]))
	vaulttest.WantErr(t, "TombstoneOf(record)", err, nil)
	vaulttest.Want(t, "a tombstone", kept, tombstone{AddressID: k.Keys.AddressID(vaulttest.Ada), Destroyed: k.Clock.Now()})
	if before <= 0 {
		t.Errorf("record of an account: got %d bytes, want some", before)
	}
	_, err = k.Vault.Operator().Accounts.DestroyAccount(t.Context(), caller.Text(id.String()))
	vaulttest.WantErr(t, "Operator.DestroyAccount(destroyed)", err, refusal.ErrNotFound)
}

// The operator may give the address to a new owner.
func TestOperatorOverridesTombstones(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	old := k.MustCreate(t, signup.OperatorAccount{Address: vaulttest.Ada, Password: vaulttest.Password}).ID
	_, err := k.Vault.Operator().Accounts.DestroyAccount(t.Context(), vaulttest.Ada)
	vaulttest.WantErr(t, "Operator.DestroyAccount(address)", err, nil)
	k.MustCreate(t, signup.OperatorAccount{Address: vaulttest.Ada, Password: vaulttest.OtherPassword})
	vaulttest.Want(t, "the tombstone", string(vaulttest.Get(t, k.Store, account.BucketAccount, old[:])), "")
	k.Leap(t, account.TombstoneLifetime)
	k.MustSignIn(t, vaulttest.Ada, vaulttest.OtherPassword)
}

// tombstone is what a destroyed account leaves.
type tombstone struct {
	AddressID [32]byte
	Destroyed time.Time
}

// it says anything else.
func tombstoneOf(record []byte) (tombstone, error) {
	r, err := account.DecodeAccount(record)
	if err != nil {
		return tombstone{}, err
	}
	kept := tombstone{r.AddressID, r.Destroyed}
	if !bytes.Equal(record, (&account.Record{AddressID: kept.AddressID, Destroyed: kept.Destroyed}).Encode()) {
		return tombstone{}, rows.ErrInconsistent
	}
	return kept, nil
}

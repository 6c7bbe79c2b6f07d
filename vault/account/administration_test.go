package account_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"hush/vault"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/session"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

const grace = "grace-canary@example.com"

// administrationKit is a vault with two administrators and a customer.
type administrationKit struct {
	*vaulttest.AccountKit
	actions vault.Administration
	grace   caller.Caller // an administrator
	host    caller.Caller // another one, by the operator's settings
	ada     account.Account
}

func newAdministrationKit(t *testing.T) *administrationKit {
	t.Helper()
	k := &administrationKit{AccountKit: vaulttest.NewMaillessKit(t, vaulttest.Options{Policy: caller.Policy{Colonels: []string{"host-canary@example.com"}}})}
	k.MustCreate(t, signup.OperatorAccount{Address: grace, Password: vaulttest.Password, Role: account.RoleColonel})
	k.grace, k.host = k.MustSignIn(t, grace, vaulttest.Password), k.AccountKit.Host
	k.ada = k.MustCreate(t, signup.OperatorAccount{Address: vaulttest.Ada, Password: vaulttest.Password})
	k.actions = k.Vault.Administration
	return k
}

// act is one of the changes.
type act func(ctx context.Context, c caller.Caller, password, account caller.Text) error

// acts returns all of them, each by its name.
func (k *administrationKit) acts() map[string]act {
	return map[string]act{
		"SetRole": func(ctx context.Context, c caller.Caller, password, name caller.Text) error {
			_, err := k.actions.SetRole(ctx, c, password, name, account.RoleCustomer)
			return err
		},
		"DisableAccount": func(ctx context.Context, c caller.Caller, password, name caller.Text) error {
			_, err := k.actions.DisableAccount(ctx, c, password, name, true)
			return err
		},
		"ResetPassword": func(ctx context.Context, c caller.Caller, password, name caller.Text) error {
			_, err := k.actions.ResetPassword(ctx, c, password, name, vaulttest.OtherPassword)
			return err
		},
		"DestroyAccount": func(ctx context.Context, c caller.Caller, password, name caller.Text) error {
			_, err := k.actions.DestroyAccount(ctx, c, password, name)
			return err
		},
	}
}

// wantUnchanged fails the test if what an act changes was recorded.
func (k *administrationKit) wantUnchanged(t *testing.T, name string) {
	t.Helper()
	for _, kind := range []audit.Type{audit.Role, audit.Disable, audit.Reset, audit.Destroy, audit.Administered} {
		vaulttest.Want(t, "audit rows "+kind.String()+" after "+name, k.AuditCount(t, kind), 0)
	}
}

// wantRecorded fails the test unless the last two rows of the trail are a change of
// an account, and who did it.
func (k *administrationKit) wantRecorded(t *testing.T, kind audit.Type, subject, by caller.AccountID) {
	t.Helper()
	trail := vaulttest.RowsIn(t, k.Store, audit.BucketAudit)
	for i, want := range []audit.Record{{Kind: kind}, {Kind: audit.Administered}} {
		row, err := audit.Decode(trail[len(trail)-2+i])
		vaulttest.WantErr(t, "DecodeAudit()", err, nil)
		copy(want.Subject[:], [][]byte{subject[:], by[:]}[i])
		if row.Kind != want.Kind || row.Subject != want.Subject {
			t.Errorf("audit row %d from the end: got %s %x, want %s %x", 2-i, row.Kind, row.Subject, want.Kind, want.Subject)
		}
	}
}

// The attack: a customer, or a caller without an account, calls what is for administrators, with
// the right password of their own account.
func TestAdministrationIsTheColonels(t *testing.T) {
	t.Parallel()
	k := newAdministrationKit(t)
	customer := k.MustSignIn(t, vaulttest.Ada, vaulttest.Password)
	for name, do := range k.acts() {
		for who, c := range map[string]caller.Caller{"anonymous": vaulttest.Caller(1), "customer": customer} {
			vaulttest.WantErr(t, name+"("+who+")", do(t.Context(), c, vaulttest.Password, grace), refusal.ErrNotFound)
		}
	}
	_, err := k.Vault.Administration.FindAccount(t.Context(), customer, grace)
	vaulttest.WantErr(t, "FindAccount(customer)", err, refusal.ErrNotFound)
	k.wantUnchanged(t, "calls of others")
}

// The attack: a session that an administrator left open. Without the password it
// changes nothing, and guessing meets the pauses of a sign-in.
func TestAdministrationTakesThePassword(t *testing.T) {
	t.Parallel()
	k := newAdministrationKit(t)
	for name, do := range k.acts() {
		vaulttest.WantInvalid(t, name+"(no password)", do(t.Context(), k.grace, "", vaulttest.Ada), "password")
	}
	for name, do := range k.acts() { // four tries
		vaulttest.WantErr(t, name+"(wrong password)", do(t.Context(), k.grace, vaulttest.OtherPassword, vaulttest.Ada), refusal.ErrCredentials)
	}
	do := k.acts()["DestroyAccount"]
	vaulttest.WantErr(t, "DestroyAccount(wrong password)", do(t.Context(), k.grace, vaulttest.OtherPassword, vaulttest.Ada), refusal.ErrCredentials)
	for name, do := range k.acts() {
		vaulttest.WantErr(t, name+"(in a pause)", do(t.Context(), k.grace, vaulttest.Password, vaulttest.Ada), refusal.ErrLocked)
	}
	k.wantUnchanged(t, "wrong passwords")
	k.WantSignIn(t, vaulttest.Ada, vaulttest.Password, nil)
}

func TestColonelsChangeAccounts(t *testing.T) {
	t.Parallel()
	k := newAdministrationKit(t)
	ctx, by := t.Context(), k.grace.AccountID()
	session := k.browserOf(t, vaulttest.Ada)
	changed, err := k.actions.SetRole(ctx, k.grace, vaulttest.Password, vaulttest.Ada, account.RoleColonel)
	vaulttest.WantErr(t, "SetRole(colonel)", err, nil)
	vaulttest.Want(t, "SetRole(colonel).Role", changed.Role, account.RoleColonel)
	k.wantRecorded(t, audit.Role, k.ada.ID, by)
	changed, err = k.actions.DisableAccount(ctx, k.grace, vaulttest.Password, caller.Text(k.ada.ID.String()), true)
	vaulttest.WantErr(t, "DisableAccount(id)", err, nil)
	vaulttest.Want(t, "DisableAccount(id).Disabled", changed.Disabled, true)
	k.wantRecorded(t, audit.Disable, k.ada.ID, by)
	k.WantRefused(t, session)
	k.WantSignIn(t, vaulttest.Ada, vaulttest.Password, refusal.ErrCredentials)
	_, err = k.actions.DisableAccount(ctx, k.grace, vaulttest.Password, vaulttest.Ada, false)
	vaulttest.WantErr(t, "DisableAccount(enable)", err, nil)
	_, err = k.actions.ResetPassword(ctx, k.grace, vaulttest.Password, vaulttest.Ada, "short")
	vaulttest.WantInvalid(t, "ResetPassword(short)", err, "new_password")
	_, err = k.actions.ResetPassword(ctx, k.grace, vaulttest.Password, vaulttest.Ada, vaulttest.OtherPassword)
	vaulttest.WantErr(t, "ResetPassword(password)", err, nil)
	k.wantRecorded(t, audit.Reset, k.ada.ID, by)
	k.WantSignIn(t, vaulttest.Ada, vaulttest.Password, refusal.ErrCredentials)
	k.WantSignIn(t, vaulttest.Ada, vaulttest.OtherPassword, nil)
	found, err := k.Vault.Administration.FindAccount(ctx, k.grace, "Ada-canary@Example.com")
	vaulttest.WantErr(t, "FindAccount(address)", err, nil)
	vaulttest.Want(t, "FindAccount().Account.ID", found.Account.ID, k.ada.ID)
	vaulttest.Want(t, "FindAccount().Sessions", len(found.Sessions), 1)
	_, err = k.actions.DestroyAccount(ctx, k.grace, vaulttest.Password, vaulttest.Ada)
	vaulttest.WantErr(t, "DestroyAccount(address)", err, nil)
	k.wantRecorded(t, audit.Destroy, k.ada.ID, by)
	k.WantNoAccount(t, vaulttest.Ada)
	for name, do := range k.acts() {
		vaulttest.WantErr(t, name+"(destroyed)", do(ctx, k.grace, vaulttest.Password, vaulttest.Ada), refusal.ErrNotFound)
	}
}

// browserOf signs in and returns the session's credential.
func (k *administrationKit) browserOf(t *testing.T, address caller.Text) session.Credential {
	t.Helper()
	in, err := k.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(7), address, vaulttest.Password, false)
	vaulttest.WantErr(t, "CreateSession(address)", err, nil)
	return session.Credential{Session: caller.Text(in.Cookie.Expose())}
}

// An administrator cannot lock themself out: none of the changes is for their own
// account, by address or by id.
func TestColonelsDoNotChangeTheirOwnAccount(t *testing.T) {
	t.Parallel()
	k := newAdministrationKit(t)
	for name, do := range k.acts() {
		for _, own := range []caller.Text{grace, "GRACE-canary@example.com", caller.Text(k.grace.AccountID().String())} {
			vaulttest.WantInvalid(t, name+"(own account)", do(t.Context(), k.grace, vaulttest.Password, own), "account")
		}
	}
	k.wantUnchanged(t, "changes of one's own account")
	_, err := k.actions.SetRole(t.Context(), k.grace, vaulttest.Password, "host-canary@example.com", account.RoleCustomer)
	vaulttest.WantErr(t, "SetRole(colonel by the operator's settings)", err, refusal.ErrPolicy)
	k.wantUnchanged(t, "a role that the settings give")
}

// The attack: an administrator who just lost the role, or the account, acts with a
// call that was authenticated before.
func TestFormerColonelsChangeNothing(t *testing.T) {
	t.Parallel()
	k := newAdministrationKit(t)
	_, err := k.Vault.Operator().Accounts.SetRole(t.Context(), grace, account.RoleCustomer)
	vaulttest.WantErr(t, "Operator.SetRole(customer)", err, nil)
	for name, do := range k.acts() {
		vaulttest.WantErr(t, name+"(former colonel)", do(t.Context(), k.grace, vaulttest.Password, vaulttest.Ada), refusal.ErrNotFound)
	}
	_, err = k.Vault.Operator().Accounts.DisableAccount(t.Context(), "host-canary@example.com", true)
	vaulttest.WantErr(t, "Operator.DisableAccount(colonel)", err, nil)
	for name, do := range k.acts() {
		vaulttest.WantErr(t, name+"(disabled colonel)", do(t.Context(), k.host, vaulttest.Password, vaulttest.Ada), refusal.ErrUnauthenticated)
	}
	vaulttest.Want(t, "audit rows of administrators", k.AuditCount(t, audit.Administered), 0)
}

// Two administrators who take each other's role at once leave one of them.
func TestOneColonelIsLeft(t *testing.T) {
	t.Parallel()
	for range 8 {
		k := newAdministrationKit(t)
		_, err := k.Vault.Operator().Accounts.SetRole(t.Context(), vaulttest.Ada, account.RoleColonel)
		vaulttest.WantErr(t, "Operator.SetRole(colonel)", err, nil)
		other := k.MustSignIn(t, vaulttest.Ada, vaulttest.Password)
		var all sync.WaitGroup
		errs := make([]error, 2)
		for i, c := range []caller.Caller{k.grace, other} {
			all.Go(func() {
				_, errs[i] = k.actions.SetRole(t.Context(), c, vaulttest.Password, []caller.Text{vaulttest.Ada, grace}[i], account.RoleCustomer)
			})
		}
		all.Wait()
		done := slices.DeleteFunc(slices.Clone(errs), func(err error) bool { return errors.Is(err, refusal.ErrNotFound) })
		if len(done) != 1 || done[0] != nil {
			t.Fatalf("SetRole(each other): got %v, want one of them done", errs)
		}
	}
}

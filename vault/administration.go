package vault

import (
	"context"

	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/refusal"
)

// Administration holds what colonels do with the accounts of others. Each change
// takes the colonel's own password, and an audit row with the colonel's account
// follows that of the change. None changes the colonel's own account, so a
// colonel is always left who can undo it. A caller who is not a colonel gets
// ErrNotFound.
type Administration struct{ v *Vault }

// FindAccount returns the account of an address or id, or ErrNotFound.
func (a Administration) FindAccount(ctx context.Context, c caller.Caller, name caller.Text) (FoundAccount, error) {
	if !c.Colonel() {
		return FoundAccount{}, refusal.ErrNotFound
	}
	return a.v.Operator().FindAccount(ctx, name)
}

// confirmed returns the operator's actions, as those of a colonel. It returns
// ErrInvalid without a password, ErrCredentials or LockedError for a wrong one, and
// ErrBusy.
func (a Administration) confirmed(ctx context.Context, c caller.Caller, password caller.Text) (AccountOperator, error) {
	if !c.Colonel() {
		return AccountOperator{}, refusal.ErrNotFound
	}
	if password == "" {
		return AccountOperator{}, &refusal.InvalidError{Field: "password", Text: "is missing"}
	}
	proved, _, err := a.v.Passwords.ProveOwn(ctx, c, password, a.v.clock.Now())
	if err != nil {
		return AccountOperator{}, err
	}
	by := account.Administrator{ID: c.AccountID(), Proved: proved}
	return AccountOperator{account.NewOperator(a.v.Accounts).As(by), a.v}, nil
}

// SetRole sets the role of an account. It returns ErrNotFound or ErrInvalid, and
// ErrPolicy if the operator's settings keep the account a colonel.
func (a Administration) SetRole(ctx context.Context, c caller.Caller, password, name caller.Text, role account.Role) (account.Account, error) {
	o, err := a.confirmed(ctx, c, password)
	if err != nil {
		return account.Account{}, err
	}
	return o.SetRole(ctx, name, role)
}

// DisableAccount disables or enables an account. Disabling ends its sessions and
// makes its tokens useless. It returns ErrNotFound or ErrInvalid.
func (a Administration) DisableAccount(ctx context.Context, c caller.Caller, password, name caller.Text, disabled bool) (account.Account, error) {
	o, err := a.confirmed(ctx, c, password)
	if err != nil {
		return account.Account{}, err
	}
	return o.DisableAccount(ctx, name, disabled)
}

// ResetPassword sets the password of an account like a mailed link does; the
// colonel vouches for the owner instead. It returns how many entries of the account
// can no longer be opened, or ErrNotFound, ErrInvalid or ErrBusy.
func (a Administration) ResetPassword(ctx context.Context, c caller.Caller, password, name, next caller.Text) (sealed int64, err error) {
	o, err := a.confirmed(ctx, c, password)
	if err != nil {
		return 0, err
	}
	return o.ResetPassword(ctx, name, next)
}

// DestroyAccount destroys an account like its owner can, and returns how many live
// secrets it burned, or ErrNotFound or ErrInvalid.
func (a Administration) DestroyAccount(ctx context.Context, c caller.Caller, password, name caller.Text) (burned int, err error) {
	o, err := a.confirmed(ctx, c, password)
	if err != nil {
		return 0, err
	}
	return o.DestroyAccount(ctx, name)
}

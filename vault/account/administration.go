package account

import (
	"context"
	"time"

	"hush/seal"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Administration holds what colonels do to the accounts of others. Each action
// takes the colonel's own password, and an audit row with the colonel's account
// follows that of the change. No action changes the colonel's own account, so a
// colonel is always left who can undo it. A caller who is not a colonel gets
// ErrNotFound.
type Administration struct{ v *Accounts }

// NewAdministration returns the colonels' actions on accounts.
func NewAdministration(accounts *Accounts) Administration { return Administration{accounts} }

// administrator is a colonel whose password was verified.
type administrator struct {
	v      *Accounts
	id     caller.AccountID
	proved seal.PasswordHash
}

// confirmed returns the operator's actions, as those of a colonel. It returns
// ErrInvalid without a password, ErrCredentials or LockedError for a wrong one, and
// ErrBusy.
func (a Administration) confirmed(ctx context.Context, c caller.Caller, password caller.Text) (Operator, error) {
	if !c.Colonel() {
		return Operator{}, refusal.ErrNotFound
	}
	if password == "" {
		return Operator{}, &refusal.InvalidError{Field: "password", Text: "is missing"}
	}
	proved, _, err := a.v.passwords.proveOwn(ctx, c, password, a.v.clock.Now())
	if err != nil {
		return Operator{}, err
	}
	return Operator{a.v, &administrator{a.v, c.AccountID(), proved}}, nil
}

// still returns an error unless the administrator may act: the password is
// unchanged, and the role in effect.
func (by *administrator) still(tx *rows.Tx) error {
	r, err := by.v.passwords.stillProved(tx, by.id, by.proved)
	if err != nil {
		return err
	}
	if !by.v.ColonelOf(r, by.v.AddressOf(by.id, r)) {
		return refusal.ErrNotFound
	}
	return nil
}

// record writes the audit row of who changed an account, after that of the
// change. The operator leaves none.
func (by *administrator) record(tx *rows.Tx, now time.Time) error {
	if by == nil {
		return nil
	}
	return audit.WriteAccount(tx, now, audit.Administered, by.id)
}

// target finds the account to be changed, in the transaction that changes it. An
// administrator must still be one, and gets ErrInvalid for their own account.
func (o Operator) target(tx *rows.Tx, account caller.Text) (caller.AccountID, *Record, error) {
	if o.by != nil {
		if err := o.by.still(tx); err != nil {
			return caller.AccountID{}, nil, err
		}
	}
	id, r, err := o.v.ResolveAccount(tx, account)
	if err == nil && o.by != nil && id == o.by.id {
		err = &refusal.InvalidError{Field: "account", Text: "is your own: only another administrator can change it here"}
	}
	if err != nil {
		return caller.AccountID{}, nil, err
	}
	return id, r, nil
}

// SetRole sets the role of an account. It returns ErrNotFound or ErrInvalid, and
// ErrPolicy if the operator's settings keep the account a colonel.
func (a Administration) SetRole(ctx context.Context, c caller.Caller, password, account caller.Text, role Role) (Account, error) {
	o, err := a.confirmed(ctx, c, password)
	if err != nil {
		return Account{}, err
	}
	return o.SetRole(ctx, account, role)
}

// DisableAccount disables or enables an account. Disabling ends its sessions and
// makes its tokens useless. It returns ErrNotFound or ErrInvalid.
func (a Administration) DisableAccount(ctx context.Context, c caller.Caller, password, account caller.Text, disabled bool) (Account, error) {
	o, err := a.confirmed(ctx, c, password)
	if err != nil {
		return Account{}, err
	}
	return o.DisableAccount(ctx, account, disabled)
}

// ResetPassword sets the password of an account like a mailed link does; the
// colonel vouches for the owner instead. It returns how many entries of the account
// can no longer be opened, or ErrNotFound, ErrInvalid or ErrBusy.
func (a Administration) ResetPassword(ctx context.Context, c caller.Caller, password, account, next caller.Text) (sealed int64, err error) {
	o, err := a.confirmed(ctx, c, password)
	if err != nil {
		return 0, err
	}
	return o.ResetPassword(ctx, account, next)
}

// DestroyAccount destroys an account like its owner can, and returns how many live
// secrets it burned, or ErrNotFound or ErrInvalid.
func (a Administration) DestroyAccount(ctx context.Context, c caller.Caller, password, account caller.Text) (burned int, err error) {
	o, err := a.confirmed(ctx, c, password)
	if err != nil {
		return 0, err
	}
	return o.DestroyAccount(ctx, account)
}

// The limits on what a colonel sees.
const (
	// IndexAccounts is the maximum number of accounts.
	IndexAccounts = 50

	indexAccountTime = 30 * 24 * time.Hour
	// indexAccountsLooked bounds how many accounts are read: destroyed ones
	// remain as tombstones.
	indexAccountsLooked = 500
)

// RecentAccounts returns the newest accounts, newest first.
func (ac *Accounts) RecentAccounts(tx *rows.Tx, now time.Time) (list []Account, err error) {
	looked := 0
	before := rows.BigEndian(^rows.Millis(now.Add(-indexAccountTime)))
	err = tx.Range(BucketAccount, nil, before, func(key, value []byte) error {
		if looked++; looked > indexAccountsLooked || len(list) == IndexAccounts {
			return rows.ErrEnough
		}
		r, err := DecodeAccount(append([]byte(nil), value...))
		if err != nil {
			return err
		}
		if !r.Destroyed.IsZero() || len(key) != len(caller.AccountID{}) {
			return nil
		}
		account, err := ac.DescribeAccount(tx, caller.AccountID(key), r)
		list = append(list, account)
		return err
	})
	return list, rows.IgnoreEnough(err)
}

package account

import (
	"context"
	"encoding/hex"
	"slices"
	"time"

	"hush/seal"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Operator holds the operator's actions on accounts. It asks for no password:
// only the process that owns the data folder hands it out.
//
// As an administrator's, each change takes a password that is still the right one
// and a role that is in effect, and an audit row with the administrator's account
// follows that of the change. None changes the administrator's own account, so one
// is always left who can undo it.
type Operator struct {
	accounts *Accounts
	by       *Administrator // who acts; nil for the operator
}

// NewOperator returns the operator's actions on accounts.
func NewOperator(accounts *Accounts) Operator { return Operator{accounts, nil} }

// Administrator is a colonel whose password was verified.
type Administrator struct {
	ID     caller.AccountID
	Proved seal.PasswordHash
}

// As returns the operator's actions as those of an administrator.
func (o Operator) As(by Administrator) Operator { return Operator{o.accounts, &by} }

// ByAdministrator reports whether the actions are those of an administrator.
func (o Operator) ByAdministrator() bool { return o.by != nil }

// The sizes of a page of accounts.
const (
	pageDefault = 100
	pageMost    = 1000
)

// ListAccounts lists accounts, newest first. token is the next of the previous
// page, empty for the first one; next is empty on the last page. A size of 0
// means 100; more than 1,000 mean 1,000.
func (o Operator) ListAccounts(ctx context.Context, size int, token string) (list []Account, next string, err error) {
	var from []byte
	if token != "" {
		after, ok := caller.ParseAccountID(token)
		if !ok {
			return nil, "", &refusal.InvalidError{Field: "page_token", Text: "is invalid"}
		}
		from = slices.Concat(after[:], []byte{0})
	}
	if size <= 0 {
		size = pageDefault
	}
	size = min(size, pageMost)
	err = o.accounts.store.View(ctx, func(tx *rows.Tx) error {
		list, next = nil, ""
		return rows.IgnoreEnough(tx.Range(BucketAccount, from, nil, func(key, value []byte) error {
			if len(list) == size {
				last := list[len(list)-1].ID
				next = hex.EncodeToString(last[:])
				return rows.ErrEnough
			}
			shown, ok, err := o.describeRow(tx, key, value)
			if ok {
				list = append(list, shown)
			}
			return err
		}))
	})
	return list, next, err
}

// describeRow describes a row of the accounts. ok is false for a tombstone,
// which is not listed.
func (o Operator) describeRow(tx *rows.Tx, key, value []byte) (shown Account, ok bool, err error) {
	if len(key) != len(caller.AccountID{}) {
		return Account{}, false, rows.ErrDamaged
	}
	r, err := DecodeAccount(value)
	if err != nil || !r.Destroyed.IsZero() {
		return Account{}, false, err
	}
	shown, err = o.accounts.DescribeAccount(tx, caller.AccountID(key), r)
	return shown, err == nil, err
}

// GetAccount returns the account of an address or id, or ErrNotFound.
func (o Operator) GetAccount(ctx context.Context, account caller.Text) (shown Account, err error) {
	err = o.accounts.store.View(ctx, func(tx *rows.Tx) error {
		id, r, err := o.accounts.ResolveAccount(tx, account)
		if err != nil {
			return err
		}
		shown, err = o.accounts.DescribeAccount(tx, id, r)
		return err
	})
	return shown, err
}

// SetRole sets the role of an account. It returns ErrNotFound or ErrInvalid.
func (o Operator) SetRole(ctx context.Context, account caller.Text, role Role) (Account, error) {
	if role != RoleCustomer && role != RoleColonel {
		return Account{}, &refusal.InvalidError{Field: "role", Text: "is not a known role"}
	}
	return o.change(ctx, account, audit.Role, func(_ *rows.Tx, id caller.AccountID, r *Record) error {
		r.Role = role
		if o.by != nil && role != RoleColonel && o.accounts.ColonelOf(r, o.accounts.AddressOf(id, r)) {
			return &caller.PolicyError{Field: "role", Text: "The operator's settings make this account an administrator."}
		}
		return nil
	})
}

// DisableAccount disables or enables an account. Disabling ends its sessions
// and makes its tokens useless. It returns ErrNotFound.
func (o Operator) DisableAccount(ctx context.Context, account caller.Text, disabled bool) (Account, error) {
	return o.change(ctx, account, audit.Disable, func(tx *rows.Tx, id caller.AccountID, r *Record) error {
		if !disabled {
			r.Disabled = false
			return nil
		}
		return Disable(tx, id, r)
	})
}

// change changes an account in one transaction with its audit row, and returns
// the updated account.
func (o Operator) change(ctx context.Context, account caller.Text, kind audit.Type, change func(*rows.Tx, caller.AccountID, *Record) error) (shown Account, err error) {
	now := o.accounts.clock.Now()
	err = o.accounts.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		id, r, err := o.Target(tx, account)
		if err != nil {
			return err
		}
		if err := change(tx, id, r); err != nil {
			return err
		}
		if err := Amend(tx, id, r, kind, now); err != nil {
			return err
		}
		if err := o.RecordActor(tx, now); err != nil {
			return err
		}
		shown, err = o.accounts.DescribeAccount(tx, id, r)
		return err
	})
	if err != nil {
		return Account{}, err
	}
	o.accounts.watches.TellAccount(shown.ID)
	return shown, nil
}

// Find returns the id and the address of the account to be changed; see Target.
func (o Operator) Find(ctx context.Context, account caller.Text) (id caller.AccountID, address string, err error) {
	err = o.accounts.store.View(ctx, func(tx *rows.Tx) error {
		var r *Record
		if id, r, err = o.Target(tx, account); err != nil {
			return err
		}
		address = o.accounts.AddressOf(id, r)
		return nil
	})
	return id, address, err
}

// Target finds the account to be changed, in the transaction that changes it. An
// administrator must still be one, and gets ErrInvalid for their own account.
func (o Operator) Target(tx *rows.Tx, account caller.Text) (caller.AccountID, *Record, error) {
	if o.by != nil {
		if err := o.mayAct(tx); err != nil {
			return caller.AccountID{}, nil, err
		}
	}
	id, r, err := o.accounts.ResolveAccount(tx, account)
	if err == nil && o.by != nil && id == o.by.ID {
		err = &refusal.InvalidError{Field: "account", Text: "is your own: only another administrator can change it here"}
	}
	if err != nil {
		return caller.AccountID{}, nil, err
	}
	return id, r, nil
}

// mayAct returns an error unless the administrator may act: the password is
// unchanged, and the role in effect.
func (o Operator) mayAct(tx *rows.Tx) error {
	r, err := o.accounts.StillProved(tx, o.by.ID, o.by.Proved)
	if err != nil {
		return err
	}
	if !o.accounts.ColonelOf(r, o.accounts.AddressOf(o.by.ID, r)) {
		return refusal.ErrNotFound
	}
	return nil
}

// RecordActor writes the audit row of who changed an account, after that of the
// change. The operator leaves none.
func (o Operator) RecordActor(tx *rows.Tx, now time.Time) error {
	if o.by == nil {
		return nil
	}
	return audit.WriteAccount(tx, now, audit.Administered, o.by.ID)
}

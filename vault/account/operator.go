package account

import (
	"context"
	"encoding/hex"
	"slices"
	"time"

	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/email"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Operator holds the operator's actions on accounts. It asks for no password:
// only the process that owns the data folder hands it out.
type Operator struct {
	v  *Accounts
	by *administrator // who acts; nil for the operator
}

// NewOperator returns the operator's actions on accounts.
func NewOperator(accounts *Accounts) Operator { return Operator{accounts, nil} }

// The sizes of a page of accounts.
const (
	AccountsDefault = 100
	AccountsMost    = 1000
)

// CreateAccount creates an account that is ready for use, with its address
// taken as confirmed. An account without a password needs a reset before its
// first sign-in. It returns ErrInvalid, ErrBusy, or ErrDuplicate if the address
// has an account; a tombstone does not count, nor one whose address was never confirmed.
func (o Operator) CreateAccount(ctx context.Context, a OperatorAccount) (made Account, err error) {
	v := o.v
	address, err := email.Canonical(a.Address)
	if err != nil {
		return Account{}, err
	}
	now := v.clock.Now()
	id, fresh, err := o.operatorRecord(address, a.Locale, a.Role, now)
	if err != nil {
		return Account{}, err
	}
	var secret *accountSecret
	if a.Password != "" {
		if secret, err = v.passwords.newSecret(ctx, "password", a.Password, address); err != nil {
			return Account{}, err
		}
	}
	err = v.store.Update(ctx, func(tx *rows.Tx) error {
		at, err := v.takeAddress(tx, fresh.AddressID, now)
		if err != nil {
			return err
		}
		if at != addressFree && at != addressBuried {
			return refusal.ErrDuplicate
		}
		if err := v.addAccount(tx, id, fresh, secret, now); err != nil {
			return err
		}
		made, err = v.DescribeAccount(tx, id, fresh)
		return err
	})
	if err != nil {
		return Account{}, err
	}
	return made, nil
}

// operatorRecord returns the record of an account that the operator vouches
// for.
func (o Operator) operatorRecord(address, locale string, role Role, now time.Time) (caller.AccountID, *Record, error) {
	locale, err := optionalLocale(locale)
	if err != nil {
		return caller.AccountID{}, nil, err
	}
	if role == 0 {
		role = RoleCustomer
	}
	if role != RoleCustomer && role != RoleColonel {
		return caller.AccountID{}, nil, &refusal.InvalidError{Field: "role", Text: "is not a known role"}
	}
	id, r := o.v.newAccount(address, locale, now)
	r.Proof, r.verified, r.Role = ProofOperator, now, role
	return id, r, nil
}

// ListAccounts lists accounts, newest first. token is the next of the previous
// page, empty for the first one; next is empty on the last page. A size of 0
// means AccountsDefault.
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
		size = AccountsDefault
	}
	size = min(size, AccountsMost)
	err = o.v.store.View(ctx, func(tx *rows.Tx) error {
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
	shown, err = o.v.DescribeAccount(tx, caller.AccountID(key), r)
	return shown, err == nil, err
}

// CreateInvite is that of SignUps.
func (o Operator) CreateInvite(ctx context.Context, address caller.Text) (Invite, error) {
	return o.v.signUps.createInvite(ctx, operatorID(), "", address)
}

// ListInvites is that of SignUps.
func (o Operator) ListInvites(ctx context.Context, size int, token string) (list []WaitingInvite, next string, err error) {
	return o.v.signUps.listInvites(ctx, size, token)
}

// RevokeInvite is that of SignUps.
func (o Operator) RevokeInvite(ctx context.Context, id string) error {
	return o.v.signUps.revokeInvite(ctx, operatorID(), id)
}

// GetAccount returns the account of an address or id, or ErrNotFound.
func (o Operator) GetAccount(ctx context.Context, account caller.Text) (shown Account, err error) {
	err = o.v.store.View(ctx, func(tx *rows.Tx) error {
		id, r, err := o.v.ResolveAccount(tx, account)
		if err != nil {
			return err
		}
		shown, err = o.v.DescribeAccount(tx, id, r)
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
		if o.by != nil && role != RoleColonel && o.v.ColonelOf(r, o.v.AddressOf(id, r)) {
			return &caller.PolicyError{Field: "role", Text: "The operator's settings make this account an administrator."}
		}
		return nil
	})
}

// DisableAccount disables or enables an account. Disabling ends its sessions
// and makes its tokens useless. It returns ErrNotFound.
func (o Operator) DisableAccount(ctx context.Context, account caller.Text, disabled bool) (Account, error) {
	return o.change(ctx, account, audit.Disable, func(tx *rows.Tx, id caller.AccountID, r *Record) error {
		if r.Disabled = disabled; !disabled {
			return nil
		}
		return endUse(tx, id, r)
	})
}

// change changes an account in one transaction with its audit row, and returns
// the updated account.
func (o Operator) change(ctx context.Context, account caller.Text, kind audit.Type, change func(*rows.Tx, caller.AccountID, *Record) error) (shown Account, err error) {
	now := o.v.clock.Now()
	err = o.v.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		id, r, err := o.target(tx, account)
		if err != nil {
			return err
		}
		if err := change(tx, id, r); err != nil {
			return err
		}
		if err := amend(tx, id, r, kind, now); err != nil {
			return err
		}
		if err := o.by.record(tx, now); err != nil {
			return err
		}
		shown, err = o.v.DescribeAccount(tx, id, r)
		return err
	})
	if err != nil {
		return Account{}, err
	}
	o.v.others.Changed(shown.ID)
	return shown, nil
}

// ResetPassword sets a password like a mailed link does; the operator vouches
// for the owner instead. It returns how many entries of the account can no
// longer be opened, or ErrNotFound, ErrInvalid or ErrBusy.
func (o Operator) ResetPassword(ctx context.Context, account, password caller.Text) (sealed int64, err error) {
	target, address, err := o.find(ctx, account)
	if err != nil {
		return 0, err
	}
	field := "password"
	if o.by != nil {
		field = "new_password"
	}
	secret, err := o.v.passwords.newSecret(ctx, field, password, address)
	if err != nil {
		return 0, err
	}
	now := o.v.clock.Now()
	err = o.v.store.Update(ctx, func(tx *rows.Tx) error {
		id, r, err := o.target(tx, caller.Text(target.String()))
		if err != nil {
			return err
		}
		by := r.Proof
		if by == proofNone {
			by = ProofOperator
		}
		if err := confirmAddress(tx, r, by, now); err != nil {
			return err
		}
		if sealed, err = o.v.passwords.resetPassword(tx, id, r, secret, now); err != nil {
			return err
		}
		return o.by.record(tx, now)
	})
	if err != nil {
		return 0, err
	}
	o.v.others.Changed(target)
	return sealed, nil
}

// find returns the id and the address of the account to be changed; see target.
func (o Operator) find(ctx context.Context, account caller.Text) (id caller.AccountID, address string, err error) {
	err = o.v.store.View(ctx, func(tx *rows.Tx) error {
		var r *Record
		if id, r, err = o.target(tx, account); err != nil {
			return err
		}
		address = o.v.AddressOf(id, r)
		return nil
	})
	return id, address, err
}

// DestroyAccount destroys an account like its owner can, and returns how many
// live secrets it burned, or ErrNotFound.
func (o Operator) DestroyAccount(ctx context.Context, account caller.Text) (burned int, err error) {
	target, _, err := o.find(ctx, account)
	if err != nil {
		return 0, err
	}
	now := o.v.clock.Now()
	return o.v.destroyAccount(ctx, target, now, func(tx *rows.Tx) (*Record, error) {
		_, r, err := o.target(tx, caller.Text(target.String()))
		return r, err
	}, func(tx *rows.Tx) error { return o.by.record(tx, now) })
}

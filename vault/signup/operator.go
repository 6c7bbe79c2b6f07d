package signup

import (
	"context"
	"time"

	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/email"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Operator holds how the operator lets people in. It asks for no password: only the
// process that owns the data folder hands it out.
type Operator struct{ su *SignUps }

// NewOperator returns how the operator lets people in.
func NewOperator(signUps *SignUps) Operator { return Operator{signUps} }

// CreateAccount creates an account that is ready for use, with its address
// taken as confirmed. An account without a password needs a reset before its
// first sign-in. It returns ErrInvalid, ErrBusy, or ErrDuplicate if the address
// has an account; a tombstone does not count, nor one whose address was never confirmed.
func (o Operator) CreateAccount(ctx context.Context, a OperatorAccount) (made account.Account, err error) {
	address, err := email.Canonical(a.Address)
	if err != nil {
		return account.Account{}, err
	}
	now := o.su.clock.Now()
	id, fresh, err := o.operatorRecord(address, a.Locale, a.Role, now)
	if err != nil {
		return account.Account{}, err
	}
	var secret *account.NewSecret
	if a.Password != "" {
		if secret, err = o.su.passwords.NewSecret(ctx, "password", a.Password, address); err != nil {
			return account.Account{}, err
		}
	}
	err = o.su.store.Update(ctx, func(tx *rows.Tx) error {
		at, err := takeAddress(tx, fresh.AddressID, now)
		if err != nil {
			return err
		}
		if at != account.AddressFree && at != account.AddressBuried {
			return refusal.ErrDuplicate
		}
		if err := o.su.accounts.Add(tx, id, fresh, secret, now); err != nil {
			return err
		}
		made, err = o.su.accounts.DescribeAccount(tx, id, fresh)
		return err
	})
	if err != nil {
		return account.Account{}, err
	}
	return made, nil
}

// operatorRecord returns the record of an account that the operator vouches
// for.
func (o Operator) operatorRecord(address, locale string, role account.Role, now time.Time) (caller.AccountID, *account.Record, error) {
	locale, err := account.OptionalLocale(locale)
	if err != nil {
		return caller.AccountID{}, nil, err
	}
	if role == 0 {
		role = account.RoleCustomer
	}
	if role != account.RoleCustomer && role != account.RoleColonel {
		return caller.AccountID{}, nil, &refusal.InvalidError{Field: "role", Text: "is not a known role"}
	}
	id, r := o.su.accounts.NewRecord(address, locale, now)
	r.Proof, r.Verified, r.Role = account.ProofOperator, now, role
	return id, r, nil
}

// CreateInvite is that of SignUps.
func (o Operator) CreateInvite(ctx context.Context, address caller.Text) (Invite, error) {
	return o.su.createInvite(ctx, operatorID(), "", address)
}

// ListInvites is that of SignUps.
func (o Operator) ListInvites(ctx context.Context, size int, token string) (list []WaitingInvite, next string, err error) {
	return o.su.listInvites(ctx, size, token)
}

// RevokeInvite is that of SignUps.
func (o Operator) RevokeInvite(ctx context.Context, id string) error {
	return o.su.revokeInvite(ctx, operatorID(), id)
}

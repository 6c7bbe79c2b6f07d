package vault

import (
	"context"

	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/rows"
	"hush/vault/signup"
)

// ResetPassword sets a new password with the token of a mailed link, which also
// confirms the address. It ends all sessions and API tokens. Nothing can open
// the account's earlier entries any more; it returns how many there are. It
// returns ErrTicket, ErrInvalid or ErrBusy.
func (v *Vault) ResetPassword(ctx context.Context, _ caller.Caller, token, password caller.Text) (sealed int64, err error) {
	now := v.clock.Now()
	address, err := v.SignUps.FindReset(ctx, token, now)
	if err != nil {
		return 0, err
	}
	next, err := v.Passwords.NewSecret(ctx, "new_password", password, address)
	if err != nil {
		return 0, err
	}
	var id caller.AccountID
	err = v.store.Update(ctx, func(tx *rows.Tx) error {
		var r *account.Record
		var err error
		if id, r, err = signup.TakeReset(tx, token, now); err != nil {
			return err
		}
		if sealed, err = receipt.CountEntries(tx, id); err != nil {
			return err
		}
		return v.Passwords.Reset(tx, id, r, next, sealed, now)
	})
	if err != nil {
		return 0, err
	}
	v.Watches.TellAccount(id)
	return sealed, nil
}

// ResetPassword sets a password like a mailed link does; the operator vouches
// for the owner instead. It returns how many entries of the account can no
// longer be opened, or ErrNotFound, ErrInvalid or ErrBusy.
func (o AccountOperator) ResetPassword(ctx context.Context, name, password caller.Text) (sealed int64, err error) {
	target, address, err := o.Find(ctx, name)
	if err != nil {
		return 0, err
	}
	field := "password"
	if o.ByAdministrator() {
		field = "new_password"
	}
	next, err := o.v.Passwords.NewSecret(ctx, field, password, address)
	if err != nil {
		return 0, err
	}
	now := o.v.clock.Now()
	err = o.v.store.Update(ctx, func(tx *rows.Tx) error {
		id, r, err := o.Target(tx, caller.Text(target.String()))
		if err != nil {
			return err
		}
		by := r.Proof
		if by == account.ProofNone {
			by = account.ProofOperator
		}
		if err := account.ConfirmAddress(tx, r, by, now); err != nil {
			return err
		}
		if sealed, err = receipt.CountEntries(tx, id); err != nil {
			return err
		}
		if err := o.v.Passwords.Reset(tx, id, r, next, sealed, now); err != nil {
			return err
		}
		return o.RecordActor(tx, now)
	})
	if err != nil {
		return 0, err
	}
	o.v.Watches.TellAccount(target)
	return sealed, nil
}

package account

import (
	"context"
	"errors"
	"time"

	"hush/storage"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/spent"
)

// GetAccount returns the caller's account, or ErrUnauthenticated for a caller
// without one.
func (ac *Accounts) GetAccount(ctx context.Context, c caller.Caller) (shown Account, err error) {
	if c.Anonymous() {
		return Account{}, refusal.ErrUnauthenticated
	}
	err = ac.store.View(ctx, func(tx *rows.Tx) error {
		r, err := UsableAccount(tx, c.AccountID())
		if err != nil {
			return err
		}
		shown, err = ac.DescribeAccount(tx, c.AccountID(), r)
		return err
	})
	return shown, err
}

// UsableAccount loads the account of a caller. It returns ErrUnauthenticated if
// the account was destroyed or disabled since.
func UsableAccount(tx storage.Tx, id caller.AccountID) (*Record, error) {
	r, err := GetAccount(tx, id)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && !r.Usable() {
		return nil, refusal.ErrUnauthenticated
	}
	return r, err
}

// ColonelOf reports whether the colonel role is in effect: the account or its
// address has the role, and the ownership of the address is proved.
func (ac *Accounts) ColonelOf(r *Record, address string) bool {
	proved := r.Proof == ProofMail || r.Proof == ProofOperator
	return proved && (r.Role == RoleColonel || ac.policy.Colonel(address))
}

// DescribeAccount returns a record as shown to its owner.
func (ac *Accounts) DescribeAccount(tx *rows.Tx, id caller.AccountID, r *Record) (Account, error) {
	did, err := GetTally(tx, id)
	if err != nil {
		return Account{}, err
	}
	address, role := ac.AddressOf(id, r), RoleCustomer
	if ac.ColonelOf(r, address) {
		role = RoleColonel
	}
	return Account{
		ID: id, Address: address, PendingAddress: ac.openAddress(fieldPendingAddress, id, r.PendingAddress),
		Role: role, Verified: r.Proof != ProofNone, Created: r.Created, Updated: r.Updated,
		SignedIn: r.SignedIn, Locale: r.Locale, NotifyOpened: r.NotifyOpened, Disabled: r.Disabled,
		Tally: Tally{
			Created: int64(did.Created), Shared: int64(did.Shared),
			Burned: int64(did.Burned), Emails: int64(did.Emails),
		},
		SealedCount: int64(r.SealedCount), TTLCeiling: ac.limits.AccountTTL, SecretLimit: ac.limits.AccountSecret,
	}, nil
}

// changeOwn changes the caller's account in one transaction with its audit row,
// and returns the updated account.
func (ac *Accounts) changeOwn(ctx context.Context, c caller.Caller, kind audit.Type, change func(*rows.Tx, *Record) error) (shown Account, err error) {
	if c.Anonymous() {
		return Account{}, refusal.ErrUnauthenticated
	}
	now, id := ac.clock.Now(), c.AccountID()
	err = ac.store.Update(ctx, func(tx *rows.Tx) error {
		r, err := UsableAccount(tx, id)
		if err != nil {
			return err
		}
		if err := change(tx, r); err != nil {
			return err
		}
		if err := Amend(tx, id, r, kind, now); err != nil {
			return err
		}
		shown, err = ac.DescribeAccount(tx, id, r)
		return err
	})
	return shown, err
}

// Amend stores a changed record and its audit row, and notes what a backup of the
// account must not bring back.
func Amend(tx *rows.Tx, id caller.AccountID, r *Record, kind audit.Type, now time.Time) error {
	if ended := r.spent(kind); ended != spent.KindNone {
		if err := spent.Note(tx, ended, id[:], now); err != nil {
			return err
		}
	}
	r.Updated = now
	if err := PutAccount(tx, id, r); err != nil {
		return err
	}
	return audit.WriteAccount(tx, now, kind, id)
}

// spent returns what the spent log calls a change of the account.
func (r *Record) spent(kind audit.Type) spent.Kind {
	switch {
	case kind == audit.Password:
		return spent.KindPasswordChanged
	case kind == audit.Reset:
		return spent.KindPasswordReset
	case kind == audit.Disable && r.Disabled:
		return spent.KindAccountDisabled
	case kind == audit.Role && r.Role != RoleColonel:
		return spent.KindRoleLost
	default:
		return spent.KindNone
	}
}

package vault

import (
	"context"
	"errors"
	"time"

	"hush/storage"
)

// GetAccount shows the caller's account. Callers without one get
// ErrUnauthenticated.
func (v *Vault) GetAccount(ctx context.Context, c Caller) (shown Account, err error) {
	if c.with == nil {
		return Account{}, ErrUnauthenticated
	}
	err = v.store.View(ctx, func(tx storage.Tx) error {
		r, err := usableAccount(tx, c.with.id)
		if err != nil {
			return err
		}
		shown, err = v.describeAccount(tx, c.with.id, r)
		return err
	})
	return shown, err
}

// usableAccount loads the account of a caller. One that ended since the caller
// was authenticated is ErrUnauthenticated.
func usableAccount(tx storage.Tx, id AccountID) (*accountRecord, error) {
	r, err := getAccount(tx, id)
	if errors.Is(err, ErrNotFound) || err == nil && !r.usable() {
		return nil, ErrUnauthenticated
	}
	return r, err
}

// colonelOf tells whether the colonel's role takes effect: it was given to the
// account or to its address, and the address is known to be its owner's.
func (v *Vault) colonelOf(r *accountRecord, address string) bool {
	proved := r.proof == proofMail || r.proof == proofOperator
	return proved && (r.role == RoleColonel || v.policy.colonel(address))
}

// describeAccount turns a record into what its account is shown.
func (v *Vault) describeAccount(tx storage.Tx, id AccountID, r *accountRecord) (Account, error) {
	did, err := getTally(tx, id)
	if err != nil {
		return Account{}, err
	}
	address, role := v.addressOf(id, r), RoleCustomer
	if v.colonelOf(r, address) {
		role = RoleColonel
	}
	return Account{
		ID: id, Address: address, PendingAddress: v.openAddress(fieldPendingAddress, id, r.pendingAddress),
		Role: role, Verified: r.proof != proofNone, Created: r.created, Updated: r.updated,
		SignedIn: r.signedIn, Locale: r.locale, NotifyOpened: r.notifyOpened, Disabled: r.disabled,
		Tally: Tally{
			Created: int64(did.created), Shared: int64(did.shared),
			Burned: int64(did.burned), Emails: int64(did.emails),
		},
		SealedCount: int64(r.sealedCount), TTLCeiling: v.limits.AccountTTL, SecretLimit: v.limits.AccountSecret,
	}, nil
}

// changeOwn changes the caller's account in one transaction with its audit
// row, and returns the account afterwards.
func (v *Vault) changeOwn(ctx context.Context, c Caller, kind AuditType, change func(storage.Tx, *accountRecord) error) (shown Account, err error) {
	if c.with == nil {
		return Account{}, ErrUnauthenticated
	}
	now, id := v.clock.now(), c.with.id
	err = v.store.Update(ctx, func(tx storage.Tx) error {
		r, err := usableAccount(tx, id)
		if err != nil {
			return err
		}
		if err := change(tx, r); err != nil {
			return err
		}
		if err := amend(tx, id, r, kind, now); err != nil {
			return err
		}
		shown, err = v.describeAccount(tx, id, r)
		return err
	})
	return shown, err
}

// amend stores a changed record and its audit row.
func amend(tx storage.Tx, id AccountID, r *accountRecord, kind AuditType, now time.Time) error {
	r.updated = now
	if err := putAccount(tx, id, r); err != nil {
		return err
	}
	return auditAccount(tx, now, kind, id)
}

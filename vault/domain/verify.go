package domain

import (
	"context"
	"errors"
	"time"

	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// VerifyDomain queries DNS now about a domain of the caller's account, given by
// name or id, and returns the result. A missing record is not an error. It
// returns ErrDomainNotFound, ErrNotConfigured without a resolver, ErrBusy while
// the account or its network has several checks running, and ErrDuplicate if the
// record exists but another account holds the verified name.
func (ck *Checks) VerifyDomain(ctx context.Context, c caller.Caller, name string) (Domain, error) {
	owner, err := domainOwner(c)
	if err != nil {
		return Domain{}, err
	}
	release, err := ck.turns.enter(ctx, owner, c.Network)
	if err != nil {
		return Domain{}, err
	}
	defer release()
	return ck.verifyDomain(ctx, owner, name, c.Address())
}

func (ck *Checks) verifyDomain(ctx context.Context, owner caller.AccountID, text, address string) (Domain, error) {
	seen, err := ck.domains.seeOwned(ctx, owner, text)
	if err != nil {
		return Domain{}, err
	}
	if ck.resolver == nil {
		return Domain{}, refusal.ErrNotConfigured
	}
	d, err := ck.checkOwned(ctx, seen, nil)
	if errors.Is(err, refusal.ErrDomainNotFound) {
		return Domain{}, &refusal.DomainError{Domain: text}
	}
	if err != nil {
		return Domain{}, err
	}
	return d.show(address), nil
}

// verdict is what a check changed besides the record.
type verdict struct {
	taken     bool // the proof exists, but another account holds the name
	suspended bool
}

// checkOwned queries DNS about a domain and stores the result. It returns
// ErrDomainNotFound if the domain was removed meanwhile. row is the row of the
// index of checks, or nil if the account requested the check.
func (ck *Checks) checkOwned(ctx context.Context, seen *ownedDomain, row []byte) (*ownedDomain, error) {
	now := ck.clock.Now()
	found := ck.askDNS(ctx, seen, now)
	if err := ctx.Err(); err != nil {
		return nil, err // a canceled query is not a result
	}
	var d *ownedDomain
	var result verdict
	err := ck.store.Update(ctx, func(tx *rows.Tx) error {
		var err error
		if d, err = findDomain(tx, seen.owner, seen.name); err != nil {
			return err
		}
		if d.record.value != seen.record.value {
			return &refusal.DomainError{Domain: seen.name} // another claim of the name
		}
		if row != nil {
			if err := tx.Delete(BucketRecheck, row); err != nil {
				return err
			}
		}
		result, err = ck.settle(tx, d, found, row == nil, now)
		return err
	})
	if err != nil {
		return nil, err
	}
	if result.suspended {
		ck.outbox.Wake()
	}
	if result.taken {
		return nil, refusal.ErrDuplicate
	}
	return d, nil
}

// settle stores the result of a check, moves the domain to its new state, and
// schedules the next check. asked reports that the account requested the check.
func (ck *Checks) settle(tx *rows.Tx, d *ownedDomain, found findings, asked bool, now time.Time) (result verdict, err error) {
	r := d.record
	if asked && r.state == DomainPending {
		r.asked, r.tries = now, 0
	}
	if found.txt.Passed {
		if result.taken, err = d.takenBy(tx); err != nil {
			return result, err
		}
	}
	if result.taken {
		found.txt.Passed, found.txt.Problem = false, problemTaken
	}
	r.checked, r.resolving, r.checks = now, found.address.Passed, []Check{found.txt, found.address}
	switch {
	case found.txt.Passed:
		err = d.markVerified(tx, now)
	case found.txt.isUnanswered():
		r.tries++ // it is asked again, and has not failed
	default:
		result.suspended, err = ck.fail(tx, d, now)
	}
	if err != nil {
		return result, err
	}
	if err := d.schedule(tx, d.nextCheck(now)); err != nil {
		return result, err
	}
	return result, d.put(tx)
}

// markVerified makes a domain verified. One that was suspended is verified anew:
// another account may have held the name meanwhile, and what was shared under it then
// does not belong to this one.
func (d *ownedDomain) markVerified(tx *rows.Tx, now time.Time) error {
	r := d.record
	r.failing, r.tries = time.Time{}, 0
	if r.state == DomainVerified {
		return nil
	}
	r.state, r.updated, r.verified = DomainVerified, now, now
	if err := tx.Put(BucketVerified, []byte(d.name), d.owner[:]); err != nil {
		return err
	}
	if err := counter.Add(tx, counter.Change{Counter: counter.Domains, By: +1}); err != nil {
		return err
	}
	return audit.WriteAccount(tx, now, audit.DomainVerified, d.owner)
}

// fail counts a failed check. It suspends a verified domain whose checks have
// failed for failingTime, and notifies its owner.
func (ck *Checks) fail(tx *rows.Tx, d *ownedDomain, now time.Time) (suspended bool, err error) {
	r := d.record
	r.tries++
	if r.state != DomainVerified {
		return false, nil
	}
	if r.failing.IsZero() {
		r.failing = now
	}
	if now.Sub(r.failing) < failingTime {
		return false, nil
	}
	r.state, r.updated = DomainSuspended, now
	if err := d.unhold(tx); err != nil {
		return false, err
	}
	if err := audit.WriteAccount(tx, now, audit.DomainSuspended, d.owner); err != nil {
		return false, err
	}
	return true, ck.tellSuspended(tx, d, now)
}

func (ck *Checks) tellSuspended(tx *rows.Tx, d *ownedDomain, now time.Time) error {
	account, err := account.GetAccount(tx, d.owner)
	if err != nil {
		return err
	}
	address := ck.accounts.AddressOf(d.owner, account)
	if address == "" {
		return nil
	}
	return ck.outbox.PutNotice(tx, outbox.Mail{
		Kind: outbox.MailSuspended, To: caller.Text(address), Locale: account.Locale, Domain: d.name, Created: now,
	}, now)
}

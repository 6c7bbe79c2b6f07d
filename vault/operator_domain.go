package vault

import (
	"context"
	"errors"

	"hush/storage"
)

// OperatorDomains is the most domains that are listed at a time.
const OperatorDomains = 10_000

// ListDomains shows the domains of an account, newest first, or those of all
// accounts if it is empty, by account and at most OperatorDomains. It returns
// ErrNotFound for an unknown account.
func (o Operator) ListDomains(ctx context.Context, account Text) ([]Domain, error) {
	if account == "" {
		return o.allDomains(ctx)
	}
	owner, address, err := o.domainOwner(ctx, account)
	if err != nil {
		return nil, err
	}
	return o.v.listDomains(ctx, owner, address)
}

func (o Operator) allDomains(ctx context.Context) (list []Domain, err error) {
	err = o.v.store.View(ctx, func(tx storage.Tx) error {
		list = nil
		return ignoreEnough(tx.Range(bucketDomain, nil, nil, func(key, value []byte) error {
			if len(list) == OperatorDomains {
				return errEnough
			}
			owner, name, ok := splitDomainKey(key)
			if !ok {
				return errDamaged
			}
			record, err := decodeDomain(value)
			if err != nil {
				return err
			}
			account, err := getAccount(tx, owner)
			if err != nil {
				return err
			}
			d := ownedDomain{owner, name, record}
			list = append(list, d.show(o.v.addressOf(owner, account)))
			return nil
		}))
	})
	return list, err
}

// VerifyDomain does what the account's own VerifyDomain does. The account may
// be empty if one alone claims the domain; if several do that is ErrInvalid. It
// returns ErrNotFound for an unknown account.
func (o Operator) VerifyDomain(ctx context.Context, account Text, domain string) (Domain, error) {
	if account == "" {
		var err error
		if account, err = o.soleOwner(ctx, domain); err != nil {
			return Domain{}, err
		}
	}
	owner, address, err := o.domainOwner(ctx, account)
	if err != nil {
		return Domain{}, err
	}
	return o.v.verifyDomain(ctx, owner, domain, address)
}

// soleOwner names the account that alone claims a domain, given by its name or
// id.
func (o Operator) soleOwner(ctx context.Context, domain string) (Text, error) {
	var owners []AccountID
	err := o.v.store.View(ctx, func(tx storage.Tx) (err error) {
		owners, err = claimants(tx, domain)
		return err
	})
	switch {
	case err != nil:
		return "", err
	case len(owners) == 0:
		return "", &DomainError{Domain: domain}
	case len(owners) > 1:
		return "", &InvalidError{Field: "account", Text: "must be named: several accounts claim the domain"}
	}
	return Text(owners[0].String()), nil
}

// claimants lists the accounts that claim a domain, given by its name or id.
func claimants(tx storage.Tx, domain string) (owners []AccountID, err error) {
	name, ok := canonicalDomain(domain)
	if !ok {
		owner, _, err := domainByID(tx, domain)
		if errors.Is(err, ErrNotFound) {
			return nil, nil
		}
		return []AccountID{owner}, err
	}
	err = tx.Range(bucketDomain, nil, nil, func(key, _ []byte) error {
		owner, claimed, ok := splitDomainKey(key)
		if !ok {
			return errDamaged
		}
		if claimed == name {
			owners = append(owners, owner)
		}
		return nil
	})
	return owners, err
}

func (o Operator) domainOwner(ctx context.Context, account Text) (owner AccountID, address string, err error) {
	err = o.v.store.View(ctx, func(tx storage.Tx) error {
		id, record, err := o.v.resolveAccount(tx, account)
		if err != nil {
			return err
		}
		owner, address = id, o.v.addressOf(id, record)
		return nil
	})
	return owner, address, err
}

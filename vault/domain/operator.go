package domain

import (
	"context"
	"errors"

	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Operator holds the operator's actions on domains. It asks for no password:
// only the process that owns the data folder hands it out.
type Operator struct{ v *Domains }

// NewOperator returns the operator's actions on domains.
func NewOperator(v *Domains) Operator { return Operator{v} }

// OperatorDomains is the maximum number of domains in a list.
const OperatorDomains = 10_000

// ListDomains lists the domains of an account, newest first. If account is
// empty it lists those of all accounts, by account and at most OperatorDomains.
// It returns ErrNotFound for an unknown account.
func (o Operator) ListDomains(ctx context.Context, account caller.Text) ([]Domain, error) {
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
	err = o.v.store.View(ctx, func(tx *rows.Tx) error {
		list = nil
		return rows.IgnoreEnough(tx.Range(BucketDomain, nil, nil, func(key, value []byte) error {
			if len(list) == OperatorDomains {
				return rows.ErrEnough
			}
			owner, name, ok := splitDomainKey(key)
			if !ok {
				return rows.ErrDamaged
			}
			record, err := decodeDomain(value)
			if err != nil {
				return err
			}
			account, err := account.GetAccount(tx, owner)
			if err != nil {
				return err
			}
			d := ownedDomain{owner, name, record}
			list = append(list, d.show(o.v.accounts.AddressOf(owner, account)))
			return nil
		}))
	})
	return list, err
}

// VerifyDomain does the same as the account's own VerifyDomain. The account may
// be empty if only one claims the domain; if several do, it returns ErrInvalid.
// It returns ErrNotFound for an unknown account.
func (o Operator) VerifyDomain(ctx context.Context, account caller.Text, domain string) (Domain, error) {
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
	return o.v.checks.verifyDomain(ctx, owner, domain, address)
}

// soleOwner returns the only account that claims a domain, given by name or id.
func (o Operator) soleOwner(ctx context.Context, domain string) (caller.Text, error) {
	var owners []caller.AccountID
	err := o.v.store.View(ctx, func(tx *rows.Tx) (err error) {
		owners, err = claimants(tx, domain)
		return err
	})
	switch {
	case err != nil:
		return "", err
	case len(owners) == 0:
		return "", &refusal.DomainError{Domain: domain}
	case len(owners) > 1:
		return "", &refusal.InvalidError{Field: "account", Text: "must be named: several accounts claim the domain"}
	}
	return caller.Text(owners[0].String()), nil
}

// claimants lists the accounts that claim a domain, given by name or id.
func claimants(tx *rows.Tx, domain string) (owners []caller.AccountID, err error) {
	name, ok := canonicalDomain(domain)
	if !ok {
		owner, _, err := domainByID(tx, domain)
		if errors.Is(err, refusal.ErrNotFound) {
			return nil, nil
		}
		return []caller.AccountID{owner}, err
	}
	err = tx.Range(BucketDomain, nil, nil, func(key, _ []byte) error {
		owner, claimed, ok := splitDomainKey(key)
		if !ok {
			return rows.ErrDamaged
		}
		if claimed == name {
			owners = append(owners, owner)
		}
		return nil
	})
	return owners, err
}

func (o Operator) domainOwner(ctx context.Context, account caller.Text) (owner caller.AccountID, address string, err error) {
	err = o.v.store.View(ctx, func(tx *rows.Tx) error {
		id, record, err := o.v.accounts.ResolveAccount(tx, account)
		if err != nil {
			return err
		}
		owner, address = id, o.v.accounts.AddressOf(id, record)
		return nil
	})
	return owner, address, err
}

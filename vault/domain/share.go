package domain

import (
	"context"
	"errors"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// ShareDomain returns the canonical name of the domain that a sender wishes for
// the link. What is empty, no public domain, or the service's own host is
// ignored; anything else has to be a verified domain of the caller's account,
// or it is a DomainError.
func (ds *Domains) ShareDomain(ctx context.Context, c caller.Caller, wish string) (string, error) {
	name, ok := canonicalDomain(wish)
	if !ok || !publicDomain(name) || name == ds.hostName() {
		return "", nil
	}
	d, err := ds.seeDomain(ctx, c, name)
	switch {
	case errors.Is(err, refusal.ErrUnauthenticated), errors.Is(err, refusal.ErrDomainNotFound):
		return "", &refusal.DomainError{Domain: wish, Field: "share_domain"}
	case err != nil:
		return "", err
	case d.record.state != DomainVerified:
		return "", &refusal.DomainError{Domain: wish, Field: "share_domain"}
	}
	return name, nil
}

// AdmitDomain tells whether a secret of an owner may be revealed that was
// shared on a domain: not while the domain is suspended, which is
// ErrDomainSuspended. The owner's later steps are his own: a domain that he
// gave up locks nothing.
func AdmitDomain(tx storage.Tx, owner, name string) error {
	id, ok := caller.ParseAccountID(owner)
	if !ok || name == "" {
		return nil
	}
	d, err := getDomain(tx, id, name)
	switch {
	case errors.Is(err, refusal.ErrNotFound):
		return nil
	case err != nil:
		return err
	case d.record.state == DomainSuspended:
		return refusal.ErrDomainSuspended
	}
	return nil
}

// GetPublicBrand shows anybody how a verified domain's pages look: id, names,
// brand, and whether there are images. It returns ErrNotFound for a name that
// nobody verified.
func (ds *Domains) GetPublicBrand(ctx context.Context, name string) (Domain, error) {
	d, err := ds.verifiedDomain(ctx, name)
	if err != nil {
		return Domain{}, err
	}
	whole := d.show("")
	return Domain{
		ID: whole.ID, Name: whole.Name, Base: whole.Base, Subdomain: whole.Subdomain, TRD: whole.TRD,
		TLD: whole.TLD, SLD: whole.SLD, Apex: whole.Apex, State: whole.State, Brand: whole.Brand,
		Logo: whole.Logo, Icon: whole.Icon,
	}, nil
}

// AdmitVisitor tells whether callers without an account may share on a site. On
// a verified domain it takes its owner's leave, which the brand gives: to the
// domain's own pages with AllowPublicHomepage, to everything else with
// AllowPublicAPI. Without it they get a PolicyError.
func (ds *Domains) AdmitVisitor(ctx context.Context, s caller.Site) error {
	name := ds.SiteDomain(s)
	if name == "" {
		return nil
	}
	d, err := ds.verifiedDomain(ctx, name)
	if errors.Is(err, refusal.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	allowed := d.record.brand.AllowPublicAPI
	if s.Page {
		allowed = d.record.brand.AllowPublicHomepage
	}
	if allowed == nil || !*allowed {
		return &caller.PolicyError{Text: "Public sharing disabled for domain: " + d.name}
	}
	return nil
}

// verifiedDomain returns the domain that somebody verified under a name, or
// ErrNotFound.
func (ds *Domains) verifiedDomain(ctx context.Context, name string) (d *ownedDomain, err error) {
	canonical, ok := canonicalDomain(name)
	if !ok {
		return nil, refusal.ErrNotFound
	}
	err = ds.store.View(ctx, func(tx storage.Tx) error {
		holder, err := VerifiedHolder(tx, canonical)
		if err != nil {
			return err
		}
		d, err = getDomain(tx, holder, canonical)
		return err
	})
	return d, err
}

// VerifiedHolder returns the account that verified a canonical name, or
// ErrNotFound.
func VerifiedHolder(tx storage.Tx, name string) (caller.AccountID, error) {
	holder, err := tx.Get(BucketVerified, []byte(name))
	if errors.Is(err, storage.ErrNotFound) {
		return caller.AccountID{}, refusal.ErrNotFound
	}
	if err != nil {
		return caller.AccountID{}, err
	}
	if len(holder) != len(caller.AccountID{}) {
		return caller.AccountID{}, rows.ErrDamaged
	}
	return caller.AccountID(holder), nil
}

package domain

import (
	"context"
	"errors"

	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// ShareDomain returns the canonical name of the domain that a sender requests
// for the link. It ignores an empty name, the service's own host, and a name
// that is not a public domain. Any other name must be a verified domain of the
// caller's account; otherwise it returns a DomainError.
func (ds *Domains) ShareDomain(ctx context.Context, c caller.Caller, requested string) (string, error) {
	name, ok := canonicalDomain(requested)
	if !ok || !publicDomain(name) || name == ds.hostName() {
		return "", nil
	}
	d, err := ds.seeDomain(ctx, c, name)
	switch {
	case errors.Is(err, refusal.ErrUnauthenticated), errors.Is(err, refusal.ErrDomainNotFound):
		return "", &refusal.DomainError{Domain: requested, Field: "share_domain"}
	case err != nil:
		return "", err
	case d.record.state != DomainVerified:
		return "", &refusal.DomainError{Domain: requested, Field: "share_domain"}
	}
	return name, nil
}

// AdmitDomain returns ErrDomainSuspended if a secret that owner shared on a
// domain must not be revealed because the domain is suspended. A domain that
// the owner has removed locks nothing.
func AdmitDomain(tx *rows.Tx, owner, name string) error {
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

// AdmitVisitor returns an error unless callers without the domain's account may share
// on a site. On a verified domain the brand decides: AllowPublicHomepage permits the
// domain's own pages, AllowPublicAPI everything else. Without permission the caller
// gets a PolicyError.
func (ds *Domains) AdmitVisitor(ctx context.Context, s caller.Site) error {
	_, err := ds.VisitedDomain(ctx, caller.Caller{Site: s})
	return err
}

// VisitedDomain returns the verified domain that a caller shares on, which its secret
// then belongs to, empty for the service's own host. It returns the errors of
// AdmitVisitor to callers without the domain's account.
func (ds *Domains) VisitedDomain(ctx context.Context, c caller.Caller) (string, error) {
	name := ds.SiteDomain(c.Site)
	if name == "" {
		return "", nil
	}
	d, err := ds.verifiedDomain(ctx, name)
	if errors.Is(err, refusal.ErrNotFound) {
		return "", nil
	}
	if err != nil || !c.Anonymous() && d.owner == c.AccountID() {
		return name, err
	}
	allowed := d.record.brand.AllowPublicAPI
	if c.Site.Page {
		allowed = d.record.brand.AllowPublicHomepage
	}
	if allowed == nil || !*allowed {
		return "", &caller.PolicyError{Text: "Public sharing disabled for domain: " + d.name}
	}
	return name, nil
}

// IsVerified reports whether a name is a verified domain that is not suspended.
// The name must be in its DNS form; other spellings of a domain are not it.
func (ds *Domains) IsVerified(ctx context.Context, name string) (bool, error) {
	d, err := ds.verifiedDomain(ctx, name)
	if errors.Is(err, refusal.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return d.name == name && d.record.state == DomainVerified, nil
}

// verifiedDomain returns the verified domain of a name, or ErrNotFound.
func (ds *Domains) verifiedDomain(ctx context.Context, name string) (d *ownedDomain, err error) {
	canonical, ok := canonicalDomain(name)
	if !ok {
		return nil, refusal.ErrNotFound
	}
	err = ds.store.View(ctx, func(tx *rows.Tx) error {
		holder, err := VerifiedHolder(tx, canonical)
		if err != nil {
			return err
		}
		d, err = getDomain(tx, holder, canonical)
		return err
	})
	return d, err
}

package domain

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// DomainLimit is the maximum number of domains of an account.
const DomainLimit = 100

// Domain is a host name that an account claims.
type Domain struct {
	// ID is 20 characters 0-9 and a-f.
	ID string
	// Name is the whole name, in lower case and ASCII. Base is the registered
	// part, SLD and TLD are its two sides, and TRD is what precedes it.
	// Subdomain equals Name unless the domain is an Apex.
	Name, Base, Subdomain, TRD, TLD, SLD string
	Apex                                 bool
	// TXTHost, relative to Base, is the name of the TXT record that proves
	// ownership with TXTValue.
	TXTHost, TXTValue string
	State             State
	// Checks are the latest checks; empty before the first.
	Checks []Check
	// Resolving reports whether the name resolved to this service at the last
	// check.
	Resolving bool
	Brand     Brand
	// Verified is when the domain was first verified, Checked when it was last
	// checked; zero before.
	Created, Updated, Verified, Checked time.Time
	// Logo and Icon have no content; nil if there is none.
	Logo, Icon *Image
	// Address is the account's address. It must not be logged.
	Address string
}

func (d *ownedDomain) show(address string) Domain {
	r, p := d.record, splitName(d.name)
	shown := Domain{
		ID: d.id().String(), Name: d.name, Base: p.base, TRD: p.trd, TLD: p.tld, SLD: p.sld, Apex: p.trd == "",
		TXTHost: d.challenge(), TXTValue: d.value(), State: r.state, Checks: r.checks, Resolving: r.resolving,
		Brand: r.brand, Created: r.created, Updated: r.updated, Verified: r.verified, Checked: r.checked,
		Logo: r.logo.show(ImageLogo), Icon: r.icon.show(ImageIcon), Address: address,
	}
	if !shown.Apex {
		shown.Subdomain = d.name
		shown.TXTHost += "." + p.trd
	}
	return shown
}

// AddDomain claims a name for the caller's account. A claim reserves nothing:
// other accounts may claim the name, too, and the first to verify it holds it.
// It returns ErrInvalid for the service's own name and for one that is not a
// public domain, ErrDuplicate if the account has it already, and ErrTooMany.
func (ds *Domains) AddDomain(ctx context.Context, c caller.Caller, name string) (Domain, error) {
	owner, err := domainOwner(c)
	if err != nil {
		return Domain{}, err
	}
	canonical, err := ds.claimName(name)
	if err != nil {
		return Domain{}, err
	}
	if err := ds.store.CheckDiskSpace(); err != nil {
		return Domain{}, err
	}
	now := ds.clock.Now()
	d := newDomain(owner, canonical, now)
	err = ds.store.Update(ctx, func(tx *rows.Tx) error { return d.claim(tx, now) })
	if err != nil {
		return Domain{}, err
	}
	return d.show(c.Address()), nil
}

// claimName returns the canonical form of a name that may be claimed.
func (ds *Domains) claimName(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", &refusal.InvalidError{Field: "domain", Text: "Please enter a domain"}
	}
	name, ok := canonicalDomain(text)
	if !ok || !publicDomain(name) || ds.ownName(name) {
		return "", &refusal.InvalidError{Field: "domain", Text: "Not a valid public domain"}
	}
	return name, nil
}

func newDomain(owner caller.AccountID, name string, now time.Time) *ownedDomain {
	r := &domainRecord{state: DomainPending, created: now, updated: now, asked: now, next: now.Add(checkSoonest)}
	rand.Read(r.value[:])
	return &ownedDomain{owner, name, r}
}

// claim adds a new domain to its account.
func (d *ownedDomain) claim(tx *rows.Tx, now time.Time) error {
	account, err := account.GetAccount(tx, d.owner)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && !account.Usable() {
		return refusal.ErrUnauthenticated
	}
	if err != nil {
		return err
	}
	names, err := domainNames(tx, d.owner)
	if err != nil {
		return err
	}
	if slices.Contains(names, d.name) {
		return refusal.ErrDuplicate
	}
	if len(names) >= DomainLimit {
		return &refusal.TooManyError{What: "domains", Limit: DomainLimit}
	}
	id := d.id()
	if err := tx.Put(BucketDomainID, id[:], d.key()); err != nil {
		return err
	}
	if err := tx.Put(BucketRecheck, recheckKey(d.record.next, d), nil); err != nil {
		return err
	}
	if err := d.put(tx); err != nil {
		return err
	}
	return audit.WriteAccount(tx, now, audit.DomainAdded, d.owner)
}

// RemoveDomain removes a domain of the caller's account, given by name or id,
// and returns the name. Its secrets stay. It returns ErrDomainNotFound.
func (ds *Domains) RemoveDomain(ctx context.Context, c caller.Caller, name string) (string, error) {
	seen, err := ds.seeDomain(ctx, c, name)
	if err != nil {
		return "", err
	}
	now := ds.clock.Now()
	err = ds.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		d, err := findDomain(tx, seen.owner, name)
		if err != nil {
			return err
		}
		if err := d.release(tx); err != nil {
			return err
		}
		return audit.WriteAccount(tx, now, audit.DomainRemoved, d.owner)
	})
	if err != nil {
		return "", err
	}
	return seen.name, nil
}

// release deletes a domain and everything that belongs to it.
func (d *ownedDomain) release(tx *rows.Tx) error {
	id := d.id()
	if d.record.state == DomainVerified {
		if err := d.unhold(tx); err != nil {
			return err
		}
	}
	if err := d.schedule(tx, time.Time{}); err != nil {
		return err
	}
	for _, kind := range []ImageKind{ImageLogo, ImageIcon} {
		if err := tx.Delete(BucketImage, imageKey(id, kind)); err != nil {
			return err
		}
	}
	if err := tx.Delete(BucketDomainID, id[:]); err != nil {
		return err
	}
	return tx.Delete(BucketDomain, d.key())
}

// EndDomains releases all domains of a destroyed account.
func (ds *Domains) EndDomains(tx *rows.Tx, id caller.AccountID) error {
	names, err := domainNames(tx, id)
	if err != nil {
		return err
	}
	for _, name := range names {
		d, err := getDomain(tx, id, name)
		if err != nil {
			return err
		}
		if err := d.release(tx); err != nil {
			return err
		}
	}
	return nil
}

// GetDomain returns a domain of the caller's account, given by name or id, or
// ErrDomainNotFound.
func (ds *Domains) GetDomain(ctx context.Context, c caller.Caller, name string) (Domain, error) {
	d, err := ds.seeDomain(ctx, c, name)
	if err != nil {
		return Domain{}, err
	}
	return d.show(c.Address()), nil
}

// ListDomains lists the domains of the caller's account, newest first.
func (ds *Domains) ListDomains(ctx context.Context, c caller.Caller) ([]Domain, error) {
	owner, err := domainOwner(c)
	if err != nil {
		return nil, err
	}
	return ds.listDomains(ctx, owner, c.Address())
}

func (ds *Domains) listDomains(ctx context.Context, owner caller.AccountID, address string) ([]Domain, error) {
	var list []Domain
	err := ds.store.View(ctx, func(tx *rows.Tx) error {
		list = nil
		names, err := domainNames(tx, owner)
		if err != nil {
			return err
		}
		for _, name := range names {
			d, err := getDomain(tx, owner, name)
			if err != nil {
				return err
			}
			list = append(list, d.show(address))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b Domain) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.Name, b.Name))
	})
	return list, nil
}

// seeDomain finds a domain of the caller in a read transaction.
func (ds *Domains) seeDomain(ctx context.Context, c caller.Caller, text string) (*ownedDomain, error) {
	owner, err := domainOwner(c)
	if err != nil {
		return nil, err
	}
	return ds.seeOwned(ctx, owner, text)
}

func (ds *Domains) seeOwned(ctx context.Context, owner caller.AccountID, text string) (d *ownedDomain, err error) {
	err = ds.store.View(ctx, func(tx *rows.Tx) error {
		d, err = findDomain(tx, owner, text)
		return err
	})
	return d, err
}

// changeDomain changes a domain of the caller and returns the updated domain.
func (ds *Domains) changeDomain(ctx context.Context, c caller.Caller, text string, change func(tx *rows.Tx, d *ownedDomain) error) (Domain, error) {
	seen, err := ds.seeDomain(ctx, c, text)
	if err != nil {
		return Domain{}, err
	}
	now := ds.clock.Now()
	var d *ownedDomain
	err = ds.store.Update(ctx, func(tx *rows.Tx) error {
		if d, err = findDomain(tx, seen.owner, text); err != nil {
			return err
		}
		if err := change(tx, d); err != nil {
			return err
		}
		d.record.updated = now
		return d.put(tx)
	})
	if err != nil {
		return Domain{}, err
	}
	return d.show(c.Address()), nil
}

// domainOwner returns the account whose domains the caller may manage.
func domainOwner(c caller.Caller) (caller.AccountID, error) {
	if c.Anonymous() {
		return caller.AccountID{}, refusal.ErrUnauthenticated
	}
	return c.AccountID(), nil
}

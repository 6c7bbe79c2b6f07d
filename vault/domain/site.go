package domain

import (
	"errors"
	"strings"
	"time"

	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// SiteDomain returns the name of the domain that a call was sent to, in the
// form of canonicalDomain. It is empty for the service's own host, and for
// names that cannot be verified.
func (ds *Domains) SiteDomain(s caller.Site) string {
	if s.Host == "" || strings.EqualFold(s.Host, ds.host) || !strings.Contains(s.Host, ".") {
		return ""
	}
	name, ok := canonicalDomain(s.Host)
	if !ok || name == ds.hostName() {
		return ""
	}
	return name
}

// hostName returns the service's own host in the form of HostName; empty if it
// is unknown.
func (ds *Domains) hostName() string { return HostName(ds.host) }

// ownName reports whether a canonical name is the service's own or below it.
func (ds *Domains) ownName(name string) bool {
	host := ds.hostName()
	return host != "" && isBelow(name, host)
}

// NameShown returns the domain that a secret was made for, by its owner or on its
// site. It is empty if another account has verified the name since: neither that
// account's brand nor a link on the name is the sender's. For a visitor's secret it is
// empty, too, if nothing serves the name any more.
func NameShown(tx *rows.Tx, owner, domain string, created time.Time) (string, error) {
	if domain == "" {
		return "", nil
	}
	held, err := HolderOf(tx, domain)
	switch {
	case errors.Is(err, refusal.ErrNotFound) && owner != "":
		return domain, nil
	case errors.Is(err, refusal.ErrNotFound):
		return "", nil
	case err != nil || held.By.String() != owner && !created.After(held.Since):
		return "", err
	}
	return domain, nil
}

// Holder is the account that has verified a name.
type Holder struct {
	By caller.AccountID
	// Since is when it did, the last time if its domain was suspended.
	Since time.Time
}

// HolderOf returns the holder of a canonical name, or ErrNotFound.
func HolderOf(tx *rows.Tx, name string) (Holder, error) {
	by, err := VerifiedHolder(tx, name)
	if err != nil {
		return Holder{}, err
	}
	d, err := getDomain(tx, by, name)
	if errors.Is(err, refusal.ErrNotFound) {
		err = rows.ErrInconsistent
	}
	if err != nil {
		return Holder{}, err
	}
	return Holder{by, d.record.verified}, nil
}

// BelongsOn reports whether what an owner made at a time for a domain, empty for none, is
// shown on the domain site, as SiteDomain returns it. A verified domain shows what was
// made on it since its account verified it, and what its account did not make for another
// one. Any other host counts as the service's own.
func BelongsOn(tx *rows.Tx, site, owner, domain string, created time.Time) (bool, error) {
	if site == "" {
		return true, nil
	}
	held, err := HolderOf(tx, site)
	switch {
	case errors.Is(err, refusal.ErrNotFound):
		return true, nil
	case err != nil:
		return false, err
	case held.By.String() == owner:
		return domain == "" || domain == site, nil
	}
	return domain == site && created.After(held.Since), nil
}

package domain

import (
	"errors"
	"strings"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
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

// NameShown returns the domain that an owner's secret was made for. It is empty
// if another account has verified the name since: neither that account's brand
// nor a link on the name is the sender's.
func NameShown(tx storage.Tx, owner, domain string) (string, error) {
	if domain == "" {
		return "", nil
	}
	holder, err := VerifiedHolder(tx, domain)
	switch {
	case errors.Is(err, refusal.ErrNotFound):
		return domain, nil
	case err != nil || holder.String() != owner:
		return "", err
	}
	return domain, nil
}

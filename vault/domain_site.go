package vault

import (
	"errors"
	"strings"

	"hush/storage"
)

// siteDomain is the name of the domain that a call was sent to, in the form of
// canonicalDomain. It is empty for the service's own host, and for names that
// nobody can have verified.
func (v *Vault) siteDomain(s Site) string {
	if s.Host == "" || strings.EqualFold(s.Host, v.host) || !strings.Contains(s.Host, ".") {
		return ""
	}
	name, ok := canonicalDomain(s.Host)
	if !ok || name == v.hostName() {
		return ""
	}
	return name
}

// belongsOn reports whether a secret is there for callers who come by the
// domain site, as siteDomain returns it. A domain that an account verified
// shows the secrets made for it and that account's own, never those of another
// account. Secrets of nobody's are on every site: visitors share them there.
// Any other host is like the service's own.
func (r *secretRecord) belongsOn(tx storage.Tx, site string) (bool, error) {
	if site == "" || r.owner == "" {
		return true, nil
	}
	holder, err := verifiedHolder(tx, site)
	switch {
	case errors.Is(err, ErrNotFound):
		return true, nil
	case err != nil:
		return false, err
	}
	return holder.String() == r.owner && (r.shareDomain == "" || r.shareDomain == site), nil
}

// domainNow is the domain that an owner's secret was made for; empty if another
// account has verified the name since. Neither its brand nor a link on it is
// the sender's then.
func domainNow(tx storage.Tx, owner, domain string) (string, error) {
	if domain == "" {
		return "", nil
	}
	holder, err := verifiedHolder(tx, domain)
	switch {
	case errors.Is(err, ErrNotFound):
		return domain, nil
	case err != nil || holder.String() != owner:
		return "", err
	}
	return domain, nil
}

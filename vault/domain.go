package vault

import (
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// checkDomain refuses a domain that a sender wishes for the link and does not
// have. What is empty, no public domain, or the service's own host is ignored;
// any other has to be a verified domain of the caller, of which there are none
// without an account.
func (v *Vault) checkDomain(wish string) error {
	name := strings.ToLower(strings.TrimSuffix(strings.TrimSpace(wish), "."))
	if name == "" || name == strings.ToLower(v.host) || !publicDomain(name) {
		return nil
	}
	return &DomainError{Domain: wish}
}

// publicDomain tells whether name could be registered by somebody: it stands
// under a suffix of the public list and is no address.
func publicDomain(name string) bool {
	if _, err := netip.ParseAddr(name); err == nil {
		return false
	}
	suffix, icann := publicsuffix.PublicSuffix(name)
	known := icann || strings.Contains(suffix, ".")
	return known && name != suffix && !strings.ContainsAny(name, " /:@?#")
}

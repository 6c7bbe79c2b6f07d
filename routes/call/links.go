package call

import (
	"net/url"
	"strings"
)

// Links builds the addresses that answers hold. They come from the configured
// base URL only, never from what a request says about its host.
type Links struct {
	base   string // without a slash at its end
	scheme string
}

// NewLinks returns the links of a service at base.
func NewLinks(base *url.URL) Links {
	return Links{base: strings.TrimSuffix(base.String(), "/"), scheme: base.Scheme}
}

// Base returns the service's own address, without a slash at its end.
func (l Links) Base() string { return l.base }

// Origin returns where links of a share domain begin; an empty domain is the
// service's own.
func (l Links) Origin(domain string) string {
	if domain == "" {
		return l.base
	}
	return l.scheme + "://" + domain
}

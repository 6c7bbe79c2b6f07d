package call

import (
	"net/url"
	"strings"
)

// Links builds the URLs in responses. They come from the configured base URL
// only, never from the host that a request names.
type Links struct {
	base   string // without a trailing slash
	scheme string
}

// NewLinks returns the links of a service at base.
func NewLinks(base *url.URL) Links {
	return Links{base: strings.TrimSuffix(base.String(), "/"), scheme: base.Scheme}
}

// Base returns the service's own URL, without a trailing slash.
func (l Links) Base() string { return l.base }

// Origin returns the beginning of links on a custom domain; an empty domain
// means the service's own.
func (l Links) Origin(domain string) string {
	if domain == "" {
		return l.base
	}
	return l.scheme + "://" + domain
}

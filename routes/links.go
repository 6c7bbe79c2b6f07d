package routes

import (
	"net/url"
	"strings"
)

// links builds the addresses that answers hold. They come from the configured
// base URL only, never from what a request says about its host.
type links struct {
	base   string // without a slash at its end
	scheme string
}

func newLinks(base *url.URL) links {
	return links{base: strings.TrimSuffix(base.String(), "/"), scheme: base.Scheme}
}

// origin is where links of a share domain begin; an empty one is the
// service's own.
func (l links) origin(domain string) string {
	if domain == "" {
		return l.base
	}
	return l.scheme + "://" + domain
}

// unescapeKey turns a path's segment into the key that was meant. What cannot
// be unescaped is a key of a wrong shape, and stays as it is.
func unescapeKey(segment string, escaped bool) string {
	if !escaped {
		return segment
	}
	if key, err := url.PathUnescape(segment); err == nil {
		return key
	}
	return segment
}

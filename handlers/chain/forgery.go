package chain

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
)

// mayCross reports whether a request may come from a page of another site,
// which never counts as a session's. It may if its route is open to other
// sites, or if the operator named its site. It also may if its method serves any
// origin and no browser may have added authority by itself. No page of another site
// may send the forms of the service's own pages.
func mayCross(p policy, record *record) bool {
	switch {
	case record.crossSite:
		return true
	case record.form:
		return false
	case record.named:
		return mayCallFromNamed(p)
	default:
		return p.anyOrigin && !record.ambient
	}
}

// needsShrimp reports whether a request must have its session's token.
func needsShrimp(p policy, record *record) bool {
	return !record.safe && record.caller.FromSession() && !p.forgeable
}

// saysOrigin reports whether the browser named the origin of the request, as
// all supported browsers do. That it is this site was checked before.
func saysOrigin(header http.Header) bool {
	return header.Get("Sec-Fetch-Site") != "" || header.Get("Origin") != ""
}

// shrimpFrom returns the token from the headers that clients of several ages
// use.
func shrimpFrom(header http.Header) string {
	for _, name := range shrimpHeaders() {
		if shrimp := header.Get(name); shrimp != "" {
			return shrimp
		}
	}
	return ""
}

// shrimpHeaders returns the headers that may contain the token.
func shrimpHeaders() [3]string { return [3]string{"O-Shrimp", "Onetime-Shrimp", "X-CSRF-Token"} }

// WithShrimp returns a copy of the header with the token from a parameter,
// unless a header already has one.
func WithShrimp(header http.Header, parameter string) http.Header {
	if parameter == "" || shrimpFrom(header) != "" {
		return header
	}
	header = header.Clone()
	header.Set(shrimpHeaders()[0], parameter)
	return header
}

// SameShrimp reports, in constant time, whether sent equals own. An empty own
// matches nothing.
func SameShrimp(sent, own string) bool {
	return own != "" && subtle.ConstantTimeCompare([]byte(sent), []byte(own)) == 1
}

const (
	shrimpLength   = 49
	shrimpAlphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
)

// NewShrimp returns a random token in the form of a session's: 49 characters
// 0-9 and a-z. Clients store it and send it back; without a session it is not
// checked.
func NewShrimp() string {
	token := make([]byte, 0, shrimpLength)
	var random [2 * shrimpLength]byte
	for {
		_, _ = rand.Read(random[:]) // never returns an error
		for _, b := range random {
			if b >= 252 {
				continue // 7 × 36: the rest would favour some characters
			}
			token = append(token, shrimpAlphabet[b%36])
			if len(token) == shrimpLength {
				return string(token)
			}
		}
	}
}

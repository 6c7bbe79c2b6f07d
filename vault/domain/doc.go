// Package domain keeps the domains that accounts bring: who owns one, how it is
// proved by DNS and proved again, what its pages look like, and which secrets
// it may show.
//
// It owns the buckets domain, domain id, verified, recheck and image. At most
// one account holds a name verified at a time. Package secret asks it on which
// domain a secret belongs, and handlers call its services.
package domain

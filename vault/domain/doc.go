// Package domain keeps the custom domains of accounts: who owns one, how DNS
// proves and re-proves the ownership, what its pages look like, and which
// secrets it may show.
//
// It owns the buckets domain, domain id, verified, recheck and image. At most
// one account at a time holds a verified name. Package secret asks it on which
// domain a secret belongs, and handlers call its services.
package domain

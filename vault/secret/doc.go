// Package secret conceals secrets, reveals each of them at most once, burns and
// expires them.
//
// It owns the bucket secret. A secret and its receipt, which package receipt keeps, are
// one aggregate: whatever changes both happens in one transaction together with its audit
// row. Every end destroys the share, which the key depends on, before its call is
// answered. consume in reveal.go is the only path that opens a secret, and endSecret in
// end.go the only one that ends it. Handlers call its services, and package vault runs its
// sweeper.
package secret

// Package secret conceals secrets, reveals each of them at most once, burns and
// expires them.
//
// It owns the bucket secret. A secret and its receipt, which package receipt keeps, are
// one aggregate: whatever changes both happens in one transaction together with its audit
// row. Every end destroys the share, which the key depends on, before the end is reported
// to anyone. consume in reveal.go is the only path that opens a secret. Handlers call its
// services, and package vault runs its sweeper.
package secret

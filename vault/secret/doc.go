// Package secret conceals secrets, reveals each of them at most once, burns and
// expires them, and keeps their receipts.
//
// It owns the buckets secret, metadata, expiry, attempt, entry and timeline. A
// secret and its metadata are one aggregate. Every move happens in one
// transaction together with its audit row. Every end destroys the share, which
// the key depends on, before the end is reported to anyone. consume in
// reveal.go is the only path that opens a secret. Handlers call its services,
// and package vault runs its sweeper.
package secret

// Package secret is why there is a vault: it conceals secrets, reveals each of
// them at most once, burns and forgets them, and says what became of them.
//
// It owns the buckets secret, metadata, expiry, attempt, entry and timeline. A
// secret and its metadata are one aggregate. Whatever moves it does so in one
// transaction together with its audit row, and whatever ends it destroys the
// share that its key is made of before anybody hears of the end. The claim in
// reveal.go is the one path that opens a secret. Handlers call its services,
// and package vault runs its sweeper.
package secret

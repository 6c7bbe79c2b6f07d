package challenge

import (
	"hush/seal"
	"hush/vault/caller"
	"hush/vault/rows"
)

// Challenges makes, checks and spends challenges. It is safe for concurrent
// use.
type Challenges struct {
	store   rows.Store
	clock   *rows.Clock
	keys    *seal.Keys
	policy  caller.Policy
	spamKey string
}

// New returns the challenges of a store. spamKey is the HMAC key of the trusted
// ALTCHA server, empty for none.
func New(store rows.Store, clock *rows.Clock, keys *seal.Keys, policy caller.Policy, spamKey string) *Challenges {
	return &Challenges{store: store, clock: clock, keys: keys, policy: policy, spamKey: spamKey}
}

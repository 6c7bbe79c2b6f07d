package challenge

import (
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/cluster"
)

// The actions of a challenge. A solution for ActionAny is valid for one use of
// any action.
const (
	ActionConceal  = "conceal"
	ActionFeedback = "feedback"
	ActionSignUp   = "signup"
	ActionAny      = "any"
)

const (
	// ChallengeTime is how long a challenge may be solved and used.
	ChallengeTime = 10 * time.Minute
	// ChallengeMaxNumber is the largest possible solution of a challenge.
	ChallengeMaxNumber = 50_000

	challengeAlgorithm = "SHA-256"
	challengeSaltSize  = 16 // bytes
)

// Challenges makes, checks and spends challenges. It is safe for concurrent
// use.
type Challenges struct {
	store   cluster.Store
	clock   *cluster.Clock
	keys    *seal.Keys
	policy  caller.Policy
	spamKey string
}

// New returns the challenges of a store. spamKey is the HMAC key of the trusted
// ALTCHA server, empty for none.
func New(store cluster.Store, clock *cluster.Clock, keys *seal.Keys, policy caller.Policy, spamKey string) *Challenges {
	return &Challenges{store: store, clock: clock, keys: keys, policy: policy, spamKey: spamKey}
}

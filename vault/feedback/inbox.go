package feedback

import (
	"log/slog"

	"hush/seal"
	"hush/vault/challenge"
	"hush/vault/cluster"
)

// Inbox keeps feedback and exceptions. It is safe for concurrent use.
type Inbox struct {
	store      cluster.Store
	clock      *cluster.Clock
	keys       *seal.Keys
	log        *slog.Logger
	challenges *challenge.Challenges
}

// New returns the inbox of a store.
func New(store cluster.Store, clock *cluster.Clock, keys *seal.Keys, log *slog.Logger, challenges *challenge.Challenges) *Inbox {
	return &Inbox{store: store, clock: clock, keys: keys, log: log, challenges: challenges}
}

package domain

import (
	"context"
	"time"

	"hush/vault/caller"
	"hush/vault/fair"
	"hush/vault/refusal"
)

const (
	// checkTurns is how many checks that accounts request run at a time. Those in
	// the background do not share them.
	checkTurns = 8
	// checkShare is how many of them one account or one network may have, waiting
	// ones included: a DNS server that answers slowly keeps its turn for checkTime.
	checkShare = 2
	// checkWait is the maximum wait for a turn.
	checkWait = 2 * time.Second
)

// turns lets a few checks run at a time, with a share for each account and each
// network.
type turns struct {
	accounts *fair.Limiter[caller.AccountID]
	networks *fair.Queue[caller.Network]
}

func newTurns() *turns {
	return &turns{
		accounts: fair.NewLimiter[caller.AccountID](fair.Any, checkShare),
		networks: fair.NewQueue[caller.Network](fair.Limits{
			Running: checkTurns, Waiting: fair.Any, Share: checkShare, Wait: checkWait,
		}),
	}
}

// enter waits for a turn, and returns a function that ends it. It returns ErrBusy at
// once if the account or the network has its share, and after checkWait if others
// have all turns.
func (t *turns) enter(ctx context.Context, account caller.AccountID, network caller.Network) (release func(), err error) {
	if !t.accounts.Take(account, 1) {
		return nil, refusal.ErrBusy
	}
	leave, err := t.networks.Enter(ctx, network)
	if err != nil {
		t.accounts.Give(account, 1)
		return nil, err
	}
	return func() { leave(); t.accounts.Give(account, 1) }, nil
}

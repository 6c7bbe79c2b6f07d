package domain

import (
	"context"
	"sync"
	"time"

	"hush/vault/caller"
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
	running chan struct{}

	mu       sync.Mutex
	accounts map[caller.AccountID]int
	networks map[caller.Network]int
}

func newTurns() *turns {
	return &turns{
		running: make(chan struct{}, checkTurns), accounts: make(map[caller.AccountID]int), networks: make(map[caller.Network]int),
	}
}

// enter waits for a turn, and returns a function that ends it. It returns ErrBusy at
// once if the account or the network has its share, and after checkWait if others
// have all turns.
func (t *turns) enter(ctx context.Context, account caller.AccountID, network caller.Network) (release func(), err error) {
	if !t.join(account, network) {
		return nil, refusal.ErrBusy
	}
	ctx, cancel := context.WithTimeoutCause(ctx, checkWait, refusal.ErrBusy)
	defer cancel()
	if err := acquireTurn(ctx, t.running); err != nil {
		t.leave(account, network)
		return nil, err
	}
	return func() { <-t.running; t.leave(account, network) }, nil
}

// join takes a part of both shares, and reports whether both had one left.
func (t *turns) join(account caller.AccountID, network caller.Network) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.accounts[account] >= checkShare || t.networks[network] >= checkShare {
		return false
	}
	t.accounts[account]++
	t.networks[network]++
	return true
}

func (t *turns) leave(account caller.AccountID, network caller.Network) {
	t.mu.Lock()
	defer t.mu.Unlock()
	leave(t.accounts, account)
	leave(t.networks, network)
}

func leave[K comparable](held map[K]int, k K) {
	if held[k]--; held[k] <= 0 {
		delete(held, k)
	}
}

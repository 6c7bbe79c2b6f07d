package secret

import (
	"sync"

	"hush/seal"
	"hush/vault/caller"
)

// Watches is the set of open watches. A change never blocks on one: a slow
// watch finds a pending value and misses nothing.
type Watches struct {
	mu       sync.Mutex
	rows     map[seal.RowKey]map[*listener]struct{}
	accounts map[string]map[*listener]struct{} // by the caller's account
}

// NewWatches returns an empty set.
func NewWatches() *Watches {
	return &Watches{rows: map[seal.RowKey]map[*listener]struct{}{}, accounts: map[string]map[*listener]struct{}{}}
}

func (ws *Watches) add(l *listener) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	addTo(ws.rows, l.row, l)
	if l.account != "" {
		addTo(ws.accounts, l.account, l)
	}
}

func (ws *Watches) remove(l *listener) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	removeFrom(ws.rows, l.row, l)
	removeFrom(ws.accounts, l.account, l)
}

func addTo[K comparable](all map[K]map[*listener]struct{}, key K, l *listener) {
	if all[key] == nil {
		all[key] = map[*listener]struct{}{}
	}
	all[key][l] = struct{}{}
}

func removeFrom[K comparable](all map[K]map[*listener]struct{}, key K, l *listener) {
	delete(all[key], l)
	if len(all[key]) == 0 {
		delete(all, key)
	}
}

// tell wakes the watches of receipts whose changes are durable.
func (ws *Watches) tell(rows ...seal.RowKey) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if len(ws.rows) == 0 {
		return
	}
	for _, row := range rows {
		for l := range ws.rows[row] {
			l.wake()
		}
	}
}

// TellAccount wakes the watches opened with an account's credentials after some
// of those credentials may have ended.
func (ws *Watches) TellAccount(id caller.AccountID) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for l := range ws.accounts[id.String()] {
		l.wake()
	}
}

// listener is one entry of the set: what wakes a watch, and the channel that
// the watch receives from.
type listener struct {
	row     seal.RowKey
	account string // empty without one
	changed chan struct{}
}

func newListener(row seal.RowKey, account string) *listener {
	return &listener{row, account, make(chan struct{}, 1)}
}

func (l *listener) wake() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

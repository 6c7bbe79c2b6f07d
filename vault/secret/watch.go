package secret

import (
	"context"
	"sync"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/refusal"
)

// Watch follows one receipt. It belongs to one caller, who must close it.
type Watch struct {
	v       *Receipts
	caller  caller.Caller
	receipt seal.Token
	row     seal.RowKey
	changed chan struct{}
}

// WatchMetadata follows a receipt, or returns ErrNotFound for an unknown key.
// It does not limit the number of watches.
func (re *Receipts) WatchMetadata(ctx context.Context, c caller.Caller, key string) (*Watch, error) {
	receipt, ok := seal.ParseToken(key)
	if !ok {
		return nil, refusal.ErrNotFound
	}
	row := receipt.RowKey(seal.KindMetadata)
	if _, err := re.findMetadata(ctx, row, re.clock.Now()); err != nil {
		return nil, err
	}
	w := &Watch{v: re, caller: c, receipt: receipt, row: row, changed: make(chan struct{}, 1)}
	re.watches.add(w)
	return w, nil
}

// Metadata returns the receipt as it is now; see GetMetadata. It returns
// ErrUnauthenticated if the caller's credential has ended.
func (w *Watch) Metadata(ctx context.Context) (Metadata, error) {
	if err := w.v.sessions.RecheckCaller(ctx, w.caller); err != nil {
		return Metadata{}, err
	}
	return w.v.GetMetadata(ctx, w.caller, w.receipt.Expose())
}

// Changed receives a value after the receipt changed, and after credentials of
// the caller's account ended. Several changes may result in one value. Expiry
// alone is not a change: check Metadata.Expires.
func (w *Watch) Changed() <-chan struct{} { return w.changed }

// Close ends the watch.
func (w *Watch) Close() { w.v.watches.remove(w) }

// Watches is the set of open watches. A change never blocks on one: a slow
// watch finds a pending value and misses nothing.
type Watches struct {
	mu       sync.Mutex
	rows     map[seal.RowKey]map[*Watch]struct{}
	accounts map[string]map[*Watch]struct{} // by the caller's account
}

// NewWatches returns an empty set.
func NewWatches() *Watches {
	return &Watches{rows: map[seal.RowKey]map[*Watch]struct{}{}, accounts: map[string]map[*Watch]struct{}{}}
}

func (ws *Watches) add(w *Watch) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	addTo(ws.rows, w.row, w)
	if w.caller.Account != "" {
		addTo(ws.accounts, w.caller.Account, w)
	}
}

func (ws *Watches) remove(w *Watch) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	removeFrom(ws.rows, w.row, w)
	removeFrom(ws.accounts, w.caller.Account, w)
}

func addTo[K comparable](all map[K]map[*Watch]struct{}, key K, w *Watch) {
	if all[key] == nil {
		all[key] = map[*Watch]struct{}{}
	}
	all[key][w] = struct{}{}
}

func removeFrom[K comparable](all map[K]map[*Watch]struct{}, key K, w *Watch) {
	delete(all[key], w)
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
		for w := range ws.rows[row] {
			w.wake()
		}
	}
}

// TellAccount wakes the watches opened with an account's credentials after some
// of those credentials may have ended.
func (ws *Watches) TellAccount(id caller.AccountID) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for w := range ws.accounts[id.String()] {
		w.wake()
	}
}

func (w *Watch) wake() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

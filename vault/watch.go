package vault

import (
	"context"
	"sync"
	"time"

	"hush/seal"
	"hush/storage"
)

const (
	// WatchesMost is how many receipts one network or account may watch at a
	// time.
	WatchesMost = 20
	// watchesAll is how many may be watched in all; each takes a connection.
	watchesAll = 2000
)

// Watch follows one receipt. It belongs to one caller, who closes it.
type Watch struct {
	v       *Vault
	caller  Caller
	receipt seal.Token
	row     seal.RowKey
	changed chan struct{}
}

// WatchMetadata follows a receipt, or returns ErrNotFound for an unknown key
// and TooManyError if the caller watches too many.
func (v *Vault) WatchMetadata(ctx context.Context, c Caller, key string) (*Watch, error) {
	receipt, ok := seal.ParseToken(key)
	if !ok {
		return nil, ErrNotFound
	}
	row := receipt.RowKey(seal.KindMetadata)
	if _, err := v.findMetadata(ctx, row, v.clock.now()); err != nil {
		return nil, err
	}
	w := &Watch{v: v, caller: c, receipt: receipt, row: row, changed: make(chan struct{}, 1)}
	if !v.watches.add(w) {
		return nil, &TooManyError{What: "receipts watched at a time", Limit: WatchesMost}
	}
	return w, nil
}

// Metadata returns the receipt as it is now; see GetMetadata.
func (w *Watch) Metadata(ctx context.Context) (Metadata, error) {
	return w.v.GetMetadata(ctx, w.caller, w.receipt.Expose())
}

// Changed gets a value after the receipt changed. Several changes may make
// one. That a time ran out is no change: look again at Metadata.Expires.
func (w *Watch) Changed() <-chan struct{} { return w.changed }

// Close ends the watch.
func (w *Watch) Close() { w.v.watches.remove(w) }

// watches are those who want to be told of changes. Nothing waits for them: a
// watch that does not listen misses none, since it finds the last one waiting.
type watches struct {
	mu      sync.Mutex
	rows    map[seal.RowKey]map[*Watch]struct{}
	callers map[watcher]int
	all     int
}

// watcher is who watches: an account, or else a network.
type watcher struct {
	account string
	network Network
}

func newWatches() *watches {
	return &watches{rows: map[seal.RowKey]map[*Watch]struct{}{}, callers: map[watcher]int{}}
}

func (w *Watch) watcher() watcher {
	if w.caller.Account != "" {
		return watcher{account: w.caller.Account}
	}
	return watcher{network: w.caller.Network}
}

// add reports whether there was room.
func (ws *watches) add(w *Watch) bool {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	who := w.watcher()
	if ws.all >= watchesAll || ws.callers[who] >= WatchesMost {
		return false
	}
	if ws.rows[w.row] == nil {
		ws.rows[w.row] = map[*Watch]struct{}{}
	}
	ws.rows[w.row][w] = struct{}{}
	ws.callers[who]++
	ws.all++
	return true
}

func (ws *watches) remove(w *Watch) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if _, known := ws.rows[w.row][w]; !known {
		return
	}
	delete(ws.rows[w.row], w)
	if len(ws.rows[w.row]) == 0 {
		delete(ws.rows, w.row)
	}
	ws.all--
	if who := w.watcher(); ws.callers[who] > 1 {
		ws.callers[who]--
	} else {
		delete(ws.callers, who)
	}
}

// tell tells of changes that are durable.
func (ws *watches) tell(rows ...seal.RowKey) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.all == 0 {
		return
	}
	for _, row := range rows {
		for w := range ws.rows[row] {
			select {
			case w.changed <- struct{}{}:
			default:
			}
		}
	}
}

// noteEvent adds an event to a timeline in a transaction of its own, if the
// secret waits still.
func (v *Vault) noteEvent(ctx context.Context, row seal.RowKey, record *secretRecord, kind EventKind, network string, now time.Time) error {
	err := v.store.Update(ctx, func(tx storage.Tx) error {
		if _, err := getSecret(tx, row, now); err != nil {
			return err
		}
		return addEvent(tx, record.metadata, kind, network, now)
	})
	if err == nil {
		v.watches.tell(record.metadata)
	}
	return err
}

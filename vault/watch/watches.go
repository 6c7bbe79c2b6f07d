// Package watch wakes those who follow a receipt when it changes, on this node
// or another. It shows nothing: what woke up reads the receipt itself.
package watch

import (
	"sync"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/cluster"
)

// Watches is the set of open watches of a process. A change never blocks on one: a slow
// watch finds a pending value and misses nothing.
//
// Of changes on other nodes it hears by Hear. Since notifications may be lost,
// PollUntil also reads what open watches show.
type Watches struct {
	store   cluster.Store
	clock   *cluster.Clock
	notices *cluster.Notices

	mu       sync.Mutex
	rows     map[seal.RowKey]map[*Listener]struct{}
	accounts map[string]map[*Listener]struct{}        // by the caller's account
	topics   map[storage.Topic]map[*Listener]struct{} // of rows and accounts; empty without notices

	reread  chan struct{} // wakes the poll
	polling sync.Mutex    // held by a poll
}

// NewWatches returns an empty set.
func NewWatches(store cluster.Store, clock *cluster.Clock, notices *cluster.Notices) *Watches {
	return &Watches{
		store: store, clock: clock, notices: notices,
		rows: map[seal.RowKey]map[*Listener]struct{}{}, accounts: map[string]map[*Listener]struct{}{},
		topics: map[storage.Topic]map[*Listener]struct{}{}, reread: make(chan struct{}, 1),
	}
}

// Open returns the number of open watches of this process.
func (ws *Watches) Open() (open int) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for _, listeners := range ws.rows {
		open += len(listeners)
	}
	return open
}

// Add opens a watch.
func (ws *Watches) Add(l *Listener) {
	l.topics = ws.topicsOf(l)
	ws.mu.Lock()
	defer ws.mu.Unlock()
	addTo(ws.rows, l.row, l)
	if l.account != "" {
		addTo(ws.accounts, l.account, l)
	}
	for _, topic := range l.topics {
		addTo(ws.topics, topic, l)
	}
}

// Remove closes a watch.
func (ws *Watches) Remove(l *Listener) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	removeFrom(ws.rows, l.row, l)
	removeFrom(ws.accounts, l.account, l)
	for _, topic := range l.topics {
		removeFrom(ws.topics, topic, l)
	}
}

func addTo[K comparable](all map[K]map[*Listener]struct{}, key K, l *Listener) {
	if all[key] == nil {
		all[key] = map[*Listener]struct{}{}
	}
	all[key][l] = struct{}{}
}

func removeFrom[K comparable](all map[K]map[*Listener]struct{}, key K, l *Listener) {
	delete(all[key], l)
	if len(all[key]) == 0 {
		delete(all, key)
	}
}

// Tell wakes the watches of receipts whose changes are durable, on all nodes.
func (ws *Watches) Tell(rows ...seal.RowKey) {
	ws.mu.Lock()
	for _, row := range rows {
		for l := range ws.rows[row] {
			l.wake()
		}
	}
	ws.mu.Unlock()
	if ws.notices == nil {
		return
	}
	for _, row := range rows {
		ws.notices.Tell(cluster.NoticeReceipt, row[:])
	}
}

// TellAccount wakes the watches opened with an account's credentials, on all
// nodes, after some of those credentials may have ended.
func (ws *Watches) TellAccount(id caller.AccountID) {
	ws.mu.Lock()
	for l := range ws.accounts[id.String()] {
		l.wake()
	}
	ws.mu.Unlock()
	ws.notices.Tell(cluster.NoticeAccount, id[:])
}

// Hear wakes the watches that topics of other nodes are about.
func (ws *Watches) Hear(topics []storage.Topic) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for _, topic := range topics {
		for l := range ws.topics[topic] {
			l.wake()
		}
	}
}

// topicsOf returns what other nodes tell about what a watch shows.
func (ws *Watches) topicsOf(l *Listener) []storage.Topic {
	if ws.notices == nil {
		return nil
	}
	topics := []storage.Topic{ws.notices.Topic(cluster.NoticeReceipt, l.row[:])}
	if id, ok := caller.ParseAccountID(l.account); ok {
		topics = append(topics, ws.notices.Topic(cluster.NoticeAccount, id[:]))
	}
	return topics
}

// Listener is one watch: what wakes it, and the channel that it receives from.
type Listener struct {
	shown
	topics  []storage.Topic // set by add
	seen    fingerprint     // of the last poll; only the poll uses it
	expired bool            // the poll has woken it for that
	changed chan struct{}
}

// NewListener returns a watch of what a receipt shows to a caller. It is not open
// yet.
func NewListener(r Receipt, c caller.Caller) *Listener {
	return &Listener{shown: newShown(r, c), changed: make(chan struct{}, 1)}
}

// Changed receives a value after something changed that the watch shows. Several
// changes may result in one value, and there may be values without a change.
func (l *Listener) Changed() <-chan struct{} { return l.changed }

func (l *Listener) wake() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

package credential

import (
	"log/slog"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/watch"
)

// Credentials keeps the sessions, tokens and key pairs of accounts. It is safe
// for concurrent use.
type Credentials struct {
	store    cluster.Store
	clock    *cluster.Clock
	keys     *seal.Keys
	log      *slog.Logger
	lastUsed *lastUsed
	watches  *watch.Watches // told of credentials that may have ended
}

// New returns the credentials of a store.
func New(store cluster.Store, clock *cluster.Clock, keys *seal.Keys, log *slog.Logger, watches *watch.Watches) *Credentials {
	return &Credentials{store: store, clock: clock, keys: keys, log: log, lastUsed: newLastUsed(), watches: watches}
}

// RowOf returns where the session or token of a caller with an account is
// stored.
func RowOf(c caller.Caller) (bucket string, key []byte) {
	row := c.Row()
	if c.FromSession() {
		return BucketSession, row[:]
	}
	return BucketToken, row[:]
}

// Lasting returns nil if the session or token of a caller with an account still
// counts, ErrNotFound if its row is gone, and ErrUnauthenticated if it has expired.
func (cr *Credentials) Lasting(tx *rows.Tx, c caller.Caller, now time.Time) error {
	if !c.FromSession() {
		record, err := GetToken(tx, c.Row())
		if err == nil && record.Expired(now) {
			err = refusal.ErrUnauthenticated
		}
		return err
	}
	record, err := GetSession(tx, c.Row())
	if err == nil && !cr.Lasts(OwnSession{c.Row(), record}, now) {
		err = refusal.ErrUnauthenticated
	}
	return err
}

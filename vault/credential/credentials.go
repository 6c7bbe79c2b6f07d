package credential

import (
	"log/slog"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Credentials keeps the sessions, tokens and key pairs of accounts. It is safe
// for concurrent use.
type Credentials struct {
	store    cluster.Store
	clock    *cluster.Clock
	keys     *seal.Keys
	log      *slog.Logger
	lastUsed *lastUsed
	changed  func(caller.AccountID)
}

// New returns the credentials of a store. changed is called after credentials
// of an account may have ended.
func New(store cluster.Store, clock *cluster.Clock, keys *seal.Keys, log *slog.Logger, changed func(caller.AccountID)) *Credentials {
	return &Credentials{store: store, clock: clock, keys: keys, log: log, lastUsed: newLastUsed(), changed: changed}
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

// Package restoration makes the data of a backup safe to be served again: what
// must not outlive a restore ends before the first request.
//
// Promise: after Settle no session, no mailed link, no invite, no queued mail and
// no claim of the backup is of use. What the spent log says has ended is the business of
// package spent.
//
// It also says what a backup has and lacks, before it is restored. It owns no bucket. Only
// what makes, checks and restores backups uses it.
package restoration

import (
	"context"
	"fmt"
	"time"

	"hush/storage"
	"hush/vault/account"
	"hush/vault/claim"
	"hush/vault/cluster"
	"hush/vault/credential"
	"hush/vault/outbox"
)

// Ended counts what Settle ended.
type Ended struct {
	Sessions, Tickets, Mails, Claims int
}

// Settle ends all sessions, tickets, invites, queued mails and claims of a store
// that nothing serves. After an error it may be called again. The shares of mails
// and claims are the caller's to leave out.
func Settle(ctx context.Context, backend storage.Store, now time.Time) (ended Ended, err error) {
	store := cluster.NewStore(backend, nil)
	if ended.Sessions, err = credential.EndAllSessions(ctx, store); err != nil {
		return ended, fmt.Errorf("ending sessions: %w", err)
	}
	if ended.Tickets, err = account.EndTickets(ctx, store); err != nil {
		return ended, fmt.Errorf("ending mailed links and invites: %w", err)
	}
	if ended.Mails, err = outbox.DropMails(ctx, store, now); err != nil {
		return ended, fmt.Errorf("dropping queued mail: %w", err)
	}
	if ended.Claims, err = claim.Drop(ctx, store, now); err != nil {
		return ended, fmt.Errorf("dropping claims: %w", err)
	}
	return ended, nil
}

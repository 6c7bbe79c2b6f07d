package secret

import (
	"context"
	"errors"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// look records a look at a link. If that fails, the request still succeeds.
func (se *Secrets) look(ctx context.Context, c caller.Caller, row seal.RowKey, record *Record, now time.Time) {
	if record.owner != "" && record.owner == c.Account() {
		return // owners look at their own links when they share them
	}
	network := c.Network.Masked()
	if !se.looks.Fresh(record.metadata, network, now) {
		return
	}
	err := se.noteLook(ctx, row, record, network, now)
	gone := errors.Is(err, refusal.ErrNotFound) || errors.Is(err, refusal.ErrUnauthenticated)
	if err != nil && !gone && ctx.Err() == nil {
		se.log.Error("recording a look", "cause", err)
	}
}

// noteLook adds a look to a receipt's timeline in its own transaction, if the secret
// is still live.
func (se *Secrets) noteLook(ctx context.Context, row seal.RowKey, record *Record, network string, now time.Time) error {
	err := se.store.Update(ctx, func(tx *rows.Tx) error {
		if _, err := getSecret(tx, row, now); err != nil {
			return err
		}
		if err := record.touch(tx); err != nil {
			return err
		}
		return receipt.Looked(tx, record.metadata, network, now)
	})
	if err == nil {
		se.tell(record)
	}
	return err
}

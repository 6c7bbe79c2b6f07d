package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/storage"
	"hush/vault/rows"
)

const (
	// sweepEvery keeps the promise that expired secrets are shredded within 60
	// s.
	sweepEvery = 20 * time.Second
)

// sweepUntil sweeps every sweepEvery until ctx ends. Secrets and shares go
// first. Everything else has its own loop, so that no amount of it delays the
// end of a secret.
func (v *Vault) sweepUntil(ctx context.Context) {
	tidy := make(chan time.Time, 1)
	v.background(func() { v.tidyUntil(ctx, tidy) })
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		now, ok, err := v.sweepTime(ctx)
		if err == nil && ok {
			_, err = v.sweepSecrets(ctx, now)
			select {
			case tidy <- now:
			default:
			}
		}
		v.logSweepError(ctx, err)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tidyUntil ends everything else that is due, at each of moments, until ctx
// ends.
func (v *Vault) tidyUntil(ctx context.Context, moments <-chan time.Time) {
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-moments:
			_, err := v.tidy(ctx, now)
			v.logSweepError(ctx, err)
		}
	}
}

func (v *Vault) logSweepError(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
		v.log.Error("sweeping", "cause", err)
	}
}

// Sweep reads the clock and, unless the clock leapt, ends everything that is
// due: secrets, receipts, sessions, tokens, rows of the audit trail, and so on.
// It retries the shares that could not be destroyed, and returns how many rows
// it handled. It skips and reports what cannot be read.
func (v *Vault) Sweep(ctx context.Context) (int, error) {
	now, ok, err := v.sweepTime(ctx)
	if err != nil || !ok {
		return 0, err
	}
	ended, err := v.sweepSecrets(ctx, now)
	tidied, tidyErr := v.tidy(ctx, now)
	return ended + tidied, errors.Join(err, tidyErr)
}

// sweepTime reads the clock and stores its mark. It returns the time up to
// which deleting is safe. ok is false if none is.
func (v *Vault) sweepTime(ctx context.Context) (now time.Time, ok bool, err error) {
	now, ok = v.clock.Advance()
	if !ok {
		v.log.Warn("the clock leapt forward; nothing is deleted until it is confirmed", "behind", v.clock.Now().Sub(now).String())
		return now, false, nil
	}
	if err := v.store.UpdateReserved(ctx, func(tx storage.Tx) error { return rows.PutMark(tx, now) }); err != nil {
		return now, false, fmt.Errorf("writing the clock's mark: %w", err)
	}
	return now, true, nil
}

// sweepSecrets ends secrets and receipts, and destroys the shares that are
// still listed.
func (v *Vault) sweepSecrets(ctx context.Context, now time.Time) (int, error) {
	_ = v.store.CheckDiskSpace() // restores the ballast even if no request asks
	ended, err := rows.Rounds(ctx, v.log, now, v.Sweeper.SweepBatch)
	return ended, errors.Join(err, v.shares.ShredOverdue(ctx))
}

// tidy ends everything else.
func (v *Vault) tidy(ctx context.Context, now time.Time) (int, error) {
	n, err := rows.Rounds(ctx, v.log, now, v.due.SweepBatch, v.trail.Prune, v.Challenges.PruneCreateRate)
	return n, errors.Join(err, v.Credentials.FlushUses(ctx, now))
}

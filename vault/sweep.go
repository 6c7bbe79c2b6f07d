package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/rows"
	"hush/vault/sweep"
)

const (
	// sweepEvery keeps the promise that expired secrets are shredded within 60
	// s.
	sweepEvery = 20 * time.Second
)

// sweepUntil sweeps every sweepEvery until ctx ends. Secrets and shares go
// first. Everything else has its own loop, so that no amount of it delays the
// end of a secret. Of several nodes, one at a time sweeps.
func (v *Vault) sweepUntil(ctx context.Context) {
	tidy := make(chan time.Time, 1)
	v.background(func() { v.tidyUntil(ctx, tidy) })
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		work, held, err := v.store.Hold(ctx, cluster.WorkSweep)
		switch {
		case err != nil:
		case held:
			err = v.sweepFirst(work, tidy)
		default:
			err = v.standBy(ctx)
		}
		v.logSweepError(ctx, err)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// sweepFirst sweeps secrets and shares, and sends the time to the loop that
// ends everything else.
func (v *Vault) sweepFirst(ctx context.Context, tidy chan<- time.Time) error {
	took := v.clock.Stopwatch()
	now, ok, err := v.sweepTime(ctx)
	if err != nil {
		v.watched.Swept(SweptSecrets, 0, took(), err)
	}
	if err != nil || !ok {
		return err
	}
	ended, err := v.sweepSecrets(ctx, now)
	v.watched.Swept(SweptSecrets, ended, took(), err)
	select {
	case tidy <- now:
	default:
	}
	return err
}

// tidyUntil ends everything else that is due, at each of moments, until ctx
// ends.
func (v *Vault) tidyUntil(ctx context.Context, moments <-chan time.Time) {
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-moments:
			work, held, err := v.store.Hold(ctx, cluster.WorkSweep)
			if held {
				took := v.clock.Stopwatch()
				var tidied int
				tidied, err = v.tidy(work, now)
				v.watched.Swept(SweptRest, tidied, took(), err)
			}
			v.logSweepError(ctx, err)
		}
	}
}

func (v *Vault) logSweepError(ctx context.Context, err error) {
	if errors.Is(err, cluster.ErrLeaseLost) {
		v.log.Info("another node sweeps now")
		return
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
		v.log.Error("sweeping", "cause", err)
	}
}

// Sweep reads the clock and, unless the clock leapt, ends everything that is
// due: secrets, receipts, sessions, tokens, rows of the audit trail, and so on.
// It retries the shares that could not be destroyed, and returns how many rows
// it handled. It skips and reports what cannot be read. While another node
// sweeps, it ends nothing.
func (v *Vault) Sweep(ctx context.Context) (int, error) {
	ctx, held, err := v.store.Hold(ctx, cluster.WorkSweep)
	if err != nil {
		return 0, err
	}
	if !held {
		return 0, v.standBy(ctx)
	}
	now, ok, err := v.sweepTime(ctx)
	if err != nil || !ok {
		return 0, errors.Join(err, v.finishEnds(ctx)) // what ended needs no clock
	}
	ended, err := v.sweepSecrets(ctx, now)
	tidied, tidyErr := v.tidy(ctx, now)
	return ended + tidied, errors.Join(err, tidyErr)
}

// standBy does what each node does for itself while another one sweeps: it
// forgets the epoch keys that the other has deleted, and writes the uses that it
// remembers.
func (v *Vault) standBy(ctx context.Context) error {
	v.shares.ForgetEpochs(v.clock.Mark())
	return v.Credentials.FlushUses(ctx, v.clock.Now())
}

// sweepTime reads the clock and stores its mark. It returns the time up to
// which deleting is safe. ok is false if none is.
func (v *Vault) sweepTime(ctx context.Context) (now time.Time, ok bool, err error) {
	if node := v.store.Node(); node != nil {
		if err := node.Correct(ctx); err != nil {
			return now, false, fmt.Errorf("correcting the clock before sweeping: %w", err)
		}
	}
	now, ok = v.clock.Advance()
	if !ok {
		v.log.Warn("the clock leapt forward; nothing is deleted until it is confirmed", "behind", v.clock.Now().Sub(now).String())
		return now, false, nil
	}
	put := cluster.PutMark
	if v.store.Node() != nil {
		put = cluster.RaiseMark
	}
	if err := v.store.UpdateReserved(ctx, func(tx *rows.Tx) error { return put(tx, now) }); err != nil {
		return now, false, fmt.Errorf("writing the clock's mark: %w", err)
	}
	return now, true, nil
}

// sweepSecrets ends secrets, receipts and the epoch keys of hours that have
// passed, destroys the shares that are still listed, and logs the ends that are
// still pending.
func (v *Vault) sweepSecrets(ctx context.Context, now time.Time) (int, error) {
	_ = v.store.CheckDiskSpace() // restores the ballast even if no request asks
	ended, err := sweep.Rounds(ctx, v.log, now, v.Sweeper.SweepBatch, v.shares.EndEpochs)
	return ended, errors.Join(err, v.finishEnds(ctx))
}

// finishEnds destroys the shares that are still listed, and logs the ends that are still
// pending.
func (v *Vault) finishEnds(ctx context.Context) error {
	return errors.Join(v.shares.ShredOverdue(ctx), v.spent.LogOverdue(ctx))
}

// tidy ends everything else. Each node writes the uses that it remembers.
func (v *Vault) tidy(ctx context.Context, now time.Time) (int, error) {
	n, err := sweep.Rounds(ctx, v.log, now, v.due.SweepBatch, v.trail.Prune, v.Challenges.PruneCreateRate, v.store.PruneNodes, v.Usage.Tidy, v.spent.Prune)
	return n, errors.Join(err, v.Credentials.FlushUses(cluster.Unfenced(ctx), now))
}

// DiskFull reports whether the disk has too little room for anything new. It is cheap.
func (v *Vault) DiskFull() bool { return v.store.CheckDiskSpace() != nil }

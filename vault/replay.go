package vault

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"hush/crash"
	"hush/seal"
	"hush/storage"
	"hush/storage/spentlog"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/spent"
)

const (
	// replaySlots is how many live secrets a replay remembers at a time. The log is
	// read once for each such number of them.
	replaySlots = 1 << 20
	// replayStep is after how many entries a replay tells its progress.
	replayStep = 1 << 16
	// replayAtOnce is how many secrets a replay ends at the same time.
	replayAtOnce = 256
)

// Replayed is what a replay of the spent log ended.
type Replayed struct {
	// Entries is how many entries of the log were replayed.
	Entries uint64
	Secrets int64
	// Sessions, Tokens and Accounts are those that ended by entries of their own.
	Sessions, Tokens, Accounts int64
	// Passwords is the number of accounts that need a new password, Disabled of
	// those that are disabled, and Roles of those that are no longer colonels.
	Passwords, Disabled, Roles int64
}

// Any reports whether anything ended.
func (r Replayed) Any() bool {
	r.Entries = 0
	return r != Replayed{}
}

// Replay ends on a restored store what its spent log says ended after the sequence
// of the backup. Nothing may serve the store. What has ended already, and what is
// younger than the backup, is skipped, so a replay that was interrupted may be
// repeated. Options are those of Open; the log of the store is not in use, and no
// mail is sent. progress gets how many of the entries are done; nil for none. The
// caller has asked spent.Continues.
func Replay(ctx context.Context, opts Options, log *spentlog.Reader, after uint64, progress func(done, of uint64)) (Replayed, error) {
	opts.Manual, opts.Send, opts.SpentLog, opts.replays = true, nil, nil, true
	v, err := Open(ctx, opts)
	if err != nil {
		return Replayed{}, err
	}
	defer v.Close()
	return replayOn(ctx, v, log, after, progress)
}

// replayOn ends secrets first: a destroyed account then has few left to burn.
func replayOn(ctx context.Context, v *Vault, log *spentlog.Reader, after uint64, progress func(done, of uint64)) (Replayed, error) {
	r := &replay{vault: v, log: log, after: after, progress: progress}
	defer r.lost.Report(v.log)
	if err := r.secrets(ctx); err != nil {
		return r.done, fmt.Errorf("replaying the ends of secrets: %w", err)
	}
	if err := r.others(ctx); err != nil {
		return r.done, fmt.Errorf("replaying the spent log: %w", err)
	}
	r.done.Entries, r.done.Secrets = log.Last()-after, r.ended.Load()
	return r.done, nil
}

type replay struct {
	vault    *Vault
	log      *spentlog.Reader
	after    uint64
	progress func(done, of uint64)
	done     Replayed
	ended    atomic.Int64 // secrets
	lost     rows.Damage
}

// each calls fn for each entry.
func (r *replay) each(ctx context.Context, fn func(spentlog.Entry) error) error {
	return r.log.All(r.after, func(e spentlog.Entry) error {
		if e.Sequence%replayStep == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if r.progress != nil {
				r.progress(e.Sequence-r.after, r.log.Last()-r.after)
			}
		}
		return fn(e)
	})
}

// secrets ends secrets. It remembers slots of live secrets, whose number the folder
// bounds, and streams the log, which may be much longer.
func (r *replay) secrets(ctx context.Context) error {
	for from := []byte(nil); ; {
		live, next, err := r.liveSlots(ctx, from)
		if err != nil {
			return err
		}
		if len(live) > 0 {
			if err := r.endLive(ctx, live); err != nil {
				return err
			}
		}
		if from = next; from == nil {
			return nil
		}
	}
}

// liveSlots returns the rows of secrets by the slots of their shares, at most
// replaySlots, from a row on. next is the row after them, nil after the last.
func (r *replay) liveSlots(ctx context.Context, from []byte) (live map[storage.Slot]seal.RowKey, next []byte, err error) {
	secrets := secret.Holding()
	var damaged *rows.Damage
	err = r.vault.store.View(ctx, func(tx *rows.Tx) error {
		live, next, damaged = map[storage.Slot]seal.RowKey{}, nil, &rows.Damage{}
		return rows.IgnoreEnough(tx.Range(secrets.Name, from, nil, func(key, value []byte) error {
			if len(live) == replaySlots {
				next = append([]byte(nil), key...)
				return rows.ErrEnough
			}
			slot, _, _, err := secrets.Find(key, value)
			if err != nil {
				damaged.Note(secrets.Name, err)
				return nil
			}
			live[slot] = seal.RowKey(key)
			return nil
		}))
	})
	if err == nil {
		r.lost.Add(damaged)
	}
	return live, next, err
}

// endLive ends those of the live secrets that the log has. The first entry of a slot
// counts: a second one was written after a crash, which left unknown whether the first
// one was.
func (r *replay) endLive(ctx context.Context, live map[storage.Slot]seal.RowKey) error {
	ending, failed := endMany(ctx)
	err := r.each(ctx, func(e spentlog.Entry) error {
		slot, ok := spent.SlotOf(e)
		if !ok {
			return nil
		}
		row, ok := live[slot]
		if !ok {
			return nil
		}
		delete(live, slot)
		if failed.Err() == nil {
			ending.Go(func() error { return r.endGuarded(ctx, row, slot, spent.Kind(e.Kind), e.Time) })
		}
		return context.Cause(failed)
	})
	return cmp.Or(ending.Wait(), err)
}

// endMany returns a group in which secrets end, many at a time, which share commits and
// syncs. failed ends with the first one that fails. Those that have begun go on.
func endMany(ctx context.Context) (ending *errgroup.Group, failed context.Context) {
	ending, failed = errgroup.WithContext(context.WithoutCancel(ctx))
	ending.SetLimit(replayAtOnce)
	return ending, failed
}

// endGuarded is endSecret in a goroutine of its own.
func (r *replay) endGuarded(ctx context.Context, row seal.RowKey, slot storage.Slot, how spent.Kind, at time.Time) (err error) {
	crash.Guard(r.vault.log, func() { err = r.endSecret(ctx, row, slot, how, at) })
	return err
}

// endSecret ends a secret. If its records are damaged, at least its share goes.
func (r *replay) endSecret(ctx context.Context, row seal.RowKey, slot storage.Slot, how spent.Kind, at time.Time) error {
	ended, err := r.vault.Burns.EndLogged(ctx, row, slot, how, at)
	if rows.IsDamage(err) || errors.Is(err, refusal.ErrNotFound) { // its receipt is not live
		r.lost.Note(secret.Holding().Name, err)
		err = r.vault.shares.Destroy(ctx, spent.KindNone, slot)
	}
	if ended {
		r.ended.Add(1)
	}
	return err
}

// others ends everything else, in the order of the log.
func (r *replay) others(ctx context.Context) error {
	var batch []spentlog.Entry
	err := r.each(ctx, func(e spentlog.Entry) error {
		if kind := spent.Kind(e.Kind); kind.OfSecret() || kind == spent.KindRestored || kind == spent.KindStopped {
			return nil
		}
		e.Row = append([]byte(nil), e.Row...)
		if batch = append(batch, e); len(batch) < rows.SweepBatch {
			return nil
		}
		err := r.endBatch(ctx, batch)
		batch = batch[:0]
		return err
	})
	if err != nil {
		return err
	}
	return r.endBatch(ctx, batch)
}

// endBatch ends what some entries name in one transaction, or each in one of its own
// if a damaged record is among them.
func (r *replay) endBatch(ctx context.Context, batch []spentlog.Entry) error {
	for _, e := range batch {
		if id, ok := accountOf(e); ok && spent.Kind(e.Kind) == spent.KindAccountDestroyed {
			if _, err := r.vault.Burns.BurnAccount(ctx, id, e.Time); err != nil && !rows.IsDamage(err) {
				return err
			}
		}
	}
	var done Replayed
	err := r.vault.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		done = r.done
		for _, e := range batch {
			if err := r.endOne(tx, e, &done); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case err == nil:
		r.done = done
	case rows.IsDamage(err) && len(batch) > 1:
		for i := range batch {
			if err := r.endBatch(ctx, batch[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	case rows.IsDamage(err):
		r.lost.Note("of entry "+strconv.FormatUint(batch[0].Sequence, 10), err)
		return nil
	}
	return err
}

// endOne ends what an entry names, and counts it in done.
func (r *replay) endOne(tx *rows.Tx, e spentlog.Entry, done *Replayed) error {
	kind := spent.Kind(e.Kind)
	if id, ok := accountOf(e); ok {
		// The backup may have the change, and what followed it.
		pending, err := spent.IsPending(tx, e)
		if err != nil || pending {
			return err
		}
		ended, err := r.vault.endLoggedAccount(tx, kind, id, e.Time)
		if counter := done.ofAccounts(kind); ended && counter != nil {
			*counter++
		}
		return err
	}
	counter, end := &done.Sessions, credential.EndLoggedSession
	switch kind {
	case spent.KindSessionEnded:
	case spent.KindTokenRevoked:
		counter, end = &done.Tokens, credential.EndLoggedToken
	default:
		return fmt.Errorf("entry %d has kind %d, which this release does not know: upgrade hush", e.Sequence, kind)
	}
	if len(e.Row) != 32 {
		return fmt.Errorf("row of entry %d: %w", e.Sequence, rows.ErrDamaged)
	}
	ended, err := end(tx, [32]byte(e.Row))
	if ended {
		*counter++
	}
	return err
}

// ofAccounts returns the counter of a kind of entries about accounts.
func (r *Replayed) ofAccounts(kind spent.Kind) *int64 {
	switch kind {
	case spent.KindAccountDestroyed:
		return &r.Accounts
	case spent.KindPasswordChanged, spent.KindPasswordReset:
		return &r.Passwords
	case spent.KindAccountDisabled:
		return &r.Disabled
	case spent.KindRoleLost:
		return &r.Roles
	default:
		return nil
	}
}

// accountOf returns the account of an entry about one.
func accountOf(e spentlog.Entry) (id caller.AccountID, ok bool) {
	if (&Replayed{}).ofAccounts(spent.Kind(e.Kind)) == nil || len(e.Row) != len(id) {
		return id, false
	}
	return caller.AccountID(e.Row), true
}

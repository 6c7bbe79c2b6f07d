package restoration

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"hush/seal"
	"hush/storage"
	"hush/storage/spentlog"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/rows"
	"hush/vault/spent"
)

// replayStep is after how many entries a replay tells its progress.
const replayStep = 1 << 16

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

// replay ends on a restored store what its spent log says ended after the sequence of the
// backup. What has ended already, and what is younger than the backup, is skipped, so a
// replay that was interrupted may be repeated. progress is that of Options. Secrets end
// first: a destroyed account then has few left to burn.
func replay(ctx context.Context, opts vault.Options, log *spentlog.Reader, after uint64, progress func(done, of uint64)) (Replayed, error) {
	o, err := open(ctx, opts)
	if err != nil {
		return Replayed{}, err
	}
	defer o.close()
	r := &replaying{opened: o, log: log, after: after, progress: progress}
	err = r.eachLive(ctx, func(live map[storage.Slot]seal.RowKey) error { return r.endLive(ctx, live) })
	if err != nil {
		return r.done, fmt.Errorf("replaying the ends of secrets: %w", err)
	}
	if err := r.others(ctx); err != nil {
		return r.done, fmt.Errorf("replaying the spent log: %w", err)
	}
	r.tell(log.Last())
	r.done.Entries, r.done.Secrets = log.Last()-after, r.ended.Load()
	return r.done, nil
}

// replaying is a replay under way. The log is streamed, since it may be much longer than
// what the folder has.
type replaying struct {
	*opened

	log      *spentlog.Reader
	after    uint64
	progress func(done, of uint64)
	done     Replayed
}

// tell tells that the entries up to a sequence are replayed.
func (r *replaying) tell(sequence uint64) {
	if r.progress != nil {
		r.progress(sequence-r.after, r.log.Last()-r.after)
	}
}

// each calls fn for each entry.
func (r *replaying) each(ctx context.Context, fn func(spentlog.Entry) error) error {
	return r.log.All(r.after, func(e spentlog.Entry) error {
		if e.Sequence%replayStep == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			r.tell(e.Sequence)
		}
		return fn(e)
	})
}

// endLive ends those of the live secrets that the log has. The first entry of a slot
// counts: a second one was written after a crash, which left unknown whether the first
// one was.
func (r *replaying) endLive(ctx context.Context, live map[storage.Slot]seal.RowKey) error {
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

// others ends everything else, in the order of the log.
func (r *replaying) others(ctx context.Context) error {
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
func (r *replaying) endBatch(ctx context.Context, batch []spentlog.Entry) error {
	for _, e := range batch {
		if id, ok := accountOf(e); ok && spent.Kind(e.Kind) == spent.KindAccountDestroyed {
			if _, err := r.vault.Burns.BurnAccount(ctx, id, e.Time); err != nil && !rows.IsDamage(err) {
				return err
			}
			if _, err := r.vault.Requests.EndAccount(ctx, id, e.Time); err != nil && !rows.IsDamage(err) {
				return err
			}
		}
	}
	var done Replayed
	err := r.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
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
func (r *replaying) endOne(tx *rows.Tx, e spentlog.Entry, done *Replayed) error {
	kind := spent.Kind(e.Kind)
	if id, ok := accountOf(e); ok {
		// The backup may have the change, and what followed it.
		pending, err := spent.IsPending(tx, e)
		if err != nil || pending {
			return err
		}
		ended, err := r.vault.EndLoggedAccount(tx, kind, id, e.Time)
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

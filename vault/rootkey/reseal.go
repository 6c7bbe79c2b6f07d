package rootkey

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"hush/storage"
	"hush/vault/keylist"
	"hush/vault/rows"
	"hush/vault/tables"
)

const (
	// resealBatch is how many rows one transaction writes, and resealPause is the
	// time between two of them: requests go first.
	resealBatch = 64
	resealPause = 20 * time.Millisecond
	// countEvery is how many settleTimes lie between two counts of what needs old
	// root keys.
	countEvery = 60
)

// progress is what is known of the way from old root keys to the current one.
type progress struct {
	left atomic.Int64 // rows that the pass which runs has still to seal anew
	uses atomic.Pointer[map[string]int]
}

// Progress returns how many rows are known that wait to be sealed anew, and how many
// things of each kind needed an old root key when that was last counted: after each
// pass, every hour while there is an old key, and with List. Before the first count
// oldUses is nil. The caller must not change it.
func (r *RootKeys) Progress() (left int64, oldUses map[string]int) {
	if uses := r.progress.uses.Load(); uses != nil {
		oldUses = *uses
	}
	return r.progress.left.Load(), oldUses
}

// note remembers what a count found.
func (p *progress) note(uses usesByKey, current [4]byte) {
	old := make(map[string]int)
	for _, kind := range keylist.SealedKinds() {
		old[string(kind)] = 0
		for kid, kinds := range uses {
			if kid != current {
				old[string(kind)] += kinds[kind]
			}
		}
	}
	p.uses.Store(&old)
}

// Wake makes the background look for what is to be sealed anew.
func (r *RootKeys) Wake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// ResealUntil seals anew what old root keys sealed, as far as it opens without the
// help of a person, until ctx ends: at the start, after each Wake, and once another
// root key is the current one. What began before that is stored later, so a second pass
// follows after a while. A pass that is interrupted is repeated: what it did stays done.
func (r *RootKeys) ResealUntil(ctx context.Context) {
	tick := time.NewTicker(settleTime)
	defer tick.Stop()
	ticked, idle := false, 0
	var first, second [4]byte // the current root keys of the last pass, and of one a while after it
	for {
		if current := r.keys.KID(); !ticked || current != second {
			err := r.Reseal(ctx)
			switch {
			case err != nil && ctx.Err() == nil:
				r.log.Error("sealing with the current root key; it will be tried again", "cause", err)
				first, second = [4]byte{}, [4]byte{}
			case ticked && current == first:
				second = current
			default:
				first = current
			}
			tick.Reset(settleTime)
		} else if idle++; idle%countEvery == 0 {
			if err := r.countOld(ctx); err != nil && ctx.Err() == nil {
				r.log.Error("counting what needs old root keys", "cause", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-r.wake:
			ticked = false
		case <-tick.C:
			ticked = true
		}
	}
}

// countOld counts what needs old root keys, if there are any.
func (r *RootKeys) countOld(ctx context.Context) error {
	listed, err := r.listed(ctx)
	if err == nil && len(listed.Needed()) > 1 {
		_, _, err = r.count(ctx, listed)
	}
	return err
}

// Reseal is one pass of ResealUntil. It does nothing while only one root key is in
// use.
func (r *RootKeys) Reseal(ctx context.Context) error {
	listed, err := r.listed(ctx)
	if err != nil {
		return err
	}
	if len(listed.Needed()) == 1 {
		r.progress.note(nil, r.keys.KID())
		return nil
	}
	if err := r.pass(ctx); err != nil {
		return err
	}
	_, _, err = r.count(ctx, listed)
	return err
}

// pass seals anew all that an old root key sealed and that opens by itself.
func (r *RootKeys) pass(ctx context.Context) error {
	found, err := r.stale(ctx)
	if err != nil {
		return err
	}
	r.progress.left.Store(int64(found))
	defer r.progress.left.Store(0)
	if found > 0 {
		r.log.Info("sealing with the current root key what older ones sealed", "rows", found)
	}
	done, broken, err := r.resealRows(ctx)
	if files := r.files.Load(); err == nil && files != nil {
		err = (*files).Reseal()
	}
	if err != nil {
		return err
	}
	if broken > 0 {
		r.log.Error("rows do not open with the root key that they name; they stay as they are", "rows", broken)
	}
	if found > 0 {
		r.log.Info("sealed with the current root key what older ones sealed", "rows", done)
	}
	return nil
}

// stale counts the rows that a pass would change.
func (r *RootKeys) stale(ctx context.Context) (found int, err error) {
	current := r.keys.KID()
	for _, bucket := range tables.Sealed() {
		if bucket.Reseal == nil {
			continue
		}
		err = r.pages(ctx, bucket.Bucket, func(page []row) error {
			for _, one := range page {
				old := false
				_ = bucket.Uses(r.keys.Ring(), one.value, func(kind keylist.SealedKind, kid [4]byte) { // damage shows when it is sealed anew
					old = old || kind == keylist.SealedFields && kid != current
				})
				if old {
					found++
				}
			}
			return nil
		})
		if err != nil {
			return found, fmt.Errorf("looking for what older root keys sealed: %w", err)
		}
	}
	return found, nil
}

func (r *RootKeys) resealRows(ctx context.Context) (done, broken int, err error) {
	for _, bucket := range tables.Sealed() {
		if bucket.Reseal == nil {
			continue
		}
		err = r.pages(ctx, bucket.Bucket, func(page []row) error {
			var batch []change
			for _, one := range page {
				next, err := bucket.Reseal(r.keys, one.key, one.value)
				if err != nil {
					broken++
				} else if next != nil {
					batch = append(batch, change{one, next})
				}
			}
			for len(batch) > 0 {
				some := batch[:min(resealBatch, len(batch))]
				n, err := r.replace(ctx, bucket.Bucket, some)
				if err != nil {
					return fmt.Errorf("sealing the bucket %q anew: %w", bucket.Bucket, err)
				}
				done, batch = done+n, batch[len(some):]
				r.progress.left.Add(-int64(len(some)))
				if err := pause(ctx); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return done, broken, err
		}
	}
	return done, broken, nil
}

// change is a row with its next value.
type change struct {
	row

	next []byte
}

// replace stores the next values of the rows that are as they were read. The
// others were written anew since then, with the current root key, or deleted.
func (r *RootKeys) replace(ctx context.Context, bucket string, batch []change) (done int, err error) {
	err = r.store.Update(ctx, func(tx *rows.Tx) error {
		done = 0
		for _, one := range batch {
			now, err := tx.Get(bucket, one.key)
			if errors.Is(err, storage.ErrNotFound) || err == nil && !bytes.Equal(now, one.value) {
				continue
			}
			if err != nil {
				return err
			}
			if err := tx.Put(bucket, one.key, one.next); err != nil {
				return err
			}
			done++
		}
		return nil
	})
	return done, err
}

func pause(ctx context.Context) error {
	timer := time.NewTimer(resealPause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

package rootkey

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"hush/storage"
	"hush/vault/rows"
)

const (
	// resealBatch is how many rows one transaction writes, and resealPause is the
	// time between two of them: requests go first.
	resealBatch = 64
	resealPause = 20 * time.Millisecond
	// resealRetry is the time until a pass that failed is tried again.
	resealRetry = time.Minute
)

// leftGauge is how many rows the pass that runs has still to seal anew; 0 if none
// runs.
type leftGauge struct{ rows atomic.Int64 }

// Left returns how many rows are known that wait to be sealed anew.
func (r *RootKeys) Left() int64 { return r.left.rows.Load() }

// Wake makes the background look for what is to be sealed anew.
func (r *RootKeys) Wake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// ResealUntil seals anew what old root keys sealed, as far as it opens without the
// help of a person, at the start and after each Wake, until ctx ends. A pass that is
// interrupted is repeated: what it did stays done.
func (r *RootKeys) ResealUntil(ctx context.Context) {
	for {
		if err := r.Reseal(ctx); err != nil && ctx.Err() == nil {
			r.log.Error("sealing with the current root key; it will be tried again", "cause", err)
			time.AfterFunc(resealRetry, r.Wake)
		}
		select {
		case <-ctx.Done():
			return
		case <-r.wake:
		}
	}
}

// Reseal is one pass of ResealUntil. It does nothing while only one root key is in
// use.
func (r *RootKeys) Reseal(ctx context.Context) error {
	listed, err := r.listed(ctx)
	if err != nil || len(listed.Needed()) == 1 {
		return err
	}
	found, err := r.stale(ctx)
	if err != nil {
		return err
	}
	r.left.rows.Store(int64(found))
	defer r.left.rows.Store(0)
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
	for _, bucket := range sealed() {
		if bucket.Reseal == nil {
			continue
		}
		err = r.pages(ctx, bucket.Bucket, func(page []row) error {
			for _, one := range page {
				old := false
				_ = bucket.Uses(r.keys.Ring(), one.value, func(kind rows.SealedKind, kid [4]byte) { // damage shows when it is sealed anew
					old = old || kind == rows.SealedFields && kid != current
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
	for _, bucket := range sealed() {
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
				r.left.rows.Add(-int64(len(some)))
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
	err = r.store.Update(ctx, func(tx storage.Tx) error {
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

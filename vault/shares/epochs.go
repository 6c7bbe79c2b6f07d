package shares

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// epochsOpened is the maximum number of opened keys in memory: the hours of 85
// days.
const epochsOpened = 2048

// epochs masks shares with the keys of epochs. It keeps opened keys in memory
// until the next sweep. It is safe for concurrent use.
type epochs struct {
	store cluster.Store
	keys  *seal.Keys

	mu     sync.Mutex
	opened map[uint64]openedEpoch
	first  uint64 // the keys of earlier epochs are deleted
}

func newEpochs(s cluster.Store, keys *seal.Keys) *epochs {
	return &epochs{store: s, keys: keys, opened: map[uint64]openedEpoch{}}
}

// epochRow is the row of the key that masks a share. The zero value is that of
// none.
type epochRow struct {
	row    []byte
	sealed []byte
}

// openedEpoch is an opened key with its row.
type openedEpoch struct {
	seal.EpochKey
	epochRow
}

// check returns storage.ErrShareGone unless the row is as it was when the key
// was opened.
func (r epochRow) check(tx *rows.Tx) error {
	if r.row == nil {
		return nil
	}
	stored, err := rows.Load(tx, BucketEpoch, r.row, decodeEpoch)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && !bytes.Equal(stored.sealed, r.sealed) {
		return fmt.Errorf("the key of an epoch is missing: %w", storage.ErrShareGone)
	}
	return err
}

// maskNew returns the mask for the share of a new owner, and the row of its key,
// which is durable: it is created if it is missing.
func (e *epochs) maskNew(ctx context.Context, owner Owner) ([storage.ShareSize]byte, epochRow, error) {
	return e.mask(ctx, owner, e.create)
}

// maskStored returns the mask for the share of a stored owner, or ErrEnded.
func (e *epochs) maskStored(ctx context.Context, owner Owner) ([storage.ShareSize]byte, error) {
	mask, _, err := e.mask(ctx, owner, e.find)
	return mask, err
}

func (e *epochs) mask(ctx context.Context, owner Owner, load func(context.Context, []byte) (epochRecord, error)) (mask [storage.ShareSize]byte, of epochRow, err error) {
	epoch := epochOf(owner.Expires)
	if mask, of, ok := e.maskOpened(epoch, owner); ok {
		return mask, of, nil
	}
	row := rows.BigEndian(epoch)
	record, err := load(ctx, row)
	if err != nil {
		return mask, of, fmt.Errorf("loading an epoch key: %w", err)
	}
	key, err := e.keys.OpenEpochKey(row, record.sealed)
	if err != nil {
		return mask, of, fmt.Errorf("opening an epoch key: %w", rows.ErrDamaged)
	}
	of = epochRow{row, record.sealed}
	mask, err = e.maskFirst(epoch, openedEpoch{key, of}, owner)
	return mask, of, err
}

// maskOpened masks with an opened key. The lock keeps the key from being wiped
// meanwhile.
func (e *epochs) maskOpened(epoch uint64, owner Owner) (mask [storage.ShareSize]byte, of epochRow, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key, ok := e.opened[epoch]
	if ok {
		mask, of = key.Mask(owner.Kind, owner.Row), key.epochRow
	}
	return mask, of, ok
}

// maskFirst masks with a key that was just opened, and keeps it. It returns
// ErrEnded if the key was deleted meanwhile.
func (e *epochs) maskFirst(epoch uint64, key openedEpoch, owner Owner) (mask [storage.ShareSize]byte, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if epoch < e.first {
		key.Wipe()
		return mask, ErrEnded
	}
	if before, ok := e.opened[epoch]; ok {
		before.Wipe() // another caller opened it at the same time
	} else if len(e.opened) == epochsOpened {
		e.dropOne()
	}
	e.opened[epoch] = key
	return key.Mask(owner.Kind, owner.Row), nil
}

// dropOne makes room for another key. Any will do: it can be opened again.
func (e *epochs) dropOne() {
	for epoch, key := range e.opened {
		key.Wipe()
		delete(e.opened, epoch)
		return
	}
}

// find loads the key of an epoch, or returns ErrEnded.
func (e *epochs) find(ctx context.Context, row []byte) (record epochRecord, err error) {
	err = e.store.View(ctx, func(tx *rows.Tx) (err error) {
		record, err = rows.Load(tx, BucketEpoch, row, decodeEpoch)
		return err
	})
	if errors.Is(err, refusal.ErrNotFound) {
		return record, ErrEnded
	}
	return record, err
}

// create stores a new key for an epoch, unless there is one: then all use the
// first. It returns the stored one.
func (e *epochs) create(ctx context.Context, row []byte) (record epochRecord, err error) {
	key := seal.NewEpochKey()
	fresh := epochRecord{sealed: e.keys.SealEpochKey(row, key)}
	key.Wipe()
	// The key is for all callers.
	err = e.store.Update(cluster.Unchecked(ctx), func(tx *rows.Tx) (err error) {
		record, err = rows.Load(tx, BucketEpoch, row, decodeEpoch)
		if !errors.Is(err, refusal.ErrNotFound) {
			return err
		}
		record = fresh
		return tx.Put(BucketEpoch, row, fresh.encode())
	})
	return record, err
}

// end deletes the keys of epochs that have passed, some in each call, and
// returns how many. It wipes opened ones even if the store fails, and if
// another node deletes the rows.
func (e *epochs) end(ctx context.Context, now time.Time) (int, error) {
	first := epochsBefore(now)
	e.wipe(first)
	n, err := e.store.Prune(ctx, BucketEpoch, rows.BigEndian(first))
	if err != nil {
		return n, fmt.Errorf("deleting epoch keys: %w", err)
	}
	return n, nil
}

// wipe forgets the opened keys, and those of epochs before first for good. The
// others are opened again from their rows, so that one whose row was replaced is
// not used for long: a standby that lagged when it was promoted may lack the
// row, and another node then makes a new key.
func (e *epochs) wipe(first uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.first = max(e.first, first)
	for epoch, key := range e.opened {
		key.Wipe()
		delete(e.opened, epoch)
	}
}

// forget forgets the opened keys.
func (e *epochs) forget() { e.wipe(0) }

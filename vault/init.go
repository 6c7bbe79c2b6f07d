package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/keylist"
	"hush/vault/rows"
)

// Init returns the first transaction of a new store of one process. It stores
// the verifier, which makes every later start with a wrong root key fail, the
// clock's first mark, and the format.
func Init(keys *seal.Keys, now time.Time) func(storage.Tx) error {
	return func(tx storage.Tx) error {
		if err := initialise(tx, keys, now); err != nil {
			return err
		}
		return cluster.InitFormat(tx)
	}
}

// initialise is Init without the format: that of a shared store is up to its
// nodes.
func initialise(tx storage.Tx, keys *seal.Keys, now time.Time) error {
	if err := rows.PutSystem(tx, keylist.SystemVerifier, keys.Verifier()); err != nil {
		return fmt.Errorf("writing the verifier: %w", err)
	}
	return cluster.PutMark(tx, now)
}

// ErrUnfinished reports that a store has data and no verifier.
var ErrUnfinished = errors.New("vault: the store holds data that is not complete")

// Initialized reports whether Init has run on a store. It returns
// cluster.ErrCopied if the store is, or was, at one end of a copy, and
// ErrUnfinished if it holds something else.
func Initialized(ctx context.Context, store storage.Store) (initialized bool, err error) {
	err = store.View(ctx, func(tx storage.Tx) (err error) {
		initialized, err = hasVerifier(tx)
		return err
	})
	return initialized, err
}

// InitShared initialises a store that other processes may be opening at the
// same time, unless it has run there. It returns seal.ErrWrongRootKey if the
// store was made with another root key or needs more than one, and cluster.ErrCopied or
// ErrUnfinished if it holds something else. Then nothing was changed.
func InitShared(ctx context.Context, store storage.Store, keys *seal.Keys, now time.Time) (err error) {
	if clock := store.Clock(); clock != nil {
		// The first mark holds for all machines, whose clocks may be wrong.
		if now, err = clock.Now(ctx); err != nil {
			return fmt.Errorf("reading the store's clock: %w", err)
		}
	}
	return store.Update(ctx, func(tx storage.Tx) error {
		initialized, err := hasVerifier(tx)
		switch {
		case err != nil:
			return err
		case initialized:
			return verify(tx, keys)
		}
		return initialise(tx, keys, now)
	})
}

func hasVerifier(tx storage.Tx) (bool, error) {
	if err := cluster.CheckCopy(tx); err != nil {
		return false, err
	}
	_, err := rows.GetSystem(tx, keylist.SystemVerifier)
	if !errors.Is(err, storage.ErrNotFound) {
		return err == nil, err
	}
	if found, err := rows.HasSystem(tx); err != nil || !found {
		return false, err
	}
	return false, ErrUnfinished
}

// CheckKeys returns seal.ErrWrongRootKey unless the keys are those of the store,
// and cluster.ErrCopied if the store is, or was, at one end of a copy.
func CheckKeys(ctx context.Context, store storage.Store, keys *seal.Keys) error {
	return store.View(ctx, func(tx storage.Tx) error { return verify(tx, keys) })
}

// verify returns an error unless keys are those of the store, and makes them seal
// and open as the store says.
func verify(tx storage.Tx, keys *seal.Keys) error {
	if err := cluster.CheckCopy(tx); err != nil {
		return err
	}
	listed, err := keylist.GetRootKeys(tx)
	if err != nil {
		return err
	}
	return listed.Arrange(keys)
}

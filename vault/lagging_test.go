package vault_test

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/shares"
	"hush/vault/vaulttest"
)

// laggingStore is a store whose database may lack the shares that were put.
type laggingStore struct {
	storage.Store
	lost atomic.Bool
}

func (s *laggingStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Store.Update(ctx, func(tx storage.Tx) error {
		noted := &laggingTx{Tx: tx}
		if err := fn(noted); err != nil {
			return err
		}
		if noted.needs > 0 && s.lost.Load() {
			return storage.ErrShareGone
		}
		return nil
	})
}

func (s *laggingStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

type laggingTx struct {
	storage.Tx
	needs int
}

func (t *laggingTx) NeedShare(storage.Slot) { t.needs++ }

// A standby that lagged took the database's place. It lacks the key of an epoch
// and shares that were ready. What is concealed with them is refused, not
// acknowledged and lost, and the next attempt uses new ones.
func TestConcealAfterAStandbyThatLagged(t *testing.T) {
	t.Parallel()
	root, clock := seal.NewRootKey(), vaulttest.NewClock(vaulttest.StartTime())
	store := vaulttest.NewKeepingStore(t, seal.NewKeys(root), clock)
	lagging := &laggingStore{Store: store.Store}
	store.Store = lagging
	k := store.Open(t, root, clock, nil)
	terms := secret.Terms{TTL: new(time.Hour)}
	k.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, terms)
	wantRefusedOnce := func(what string) {
		t.Helper()
		_, err := k.Vault.Secrets.ConcealSecret(t.Context(), caller.Caller{}, vaulttest.Plaintext, terms)
		vaulttest.WantErr(t, "ConcealSecret() without "+what, err, refusal.ErrUnavailable)
		lagging.lost.Store(false)
		made := k.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, terms)
		vaulttest.Want(t, "RevealSecret()", k.MustReveal(t, caller.Caller{}, made.Secret.Key, ""), vaulttest.Plaintext)
	}

	vaulttest.Want(t, "Update(losing the key of the epoch)", lagging.Update(t.Context(), func(tx storage.Tx) error {
		var keys [][]byte
		err := tx.Range(shares.BucketEpoch, nil, nil, func(key, _ []byte) error {
			keys = append(keys, bytes.Clone(key))
			return nil
		})
		vaulttest.Want(t, "epoch keys", len(keys), 1)
		return errors.Join(err, rows.DeleteAll(tx, shares.BucketEpoch, keys))
	}), nil)
	wantRefusedOnce("the key of its epoch")
	lagging.lost.Store(true)
	wantRefusedOnce("its share")
}

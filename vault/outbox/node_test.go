package outbox_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"hush/storage"
	"hush/vault/counter"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// readsStore keeps the rows of the bucket system that updates read.
type readsStore struct {
	storage.Store
	mu    sync.Mutex
	names map[string]bool
}

func (s *readsStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Store.Update(ctx, func(tx storage.Tx) error { return fn(&readsTx{tx, s}) })
}

func (s *readsStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

type readsTx struct {
	storage.Tx
	s *readsStore
}

func (tx *readsTx) note(bucket, key string) {
	if bucket != rows.BucketSystem {
		return
	}
	tx.s.mu.Lock()
	defer tx.s.mu.Unlock()
	tx.s.names[key] = true
}

func (tx *readsTx) Get(bucket string, key []byte) ([]byte, error) {
	tx.note(bucket, string(key))
	return tx.Tx.Get(bucket, key)
}

func (tx *readsTx) GetMany(bucket string, keys [][]byte) ([][]byte, error) {
	return storage.GetEach(tx, bucket, keys)
}

func (tx *readsTx) Same(bucket string, key, value []byte) (bool, error) {
	return storage.SameByGet(tx, bucket, key, value)
}

func (tx *readsTx) Change(bucket, key string, fn func(value []byte) ([]byte, error)) error {
	return storage.ChangeByPut(tx, bucket, key, fn)
}

func (tx *readsTx) Range(bucket string, from, to []byte, fn func(key, value []byte) error) error {
	return tx.Tx.Range(bucket, from, to, func(key, value []byte) error {
		tx.note(bucket, string(key))
		return fn(key, value)
	})
}

// Queueing a mail reads no counter of another node in its transaction: it would
// conflict with everything that the other node does.
func TestQueueingDoesNotWaitForOtherNodes(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	reads := &readsStore{names: map[string]bool{}}
	opts := vaulttest.Options{Manual: true, Send: func(context.Context, outbox.Mail) error { return nil }}
	a := c.Node(t, "a", opts)
	opts.WrapStore = func(s storage.Store) storage.Store { reads.Store = s; return reads }
	b := c.Node(t, "b", opts)
	a.MustConceal(t, vaulttest.Caller(1), "x", secret.Terms{})
	b.MustConceal(t, putMailer(t, b), vaulttest.Plaintext, secret.Terms{Recipients: []string{friend}})
	vaulttest.Want(t, "updates of node 1 read its own counters", reads.names[counter.SystemCounts+" 0001"], true)
	vaulttest.Want(t, "updates of node 1 read the counters of node 0", reads.names[counter.SystemCounts], false)
}

// The queue is full for every node, whichever filled it.
func TestQueueIsFullForAllNodes(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	opts := vaulttest.Options{Manual: true, Send: func(context.Context, outbox.Mail) error { return nil }}
	a, b := c.Node(t, "a", opts), c.Node(t, "b", opts)
	sender := putMailer(t, b)
	var counts counter.Counts
	counts[counter.Queued] = outbox.QueueMost
	vaulttest.Put(t, c.Store, rows.BucketSystem, []byte(counter.SystemCounts), counts.Encode())
	for _, k := range []*vaulttest.Kit{a, b} {
		_, err := k.Vault.Secrets.ConcealSecret(t.Context(), sender, "x", secret.Terms{Recipients: []string{friend}})
		if !errors.Is(err, refusal.ErrQuota) {
			t.Errorf("ConcealSecret(full queue): got %v, want %v", err, refusal.ErrQuota)
		}
	}
}

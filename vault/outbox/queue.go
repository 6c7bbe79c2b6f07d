package outbox

import (
	"context"
	"sync/atomic"

	"hush/vault/cluster"
	"hush/vault/counter"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// queue knows how many mails are queued, at all nodes together.
type queue struct {
	store cluster.Store
	// elsewhere is the number of mails that other nodes queued, less those that
	// they ended, as of the last look.
	elsewhere atomic.Int64
}

// check returns ErrQuota if the queue is full. It reads what this node counted,
// and adds what the others had counted a few seconds ago: reading that in a
// transaction which writes would make it conflict with everything that they
// count.
func (q *queue) check(tx *rows.Tx) error {
	own, err := counter.Own(tx)
	if err == nil && own[counter.Queued]+q.elsewhere.Load() >= QueueMost {
		return refusal.ErrQuota
	}
	return err
}

// look reads what other nodes counted, and returns ErrQuota if the queue is full.
func (q *queue) look(ctx context.Context) error {
	own, others, err := counter.Split(ctx, q.store)
	if err != nil {
		return err
	}
	q.elsewhere.Store(others[counter.Queued])
	if own[counter.Queued]+others[counter.Queued] >= QueueMost {
		return refusal.ErrQuota
	}
	return nil
}

// put queues a mail.
func (q *queue) put(tx *rows.Tx, id MailID, r *MailRecord) error {
	if err := q.check(tx); err != nil {
		return err
	}
	if err := tx.Put(BucketOutbox, outboxKey(r.created, id), r.encode()); err != nil {
		return err
	}
	return counter.Add(tx, counter.Change{Counter: counter.Queued, By: 1})
}

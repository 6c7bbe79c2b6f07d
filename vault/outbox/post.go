package outbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"hush/crash"
	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/shares"
)

const (
	// postEvery is how often the sender looks for due mails; new ones wake it.
	postEvery = 5 * time.Second
	// postPause is how long it waits after a failure of the store.
	postPause = 20 * time.Second
	// postWorkers is the number of mails sent at a time, postTimeout the
	// maximum time of one, and postBatch the number looked up at once.
	postWorkers = 4
	postTimeout = time.Minute
	postBatch   = 64
)

// PostUntil sends due mails until ctx ends.
func (o *Outbox) PostUntil(ctx context.Context) {
	for {
		pause := postEvery
		if _, err := o.PostDue(ctx); err != nil {
			if ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) && !errors.Is(err, cluster.ErrLeaseLost) {
				o.log.Error("sending queued mails", "cause", err)
			}
			pause = postPause
		}
		select {
		case <-ctx.Done():
			return
		case <-o.rung:
		case <-time.After(pause):
		}
	}
}

// PostDue sends the due mails and returns how many it handled: sent, postponed,
// given up or dropped. The vault calls it unless it is Manual. It returns
// errors of the store; a failed delivery is not an error. While another node
// sends, it does nothing.
func (o *Outbox) PostDue(ctx context.Context) (int, error) {
	if o.store.Node() != nil {
		_ = o.queue.look(ctx) // for the notices that this node queues
	}
	ctx, held, err := o.store.Hold(ctx, cluster.WorkMail)
	if err != nil || !held {
		return 0, err
	}
	now := o.clock.Now()
	var lost rows.Damage
	defer lost.Report(o.log)
	total := 0
	for {
		keys, err := o.dueMail(ctx, now)
		if err != nil || len(keys) == 0 {
			return total, err
		}
		n, err := o.postAll(ctx, keys, now, &lost)
		total += n
		if err != nil {
			return total, err
		}
	}
}

// dueMail returns the keys of the first due mails.
func (o *Outbox) dueMail(ctx context.Context, now time.Time) (keys [][]byte, err error) {
	err = o.store.View(ctx, func(tx *rows.Tx) (err error) {
		keys, err = rows.FirstKeys(tx, BucketOutbox, rows.BigEndian(rows.Millis(now)+1), postBatch)
		return err
	})
	return keys, err
}

// postAll sends mails, some at a time, and returns how many it handled. A failure of the
// store ends the worker that meets it, and the others go on.
func (o *Outbox) postAll(ctx context.Context, keys [][]byte, now time.Time, lost *rows.Damage) (int, error) {
	queue := make(chan []byte, len(keys))
	for _, key := range keys {
		queue <- key
	}
	close(queue)
	var all sync.WaitGroup
	var handled [postWorkers]int
	var errs [postWorkers]error
	for i := range postWorkers {
		crash.Go(&all, o.log, func() {
			for key := range queue {
				if errs[i] = o.post(ctx, key, now, lost); errs[i] != nil {
					return
				}
				handled[i]++
			}
		})
	}
	all.Wait()
	total := 0
	for _, n := range handled {
		total += n
	}
	return total, errors.Join(errs[:]...)
}

// post sends one mail. It claims the mail first, so that no other worker sends
// it at the same time, and its attempt is counted even if the process dies. If
// the process dies between sending and commit, the mail is sent twice under one
// id.
func (o *Outbox) post(ctx context.Context, key []byte, now time.Time, lost *rows.Damage) error {
	c, err := o.claimMail(ctx, key, now, lost)
	if err != nil || c == nil {
		return err
	}
	if c.over() {
		return o.finishMail(ctx, c)
	}
	m, err := o.openMail(ctx, c)
	if errors.Is(err, refusal.ErrUnavailable) {
		return err
	}
	if errors.Is(err, shares.ErrEnded) {
		return o.settleMail(ctx, c, refusal.ErrUndeliverable) // too late, not damaged
	}
	if err != nil {
		o.log.Error("a queued mail does not open", "kind", c.record.kind.name(), "cause", err)
		return o.settleMail(ctx, c, refusal.ErrUndeliverable)
	}
	return o.settleMail(ctx, c, o.deliver(ctx, m))
}

// openMail opens a mail to be sent.
func (o *Outbox) openMail(ctx context.Context, c *claimedMail) (Mail, error) {
	letter, err := o.unsealMail(ctx, c)
	if err != nil {
		return Mail{}, err
	}
	m, err := decodeLetter(letter)
	if err == nil && m.Kind != c.record.kind {
		err = rows.ErrDamaged
	}
	return m, err
}

func (o *Outbox) unsealMail(ctx context.Context, c *claimedMail) ([]byte, error) {
	if c.record.slot == nil {
		return o.keys.OpenField(fieldMail, c.id[:], c.record.sealed)
	}
	share, err := o.shares.Get(ctx, *c.record.slot, c.record.shareOwner(c.id))
	if errors.Is(err, storage.ErrShareGone) || errors.Is(err, shares.ErrEnded) {
		return nil, err
	}
	if err != nil {
		return nil, errors.Join(refusal.ErrUnavailable, fmt.Errorf("reading the share of a mail: %w", err))
	}
	return o.keys.OpenMail(share, c.id[:], c.record.sealed)
}

// deliver sends a mail. If mail is no longer configured, queued mails are still
// tried, in case it is configured again in time.
func (o *Outbox) deliver(ctx context.Context, m Mail) error {
	if o.send == nil {
		return refusal.ErrNotConfigured
	}
	ctx, cancel := context.WithTimeout(ctx, postTimeout)
	defer cancel()
	return o.send(ctx, m)
}

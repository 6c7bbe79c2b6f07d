package vault

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"hush/crash"
	"hush/storage"
)

const (
	// postEvery is how often the sender looks for mails that are due again; it
	// is told of new ones.
	postEvery = 5 * time.Second
	// postPause is how long it waits after it could not use the store.
	postPause = 20 * time.Second
	// postWorkers is how many mails are sent at a time, postTimeout how long one
	// may take, and postBatch how many are looked up at once.
	postWorkers = 4
	postTimeout = time.Minute
	postBatch   = 64
)

// posted wakes the sender after the commit of a mail.
func (v *Vault) posted() {
	select {
	case v.mails <- struct{}{}:
	default:
	}
}

// postUntil sends what is due until ctx ends.
func (v *Vault) postUntil(ctx context.Context) {
	for {
		pause := postEvery
		if _, err := v.PostDue(ctx); err != nil {
			if ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
				v.log.Error("working on queued mails", "cause", err)
			}
			pause = postPause
		}
		select {
		case <-ctx.Done():
			return
		case <-v.mails:
		case <-time.After(pause):
		}
	}
}

// PostDue sends the mails that are due, and says how many it handled: sent,
// put off, given up or dropped. The vault does so by itself unless it is
// Manual. Its error is one of the store; that a mail could not be sent is none.
func (v *Vault) PostDue(ctx context.Context) (int, error) {
	now := v.clock.now()
	var lost unread
	defer lost.report(v.log)
	total := 0
	for {
		keys, err := v.dueMail(ctx, now)
		if err != nil || len(keys) == 0 {
			return total, err
		}
		n, err := v.postAll(ctx, keys, now, &lost)
		total += n
		if err != nil {
			return total, err
		}
	}
}

// dueMail returns the keys of the first mails that are due.
func (v *Vault) dueMail(ctx context.Context, now time.Time) (keys [][]byte, err error) {
	err = v.store.View(ctx, func(tx storage.Tx) error {
		keys = nil
		return ignoreEnough(tx.Range(bucketOutbox, nil, bigEndian(millis(now)+1), func(key, _ []byte) error {
			keys = append(keys, append([]byte(nil), key...))
			if len(keys) == postBatch {
				return errEnough
			}
			return nil
		}))
	})
	return keys, err
}

// postAll sends mails, some at a time, and returns how many it handled.
func (v *Vault) postAll(ctx context.Context, keys [][]byte, now time.Time, lost *unread) (int, error) {
	queue := make(chan []byte, len(keys))
	for _, key := range keys {
		queue <- key
	}
	close(queue)
	var all sync.WaitGroup
	var handled [postWorkers]int
	var errs [postWorkers]error
	for i := range postWorkers {
		crash.Go(&all, v.log, func() {
			for key := range queue {
				if errs[i] = v.post(ctx, key, now, lost); errs[i] != nil {
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

// post sends one mail. It is claimed first, so that nobody else sends it at the
// same time and its attempt is counted even if the process dies. Dying between
// the sending and the commit that follows sends it twice, under one id.
func (v *Vault) post(ctx context.Context, key []byte, now time.Time, lost *unread) error {
	c, err := v.claimMail(ctx, key, now, lost)
	if err != nil || c == nil {
		return err
	}
	if c.over() {
		return v.finishMail(ctx, c)
	}
	m, err := v.openMail(ctx, c)
	if errors.Is(err, ErrUnavailable) {
		return err
	}
	if err != nil {
		v.log.Error("a queued mail does not open", "kind", c.record.kind.name(), "cause", err)
		return v.settleMail(ctx, c, ErrUndeliverable)
	}
	return v.settleMail(ctx, c, v.deliver(ctx, m))
}

// openMail reads what is to be sent.
func (v *Vault) openMail(ctx context.Context, c *claimedMail) (Mail, error) {
	letter, err := v.unsealMail(ctx, c)
	if err != nil {
		return Mail{}, err
	}
	m, err := decodeLetter(letter)
	if err == nil && m.Kind != c.record.kind {
		err = errDamaged
	}
	return m, err
}

func (v *Vault) unsealMail(ctx context.Context, c *claimedMail) ([]byte, error) {
	if c.record.slot == nil {
		return v.keys.OpenField(fieldMail, c.id[:], c.record.sealed)
	}
	share, err := v.shares.Get(ctx, *c.record.slot)
	if errors.Is(err, storage.ErrShareGone) {
		return nil, err
	}
	if err != nil {
		return nil, errors.Join(ErrUnavailable, fmt.Errorf("reading the share of a mail: %w", err))
	}
	return v.keys.OpenMail(share, c.id[:], c.record.sealed)
}

// deliver sends a mail. Where no mail is set up any more, those that wait are
// tried like others, in case that is mended in time.
func (v *Vault) deliver(ctx context.Context, m Mail) error {
	if v.send == nil {
		return ErrNotConfigured
	}
	ctx, cancel := context.WithTimeout(ctx, postTimeout)
	defer cancel()
	return v.send(ctx, m)
}

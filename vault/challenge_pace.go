package vault

import (
	"context"
	"errors"
	"slices"
	"time"

	"hush/storage"
)

const (
	// paceWindow is how long secrets add up before Policy.ChallengeAbove.
	paceWindow = 20 * time.Minute

	paceVersion = 1
)

// paceRecord counts the secrets of one network in one window.
//
//	version 1 │ count 4
type paceRecord struct{ count uint32 }

func (r paceRecord) encode() []byte {
	w := make(writer, 0, 5)
	w.byte(paceVersion)
	w.uint32(r.count)
	return w
}

func decodePace(data []byte) (paceRecord, error) {
	in := reader{rest: data}
	in.version(paceVersion)
	r := paceRecord{count: in.uint32()}
	return r, in.end()
}

// admitConceal lets callers conceal who have an account or whose network has
// not concealed much of late. From others it takes a solved challenge, or
// returns ErrChallenge.
func (v *Vault) admitConceal(ctx context.Context, c Caller, payload string) error {
	if v.policy.ChallengeAbove <= 0 || !c.Anonymous() {
		return nil
	}
	now := v.clock.now()
	within, err := v.keepPace(ctx, c.Network, now)
	if err != nil || within {
		return err
	}
	return v.spendChallenge(ctx, payload, ActionConceal, now)
}

// keepPace counts a secret, and tells whether the network's window had room
// for it. A full window is seen without writing.
func (v *Vault) keepPace(ctx context.Context, n Network, now time.Time) (within bool, err error) {
	network := v.keys.NetworkID(n.bytes())
	window := bigEndian(millis(now.Truncate(paceWindow)))
	key := slices.Concat(window, network[:])
	count := func(tx storage.Tx) (r paceRecord, err error) {
		r, err = getPace(tx, key)
		within = int64(r.count) < int64(v.policy.ChallengeAbove)
		return r, err
	}
	err = v.store.View(ctx, func(tx storage.Tx) error {
		_, err := count(tx)
		return err
	})
	if err != nil || !within {
		return false, err
	}
	err = v.store.Update(ctx, func(tx storage.Tx) error {
		r, err := count(tx)
		if err != nil || !within {
			return err
		}
		r.count++
		return tx.Put(bucketPace, key, r.encode())
	})
	return within, err
}

func getPace(tx storage.Tx, key []byte) (paceRecord, error) {
	data, err := tx.Get(bucketPace, key)
	if errors.Is(err, storage.ErrNotFound) {
		return paceRecord{}, nil
	}
	if err != nil {
		return paceRecord{}, err
	}
	return decodePace(data)
}

// prunePace deletes counters of windows that are over.
func (v *Vault) prunePace(ctx context.Context, now time.Time, _ *unread) (int, error) {
	window := bigEndian(millis(now.Truncate(paceWindow)))
	over := false
	err := v.store.View(ctx, func(tx storage.Tx) error {
		over = false
		return ignoreEnough(tx.Range(bucketPace, nil, window, func([]byte, []byte) error {
			over = true
			return errEnough
		}))
	})
	if err != nil || !over {
		return 0, err
	}
	return v.pruned(ctx, bucketPace, window)
}

func deleteAll(tx storage.Tx, bucket string, keys [][]byte) error {
	for _, key := range keys {
		if err := tx.Delete(bucket, key); err != nil {
			return err
		}
	}
	return nil
}

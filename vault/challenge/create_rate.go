package challenge

import (
	"context"
	"slices"
	"time"

	"hush/vault/caller"
	"hush/vault/rows"
)

// BucketPace has start of a window in ms (8) ‖ network (8) -> createRateRecord.
const BucketPace = "pace"

const (
	// createRateWindow is the period over which Policy.ChallengeAbove counts secrets.
	createRateWindow = 20 * time.Minute

	createRateVersion = 1
)

// createRateRecord counts the secrets of one network in one window.
//
//	version 1 │ count 4
type createRateRecord struct{ count uint32 }

func (r *createRateRecord) fields(c *rows.Codec) {
	c.Version(createRateVersion)
	c.Uint32(&r.count)
}

func (r createRateRecord) encode() []byte { return rows.Encode(5, &r, (*createRateRecord).fields) }

func decodeCreateRate(data []byte) (r createRateRecord, err error) {
	err = rows.Decode(data, &r, (*createRateRecord).fields)
	return r, err
}

// AdmitConceal returns nil for callers with an account and for networks that
// have not concealed much recently. All others must send a solved challenge, or
// get ErrChallenge.
func (ch *Challenges) AdmitConceal(ctx context.Context, c caller.Caller, payload string) error {
	if ch.policy.ChallengeAbove <= 0 || !c.Anonymous() {
		return nil
	}
	now := ch.clock.Now()
	within, err := ch.countCreate(ctx, c.Network, now)
	if err != nil || within {
		return err
	}
	return ch.Spend(ctx, payload, ActionConceal, now)
}

// countCreate counts a secret, and reports whether the network's window had
// room for it. It detects a full window without writing.
func (ch *Challenges) countCreate(ctx context.Context, n caller.Network, now time.Time) (within bool, err error) {
	network := ch.keys.NetworkID(n.Bytes())
	window := rows.BigEndian(rows.Millis(now.Truncate(createRateWindow)))
	key := slices.Concat(window, network[:])
	count := func(tx *rows.Tx) (r createRateRecord, err error) {
		r, err = getCreateRate(tx, key)
		within = int64(r.count) < int64(ch.policy.ChallengeAbove)
		return r, err
	}
	err = ch.store.View(ctx, func(tx *rows.Tx) error {
		_, err := count(tx)
		return err
	})
	if err != nil || !within {
		return false, err
	}
	err = ch.store.Update(ctx, func(tx *rows.Tx) error {
		r, err := count(tx)
		if err != nil || !within {
			return err
		}
		r.count++
		return tx.Put(BucketPace, key, r.encode())
	})
	return within, err
}

func getCreateRate(tx *rows.Tx, key []byte) (createRateRecord, error) {
	return rows.LoadOr(tx, BucketPace, key, decodeCreateRate, createRateRecord{})
}

// PruneCreateRate deletes the counters of past windows.
func (ch *Challenges) PruneCreateRate(ctx context.Context, now time.Time, _ *rows.Damage) (int, error) {
	window := rows.BigEndian(rows.Millis(now.Truncate(createRateWindow)))
	var past [][]byte
	err := ch.store.View(ctx, func(tx *rows.Tx) (err error) {
		past, err = rows.FirstKeys(tx, BucketPace, window, 1)
		return err
	})
	if err != nil || len(past) == 0 {
		return 0, err
	}
	return ch.store.Prune(ctx, BucketPace, window)
}

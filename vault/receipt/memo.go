package receipt

import (
	"context"

	"hush/seal"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// UpdateMemo sets the sender's note; an empty one removes it. It returns
// ErrNotFound, or ErrQuota if the account or network has no quota left for a
// longer note.
func (re *Receipts) UpdateMemo(ctx context.Context, c caller.Caller, key string, memo caller.Text) (Metadata, error) {
	token, ok := seal.ParseToken(key)
	if !ok {
		return Metadata{}, refusal.ErrNotFound
	}
	now := re.clock.Now()
	found, err := re.find(ctx, token, now)
	if err != nil {
		return Metadata{}, err
	}
	row := found.row
	var sealed []byte
	if memo != "" {
		if err := re.store.CheckDiskSpace(); err != nil {
			return Metadata{}, err
		}
		sealed = re.keys.SealMetadata(token, row, labelMemo, []byte(memo))
	}
	memoQuota, err := re.usage.ReserveMemo(ctx, found.record.Charge(), len(found.record.sealedMemo), len(sealed), re.limits)
	if err != nil {
		return Metadata{}, err
	}
	err = re.store.Update(ctx, func(tx *rows.Tx) (err error) {
		if found.record, err = Load(tx, row); err != nil {
			return err
		}
		if err := memoQuota.Take(tx, found.record.Charge(), len(found.record.sealedMemo), found.record.secret, row); err != nil {
			return err
		}
		found.record.sealedMemo = sealed
		found.record.updated = now
		if err := tx.Put(BucketMetadata, row[:], found.record.encode()); err != nil {
			return err
		}
		return audit.Write(tx, now, audit.Memo, row)
	})
	memoQuota.Finish(err)
	if err != nil {
		return Metadata{}, err
	}
	re.watches.Tell(row)
	found.record = found.record.asOf(now)
	return re.show(ctx, c, &found, now), nil
}

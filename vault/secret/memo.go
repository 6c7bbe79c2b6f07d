package secret

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
	receipt, ok := seal.ParseToken(key)
	if !ok {
		return Metadata{}, refusal.ErrNotFound
	}
	now, row := re.clock.Now(), receipt.RowKey(seal.KindMetadata)
	found, err := re.findMetadata(ctx, row, now)
	if err != nil {
		return Metadata{}, err
	}
	var sealed []byte
	if memo != "" {
		if err := re.store.CheckDiskSpace(); err != nil {
			return Metadata{}, err
		}
		sealed = re.keys.SealMetadata(receipt, row, labelMemo, []byte(memo))
	}
	memoQuota, err := re.usage.ReserveMemo(ctx, found.record.charge(), len(found.record.sealedMemo), len(sealed), re.limits)
	if err != nil {
		return Metadata{}, err
	}
	err = re.store.Update(ctx, func(tx *rows.Tx) (err error) {
		if found.record, err = getMetadata(tx, row); err != nil {
			return err
		}
		if err := memoQuota.Take(tx, found.record.charge(), len(found.record.sealedMemo), found.record.Secret, row); err != nil {
			return err
		}
		found.record.sealedMemo, found.record.updated = sealed, now
		if err := tx.Put(BucketMetadata, row[:], found.record.encode()); err != nil {
			return err
		}
		return audit.Write(tx, now, audit.Memo, row)
	})
	memoQuota.Settle(err)
	if err != nil {
		return Metadata{}, err
	}
	re.watches.Tell(row)
	found.record = found.record.asOf(now)
	return re.showMetadata(ctx, c, receipt, row, found, now), nil
}

package quota_test

import (
	"context"
	"errors"

	"hush/storage"
	"hush/vault/quota"
	"hush/vault/receipt"
	"hush/vault/secret"
)

// countStored adds up what the stored secrets and receipts count for. A count of the
// vault is the same once the background pass is finished.
func countStored(ctx context.Context, store storage.Store) (quota.Charges, error) {
	var all []quota.Charge
	err := store.View(ctx, func(tx storage.Tx) error {
		all = nil
		read := func(of func(value []byte) (quota.Charge, error)) func(key, value []byte) error {
			return func(_, value []byte) error {
				c, err := of(value)
				if err == nil {
					all = append(all, c)
				}
				return err
			}
		}
		err := tx.Range(secret.BucketSecret, nil, nil, read(secret.ChargeOfSecret))
		return errors.Join(err, tx.Range(receipt.BucketMetadata, nil, nil, read(receipt.ChargeOf)))
	})
	return quota.Sum(all), err
}

// storedCharges is countStored of what can be read.
func storedCharges(ctx context.Context, store storage.Store) quota.Charges {
	counted, _ := countStored(ctx, store)
	return counted
}

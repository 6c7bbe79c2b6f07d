package doctor

import (
	"context"
	"fmt"

	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/shares"
	"hush/vault/tables"
)

// LastSlot returns the last slot that a row owns or lists for destruction; 0 if
// there is none. It returns rows.ErrDamaged if a row that may own one cannot be
// read, cluster.ErrCopied for a store that may not be served, and a cluster.FormatError
// for one of a newer release, in which rows may own slots that this one does not
// know of.
func LastSlot(ctx context.Context, store storage.Store) (last uint64, err error) {
	err = store.View(ctx, func(tx storage.Tx) error {
		if err := cluster.CheckFormat(tx); err != nil {
			return err
		}
		if err := cluster.CheckCopy(tx); err != nil {
			return err
		}
		for _, h := range append(tables.Holdings(), shares.Listed()) {
			err := tx.Range(h.Name, nil, nil, func(key, value []byte) error {
				slot, _, ok, err := h.Find(key, value)
				if err == nil && ok {
					last = max(last, slot.Number)
				}
				return err
			})
			if err != nil {
				return fmt.Errorf("bucket %q: %w", h.Name, err)
			}
		}
		return nil
	})
	return last, err
}

package restoration

import (
	"context"
	"fmt"

	"hush/storage"
	"hush/vault"
	"hush/vault/cluster"
	"hush/vault/file"
	"hush/vault/rows"
	"hush/vault/secret"
)

// burnLost burns the files of a restored store that cannot be fetched, and returns how many.
func burnLost(ctx context.Context, opts vault.Options, blobs storage.BlobViewer) (burned int64, err error) {
	lost, err := lostFiles(ctx, opts.Store, blobs)
	if err != nil || len(lost) == 0 {
		return 0, err
	}
	return burn(ctx, opts, func(slot storage.Slot) bool { return lost[slot] })
}

// lostFiles returns the slots of the secrets that are files and cannot be fetched.
func lostFiles(ctx context.Context, backend storage.Store, blobs storage.BlobViewer) (lost map[storage.Slot]bool, err error) {
	secrets := secret.Holding()
	err = cluster.NewStore(backend, nil).View(ctx, func(tx *rows.Tx) error {
		lost = map[storage.Slot]bool{}
		return tx.Range(secrets.Name, nil, nil, func(key, value []byte) error {
			receipt, isFile := secret.FileOf(value)
			if !isFile {
				return nil
			}
			gone, err := file.IsLost(tx, receipt, blobs)
			if err != nil || !gone {
				return err
			}
			if slot, _, ok, err := secrets.Find(key, value); err == nil && ok {
				lost[slot] = true
			}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("looking for the contents of files: %w", err)
	}
	return lost, nil
}

package secret

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"hush/seal"
	"hush/storage"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/shares"
)

// The preview of a file has its name, and a note to the recipient. The sender's device
// encrypts it under the link, and the service once more under the link's key and the share
// of the secret: what pages, backups and freed blocks keep of it opens no more than the file
// does, once that was opened, burned or has expired.

// previewHeader is what the seal of a preview authenticates.
const previewHeader = "preview"

// previewKey returns the key that a file's preview is sealed with. Anyone may see a preview
// who has the link, so in the place of a proof's hash there is one that no proof has.
func (se *Secrets) previewKey(r *Record, token seal.Token, row seal.RowKey, share [storage.ShareSize]byte) (seal.SecretKey, error) {
	return se.secretKeys.Key(r.kid, token, row, share, sha256.Sum256([]byte("hush preview")))
}

// sealPreview returns what is stored of a preview; nil for none.
func (se *Secrets) sealPreview(r *Record, token seal.Token, row seal.RowKey, share [storage.ShareSize]byte, preview []byte) ([]byte, error) {
	if len(preview) == 0 {
		return nil, nil
	}
	key, err := se.previewKey(r, token, row, share)
	if err != nil {
		return nil, err
	}
	return key.SealUnpadded([]byte(previewHeader), preview), nil
}

// errBeganAnew says that the upload of a file began anew since its record was read.
var errBeganAnew = fmt.Errorf("the upload began anew: %w", refusal.ErrUnavailable)

// openPreview is the inverse of sealPreview. It returns ErrNotFound if the secret has ended
// since its record was read, and errBeganAnew.
func (se *Secrets) openPreview(ctx context.Context, r *Record, token seal.Token, row seal.RowKey, sealed []byte) ([]byte, error) {
	if len(sealed) == 0 {
		return nil, nil
	}
	share, err := se.shares.Get(ctx, r.slot, r.shareOwner(row))
	if errors.Is(err, storage.ErrShareGone) || errors.Is(err, shares.ErrEnded) {
		return nil, se.explainNoPreview(ctx, r, row)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the share: %w", refusal.Unavailable(err))
	}
	key, err := se.previewKey(r, token, row, share)
	if err != nil {
		return nil, fmt.Errorf("deriving a preview's key: %w", errors.Join(err, rows.ErrInconsistent))
	}
	preview, err := key.OpenUnpadded([]byte(previewHeader), sealed)
	if err != nil {
		return nil, fmt.Errorf("opening a preview: %w", rows.ErrInconsistent)
	}
	return preview, nil
}

// explainNoPreview says why the share of a secret is gone.
func (se *Secrets) explainNoPreview(ctx context.Context, r *Record, row seal.RowKey) error {
	return se.store.View(ctx, func(tx *rows.Tx) error {
		present, err := getSecret(tx, row, se.clock.Now())
		if err == nil && present.slot != r.slot {
			err = errBeganAnew
		}
		if err != nil {
			return err
		}
		return fmt.Errorf("secret without its share: %w", rows.ErrInconsistent)
	})
}

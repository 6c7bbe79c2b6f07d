package secret

import (
	"context"
	"errors"
	"maps"

	"hush/storage"
)

// Hashes returns how many passphrases and passwords were hashed.
func Hashes(se *Secrets) int { return int(se.hasher.Done.Load()) }

// Charges are the counted bytes by account, network and /48.
type Charges struct {
	Total, Anonymous int64
	Accounts         map[string]int64
	Networks, Wides  map[[8]byte]int64
}

func (u *Usage) charges() Charges {
	u.mu.Lock()
	defer u.mu.Unlock()
	return Charges{u.total, u.anonymous, maps.Clone(u.accounts), maps.Clone(u.networks), maps.Clone(u.wides)}
}

// Charges returns the present counts.
func (se *Secrets) Charges() Charges { return se.usage.charges() }

// CountCharges counts what is stored. Charges returns the same once the
// background pass is finished.
func CountCharges(ctx context.Context, store storage.Store) (Charges, error) {
	u := NewUsage()
	err := store.View(ctx, func(tx storage.Tx) error {
		err := tx.Range(BucketSecret, nil, nil, func(_, value []byte) error {
			r, err := decodeSecret(value)
			if err == nil {
				u.add(r.charge())
			}
			return err
		})
		return errors.Join(err, tx.Range(BucketMetadata, nil, nil, func(_, value []byte) error {
			r, err := decodeMetadata(value)
			if err == nil {
				u.add(r.charge())
			}
			return err
		}))
	})
	return u.charges(), err
}

// DecodeMetadata decodes a stored receipt.
func DecodeMetadata(data []byte) (*MetadataRecord, error) { return decodeMetadata(data) }

package vault

import (
	"context"

	"hush/storage"
)

// DueKinds is how many kinds of things the index of due things knows.
func (v *Vault) DueKinds() int { return len(v.endings()) }

// Strike is what strikes destroyed shares off the list.
func Strike(ctx context.Context, v *Vault, slots []storage.Slot) error {
	return v.shares.Strike(ctx, slots)
}

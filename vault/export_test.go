package vault

import (
	"context"

	"hush/storage"
	"hush/vault/rows"
	"hush/vault/shares"
)

// DueKinds is how many kinds of things the index of due things knows.
func (v *Vault) DueKinds() int { return len(v.endings()) }

// Strike is what strikes destroyed shares off the list.
func Strike(ctx context.Context, v *Vault, slots []storage.Slot) error {
	return v.shares.Strike(ctx, slots)
}

// SharesOf returns the shares of a vault, with the epoch keys that it has opened.
func SharesOf(v *Vault) *shares.Shares { return v.shares }

// Update runs a transaction of the vault.
func Update(ctx context.Context, v *Vault, fn func(*rows.Tx) error) error {
	return v.store.Update(ctx, fn)
}

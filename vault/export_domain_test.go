package vault

import (
	"context"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/domain"
	"hush/vault/rows"
)

// The buckets of domains.
const (
	BucketDomain   = domain.BucketDomain
	BucketDomainID = domain.BucketDomainID
	BucketVerified = domain.BucketVerified
	BucketRecheck  = domain.BucketRecheck
	BucketImage    = domain.BucketImage
)

// CountedDomains is how many verified domains the vault has counted.
func (v *Vault) CountedDomains(ctx context.Context) (n int64, err error) {
	err = v.store.View(ctx, func(tx storage.Tx) error {
		c, err := rows.GetCounts(tx)
		n = c[rows.CountDomains]
		return err
	})
	return n, err
}

// EndDomains releases all domains of an account.
func (v *Vault) EndDomains(ctx context.Context, id caller.AccountID) error {
	return v.store.Update(ctx, func(tx storage.Tx) error { return v.Domains.EndDomains(tx, id) })
}

package vault

import (
	"context"

	"hush/storage"
)

// The buckets of domains.
const (
	BucketDomain   = bucketDomain
	BucketDomainID = bucketDomainID
	BucketVerified = bucketVerified
	BucketRecheck  = bucketRecheck
	BucketImage    = bucketImage
)

// CountedDomains is how many verified domains the vault has counted.
func (v *Vault) CountedDomains(ctx context.Context) (n int64, err error) {
	err = v.store.View(ctx, func(tx storage.Tx) error {
		c, err := getCounts(tx)
		n = c[countDomains]
		return err
	})
	return n, err
}

// EndDomains releases all domains of an account.
func (v *Vault) EndDomains(ctx context.Context, id AccountID) error {
	return v.store.Update(ctx, func(tx storage.Tx) error { return v.endDomains(tx, id) })
}

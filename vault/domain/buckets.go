package domain

import (
	"hush/vault/caller"
	"hush/vault/rows"
)

// Buckets returns the buckets of this package.
func Buckets() []rows.Bucket {
	return []rows.Bucket{
		{Name: BucketDomain, Check: rows.CheckRow(0, decodeDomain), Version: domainVersion},
		{Name: BucketDomainID, Check: checkDomainID},
		{Name: BucketVerified, Check: rows.CheckRow(0, rows.DecodeAccountID)},
		{Name: BucketRecheck, Check: rows.CheckIndex(8 + len(caller.AccountID{}) + 1)},
		{Name: BucketImage, Check: rows.CheckRow(0, decodeImage)},
	}
}

// checkDomainID is the Check of BucketDomainID.
func checkDomainID(_, value []byte) error {
	if len(value) <= len(caller.AccountID{}) {
		return rows.ErrDamaged
	}
	return nil
}

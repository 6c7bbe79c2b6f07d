package restoration

import (
	"hush/storage"
	"hush/vault/quota"
	"hush/vault/secret"
	"hush/vault/shares"
	"hush/vault/spent"
)

// Keeps reports whether a row of a backup belongs into the restored store. Lists
// of what is to be destroyed or logged belong to the old one, and what is counted from
// other rows is counted anew.
func Keeps(bucket string) bool {
	switch bucket {
	case shares.BucketShred, shares.BucketEpoch, quota.BucketUsage, spent.BucketPending:
		return false
	}
	return true
}

// SlotOf returns the slot that a row of a backup names, if its share belongs into
// the restored store: that of a secret. Queued mails and claims are dropped with their shares. It
// returns rows.ErrDamaged for a secret that cannot be read.
func SlotOf(bucket string, key, value []byte) (slot storage.Slot, ok bool, err error) {
	if bucket != secret.BucketSecret {
		return slot, false, nil
	}
	slot, _, ok, err = secret.Holding().Find(key, value)
	return slot, ok, err
}

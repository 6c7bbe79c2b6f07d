package doctor

import "hush/vault/rows"

// OwnedBuckets returns the buckets that the owners list.
func OwnedBuckets() []rows.Bucket { return buckets() }

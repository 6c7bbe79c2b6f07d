package credential

import "hush/vault/rows"

// Buckets returns the buckets of this package.
func Buckets() []rows.Bucket {
	return []rows.Bucket{
		{Name: BucketSession, Check: rows.CheckRow(0, decodeSession)},
		{Name: BucketSessions, Check: checkList},
		{Name: BucketToken, Check: rows.CheckRow(0, decodeToken)},
		{Name: BucketTokens, Check: checkList},
		{Name: BucketPair, Check: rows.CheckRow(0, decodePair)},
	}
}

// checkList is the Check of the lists of an account's sessions and tokens, whose
// values are rows.
func checkList(_, value []byte) error {
	if len(value) == 0 {
		return rows.ErrDamaged
	}
	return nil
}

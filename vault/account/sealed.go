package account

import (
	"hush/seal"
	"hush/vault/keylist"
)

// Sealed returns what this package's buckets have of root keys.
func Sealed() []keylist.Sealed {
	return []keylist.Sealed{
		{Bucket: BucketAccount, Uses: usesOfAccount, Reseal: resealAccount},
	}
}

func usesOfAccount(ring seal.Ring, value []byte, use keylist.Use) error {
	r, err := DecodeAccount(value)
	if err != nil {
		return err
	}
	keylist.UseSealed(ring, keylist.SealedFields, r.address, use)
	keylist.UseSealed(ring, keylist.SealedFields, r.PendingAddress, use)
	if r.Password != nil && r.Password.Keyed {
		use(keylist.SealedPasswords, r.Password.KID)
	}
	return nil
}

func resealAccount(keys *seal.Keys, key, value []byte) ([]byte, error) {
	r, err := DecodeAccount(value)
	if err != nil {
		return nil, err
	}
	address, err := keylist.ResealField(keys, fieldAddress, key, &r.address)
	if err != nil {
		return nil, err
	}
	pending, err := keylist.ResealField(keys, fieldPendingAddress, key, &r.PendingAddress)
	if err != nil || !address && !pending {
		return nil, err
	}
	return r.Encode(), nil
}

package ticket

import (
	"hush/seal"
	"hush/vault/keylist"
)

// Sealed returns what this package's bucket has of root keys.
func Sealed() []keylist.Sealed {
	return []keylist.Sealed{{Bucket: BucketTicket, Uses: uses, Reseal: reseal}}
}

func uses(ring seal.Ring, value []byte, use keylist.Use) error {
	r, err := Decode(value)
	if err == nil {
		keylist.UseSealed(ring, keylist.SealedFields, r.address, use)
	}
	return err
}

func reseal(keys *seal.Keys, key, value []byte) ([]byte, error) {
	r, err := Decode(value)
	if err != nil {
		return nil, err
	}
	changed, err := keylist.ResealField(keys, fieldAddress, key, &r.address)
	if err != nil || !changed {
		return nil, err
	}
	return r.encode(), nil
}

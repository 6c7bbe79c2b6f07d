package feedback

import (
	"hush/seal"
	"hush/vault/keylist"
)

// Sealed returns what this package's buckets have of root keys.
func Sealed() []keylist.Sealed {
	return []keylist.Sealed{
		{Bucket: BucketFeedback, Uses: usesOfFeedback, Reseal: resealFeedback},
		{Bucket: BucketException, Uses: usesOfException, Reseal: resealException},
	}
}

func usesOfFeedback(ring seal.Ring, value []byte, use keylist.Use) error {
	r, err := decodeFeedback(value)
	if err == nil {
		keylist.UseSealed(ring, keylist.SealedFields, r.sealed, use)
	}
	return err
}

func resealFeedback(keys *seal.Keys, key, value []byte) ([]byte, error) {
	r, err := decodeFeedback(value)
	if err != nil {
		return nil, err
	}
	changed, err := keylist.ResealField(keys, fieldFeedback, key, &r.sealed)
	if err != nil || !changed {
		return nil, err
	}
	return r.encode(), nil
}

func usesOfException(ring seal.Ring, value []byte, use keylist.Use) error {
	r, err := decodeException(value)
	if err == nil {
		keylist.UseSealed(ring, keylist.SealedFields, r.sealed, use)
	}
	return err
}

func resealException(keys *seal.Keys, key, value []byte) ([]byte, error) {
	r, err := decodeException(value)
	if err != nil {
		return nil, err
	}
	changed, err := keylist.ResealField(keys, fieldException, key, &r.sealed)
	if err != nil || !changed {
		return nil, err
	}
	return r.encode(), nil
}

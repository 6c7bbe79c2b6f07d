package feedback

import (
	"hush/seal"
	"hush/vault/rows"
)

// Sealed returns what this package's buckets have of root keys.
func Sealed() []rows.Sealed {
	return []rows.Sealed{
		{Bucket: BucketFeedback, Uses: usesOfFeedback, Reseal: resealFeedback},
		{Bucket: BucketException, Uses: usesOfException, Reseal: resealException},
	}
}

func usesOfFeedback(ring seal.Ring, value []byte, use rows.Use) error {
	r, err := decodeFeedback(value)
	if err == nil {
		rows.UseSealed(ring, rows.SealedFields, r.sealed, use)
	}
	return err
}

func resealFeedback(keys *seal.Keys, key, value []byte) ([]byte, error) {
	r, err := decodeFeedback(value)
	if err != nil {
		return nil, err
	}
	changed, err := rows.ResealField(keys, fieldFeedback, key, &r.sealed)
	if err != nil || !changed {
		return nil, err
	}
	return r.encode(), nil
}

func usesOfException(ring seal.Ring, value []byte, use rows.Use) error {
	r, err := decodeException(value)
	if err == nil {
		rows.UseSealed(ring, rows.SealedFields, r.sealed, use)
	}
	return err
}

func resealException(keys *seal.Keys, key, value []byte) ([]byte, error) {
	r, err := decodeException(value)
	if err != nil {
		return nil, err
	}
	changed, err := rows.ResealField(keys, fieldException, key, &r.sealed)
	if err != nil || !changed {
		return nil, err
	}
	return r.encode(), nil
}

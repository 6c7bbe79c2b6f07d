package storage

import "errors"

// ManyGetter is implemented by transactions that read many rows at the price of
// few. GetMany is how to use it.
type ManyGetter interface {
	// GetMany returns the values of keys in their order, nil for a missing one.
	// The caller owns them.
	GetMany(bucket string, keys [][]byte) ([][]byte, error)
}

// GetMany returns the values of keys in their order, nil for a missing one. The
// caller owns them. An empty value is not nil.
func GetMany(tx Tx, bucket string, keys [][]byte) ([][]byte, error) {
	if many, ok := tx.(ManyGetter); ok {
		return many.GetMany(bucket, keys)
	}
	values := make([][]byte, len(keys))
	for i, key := range keys {
		value, err := tx.Get(bucket, key)
		switch {
		case errors.Is(err, ErrNotFound):
		case err != nil:
			return nil, err
		case value == nil:
			values[i] = []byte{}
		default:
			values[i] = value
		}
	}
	return values, nil
}

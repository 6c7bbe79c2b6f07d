package credential

import (
	"time"

	"hush/vault/caller"
)

// Wrapped returns what is wrapped in a stored session, token or pair.
func Wrapped(bucket string, record []byte) ([]byte, error) {
	switch bucket {
	case BucketSession:
		r, err := decodeSession(record)
		if err != nil {
			return nil, err
		}
		return r.Wrapped, nil
	case BucketToken:
		r, err := decodeToken(record)
		if err != nil {
			return nil, err
		}
		return r.Wrapped, nil
	}
	r, err := decodePair(record)
	if err != nil {
		return nil, err
	}
	return r.wrapped, nil
}

// WrappedIn returns a stored session that holds another wrapped key.
func WrappedIn(record, wrapped []byte) ([]byte, error) {
	r, err := decodeSession(record)
	if err != nil {
		return nil, err
	}
	r.Wrapped = wrapped
	return r.encode(), nil
}

// PasswordLabel is the place of a pair's wrapped key, by the pair's row.
func PasswordLabel(pairRow []byte) []byte {
	return WrapLabel(caller.AccountID(pairRow[:16]), caller.PairID(pairRow[16:]), heldByPassword)
}

// FillUses leaves no room to remember further uses.
func FillUses(cr *Credentials, at time.Time) {
	for n := range usesMost {
		cr.lastUsed.note(SessionUse([32]byte{byte(n), byte(n >> 8)}), at)
	}
}

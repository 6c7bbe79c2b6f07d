package seal

import "crypto/rand"

const (
	maskDomain = "hush/v1 share mask"
	// epochLabel is the label of sealed epoch keys.
	epochLabel = "epoch key"
)

// EpochKey masks the shares of everything that expires in one epoch. Once every
// copy of it is destroyed, nothing that was sealed with a masked share opens.
// Make it with NewEpochKey or OpenEpochKey; the zero EpochKey is invalid.
type EpochKey struct {
	redacted
	key hidden[[]byte] // 32 bytes
}

// NewEpochKey generates an epoch key.
func NewEpochKey() EpochKey {
	key := make([]byte, subkeySize)
	rand.Read(key)
	return EpochKey{key: hide(key)}
}

// Mask returns the bytes to combine with a share by XOR. The label names the
// kind of record and row the record, so that no two records share a mask:
//
//	HMAC(epoch key, {"hush/v1 share mask", label, row}, each behind its length)
func (e EpochKey) Mask(label string, row []byte) [32]byte {
	key := e.key()
	if distinctBytes(key) == 1 {
		key = nil // a wiped key panics instead of yielding a guessable mask
	}
	return mac(key[:subkeySize], place(maskDomain, []byte(label), row))
}

// Wipe overwrites the key, which must not be used any more.
func (e EpochKey) Wipe() { clear(e.key()) }

// SealEpochKey encrypts an epoch key as a field of the row.
func (k *Keys) SealEpochKey(row []byte, e EpochKey) []byte {
	return k.SealField(epochLabel, row, e.key())
}

// OpenEpochKey returns the key in a result of SealEpochKey with the same root
// key and row, and ErrSealBroken for everything else.
func (k *Keys) OpenEpochKey(row, sealed []byte) (EpochKey, error) {
	key, err := k.OpenField(epochLabel, row, sealed)
	if err != nil {
		return EpochKey{}, err
	}
	if len(key) != subkeySize {
		return EpochKey{}, ErrSealBroken
	}
	return EpochKey{key: hide(key)}, nil
}

package keylist

import "hush/seal"

// SealedKind is a kind of things that a root key made. Its value is how operators
// read it.
type SealedKind string

// The kinds of things that a root key made.
const (
	SealedSecrets   SealedKind = "secrets"
	SealedClaims    SealedKind = "claims"
	SealedReceipts  SealedKind = "receipts"
	SealedRequests  SealedKind = "requests" // and what repeats of their answers open
	SealedUploads   SealedKind = "uploads"
	SealedMails     SealedKind = "queued mails"
	SealedEpochs    SealedKind = "epoch keys"
	SealedFields    SealedKind = "fields" // addresses, feedback and error reports
	SealedPasswords SealedKind = "passwords"
	SealedPairs     SealedKind = "key pairs" // whose private keys the passwords wrap
	SealedTokens    SealedKind = "API tokens"
	SealedSessions  SealedKind = "sessions"
	SealedFiles     SealedKind = "certificate files"
)

// SealedKinds returns all kinds of things that a root key made.
func SealedKinds() []SealedKind {
	return []SealedKind{
		SealedSecrets, SealedClaims, SealedReceipts, SealedRequests, SealedUploads, SealedMails, SealedEpochs, SealedFields, SealedPasswords, SealedPairs,
		SealedTokens, SealedSessions, SealedFiles,
	}
}

// Use calls fn with the root keys that made what a row has, some of them perhaps
// several times.
type Use func(kind SealedKind, kid [4]byte)

// Sealed says what the rows of a bucket have of root keys.
type Sealed struct {
	Bucket string
	// Uses calls use for all that a row has. It opens nothing. It returns ErrDamaged
	// for a row that cannot be read.
	Uses func(ring seal.Ring, value []byte, use Use) error
	// Reseal returns the value of a row in which the current root key has sealed what
	// opens without the help of a person, or nil if that is so already. It is nil if
	// a bucket has nothing of that kind.
	Reseal func(keys *seal.Keys, key, value []byte) ([]byte, error)
}

// Uses returns the function of that name for a bucket of records, which decode
// reads.
func Uses[T any](decode func([]byte) (T, error), uses func(r T, ring seal.Ring, use Use)) func(seal.Ring, []byte, Use) error {
	return func(ring seal.Ring, value []byte, use Use) error {
		r, err := decode(value)
		if err == nil {
			uses(r, ring, use)
		}
		return err
	}
}

// UseSealed calls use for a sealed value, unless it is empty.
func UseSealed(ring seal.Ring, kind SealedKind, sealed []byte, use Use) {
	if len(sealed) > 0 {
		use(kind, ring.SealedBy(sealed))
	}
}

// ResealField seals a field of a record with the current root key, in place. It
// reports whether that changed it: not if it is empty, or sealed so already.
func ResealField(keys *seal.Keys, label string, row []byte, field *[]byte) (changed bool, err error) {
	if len(*field) == 0 || keys.Ring().IsCurrent(*field) {
		return false, nil
	}
	plain, err := keys.OpenField(label, row, *field)
	if err != nil {
		return false, err
	}
	*field = keys.SealField(label, row, plain)
	clear(plain)
	return true, nil
}

package seal

import "errors"

// The errors of this package. They are returned unwrapped, and their texts
// never contain input: callers compare them with errors.Is.
var (
	// ErrRootKeyFormat: the text is not 64 hexadecimal digits.
	ErrRootKeyFormat = errors.New("seal: root key is not 64 hexadecimal digits")
	// ErrSameRootKey: a root key file has one key, or two keys of one name, twice.
	ErrSameRootKey = errors.New("seal: the same root key twice")
	// ErrManyRootKeys: a root key file has more than RootKeysMost keys.
	ErrManyRootKeys = errors.New("seal: more than 8 root keys")
	// ErrWeakRootKey: the text has the form of a root key, but is a placeholder
	// or a pattern that no random generator would produce.
	ErrWeakRootKey = errors.New("seal: root key is a placeholder, not random")
	// ErrWrongRootKey: the stored verifier was made with another root key, or
	// is damaged. Nothing may be opened or destroyed with this root key.
	ErrWrongRootKey = errors.New("seal: root key does not fit the stored data")
	// ErrNoRootKey: the root key that a record names is not here.
	ErrNoRootKey = errors.New("seal: the root key that a record names is missing")
	// ErrSealBroken: the key, the header or the sealed bytes are not those of
	// the sealing. Which of them is wrong is unknown.
	ErrSealBroken = errors.New("seal: sealed value does not open")
	// ErrAccountPublic: the bytes are not the public half of an account's key,
	// and nothing can be sealed to them. The record that held them is damaged.
	ErrAccountPublic = errors.New("seal: not the public half of an account key")
	// ErrGenerateLength: the length of a generated secret is outside
	// GenerateLengthMin to GenerateLengthMax.
	ErrGenerateLength = errors.New("seal: length of a generated secret out of range")
)

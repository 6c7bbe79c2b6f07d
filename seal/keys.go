package seal

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
)

const (
	kidSize    = 4
	subkeySize = 32
)

// Keys are the working keys of one root key. They never change, so one value
// serves all goroutines. Make them with NewKeys.
//
//	PRK = HKDF-Extract(salt "hush/v1 root", root key)
//	 ├ K_secret   = Expand(PRK, "hush/v1 secret-kek")    secrets
//	 ├ K_metadata = Expand(PRK, "hush/v1 metadata-kek")  what receipts show
//	 ├ K_network  = Expand(PRK, "hush/v1 network-id")    network names
//	 ├ K_account  = Expand(PRK, "hush/v1 account-kek")   keys of accounts
//	 ├ K_field    = Expand(PRK, "hush/v1 field-kek")     fields of records
//	 ├ K_address  = Expand(PRK, "hush/v1 address-index") rows of e-mail addresses
//	 ├ K_altcha   = Expand(PRK, "hush/v1 altcha-hmac")   challenges
//	 ├ K_shrimp   = Expand(PRK, "hush/v1 shrimp")        CSRF tokens
//	 ├ K_mail     = Expand(PRK, "hush/v1 mail-kek")      queued mails
//	 ├ K_password = Expand(PRK, "hush/v1 password-mac")  verifiers of passwords
//	 └ K_verifier = Expand(PRK, "hush/v1 verifier-mac")  the stored verifier
//	kid = SHA-256("hush/v1 kid\0" ‖ root key)[:4]        names the root key
type Keys struct {
	redacted
	kid [kidSize]byte
	// subkeySize bytes each
	secret, metadata, network, verifier              hidden[[]byte]
	account, field, address, challenge, shrimp, mail hidden[[]byte]
	password                                         hidden[[]byte]
}

// The names under which keys of accounts and mails are derived.
const (
	accountPurpose   = "hush/v1 account-kek"
	fieldPurpose     = "hush/v1 field-kek"
	addressPurpose   = "hush/v1 address-index"
	challengePurpose = "hush/v1 altcha-hmac"
	shrimpPurpose    = "hush/v1 shrimp"
	mailPurpose      = "hush/v1 mail-kek"
	passwordPurpose  = "hush/v1 password-mac"
)

// KeysSize is the number of bytes of the working keys.
const KeysSize = 11 * subkeySize

// NewKeys derives the working keys of a root key.
func NewKeys(root RootKey) *Keys { return NewKeysIn(root, make([]byte, KeysSize)) }

// NewKeysIn is NewKeys with the keys in the caller's memory of KeysSize bytes,
// which then belongs to them. Wiping it does not wipe the copies that
// derivation and use make elsewhere.
func NewKeysIn(root RootKey, memory []byte) *Keys {
	if distinctBytes(root.key()) == 1 {
		memory = nil // a wiped root key panics instead of yielding guessable keys
	}
	purpose := func(name string) hidden[[]byte] {
		derived := derive(root.key(), []byte(rootDomain), name, subkeySize)
		key := memory[:subkeySize:subkeySize]
		memory = memory[subkeySize:]
		copy(key, derived)
		clear(derived)
		return hide(key)
	}
	id := sha256.Sum256(append([]byte(kidDomain), root.key()...))
	return &Keys{
		kid:       [kidSize]byte(id[:kidSize]),
		secret:    purpose(secretPurpose),
		metadata:  purpose(metadataPurpose),
		network:   purpose(networkPurpose),
		verifier:  purpose(verifierPurpose),
		account:   purpose(accountPurpose),
		field:     purpose(fieldPurpose),
		address:   purpose(addressPurpose),
		challenge: purpose(challengePurpose),
		shrimp:    purpose(shrimpPurpose),
		mail:      purpose(mailPurpose),
		password:  purpose(passwordPurpose),
	}
}

// Verifier returns the 36 bytes by which Verify recognizes this root key: kid ‖
// HMAC(K_verifier, "hush/v1 verifier"). They reveal nothing of the key and are
// stored in the database. The caller owns them.
func (k *Keys) Verifier() []byte {
	return slices.Concat(k.kid[:], mac(k.verifier(), []byte(rootVerifierLabel)))
}

// Verify returns nil if stored came from Verifier of the same root key, and
// ErrWrongRootKey otherwise. Its time depends only on the length of stored.
func (k *Keys) Verify(stored []byte) error {
	if subtle.ConstantTimeCompare(stored, k.Verifier()) != 1 {
		return ErrWrongRootKey
	}
	return nil
}

// NetworkID identifies a caller's network in stored counters without its
// address: equal bytes have equal ids under the same root key. There are few
// addresses, so they can be searched with the root key.
func (k *Keys) NetworkID(network []byte) [8]byte {
	return [8]byte(mac(k.network(), network))
}

// AddressID returns the row of an e-mail address: HMAC(K_address, canonical).
// Equal texts have equal rows under the same root key, so the caller
// canonicalizes addresses first. Addresses can be guessed with the root key.
func (k *Keys) AddressID(canonical string) [32]byte {
	return [32]byte(mac(k.address(), []byte(canonical)))
}

// ChallengeKey returns the HMAC key of ALTCHA challenges as libraries take it:
// 64 lower-case hexadecimal digits. The caller must keep it out of logs.
func (k *Keys) ChallengeKey() string { return hex.EncodeToString(k.challenge()) }

// mac returns the 32 bytes of HMAC-SHA-256.
func mac(key, message []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(message)
	return h.Sum(nil)
}

// derive is HKDF-SHA-256. It cannot fail for the sizes used here. If it ever
// did, slicing its empty result would panic before anything is sealed under a
// wrong key.
func derive(ikm, salt []byte, info string, size int) []byte {
	key, _ := hkdf.Key(sha256.New, ikm, salt, info, size)
	return key[:size]
}

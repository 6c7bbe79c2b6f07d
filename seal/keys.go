package seal

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
)

const (
	kidSize    = 4
	subkeySize = 32
)

// Keys are the working keys of an installation. Mostly they are those of one
// root key. While another one takes its place there are several: one of them
// seals, and each opens what it sealed; see Ring. They are safe for
// concurrent use. Make them with NewKeys; the zero Keys are invalid.
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
//	 ├ K_topic    = Expand(PRK, "hush/v1 topic")         topics of notifications
//	 └ K_verifier = Expand(PRK, "hush/v1 verifier-mac")  the stored verifier
//	kid = SHA-256("hush/v1 kid\0" ‖ root key)[:4]        names the root key
//
// K_network, K_address, K_altcha, K_shrimp and K_topic name and compare, and seal
// nothing. They are the index keys, and stay those of the first root key when
// another one takes its place: names that are stored, counters of tries and tokens
// of browsers keep their values.
type Keys struct {
	redacted
	state *keysState
}

// derived are the working keys of one root key.
type derived struct {
	kid [kidSize]byte
	// subkeySize bytes each
	secret, metadata, verifier, account, field, mail, password hidden[[]byte]
	index                                                      indexKeys
}

// indexKeys name and compare. They have subkeySize bytes each.
type indexKeys struct{ network, address, challenge, shrimp, topic hidden[[]byte] }

// The names under which keys of accounts and mails are derived.
const (
	accountPurpose   = "hush/v1 account-kek"
	fieldPurpose     = "hush/v1 field-kek"
	addressPurpose   = "hush/v1 address-index"
	challengePurpose = "hush/v1 altcha-hmac"
	shrimpPurpose    = "hush/v1 shrimp"
	mailPurpose      = "hush/v1 mail-kek"
	passwordPurpose  = "hush/v1 password-mac"
	topicPurpose     = "hush/v1 topic"
)

// KeysSize is the number of bytes of the working keys of one root key.
const KeysSize = 12 * subkeySize

// NewKeys derives the working keys of a root key.
func NewKeys(root RootKey) *Keys { return NewKeysIn(root, make([]byte, KeysSize)) }

// NewKeysIn is NewKeys with the keys in the caller's memory of KeysSize bytes,
// which then belongs to them. Wiping it does not wipe the copies that
// derivation and use make elsewhere.
func NewKeysIn(root RootKey, memory []byte) *Keys {
	return newKeys([]*derived{deriveIn(root, memory)}, nil)
}

// deriveIn derives the working keys of a root key into memory of KeysSize bytes.
func deriveIn(root RootKey, memory []byte) *derived {
	if distinctBytes(root.key()) == 1 {
		memory = nil // a wiped root key panics instead of yielding guessable keys
	}
	purpose := func(name string) hidden[[]byte] {
		key := memory[:subkeySize:subkeySize]
		memory = memory[subkeySize:]
		derive(key, root.key(), []byte(rootDomain), []byte(name))
		return hide(key)
	}
	return &derived{
		kid:      root.KID(),
		secret:   purpose(secretPurpose),
		metadata: purpose(metadataPurpose),
		verifier: purpose(verifierPurpose),
		account:  purpose(accountPurpose),
		field:    purpose(fieldPurpose),
		mail:     purpose(mailPurpose),
		password: purpose(passwordPurpose),
		index: indexKeys{
			network:   purpose(networkPurpose),
			address:   purpose(addressPurpose),
			challenge: purpose(challengePurpose),
			shrimp:    purpose(shrimpPurpose),
			topic:     purpose(topicPurpose),
		},
	}
}

// Verifier returns the 36 bytes by which Verify recognizes the root key that
// seals: kid ‖ HMAC(K_verifier, "hush/v1 verifier"). They reveal nothing of the
// key and are stored in the database. The caller owns them.
func (k *Keys) Verifier() []byte { return k.state.set.Load().current.stored() }

// VerifierSize is the number of bytes of a verifier.
const VerifierSize = kidSize + sha256.Size

func (d *derived) stored() []byte {
	verifier := mac(d.verifier(), []byte(rootVerifierLabel))
	return slices.Concat(d.kid[:], verifier[:])
}

// Verify returns nil if stored came from Verifier of a root key that k has, and
// ErrWrongRootKey otherwise. Its time depends only on the length of stored and on
// the number of root keys.
func (k *Keys) Verify(stored []byte) error {
	same := 0
	for _, key := range k.state.set.Load().all {
		same |= subtle.ConstantTimeCompare(stored, key.stored())
	}
	if same != 1 {
		return ErrWrongRootKey
	}
	return nil
}

// NetworkID identifies a caller's network in stored counters without its
// address: equal bytes have equal ids in one installation. There are few
// addresses, so they can be searched with the root key.
func (k *Keys) NetworkID(network []byte) [8]byte {
	id := mac(k.state.set.Load().index.network(), network)
	return [8]byte(id[:])
}

// AddressID returns the row of an e-mail address: HMAC(K_address, canonical).
// Equal texts have equal rows in one installation, so the caller canonicalizes
// addresses first. Addresses can be guessed with the root key.
func (k *Keys) AddressID(canonical string) [32]byte {
	return mac(k.state.set.Load().index.address(), []byte(canonical))
}

// Topic names something to those who have the root key, and is a random number to
// all others: HMAC(K_topic, message)[:8].
func (k *Keys) Topic(message []byte) [8]byte {
	topic := mac(k.state.set.Load().index.topic(), message)
	return [8]byte(topic[:])
}

// ChallengeKey returns the HMAC key of ALTCHA challenges as libraries take it:
// 64 lower-case hexadecimal digits. The caller must keep it out of logs.
func (k *Keys) ChallengeKey() string { return hex.EncodeToString(k.state.set.Load().index.challenge()) }

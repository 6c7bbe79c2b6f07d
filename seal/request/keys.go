package request

import (
	"crypto/hkdf"
	"crypto/hpke"
	"crypto/sha512"

	"hush/seal"
	"hush/seal/chunked"
	"hush/seal/endtoend"
)

// The names under which keys are derived, and the contexts of encrypted messages.
const (
	saltRequest = "hush request v1"
	saltCollect = "hush collect v1"

	infoCard         = "card"
	infoLinkProof    = "link proof"
	infoKeyPair      = "key pair"
	infoCollectProof = "collect proof"
	infoLinkBox      = "request link"

	contextCard    = "hush.v1 request"
	contextLinkBox = "hush.v1 request link"
)

// keySize is the length of each derived key.
const keySize = 32

// suiteOf has the algorithms of this version, by RFC 9180.
type suiteOf struct {
	kem  hpke.KEM
	kdf  hpke.KDF
	aead hpke.AEAD
}

func suite() suiteOf {
	return suiteOf{kem: hpke.MLKEM768X25519(), kdf: hpke.HKDFSHA256(), aead: hpke.AES256GCM()}
}

// linkKeys are what a device derives from the secret R of a request's link:
//
//	base       = HKDF-Extract(SHA-512, salt = "hush request v1", ikm = R)
//	card key   = HKDF-Expand(base, "card", 32)
//	link proof = HKDF-Expand(base, "link proof", 32)
type linkKeys struct {
	card  []byte
	proof endtoend.Proof
}

func keysOf(r endtoend.LinkSecret) linkKeys {
	base := extract(saltRequest, r)
	return linkKeys{card: expand(base, infoCard), proof: endtoend.Proof(expand(base, infoLinkProof))}
}

// LinkProof shows to a server that a device has the request's link.
func LinkProof(r endtoend.LinkSecret) endtoend.Proof { return keysOf(r).proof }

// Collector has what the requester's device derives from the secret C of the collect
// link:
//
//	base          = HKDF-Extract(SHA-512, salt = "hush collect v1", ikm = C)
//	seed          = HKDF-Expand(base, "key pair", 32)
//	collect proof = HKDF-Expand(base, "collect proof", 32)
//	link box key  = HKDF-Expand(base, "request link", 32)
//
// The seed is the private key of X-Wing itself, not what HPKE's DeriveKeyPair takes. It
// prints as [redacted]. Make it with NewCollector; the zero Collector is invalid, and
// using it panics.
type Collector struct {
	seal.Redacted
	keys seal.Hidden[collectKeys]
}

type collectKeys struct {
	private hpke.PrivateKey
	proof   endtoend.Proof
	linkBox []byte
}

// NewCollector derives the keys of a collect link.
func NewCollector(c endtoend.LinkSecret) Collector {
	base := extract(saltCollect, c)
	private, err := suite().kem.NewPrivateKey(expand(base, infoKeyPair))
	if err != nil {
		panic("request: a seed of 32 bytes is a private key: " + err.Error()) //nolint:forbidigo // each seed is one: see RFC 9180 and X-Wing
	}
	return Collector{keys: seal.Hide(collectKeys{
		private: private,
		proof:   endtoend.Proof(expand(base, infoCollectProof)),
		linkBox: expand(base, infoLinkBox),
	})}
}

// Proof shows to a server that the device has the collect link.
func (c Collector) Proof() endtoend.Proof { return c.keys().proof }

// Ask makes the card of a request that this device collects, under a new salt. It
// returns ErrText or ErrTerms.
func (c Collector) Ask(card Card) (*Asked, error) { return ask(card, c.keys().private.PublicKey()) }

// SealLink encrypts the secret of the request's link, so that a device with the collect
// link alone opens it:
//
//	Cobblestone-256(link box key, "hush.v1 request link", R)
func (c Collector) SealLink(r endtoend.LinkSecret) ([]byte, error) {
	secret := r.Expose()
	return chunked.Seal(c.keys().linkBox, []byte(contextLinkBox), secret[:])
}

// Open opens the link box and the message of the card, and checks that the card has this
// device's key. It returns ErrCard, ErrVersion or ErrKey.
func (c Collector) Open(linkBox, message []byte) (*Asked, error) {
	secret, err := chunked.Open(c.keys().linkBox, []byte(contextLinkBox), linkBox)
	if err != nil || len(secret) != keySize {
		return nil, ErrCard
	}
	asked, err := Open(endtoend.SecretOf([keySize]byte(secret)), message)
	if err != nil {
		return nil, err
	}
	if string(asked.public.Bytes()) != string(c.keys().private.PublicKey().Bytes()) {
		return nil, ErrKey
	}
	return asked, nil
}

// extract and expand fail only for keys and lengths that are none of ours.

func extract(salt string, ikm endtoend.LinkSecret) []byte {
	secret := ikm.Expose()
	prk, _ := hkdf.Extract(sha512.New, secret[:], []byte(salt))
	return prk[:sha512.Size]
}

func expand(prk []byte, info string) []byte {
	okm, _ := hkdf.Expand(sha512.New, prk, info, keySize)
	return okm[:keySize]
}

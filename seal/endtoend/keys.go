package endtoend

import (
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/sha512"
	"slices"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"hush/seal"
)

// The argon2id parameters of a passphrase. They belong to the version of the
// format: a server cannot choose others. The memory and the passes are the minimum
// of OWASP's password storage cheat sheet.
const (
	argonPasses    = 2
	argonMemoryKiB = 19456
	argonLanes     = 1
)

// The names under which keys are derived.
const (
	saltBase = "hush e2e v1"
	saltFull = "hush e2e v1 full"

	infoLinkProof = "link proof"
	infoPreview   = "preview"
	infoSalt      = "passphrase salt"
	infoContent   = "content"
	infoProof     = "proof"
)

// Proof shows to a server that a device has something, without the thing itself.
type Proof [32]byte

// Hash returns what the server compares a proof with. It gets it with the content,
// before it gets any proof.
func (p Proof) Hash() [sha256.Size]byte { return sha256.Sum256(p[:]) }

// Keys are what a device derives from the secret of a link and its passphrase:
//
//	base        = HKDF-Extract(SHA-512, salt = "hush e2e v1", ikm = K)
//	link proof  = HKDF-Expand(base, "link proof", 32)
//	preview key = HKDF-Expand(base, "preview", 32); see SealPreview
//	salt        = HKDF-Expand(base, "passphrase salt", 16)
//	P           = argon2id(NFC(passphrase), salt, t = 2, m = 19456 KiB, p = 1, 32),
//	              or 32 zero bytes without a passphrase
//	full        = HKDF-Extract(SHA-512, salt = "hush e2e v1 full", ikm = K ‖ P)
//	content key = HKDF-Expand(full, "content", 32)
//	proof       = HKDF-Expand(full, "proof", 32)
//
// They print as [redacted]. Make them with Derive; the zero Keys are invalid, and
// using them panics.
type Keys struct {
	seal.Redacted
	derived seal.Hidden[derived]
}

type derived struct {
	linkProof, proof Proof
	content          [32]byte
}

// Derive derives the keys. The empty passphrase means that there is none; with
// another one it takes 19 MiB and about 25 ms. It returns ErrPassphrase. How
// passphrases of equal text are composed makes no difference, and nothing is
// trimmed.
func Derive(secret LinkSecret, passphrase string) (Keys, error) {
	if !utf8.ValidString(passphrase) {
		return Keys{}, ErrPassphrase
	}
	var p [32]byte // zeros without a passphrase
	if passphrase != "" {
		k := secret.bytes()
		salt := expand(extract(saltBase, k[:]), infoSalt, 16)
		p = [32]byte(argon2.IDKey(norm.NFC.AppendString(nil, passphrase), salt, argonPasses, argonMemoryKiB, argonLanes, 32))
	}
	return derive(secret, p), nil
}

// DeriveStretched is the part of Derive that follows P. It is for tests that have many
// passphrases and are not about their price; keys from another P than Derive's open
// nothing that another device made.
func DeriveStretched(secret LinkSecret, p [32]byte) Keys { return derive(secret, p) }

// derive derives the keys from the stretched passphrase.
func derive(secret LinkSecret, p [32]byte) Keys {
	k := secret.bytes()
	base := extract(saltBase, k[:])
	full := extract(saltFull, append(k[:], p[:]...))
	return Keys{derived: seal.Hide(derived{
		linkProof: Proof(expand(base, infoLinkProof, 32)),
		proof:     Proof(expand(full, infoProof, 32)),
		content:   [32]byte(expand(full, infoContent, 32)),
	})}
}

// LinkProof shows that the device has the link. Without it a server neither
// counts a try nor consumes anything.
func (k Keys) LinkProof() Proof { return k.derived().linkProof }

// Proof shows that the device has the link and the passphrase.
func (k Keys) Proof() Proof { return k.derived().proof }

// KeysSize is the length of what Keys.Expose returns.
const KeysSize = 3 * 32

// Expose returns the keys, for a file that only its owner may read: without the secret of
// the link and its passphrase, from which they were derived.
func (k Keys) Expose() [KeysSize]byte {
	d := k.derived()
	return [KeysSize]byte(slices.Concat(d.linkProof[:], d.proof[:], d.content[:]))
}

// KeysOf is the inverse of Keys.Expose.
func KeysOf(bytes [KeysSize]byte) Keys {
	return Keys{derived: seal.Hide(derived{
		linkProof: Proof(bytes[:32]), proof: Proof(bytes[32:64]), content: [32]byte(bytes[64:]),
	})}
}

// LinkProof returns the proof of a link alone, which needs no passphrase.
func LinkProof(secret LinkSecret) Proof {
	k := secret.bytes()
	return Proof(expand(extract(saltBase, k[:]), infoLinkProof, 32))
}

// extract and expand fail only for keys and lengths that are none of ours.

func extract(salt string, ikm []byte) []byte {
	prk, _ := hkdf.Extract(sha512.New, ikm, []byte(salt))
	return prk[:sha512.Size]
}

func expand(prk []byte, info string, size int) []byte {
	okm, _ := hkdf.Expand(sha512.New, prk, info, size)
	return okm[:size]
}

package seal

import (
	"crypto/ecdh"
	"crypto/hpke"
	"crypto/rand"
)

const (
	// entryInfo is the HPKE info under which entries are sealed to an account.
	entryInfo = "hush/v1 account-entry"
	// entryEncSize is the size of the encapsulated key in front of an entry.
	entryEncSize = 32
)

// AccountKey is the private half of an account's key, which opens the account's
// entries: X25519 in HPKE (RFC 9180). It is stored only wrapped, so that the
// disk and the root key together still open no entry. Make it with
// NewAccountKey or Keys.UnwrapAccountKey; the zero AccountKey is invalid, and
// using it panics.
type AccountKey struct {
	redacted
	key hidden[*ecdh.PrivateKey]
}

// AccountPublic is the public half of an account's key. It is stored in the
// clear. It is enough to add entries to the account.
type AccountPublic [32]byte

// NewAccountKey generates an account's key.
func NewAccountKey() AccountKey {
	key, _ := ecdh.X25519().GenerateKey(rand.Reader) // which never fails
	return AccountKey{key: hide(key)}
}

// accountKeyOf parses the 32 bytes of a private half. It returns ErrSealBroken
// for any other length.
func accountKeyOf(private []byte) (AccountKey, error) {
	key, err := ecdh.X25519().NewPrivateKey(private)
	if err != nil {
		return AccountKey{}, ErrSealBroken
	}
	return AccountKey{key: hide(key)}, nil
}

func (k AccountKey) private() []byte { return k.key().Bytes() }

// Public returns the public half, to which entries are sealed.
func (k AccountKey) Public() AccountPublic {
	return AccountPublic(k.key().PublicKey().Bytes())
}

// SealEntry encrypts a receipt's token so that only the private half of p can
// read it, and binds it to the row of the receipt. It needs no secret, so an
// entry does not authenticate its author. The caller owns the 79 bytes, which
// differ with each call:
//
//	encapsulated key (32) ‖ AES-256-GCM(31 characters) ‖ tag (16)
//
// by HPKE in base mode (X25519, HKDF-SHA-256, AES-256-GCM) with info "hush/v1
// account-entry" and the row as additional data. It returns ErrAccountPublic if
// p is not a public half.
func (p AccountPublic) SealEntry(row RowKey, receipt Token) ([]byte, error) {
	// Any 32 bytes parse; an invalid key fails when it is used.
	point, _ := ecdh.X25519().NewPublicKey(p[:])
	public, _ := hpke.NewDHKEMPublicKey(point)
	enc, sender, err := hpke.NewSender(public, hpke.HKDFSHA256(), hpke.AES256GCM(), []byte(entryInfo))
	if err != nil {
		return nil, ErrAccountPublic
	}
	// Seal cannot fail for a suite that encrypts.
	sealed, _ := sender.Seal(row[:], receipt.chars[:])
	return append(enc, sealed...), nil
}

// OpenEntry returns the token within a result of SealEntry for the public half
// of k and the same row, and ErrSealBroken for everything else.
func (k AccountKey) OpenEntry(row RowKey, sealed []byte) (Token, error) {
	if len(sealed) < entryEncSize {
		return Token{}, ErrSealBroken
	}
	private, _ := hpke.NewDHKEMPrivateKey(k.key()) // takes every X25519 key
	enc, box := sealed[:entryEncSize], sealed[entryEncSize:]
	recipient, err := hpke.NewRecipient(enc, private, hpke.HKDFSHA256(), hpke.AES256GCM(), []byte(entryInfo))
	if err != nil {
		return Token{}, ErrSealBroken
	}
	chars, err := recipient.Open(row[:], box)
	if err != nil {
		return Token{}, ErrSealBroken
	}
	return entryToken(chars)
}

// entryToken parses the content of an entry. Everyone with the public half can
// seal anything, so it need not be a token.
func entryToken(chars []byte) (Token, error) {
	token, ok := ParseToken(string(chars))
	if !ok {
		return Token{}, ErrSealBroken
	}
	return token, nil
}

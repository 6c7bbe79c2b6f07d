package seal

import (
	"crypto/ecdh"
	"crypto/hpke"
	"crypto/rand"
)

const (
	// entryInfo is the name under which entries are sealed to an account.
	entryInfo = "hush/v1 account-entry"
	// entryEncSize is the size of the key of one use in front of an entry.
	entryEncSize = 32
)

// AccountKey is the private half of an account's key, which opens what the
// account lists: X25519 in HPKE (RFC 9180). It is stored only wrapped, so that
// whoever has the disk and the root key still reads no list. It comes from
// NewAccountKey and Keys.UnwrapAccountKey; the zero AccountKey is none, and
// using it is a fault.
type AccountKey struct {
	redacted
	key hidden[*ecdh.PrivateKey]
}

// AccountPublic is the public half of an account's key. It is stored in the
// clear, and whoever has it can add to the account's list.
type AccountPublic [32]byte

// NewAccountKey draws an account's key.
func NewAccountKey() AccountKey {
	key, _ := ecdh.X25519().GenerateKey(rand.Reader) // which never fails
	return AccountKey{key: hide(key)}
}

// accountKeyOf reads the 32 bytes of a private half. It returns ErrSealBroken
// for any other number of bytes.
func accountKeyOf(private []byte) (AccountKey, error) {
	key, err := ecdh.X25519().NewPrivateKey(private)
	if err != nil {
		return AccountKey{}, ErrSealBroken
	}
	return AccountKey{key: hide(key)}, nil
}

func (k AccountKey) private() []byte { return k.key().Bytes() }

// Public returns the half that others seal entries to.
func (k AccountKey) Public() AccountPublic {
	return AccountPublic(k.key().PublicKey().Bytes())
}

// SealEntry encrypts a receipt's token so that only the private half of p can
// read it, and binds it to the row of the receipt. It takes no secret, so an
// entry says nothing of who made it. The 79 bytes belong to the caller and
// differ with each call:
//
//	key of one use (32) ‖ AES-256-GCM(31 characters) ‖ tag (16)
//
// by HPKE in base mode (X25519, HKDF-SHA-256, AES-256-GCM) with info "hush/v1
// account-entry" and the row as additional data. It returns ErrAccountPublic
// if p is no public half.
func (p AccountPublic) SealEntry(row RowKey, receipt Token) ([]byte, error) {
	// 32 bytes are always read; what they are worth shows when they are used.
	point, _ := ecdh.X25519().NewPublicKey(p[:])
	public, _ := hpke.NewDHKEMPublicKey(point)
	enc, sender, err := hpke.NewSender(public, hpke.HKDFSHA256(), hpke.AES256GCM(), []byte(entryInfo))
	if err != nil {
		return nil, ErrAccountPublic
	}
	// Sealing has no other outcome for a suite that encrypts.
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

// entryToken reads what an entry holds. Whoever has the public half can seal
// anything, so it need not be a token.
func entryToken(chars []byte) (Token, error) {
	token, ok := ParseToken(string(chars))
	if !ok {
		return Token{}, ErrSealBroken
	}
	return token, nil
}

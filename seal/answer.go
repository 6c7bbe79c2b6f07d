package seal

import "crypto/cipher"

const (
	// collectionLabel names what the key in a collect link opens.
	collectionLabel = "collection"

	repeatDomain = "hush/v1 answer-repeat"
)

// SealCollection encrypts what the requester's device needs from the server: the key in
// the link of a request, and the private half of the pair that its answers' keys are
// sealed to. Only the key in the collect link, together with the root key, opens it. The
// row is that of the collect key. The result is one of SealMetadata, and belongs to the
// caller.
//
//	request key (31 characters) ‖ private half (32)
func (k *Keys) SealCollection(collect Token, row RowKey, request Token, pair AccountKey) []byte {
	plain := append(append(make([]byte, 0, tokenSize+32), request.chars[:]...), pair.private()...)
	defer clear(plain)
	return k.SealMetadata(collect, row, collectionLabel, plain)
}

// OpenCollection returns what SealCollection encrypted under a root key that k has, for
// the same collect key and row, and ErrSealBroken for everything else.
func (k *Keys) OpenCollection(collect Token, row RowKey, sealed []byte) (request Token, pair AccountKey, err error) {
	plain, err := k.OpenMetadata(collect, row, collectionLabel, sealed)
	if err != nil {
		return Token{}, AccountKey{}, err
	}
	defer clear(plain)
	if len(plain) < tokenSize {
		return Token{}, AccountKey{}, ErrSealBroken
	}
	request, ok := ParseToken(string(plain[:tokenSize]))
	if !ok {
		return Token{}, AccountKey{}, ErrSealBroken
	}
	if pair, err = accountKeyOf(plain[tokenSize:]); err != nil {
		return Token{}, AccountKey{}, err
	}
	return request, pair, nil
}

// SealRepeat encrypts the receipt's token of an answer, so that only a caller who sends
// the same answer again opens it. call is a digest of all that the call sent, at least
// one part of which is secret and random, and row names the answer. The result belongs
// to the caller and differs with each call:
//
//	place = {"hush/v1 answer-repeat", row}, each behind its length
//	key   = HKDF(salt K_metadata, call, place)
//	nonce (12) ‖ AES-256-GCM(key, 31 characters) ‖ tag (16)
//
// with place as additional data, and the root key's name in front; see keySet.named.
func (k *Keys) SealRepeat(call [32]byte, row []byte, receipt Token) []byte {
	set := k.state.set.Load()
	aead, at := set.current.repeatAEAD(call, row)
	box := make([]byte, nonceSize+tokenSize, UnpaddedSize(tokenSize))
	copy(box[nonceSize:], receipt.chars[:])
	return set.named(sealBox(aead, box, at))
}

// OpenRepeat returns the token within a result of SealRepeat with a root key that k has,
// the same call and row, and ErrSealBroken for everything else.
func (k *Keys) OpenRepeat(call [32]byte, row, sealed []byte) (Token, error) {
	chars, err := k.state.set.Load().open(sealed, func(key *derived, box []byte) ([]byte, error) {
		aead, at := key.repeatAEAD(call, row)
		return openBox(aead, box, at)
	})
	if err != nil {
		return Token{}, ErrSealBroken
	}
	return entryToken(chars)
}

func (d *derived) repeatAEAD(call [32]byte, row []byte) (cipher.AEAD, []byte) {
	at := place(repeatDomain, row)
	var key [32]byte
	derive(key[:], call[:], d.metadata(), at)
	return newAEAD(key), at
}

package seal

import (
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
)

const (
	partDomain   = "hush/v1 part"
	uploadDomain = "hush/v1 upload"
)

// FileKey is the key under which the parts of one upload are stored. It is itself stored
// as the content of a secret, and until the upload is finished for the sender too; see
// SealUpload. So a service that destroys the shares of both makes every stored part
// unreadable, wherever copies of it are.
//
// It is safe for concurrent use. Make it with NewFileKey or FileKeyOf; the zero FileKey
// is invalid, and using it panics.
type FileKey struct {
	redacted
	key hidden[[32]byte]
	// aead is the expanded form of key.
	aead hidden[cipher.AEAD]
}

// NewFileKey generates a file key. Each attempt at an upload takes one of its own.
func NewFileKey() FileKey {
	var key [32]byte
	rand.Read(key[:])
	return fileKeyOf(key)
}

// FileKeyOf returns the file key of bytes that Expose returned, and ErrSealBroken for
// another number than 32.
func FileKeyOf(bytes []byte) (FileKey, error) {
	if len(bytes) != subkeySize {
		return FileKey{}, ErrSealBroken
	}
	return fileKeyOf([32]byte(bytes)), nil
}

func fileKeyOf(key [32]byte) FileKey { return FileKey{key: hide(key), aead: hide(newAEAD(key))} }

// Expose returns the 32 bytes of the key, for code that seals them. The caller owns them.
func (f FileKey) Expose() []byte {
	key := f.key()
	return key[:]
}

// PartPlace names a part of a file, so that no part opens in the place of another one.
type PartPlace struct {
	// Upload names the attempt at an upload.
	Upload [16]byte
	// Number is the number of the part, from 0, and Count the number of all parts.
	Number, Count uint64
}

// additional returns the additional data of a part. It has a fixed length:
//
//	"hush/v1 part" ‖ upload (16) ‖ number (8) ‖ count (8)
func (p PartPlace) additional() []byte {
	aad := make([]byte, 0, len(partDomain)+len(p.Upload)+16)
	aad = append(append(aad, partDomain...), p.Upload[:]...)
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(aad, p.Number), p.Count)
}

// PartOverhead is the number of bytes that a part is longer when it is sealed.
const PartOverhead = nonceSize + tagSize

// SealPart encrypts a part of a file, and binds it to its place. The result belongs to
// the caller and differs with each call: a number as the nonce would be used again for
// other bytes, if a part is sent anew after a crash.
//
//	nonce (12) ‖ AES-256-GCM(F, part) ‖ tag (16)
func (f FileKey) SealPart(at PartPlace, part []byte) []byte {
	sealed := make([]byte, nonceSize, PartOverhead+len(part))
	rand.Read(sealed)
	return f.aead().Seal(sealed, sealed, part, at.additional())
}

// OpenPart returns the part within a result of SealPart with the same key and place, and
// ErrSealBroken for everything else. It decrypts in place: the part lies in sealed, which
// is of no use afterwards, after an error too.
func (f FileKey) OpenPart(at PartPlace, sealed []byte) ([]byte, error) {
	if len(sealed) < PartOverhead {
		return nil, ErrSealBroken
	}
	end := len(sealed) - tagSize
	part, err := f.aead().Open(sealed[nonceSize:nonceSize:end], sealed[:nonceSize], sealed[nonceSize:], at.additional())
	if err != nil {
		return nil, ErrSealBroken
	}
	return part, nil
}

// SealUpload encrypts the key of a file for its sender, who stores parts under it until
// the upload is finished. token is the upload token, of which nothing else may be stored
// but a hash, row the one under which the upload is stored, and share its share. The
// result belongs to the caller and differs with each call:
//
//	place = {"hush/v1 upload", row}, each behind its length
//	key   = HKDF(salt K_secret, token ‖ share, place)
//	nonce (12) ‖ AES-256-GCM(key, F (32)) ‖ tag (16)
//
// with place as additional data, and the root key's name in front; see keySet.named.
func (k *Keys) SealUpload(token [32]byte, row RowKey, share [32]byte, f FileKey) []byte {
	set := k.state.set.Load()
	aead, at := set.current.uploadAEAD(token, row, share)
	box := append(make([]byte, nonceSize, UnpaddedSize(subkeySize)), f.Expose()...)
	return set.named(sealBox(aead, box, at))
}

// OpenUpload returns the key within a result of SealUpload with a root key that k has,
// the same token, row and share, and ErrSealBroken for everything else.
func (k *Keys) OpenUpload(token [32]byte, row RowKey, share [32]byte, sealed []byte) (FileKey, error) {
	key, err := k.state.set.Load().open(sealed, func(key *derived, box []byte) ([]byte, error) {
		aead, at := key.uploadAEAD(token, row, share)
		return openBox(aead, box, at)
	})
	if err != nil {
		return FileKey{}, ErrSealBroken
	}
	defer clear(key)
	return FileKeyOf(key)
}

func (d *derived) uploadAEAD(token [32]byte, row RowKey, share [32]byte) (cipher.AEAD, []byte) {
	at := place(uploadDomain, row[:])
	var ikm [64]byte
	copy(ikm[:32], token[:])
	copy(ikm[32:], share[:])
	var key [32]byte
	derive(key[:], ikm[:], d.secret(), at)
	return newAEAD(key), at
}

package postgres

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"hush/storage"
)

// encodeShare returns what is stored of a share:
//
//	| 32 bytes | 4 bytes         |
//	| share    | crc32c of share |
//
// A damaged share must not be used as a key: it would look as if the passphrase
// was wrong.
func encodeShare(share [storage.ShareSize]byte) []byte {
	sum := crc32.Checksum(share[:], crc32.MakeTable(crc32.Castagnoli))
	return binary.BigEndian.AppendUint32(share[:], sum)
}

// decodeShare returns a stored share, unless it is damaged.
func decodeShare(stored []byte) (share [storage.ShareSize]byte, ok bool) {
	if len(stored) != storage.ShareSize+4 {
		return share, false
	}
	read := [storage.ShareSize]byte(stored)
	if !bytes.Equal(stored, encodeShare(read)) {
		return share, false
	}
	return read, true
}

package file

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/rows"
	"hush/vault/shares"
)

const (
	// BucketFile has row of the receipt (22) -> Record.
	BucketFile = "file"
	// BucketUpload has row of the receipt (22) -> Upload, while the file arrives.
	BucketUpload = "upload"
	// BucketPart has id of the blob (16) ‖ number of the part (4) -> part.
	BucketPart = "part"
	// BucketRemoval has id of the blob (16) -> nothing, for blobs that are to be removed.
	BucketRemoval = "removal"
)

const (
	recordVersion = 1
	uploadVersion = 1
	partVersion   = 1
)

const (
	// PartSize is the length of each part in bytes, but the last one.
	PartSize = 8 << 20
	// PreviewMost is the maximum length of a preview as it is encrypted.
	PreviewMost = 4096
	// TokenSize is the length of an upload token.
	TokenSize = 32
)

// storedSize is the length of a part as it lies in its blob.
const storedSize = PartSize + seal.PartOverhead

// stored is the length of a file of size bytes as it lies in its blob.
func stored(size uint64) int64 { return int64(size) + int64(Parts(size))*seal.PartOverhead }

// Parts returns how many parts a file of size bytes has.
func Parts(size uint64) uint32 { return uint32((size + PartSize - 1) / PartSize) }

// PartLength returns the length of a part in bytes; 0 for a number that the file does not
// have.
func PartLength(size uint64, number uint32) int {
	from := uint64(number) * PartSize
	if from >= size {
		return 0
	}
	return int(min(PartSize, size-from))
}

// State is how far a file has come.
type State byte

// The states of a file. Their numbers are stored.
const (
	StateArriving State = 1
	StateWhole    State = 2 // it can be opened, or is fetched under a claim
	StateGone     State = 3 // nothing of its content is left
)

// Record is what is known of a file until its receipt is forgotten.
//
//	version 1 │ state 1 │ blob 16 │ size 8 │ token's check 32 │ fetched 4
//	│ preview (4, bytes)
//
// size is that of the content as the device encrypted it. fetched is how many different
// parts a recipient has fetched, as far as it was noted. The preview is empty, and the blob
// zero, once the file is gone.
type Record struct {
	State   State
	Blob    storage.BlobID
	Size    uint64
	check   [sha256.Size]byte
	Fetched uint32
	Preview []byte // as package secret has sealed it
}

func (r *Record) fields(c *rows.Codec) {
	c.Version(recordVersion)
	rows.Between(c, &r.State, StateArriving, StateGone)
	c.Bytes(r.Blob[:])
	c.Uint64(&r.Size)
	c.Bytes(r.check[:])
	c.Uint32(&r.Fetched)
	c.Sized(&r.Preview)
	c.Refuse((r.State == StateGone) != (r.Blob == storage.BlobID{}) || r.State == StateGone && len(r.Preview) > 0)
}

func (r *Record) encode() []byte { return rows.Encode(66+len(r.Preview), r, (*Record).fields) }

func decode(data []byte) (*Record, error) {
	r := new(Record)
	return r, rows.Decode(data, r, (*Record).fields)
}

// checkOf returns what is stored to recognize an upload token.
func checkOf(token [TokenSize]byte) [sha256.Size]byte {
	return sha256.Sum256(append([]byte("hush upload token"), token[:]...))
}

// Admits reports, in constant time, whether an upload token is that of the file.
func (r *Record) Admits(token [TokenSize]byte) bool {
	check := checkOf(token)
	return subtle.ConstantTimeCompare(check[:], r.check[:]) == 1
}

// Upload is what is known of a file while it arrives.
//
//	version 1 │ slot 8 │ generation 8 │ expires 8 │ last 8 │ arrived 4
//	│ sealed key (4, bytes)
//
// The slot is that of the share which the at-rest key is wrapped under, besides the upload
// token. expires is when the file's secret does, and last when a part arrived last.
type Upload struct {
	slot      storage.Slot
	expires   time.Time
	Last      time.Time
	Arrived   uint32
	sealedKey []byte
}

func (u *Upload) fields(c *rows.Codec) {
	c.Version(uploadVersion)
	c.Slot(&u.slot)
	c.Time(&u.expires)
	c.Time(&u.Last)
	c.Uint32(&u.Arrived)
	c.Sized(&u.sealedKey)
}

func (u *Upload) encode() []byte {
	return rows.Encode(41+len(u.sealedKey), u, (*Upload).fields)
}

func decodeUpload(data []byte) (*Upload, error) {
	u := new(Upload)
	return u, rows.Decode(data, u, (*Upload).fields)
}

// shareOwner names the upload to the package of shares.
func (u *Upload) shareOwner(row seal.RowKey) shares.Owner {
	return shares.Owner{Kind: shares.KindUpload, Row: row[:], Expires: u.expires}
}

// part is a part that has arrived.
//
//	version 1 │ length 4 │ SHA-256 of its bytes 32
type part struct {
	length uint32
	digest [sha256.Size]byte
}

func (p *part) fields(c *rows.Codec) {
	c.Version(partVersion)
	c.Uint32(&p.length)
	c.Bytes(p.digest[:])
	c.Refuse(p.length == 0 || p.length > PartSize)
}

func (p part) encode() []byte { return rows.Encode(37, &p, (*part).fields) }

func decodePart(data []byte) (p part, err error) {
	err = rows.Decode(data, &p, (*part).fields)
	return p, err
}

// partKey returns the key of a part.
func partKey(blob storage.BlobID, number uint32) []byte {
	return binary.BigEndian.AppendUint32(append(make([]byte, 0, partKeySize), blob[:]...), number)
}

const partKeySize = len(storage.BlobID{}) + 4

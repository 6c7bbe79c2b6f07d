package shares

import (
	"crypto/subtle"
	"errors"
	"time"

	"hush/storage"
	"hush/vault/rows"
)

// BucketEpoch has hours since 1970 (8) -> epochRecord.
const BucketEpoch = "epoch"

// OwnTables names the buckets that a store which keeps old copies must keep apart
// from all others, so that a logical backup can leave them out.
func OwnTables() []string { return []string{BucketEpoch} }

const epochVersion = 1

// epochLength is the length of an epoch.
const epochLength = time.Hour

// epochGrace is how long after its epoch a key is kept, for nodes whose clocks
// are behind: there, what the key masks is still live.
const epochGrace = 5 * time.Minute

// ErrEnded reports that the key of a share's epoch is deleted. What was sealed
// with the share has expired, or comes from a copy without its epoch's key.
var ErrEnded = errors.New("shares: the epoch of the share has ended")

// The kinds of owners. They are part of the masks of stored shares.
const (
	KindSecret = "secret"
	KindMail   = "mail"
	KindClaim  = "claim"
	KindUpload = "upload"
)

// Owner is the record that a share belongs to. None of its fields may change
// while the record lives.
type Owner struct {
	Kind string // KindSecret, KindMail, KindClaim or KindUpload
	Row  []byte // of the record
	// Expires is when the record can no longer be opened in any case. Its epoch
	// decides which key masks the share.
	Expires time.Time
}

// epochOf returns the number of the epoch that contains a time: whole hours
// since 1970. Earlier times are in epoch 0.
func epochOf(t time.Time) uint64 {
	return uint64(max(t.UnixMilli(), 0) / epochLength.Milliseconds())
}

// epochsBefore returns the first epoch whose key must be kept at a time.
func epochsBefore(now time.Time) uint64 { return epochOf(now.Add(-epochGrace)) }

// epochRecord is the key of an epoch, sealed under the root key.
//
//	version 1 │ sealed key (4, bytes)
type epochRecord struct {
	sealed []byte
}

func (r *epochRecord) fields(c *rows.Codec) {
	c.Version(epochVersion)
	c.Sized(&r.sealed)
}

func (r epochRecord) encode() []byte { return rows.Encode(5+len(r.sealed), &r, (*epochRecord).fields) }

func decodeEpoch(data []byte) (r epochRecord, err error) {
	err = rows.Decode(data, &r, (*epochRecord).fields)
	return r, err
}

// xor combines a share with its mask.
func xor(share, mask [storage.ShareSize]byte) (masked [storage.ShareSize]byte) {
	subtle.XORBytes(masked[:], share[:], mask[:])
	return masked
}

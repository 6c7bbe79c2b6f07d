package claim

import (
	"crypto/sha256"
	"crypto/subtle"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/answer"
	"hush/vault/quota"
	"hush/vault/receipt"
	"hush/vault/rows"
	"hush/vault/shares"
)

const (
	// BucketClaim has secret row -> Record.
	BucketClaim = "claim"
	// BucketDeadline has secret row -> deadline (8), which moves while the reader of
	// a claim is at it. Nodes look there for the claims of others. A claim of
	// unmovedVersion has deadline (8) ‖ secret row -> nothing instead.
	BucketDeadline = "deadline"
)

const (
	recordVersion = 2
	// answerVersion is that of claims on answers to requests.
	answerVersion = 3
	// fileVersion is that of claims on files.
	fileVersion = 4
	// unmovedVersion is that of claims whose deadlines do not move.
	unmovedVersion = 1
)

// Size is the size of a claim in bytes.
const Size = 32

// bond is what a claim puts into the place of a passphrase's hash.
type bond [32]byte

// bondOf returns the bond of a claim: SHA-256("hush claim" ‖ claim). ok is false
// unless the claim has Size bytes.
func bondOf(claim string) (b bond, ok bool) {
	if len(claim) != Size {
		return b, false
	}
	return sha256.Sum256([]byte("hush claim" + claim)), true
}

// Record is a claim with the content that it opens.
//
//	version 2 │ slot 8 │ generation 8 │ header (4, bytes) │ sealed content
//
// and the header, which the seal authenticates:
//
//	"claim" │ kid 4 │ limit 8 │ bond's hash 32 │ verifier 32 │ receipt row 22
//	│ encryption 1 │ network 8 │ wide 8 │ owner (4, text)
//	│ secret's slot 8 │ secret's generation 8
//
// and in version 3, of a claim on an answer to a request, then
//
//	│ request row 22 │ number of the answer 16
//
// and in version 4, of a claim on a file,
//
//	│ size of the file 8 │ silence in ms 8 │ longest in ms 8
//
// whose sealed content is the at-rest key of the file's parts.
// Version 1 is version 2 with the deadline in the place of the limit.
//
// The slot is that of the claim's share. The secret's slot held the share that
// must be destroyed before the content is shown. network, wide and owner are who
// the bytes count toward, as those of the secret did.
type Record struct {
	slot     storage.Slot
	kid      [4]byte
	unmoved  bool      // of unmovedVersion
	ofAnswer bool      // of answerVersion
	ofFile   bool      // of fileVersion
	limit    time.Time // no deadline is later
	// deadline is in a row of its own; from decode, the first one.
	deadline time.Time
	check    [32]byte // SHA-256 of the bond
	verifier [32]byte
	// Receipt is the row of the secret's receipt.
	Receipt       seal.RowKey
	Encryption    receipt.Encryption // of the secret
	Network, Wide [8]byte
	Owner         string
	// Spent is the slot of the secret's share.
	Spent storage.Slot
	// Answer names the answer that the secret was; zero for none.
	Answer answer.Ref
	// FileSize is the length of the content of a file as its sender's device encrypts it; 0
	// for other secrets.
	FileSize uint64
	lease    lease

	header []byte // as encoded; what the seal authenticates
	sealed []byte
}

const headerLabel = "claim"

// seal seals the content with key. A device has padded what it encrypted, so that is sealed
// without more padding, as secrets are.
func (r *Record) seal(key seal.SecretKey, content []byte) {
	if r.Encryption == receipt.EncryptionEndToEnd {
		r.sealed = key.SealUnpadded(r.header, content)
		return
	}
	r.sealed = key.Seal(r.header, content)
}

// open is the inverse of seal.
func (r *Record) open(key seal.SecretKey) ([]byte, error) {
	if r.Encryption == receipt.EncryptionEndToEnd {
		return key.OpenUnpadded(r.header, r.sealed)
	}
	return key.Open(r.header, r.sealed)
}

// isSealedSize reports whether seal makes something of the record's length.
func (r *Record) isSealedSize() bool {
	if r.Encryption == receipt.EncryptionEndToEnd {
		return len(r.sealed) > seal.UnpaddedSize(0)
	}
	return seal.IsPaddedSize(len(r.sealed))
}

// Charge returns what the claim counts for.
func (r *Record) Charge() quota.Charge {
	c := quota.Charge{Owner: r.Owner, Network: r.Network, Wide: r.Wide, Secret: int64(len(r.sealed))}
	if r.ofAnswer {
		c.Secret += answer.RowBytes
	}
	c.Secret += int64(r.FileSize)
	return c
}

// matches reports, in constant time, whether a bond is that of the claim.
func (r *Record) matches(b bond) bool {
	check := sha256.Sum256(b[:])
	return subtle.ConstantTimeCompare(check[:], r.check[:]) == 1
}

// firstDeadline returns the deadline that the claim was made with.
func (r *Record) firstDeadline() time.Time {
	if r.unmoved {
		return r.limit
	}
	return r.limit.Add(r.lease.silence - r.lease.longest)
}

func (r *Record) fields(c *rows.Codec) {
	version := c.VersionUpTo(fileVersion, r.version())
	r.unmoved, r.ofAnswer, r.ofFile = version == unmovedVersion, version == answerVersion, version == fileVersion
	c.Slot(&r.slot)
	c.Sized(&r.header)
	c.Rest(&r.sealed)
}

func (r *Record) version() byte {
	switch {
	case r.unmoved:
		return unmovedVersion
	case r.ofAnswer:
		return answerVersion
	case r.ofFile:
		return fileVersion
	}
	return recordVersion
}

func (r *Record) headerFields(c *rows.Codec) {
	c.Label(headerLabel)
	c.Bytes(r.kid[:])
	c.Time(&r.limit)
	c.Bytes(r.check[:])
	c.Bytes(r.verifier[:])
	c.Bytes(r.Receipt[:])
	rows.Between(c, &r.Encryption, receipt.EncryptionServer, receipt.EncryptionEndToEnd)
	c.Bytes(r.Network[:])
	c.Bytes(r.Wide[:])
	c.Text(&r.Owner)
	c.Slot(&r.Spent)
	if r.ofAnswer {
		r.Answer.Fields(c)
		c.Refuse(r.Answer == (answer.Ref{}))
	}
	if r.ofFile {
		c.Uint64(&r.FileSize)
		c.Refuse(r.FileSize == 0)
		r.lease.fields(c)
	}
}

// encodeHeader fills r.header.
func (r *Record) encodeHeader() {
	r.ofAnswer, r.ofFile = r.Answer != (answer.Ref{}), r.FileSize > 0
	r.header = rows.Encode(200+len(r.Owner), r, (*Record).headerFields)
}

func (r *Record) encode() []byte {
	return rows.Encode(1+8+8+4+len(r.header)+len(r.sealed), r, (*Record).fields)
}

func decode(data []byte) (*Record, error) {
	r := &Record{lease: textLease()}
	if err := rows.Decode(data, r, (*Record).fields); err != nil {
		return nil, err
	}
	err := rows.Decode(r.header, r, (*Record).headerFields)
	r.deadline = r.firstDeadline()
	return r, err
}

// shareOwner names the claim to the package of shares.
func (r *Record) shareOwner(row seal.RowKey) shares.Owner {
	return shares.Owner{Kind: shares.KindClaim, Row: row[:], Expires: r.limit}
}

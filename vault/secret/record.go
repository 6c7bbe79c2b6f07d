package secret

import (
	"cmp"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/answer"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/shares"
)

// BucketSecret has row key of the secret's token -> Record.
const BucketSecret = "secret"

// The versions of secrets. A change of layout takes the next number, keeps
// the reader of the old one, and adds a golden file. The newest is written
// only for what the one before it cannot say: nodes of an earlier release read the
// rest, and nothing has to be migrated.
const (
	secretVersion = 2
	sealedVersion = 3 // of end-to-end encrypted secrets
	answerVersion = 4 // of those that are answers to a request
	fileVersion   = 5 // of those that are files
)

// Record is a concealed secret.
//
//	version 3 │ slot number 8 │ generation 8 │ header (length 4, bytes) │ sealed…
//
// and the header, every byte of which is authenticated by the seal:
//
//	kid 4 │ created 8 │ expires 8 │ metadata row 22 │ network 8 │ wide 8
//	│ verifier 32 │ encryption 1 │ passphrase? 1 │ …
//	│ share domain (4, text) │ owner (4, text)
//
// with, for a passphrase of a secret that the server encrypts, and for every
// end-to-end encrypted secret,
//
//	memory KiB 4 │ time 4 │ threads 1 │ salt 16
//	SHA-256 of the link's proof 32
//
// and in version 4 then
//
//	SHA-256 of the collect link's proof 32 │ request row 22 │ number of the answer 16
//
// or in version 5
//
//	size of the file 8
//
// Times are milliseconds. network is the caller's. wide is the IPv6 /48 around
// it, and zero for IPv4; version 1 has no wide. Versions before 3 have no
// encryption: the server encrypts. Version 3 is that of end-to-end encrypted secrets
// alone, and version 4 of those that are answers to a request: there owner and network
// are the requester's, and the receipt is the responder's. Version 5 is that of files: what
// is sealed is the at-rest key of the parts, and size is that of the content as the device
// encrypts it. The slot is outside the header
// so that shares can be moved; with a wrong slot the seal does not open.
type Record struct {
	version     byte // of the layout; zero for the current one
	slot        storage.Slot
	kid         [4]byte
	created     time.Time
	expires     time.Time
	metadata    seal.RowKey
	network     [8]byte
	wide        [8]byte
	verifier    [32]byte
	encryption  receipt.Encryption
	passphrase  *seal.PassphraseParams // nil without a passphrase, and end to end
	isGuarded   bool                   // end to end: the device asks for a passphrase
	linkProof   [32]byte               // end to end: SHA-256 of the link's proof
	answer      *answerPart            // nil unless it is an answer to a request
	fileSize    uint64                 // of a file; 0 for other secrets
	shareDomain string
	owner       string
	header      []byte // as encoded; what the seal authenticates
	sealed      []byte
	stored      []byte // the row that getSecret read; nil without it
}

// answerPart is what an answer to a request has besides.
type answerPart struct {
	ref          answer.Ref
	collectProof [32]byte // SHA-256 of the proof of the request's collect link
}

// guarded reports whether a passphrase guards the secret, on the server or on
// the recipient's device.
func (r *Record) guarded() bool { return r.passphrase != nil || r.isGuarded }

// headerFields describes the header, and fields what is around it.
func (r *Record) headerFields(c *rows.Codec) {
	c.Bytes(r.kid[:])
	c.Time(&r.created)
	c.Time(&r.expires)
	c.Bytes(r.metadata[:])
	c.Bytes(r.network[:])
	if r.version > 1 {
		c.Bytes(r.wide[:])
	}
	c.Bytes(r.verifier[:])
	if r.version > 2 {
		rows.Between(c, &r.encryption, receipt.EncryptionEndToEnd, receipt.EncryptionEndToEnd)
	}
	switch {
	case r.encryption == receipt.EncryptionEndToEnd:
		c.Bool(&r.isGuarded)
		c.Bytes(r.linkProof[:])
		switch r.version {
		case answerVersion:
			r.answerFields(c)
		case fileVersion:
			c.Uint64(&r.fileSize)
			c.Refuse(r.fileSize == 0)
		}
	case rows.Present(c, &r.passphrase):
		c.Uint32(&r.passphrase.MemoryKiB)
		c.Uint32(&r.passphrase.Time)
		rows.Byte(c, &r.passphrase.Threads)
		c.Bytes(r.passphrase.Salt[:])
	}
	c.Text(&r.shareDomain)
	c.Text(&r.owner)
}

func (r *Record) answerFields(c *rows.Codec) {
	if r.answer == nil {
		r.answer = new(answerPart) // reading
	}
	c.Bytes(r.answer.collectProof[:])
	r.answer.ref.Fields(c)
}

func (r *Record) fields(c *rows.Codec) {
	r.version = c.VersionUpTo(fileVersion, r.version)
	c.Slot(&r.slot)
	c.Sized(&r.header)
	c.Rest(&r.sealed)
}

// encodeHeader fills r.header, in the current layout for a new record.
func (r *Record) encodeHeader() {
	switch {
	case r.version != 0:
	case r.fileSize > 0:
		r.version = fileVersion
	case r.answer != nil:
		r.version = answerVersion
	case r.encryption == receipt.EncryptionEndToEnd:
		r.version = sealedVersion
	default:
		r.version = secretVersion
	}
	r.header = rows.Encode(160, r, (*Record).headerFields)
}

// encode encodes a secret.
func (r *Record) encode() []byte {
	return rows.Encode(1+8+8+4+len(r.header)+len(r.sealed), r, (*Record).fields)
}

// decodeSecret decodes a secret of any version.
func decodeSecret(data []byte) (*Record, error) {
	r := new(Record)
	if err := r.decode(data); err != nil {
		return nil, err
	}
	return r, nil
}

// decode decodes a record into r, which has nothing of its former value then, and keeps
// parts of data.
func (r *Record) decode(data []byte) error {
	*r = Record{}
	r.encryption = receipt.EncryptionServer
	if err := rows.Decode(data, r, (*Record).fields); err != nil {
		return err
	}
	return rows.Decode(r.header, r, (*Record).headerFields)
}

// shareOwner names the secret to the package of shares.
func (r *Record) shareOwner(row seal.RowKey) shares.Owner {
	return shares.Owner{Kind: shares.KindSecret, Row: row[:], Expires: r.expires}
}

// getSecret loads a live secret, or returns ErrNotFound. An expired secret is
// not found even before the sweeper ran.
func getSecret(tx *rows.Tx, row seal.RowKey, now time.Time) (*Record, error) {
	record, err := rows.Load(tx, BucketSecret, row[:], func(data []byte) (*Record, error) {
		r := new(Record)
		err := r.decode(data)
		r.stored = data
		return r, err
	})
	if err == nil && now.Before(record.expires) {
		return record, nil
	}
	return nil, cmp.Or(err, refusal.ErrNotFound)
}

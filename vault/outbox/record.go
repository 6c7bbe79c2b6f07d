package outbox

import (
	"crypto/rand"
	"time"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/rows"
)

// BucketOutbox has time in ms (8) ‖ id (8) -> MailRecord.
const BucketOutbox = "outbox"

const (
	mailVersion   = 1
	letterVersion = 1
	// fieldMail is the label of sealed mails without a share.
	fieldMail = "mail"
)

// MailID is the id of a queued mail, which does not depend on its due time.
type MailID [8]byte

func newMailID() (id MailID) {
	rand.Read(id[:])
	return id
}

// outboxKey returns a mail's key in the queue: time in ms 8 ‖ id 8.
func outboxKey(due time.Time, id MailID) []byte {
	return rows.TimeKey(due, id[:])
}

// mailIDOf returns the id within a key of the queue.
func mailIDOf(key []byte) (id MailID, err error) {
	if len(key) != 8+len(id) {
		return id, rows.ErrDamaged
	}
	return MailID(key[8:]), nil
}

// MailRecord is a queued mail.
//
//	version 1 │ kind 1 │ attempts 4 │ created 8 │ given up 8
//	│ account? 1 [ │ id 16 ] │ delivery? 1 [ │ metadata row 22 │ number 1 ]
//	│ slot? 1 [ │ number 8 │ generation 8 ] │ sealed (4, bytes)
//
// The mail counts toward the account's tally, and its sender reads its state in
// the delivery. Without a slot the mail has no link and is sealed under the
// root key alone. With one it can no longer be opened once the share in the
// slot is overwritten. letterFields has what is sealed.
type MailRecord struct {
	kind     MailKind
	attempts uint32
	created  time.Time
	until    time.Time
	account  *caller.AccountID
	delivery *deliveryKey
	slot     *storage.Slot
	sealed   []byte
}

func (r *MailRecord) fields(c *rows.Codec) {
	c.Version(mailVersion)
	rows.Byte(c, &r.kind)
	c.Uint32(&r.attempts)
	c.Time(&r.created)
	c.Time(&r.until)
	if rows.Present(c, &r.account) {
		c.Bytes(r.account[:])
	}
	if rows.Present(c, &r.delivery) {
		c.Bytes(r.delivery[:])
	}
	if rows.Present(c, &r.slot) {
		c.Slot(r.slot)
	}
	c.Sized(&r.sealed)
}

func (r *MailRecord) encode() []byte {
	return rows.Encode(80+len(r.sealed), r, (*MailRecord).fields)
}

// decodeMail decodes a queued mail.
func decodeMail(data []byte) (*MailRecord, error) {
	r := new(MailRecord)
	return r, rows.Decode(data, r, (*MailRecord).fields)
}

// letterFields carries the sealed part of a mail.
//
//	version 1 │ kind 1 │ to │ locale │ key │ domain │ sender │ shortkey │ id
//	│ created 8 │ expires 8 │ passphrase? 1
//
// The seven fields after the kind are length-prefixed.
func (m *Mail) letterFields(c *rows.Codec) {
	c.Version(letterVersion)
	rows.Byte(c, &m.Kind)
	c.Text((*string)(&m.To))
	c.Text(&m.Locale)
	c.Text((*string)(&m.Key))
	c.Text(&m.Domain)
	c.Text((*string)(&m.Sender))
	c.Text(&m.Shortkey)
	c.Text(&m.ID)
	c.Time(&m.Created)
	c.Time(&m.Expires)
	c.Bool(&m.HasPassphrase)
}

func encodeLetter(m Mail) []byte { return rows.Encode(256, &m, (*Mail).letterFields) }

func decodeLetter(data []byte) (m Mail, err error) {
	err = rows.Decode(data, &m, (*Mail).letterFields)
	return m, err
}

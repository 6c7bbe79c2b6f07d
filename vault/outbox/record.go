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
// slot is overwritten. encodeLetter encodes what is sealed.
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

func (r *MailRecord) encode() []byte {
	w := make(rows.Writer, 0, 80+len(r.sealed))
	w.Byte(mailVersion)
	w.Byte(byte(r.kind))
	w.Uint32(r.attempts)
	w.Time(r.created)
	w.Time(r.until)
	w.Bool(r.account != nil)
	if r.account != nil {
		w.Bytes(r.account[:])
	}
	w.Bool(r.delivery != nil)
	if r.delivery != nil {
		w.Bytes(r.delivery[:])
	}
	w.Bool(r.slot != nil)
	if r.slot != nil {
		w.Uint64(r.slot.Number)
		w.Uint64(r.slot.Generation)
	}
	w.Sized(r.sealed)
	return w
}

// decodeMail decodes a queued mail.
func decodeMail(data []byte) (*MailRecord, error) {
	in := rows.NewReader(data)
	var r MailRecord
	in.Version(mailVersion)
	r.kind, r.attempts = MailKind(in.Byte()), in.Uint32()
	r.created, r.until = in.Time(), in.Time()
	if in.Bool() {
		r.account = new(caller.AccountID)
		in.Into(r.account[:])
	}
	if in.Bool() {
		r.delivery = new(deliveryKey)
		in.Into(r.delivery[:])
	}
	if in.Bool() {
		r.slot = &storage.Slot{Number: in.Uint64(), Generation: in.Uint64()}
	}
	r.sealed = in.Sized()
	return &r, in.End()
}

// encodeLetter encodes the sealed part of a mail.
//
//	version 1 │ kind 1 │ to │ locale │ key │ domain │ sender │ shortkey │ id
//	│ created 8 │ expires 8 │ passphrase? 1
//
// The seven fields after the kind are length-prefixed.
func encodeLetter(m Mail) []byte {
	w := make(rows.Writer, 0, 256)
	w.Byte(letterVersion)
	w.Byte(byte(m.Kind))
	for _, text := range []string{string(m.To), m.Locale, string(m.Key), m.Domain, string(m.Sender), m.Shortkey, m.ID} {
		w.Text(text)
	}
	w.Time(m.Created)
	w.Time(m.Expires)
	w.Bool(m.HasPassphrase)
	return w
}

// decodeLetter decodes the sealed part of a mail.
func decodeLetter(data []byte) (Mail, error) {
	in := rows.NewReader(data)
	var m Mail
	in.Version(letterVersion)
	m.Kind = MailKind(in.Byte())
	m.To, m.Locale, m.Key = caller.Text(in.Text()), in.Text(), caller.Text(in.Text())
	m.Domain, m.Sender, m.Shortkey, m.ID = in.Text(), caller.Text(in.Text()), in.Text(), in.Text()
	m.Created, m.Expires, m.HasPassphrase = in.Time(), in.Time(), in.Bool()
	return m, in.End()
}

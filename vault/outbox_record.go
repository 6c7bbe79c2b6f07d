package vault

import (
	"crypto/rand"
	"time"

	"hush/storage"
)

const (
	mailVersion   = 1
	letterVersion = 1
	// fieldMail is the label under which mails without a share are sealed.
	fieldMail = "mail"
)

// mailID is the row of a queued mail, whenever it is due.
type mailID [8]byte

func newMailID() (id mailID) {
	rand.Read(id[:])
	return id
}

// outboxKey is where a mail stands in the queue: time in ms 8 ‖ id 8.
func outboxKey(due time.Time, id mailID) []byte { return append(bigEndian(millis(due)), id[:]...) }

// outboxID returns the id within a key of the queue.
func outboxID(key []byte) (id mailID, err error) {
	if len(key) != 8+len(id) {
		return id, errDamaged
	}
	return mailID(key[8:]), nil
}

// mailRecord is a mail that waits to be sent.
//
//	version 1 │ kind 1 │ attempts 4 │ created 8 │ given up 8
//	│ account? 1 [ │ id 16 ] │ delivery? 1 [ │ metadata row 22 │ number 1 ]
//	│ slot? 1 [ │ number 8 │ generation 8 ] │ sealed (4, bytes)
//
// The account is whose tally counts the mail, the delivery is where its sender
// reads what became of it. Without a slot the mail holds no link and is sealed
// under the root key alone; with one it is dead once the share in the slot is
// overwritten. What is sealed is encodeLetter's.
type mailRecord struct {
	kind     MailKind
	attempts uint32
	created  time.Time
	until    time.Time
	account  *AccountID
	delivery *deliveryKey
	slot     *storage.Slot
	sealed   []byte
}

func (r *mailRecord) encode() []byte {
	w := make(writer, 0, 80+len(r.sealed))
	w.byte(mailVersion)
	w.byte(byte(r.kind))
	w.uint32(r.attempts)
	w.time(r.created)
	w.time(r.until)
	w.bool(r.account != nil)
	if r.account != nil {
		w.bytes(r.account[:])
	}
	w.bool(r.delivery != nil)
	if r.delivery != nil {
		w.bytes(r.delivery[:])
	}
	w.bool(r.slot != nil)
	if r.slot != nil {
		w.uint64(r.slot.Number)
		w.uint64(r.slot.Generation)
	}
	w.sized(r.sealed)
	return w
}

func decodeMail(data []byte) (*mailRecord, error) {
	in := reader{rest: data}
	var r mailRecord
	in.version(mailVersion)
	r.kind, r.attempts = MailKind(in.byte()), in.uint32()
	r.created, r.until = in.time(), in.time()
	if in.bool() {
		r.account = new(AccountID)
		in.into(r.account[:])
	}
	if in.bool() {
		r.delivery = new(deliveryKey)
		in.into(r.delivery[:])
	}
	if in.bool() {
		r.slot = &storage.Slot{Number: in.uint64(), Generation: in.uint64()}
	}
	r.sealed = in.sized()
	return &r, in.end()
}

// encodeLetter is what is sealed of a mail.
//
//	version 1 │ kind 1 │ to │ locale │ key │ domain │ sender │ shortkey │ id
//	│ created 8 │ expires 8 │ passphrase? 1
//
// The seven after the kind are length-prefixed.
func encodeLetter(m Mail) []byte {
	w := make(writer, 0, 256)
	w.byte(letterVersion)
	w.byte(byte(m.Kind))
	for _, text := range []string{string(m.To), m.Locale, string(m.Key), m.Domain, string(m.Sender), m.Shortkey, m.ID} {
		w.text(text)
	}
	w.time(m.Created)
	w.time(m.Expires)
	w.bool(m.HasPassphrase)
	return w
}

func decodeLetter(data []byte) (Mail, error) {
	in := reader{rest: data}
	var m Mail
	in.version(letterVersion)
	m.Kind = MailKind(in.byte())
	m.To, m.Locale, m.Key = Text(in.text()), in.text(), Text(in.text())
	m.Domain, m.Sender, m.Shortkey, m.ID = in.text(), Text(in.text()), in.text(), in.text()
	m.Created, m.Expires, m.HasPassphrase = in.time(), in.time(), in.bool()
	return m, in.end()
}

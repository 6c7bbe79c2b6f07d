package vault

import (
	"time"

	"hush/seal"
	"hush/storage"
)

// The versions of the records. A change of layout takes the next number, keeps
// the reader of the old one, and adds a golden file.
const (
	secretVersion   = 2
	metadataVersion = 3
	attemptVersion  = 2
	auditVersion    = 1
	placeVersion    = 1
	countsVersion   = 1
	accountVersion  = 2
	tallyVersion    = 1
	timelineVersion = 1
	entryVersion    = 1
)

// secretRecord is a concealed secret.
//
//	version 2 │ slot number 8 │ generation 8 │ header (length 4, bytes) │ sealed…
//
// and the header, every byte of which is authenticated by the seal:
//
//	kid 4 │ created 8 │ expires 8 │ metadata row 22 │ network 8 │ wide 8
//	│ verifier 32 │ passphrase? 1 [ │ memory KiB 4 │ time 4 │ threads 1 │ salt 16 ]
//	│ share domain (4, text) │ owner (4, text)
//
// Times are milliseconds. The network is the caller's, and wide the IPv6 /48
// around it, zero for any other; version 1 had no wide. The slot stands outside
// the header because shares may be moved one day; a wrong slot cannot open the
// seal.
type secretRecord struct {
	version     byte // of the layout; zero for the current one
	slot        storage.Slot
	kid         [4]byte
	created     time.Time
	expires     time.Time
	metadata    seal.RowKey
	network     [8]byte
	wide        [8]byte
	verifier    [32]byte
	passphrase  *seal.PassphraseParams // nil without a passphrase
	shareDomain string
	owner       string
	header      []byte // as encoded; what the seal authenticates
	sealed      []byte
}

// encodeHeader fills r.header, in the current layout for a new record.
func (r *secretRecord) encodeHeader() {
	if r.version == 0 {
		r.version = secretVersion
	}
	w := make(writer, 0, 160)
	w.bytes(r.kid[:])
	w.time(r.created)
	w.time(r.expires)
	w.bytes(r.metadata[:])
	w.bytes(r.network[:])
	if r.version > 1 {
		w.bytes(r.wide[:])
	}
	w.bytes(r.verifier[:])
	w.bool(r.passphrase != nil)
	if p := r.passphrase; p != nil {
		w.uint32(p.MemoryKiB)
		w.uint32(p.Time)
		w.byte(p.Threads)
		w.bytes(p.Salt[:])
	}
	w.text(r.shareDomain)
	w.text(r.owner)
	r.header = w
}

func (r *secretRecord) encode() []byte {
	w := make(writer, 0, 1+8+8+4+len(r.header)+len(r.sealed))
	w.byte(r.version)
	w.uint64(r.slot.Number)
	w.uint64(r.slot.Generation)
	w.sized(r.header)
	w.bytes(r.sealed)
	return w
}

func decodeSecret(data []byte) (*secretRecord, error) {
	r := new(secretRecord)
	if err := r.decode(data); err != nil {
		return nil, err
	}
	return r, nil
}

// decode reads a record into r, which keeps parts of data.
func (r *secretRecord) decode(data []byte) error {
	in := reader{rest: data}
	r.version = in.upTo(secretVersion)
	r.slot = storage.Slot{Number: in.uint64(), Generation: in.uint64()}
	r.header = in.sized()
	r.sealed = in.take(len(in.rest))
	if err := in.end(); err != nil {
		return err
	}
	return r.decodeHeader()
}

func (r *secretRecord) decodeHeader() error {
	in := reader{rest: r.header}
	in.into(r.kid[:])
	r.created, r.expires = in.time(), in.time()
	in.into(r.metadata[:])
	in.into(r.network[:])
	r.wide = [8]byte{}
	if r.version > 1 {
		in.into(r.wide[:])
	}
	in.into(r.verifier[:])
	r.passphrase = nil
	if in.bool() {
		p := seal.PassphraseParams{MemoryKiB: in.uint32(), Time: in.uint32(), Threads: in.byte()}
		in.into(p.Salt[:])
		r.passphrase = &p
	}
	r.shareDomain, r.owner = in.text(), in.text()
	return in.end()
}

// metadataRecord is the sender's receipt.
//
//	version 3 │ state 1 │ passphrase? 1 │ created 8 │ secret expires 8 │ updated 8
//	│ viewed 8 │ ended 8 │ ttl in s 8 │ secret row 22 │ hint 6
//	│ share domain │ custid │ recipients │ sealed key │ sealed memo
//	│ created by │ ended by │ network 8 │ wide 8
//
// "ended" is when it was received, burned or expired, and the last two are the
// masked networks that it was created and ended from. The secret's row is zero
// and the sealed key empty once the secret is gone. The seven before network
// are length-prefixed. The custid is the account's id. Network and wide are
// those of the secret, to which the receipt is counted; they are zero where an
// account owns it. Version 1 had no networks, and version 2 only the masked
// ones.
type metadataRecord struct {
	state       State
	passphrase  bool
	created     time.Time
	expires     time.Time
	updated     time.Time
	viewed      time.Time
	ended       time.Time
	ttl         time.Duration
	secret      seal.RowKey
	hint        [hintSize]byte
	shareDomain string
	custid      string
	recipients  []string
	sealedKey   []byte
	sealedMemo  []byte
	createdBy   string
	endedBy     string
	network     [8]byte
	wide        [8]byte
}

// hintSize is how much of the secret's key stays readable for its sender.
const hintSize = 6

func (r *metadataRecord) encode() []byte {
	w := make(writer, 0, 288)
	w.byte(metadataVersion)
	w.byte(byte(r.state))
	w.bool(r.passphrase)
	for _, t := range []time.Time{r.created, r.expires, r.updated, r.viewed, r.ended} {
		w.time(t)
	}
	w.uint64(uint64(r.ttl / time.Second))
	w.bytes(r.secret[:])
	w.bytes(r.hint[:])
	w.text(r.shareDomain)
	w.text(r.custid)
	w.texts(r.recipients)
	w.sized(r.sealedKey)
	w.sized(r.sealedMemo)
	w.text(r.createdBy)
	w.text(r.endedBy)
	w.bytes(r.network[:])
	w.bytes(r.wide[:])
	return w
}

func decodeMetadata(data []byte) (*metadataRecord, error) {
	in := reader{rest: data}
	var r metadataRecord
	version := in.upTo(metadataVersion)
	r.state, r.passphrase = State(in.byte()), in.bool()
	for _, t := range []*time.Time{&r.created, &r.expires, &r.updated, &r.viewed, &r.ended} {
		*t = in.time()
	}
	r.ttl = in.seconds()
	in.into(r.secret[:])
	in.into(r.hint[:])
	r.shareDomain, r.custid, r.recipients = in.text(), in.text(), in.texts()
	r.sealedKey, r.sealedMemo = in.sized(), in.sized()
	if version > 1 {
		r.createdBy, r.endedBy = in.text(), in.text()
	}
	if version > 2 {
		in.into(r.network[:])
		in.into(r.wide[:])
	}
	return &r, in.end()
}

// ownedBy tells whether the caller's account concealed the secret.
func (r *metadataRecord) ownedBy(c Caller) bool { return r.custid != "" && r.custid == c.Account }

// showsKey reports whether the receipt shows the caller the secret's key, and
// with it the link that opens the secret. A receipt without an account is its
// sender's only proof, so it shows the key to everybody who holds it. That of
// an account shows it to the account alone, by a credential that may reveal: a
// token of another scope gets no further than its scope, and gains nothing by
// staying unsent. The answer that conceals a secret shows its key in any case.
func (r *metadataRecord) showsKey(c Caller) bool {
	return r.custid == "" || r.ownedBy(c) && c.May(ScopeReveal)
}

// forgotten is when the receipt itself goes: after twice the lifetime.
func (r *metadataRecord) forgotten() time.Time { return r.created.Add(2 * r.ttl) }

// attemptRecord counts wrong passphrases, wrong passwords, or mails.
//
//	version 2 │ count 4 │ began 8 │ locked until 8
//
// In version 1 the count of wrong passphrases and passwords started anew after
// a while; what it had counted last goes on. Version 2 keeps an older program
// from forgetting.
type attemptRecord struct {
	count  uint32
	began  time.Time
	locked time.Time
}

func (r attemptRecord) encode() []byte {
	w := make(writer, 0, 21)
	w.byte(attemptVersion)
	w.uint32(r.count)
	w.time(r.began)
	w.time(r.locked)
	return w
}

func decodeAttempt(data []byte) (attemptRecord, error) {
	in := reader{rest: data}
	var r attemptRecord
	in.upTo(attemptVersion)
	r.count, r.began, r.locked = in.uint32(), in.time(), in.time()
	return r, in.end()
}

// auditRecord is one row of the trail.
//
//	version 1 │ time 8 │ type 1 │ result 1 │ subject: metadata row 22
type auditRecord struct {
	time    time.Time
	kind    AuditType
	result  AuditResult
	subject seal.RowKey
}

func (r auditRecord) encode() []byte {
	w := make(writer, 0, 33)
	w.byte(auditVersion)
	w.time(r.time)
	w.byte(byte(r.kind))
	w.byte(byte(r.result))
	w.bytes(r.subject[:])
	return w
}

func decodeAudit(data []byte) (auditRecord, error) {
	in := reader{rest: data}
	var r auditRecord
	in.version(auditVersion)
	r.time, r.kind, r.result = in.time(), AuditType(in.byte()), AuditResult(in.byte())
	in.into(r.subject[:])
	return r, in.end()
}

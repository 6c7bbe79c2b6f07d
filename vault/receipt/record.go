package receipt

import (
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// BucketMetadata has row key of the metadata's token -> Record.
const BucketMetadata = "metadata"

// The versions of receipts. A change of layout takes the next number, keeps
// the reader of the old one, and adds a golden file. The newest is written
// only for what the one before it cannot say: nodes of an earlier release read the
// rest, and nothing has to be migrated.
const (
	metadataVersion = 3
	outcomeVersion  = 4 // of receipts of end-to-end encrypted secrets, of claims and of groups
)

// Record is the sender's receipt as it is stored.
//
//	version 4 │ state 1 │ passphrase? 1 │ created 8 │ secret expires 8 │ updated 8
//	│ viewed 8 │ ended 8 │ ttl in s 8 │ secret row 22 │ hint 6
//	│ share domain │ owner │ recipients │ sealed key │ sealed memo
//	│ created by │ ended by │ network 8 │ wide 8
//	│ encryption 1 │ outcome 1 │ outcome at 8 │ group 16
//
// "ended" is when the secret was received, burned or expired. "created by" and
// "ended by" are masked networks. Once the secret is gone, its row is zero and
// the sealed key is empty. The seven fields before network are length-prefixed.
// owner is the account's id. network and wide are those of the secret, which
// the receipt counts toward; they are zero if an account owns it. The
// outcome is that of the claim which the secret was revealed with. group is zero
// for a secret that was shared alone. The sealed key is also empty in the receipt of an
// answer to a request, whose sender may not open it. Version 1 has no networks, version 2 only
// the masked ones, and versions before 4 have no encryption, outcome or group.
type Record struct {
	state         State
	hasPassphrase bool
	created       time.Time
	expires       time.Time
	updated       time.Time
	viewed        time.Time
	ended         time.Time
	ttl           time.Duration
	secret        seal.RowKey
	hint          [hintSize]byte
	shareDomain   string
	owner         string
	recipients    []string
	sealedKey     []byte
	sealedMemo    []byte
	createdBy     string
	endedBy       string
	network       [8]byte
	wide          [8]byte
	encryption    Encryption
	outcome       Outcome
	outcomeAt     time.Time // zero until the outcome is delivered or lapsed
	group         Group
}

// Group is what the secrets of a group have in common. Their sender's device chose
// it at random.
type Group [16]byte

// hintSize is how many characters of the secret key stay readable for the
// sender.
const hintSize = 6

func (r *Record) fields(c *rows.Codec) {
	version := c.VersionUpTo(outcomeVersion, r.version())
	rows.Byte(c, &r.state)
	c.Bool(&r.hasPassphrase)
	c.Time(&r.created)
	c.Time(&r.expires)
	c.Time(&r.updated)
	c.Time(&r.viewed)
	c.Time(&r.ended)
	c.Seconds(&r.ttl)
	c.Bytes(r.secret[:])
	c.Bytes(r.hint[:])
	c.Text(&r.shareDomain)
	c.Text(&r.owner)
	c.Texts(&r.recipients)
	c.Sized(&r.sealedKey)
	c.Sized(&r.sealedMemo)
	if version > 1 {
		c.Text(&r.createdBy)
		c.Text(&r.endedBy)
	}
	if version > 2 {
		c.Bytes(r.network[:])
		c.Bytes(r.wide[:])
	}
	if version == outcomeVersion {
		rows.Between(c, &r.encryption, EncryptionServer, EncryptionEndToEnd)
		rows.Between(c, &r.outcome, OutcomeNone, OutcomeLapsed)
		c.Time(&r.outcomeAt)
		c.Bytes(r.group[:])
		c.Refuse(r.version() != version) // a receipt has one form
	}
}

// version returns the oldest of the current versions that has everything that the receipt
// says.
func (r *Record) version() byte {
	if r.encryption == EncryptionServer && r.outcome == OutcomeNone && r.outcomeAt.IsZero() && r.group == (Group{}) {
		return metadataVersion
	}
	return outcomeVersion
}

func (r *Record) encode() []byte { return rows.Encode(288, r, (*Record).fields) }

// decode decodes a receipt of any version.
func decode(data []byte) (*Record, error) {
	r := &Record{encryption: EncryptionServer}
	return r, rows.Decode(data, r, (*Record).fields)
}

// Load returns the receipt in a row, or refusal.ErrNotFound. The caller must not store
// it: the functions of this package do.
func Load(tx *rows.Tx, row seal.RowKey) (*Record, error) {
	return rows.Load(tx, BucketMetadata, row[:], decode)
}

// LiveSecret returns the row of the live secret that the receipt in a row is about, or
// refusal.ErrNotFound if there is none.
func LiveSecret(tx *rows.Tx, row seal.RowKey) (seal.RowKey, error) {
	r, err := Load(tx, row)
	if err != nil {
		return seal.RowKey{}, err
	}
	if !r.state.Live() {
		return seal.RowKey{}, refusal.ErrNotFound
	}
	return r.secret, nil
}

// State returns the state of the secret as it is stored: one that is past its time lives
// until the sweeper runs.
func (r *Record) State() State { return r.state }

// Secret returns the row of the secret; zero once the secret has ended.
func (r *Record) Secret() seal.RowKey { return r.secret }

// Hint returns the first characters of the secret's key.
func (r *Record) Hint() string { return string(r.hint[:]) }

// ownedBy reports whether the caller's account concealed the secret.
func (r *Record) ownedBy(c caller.Caller) bool {
	return r.owner != "" && r.owner == c.Account()
}

// showsKey reports whether the receipt shows the caller the secret key, and
// with it the link. An anonymous receipt is its sender's only proof, so it
// shows the key to every holder. An account's receipt shows it only to that
// account, and only for a credential that may reveal: a token with another
// scope gets no further than its scope. The response to concealing a secret
// shows its key in any case.
func (r *Record) showsKey(c caller.Caller) bool {
	return r.owner == "" || r.ownedBy(c) && c.May(caller.ScopeReveal)
}

// Forgotten returns when the receipt is forgotten: after twice the lifetime.
func (r *Record) Forgotten() time.Time { return r.created.Add(2 * r.ttl) }

package account

import (
	"crypto/rand"
	"errors"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/ticket"
	"hush/vault/watch"
)

const tallyVersion = 1

const accountVersion = 2

// The buckets of this file.
const (
	BucketAccount = "account" // account id -> Record
	BucketAddress = "address" // seal.Keys.AddressID -> account id
	BucketTally   = "tally"   // account id -> TallyRecord
)

// Buckets returns the buckets of this package.
func Buckets() []rows.Bucket {
	id := len(caller.AccountID{})
	return []rows.Bucket{
		{Name: BucketAccount, Check: rows.CheckRow(id, DecodeAccount), Version: accountVersion},
		{Name: BucketAddress, Check: rows.CheckRow(0, rows.DecodeAccountID)},
		{Name: BucketTally, Check: rows.CheckRow(id, decodeTally)},
	}
}

// Role is what an account may do besides using the service. The numbers are
// stored.
type Role byte

// The roles.
const (
	RoleCustomer Role = 1
	RoleColonel  Role = 2
)

// Proof is how the ownership of an account's address was proved. The numbers
// are stored.
type Proof byte

// How an address was proved. The numbers are stored.
const (
	ProofNone     Proof = 0 // not proved
	ProofMail     Proof = 1 // a mailed link was opened
	ProofOperator Proof = 2 // the operator created the account
)

// Record is an account.
//
//	version 2 │ created 8 │ updated 8 │ verified 8 │ signed in 8 │ destroyed 8
//	│ proof 1 │ pending? 1 │ role 1 │ disabled? 1 │ notify opened? 1
//	│ address id 32 │ sealed count 8 │ tickets 3 × 22 │ locale
//	│ sealed address │ sealed pending address
//	│ password? 1 [ │ memory KiB 4 │ time 4 │ threads 1 │ salt 16 │ verifier 32
//	  │ keyed? 1 │ kid 4 ]
//	│ networks 1 × ( │ network id 8 │ last signed in 8 )
//
// The three fields before the password are length-prefixed. A pending account
// cannot be used before its address is confirmed. A destroyed account keeps
// only its address id, as a tombstone. Version 1 has no networks, and its
// verifiers are not keyed.
type Record struct {
	Created, Updated, Verified, SignedIn, Destroyed time.Time
	Proof                                           Proof
	Pending                                         bool
	Role                                            Role
	Disabled                                        bool
	NotifyOpened                                    bool
	AddressID                                       [32]byte
	SealedCount                                     uint64
	Tickets                                         ticket.Held
	Locale                                          string
	address                                         []byte // SealField fieldAddress, row = id
	PendingAddress                                  []byte // SealField fieldPendingAddress, row = id; empty if none
	Password                                        *PasswordRecord
	Networks                                        []knownNetwork // newest first
}

// PasswordRecord is what is stored of a password; nil for accounts without one.
type PasswordRecord struct {
	Params   seal.PasswordParams
	Verifier [32]byte
	// Keyed verifiers need the root key named by kid to test a guess. Those of
	// version 1 do not; they are replaced when the owner signs in.
	Keyed bool
	KID   [4]byte
}

// NewPassword is a password to be stored: its record, and the secret that wraps
// the account's key.
type NewPassword struct {
	Record         PasswordRecord
	WrappingSecret seal.WrappingSecret
}

// NewSecret is an account's new password with the key that it unwraps.
type NewSecret struct {
	Password NewPassword
	Key      seal.AccountKey
}

// knownNetwork is a network that the owner signed in from, by its keyed hash.
type knownNetwork struct {
	id   [8]byte // seal.Keys.NetworkID
	seen time.Time
}

// The labels of sealed fields.
const (
	fieldAddress        = "account address"
	fieldPendingAddress = "account pending address"
)

func (r *Record) fields(c *rows.Codec) {
	version := c.VersionUpTo(accountVersion, accountVersion)
	c.Time(&r.Created)
	c.Time(&r.Updated)
	c.Time(&r.Verified)
	c.Time(&r.SignedIn)
	c.Time(&r.Destroyed)
	rows.Byte(c, &r.Proof)
	c.Bool(&r.Pending)
	rows.Byte(c, &r.Role)
	c.Bool(&r.Disabled)
	c.Bool(&r.NotifyOpened)
	c.Bytes(r.AddressID[:])
	c.Uint64(&r.SealedCount)
	for i := range r.Tickets {
		c.Bytes(r.Tickets[i][:])
	}
	c.Text(&r.Locale)
	c.Sized(&r.address)
	c.Sized(&r.PendingAddress)
	if rows.Present(c, &r.Password) {
		r.Password.fields(c, version)
	}
	if version > 1 {
		for n := range rows.ShortList(c, &r.Networks) {
			c.Bytes(n.id[:])
			c.Time(&n.seen)
		}
	}
}

// fields carries the password in an account's record of that version.
func (p *PasswordRecord) fields(c *rows.Codec, version byte) {
	c.Uint32(&p.Params.MemoryKiB)
	c.Uint32(&p.Params.Time)
	rows.Byte(c, &p.Params.Threads)
	c.Bytes(p.Params.Salt[:])
	c.Bytes(p.Verifier[:])
	if version > 1 {
		c.Bool(&p.Keyed)
		c.Bytes(p.KID[:])
	}
}

// Encode encodes an account.
func (r *Record) Encode() []byte { return rows.Encode(400, r, (*Record).fields) }

// DecodeAccount decodes an account of any version.
func DecodeAccount(data []byte) (*Record, error) {
	r := new(Record)
	return r, rows.Decode(data, r, (*Record).fields)
}

// Usable reports whether credentials of the account are accepted.
func (r *Record) Usable() bool {
	return !r.Pending && !r.Disabled && r.Destroyed.IsZero()
}

// GetAccount loads an account, even a destroyed one, or returns ErrNotFound.
func GetAccount(tx storage.Tx, id caller.AccountID) (*Record, error) {
	return rows.Load(tx, BucketAccount, id[:], DecodeAccount)
}

// RowOf returns where the account of a caller is stored.
func RowOf(c caller.Caller) (bucket string, key []byte) {
	id := c.AccountID()
	return BucketAccount, id[:]
}

// ReadsOf returns the rows whose change may end what a caller with an account follows: its
// account, and its session or token. A caller without one has none.
func ReadsOf(c caller.Caller) []watch.RowOf {
	if c.Anonymous() {
		return nil
	}
	accounts, id := RowOf(c)
	credentials, row := credential.RowOf(c)
	return []watch.RowOf{{Bucket: accounts, Key: string(id)}, {Bucket: credentials, Key: string(row)}}
}

// PutAccount stores an account.
func PutAccount(tx *rows.Tx, id caller.AccountID, r *Record) error {
	return tx.Put(BucketAccount, id[:], r.Encode())
}

// TallyRecord counts the actions of an account. It changes with every secret;
// the account's record rarely changes.
//
//	version 1 │ created 8 │ shared 8 │ burned 8 │ emails 8
type TallyRecord struct{ Created, Shared, Burned, Emails uint64 }

func (r *TallyRecord) fields(c *rows.Codec) {
	c.Version(tallyVersion)
	c.Uint64(&r.Created)
	c.Uint64(&r.Shared)
	c.Uint64(&r.Burned)
	c.Uint64(&r.Emails)
}

func (r TallyRecord) encode() []byte { return rows.Encode(33, &r, (*TallyRecord).fields) }

func decodeTally(data []byte) (r TallyRecord, err error) {
	err = rows.Decode(data, &r, (*TallyRecord).fields)
	return r, err
}

// GetTally returns the tally of an account; zero if it has none.
func GetTally(tx *rows.Tx, id caller.AccountID) (TallyRecord, error) {
	return rows.LoadOr(tx, BucketTally, id[:], decodeTally, TallyRecord{})
}

// ChangeTally changes the tally of an account. One that is destroyed has none, though
// a secret of its own may end later, or a mail be sent.
func ChangeTally(tx *rows.Tx, id caller.AccountID, change func(*TallyRecord)) error {
	account, err := GetAccount(tx, id)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && !account.Destroyed.IsZero() {
		return nil
	}
	if err != nil {
		return err
	}
	r, err := GetTally(tx, id)
	if err != nil {
		return err
	}
	change(&r)
	return tx.Put(BucketTally, id[:], r.encode())
}

// NewAccountID returns the id of a new account.
func NewAccountID(created time.Time) caller.AccountID {
	var id caller.AccountID
	copy(id[:8], rows.BigEndian(^rows.Millis(created)))
	rand.Read(id[8:])
	return id
}

// CountEmail counts a mail to a recipient toward the account that sent it.
func CountEmail(tx *rows.Tx, id caller.AccountID) error {
	return ChangeTally(tx, id, func(t *TallyRecord) { t.Emails++ })
}

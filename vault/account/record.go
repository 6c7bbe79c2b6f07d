package account

import (
	"crypto/rand"
	"errors"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/ticket"
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

// Encode encodes an account.
func (r *Record) Encode() []byte {
	w := make(rows.Writer, 0, 400)
	w.Byte(accountVersion)
	for _, t := range []time.Time{r.Created, r.Updated, r.Verified, r.SignedIn, r.Destroyed} {
		w.Time(t)
	}
	w.Byte(byte(r.Proof))
	w.Bool(r.Pending)
	w.Byte(byte(r.Role))
	w.Bool(r.Disabled)
	w.Bool(r.NotifyOpened)
	w.Bytes(r.AddressID[:])
	w.Uint64(r.SealedCount)
	for _, row := range r.Tickets {
		w.Bytes(row[:])
	}
	w.Text(r.Locale)
	w.Sized(r.address)
	w.Sized(r.PendingAddress)
	w.Bool(r.Password != nil)
	if p := r.Password; p != nil {
		w.Uint32(p.Params.MemoryKiB)
		w.Uint32(p.Params.Time)
		w.Byte(p.Params.Threads)
		w.Bytes(p.Params.Salt[:])
		w.Bytes(p.Verifier[:])
		w.Bool(p.Keyed)
		w.Bytes(p.KID[:])
	}
	w.Byte(byte(len(r.Networks)))
	for _, n := range r.Networks {
		w.Bytes(n.id[:])
		w.Time(n.seen)
	}
	return w
}

// DecodeAccount decodes an account of any version.
func DecodeAccount(data []byte) (*Record, error) {
	in := rows.NewReader(data)
	var r Record
	version := in.UpTo(accountVersion)
	for _, t := range []*time.Time{&r.Created, &r.Updated, &r.Verified, &r.SignedIn, &r.Destroyed} {
		*t = in.Time()
	}
	r.Proof, r.Pending = Proof(in.Byte()), in.Bool()
	r.Role, r.Disabled, r.NotifyOpened = Role(in.Byte()), in.Bool(), in.Bool()
	in.Into(r.AddressID[:])
	r.SealedCount = in.Uint64()
	for i := range r.Tickets {
		in.Into(r.Tickets[i][:])
	}
	r.Locale = in.Text()
	r.address, r.PendingAddress = in.Sized(), in.Sized()
	if in.Bool() {
		p := &PasswordRecord{Params: seal.PasswordParams{MemoryKiB: in.Uint32(), Time: in.Uint32(), Threads: in.Byte()}}
		in.Into(p.Params.Salt[:])
		in.Into(p.Verifier[:])
		if version > 1 {
			p.Keyed = in.Bool()
			in.Into(p.KID[:])
		}
		r.Password = p
	}
	if version > 1 {
		r.Networks = readNetworks(&in)
	}
	return &r, in.End()
}

// readNetworks decodes an account's networks.
func readNetworks(in *rows.Reader) (list []knownNetwork) {
	for range in.Byte() {
		var n knownNetwork
		in.Into(n.id[:])
		n.seen = in.Time()
		list = append(list, n)
	}
	return list
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

// PutAccount stores an account.
func PutAccount(tx *rows.Tx, id caller.AccountID, r *Record) error {
	return tx.Put(BucketAccount, id[:], r.Encode())
}

// TallyRecord counts the actions of an account. It changes with every secret;
// the account's record rarely changes.
//
//	version 1 │ created 8 │ shared 8 │ burned 8 │ emails 8
type TallyRecord struct{ Created, Shared, Burned, Emails uint64 }

func (r TallyRecord) encode() []byte {
	w := make(rows.Writer, 0, 33)
	w.Byte(tallyVersion)
	for _, n := range []uint64{r.Created, r.Shared, r.Burned, r.Emails} {
		w.Uint64(n)
	}
	return w
}

func decodeTally(data []byte) (TallyRecord, error) {
	in := rows.NewReader(data)
	var r TallyRecord
	in.Version(tallyVersion)
	for _, n := range []*uint64{&r.Created, &r.Shared, &r.Burned, &r.Emails} {
		*n = in.Uint64()
	}
	return r, in.End()
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

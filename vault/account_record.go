package vault

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"

	"hush/seal"
	"hush/storage"
)

// AccountID names an account for ever: ^created in ms 8 ‖ random 8. Ids in
// order are the newest accounts first. As text it is 32 characters 0-9 and
// a-f.
type AccountID [16]byte

func newAccountID(created time.Time) AccountID {
	var id AccountID
	copy(id[:8], bigEndian(^millis(created)))
	rand.Read(id[8:])
	return id
}

// String is the id as Caller.Account has it.
func (id AccountID) String() string { return hex.EncodeToString(id[:]) }

// ParseAccountID reads what String returns.
func ParseAccountID(text string) (id AccountID, ok bool) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(id) || hex.EncodeToString(raw) != text {
		return AccountID{}, false
	}
	return AccountID(raw), true
}

// Role is what an account may do besides using the service. The numbers are
// stored.
type Role byte

// The roles.
const (
	RoleCustomer Role = 1
	RoleColonel  Role = 2
)

// proof is how it is known that an account's address is its owner's. The
// numbers are stored.
type proof byte

const (
	proofNone     proof = 0 // nobody confirmed it
	proofMail     proof = 1 // a mailed link was opened
	proofOperator proof = 2 // the operator made the account
)

// accountRecord is an account.
//
//	version 2 │ created 8 │ updated 8 │ verified 8 │ signed in 8 │ destroyed 8
//	│ proof 1 │ pending? 1 │ role 1 │ disabled? 1 │ notify opened? 1
//	│ address id 32 │ sealed count 8 │ tickets 3 × 22 │ locale
//	│ sealed address │ sealed pending address
//	│ password? 1 [ │ memory KiB 4 │ time 4 │ threads 1 │ salt 16 │ verifier 32
//	  │ keyed? 1 │ kid 4 ]
//	│ networks 1 × ( │ network id 8 │ last signed in 8 )
//
// The three before the password are length-prefixed. "Pending" is an account
// that cannot be used before its address is confirmed. What is destroyed keeps
// its address id alone, as a tombstone. Version 1 had no networks, and its
// verifiers were not keyed.
type accountRecord struct {
	created, updated, verified, signedIn, destroyed time.Time
	proof                                           proof
	pending                                         bool
	role                                            Role
	disabled                                        bool
	notifyOpened                                    bool
	addressID                                       [32]byte
	sealedCount                                     uint64
	tickets                                         [accountTickets]seal.RowKey // by ticketKind; zero for none
	locale                                          string
	address                                         []byte // SealField fieldAddress, row = id
	pendingAddress                                  []byte // SealField fieldPendingAddress, row = id; empty if none
	password                                        *passwordRecord
	networks                                        []knownNetwork // newest first
}

// passwordRecord is what is kept of a password; nil for accounts without one.
type passwordRecord struct {
	params   seal.PasswordParams
	verifier [32]byte
	// keyed verifiers take the root key that kid names to test a guess. Those
	// of version 1 do not; they are replaced when the owner signs in.
	keyed bool
	kid   [4]byte
}

// The labels of sealed fields.
const (
	fieldAddress        = "account address"
	fieldPendingAddress = "account pending address"
)

func (r *accountRecord) encode() []byte {
	w := make(writer, 0, 400)
	w.byte(accountVersion)
	for _, t := range []time.Time{r.created, r.updated, r.verified, r.signedIn, r.destroyed} {
		w.time(t)
	}
	w.byte(byte(r.proof))
	w.bool(r.pending)
	w.byte(byte(r.role))
	w.bool(r.disabled)
	w.bool(r.notifyOpened)
	w.bytes(r.addressID[:])
	w.uint64(r.sealedCount)
	for _, row := range r.tickets {
		w.bytes(row[:])
	}
	w.text(r.locale)
	w.sized(r.address)
	w.sized(r.pendingAddress)
	w.bool(r.password != nil)
	if p := r.password; p != nil {
		w.uint32(p.params.MemoryKiB)
		w.uint32(p.params.Time)
		w.byte(p.params.Threads)
		w.bytes(p.params.Salt[:])
		w.bytes(p.verifier[:])
		w.bool(p.keyed)
		w.bytes(p.kid[:])
	}
	w.byte(byte(len(r.networks)))
	for _, n := range r.networks {
		w.bytes(n.id[:])
		w.time(n.seen)
	}
	return w
}

func decodeAccount(data []byte) (*accountRecord, error) {
	in := reader{rest: data}
	var r accountRecord
	version := in.upTo(accountVersion)
	for _, t := range []*time.Time{&r.created, &r.updated, &r.verified, &r.signedIn, &r.destroyed} {
		*t = in.time()
	}
	r.proof, r.pending = proof(in.byte()), in.bool()
	r.role, r.disabled, r.notifyOpened = Role(in.byte()), in.bool(), in.bool()
	in.into(r.addressID[:])
	r.sealedCount = in.uint64()
	for i := range r.tickets {
		in.into(r.tickets[i][:])
	}
	r.locale = in.text()
	r.address, r.pendingAddress = in.sized(), in.sized()
	if in.bool() {
		p := &passwordRecord{params: seal.PasswordParams{MemoryKiB: in.uint32(), Time: in.uint32(), Threads: in.byte()}}
		in.into(p.params.Salt[:])
		in.into(p.verifier[:])
		if version > 1 {
			p.keyed = in.bool()
			in.into(p.kid[:])
		}
		r.password = p
	}
	if version > 1 {
		r.networks = in.networks()
	}
	return &r, in.end()
}

// usable tells whether credentials of the account are good.
func (r *accountRecord) usable() bool {
	return !r.pending && !r.disabled && r.destroyed.IsZero()
}

// getAccount loads an account, destroyed ones included, or returns
// ErrNotFound.
func getAccount(tx storage.Tx, id AccountID) (*accountRecord, error) {
	data, err := tx.Get(bucketAccount, id[:])
	if errors.Is(err, storage.ErrNotFound) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return decodeAccount(data)
}

func putAccount(tx storage.Tx, id AccountID, r *accountRecord) error {
	return tx.Put(bucketAccount, id[:], r.encode())
}

// tallyRecord counts what an account did; it changes with every secret, the
// account's record seldom.
//
//	version 1 │ created 8 │ shared 8 │ burned 8 │ emails 8
type tallyRecord struct{ created, shared, burned, emails uint64 }

func (r tallyRecord) encode() []byte {
	w := make(writer, 0, 33)
	w.byte(tallyVersion)
	for _, n := range []uint64{r.created, r.shared, r.burned, r.emails} {
		w.uint64(n)
	}
	return w
}

func decodeTally(data []byte) (tallyRecord, error) {
	in := reader{rest: data}
	var r tallyRecord
	in.version(tallyVersion)
	for _, n := range []*uint64{&r.created, &r.shared, &r.burned, &r.emails} {
		*n = in.uint64()
	}
	return r, in.end()
}

func getTally(tx storage.Tx, id AccountID) (tallyRecord, error) {
	data, err := tx.Get(bucketTally, id[:])
	if errors.Is(err, storage.ErrNotFound) {
		return tallyRecord{}, nil
	}
	if err != nil {
		return tallyRecord{}, err
	}
	return decodeTally(data)
}

// countFor changes an account's tally.
func countFor(tx storage.Tx, id AccountID, change func(*tallyRecord)) error {
	r, err := getTally(tx, id)
	if err != nil {
		return err
	}
	change(&r)
	return tx.Put(bucketTally, id[:], r.encode())
}

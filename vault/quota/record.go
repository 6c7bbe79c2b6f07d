// Package quota keeps what nodes that share a store count of its bytes: what each
// added, by the account or network that the bytes count toward. Package secret
// decides what is counted.
package quota

import (
	"encoding/binary"

	"hush/seal"
	"hush/storage"
	"hush/vault/exam"
	"hush/vault/rows"
)

// BucketUsage has kind 1 ‖ length 1 ‖ id ‖ node 2 -> what that node added to the
// bytes of an account, a network or a /48, or to those of all; and the state of
// the count. Only a store that nodes share has it. It derives from the buckets
// secret and metadata, so a copy of the store leaves it out.
const BucketUsage = "usage"

// The kinds of keys. The letters are stored.
const (
	KindTotal   = 't'
	KindAccount = 'a'
	KindNetwork = 'n'
	KindWide    = 'w'
)

// kindState is the kind of the row that has neither length nor id nor node.
const kindState = 0

const version = 1

// Key names who bytes count toward: a row's key without its node.
type Key string

// NewKey returns the key of an account, a network, a /48, or of all.
func NewKey(kind byte, id []byte) Key {
	return Key(append([]byte{kind, byte(len(id))}, id...))
}

// Of returns the row's key of a node.
func (k Key) Of(node uint16) []byte {
	return binary.BigEndian.AppendUint16([]byte(k), node)
}

// splitKey returns the parts of a row's key, and false for another row.
func splitKey(key []byte) (who Key, node uint16, ok bool) {
	at := len(key) - 2
	if at < 2 || int(key[1]) != at-2 {
		return "", 0, false
	}
	return Key(key[:at]), binary.BigEndian.Uint16(key[at:]), true
}

// Tally is what one node added. What began on one node may end on another, so a
// tally may be negative; the sum over the nodes is not.
type Tally struct {
	Bytes     int64
	Secrets   int64 // of Bytes, without receipts; only in the total
	Anonymous int64 // of Bytes; only in the total
}

// Plus returns the sum of two tallies.
func (t Tally) Plus(o Tally) Tally {
	return Tally{t.Bytes + o.Bytes, t.Secrets + o.Secrets, t.Anonymous + o.Anonymous}
}

// encode encodes a tally.
//
//	version 1 │ bytes 8 │ secrets 8 │ anonymous 8, each signed
func (t Tally) encode() []byte {
	w := make(rows.Writer, 0, 25)
	w.Byte(version)
	w.Uint64(uint64(t.Bytes))
	w.Uint64(uint64(t.Secrets))
	w.Uint64(uint64(t.Anonymous))
	return w
}

// DecodeTally decodes a tally.
func DecodeTally(data []byte) (Tally, error) {
	in := rows.NewReader(data)
	in.Version(version)
	t := Tally{int64(in.Uint64()), int64(in.Uint64()), int64(in.Uint64())}
	return t, in.End()
}

// Cursor says how far the count of a store has come that has none: its
// secrets and receipts up to these rows are counted. What changes behind them is
// left to the count.
//
//	version 1 │ done 1 │ secret 22 │ receipt 22
type Cursor struct {
	Done             bool
	Secret, Metadata seal.RowKey
}

func (s Cursor) encode() []byte {
	w := make(rows.Writer, 0, 46)
	w.Byte(version)
	w.Bool(s.Done)
	w.Bytes(s.Secret[:])
	w.Bytes(s.Metadata[:])
	return w
}

func decodeCursor(data []byte) (s Cursor, err error) {
	in := rows.NewReader(data)
	in.Version(version)
	s.Done = in.Bool()
	in.Into(s.Secret[:])
	in.Into(s.Metadata[:])
	return s, in.End()
}

// LoadCursor loads the state of the count; one that has not begun is zero.
func LoadCursor(tx *rows.Tx) (Cursor, error) {
	return rows.LoadOr(tx, BucketUsage, []byte{kindState}, decodeCursor, Cursor{})
}

// Put stores the state of the count.
func (s Cursor) Put(tx *rows.Tx) error {
	return tx.Put(BucketUsage, []byte{kindState}, s.encode())
}

// LoadTally loads what a node added; nothing is zero.
func LoadTally(tx *rows.Tx, who Key, node uint16) (Tally, error) {
	return rows.LoadOr(tx, BucketUsage, who.Of(node), DecodeTally, Tally{})
}

// PutTally stores what a node added.
func PutTally(tx *rows.Tx, who Key, node uint16, t Tally) error {
	if t == (Tally{}) {
		return tx.Delete(BucketUsage, who.Of(node))
	}
	return tx.Put(BucketUsage, who.Of(node), t.encode())
}

// Range calls fn for the row of each key and node, from a key on. It leaves out the
// state of the count.
func Range(tx storage.Tx, from []byte, fn func(who Key, value []byte) error) error {
	return tx.Range(BucketUsage, from, nil, func(key, value []byte) error {
		who, _, ok := splitKey(key)
		if !ok {
			return nil
		}
		return fn(who, value)
	})
}

// Delete deletes what all nodes added for a key; for an empty one, all that the
// store counted.
func Delete(tx storage.Tx, who Key) error { return rows.DeletePrefix(tx, BucketUsage, []byte(who)) }

// Invariants returns those of the bucket of this package.
func Invariants() []exam.Invariant {
	return []exam.Invariant{{Bucket: BucketUsage, Check: check, Alone: "the ledger counts anew what it does not know"}}
}

// SumTallies returns what a node and the others added.
func SumTallies(tx *rows.Tx, who Key, node uint16) (own, others Tally, err error) {
	prefix := []byte(who)
	err = tx.Range(BucketUsage, prefix, rows.PrefixEnd(prefix), func(key, value []byte) error {
		_, of, ok := splitKey(key)
		if !ok {
			return rows.ErrDamaged
		}
		t, err := DecodeTally(value)
		if of == node {
			own = own.Plus(t)
		} else {
			others = others.Plus(t)
		}
		return err
	})
	return own, others, err
}

// check is the Check of BucketUsage.
func check(key, value []byte) error {
	if len(key) == 1 && key[0] == kindState {
		_, err := decodeCursor(value)
		return err
	}
	if _, _, ok := splitKey(key); !ok {
		return rows.ErrDamaged
	}
	_, err := DecodeTally(value)
	return err
}

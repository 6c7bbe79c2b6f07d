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
	kindTotal   = 't'
	kindAccount = 'a'
	kindNetwork = 'n'
	kindWide    = 'w'
)

// kindState is the kind of the row that has neither length nor id nor node.
const kindState = 0

const version = 1

// countKey names who bytes count toward: a row's key without its node.
type countKey string

// newKey returns the key of an account, a network, a /48, or of all.
func newKey(kind byte, id []byte) countKey {
	return countKey(append([]byte{kind, byte(len(id))}, id...))
}

// of returns the row's key of a node.
func (k countKey) of(node uint16) []byte {
	return binary.BigEndian.AppendUint16([]byte(k), node)
}

// splitKey returns the parts of a row's key, and false for another row.
func splitKey(key []byte) (who countKey, node uint16, ok bool) {
	at := len(key) - 2
	if at < 2 || int(key[1]) != at-2 {
		return "", 0, false
	}
	return countKey(key[:at]), binary.BigEndian.Uint16(key[at:]), true
}

// tally is what one node added. What began on one node may end on another, so a
// tally may be negative; the sum over the nodes is not.
type tally struct {
	Bytes     int64
	Secrets   int64 // of Bytes, without receipts; only in the total
	Anonymous int64 // of Bytes; only in the total
}

// plus returns the sum of two tallies.
func (t tally) plus(o tally) tally {
	return tally{t.Bytes + o.Bytes, t.Secrets + o.Secrets, t.Anonymous + o.Anonymous}
}

// keysMost is how many keys a charge has at most.
const keysMost = 3

// tallies are those of the keys of a charge, in their order: of all, of the account or
// network, and of the /48. Those of keys that it does not have are zero.
type tallies [keysMost]tally

// plus returns the sums of two tallies each.
func (t tallies) plus(o tallies) tallies {
	for i := range t {
		t[i] = t[i].plus(o[i])
	}
	return t
}

// fields carries a tally.
//
//	version 1 │ bytes 8 │ secrets 8 │ anonymous 8, each signed
func (t *tally) fields(c *rows.Codec) {
	c.Version(version)
	c.Int64(&t.Bytes)
	c.Int64(&t.Secrets)
	c.Int64(&t.Anonymous)
}

func (t tally) encode() []byte { return rows.Encode(25, &t, (*tally).fields) }

func decodeTally(data []byte) (t tally, err error) {
	err = rows.Decode(data, &t, (*tally).fields)
	return t, err
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

func (s *Cursor) fields(c *rows.Codec) {
	c.Version(version)
	c.Bool(&s.Done)
	c.Bytes(s.Secret[:])
	c.Bytes(s.Metadata[:])
}

func (s Cursor) encode() []byte { return rows.Encode(46, &s, (*Cursor).fields) }

func decodeCursor(data []byte) (s Cursor, err error) {
	err = rows.Decode(data, &s, (*Cursor).fields)
	return s, err
}

// LoadCursor loads the state of the count; one that has not begun is zero.
func LoadCursor(tx *rows.Tx) (Cursor, error) {
	return rows.LoadOr(tx, BucketUsage, []byte{kindState}, decodeCursor, Cursor{})
}

// put stores the state of the count.
func (s Cursor) put(tx *rows.Tx) error {
	return tx.Put(BucketUsage, []byte{kindState}, s.encode())
}

// loadTally loads what a node added; nothing is zero.
func loadTally(tx *rows.Tx, who countKey, node uint16) (tally, error) {
	return rows.LoadOr(tx, BucketUsage, who.of(node), decodeTally, tally{})
}

// putTally stores what a node added.
func putTally(tx *rows.Tx, who countKey, node uint16, t tally) error {
	if t == (tally{}) {
		return tx.Delete(BucketUsage, who.of(node))
	}
	return tx.Put(BucketUsage, who.of(node), t.encode())
}

// rangeTallies calls fn for the row of each key and node, from a key on. It leaves out the
// state of the count.
func rangeTallies(tx storage.Tx, from []byte, fn func(who countKey, value []byte) error) error {
	return tx.Range(BucketUsage, from, nil, func(key, value []byte) error {
		who, _, ok := splitKey(key)
		if !ok {
			return nil
		}
		return fn(who, value)
	})
}

// Forget deletes what a store counted, before it is filled by a copy. It is counted
// anew when it is served.
func Forget(tx storage.Tx) error { return deleteTallies(tx, "") }

// deleteTallies deletes what all nodes added for a key; for an empty one, all that the
// store counted.
func deleteTallies(tx storage.Tx, who countKey) error {
	return rows.DeletePrefix(tx, BucketUsage, []byte(who))
}

// Invariants returns those of the bucket of this package.
func Invariants() []exam.Invariant {
	return []exam.Invariant{{Bucket: BucketUsage, Check: check, Alone: "the ledger counts anew what it does not know"}}
}

// sumTallies returns what a node and the others added.
func sumTallies(tx *rows.Tx, who countKey, node uint16) (own, others tally, err error) {
	prefix := []byte(who)
	err = tx.Range(BucketUsage, prefix, rows.PrefixEnd(prefix), func(key, value []byte) error {
		_, of, ok := splitKey(key)
		if !ok {
			return rows.ErrDamaged
		}
		t, err := decodeTally(value)
		if of == node {
			own = own.plus(t)
		} else {
			others = others.plus(t)
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
	_, err := decodeTally(value)
	return err
}

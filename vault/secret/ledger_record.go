package secret

import (
	"encoding/binary"

	"hush/seal"
	"hush/storage"
	"hush/vault/rows"
)

// BucketUsage has kind 1 ‖ length 1 ‖ id ‖ node 2 -> what that node added to the
// bytes of an account, a network or a /48, or to those of all; and the state of
// the count. Only a store that nodes share has it. It derives from the buckets
// secret and metadata, so a copy of the store leaves it out.
const BucketUsage = "usage"

// The kinds of rows. The letters are stored.
const (
	usageState   = 0 // with neither length nor id nor node
	usageTotal   = 't'
	usageAccount = 'a'
	usageNetwork = 'n'
	usageWide    = 'w'
)

const usageVersion = 1

// usageKey names who bytes count toward: a row's key without its node.
type usageKey string

func newUsageKey(kind byte, id []byte) usageKey {
	return usageKey(append([]byte{kind, byte(len(id))}, id...))
}

func (k usageKey) of(node uint16) []byte {
	return binary.BigEndian.AppendUint16([]byte(k), node)
}

// split returns the parts of a row's key, and false for another row.
func splitUsageKey(key []byte) (who usageKey, node uint16, ok bool) {
	at := len(key) - 2
	if at < 2 || int(key[1]) != at-2 {
		return "", 0, false
	}
	return usageKey(key[:at]), binary.BigEndian.Uint16(key[at:]), true
}

// keys returns who c counts toward besides the total: an account, or a network
// and a /48, or no one.
func (c charge) keys() []usageKey {
	switch {
	case c.unknown():
		return nil
	case c.owner != "":
		return []usageKey{newUsageKey(usageAccount, []byte(c.owner))}
	case c.wide == [8]byte{}:
		return []usageKey{newUsageKey(usageNetwork, c.network[:])}
	}
	return []usageKey{newUsageKey(usageNetwork, c.network[:]), newUsageKey(usageWide, c.wide[:])}
}

// tally is what one node added. What began on one node may end on another, so a
// tally may be negative; the sum over the nodes is not.
type tally struct {
	bytes     int64
	secrets   int64 // of bytes, without receipts; only in the total
	anonymous int64 // of bytes; only in the total
}

func (t tally) plus(o tally) tally {
	return tally{t.bytes + o.bytes, t.secrets + o.secrets, t.anonymous + o.anonymous}
}

// encode encodes a tally.
//
//	version 1 │ bytes 8 │ secrets 8 │ anonymous 8, each signed
func (t tally) encode() []byte {
	w := make(rows.Writer, 0, 25)
	w.Byte(usageVersion)
	w.Uint64(uint64(t.bytes))
	w.Uint64(uint64(t.secrets))
	w.Uint64(uint64(t.anonymous))
	return w
}

func decodeTally(data []byte) (tally, error) {
	in := rows.NewReader(data)
	in.Version(usageVersion)
	t := tally{int64(in.Uint64()), int64(in.Uint64()), int64(in.Uint64())}
	return t, in.End()
}

// usageCursor says how far the count of a store has come that has none: its
// secrets and receipts up to these rows are counted. What changes behind them is
// left to the count.
//
//	version 1 │ done 1 │ secret 22 │ receipt 22
type usageCursor struct {
	done             bool
	secret, metadata seal.RowKey
}

func (s usageCursor) encode() []byte {
	w := make(rows.Writer, 0, 46)
	w.Byte(usageVersion)
	w.Bool(s.done)
	w.Bytes(s.secret[:])
	w.Bytes(s.metadata[:])
	return w
}

func decodeUsageCursor(data []byte) (s usageCursor, err error) {
	in := rows.NewReader(data)
	in.Version(usageVersion)
	s.done = in.Bool()
	in.Into(s.secret[:])
	in.Into(s.metadata[:])
	return s, in.End()
}

func loadUsageCursor(tx storage.Tx) (usageCursor, error) {
	return rows.LoadOr(tx, BucketUsage, []byte{usageState}, decodeUsageCursor, usageCursor{})
}

func (s usageCursor) put(tx storage.Tx) error {
	return tx.Put(BucketUsage, []byte{usageState}, s.encode())
}

// loadTally loads what a node added; nothing is zero.
func loadTally(tx storage.Tx, who usageKey, node uint16) (tally, error) {
	return rows.LoadOr(tx, BucketUsage, who.of(node), decodeTally, tally{})
}

// putTally stores what a node added.
func putTally(tx storage.Tx, who usageKey, node uint16, t tally) error {
	if t == (tally{}) {
		return tx.Delete(BucketUsage, who.of(node))
	}
	return tx.Put(BucketUsage, who.of(node), t.encode())
}

// sumTallies returns what a node and the others added.
func sumTallies(tx storage.Tx, who usageKey, node uint16) (own, others tally, err error) {
	prefix := []byte(who)
	err = tx.Range(BucketUsage, prefix, rows.PrefixEnd(prefix), func(key, value []byte) error {
		_, of, ok := splitUsageKey(key)
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

package rows

import "hush/storage"

// nodeTx is a transaction of one of several nodes that share a store. Counters
// and the audit trail write to rows of that node, so that nodes do not wait for
// each other.
type nodeTx struct {
	storage.Tx
	number uint16
	format Format
}

// nodeNumberer is implemented by the transactions that know their node.
type nodeNumberer interface {
	nodeNumber() (number uint16, shared bool)
	nodeFormat() Format
}

func (t *nodeTx) nodeNumber() (uint16, bool) { return t.number, true }
func (t *nodeTx) nodeFormat() Format         { return t.format }

// Wrapper is implemented by transactions that wrap another one. A transaction
// that hides it writes as if no other node shared the store.
type Wrapper interface {
	// Unwrap returns the wrapped transaction.
	Unwrap() storage.Tx
}

// Unwrap implements Wrapper.
func (t *writesTx) Unwrap() storage.Tx { return t.Tx }

// Unwrap implements Wrapper.
func (t *nodeTx) Unwrap() storage.Tx { return t.Tx }

// find returns the outermost transaction within tx that is a T.
func find[T any](tx storage.Tx) (found T, ok bool) {
	for {
		if found, ok = tx.(T); ok {
			return found, true
		}
		w, wraps := tx.(Wrapper)
		if !wraps {
			return found, false
		}
		tx = w.Unwrap()
	}
}

// NeedShare makes an update fail with storage.ErrShareGone unless it is
// committed where the share in slot is stored; see storage.ShareNeeder. Where no
// acknowledged share can go missing it does nothing.
func NeedShare(tx storage.Tx, slot storage.Slot) {
	if needer, ok := find[storage.ShareNeeder](tx); ok {
		needer.NeedShare(slot)
	}
}

// NodeNumber returns the number of the node that runs a transaction which may
// write. shared is false on a store that no other node shares.
func NodeNumber(tx storage.Tx) (number uint16, shared bool) { return nodeOf(tx) }

// nodeOf returns the number of the node that runs a transaction. shared is
// false for the only node of a store, which is node 0.
func nodeOf(tx storage.Tx) (number uint16, shared bool) {
	if n, ok := find[nodeNumberer](tx); ok {
		return n.nodeNumber()
	}
	return 0, false
}

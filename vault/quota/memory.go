package quota

import (
	"bytes"
	"sync"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/refusal"
)

// memory counts bytes in memory, for a store that no other node shares. Every start
// counts anew: the pass adds what earlier processes have stored, while secrets come and
// go. Until it is finished, the count may be too low but never too high.
type memory struct {
	mu       sync.Mutex
	total    tally
	accounts map[string]int64
	networks map[[8]byte]int64
	wides    map[[8]byte]int64
	// uncounted has the slots of secrets that ended before the pass counted them, or
	// whose end has failed so far: a later end finds the same.
	uncounted map[uint64]struct{}
	pass      *Pass // nil once it is finished
}

func newMemory() *memory {
	m := &memory{
		accounts:  map[string]int64{},
		networks:  map[[8]byte]int64{},
		wides:     map[[8]byte]int64{},
		uncounted: map[uint64]struct{}{},
	}
	m.pass = newPass(m)
	return m
}

// reserve counts c, or returns ErrQuota.
func (m *memory) reserve(c Charge, limits caller.Limits) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !c.fits(m.counted(c), limits) {
		return refusal.ErrQuota
	}
	m.add(c, +1)
	return nil
}

// counted returns what is counted for the keys of c.
func (m *memory) counted(c Charge) (t tallies) {
	t[0] = m.total
	switch {
	case c.unknown():
	case c.Owner != "":
		t[1].Bytes = m.accounts[c.Owner]
	default:
		t[1].Bytes, t[2].Bytes = m.networks[c.Network], m.wides[c.Wide]
	}
	return t
}

// change adds c, or takes it away for a negative sign.
func (m *memory) change(c Charge, sign int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(c, sign)
}

// add is change for a caller that holds the mutex.
func (m *memory) add(c Charge, sign int64) {
	size := sign * c.size()
	m.total.Bytes += size
	m.total.Secrets += sign * c.Secret
	switch {
	case c.unknown():
		return
	case c.Owner != "":
		addBytes(m.accounts, c.Owner, size)
		return
	}
	m.total.Anonymous += size
	addBytes(m.networks, c.Network, size)
	if c.Wide != [8]byte{} {
		addBytes(m.wides, c.Wide, size)
	}
}

// addBytes adds size to the count of who. It deletes a count that reaches zero.
func addBytes[K comparable](kept map[K]int64, who K, size int64) {
	if left := kept[who] + size; left > 0 {
		kept[who] = left
	} else {
		delete(kept, who)
	}
}

// storing keeps the pass from counting a secret and a receipt that are being stored.
// Both are counted already.
func (m *memory) storing(slot uint64, receipt seal.RowKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.uncounted, slot)
	if m.pass != nil {
		m.pass.countedSlots[slot] = struct{}{}
		m.pass.countedReceipts[receipt] = struct{}{}
	}
}

// moving lets the pass know a secret by the slot that its share moves to.
func (m *memory) moving(from, to uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.uncounted, to)
	if m.pass == nil {
		return
	}
	if _, counted := m.pass.countedSlots[from]; counted {
		m.pass.countedSlots[to] = struct{}{}
	}
}

// ending reports whether a secret that is being ended is counted. If it is not, the
// pass will not count it either. If the end fails and is tried again after the pass,
// the result is the same.
func (m *memory) ending(row seal.RowKey, slot uint64) (counted bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, left := m.uncounted[slot]; left {
		return false
	}
	if m.pass == nil {
		return true
	}
	if _, counted := m.pass.countedSlots[slot]; counted || passed(m.pass.secrets, row) {
		return true
	}
	m.uncounted[slot] = struct{}{}
	return false
}

// countReceipt counts a receipt that is being changed or deleted, unless it is
// counted. c is what it counts for as stored.
func (m *memory) countReceipt(row seal.RowKey, c Charge) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pass == nil {
		return
	}
	if _, counted := m.pass.countedReceipts[row]; counted || passed(m.pass.receipts, row) {
		return
	}
	m.pass.countedReceipts[row] = struct{}{}
	m.add(c, +1)
}

// secrets returns the bytes of live secrets, without receipts.
func (m *memory) secrets() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total.Secrets
}

// passed reports whether a count that came to cursor has passed row.
func passed(cursor, row seal.RowKey) bool { return bytes.Compare(row[:], cursor[:]) <= 0 }

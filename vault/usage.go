package vault

import (
	"bytes"
	"sync"

	"hush/seal"
)

// usage keeps account of the bytes that live secrets take, a network and in
// all. It is counted anew at every start: the background pass adds what it
// finds, while creations and ends go on beside it. Until the pass is through,
// the count is too low, never too high.
type usage struct {
	mu       sync.Mutex
	total    int64
	networks map[[8]byte]int64
	skipped  map[uint64]struct{} // slots that were about to end before they were counted
	pass     *pass               // nil once the pass is through
}

// pass is the state of the background pass.
type pass struct {
	cursor seal.RowKey         // rows up to here were counted
	own    map[uint64]struct{} // slots handed out by this process
}

func newUsage() *usage {
	return &usage{
		networks: map[[8]byte]int64{},
		skipped:  map[uint64]struct{}{},
		pass:     &pass{own: map[uint64]struct{}{}},
	}
}

// reserve takes size bytes for network, or returns ErrQuota.
func (u *usage) reserve(network [8]byte, size int64, limits Limits, anonymous bool) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.total+size > limits.TotalBytes || anonymous && u.networks[network]+size > limits.NetworkBytes {
		return ErrQuota
	}
	u.add(network, size)
	return nil
}

// release gives bytes back.
func (u *usage) release(network [8]byte, size int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.add(network, -size)
}

func (u *usage) add(network [8]byte, size int64) {
	u.total += size
	if left := u.networks[network] + size; left > 0 {
		u.networks[network] = left
	} else {
		delete(u.networks, network)
	}
}

// handed tells that this process wrote slot itself.
func (u *usage) handed(slot uint64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.skipped, slot)
	if u.pass != nil {
		u.pass.own[slot] = struct{}{}
	}
}

// touch says that a secret is about to end, and returns whether its bytes were
// counted, so that only those are given back. An end that fails and is tried
// again after the pass finds the same answer.
func (u *usage) touch(row seal.RowKey, slot uint64) (counted bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, skipped := u.skipped[slot]; skipped {
		return false
	}
	if u.pass == nil {
		return true
	}
	if _, own := u.pass.own[slot]; own {
		return true
	}
	if bytes.Compare(row[:], u.pass.cursor[:]) <= 0 {
		return true
	}
	u.skipped[slot] = struct{}{}
	return false
}

// counted is one live secret as the pass found it.
type counted struct {
	row     seal.RowKey
	slot    uint64
	network [8]byte
	size    int64
}

// resume returns the row from which the pass goes on, and false if it is
// through.
func (u *usage) resume() (from []byte, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.pass == nil {
		return nil, false
	}
	return append(append(from, u.pass.cursor[:]...), 0), true
}

// count adds a batch of the pass, which reached the cursor with it.
func (u *usage) count(batch []counted, cursor seal.RowKey) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, c := range batch {
		_, own := u.pass.own[c.slot]
		_, skipped := u.skipped[c.slot]
		if !own && !skipped {
			u.add(c.network, c.size)
		}
	}
	u.pass.cursor = cursor
}

// passed ends the pass.
func (u *usage) passed() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pass = nil
}

// bytes returns what is kept in all.
func (u *usage) bytes() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.total
}

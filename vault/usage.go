package vault

import (
	"bytes"
	"sync"

	"hush/seal"
)

// charge says to whom the bytes of a secret are counted: to the account that
// owns it, or else to the network that it came from and the IPv6 /48 around it.
type charge struct {
	owner         string // empty for anonymous callers
	network, wide [8]byte
	size          int64
}

func (r *secretRecord) charge() charge {
	return charge{r.owner, r.network, r.wide, int64(len(r.sealed))}
}

// usage keeps account of the bytes that live secrets take: an account, a
// network, a /48, everybody without an account, and in all. It is counted anew
// at every start: the background pass adds what it finds, while creations and
// ends go on beside it. Until the pass is through, the count is too low, never
// too high.
type usage struct {
	mu        sync.Mutex
	total     int64
	anonymous int64
	accounts  map[string]int64
	networks  map[[8]byte]int64
	wides     map[[8]byte]int64
	skipped   map[uint64]struct{} // slots that were about to end before they were counted
	pass      *pass               // nil once the pass is through
}

// pass is the state of the background pass.
type pass struct {
	cursor seal.RowKey         // rows up to here were counted
	own    map[uint64]struct{} // slots handed out by this process
}

func newUsage() *usage {
	return &usage{
		accounts: map[string]int64{},
		networks: map[[8]byte]int64{},
		wides:    map[[8]byte]int64{},
		skipped:  map[uint64]struct{}{},
		pass:     &pass{own: map[uint64]struct{}{}},
	}
}

// reserve takes the bytes of c, or returns ErrQuota.
func (u *usage) reserve(c charge, limits Limits) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.admits(c, limits) {
		return ErrQuota
	}
	u.add(c)
	return nil
}

// admits reports whether all whom c is counted to have the room.
func (u *usage) admits(c charge, limits Limits) bool {
	switch {
	case u.total+c.size > limits.TotalBytes:
		return false
	case c.owner != "":
		return u.accounts[c.owner]+c.size <= limits.AccountBytes
	case u.anonymous+c.size > limits.anonymousBytes(), u.networks[c.network]+c.size > limits.NetworkBytes:
		return false
	}
	return c.wide == [8]byte{} || u.wides[c.wide]+c.size <= limits.wideBytes()
}

// release gives the bytes of c back.
func (u *usage) release(c charge) {
	u.mu.Lock()
	defer u.mu.Unlock()
	c.size = -c.size
	u.add(c)
}

func (u *usage) add(c charge) {
	u.total += c.size
	if c.owner != "" {
		addBytes(u.accounts, c.owner, c.size)
		return
	}
	u.anonymous += c.size
	addBytes(u.networks, c.network, c.size)
	if c.wide != [8]byte{} {
		addBytes(u.wides, c.wide, c.size)
	}
}

// addBytes changes an account of who keeps something; those who keep nothing have
// none.
func addBytes[K comparable](kept map[K]int64, who K, size int64) {
	if left := kept[who] + size; left > 0 {
		kept[who] = left
	} else {
		delete(kept, who)
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
	row    seal.RowKey
	slot   uint64
	charge charge
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
			u.add(c.charge)
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

package quota

import (
	"errors"

	"hush/seal"
)

// Pass counts in memory what earlier processes have stored. It is for one goroutine,
// beside which secrets come and go.
type Pass struct {
	memory *memory // whose mutex guards all of it

	secrets         seal.RowKey              // secrets up to here are counted
	countedSlots    map[uint64]struct{}      // of secrets that this process has stored
	receipts        seal.RowKey              // receipts up to here are counted
	countedReceipts map[seal.RowKey]struct{} // counted beside the pass
	damage          error                    // of records that could not be read so far
}

func newPass(m *memory) *Pass {
	return &Pass{memory: m, countedSlots: map[uint64]struct{}{}, countedReceipts: map[seal.RowKey]struct{}{}}
}

// Pass returns the pass, or nil if it is finished or nodes share the store.
func (u *Usage) Pass() *Pass {
	if u.memory == nil {
		return nil
	}
	u.memory.mu.Lock()
	defer u.memory.mu.Unlock()
	return u.memory.pass
}

// Damaged records that the pass could not read something. It returns everything
// that could not be read so far. An interrupted pass keeps it.
func (p *Pass) Damaged(err error) error {
	p.memory.mu.Lock()
	defer p.memory.mu.Unlock()
	p.damage = errors.Join(p.damage, err)
	return p.damage
}

// StoredSecret is a live secret that a count has read.
type StoredSecret struct {
	Row    seal.RowKey
	Slot   uint64
	Charge Charge
}

// StoredReceipt is a receipt that a count has read.
type StoredReceipt struct {
	Row    seal.RowKey
	Charge Charge
}

// NextSecret returns the key from which the pass goes on among the secrets.
func (p *Pass) NextSecret() []byte { return p.after(&p.secrets) }

// NextReceipt returns the key from which the pass goes on among the receipts.
func (p *Pass) NextReceipt() []byte { return p.after(&p.receipts) }

func (p *Pass) after(cursor *seal.RowKey) []byte {
	p.memory.mu.Lock()
	defer p.memory.mu.Unlock()
	return append(cursor[:len(cursor):len(cursor)], 0)
}

// CountSecrets adds a batch of secrets, the last of which is in that row.
func (p *Pass) CountSecrets(batch []StoredSecret, last seal.RowKey) {
	p.memory.mu.Lock()
	defer p.memory.mu.Unlock()
	for _, s := range batch {
		_, counted := p.countedSlots[s.Slot]
		_, ended := p.memory.uncounted[s.Slot]
		if !counted && !ended {
			p.memory.add(s.Charge, +1)
		}
	}
	p.secrets = last
}

// CountReceipts adds a batch of receipts, the last of which is in that row.
func (p *Pass) CountReceipts(batch []StoredReceipt, last seal.RowKey) {
	p.memory.mu.Lock()
	defer p.memory.mu.Unlock()
	for _, r := range batch {
		if _, counted := p.countedReceipts[r.Row]; !counted {
			p.memory.add(r.Charge, +1)
		}
	}
	p.receipts = last
}

// Finish ends the pass.
func (p *Pass) Finish() {
	p.memory.mu.Lock()
	defer p.memory.mu.Unlock()
	p.memory.pass = nil
}

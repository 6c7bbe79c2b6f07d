package quota

import (
	"context"
	"maps"

	"hush/storage"
)

// Charges are the counted bytes by account, network and /48.
type Charges struct {
	Total, Anonymous int64
	Accounts         map[string]int64
	Networks, Wides  map[[8]byte]int64
}

// Charges returns the present counts: of this process, or of all nodes.
func (u *Usage) Charges() Charges {
	if u.memory != nil {
		return u.memory.charges()
	}
	counted, err := LedgerCharges(context.Background(), u.ledger.store.Store)
	if err != nil {
		return Charges{}
	}
	return counted
}

func (m *memory) charges() Charges {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Charges{m.total.Bytes, m.total.Anonymous, maps.Clone(m.accounts), maps.Clone(m.networks), maps.Clone(m.wides)}
}

// Sum adds up charges.
func Sum(all []Charge) Charges {
	m := newMemory()
	for _, c := range all {
		m.add(c, +1)
	}
	return m.charges()
}

// LedgerCharges adds up what all nodes of a shared store counted.
func LedgerCharges(ctx context.Context, store storage.Store) (Charges, error) {
	sum := Charges{Accounts: map[string]int64{}, Networks: map[[8]byte]int64{}, Wides: map[[8]byte]int64{}}
	err := store.View(ctx, func(tx storage.Tx) error {
		return rangeTallies(tx, nil, func(who countKey, value []byte) error {
			t, err := decodeTally(value)
			switch id := string(who[2:]); who[0] {
			case kindTotal:
				sum.Total, sum.Anonymous = sum.Total+t.Bytes, sum.Anonymous+t.Anonymous
			case kindAccount:
				sum.Accounts[id] += t.Bytes
			case kindNetwork:
				sum.Networks[[8]byte([]byte(id))] += t.Bytes
			case kindWide:
				sum.Wides[[8]byte([]byte(id))] += t.Bytes
			}
			return err
		})
	})
	maps.DeleteFunc(sum.Accounts, func(_ string, n int64) bool { return n == 0 })
	maps.DeleteFunc(sum.Networks, func(_ [8]byte, n int64) bool { return n == 0 })
	maps.DeleteFunc(sum.Wides, func(_ [8]byte, n int64) bool { return n == 0 })
	return sum, err
}

package secret

import (
	"context"
	"errors"
	"maps"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/quota"
)

// Hashes returns how many passphrases and passwords were hashed.
func Hashes(se *Secrets) int { return int(se.hasher.Done.Load()) }

// ConcealTyped conceals a text as older releases did: its passphrase is hashed as it was
// typed.
func (se *Secrets) ConcealTyped(ctx context.Context, c caller.Caller, text caller.Text, wish Wish) (Concealed, error) {
	return se.conceal(ctx, c, text, wish, StateNew)
}

// Charges are the counted bytes by account, network and /48.
type Charges struct {
	Total, Anonymous int64
	Accounts         map[string]int64
	Networks, Wides  map[[8]byte]int64
}

func (u *Usage) charges() Charges {
	u.mu.Lock()
	defer u.mu.Unlock()
	return Charges{u.total, u.anonymous, maps.Clone(u.accounts), maps.Clone(u.networks), maps.Clone(u.wides)}
}

// Charges returns the present counts: of this process, or of all nodes.
func (se *Secrets) Charges() Charges {
	if se.usage.ledger == nil {
		return se.usage.charges()
	}
	counted, err := LedgerCharges(context.Background(), se.store.Store)
	if err != nil {
		return Charges{}
	}
	return counted
}

// CountCharges counts what is stored. Charges returns the same once the
// background pass is finished.
func CountCharges(ctx context.Context, store storage.Store) (Charges, error) {
	u := NewUsage()
	err := store.View(ctx, func(tx storage.Tx) error {
		err := tx.Range(BucketSecret, nil, nil, func(_, value []byte) error {
			r, err := decodeSecret(value)
			if err == nil {
				u.add(r.charge())
			}
			return err
		})
		return errors.Join(err, tx.Range(BucketMetadata, nil, nil, func(_, value []byte) error {
			r, err := decodeMetadata(value)
			if err == nil {
				u.add(r.charge())
			}
			return err
		}))
	})
	return u.charges(), err
}

// DecodeMetadata decodes a stored receipt.
func DecodeMetadata(data []byte) (*MetadataRecord, error) { return decodeMetadata(data) }

// LedgerCharges adds up what all nodes of a shared store counted.
func LedgerCharges(ctx context.Context, store storage.Store) (Charges, error) {
	sum := Charges{Accounts: map[string]int64{}, Networks: map[[8]byte]int64{}, Wides: map[[8]byte]int64{}}
	err := store.View(ctx, func(tx storage.Tx) error {
		return quota.Range(tx, nil, func(who quota.Key, value []byte) error {
			t, err := quota.DecodeTally(value)
			switch id := string(who[2:]); who[0] {
			case quota.KindTotal:
				sum.Total, sum.Anonymous = sum.Total+t.Bytes, sum.Anonymous+t.Anonymous
			case quota.KindAccount:
				sum.Accounts[id] += t.Bytes
			case quota.KindNetwork:
				sum.Networks[[8]byte([]byte(id))] += t.Bytes
			case quota.KindWide:
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

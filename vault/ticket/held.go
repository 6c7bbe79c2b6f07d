package ticket

import (
	"hush/seal"
	"hush/vault/rows"
)

// Held has the rows of the tickets that an account holds, by their kind less one; zero
// for none. It is a part of the account's record, which the caller stores.
type Held [ofAccounts]seal.RowKey

// Issue stores a ticket of the account. It ends an earlier one of the kind.
func (h *Held) Issue(tx *rows.Tx, t Ticket) error {
	if err := h.Drop(tx, t.Kind); err != nil {
		return err
	}
	h[t.Kind-1] = t.Row
	return Put(tx, t)
}

// Drop ends the account's tickets of some kinds.
func (h *Held) Drop(tx *rows.Tx, kinds ...Kind) error {
	for _, kind := range kinds {
		row := &h[kind-1]
		if *row == (seal.RowKey{}) {
			continue
		}
		if err := Delete(tx, row[:]); err != nil {
			return err
		}
		*row = seal.RowKey{}
	}
	return nil
}

// Forget takes a ticket out without ending it. It reports whether the account held it.
func (h *Held) Forget(kind Kind, row seal.RowKey) bool {
	if !h.Has(kind, row) {
		return false
	}
	h[kind-1] = seal.RowKey{}
	return true
}

// Has reports whether the account holds a ticket. It holds none of a kind that does not
// belong to accounts.
func (h *Held) Has(kind Kind, row seal.RowKey) bool {
	return kind.OfAccounts() && h[kind-1] == row
}

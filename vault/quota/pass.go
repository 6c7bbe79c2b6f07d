package quota

import (
	"errors"

	"hush/seal"
)

// pass is the state of the background pass.
type pass struct {
	cursor   seal.RowKey              // secrets up to here are counted
	own      map[uint64]struct{}      // slots that this process handed out
	receipts seal.RowKey              // receipts up to here are counted
	adopted  map[seal.RowKey]struct{} // receipts counted ahead of the pass
	damage   error                    // of records that could not be read so far
}

// Damaged records that the pass could not read something. It returns everything
// that could not be read so far. An interrupted pass keeps it.
func (u *Usage) Damaged(err error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pass.damage = errors.Join(u.pass.damage, err)
	return u.pass.damage
}

// CountedSecret is a live secret that the pass found.
type CountedSecret struct {
	Row    seal.RowKey
	Slot   uint64
	Charge Charge
}

// CountedReceipt is a receipt that the pass found.
type CountedReceipt struct {
	Row    seal.RowKey
	Charge Charge
}

// Resume returns the row from which the pass continues, and false if it is
// finished.
func (u *Usage) Resume() (from []byte, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.pass == nil {
		return nil, false
	}
	return append(append(from, u.pass.cursor[:]...), 0), true
}

// CountSecrets adds a batch of the pass, which ends at cursor.
func (u *Usage) CountSecrets(batch []CountedSecret, cursor seal.RowKey) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, c := range batch {
		_, own := u.pass.own[c.Slot]
		_, skipped := u.skipped[c.Slot]
		if !own && !skipped {
			u.add(c.Charge)
		}
	}
	u.pass.cursor = cursor
}

// ResumeReceipts returns the row from which the pass continues among the receipts.
func (u *Usage) ResumeReceipts() []byte {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append(append([]byte(nil), u.pass.receipts[:]...), 0)
}

// CountReceipts adds a batch of receipts, which ends at cursor.
func (u *Usage) CountReceipts(batch []CountedReceipt, cursor seal.RowKey) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, c := range batch {
		if _, adopted := u.pass.adopted[c.Row]; !adopted {
			u.add(c.Charge)
		}
	}
	u.pass.receipts = cursor
}

// FinishPass ends the pass.
func (u *Usage) FinishPass() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pass = nil
}

package secret

import (
	"hush/seal"
	"hush/vault/caller"
)

// memoReservation is the quota that a memo needs beyond the memo that it
// replaces. A store may run a transaction several times: each run calls want,
// and settle follows the last run.
type memoReservation struct {
	usage  *Usage
	limits caller.Limits
	held   charge // reserved so far
	needed int64  // by the last run; negative for a shorter memo
}

// want reserves what a sealed memo of size bytes needs beyond the stored memo
// of r, or returns ErrQuota.
func (m *memoReservation) want(row seal.RowKey, r *MetadataRecord, size int) error {
	charged := r.charge()
	m.usage.adopt(row, charged)
	m.needed = int64(size - len(r.sealedMemo))
	held := m.held.receipt
	m.held, m.held.receipt = charged, held
	if more := m.needed - held; more > 0 {
		charged.receipt = more
		if err := m.usage.reserve(charged, m.limits); err != nil {
			return err
		}
		m.held.receipt = m.needed
	}
	return nil
}

// settle releases what was reserved but not used, or what a shorter memo frees.
// failed is the error of the transaction.
func (m *memoReservation) settle(failed error) {
	spare := m.held
	if failed == nil {
		spare.receipt -= m.needed
	}
	if spare.receipt > 0 {
		m.usage.release(spare)
	}
}

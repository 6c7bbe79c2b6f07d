package domain

import (
	"encoding/binary"
	"time"

	"hush/vault/rows"
)

const (
	// checkSoonest is the pause after the first failed check; it doubles up to
	// checkLatest.
	checkSoonest = time.Minute
	checkLatest  = 4 * time.Hour
	// checkDaily is the pause while checks pass, give or take up to
	// checkJitter, so that domains added together are not checked together.
	checkDaily  = 24 * time.Hour
	checkJitter = 2 * time.Hour
	// pendingTime is how long a claim is checked in the background after its
	// account last requested a check.
	pendingTime = 7 * 24 * time.Hour
	// failingTime is how long checks of a verified domain may fail before it is
	// suspended.
	failingTime = 7 * 24 * time.Hour
)

// schedule moves a domain in the index of checks; the zero time removes it. It
// does not store the record.
func (d *ownedDomain) schedule(tx *rows.Tx, next time.Time) error {
	if !d.record.next.IsZero() {
		if err := tx.Delete(BucketRecheck, recheckKey(d.record.next, d)); err != nil {
			return err
		}
	}
	d.record.next = next
	if next.IsZero() {
		return nil
	}
	return tx.Put(BucketRecheck, recheckKey(next, d), nil)
}

// recheckKey returns a row of the index of checks.
func recheckKey(at time.Time, d *ownedDomain) []byte {
	return rows.TimeKey(at, d.key())
}

// nextCheck returns when a domain is due again after a check, or the zero time
// for never.
func (d *ownedDomain) nextCheck(now time.Time) time.Time {
	r := d.record
	if r.state == DomainSuspended || r.state == DomainVerified && r.tries == 0 {
		return now.Add(checkDaily + d.jitter())
	}
	next := now.Add(min(checkSoonest<<min(r.tries, 8), checkLatest))
	if r.state == DomainPending && next.Sub(r.asked) > pendingTime {
		return time.Time{}
	}
	return next
}

// jitter returns a duration between -checkJitter and checkJitter, which is
// constant for a domain.
func (d *ownedDomain) jitter() time.Duration {
	id := d.id()
	part := int64(binary.BigEndian.Uint16(id[:]))
	return time.Duration(part*int64(2*checkJitter)>>16) - checkJitter
}

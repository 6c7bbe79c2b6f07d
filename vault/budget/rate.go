package budget

import (
	"time"

	"hush/vault/caller"
)

// Rate is a number of calls in a period, over which they come back evenly. A
// zero Rate allows none.
type Rate struct {
	Calls int
	In    time.Duration
}

// Key names what is counted: one kind of call of a network, of an IPv6 /48, or
// of an account.
type Key struct {
	// Kind is the number of the limit, which is stored.
	Kind    byte
	Network caller.Network
	Wide    bool // Network is an IPv6 /48
	// Account is empty for a network.
	Account string
}

// A budget is one moment: when all its calls will be back. Its calls come back
// one after another, so each one spent moves that moment by the time of one.

// spend takes calls from a budget that is full again at full. It returns the new
// moment, or, if too few calls are left, the old one and how long to wait.
func (r Rate) spend(full, now time.Time, calls int) (next time.Time, wait time.Duration) {
	if calls > r.Calls {
		return full, r.In
	}
	spent := full
	if spent.Before(now) {
		spent = now
	}
	if latest := now.Add(r.In); spent.After(latest) {
		spent = latest // a clock went back, or the rate is new
	}
	spent = spent.Add(r.lasts(calls))
	if wait := spent.Sub(now) - r.In; wait > 0 {
		return full, wait
	}
	return spent, 0
}

// lasts returns how long calls take to come back. There must be some in the
// rate.
func (r Rate) lasts(calls int) time.Duration {
	return time.Duration(calls) * r.In / time.Duration(r.Calls)
}

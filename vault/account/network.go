package account

import (
	"slices"
	"time"
)

// The networks that an account's owner recently signed in from have their own
// tries, so that strangers who guess cannot lock the owner out.
const (
	// networksMost is the maximum number of networks of an account.
	networksMost = 8
	// networkKept is how long a network counts after a sign-in from it.
	networkKept = 90 * 24 * time.Hour
)

// Knows reports whether the owner recently signed in from a network. It is
// false for a nil record.
func (r *Record) Knows(network [8]byte, now time.Time) bool {
	return r != nil && slices.ContainsFunc(r.Networks, func(n knownNetwork) bool {
		return n.id == network && now.Before(n.seen.Add(networkKept))
	})
}

// Remember records a sign-in from a network, and drops networks that are too
// old or too many. The caller stores r.
func (r *Record) Remember(network [8]byte, now time.Time) {
	kept := []knownNetwork{{network, now}}
	for _, n := range r.Networks {
		if n.id != network && now.Before(n.seen.Add(networkKept)) && len(kept) < networksMost {
			kept = append(kept, n)
		}
	}
	r.Networks = kept
}

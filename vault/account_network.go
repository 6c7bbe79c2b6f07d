package vault

import (
	"slices"
	"time"
)

// The networks that an account's owner signed in from lately have tries of
// their own, so that strangers who guess cannot keep the owner out.
const (
	// networksMost is how many networks an account remembers.
	networksMost = 8
	// networkKept is how long a network counts after a sign-in from it.
	networkKept = 90 * 24 * time.Hour
)

// knownNetwork is a network that the owner signed in from, by its keyed hash.
type knownNetwork struct {
	id   [8]byte // seal.Keys.NetworkID
	seen time.Time
}

// knows reports whether the owner signed in from a network lately. Nobody did
// who has no account.
func (r *accountRecord) knows(network [8]byte, now time.Time) bool {
	return r != nil && slices.ContainsFunc(r.networks, func(n knownNetwork) bool {
		return n.id == network && now.Before(n.seen.Add(networkKept))
	})
}

// remember notes a sign-in from a network, and forgets those that are too old
// or too many. The caller stores r.
func (r *accountRecord) remember(network [8]byte, now time.Time) {
	kept := []knownNetwork{{network, now}}
	for _, n := range r.networks {
		if n.id != network && now.Before(n.seen.Add(networkKept)) && len(kept) < networksMost {
			kept = append(kept, n)
		}
	}
	r.networks = kept
}

// networks reads what an account remembers.
func (in *reader) networks() (list []knownNetwork) {
	for range in.byte() {
		var n knownNetwork
		in.into(n.id[:])
		n.seen = in.time()
		list = append(list, n)
	}
	return list
}

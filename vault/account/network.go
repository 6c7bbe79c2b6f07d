package account

import (
	"slices"
	"time"

	"hush/vault/rows"
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
func (r *Record) knows(network [8]byte, now time.Time) bool {
	return r != nil && slices.ContainsFunc(r.Networks, func(n knownNetwork) bool {
		return n.id == network && now.Before(n.seen.Add(networkKept))
	})
}

// Remember notes a sign-in from a network, and forgets those that are too old
// or too many. The caller stores r.
func (r *Record) Remember(network [8]byte, now time.Time) {
	kept := []knownNetwork{{network, now}}
	for _, n := range r.Networks {
		if n.id != network && now.Before(n.seen.Add(networkKept)) && len(kept) < networksMost {
			kept = append(kept, n)
		}
	}
	r.Networks = kept
}

// readNetworks reads what an account remembers.
func readNetworks(in *rows.Reader) (list []knownNetwork) {
	for range in.Byte() {
		var n knownNetwork
		in.Into(n.id[:])
		n.seen = in.Time()
		list = append(list, n)
	}
	return list
}

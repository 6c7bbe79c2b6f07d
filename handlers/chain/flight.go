package chain

import (
	"errors"
	"hash/maphash"
	"strconv"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"

	"hush/vault/caller"
)

// The limits on the bytes of bodies held at a time, as received: 128 MiB in
// all, of which 16 MiB are reserved for reveals and burns. A network may hold a
// share of its lane.
const (
	maxHeld      = 112 << 20
	networkHeld  = 16 << 20
	maxOpening   = 16 << 20
	ownOpening   = 2 << 20
	maxUnpacking = 64 << 20 // besides those, bytes being decompressed
	// openingLimit is the maximum bytes of a legacy request that ends a secret.
	openingLimit = 64 << 10
	// heldNetworks is the number of counters for networks. Two networks with
	// the same counter share its bytes; outsiders cannot bring that about.
	heldNetworks = 1 << 14
	heldRetry    = 2 * time.Second
)

// flight counts the bytes of held bodies. Counting takes two atomic additions
// and no lock.
type flight struct {
	seed      maphash.Seed
	creation  lane
	opening   lane
	unpacking atomic.Int64
}

// lane is one budget of bytes, with a share for each network.
type lane struct {
	most, share int64
	held        atomic.Int64
	networks    [heldNetworks]atomic.Int64
}

func newFlight() *flight {
	f := &flight{seed: maphash.MakeSeed()}
	f.creation.most, f.creation.share = maxHeld, networkHeld
	f.opening.most, f.opening.share = maxOpening, ownOpening
	return f
}

// lane returns the lane of a request and the bytes that its network holds
// there.
func (f *flight) lane(opens bool, network caller.Network) (*lane, *atomic.Int64) {
	l := &f.creation
	if opens {
		l = &f.opening
	}
	return l, &l.networks[maphash.Comparable(f.seed, network)%heldNetworks]
}

var errHeld = errors.New("too many bytes are being received: try again soon")

// heldError refuses a request whose bytes do not fit. It is a *connect.Error,
// because connect passes it on unchanged.
func heldError() *connect.Error {
	refused := refuse(connect.CodeUnavailable, errHeld, nil).after(heldRetry).wire()
	refused.Meta().Set("Retry-After", strconv.Itoa(int(heldRetry/time.Second)))
	return refused
}

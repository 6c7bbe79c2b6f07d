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

// The bytes of bodies that are held at a time, as they arrived: 128 MiB in all,
// of which 16 MiB are for reveals and burns alone. What one network may hold is
// a share of its lane.
const (
	maxHeld      = 112 << 20
	networkHeld  = 16 << 20
	maxOpening   = 16 << 20
	ownOpening   = 2 << 20
	maxUnpacking = 64 << 20 // beside them, what is being decompressed
	// openingLimit is the most bytes of a legacy request that ends a secret.
	openingLimit = 64 << 10
	// heldNetworks is how many networks are counted apart. Two that share a
	// number, which no one outside can bring about, share its bytes.
	heldNetworks = 1 << 14
	heldRetry    = 2 * time.Second
)

// flight counts the bytes of bodies that are held. Counting takes two atomic
// additions and no lock.
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

// lane returns the lane of a request and what its network holds there.
func (f *flight) lane(opens bool, network caller.Network) (*lane, *atomic.Int64) {
	l := &f.creation
	if opens {
		l = &f.opening
	}
	return l, &l.networks[maphash.Comparable(f.seed, network)%heldNetworks]
}

var errHeld = errors.New("too many bytes are being received: try again soon")

// heldError refuses a request whose bytes there is no room for. It is a
// *connect.Error, since connect hands it on as it is.
func heldError() *connect.Error {
	refused := refuse(connect.CodeUnavailable, errHeld, retryInfo(heldRetry))
	refused.Meta().Set("Retry-After", strconv.Itoa(int(heldRetry/time.Second)))
	return refused
}

package chain

import (
	"errors"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"

	"hush/vault/caller"
	"hush/vault/fair"
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
	heldRetry    = 2 * time.Second
	// maxParts bounds the bytes of parts of files that are held, received or being sent, and
	// networkParts those of a network: two parts. A call waits up to partWait for room, and
	// looks for it every partLook.
	maxParts     = 128 << 20
	networkParts = 20 << 20
	partWait     = 20 * time.Second
	partLook     = 20 * time.Millisecond
)

// flight counts the bytes of held bodies, in a lane for each kind of request. What is
// decompressed has one bound for all: a decompressor does not know whose message it has.
type flight struct {
	creation  *fair.Limiter[caller.Network]
	opening   *fair.Limiter[caller.Network]
	parts     *fair.Limiter[caller.Network] // of files
	unpacking atomic.Int64
}

func newFlight() *flight {
	return &flight{
		creation: fair.NewLimiter[caller.Network](maxHeld, networkHeld),
		opening:  fair.NewLimiter[caller.Network](maxOpening, ownOpening),
		parts:    fair.NewLimiter[caller.Network](maxParts, networkParts),
	}
}

var errHeld = errors.New("too many bytes are being received: try again soon")

// heldError refuses a request whose bytes do not fit. It is a *connect.Error,
// because connect passes it on unchanged.
func heldError() *connect.Error {
	return refuse(connect.CodeUnavailable, errHeld, nil).after(heldRetry).wire()
}

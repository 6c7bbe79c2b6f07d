// Package attempt is what the protocols of package client share: how often and how fast
// a call is made again, and what an answer or an error of the connection means that no
// server of the protocol gave.
//
// A call that failed is a Failure. Its Outcome is what became of the request, on which
// depends what may be said of a secret and whether the call may be repeated.
package attempt

import (
	"context"
	"crypto/rand"
	"math/big"
	"time"

	"hush/client"
)

// Outcome is what became of the request of a call that failed.
type Outcome int

// The outcomes.
const (
	// OutcomeRefused: the server answered, and did nothing.
	OutcomeRefused Outcome = iota
	// OutcomeUnsent: there was no connection, so no server did anything.
	OutcomeUnsent
	// OutcomeUnknown: the answer was lost. Whether the server did it is not known.
	OutcomeUnknown
)

// Failure is a call that failed. R is what a server of the protocol says when it
// refuses.
type Failure[R any] struct {
	// Err is the error for the caller.
	Err     *client.Error
	Outcome Outcome
	// Repeatable reports whether the same call may succeed if it is made again at once.
	Repeatable bool
	// Refusal is what the server said; zero where it said nothing.
	Refusal R
}

const (
	// CallsMax is how often a call is made that may be repeated.
	CallsMax = 4
	// WaitMax is the longest pause before a repeat that a server can ask for: a claim
	// does not last longer for it, and a call must end some time.
	WaitMax = 15 * time.Second
	// SlowestLine is how many bytes a second leave a proxy or a buffer on the way at
	// least, when this device has sent them all. The answer to a content gets time
	// accordingly.
	SlowestLine = 4 << 10
)

// Pace is how fast calls are repeated: after a pause that doubles each time.
type Pace struct{ First, Longest time.Duration }

// DefaultPace asks a server that restarts often enough, and not too often.
func DefaultPace() Pace { return Pace{First: 250 * time.Millisecond, Longest: 10 * time.Second} }

// Pause returns how long to wait before a repeat, the first of which has the number
// 0. A random part keeps callers apart who lost their connections together.
func (p Pace) Pause(number int, atLeast time.Duration) time.Duration {
	pause := min(p.First<<min(number, 16), p.Longest)
	share, err := rand.Int(rand.Reader, big.NewInt(int64(pause/2)+1))
	if err != nil {
		share = big.NewInt(0)
	}
	return max(pause*3/4+time.Duration(share.Int64()), atLeast)
}

// Sleep returns false if ctx ends before the time is over.
func Sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

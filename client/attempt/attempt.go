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
	"math"
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
	// Repeatable reports whether the call may be made again.
	Repeatable bool
	// Until is when no repeat may begin any more; zero for no limit.
	Until time.Time
	// Progressed reports whether the call achieved something before it failed. The next
	// one counts as the first repeat then.
	Progressed bool
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

// Repeats is how a call is made again.
type Repeats struct {
	Pace Pace
	// Calls is how often the call is made at most; zero for no limit. Made is how often it
	// was made before, which counts.
	Calls, Made int
	// WaitMax is the longest pause that a server can ask for; zero if it can ask for none.
	WaitMax time.Duration
	// Notice, if it is not nil, is called before a repeat, with the reason and the time
	// until then.
	Notice func(err error, wait time.Duration)
}

// DefaultRepeats is for a call of a few seconds.
func DefaultRepeats(notice func(err error, wait time.Duration)) Repeats {
	pace := Pace{First: 250 * time.Millisecond, Longest: 10 * time.Second} // often enough for a server that restarts
	return Repeats{Pace: pace, Calls: CallsMax, WaitMax: WaitMax, Notice: notice}
}

// Endless returns r without limits, for a call whose failures say when it is over.
func (r Repeats) Endless() Repeats {
	r.Calls, r.WaitMax = 0, math.MaxInt64
	return r
}

// Do makes a call until it succeeds, and pauses before each repeat. call gets the number
// of calls that were made before, or since one Progressed.
//
// Do returns the failure of the last call as it is if that one is not Repeatable, if
// there were as many calls as r allows, or if the pause would end after Until. If ctx
// ends during a pause, it returns Ended, and the outcome of the last call.
func Do[A, R any](ctx context.Context, r Repeats, call func(number int) (A, *Failure[R])) (answer A, fail *Failure[R]) {
	var none A
	for number := r.Made; ; number++ {
		if answer, fail = call(number); fail == nil {
			return answer, nil
		}
		if fail.Progressed {
			number = 0
		}
		if !fail.Repeatable || r.Calls > 0 && number >= r.Calls-1 {
			return none, fail
		}
		pause := r.Pace.Pause(number, min(fail.Err.RetryAfter, r.WaitMax))
		if !fail.Until.IsZero() && time.Until(fail.Until) <= pause {
			return none, fail
		}
		if r.Notice != nil {
			r.Notice(fail.Err, pause)
		}
		if !Sleep(ctx, pause) {
			return none, &Failure[R]{Err: Ended(ctx.Err()), Outcome: fail.Outcome}
		}
	}
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

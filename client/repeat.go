package client

import (
	"context"
	"crypto/rand"
	"math/big"
	"time"

	"google.golang.org/protobuf/proto"
)

// pace is how fast calls are repeated: after a pause that doubles each time.
type pace struct{ first, longest time.Duration }

// defaultPace asks a server that restarts often enough, and not too often.
func defaultPace() pace { return pace{first: 250 * time.Millisecond, longest: 10 * time.Second} }

// pause returns how long to wait before a repeat, the first of which has the number
// 0. A random part keeps callers apart who lost their connections together.
func (p pace) pause(number int, atLeast time.Duration) time.Duration {
	pause := min(p.first<<min(number, 16), p.longest)
	share, err := rand.Int(rand.Reader, big.NewInt(int64(pause/2)+1))
	if err != nil {
		share = big.NewInt(0)
	}
	return max(pause*3/4+time.Duration(share.Int64()), atLeast)
}

// wait notes that a call is repeated and waits until then. It returns false if ctx
// ends before.
func (h *hushBackend) wait(ctx context.Context, reason error, pause time.Duration) bool {
	if h.notice != nil {
		h.notice(reason, pause)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// method is an RPC.
type method[Q, A any] func(context.Context, *Q) (*A, error)

// message is a request: a pointer to a message.
type message[Q any] interface {
	*Q
	proto.Message
}

// call calls an RPC once. patience is how long its answer may take to begin, once the
// request is sent.
func call[Q, A any, M message[Q]](ctx context.Context, h *hushBackend, rpc method[Q, A], request M, patience time.Duration) (*A, *failure) {
	within, f := newFlow(ctx, patience, h.quiet, h.progress)
	defer f.stop()
	return callIn(ctx, within, f, h, rpc, request)
}

// callIn calls an RPC once, in the context of a flow. ctx is that of the caller.
func callIn[Q, A any, M message[Q]](ctx, within context.Context, f *flow, h *hushBackend, rpc method[Q, A], request M) (*A, *failure) {
	answer, err := rpc(within, request)
	if err != nil {
		return nil, h.failed(ctx, request, f.cause(err))
	}
	return answer, nil
}

const (
	// asks is how often a call is made that may be repeated. None is repeated after
	// answerTime.
	asks = 4
	// callTime is how long a call of v1 and v2 may take, besides the time for its bytes.
	callTime = 2 * time.Minute
)

// ask calls an RPC that may be repeated, since it changes nothing or nothing more.
func ask[Q, A any, M message[Q]](ctx context.Context, h *hushBackend, rpc method[Q, A], request M) (*A, error) {
	began := time.Now()
	for number := 0; ; number++ {
		answer, fail := call(ctx, h, rpc, request, answerTime)
		if fail == nil {
			return answer, nil
		}
		if fail.fate == fateRefused || fail.futile || number == asks-1 || time.Since(began) > answerTime {
			return nil, fail.err
		}
		if !h.wait(ctx, fail.err, h.pace.pause(number, min(fail.err.RetryAfter, waitMax))) {
			return nil, endedError(ctx.Err())
		}
	}
}

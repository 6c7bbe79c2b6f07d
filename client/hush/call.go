package hush

import (
	"context"
	"time"

	"google.golang.org/protobuf/proto"

	"hush/client/attempt"
)

// method is an RPC.
type method[Q, A any] func(context.Context, *Q) (*A, error)

// message is a request: a pointer to a message.
type message[Q any] interface {
	*Q
	proto.Message
}

// call calls an RPC once. patience is how long its answer may take to begin, once the
// request is sent.
func call[Q, A any, M message[Q]](ctx context.Context, h *Client, rpc method[Q, A], request M, patience time.Duration) (*A, *failure) {
	within, f := newFlow(ctx, patience, h.quiet, h.progress)
	defer f.stop()
	return callIn(ctx, within, f, h, rpc, request)
}

// callIn calls an RPC once, in the context of a flow. ctx is that of the caller.
func callIn[Q, A any, M message[Q]](ctx, within context.Context, f *flow, h *Client, rpc method[Q, A], request M) (*A, *failure) {
	answer, err := rpc(within, request)
	if err != nil {
		return nil, h.failed(ctx, request, f.cause(err))
	}
	return answer, nil
}

// answerTime is how long the answer to a request may take to begin. No call is repeated
// after it.
const answerTime = 30 * time.Second

// ask calls an RPC that may be repeated, since it changes nothing or nothing more.
func ask[Q, A any, M message[Q]](ctx context.Context, h *Client, rpc method[Q, A], request M) (*A, error) {
	answer, fail := askAgain(ctx, h, rpc, request)
	if fail != nil {
		return nil, fail.Err
	}
	return answer, nil
}

// askAgain is ask for a caller who looks at the failure.
func askAgain[Q, A any, M message[Q]](ctx context.Context, h *Client, rpc method[Q, A], request M) (*A, *failure) {
	began := time.Now()
	return attempt.Do(ctx, h.repeats, func(int) (*A, *failure) {
		answer, fail := call(ctx, h, rpc, request, answerTime)
		if fail != nil && time.Since(began) > answerTime {
			fail.Repeatable = false
		}
		return answer, fail
	})
}

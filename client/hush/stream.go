package hush

import (
	"context"
	"time"

	"connectrpc.com/connect"

	"hush/client"
	"hush/client/attempt"
)

// silenceMax is how long a stream may say nothing: two heartbeats of the server
// and some time to spare. Then the connection counts as broken.
const silenceMax = 40 * time.Second

// streams follows something through streams of the server, one after the other.
type streams[Q, M any, P message[Q]] struct {
	*Client

	rpc     func(context.Context, *Q) (*connect.ServerStreamForClient[M], error)
	request P
	// take gets each message. over reports whether nothing is left to yield; a failure ends
	// the streams.
	take func(*M) (over bool, fail *failure)
	// ended is what the end of a stream means: whether nothing is left to yield.
	ended func() bool
	// shown reports whether something was yielded.
	shown bool
	// heard reports whether the last stream brought a message.
	heard bool
}

// follow reads streams until nothing is left to yield. It returns a failure after which
// no other may follow.
func (s *streams[Q, M, P]) follow(ctx context.Context) *failure {
	_, fail := attempt.Do(ctx, s.repeats.Endless(), func(number int) (struct{}, *failure) {
		return struct{}{}, s.watchOnce(ctx, number)
	})
	return fail
}

// watchOnce reads one stream. It returns nil if nothing is left to yield. Its failure
// says whether another stream may follow: before the first message it gives up soon.
func (s *streams[Q, M, P]) watchOnce(ctx context.Context, number int) *failure {
	over, fail := s.read(ctx)
	if over {
		return nil
	}
	if fail == nil {
		ended := &client.Error{Kind: client.KindNetwork, Message: "the server ended the stream"}
		fail = &failure{Err: ended, Outcome: attempt.OutcomeUnknown, Repeatable: true}
	}
	if fail.Progressed = s.heard; s.heard {
		number = 0
	}
	switch isLimit := fail.Err.Kind == client.KindLimited && fail.Err.RetryAfter > 0; {
	case ctx.Err() != nil:
		fail.Repeatable = false
	case !s.shown:
		fail.Repeatable = fail.Repeatable && number < attempt.CallsMax-1
	default:
		fail.Repeatable = isLimit || fail.Outcome != attempt.OutcomeRefused
	}
	return fail
}

// read reads one stream. over reports whether nothing is left to yield.
func (s *streams[Q, M, P]) read(ctx context.Context) (over bool, fail *failure) {
	s.heard = false
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	broken := time.AfterFunc(s.silence, cancel)
	defer broken.Stop()
	stream, err := s.rpc(within, s.request)
	if err != nil {
		return false, s.failed(ctx, s.request, err)
	}
	defer stream.Close()
	defer cancel() // before Close, which would read on
	for stream.Receive() {
		broken.Reset(s.silence)
		s.heard = true
		if over, fail := s.take(stream.Msg()); over || fail != nil {
			return over, fail
		}
	}
	if err := stream.Err(); err != nil {
		return false, s.failed(ctx, s.request, err)
	}
	return s.ended(), nil
}

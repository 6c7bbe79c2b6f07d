package chain

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"

	"hush/vault/caller"
	"hush/vault/fair"
	"hush/vault/refusal"
)

const (
	// StreamsMost is the maximum number of open streams of one network or
	// account: watched receipts, health watches and reflection.
	StreamsMost = 20
	// streamsAll is the maximum number of streams in all.
	streamsAll = 2000
	// streamLife is the maximum duration of a stream; then its client must
	// resume it.
	streamLife = 15 * time.Minute
	// sendTime is the maximum time that a stream's client may take to read a
	// message.
	sendTime = 30 * time.Second
)

// errStreamOver ends a stream at the end of its time, or when the server stops.
// Clients call again.
var errStreamOver = refusal.ErrUnavailable

// streams bounds all streams of all services: their number, from their headers
// on, their duration, and the time of a write. Until a stream's request is
// complete, the server's own deadlines apply.
type streams struct {
	procedures     map[string]bool
	recheck        recheck
	life, sendTime time.Duration
	stopping       context.Context //nolint:containedctx // the server's life, not a call's
	stop           context.CancelFunc
	open           *fair.Limiter[streamer]
}

// streamer is the owner of streams: an account, or else a network.
type streamer struct {
	account string
	network caller.Network
}

func newStreams(policies policies) *streams {
	s := &streams{
		life: streamLife, sendTime: sendTime, open: fair.NewLimiter[streamer](streamsAll, StreamsMost),
		procedures: map[string]bool{
			"/" + grpchealth.HealthV1ServiceName + "/Watch":                       true,
			"/" + grpcreflect.ReflectV1ServiceName + "/ServerReflectionInfo":      true,
			"/" + grpcreflect.ReflectV1AlphaServiceName + "/ServerReflectionInfo": true,
		},
	}
	for procedure, p := range policies {
		if p.method.IsStreamingServer() || p.method.IsStreamingClient() {
			s.procedures[procedure] = true
		}
	}
	s.stopping, s.stop = context.WithCancel(context.Background())
	return s
}

// around counts the streams among the requests for next, and refuses excess
// ones.
func (s *streams) around(next http.Handler) http.Handler {
	refusals := connect.NewErrorWriter()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := recordFrom(r.Context())
		if rec == nil || !s.procedures[r.URL.Path] {
			if rec != nil {
				// A response of the Connect protocol is a message without anything around it.
				contentType := r.Header.Get("Content-Type")
				rec.whole = contentType == "application/json" || contentType == "application/proto"
			}
			next.ServeHTTP(w, r)
			return
		}
		who := streamerOf(rec.caller)
		if !s.open.Take(who, 1) {
			refused := mapError(&refusal.TooManyError{What: "streams at a time", Limit: StreamsMost})
			rec.procedure, rec.code, rec.limit = r.URL.Path, refused.Code.String(), limitStreams
			_ = refusals.Write(w, r, refused.wire())
			return
		}
		defer s.open.Give(who, 1)
		rec.control = http.NewResponseController(w)
		next.ServeHTTP(w, r)
	})
}

func streamerOf(c caller.Caller) streamer {
	if !c.Anonymous() {
		return streamer{account: c.Account()}
	}
	return streamer{network: c.Network}
}

// WrapUnary does nothing. It is part of connect.Interceptor.
func (*streams) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc { return next }

// WrapStreamingClient does nothing: no service here is a client.
func (*streams) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

// WrapStreamingHandler sets a stream's deadlines, and ends its context after
// its time and when the server stops. It then returns a code that makes clients
// resume.
func (s *streams) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		rec := recordFrom(ctx)
		if rec == nil || rec.control == nil {
			return errNoCaller
		}
		ctx, end := context.WithCancelCause(context.WithValue(ctx, streamKey{}, true))
		defer end(nil)
		timer := time.AfterFunc(s.life, func() { end(errStreamOver) })
		defer timer.Stop()
		defer context.AfterFunc(s.stopping, func() { end(errStreamOver) })()
		err := next(ctx, &streamConn{StreamingHandlerConn: conn, control: rec.control, sendTime: s.sendTime, standing: s.standing(ctx, rec, conn.Spec().Procedure)})
		_ = rec.control.SetWriteDeadline(time.Now().Add(s.sendTime)) // for the end of the stream
		switch cause := context.Cause(ctx); {
		case errors.Is(cause, errStreamOver):
			return onWire(mapError(errStreamOver))
		case err == nil && ctx.Err() != nil:
			// A stream that its caller's deadline ended must not read as one that is
			// complete. The health service returns nil then.
			return onWire(mapError(ctx.Err()))
		}
		return err
	}
}

// streamKey is the context key of every stream.
type streamKey struct{}

// standing returns the check of a stream's caller between its messages. Health and
// reflection, which have no policy, do nothing for a caller.
func (s *streams) standing(ctx context.Context, rec *record, procedure string) func() error {
	if _, known := s.recheck.policies[procedure]; !known {
		return func() error { return nil }
	}
	return func() error { return s.recheck.pass(ctx, rec, procedure) }
}

// streamConn is a stream with deadlines, which ends with its caller's credential.
type streamConn struct {
	connect.StreamingHandlerConn

	control  *http.ResponseController
	sendTime time.Duration
	standing func() error
}

// Receive reads a message. Only at the end of the request does it remove the
// server's deadlines, which are for slow requests. The message may come long after
// the headers, so the caller's credential is checked again.
func (c *streamConn) Receive(message any) error {
	err := c.StreamingHandlerConn.Receive(message)
	if errors.Is(err, io.EOF) {
		// A writer without deadlines has none to remove.
		_ = c.control.SetReadDeadline(time.Time{})
		_ = c.control.SetWriteDeadline(time.Time{})
	}
	if err != nil {
		return err
	}
	return c.standing()
}

// Send writes a message, unless the caller's credential has ended. A client that
// does not read it in time ends the stream.
func (c *streamConn) Send(message any) error {
	if err := c.standing(); err != nil {
		return err
	}
	_ = c.control.SetWriteDeadline(time.Now().Add(c.sendTime))
	err := c.StreamingHandlerConn.Send(message)
	_ = c.control.SetWriteDeadline(time.Time{})
	return err
}

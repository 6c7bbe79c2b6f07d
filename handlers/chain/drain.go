package chain

import (
	"errors"
	"io"
	"net/http"
	"time"

	"connectrpc.com/connect"

	"hush/vault/caller"
	"hush/vault/fair"
)

const (
	// drainBytes bounds how much of a refused body is read, so that the client can
	// read the response.
	drainBytes = 32 << 20
	// drainBytes2 is drainBytes over cleartext HTTP/2, where a stream whose body is not
	// read is reset after the response. Some clients (curl 7.88) then lose the response.
	drainBytes2 = 64 << 10
)

// body is a request's body. It counts the bytes that the request holds until
// release. If it may need draining, it stays open when a service closes it, and counts
// what was read.
type body struct {
	from   io.ReadCloser
	left   int64 // remaining bytes; negative if unknown
	taken  int64 // bytes that a service read
	drains bool  // over HTTP/1, and briefly over cleartext HTTP/2
	record *record
	flight *flight
	lane   *fair.Limiter[caller.Network] // nil before the first byte
	holder caller.Network                // of the bytes
	held   int64
	ahead  int64           // bytes that are held before they are read
	gone   <-chan struct{} // closed when the caller leaves
	err    error           // the refusal, if there was no room
	arrival
}

// keep replaces the request's body with this one, if the request has a body.
func (b *body) keep(r *http.Request, record *record, flight *flight) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	*b = body{from: r.Body, gone: r.Context().Done(), left: r.ContentLength, drains: r.ProtoMajor == 1 || isBrief(r), record: record, flight: flight}
	r.Body, record.body = b, b
}

// Read implements io.Reader. It ends at the request's size limit.
func (b *body) Read(into []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if most := b.record.most; most > 0 {
		if b.taken >= most {
			return 0, io.EOF
		}
		into = into[:min(int64(len(into)), most-b.taken)]
	}
	if !b.admit() {
		return 0, b.refuse()
	}
	n, err := b.from.Read(into)
	b.left -= int64(n)
	b.taken += int64(n)
	if c := &b.record.cookies; c.sent && !c.late {
		c.late = c.now().Sub(c.began) > lateBody
	}
	b.ended = b.ended || errors.Is(err, io.EOF)
	covered := min(b.ahead, int64(n))
	b.ahead -= covered
	if more := int64(n) - covered; more > 0 && !b.hold(more) {
		return 0, b.refuse()
	}
	b.advance()
	return n, err
}

// refuse ends a body for which there is no room.
func (b *body) refuse() error {
	b.release()
	b.err = heldError()
	b.record.code, b.record.limit = connect.CodeUnavailable.String(), limitBodies
	return b.err
}

// hold counts bytes, and reports whether there is room for them.
func (b *body) hold(n int64) bool {
	if b.lane == nil {
		b.lane, b.holder = b.flight.creation, b.record.caller.Network
		switch {
		case b.record.mayEnd:
			b.lane = b.flight.opening // creation cannot fill it
		case b.record.part:
			b.lane = b.flight.parts
		}
	}
	if !b.lane.Take(b.holder, n) {
		return false
	}
	b.held += n
	return true
}

// crowded reports whether bodies hold so much that slow ones must not keep others out.
func (b *body) crowded() bool { return b == nil || b.lane == nil || b.lane.IsCrowded(b.holder) }

// release releases the bytes that the request held.
func (b *body) release() {
	if b == nil || b.lane == nil {
		return
	}
	b.lane.Give(b.holder, b.held)
	b.held, b.lane = 0, nil
}

// Close leaves a body that may need draining to the server.
func (b *body) Close() error {
	if b.drains {
		return nil
	}
	return b.from.Close()
}

// drain reads the rest of the body, within bounds, after the response was sent.
// If a connection is closed with unread data, it is reset, and the client may
// never see the response.
func (b *body) drain(w http.ResponseWriter, r *http.Request, within time.Duration) {
	if b == nil || !b.drains || b.left == 0 {
		return
	}
	b.release() // drained bytes are not kept
	most := int64(drainBytes)
	if r.ProtoMajor == 2 {
		most = b.left
	}
	control := http.NewResponseController(w)
	// A client that expects 100 Continue waits for the response. Over HTTP/2 it need not
	// wait for a body that is late.
	if (r.Header.Get("Expect") != "" || r.ProtoMajor == 2) && control.Flush() != nil {
		return
	}
	if control.SetReadDeadline(time.Now().Add(within)) != nil {
		return
	}
	var one [1]byte
	n, err := b.from.Read(one[:])
	if n > 0 && control.Flush() == nil {
		_, err = io.CopyN(io.Discard, b.from, most)
	}
	if errors.Is(err, io.EOF) {
		// If the deadline passed on a healthy connection, net/http would cancel
		// everything that the connection serves from then on.
		_ = control.SetReadDeadline(time.Time{})
	}
}

// isBrief reports whether a request over cleartext HTTP/2 has a body that may be drained.
// Bodies without a length are those of gRPC, whose clients know such resets.
func isBrief(r *http.Request) bool {
	return r.ProtoMajor == 2 && r.TLS == nil && r.ContentLength > 0 && r.ContentLength <= drainBytes2
}
